#include "analysis/sequences.h"

#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), 0U);
  }
  std::uint32_t leader(std::uint32_t thread) {
    while (leader_[thread] != thread) thread = leader_[thread] = leader_[leader_[thread]];
    return thread;
  }
  void join(std::uint32_t a, std::uint32_t b) { leader_[leader(b)] = leader(a); }

 private:
  std::vector<std::uint32_t> leader_;
};

/// What the main thread asks for comes one after the other, and so does what a thread of the
/// program asks for: a call path tells that it did.
bool has_own_sequence(const Trace& trace, const Region& region) {
  return region.path || trace.threads[region.asker()].tid == trace.process.pid;
}

}  // namespace

std::vector<ThreadGroup> groups_of_threads(const Trace& trace) {
  if (trace.threads.size() < 3) return {};
  Groups groups(trace.threads.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // thread, map list
  std::map<std::uint64_t, std::uint32_t> users;            // of host storage, by its address
  for (const Region& region : trace.regions) {
    if (has_own_sequence(trace, region) || region.map_list >= trace.map_lists.size()) continue;
    if (!seen.insert({region.asker(), region.map_list}).second) continue;
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if (item.begin == 0 || (item.type & (kMapPrivate | kMapLiteral)) != 0) continue;
      const auto [user, is_new] = users.try_emplace(item.begin, region.asker());
      if (!is_new) groups.join(user->second, region.asker());
    }
  }
  struct Latest {
    std::uint32_t thread = 0;
    Nanoseconds end = 0;
  };
  std::map<std::uint32_t, ThreadGroup> found;
  std::map<std::uint32_t, Latest> latest;
  std::vector<bool> known(trace.threads.size());
  for (const Region& region : trace.regions) {
    const std::uint32_t thread = region.asker();
    if (has_own_sequence(trace, region)) continue;
    const std::uint32_t leader = groups.leader(thread);
    ThreadGroup& group = found[leader];
    if (!known[thread]) group.threads.push_back(thread);
    known[thread] = true;
    const auto [at, is_new] = latest.try_emplace(leader, Latest{thread, region.end});
    Latest& last = at->second;
    if (!is_new && last.thread != thread && region.begin < last.end) {
      group.one_at_a_time = false;
    }
    if (region.end >= last.end) last = {thread, region.end};
  }
  std::vector<ThreadGroup> rows;
  for (auto& [leader, group] : found) {
    if (group.threads.size() > 1) rows.push_back(std::move(group));
  }
  return rows;
}

}  // namespace ompdm::analysis
