#include "calls/call_order.h"

#include <algorithm>

namespace ompdm::calls {
namespace {

bool has(const std::vector<CallRange>& ranges, Index<CallPlace> place) {
  return std::ranges::any_of(ranges, [place](const CallRange& range) {
    return range.first <= place.value && place.value <= range.last;
  });
}

bool has(const std::vector<std::uint64_t>& functions, std::uint64_t function) {
  return std::ranges::find(functions, function) != functions.end();
}

}  // namespace

const std::vector<Index<CallPath>>& CallOrder::chain(Index<CallPath> path) const {
  constexpr std::size_t kMost = 64;
  const auto [at, is_new] = chains_.try_emplace(path.value);
  std::vector<Index<CallPath>>& chain = at->second;
  if (!is_new) return chain;
  for (Index<CallPath> node = path; node; node = trace_.call_paths[node.value].caller) {
    if (chain.size() == kMost) {
      chain.clear();
      return chain;
    }
    chain.push_back(node);
  }
  std::ranges::reverse(chain);
  return chain;
}

std::vector<Index<CodeLoop>> CallOrder::loops_of(Index<CallPath> node) const {
  std::vector<Index<CodeLoop>> loops;
  for (Index<CodeLoop> loop = place(node).loop; loop; loop = trace_.loops[loop.value].parent) {
    loops.push_back(loop);
  }
  std::ranges::reverse(loops);
  return loops;
}

Index<CodeLoop> CallOrder::common_loop(const CallPlace& a, const CallPlace& b) const {
  // Outer loops come before inner ones.
  Index<CodeLoop> one = a.loop;
  Index<CodeLoop> other = b.loop;
  while (one && other && one != other) {
    Index<CodeLoop>& inner = one.value > other.value ? one : other;
    inner = trace_.loops[inner.value].parent;
  }
  return one && other ? one : Index<CodeLoop>{};
}

std::optional<Transition> CallOrder::between(Index<CallPath> before, Index<CallPath> after) const {
  const auto& from = chain(before);
  const auto& to = chain(after);
  std::size_t level = 0;
  while (level + 1 < std::min(from.size(), to.size()) && from[level] == to[level]) ++level;
  for (;; --level) {
    const Index<CallPlace> a = trace_.call_paths[from[level].value].place;
    const Index<CallPlace> b = trace_.call_paths[to[level].value].place;
    const CallPlace& one = trace_.call_places[a.value];
    const CallPlace& other = trace_.call_places[b.value];
    const bool known = one.code_read && other.code_read;
    const bool same_function =
        known && one.module == other.module && one.function == other.function;
    const auto at = static_cast<std::uint32_t>(level);
    if (same_function) {
      Index<CodeLoop> loop = common_loop(one, other);
      if (has(one.onward, b)) return Transition{at, loop, false};
      if (has(one.repeats, b)) return Transition{at, one.loop, true};
      while (loop && trace_.loops[loop.value].unrolled) loop = trace_.loops[loop.value].parent;
      if (loop) return Transition{at, loop, true};
    } else if (!known && (one.function != 0 || other.function != 0)) {
      return std::nullopt;  // the program's own code, of which nothing is known
    } else if (known && one.module == other.module && has(one.tail_calls, other.function)) {
      // The last of several copies of a call may be one that does not come back.
      const bool repeats =
          one.loop && trace_.loops[one.loop.value].unrolled && one.called == other.function;
      return repeats ? Transition{at, one.loop, true} : Transition{at, {}, false};
    }
    if (level == 0) return std::nullopt;
  }
}

}  // namespace ompdm::calls
