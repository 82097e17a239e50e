// How the rows of a trace name each other, and their unit of time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace ompdm {

/// Nanoseconds since Process::start (CLOCK_MONOTONIC at attach), or a duration.
using Nanoseconds = std::int64_t;

/// A typed position in one of Trace's columns; default-constructed it points nowhere.
template <class Row>
struct Index {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  explicit operator bool() const noexcept { return value != kNone; }
  auto operator<=>(const Index&) const = default;
};

}  // namespace ompdm
