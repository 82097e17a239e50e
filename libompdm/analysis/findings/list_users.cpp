#include "analysis/findings/list_users.h"

#include <algorithm>

namespace ompdm::analysis {
namespace {

/// Up to here it is quicker to ask one after the other.
constexpr std::size_t kFew = 8;

}  // namespace

void Launches::add(Nanoseconds begin, Nanoseconds end) {
  begins_.push_back(begin);
  ends_.push_back(end);
  latest_end_.push_back(latest_end_.empty() ? end : std::max(end, latest_end_.back()));
}

bool Launches::any(Nanoseconds from, Nanoseconds to) const {
  const auto after = std::ranges::lower_bound(begins_, to);
  return after != begins_.begin() && latest_end_[after - begins_.begin() - 1] > from;
}

Launches Launches::merged(const std::vector<const Launches*>& several) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> all;
  for (const Launches* one : several) {
    for (std::size_t i = 0; i < one->begins_.size(); ++i) {
      all.emplace_back(one->begins_[i], one->ends_[i]);
    }
  }
  std::ranges::sort(all);
  Launches sum;
  for (const auto& [begin, end] : all) sum.add(begin, end);
  return sum;
}

void LaunchesByList::add(std::int32_t device, std::uint32_t list, Nanoseconds begin,
                         Nanoseconds end) {
  by_list_[{device, list}].add(begin, end);
}

std::vector<const Launches*> LaunchesByList::of(std::int32_t device, const Lists& lists) {
  std::vector<const Launches*> found;
  for (const std::uint32_t list : lists) {
    const auto at = by_list_.find({device, list});
    if (at != by_list_.end()) found.push_back(&at->second);
  }
  if (found.size() <= kFew) return found;
  const auto [at, is_new] = together_.try_emplace({device, lists});
  if (is_new) at->second = Launches::merged(found);
  return {&at->second};
}

void NamedStorage::add(std::uint64_t begin, std::uint64_t end, std::uint32_t list) {
  names_.emplace_back(begin, end, list);
}

void NamedStorage::settle() {
  std::ranges::sort(names_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto& [begin, end, list] = names_[i];
    const bool is_known =
        i > 0 && std::get<0>(names_[i - 1]) == begin && std::get<1>(names_[i - 1]) == end;
    if (is_known) continue;
    overlaps_.add(begin, end);
    first_.push_back(i);
  }
  first_.push_back(names_.size());
  overlaps_.settle();
}

LaunchesByList::Lists NamedStorage::lists_of(std::uint64_t begin, std::uint64_t end) const {
  LaunchesByList::Lists lists;
  overlaps_.each(begin, end, [&](std::uint32_t number) {
    for (std::size_t i = first_[number]; i < first_[number + 1]; ++i) {
      lists.push_back(std::get<2>(names_[i]));
    }
  });
  std::ranges::sort(lists);
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

std::vector<const Launches*> NamedStorage::users_of(LaunchesByList& launches, std::int32_t device,
                                                    std::uint64_t begin, std::uint64_t end) const {
  return launches.of(device, lists_of(begin, end));
}

}  // namespace ompdm::analysis
