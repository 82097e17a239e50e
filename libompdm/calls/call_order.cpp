#include "calls/call_order.h"

#include <algorithm>
#include <string_view>

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

/// Libraries that call a program's functions once each time that they are called for it: runtimes
/// of OpenMP, and of C++'s threads. Others may sort, search or walk with what they are given.
bool calls_once(const Module& module) {
  constexpr std::string_view kRuntimes[] = {"libomp", "libiomp", "libgomp", "libc++.",
                                            "libstdc++."};
  const std::string_view path = module.path;
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  return std::ranges::any_of(
      kRuntimes, [name](std::string_view runtime) { return name.starts_with(runtime); });
}

}  // namespace

CallOrder::CallOrder(const Trace& trace) : trace_(trace) {
  for (const Module& module : trace.modules) calls_once_.push_back(calls_once(module));
}

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
    } else if (!known && one.module && one.module == other.module &&
               !calls_once_[one.module.value]) {
      return Transition{at, {}, false};  // it may call again and again
    }
    if (level > 0) continue;
    // What a runtime's thread is given next, others decide.
    const bool is_runtime = !known && one.module && one.module == other.module;
    return is_runtime ? std::optional(Transition{0, {}, false}) : std::nullopt;
  }
}

}  // namespace ompdm::calls
