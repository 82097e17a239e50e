#include "detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "instant.h"

namespace ompdm::cli {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kMostDigits = 15;

/// More than zero, and one of the units behind it.
template <std::size_t Count>
bool is_amount(std::string_view value, const std::array<std::string_view, Count>& units) {
  const std::size_t digits = std::min(value.find_first_not_of(kDigits), value.size());
  const std::string_view number = value.substr(0, digits);
  return !number.empty() && digits <= kMostDigits &&
         number.find_first_not_of('0') != std::string_view::npos &&
         std::ranges::find(units, value.substr(digits)) != units.end();
}

}  // namespace

std::string is_time(const std::string& value) {
  const std::optional<Nanoseconds> time = time_of(value);
  if (time && *time > 0) return "";
  if (!time && time_of(value + "s")) {
    return fmt::format("{0} has no unit: write it as {0}s, {0}ms or {0}min", value);
  }
  return value + " is no time, as 30s, 500ms or 2min are";
}

std::string recorder_time(const std::string& value) {
  if (value.empty()) return {};
  constexpr Nanoseconds kMicrosecond = 1000;
  const Nanoseconds time = time_of(value).value_or(0);
  return fmt::format("{}us", (time + kMicrosecond - 1) / kMicrosecond);
}

std::string is_place(const std::string& value) {
  constexpr std::array<std::string_view, 1> kNone = {""};
  const std::size_t colon = value.rfind(':');
  const bool is_one = colon != std::string::npos && colon > 0 &&
                      is_amount(std::string_view(value).substr(colon + 1), kNone);
  return is_one ? "" : value + " is no place, as heat.cpp:56 is";
}

std::string is_spool_size(const std::string& value) {
  constexpr std::array<std::string_view, 12> kUnits = {"",   "K",  "M",  "G",   "T",   "KB",
                                                       "MB", "GB", "TB", "KiB", "MiB", "GiB"};
  if (value == "none" || is_amount(value, kUnits)) return "";
  return value + " is neither none nor a size, as 500M or 2G are";
}

}  // namespace ompdm::cli
