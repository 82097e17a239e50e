// What the readers of trace.json throw of a line, and how they refuse a value in it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ompdm {

/// A line that is not what its place asks for; `what()` says why in some words, without the file's
/// name.
class MalformedLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws MalformedLine that names the key.
[[noreturn]] inline void refuse_value(std::string_view key) {
  throw MalformedLine(std::string(key) + " has no value that makes sense");
}

}  // namespace ompdm
