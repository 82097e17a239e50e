#include "calls/activations.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ompdm::calls {

Activations::Activations(const Trace& trace, const CallOrder& order)
    : trace_(trace),
      order_(order),
      caller_(1),
      of_region_(trace.regions.size()),
      of_op_(trace.ops.size()) {
  std::vector<std::uint32_t>
      regions;  // that have a path, in the order in which they were asked for
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    if (trace.regions.common(i).path) regions.push_back(i);
  }
  const auto asked_at = [&](std::uint32_t i) {
    const Nanoseconds made = trace.regions.rare(i).made;
    return made != 0 ? made : trace.regions.begin_of(i);
  };
  const auto asked = [&](std::uint32_t i) { return std::pair(asked_at(i), i); };
  if (!std::ranges::is_sorted(regions, {}, asked)) std::ranges::sort(regions, {}, asked);
  std::map<std::uint32_t, Thread> threads;
  std::uint32_t op = 0;
  const auto take_ops_before = [&](Nanoseconds time) {
    for (; op < trace.ops.size() && trace.ops.begin_of(op) < time; ++op) {
      const DataOp& row = trace.ops.common(op);
      if (!row.path) continue;
      const std::uint32_t call = trace.ops.rare(op).call;
      Thread& thread = threads[row.thread];
      const bool goes_on = call != 0 && call == thread.call && row.path == thread.path;
      of_op_[op] = goes_on ? thread.active.back() : step(thread, row.path);
      thread.call = call;
    }
  };
  for (const std::uint32_t i : regions) {
    take_ops_before(asked_at(i));
    const Region& row = trace.regions.common(i);
    Thread& thread = threads[trace.regions.rare(i).made != 0 ? row.maker : row.thread];
    of_region_[i] = step(thread, row.path);
    thread.call = 0;
  }
  take_ops_before(std::numeric_limits<Nanoseconds>::max());
  kept_.clear();
}

/// How many functions on the way to the one step were still in the same call at the other.
std::size_t Activations::kept(Index<CallPath> before, Index<CallPath> after) {
  const auto [at, is_new] = kept_.try_emplace({before.value, after.value});
  if (!is_new) return at->second;
  const auto& from = order_.chain(before);
  const auto& to = order_.chain(after);
  std::size_t level = 0;
  if (const auto transition = order_.between(before, after)) {
    level = transition->level;
  } else {
    while (level + 1 < std::min(from.size(), to.size()) && from[level] == to[level]) ++level;
  }
  const bool same_function = order_.place(from[level]).module == order_.place(to[level]).module &&
                             order_.place(from[level]).function == order_.place(to[level]).function;
  at->second = same_function ? level + 1 : level;
  return at->second;
}

Activation Activations::step(Thread& thread, Index<CallPath> path) {
  const std::size_t depth = order_.chain(path).size();
  if (depth == 0) return 0;
  thread.active.resize(thread.path ? kept(thread.path, path) : 0);
  while (thread.active.size() < depth) {
    const auto made = static_cast<Activation>(caller_.size());
    caller_.push_back(thread.active.empty() ? 0 : thread.active.back());
    thread.active.push_back(made);
  }
  thread.path = path;
  return thread.active.back();
}

Holder Activations::holder(Activation innermost, Index<CallPath> path,
                           std::uint64_t address) const {
  for (Activation active = innermost; path && active != 0; active = caller_[active]) {
    const CallPath& node = trace_.call_paths[path.value];
    if (address <= node.stack) break;
    if (address < node.frame_end) return {active, path};
    path = node.caller;
  }
  return {};
}

Holder Activations::of_region(std::uint32_t region, std::uint64_t address) const {
  return holder(of_region_[region], trace_.regions.common(region).path, address);
}

Holder Activations::of_op(std::uint32_t op, std::uint64_t address) const {
  return holder(of_op_[op], trace_.ops.common(op).path, address);
}

}  // namespace ompdm::calls
