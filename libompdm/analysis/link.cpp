#include "ompdm/link.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::analysis {
namespace {

struct Preset {
  std::string_view name;
  double bytes_per_second;
};
constexpr Preset kPresets[] = {
    {"pcie3x16", 12e9}, {"pcie4x16", 25e9}, {"pcie5x16", 55e9}, {"nvlink4", 346e9}};
constexpr Nanoseconds kLatency = 6000;

using Unit = std::pair<std::string_view, double>;
constexpr Unit kRates[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {"B/s", 1}};
constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/// "25GB/s" in bytes a second; nothing if it is no number with one of the units.
template <std::size_t count>
std::optional<double> quantity(std::string_view text, const Unit (&units)[count]) {
  for (const auto& [unit, scale] : units) {
    if (!text.ends_with(unit)) continue;
    const char* end = text.data() + text.size() - unit.size();
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number * scale;
  }
  return std::nullopt;
}

}  // namespace

Link parse_link(std::string_view text) {
  std::string names;
  for (const Preset& preset : kPresets) {
    if (text == preset.name) return {std::string(text), preset.bytes_per_second, kLatency};
    names += std::string(preset.name) + ", ";
  }
  const std::size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    constexpr double kLongest = 1e12;
    const auto rate = quantity(text.substr(0, comma), kRates);
    const auto latency = quantity(text.substr(comma + 1), kTimes);
    if (rate && latency && *rate >= 1 && *latency >= 0 && *latency <= kLongest) {
      return {std::string(text), *rate, std::llround(*latency)};
    }
  }
  throw Error("'" + std::string(text) + "': not a link: write " + names +
                  "or BANDWIDTH,LATENCY as in 25GB/s,10us",
              Error::Kind::kUsage);
}

double parse_kernel_factor(std::string_view text) {
  constexpr double kMost = 1e6;
  double factor = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, factor);
  if (error != std::errc() || stop != end || !(factor > 0) || factor > kMost) {
    throw Error("'" + std::string(text) +
                    "': how many times as fast kernels would be: write a number, as in 20",
                Error::Kind::kUsage);
  }
  return factor;
}

Nanoseconds transfer_time(const Link& link, std::uint64_t bytes) {
  return link.latency + std::llround(static_cast<double>(bytes) * 1e9 / link.bytes_per_second);
}

}  // namespace ompdm::analysis
