#include "trace/item_index.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ompdm::trace {
namespace {

// Where an item begins or ends to hold addresses.
struct Border {
  std::uint64_t at;
  std::uint32_t item;
  bool begins;
};

std::vector<Border> borders_of(const std::vector<MapItem>& items) {
  std::vector<Border> borders;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (!holds_addresses(items[i])) continue;
    const std::uint64_t end = items[i].begin + std::max<std::uint64_t>(items[i].bytes, 1);
    borders.push_back({items[i].begin, i, true});
    // One that reaches beyond the last address is damaged, and has no end.
    if (end > items[i].begin) borders.push_back({end, i, false});
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border& a, const Border& b) { return a.at < b.at; });
  return borders;
}

}  // namespace

ItemIndex::ItemIndex(const std::vector<MapItem>& items) : packed_(packed_size(items)) {
  std::set<std::uint32_t> open;
  const auto larger = [&items](std::uint32_t a, std::uint32_t b) {
    return items[a].bytes != items[b].bytes ? items[a].bytes > items[b].bytes : a < b;
  };
  std::set<std::uint32_t, decltype(larger)> by_size(larger);
  const std::vector<Border> borders = borders_of(items);
  for (auto border = borders.begin(); border != borders.end();) {
    const std::uint64_t at = border->at;
    for (; border != borders.end() && border->at == at; ++border) {
      if (border->begins) {
        open.insert(border->item);
        by_size.insert(border->item);
      } else {
        open.erase(border->item);
        by_size.erase(border->item);
      }
    }
    const bool any = !open.empty();
    stretches_.push_back({at, any ? *open.begin() + 1 : 0, any ? *by_size.begin() + 1 : 0});
  }
}

std::uint32_t ItemIndex::holding(std::uint64_t address, bool largest) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), address,
                       [](std::uint64_t at, const Stretch& stretch) { return at < stretch.begin; });
  if (after == stretches_.begin()) return 0;
  const Stretch& stretch = *std::prev(after);
  return largest ? stretch.largest : stretch.first;
}

}  // namespace ompdm::trace
