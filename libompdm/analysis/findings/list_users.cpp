#include "analysis/findings/list_users.h"

#include <algorithm>
#include <iterator>

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

bool ListUsers::ran(const LaunchesByList& launches, std::int32_t device, Nanoseconds from,
                    Nanoseconds to) {
  const auto of_list = [&](std::uint32_t list) {
    const auto at = launches.find({device, list});
    return at != launches.end() ? &at->second : nullptr;
  };
  if (lists_.size() <= kFew) {
    return std::ranges::any_of(lists_, [&](std::uint32_t list) {
      const Launches* one = of_list(list);
      return one != nullptr && one->any(from, to);
    });
  }
  const auto [at, is_new] = merged_.try_emplace(device);
  if (is_new) {
    std::vector<const Launches*> several;
    for (const std::uint32_t list : lists_) {
      if (const Launches* one = of_list(list)) several.push_back(one);
    }
    at->second = Launches::merged(several);
  }
  return at->second.any(from, to);
}

void NamedStorage::add(std::uint64_t begin, std::uint64_t end, std::uint32_t list) {
  names_[{begin, end}].push_back(list);
}

void NamedStorage::settle() {
  for (auto& [extent, lists] : names_) {
    overlaps_.add(extent.first, extent.second);
    users_of_name_.push_back(&users(std::move(lists)));
  }
  names_.clear();
  overlaps_.settle();
}

ListUsers& NamedStorage::users(Lists lists) {
  std::ranges::sort(lists);
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return users_.try_emplace(lists, lists).first->second;
}

/// A few sets of lists, or one of them all.
std::vector<ListUsers*> NamedStorage::users_of(const Extent& extent) {
  std::vector<ListUsers*> found;
  overlaps_.each(extent.first, extent.second,
                 [&](std::uint32_t number) { found.push_back(users_of_name_[number]); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() <= kFew) return found;
  Lists all;
  for (const ListUsers* one : found) std::ranges::copy(one->lists(), std::back_inserter(all));
  return {&users(std::move(all))};
}

bool NamedStorage::ran(const LaunchesByList& launches, std::int32_t device, std::uint64_t begin,
                       std::uint64_t end, Nanoseconds from, Nanoseconds to) {
  const auto [known, is_new] = known_.try_emplace({begin, end});
  if (is_new) known->second = users_of(known->first);
  return std::ranges::any_of(known->second,
                             [&](ListUsers* one) { return one->ran(launches, device, from, to); });
}

}  // namespace ompdm::analysis
