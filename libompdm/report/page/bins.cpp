#include "report/page/bins.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace ompdm::report::page {
namespace {

constexpr std::uint64_t kMostBins = 150'000;  // of all tracks, and of all variables

/// The width of spans so that `lines` of them are no more than kMostBins.
std::uint64_t width_of(std::uint64_t end, std::uint64_t lines) {
  const std::uint64_t slots =
      std::clamp<std::uint64_t>(kMostBins / std::max<std::uint64_t>(lines, 1), 16, 8192);
  return std::max<std::uint64_t>((end + slots) / slots, 1);
}

/// Bins in the order in which a page reads them.
template <class Value>
std::vector<Value> by_slot(const std::map<std::pair<std::uint32_t, std::uint32_t>, Value>& bins) {
  std::vector<Value> rows;
  rows.reserve(bins.size());
  for (const auto& [key, value] : bins) rows.push_back(value);
  return rows;
}

std::vector<CrossingBin> crossings_of(const Events& events, std::uint64_t width) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CrossingBin> bins;
  for (const Event& event : events.rows) {
    const bool crosses = event.kind == EventKind::kHtoD || event.kind == EventKind::kDtoH;
    if (!crosses || event.variable == kNoRow32) continue;
    const auto slot = static_cast<std::uint32_t>(event.begin / width);
    CrossingBin& bin = bins[{slot, event.variable}];
    bin.variable = event.variable;
    bin.slot = slot;
    ++(event.kind == EventKind::kHtoD ? bin.htod : bin.dtoh);
    if (event.finding != kNoRow32) ++bin.needless;
  }
  return by_slot(bins);
}

std::uint64_t variables_in(const Events& events) {
  std::uint64_t count = 0;
  for (const Event& event : events.rows) {
    if (event.variable != kNoRow32) count = std::max<std::uint64_t>(count, event.variable + 1);
  }
  return count;
}

}  // namespace

Binned bin(Events& events, std::size_t most) {
  Binned binned;
  if (events.rows.size() <= most) return binned;
  binned.crossing_width = width_of(events.end, variables_in(events));
  binned.crossings = crossings_of(events, binned.crossing_width);
  binned.width = width_of(events.end, events.tracks.size());
  std::vector<std::uint64_t> durations;
  durations.reserve(events.rows.size());
  for (const Event& event : events.rows) durations.push_back(event.duration);
  const auto shortest_kept = durations.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::ranges::nth_element(durations, shortest_kept, std::greater<>());
  const std::uint64_t limit = *shortest_kept;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bin> bins;
  std::vector<Event> kept;
  for (const Event& event : events.rows) {
    if (event.duration > limit) {
      kept.push_back(event);
      continue;
    }
    const auto slot = static_cast<std::uint32_t>(event.begin / binned.width);
    Bin& bin = bins[{slot, event.track}];
    bin.track = event.track;
    bin.slot = slot;
    ++bin.count;
    bin.bytes += event.bytes;
    bin.busy += event.duration;
    if (event.finding != kNoRow32) ++bin.needless;
  }
  binned.bins = by_slot(bins);
  events.rows = std::move(kept);
  return binned;
}

}  // namespace ompdm::report::page
