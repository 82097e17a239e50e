#include "report/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ompdm::report {

namespace {

struct UnitName {
  double scale;
  const char* name;
};
constexpr UnitName kTimes[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
constexpr UnitName kSizes[] = {{1, "B"},    {1e3, "KB"},  {1e6, "MB"},
                               {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}};

/// Digits after the point that make `digits` significant ones of a number that is at least 1.
int decimals(double value, int digits) {
  int before_point = 1;
  for (; value >= 10 && before_point < digits; value /= 10) ++before_point;
  return digits - before_point;
}

double rounded(double value, int places) {
  const double shift = std::pow(10.0, places);
  return std::round(value * shift) / shift;
}

struct Scaled {
  double value;
  int decimals;
  const char* unit;
};

/// The largest unit in which the number, once rounded, is at least 1.
Scaled scale(double value, std::span<const UnitName> units, int digits, int last_digits) {
  std::size_t unit = 0;
  for (;; ++unit) {
    const bool last = unit + 1 == units.size();
    const double scaled = value / units[unit].scale;
    const int places = unit == 0 ? 0 : decimals(scaled, last ? last_digits : digits);
    if (last || rounded(scaled, places) < 1000) {
      // 9.99996 becomes 10.0000: one digit too many.
      return {scaled,
              unit == 0 ? 0 : decimals(rounded(scaled, places), last ? last_digits : digits),
              units[unit].name};
    }
  }
}

/// "20.480GB", "4.59 s" with a blank between number and unit.
std::string text_of(const Scaled& figure, const char* between = "") {
  return fmt::format("{:.{}f}{}{}", figure.value, figure.decimals, between, figure.unit);
}

std::string spoken(double value, std::span<const UnitName> units) {
  return text_of(scale(value, units, 3, 3), " ");
}

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The bytes of the first `count` code points, or from the one that leaves `count` at the end.
std::string first(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_code_point(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

std::string last(const std::string& text, std::size_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    if (!continues_code_point(text[at])) --count;
  }
  return text.substr(at);
}

}  // namespace

std::string time_text(Nanoseconds duration) {
  const double magnitude = std::abs(static_cast<double>(duration));
  return (duration < 0 ? "-" : "") + text_of(scale(magnitude, kTimes, 5, 6));
}

std::string size_text(std::uint64_t bytes) {
  return text_of(scale(static_cast<double>(bytes), kSizes, 5, 5));
}

std::string throughput_text(std::uint64_t bytes, Nanoseconds duration) {
  if (duration <= 0) return "-";
  const double per_second = static_cast<double>(bytes) * 1e9 / static_cast<double>(duration);
  return text_of(scale(per_second, kSizes, 5, 5)) + "/s";
}

std::string percent_text(double percent) { return fmt::format("{:.1f} %", percent); }

std::string spoken_size(std::uint64_t bytes) { return spoken(static_cast<double>(bytes), kSizes); }

std::string spoken_time(Nanoseconds duration) {
  const std::string text = spoken(std::abs(static_cast<double>(duration)), kTimes);
  return duration < 0 ? '-' + text : text;
}

std::string spoken_share(Nanoseconds part, Nanoseconds whole) {
  const double percent =
      whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  if (part > 0 && percent < 0.05) return "less than 0.1 %";
  return fmt::format("{:.{}f} %", percent, percent >= 9.95 || part == 0 ? 0 : 1);
}

std::string ratio_text(double ratio) {
  if (ratio > 0 && ratio < 0.0005) return "<0.001x";
  const int places = ratio == 0 || ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : ratio < 0.0995 ? 3 : 2;
  return fmt::format("{:.{}f}x", ratio, places);
}

std::string spoken_ratio(double ratio) {
  return fmt::format("{:.{}f}x", ratio, ratio >= 9.95 ? 0 : 1);
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + 's' : many);
}

std::string spoken_list(const std::vector<std::string>& items, const char* before_last) {
  if (items.size() < 2) return items.empty() ? std::string() : items.front();
  return fmt::format("{} {} {}", fmt::join(items.begin(), items.end() - 1, ", "), before_last,
                     items.back());
}

std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used <= width) return text;
  if (width <= 3) return std::string(width, '.');
  const std::size_t kept = width - 3;
  return first(text, kept - kept / 2) + "..." + last(text, kept / 2);
}

std::size_t display_width(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_code_point));
}

}  // namespace ompdm::report
