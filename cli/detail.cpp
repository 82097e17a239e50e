#include "detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "instant.h"

namespace ompdm::cli {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0} / 2;  // nanoseconds, or bytes
constexpr std::uint64_t kMostLine = 2'147'483'647;

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

/// A number and behind it one of the units: what it stands for, all of kMost + 1 where it is more
/// than `most`; nothing where it is none, or zero.
template <std::size_t Count>
std::optional<std::uint64_t> amount_of(std::string_view value, const std::array<Unit, Count>& units,
                                       std::uint64_t most) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  for (; digits < value.size() && value[digits] >= '0' && value[digits] <= '9'; ++digits) {
    const auto digit = static_cast<std::uint64_t>(value[digits] - '0');
    number = number > (kMost - digit) / 10 ? kMost : 10 * number + digit;
  }
  const auto unit = std::ranges::find(units, value.substr(digits), &Unit::name);
  if (digits == 0 || number == 0 || unit == units.end()) return std::nullopt;
  return number > most / unit->size ? kMost + 1 : number * unit->size;
}

}  // namespace

std::string is_time(const std::string& value) {
  const std::optional<Nanoseconds> time = time_of(value);
  if (time && *time > 0) return "";
  if (!time && time_of(value + "s")) {
    return fmt::format("{0} has no unit: write it as {0}s, {0}ms or {0}min", value);
  }
  const std::size_t unit = std::min(value.find_first_not_of("0123456789"), value.size());
  // Of what is one with a smaller number the number is the matter.
  if (!time && unit > 0 && time_of("1" + value.substr(unit))) {
    return value + " is too long: 2500000h at most";
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
  constexpr std::array<Unit, 1> kNone = {{{"", 1}}};
  const std::size_t colon = value.rfind(':');
  const std::string_view file = std::string_view(value).substr(0, std::min(colon, value.size()));
  const auto line = colon == std::string::npos || colon == 0
                        ? std::nullopt
                        : amount_of(std::string_view(value).substr(colon + 1), kNone, kMostLine);
  if (!line) return value + " is no place FILE:LINE, as heat.cpp:56 is";
  const std::size_t before = file.rfind(':');
  if (before != std::string_view::npos && amount_of(file.substr(before + 1), kNone, kMost)) {
    return value + " has a column: FILE:LINE is expected, as heat.cpp:56";
  }
  return *line > kMost ? value + " is no place: a line is 2147483647 at most" : "";
}

std::string is_spool_size(const std::string& value) {
  constexpr std::array<Unit, 12> kUnits = {{{"", 1},
                                            {"K", 1'000},
                                            {"M", 1'000'000},
                                            {"G", 1'000'000'000},
                                            {"T", 1'000'000'000'000},
                                            {"KB", 1'000},
                                            {"MB", 1'000'000},
                                            {"GB", 1'000'000'000},
                                            {"TB", 1'000'000'000'000},
                                            {"KiB", 1ULL << 10U},
                                            {"MiB", 1ULL << 20U},
                                            {"GiB", 1ULL << 30U}}};
  if (value == "none") return "";
  const auto size = amount_of(value, kUnits, kMost);
  if (!size) return value + " is neither none nor a size, as 500M or 2G are";
  return *size > kMost ? value + " is too large: 9223372T at most" : "";
}

}  // namespace ompdm::cli
