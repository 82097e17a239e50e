#include "instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::cli {

std::optional<Nanoseconds> time_of(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"m", 60e9}, {"h", 3600e9}};
  constexpr double kMost = 9e18;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || known == std::end(kUnits)) return std::nullopt;
  const double time = value * known->second;
  // Written so that what is no number is none of them.
  if (!(time >= 0 && time <= kMost)) return std::nullopt;
  return std::llround(time);
}

Nanoseconds parse_instant(const char* option, const std::string& text) {
  if (const std::optional<Nanoseconds> time = time_of(text)) return *time;
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("{} {}: {}", option, text, why), Error::Kind::kUsage);
  };
  if (time_of(text + "ns")) {
    throw refuse(fmt::format("has no unit: write it as {0}ms or {0}s", text));
  }
  if (text.starts_with('-') && time_of(text.substr(1))) {
    throw refuse("is before the run: times are counted from its start");
  }
  throw refuse("is no time: write it as 12.5ms, 3s, 800us, 40ns or 2min");
}

}  // namespace ompdm::cli
