// What `ompdm fix` is doing, and how long it will take.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "progress.h"

namespace ompdm::cli {

/// On a terminal the step that is being done; elsewhere a line a step, once that is known to take
/// long.
class Steps {
 public:
  /// Until the next begin(), or end().
  void begin(const std::string& doing);
  void end() { progress_.reset(); }
  /// Says what is to come, where that takes long: so many runs, each as long as the one that was
  /// made.
  void expect(std::size_t runs, std::chrono::nanoseconds each);

 private:
  std::optional<Progress> progress_;
  bool is_long_ = false;
};

}  // namespace ompdm::cli
