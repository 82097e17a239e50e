// What `--gpu-trace` tells of each operation, as values. Inside the report library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/trace.h"
#include "report/source_names.h"

namespace ompdm::report {

/// One line of the list.
struct Operation {
  Nanoseconds begin = 0;
  Nanoseconds duration = 0;
  Clock clock = Clock::kHost;
  bool is_kernel = false;
  bool has_bytes = false;
  bool moves = false;  ///< its bytes over its time are a throughput
  std::uint64_t bytes = 0;
  std::uint32_t teams = 0;    ///< requested; 0: unknown or left to the runtime
  std::uint32_t threads = 0;  ///< requested limit; 0: unknown or left to the runtime
  std::int32_t device = -1;
  std::uint32_t tid = 0;
  std::string name;
  std::string directive;
  const DeviceActivity* activity = nullptr;  ///< that did it; null: none is known
  Nanoseconds submitted = 0;                 ///< with an activity: when the host asked for it
};

/// The operations of one trace in order of their begin, by the device's clock where there is one.
class OperationList {
 public:
  /// Both must outlive this.
  OperationList(const Trace& trace, const SourceNames& names);

  /// Calls `take` with each operation and launch.
  template <class Take>
  void for_each(Take take) const {
    std::size_t op = 0;
    std::size_t launch = 0;
    while (op < trace_.ops.size() || launch < trace_.launches.size()) {
      const bool op_is_next =
          launch == trace_.launches.size() ||
          (op < trace_.ops.size() && trace_.ops.begin_of(op) <= trace_.launches.begin_of(launch));
      take(op_is_next ? describe_op(op++) : describe_launch(launch++));
    }
  }

 private:
  [[nodiscard]] Operation describe_op(std::size_t position) const;
  [[nodiscard]] Operation describe_launch(std::size_t position) const;
  void add_activity(std::uint32_t position, Operation& line) const;
  [[nodiscard]] std::string directive_text(const Site& site) const;
  [[nodiscard]] std::string directive_of(Index<Site> site) const;
  [[nodiscard]] Index<Site> region_site(Index<Region> region) const;
  [[nodiscard]] std::uint32_t tid_of(std::uint32_t thread) const;

  Trace converted_;  ///< empty where there is no device clock
  const Trace& trace_;
  const SourceNames& names_;
  std::vector<std::string> directives_;           ///< by site
  std::vector<std::uint32_t> op_activities_;      ///< the first of each operation's
  std::vector<std::uint32_t> launch_activities_;  ///< the first of each launch's
  std::vector<Nanoseconds> submitted_;            ///< by activity
};

}  // namespace ompdm::report
