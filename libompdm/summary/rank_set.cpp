#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "ompdm/error.h"
#include "ompdm/summary.h"

namespace ompdm::summary {
namespace {

std::int32_t number_of(std::string_view text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw Error(fmt::format("'{}' is no rank", text));
  }
  return value;
}

}  // namespace

RankSet::RankSet(std::string_view text) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::int32_t first = number_of(range.substr(0, dash));
    const std::int32_t last =
        dash == std::string_view::npos ? first : number_of(range.substr(dash + 1));
    if (last < first || (!ranges_.empty() && first <= ranges_.back().second)) {
      throw Error(fmt::format("'{}' is out of order", range));
    }
    ranges_.emplace_back(first, last);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

bool RankSet::add(const RankSet& other) {
  decltype(ranges_) sorted;
  std::ranges::merge(ranges_, other.ranges_, std::back_inserter(sorted));
  decltype(ranges_) joined;
  bool apart = true;
  for (const auto& [first, last] : sorted) {
    if (!joined.empty() && first <= joined.back().second) apart = false;
    if (!joined.empty() && first - 1 <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, last);
    } else {
      joined.emplace_back(first, last);
    }
  }
  ranges_ = std::move(joined);
  return apart;
}

bool RankSet::contains(std::int32_t rank) const {
  return std::ranges::any_of(
      ranges_, [&](const auto& range) { return range.first <= rank && rank <= range.second; });
}

std::uint64_t RankSet::size() const {
  std::uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += static_cast<std::uint64_t>(last - first) + 1;
  return count;
}

RankSet RankSet::missing(std::int32_t count) const {
  RankSet gaps;
  std::int32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (next < std::min(first, count)) gaps.ranges_.emplace_back(next, std::min(first, count) - 1);
    next = last + 1;
  }
  if (next < count) gaps.ranges_.emplace_back(next, count - 1);
  return gaps;
}

RankSet RankSet::without(const RankSet& other) const {
  RankSet rest;
  for (const auto& [first, last] : ranges_) {
    std::int32_t next = first;
    for (const auto& [from, to] : other.ranges_) {
      if (to < next || from > last) continue;
      if (next < from) rest.ranges_.emplace_back(next, from - 1);
      next = to + 1;
    }
    if (next <= last) rest.ranges_.emplace_back(next, last);
  }
  return rest;
}

std::string RankSet::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace ompdm::summary
