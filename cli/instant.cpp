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

Nanoseconds parse_instant(const char* option, const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e6}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || known == std::end(kUnits)) {
    throw Error(
        fmt::format("{} {}: is no time: write it as 12.5ms, 3s, 800us or 40ns", option, text),
        Error::Kind::kUsage);
  }
  return std::llround(value * known->second);
}

}  // namespace ompdm::cli
