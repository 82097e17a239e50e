#include "analysis/findings/list_items.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ompdm::analysis {
namespace {

/// Up to here it is quicker to look at one after the other.
constexpr std::size_t kShortList = 16;

}  // namespace

ListItems::ListItems(const Trace& trace) : trace_(trace), order_(trace.map_lists.size()) {
  for (std::size_t list = 0; list < order_.size(); ++list) {
    const std::vector<MapItem>& items = trace.map_lists[list];
    if (items.size() <= kShortList) continue;
    order_[list].resize(items.size());
    std::iota(order_[list].begin(), order_[list].end(), 0U);
    std::ranges::sort(order_[list], {}, [&](std::uint32_t i) {
      return std::tuple(items[i].begin, items[i].bytes, i);
    });
  }
}

template <class IsWanted>
const MapItem* ListItems::find(Index<Region> region, std::uint64_t begin, std::uint64_t bytes,
                               IsWanted is_wanted) const {
  const std::uint32_t list =
      region ? trace_.regions.common(region.value).map_list : Index<Region>::kNone;
  if (list >= order_.size()) return nullptr;
  const std::vector<MapItem>& items = trace_.map_lists[list];
  if (order_[list].empty()) {
    const auto item = std::ranges::find_if(items, [&](const MapItem& one) {
      return one.begin == begin && one.bytes == bytes && is_wanted(one);
    });
    return item != items.end() ? &*item : nullptr;
  }
  const auto same = std::ranges::equal_range(
      order_[list], std::pair(begin, bytes), {},
      [&](std::uint32_t i) { return std::pair(items[i].begin, items[i].bytes); });
  const auto at = std::ranges::find_if(same, [&](std::uint32_t i) { return is_wanted(items[i]); });
  return at != same.end() ? &items[*at] : nullptr;
}

const MapItem* ListItems::first(Index<Region> region, std::uint64_t begin,
                                std::uint64_t bytes) const {
  return find(region, begin, bytes, [](const MapItem&) { return true; });
}

const MapItem* ListItems::named(Index<Region> region, std::uint64_t begin,
                                std::uint64_t bytes) const {
  return find(region, begin, bytes, [](const MapItem& item) { return !item.name.empty(); });
}

}  // namespace ompdm::analysis
