// The one exception type that the ompdm library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace ompdm {

/// A failure that a user can act on. `what()` is one line in the form "FILE: what is wrong: what to
/// do".
class Error : public std::runtime_error {
 public:
  enum class Kind {
    kFailure = 1,  ///< exit status 1
    kUsage = 2,    ///< exit status 2: the request itself makes no sense
  };

  explicit Error(const std::string& message, Kind kind = Kind::kFailure)
      : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

}  // namespace ompdm
