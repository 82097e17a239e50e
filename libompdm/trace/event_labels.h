// What the slices of the timeline are called, ready to be written as JSON.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// JSON strings with their quotes, made once for each site, variable and kernel.
class EventLabels {
 public:
  explicit EventLabels(const Trace& trace);

  /// "target heat.cpp:41", "end target data heat.cpp:26"
  [[nodiscard]] const std::string& of(const Region& region) const;
  /// The variable's name, or the kind where it has none.
  [[nodiscard]] const std::string& of(const DataOp& op) const;
  /// "heat heat.cpp:41"
  [[nodiscard]] const std::string& of(const Launch& launch) const;
  /// As what it did the work of, else its kernel or its kind.
  [[nodiscard]] const std::string& of(const DeviceActivity& activity) const;
  /// "cupti.stream_synchronize"
  [[nodiscard]] const std::string& of(const Synchronization& wait) const;

 private:
  const Trace& trace_;
  std::string region_;
  std::string launch_;
  std::array<std::string, 8> ops_;         // by OpKind
  std::array<std::string, 6> activities_;  // by ActivityKind
  std::array<std::string, 5> waits_;       // by SynchronizationKind
  std::vector<std::string> sites_;         // by site, for its begin …
  std::vector<std::string> site_ends_;     // … and its end
  std::vector<std::string> variables_;     // empty: unnamed
  std::vector<std::string> kernels_;
};

}  // namespace ompdm
