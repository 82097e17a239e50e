#include "model/call_order.h"

#include <algorithm>
#include <limits>
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
      // The last of several copies of a call may be a tail call, which does not return here.
      const bool repeats =
          one.loop && trace_.loops[one.loop.value].unrolled && one.called == other.function;
      return repeats ? Transition{at, one.loop, true} : Transition{at, {}, false};
    } else if (!known && one.module && one.module == other.module &&
               !calls_once_[one.module.value]) {
      return Transition{at, {}, false};  // it may call again and again
    }
    if (level > 0) continue;
    // The next function that a runtime's thread gets depends on other threads.
    const bool is_runtime = !known && one.module && one.module == other.module;
    return is_runtime ? std::optional(Transition{0, {}, false}) : std::nullopt;
  }
}

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

/// How many functions of the call path to the one step were still in the same call at the other.
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

namespace {

bool is_of_program(const Frame& frame) {
  const std::string_view file = frame.file;
  const bool is_installed = file.starts_with("/usr/include/") || file.starts_with("/usr/lib") ||
                            file.find("/include/c++/") != std::string_view::npos;
  return !file.empty() && !is_installed;
}

}  // namespace

Frame place_of_loop(const Trace& trace, const CallOrder& order, Index<CodeLoop> loop,
                    const std::vector<Index<CallPath>>& chain, std::uint32_t level) {
  const CodeLoop& code = trace.loops[loop.value];
  const Frame own = {code.function, code.file, code.line, code.column};
  if (own.file.empty() || is_of_program(own)) return own;
  // Of the functions that were inlined into the loop's, those around the one that it is in.
  const std::vector<Frame>& inlined = order.place(chain[level]).frames;
  const auto from = std::ranges::find(inlined, own.function, &Frame::function);
  for (std::uint32_t at = level;; --at) {
    const std::vector<Frame>& frames = order.place(chain[at]).frames;
    const auto caller =
        std::find_if(at == level ? from : frames.begin(), frames.end(), is_of_program);
    if (caller != frames.end()) return *caller;
    if (at == 0) return own;
  }
}

std::uint32_t SourceCalls::number_of(const CallPlace& place, std::size_t frame) {
  std::tuple<std::string, std::string, std::uint32_t, std::uint64_t> key;
  const bool is_named = frame < place.frames.size() && !place.frames[frame].function.empty();
  if (is_named) {
    key = {place.frames[frame].file, place.frames[frame].function, 0, 0};
  } else {
    key = {"", "", place.module.value, place.function != 0 ? place.function : place.address};
  }
  return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

const SourceCalls::Functions& SourceCalls::functions_of(Index<CallPath> path) {
  const auto [at, is_new] = functions_.try_emplace(path.value);
  if (!is_new) return at->second;
  Functions functions;
  for (Index<CallPath> node = path; node; node = trace_.call_paths[node.value].caller) {
    const CallPlace& place = trace_.call_places[trace_.call_paths[node.value].place.value];
    const std::size_t count = std::max<std::size_t>(place.frames.size(), 1);
    for (std::size_t i = 0; i < count; ++i) functions.push_back(number_of(place, i));
  }
  std::ranges::reverse(functions);
  at->second = std::move(functions);
  return at->second;
}

bool SourceCalls::are_related(Index<CallPath> a, Index<CallPath> b) {
  if (!a || !b || a == b) return true;
  const Functions& one = functions_of(a);
  const Functions& other = functions_of(b);
  const std::size_t common = std::min(one.size(), other.size());
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(common), other.begin());
}

bool SourceCalls::in_other_inlined_call(Index<CallPath> a, Index<CallPath> b) const {
  if (!a || !b) return false;
  const auto frames_of = [this](Index<CallPath> path) -> const std::vector<Frame>& {
    return trace_.call_places[trace_.call_paths[path.value].place.value].frames;
  };
  const std::vector<Frame>& one = frames_of(a);
  const std::vector<Frame>& other = frames_of(b);
  if (one.size() != other.size() || one.size() < 2) return false;
  return one.front().function == other.front().function &&
         !std::equal(one.begin() + 1, one.end(), other.begin() + 1);
}

}  // namespace ompdm::calls
