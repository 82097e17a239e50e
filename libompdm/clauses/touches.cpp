#include "clauses/touches.h"

#include <algorithm>
#include <iterator>

namespace ompdm::analysis {

Touches::Touches(const Trace& trace, const Mappings& mappings)
    : is_checked_(!trace.recording.check.empty()), mappings_(mappings) {
  if (!is_checked_) return;
  const std::vector<Mapping>& rows = mappings.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].address != 0 && !rows[i].is_static) by_block_[rows[i].address].push_back(i);
  }
  for (const BlockTouch& touch : trace.block_touches) {
    const Launch launch = trace.launches[touch.launch.value];
    if (touch.is_unknown) {
      unknown_.emplace_back(launch.device, launch.begin);
      continue;
    }
    const std::uint32_t mapping = mapping_at(touch.block, launch.begin);
    if (mapping == Index<Mapping>::kNone) continue;
    touches_[mapping].push_back(
        {launch.begin, touch.launch, touch.is_written, touch.is_read_first});
  }
}

bool Touches::are_known(std::int32_t device, Nanoseconds from, Nanoseconds to) const {
  return is_checked_ && std::ranges::none_of(unknown_, [&](const auto& launch) {
           return launch.first == device && launch.second >= from && launch.second < to;
         });
}

std::span<const Touches::Touch> Touches::of(std::size_t mapping) const {
  const auto found = touches_.find(static_cast<std::uint32_t>(mapping));
  return found == touches_.end() ? std::span<const Touch>() : found->second;
}

bool Touches::any_written(std::size_t mapping, Nanoseconds from, Nanoseconds to) const {
  return std::ranges::any_of(of(mapping), [&](const Touch& touch) {
    return touch.is_written && touch.at >= from && touch.at < to;
  });
}

std::uint32_t Touches::mapping_at(std::uint64_t block, Nanoseconds at) const {
  const auto found = by_block_.find(block);
  if (found == by_block_.end()) return Index<Mapping>::kNone;
  const std::vector<Mapping>& rows = mappings_.rows();
  const auto after = std::ranges::upper_bound(found->second, at, {},
                                              [&](std::uint32_t one) { return rows[one].begin; });
  return after == found->second.begin() ? Index<Mapping>::kNone : *std::prev(after);
}

}  // namespace ompdm::analysis
