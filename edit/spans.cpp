#include "spans.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "names.h"
#include "ways.h"

namespace ompdm::edit {

using Kind = Step::Kind;

std::vector<Span> Spans::in_loops(const std::set<const Stmt*>& loops, std::uint32_t item,
                                  bool all_entries) const {
  std::vector<Span> spans;
  for (const LoopSpan& loop : loops_) {
    const bool leads_to =
        loops.contains(loop.loop) && std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
          return naming.item == item && loop.holds(naming.step);
        });
    if (leads_to) spans.push_back(loop);
  }
  if (spans.empty()) return spans;
  if (all_entries) return {around(hull(spans))};
  for (Span& span : spans) span = with_threads(span, item);
  return spans;
}

std::vector<Span> Spans::from_first_to_last(const std::set<const Stmt*>& of, bool of_program,
                                            std::uint32_t item, bool of_lifetime) const {
  std::vector<Span> spans;
  const std::vector<std::uint32_t> steps = steps_of(of);
  for (const std::uint32_t step : steps) spans.push_back({step, step + 1});
  if (spans.empty()) return spans;
  spans.clear();
  if (of_program) {
    for (const std::vector<Span>& group : by_data(steps, item)) {
      spans.push_back(around(hull(group)));
    }
    return spans;
  }
  for (const std::uint32_t call : innermost_calls(steps)) {
    std::vector<Span> inside;
    for (const std::uint32_t step : steps) {
      if (code_.is_in_call(step, call)) inside.push_back({step, step + 1});
    }
    spans.push_back(of_lifetime ? around_in_lifetime(hull(inside), call, item)
                                : around(hull(inside), call));
  }
  return spans;
}

std::vector<Span> Spans::between(const std::set<const Stmt*>& from, const std::set<const Stmt*>& to,
                                 bool to_end, std::uint32_t item) const {
  std::vector<Span> spans;
  if (to_end && from == to) add_insides(from, spans);
  if (!spans.empty()) return spans;
  for (const std::uint32_t first : steps_of(from)) {
    for (const std::uint32_t last : steps_of(to, to_end)) {
      if (!are_of_others(item, first, last)) add_ways(first, last, item, spans);
    }
  }
  return spans;
}

std::vector<Span> Spans::after(const std::set<const Stmt*>& directives) const {
  std::vector<Span> spans;
  for (const std::uint32_t step : steps_of(directives, true)) {
    Span rest{step + 1, static_cast<std::uint32_t>(trail_.steps.size())};
    for (const LoopSpan& loop : loops_) {
      if (loop.holds(step)) rest.begin = std::min(rest.begin, loop.begin);
    }
    spans.push_back(rest);
  }
  return spans;
}

std::vector<Span> Spans::after_until(const std::set<const Stmt*>& directives,
                                     const std::function<bool(const Step&)>& ends) const {
  std::vector<Span> spans;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    std::uint32_t last = begin;
    while (last < end && !ends(trail_.steps[last])) ++last;
    if (begin < last) spans.push_back({begin, last});
  };
  for (const std::uint32_t step : steps_of(directives, true)) {
    std::uint32_t again = step + 1;
    for (const LoopSpan& loop : loops_) {
      if (loop.holds(step)) again = std::min(again, loop.begin);
    }
    add(step + 1, static_cast<std::uint32_t>(trail_.steps.size()));
    add(again, step + 1);
  }
  return spans;
}

HostUse Spans::come_to_again(const std::set<const Stmt*>& loops) const {
  std::vector<LoopSpan> entries;
  for (const LoopSpan& loop : loops_) {
    if (loops.contains(loop.loop)) entries.push_back(loop);
  }
  std::ranges::sort(entries, {}, &LoopSpan::begin);
  if (entries.empty() || !trail_.lost.empty()) return HostUse{"unknown", {}, {}};
  // Functions beside `main` are not called from there, as far as is seen.
  if (entries.back().end > trail_.main_end) return HostUse{"unknown", {}, {}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LoopSpan& entry = entries[i];
    const bool is_next = i + 1 < entries.size();
    if (is_next && !has_directive_before(entry, entries[i + 1])) {
      return HostUse{"unknown", {}, {}};
    }
    for (const LoopSpan& loop : loops_) {
      if (loop.begin == entry.begin || !loop.holds(entry)) continue;
      if (!has_directive_around(entry, loop)) return HostUse{"yes", {}, {}};
    }
  }
  return {};
}

HostUse Spans::come_without(const std::set<const Stmt*>& from,
                            const std::set<const Stmt*>& to) const {
  const std::vector<std::uint32_t> begins = steps_of(from);
  const auto is_before = [&](std::uint32_t first, std::uint32_t last) {
    const auto& directive = *cast<Directive>(trail_.steps[first].at);
    if (first >= last || device_condition(directive) != nullptr) return false;
    const bool has_iterations = std::ranges::all_of(loops_, [&](const LoopSpan& loop) {
      return !loop.holds(first) || loop.holds(last) || code_.has_iterations(loop);
    });
    // Each branch around the first step is around the last one, too.
    return has_iterations &&
           code_.is_as_often(trail_.steps[first].branch, trail_.steps[last].branch);
  };
  for (const std::uint32_t last : steps_of(to)) {
    if (from.contains(trail_.steps[last].at)) continue;
    const bool is_certain =
        std::ranges::any_of(begins, [&](std::uint32_t first) { return is_before(first, last); });
    if (is_certain) continue;
    HostUse use{"unknown", "may be come to without the transfer before", std::nullopt};
    if (const clang::ASTContext* context = trail_.steps[last].context()) {
      use.at = place_of(*context, *trail_.steps[last].at);
    }
    return use;
  }
  return {};
}

bool Spans::is_told(std::uint32_t step, const Span& entry) const {
  const Step& one = trail_.steps[step];
  if (one.kind != Kind::kDirective || one.is_late || entry.holds(step)) return false;
  const auto& directive = *cast<Directive>(one.at);
  const clang::OpenMPDirectiveKind kind = directive.getDirectiveKind();
  const bool is_target = clang::isOpenMPTargetExecutionDirective(kind) ||
                         clang::isOpenMPTargetDataManagementDirective(kind);
  if (!is_target || device_condition(directive) != nullptr) return false;
  return std::none_of(trail_.steps.begin() + entry.begin, trail_.steps.begin() + entry.end,
                      [&](const Step& inside) { return inside.at == one.at; });
}

bool Spans::has_directive_around(const Span& entry, const Span& loop) const {
  for (std::uint32_t i = loop.begin; i < loop.end; ++i) {
    if (is_told(i, entry) && code_.is_in_each(i, loop)) return true;
  }
  return false;
}

bool Spans::has_directive_before(const Span& entry, const Span& next) const {
  for (std::uint32_t i = entry.end; i < next.begin; ++i) {
    const bool is_on_way = code_.is_under(trail_.steps[next.begin].branch, trail_.steps[i].branch);
    if (is_on_way && is_told(i, entry) && !code_.may_be_jumped(entry.end, i)) return true;
  }
  return false;
}

std::vector<std::vector<Span>> Spans::by_data(const std::vector<std::uint32_t>& steps,
                                              std::uint32_t item) const {
  struct Group {
    Places places;
    std::vector<Span> spans;
  };
  std::vector<Group> groups;
  for (const std::uint32_t step : steps) {
    Group whole;
    for (const Naming& naming : trail_.namings) {
      if (naming.item == item && naming.step == step) whole.places.add(naming.places);
    }
    whole.spans.push_back({step, step + 1});
    whole.places.is_any = whole.places.is_any || whole.places.is_empty();
    std::erase_if(groups, [&](const Group& one) {
      const bool has_common = std::ranges::any_of(
          one.places.paths, [&](const Path& path) { return whole.places.paths.contains(path); });
      if (!has_common && !one.places.is_any && !whole.places.is_any) return false;
      whole.places.add(one.places);
      whole.spans.insert(whole.spans.end(), one.spans.begin(), one.spans.end());
      return true;
    });
    groups.push_back(std::move(whole));
  }
  std::vector<std::vector<Span>> all;
  for (Group& group : groups) all.push_back(std::move(group.spans));
  return all;
}

std::vector<std::uint32_t> Spans::steps_of(const std::set<const Stmt*>& directives,
                                           bool ends) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
    const Step& step = trail_.steps[i];
    if (!directives.contains(step.at)) continue;
    const bool has_code = has_own_code(*cast<Directive>(step.at));
    const Kind kind = ends && has_code ? Kind::kDirectiveEnd : Kind::kDirective;
    if (step.kind == kind) found.push_back(i);
  }
  return found;
}

Span Spans::hull(const std::vector<Span>& spans) {
  return {std::ranges::min(spans, {}, &Span::begin).begin,
          std::ranges::max(spans, {}, &Span::end).end};
}

std::vector<std::uint32_t> Spans::innermost_calls(const std::vector<std::uint32_t>& steps) const {
  std::map<std::uint32_t, std::set<const Stmt*>> led_to;
  std::set<const Stmt*> all;
  for (const std::uint32_t step : steps) {
    all.insert(trail_.steps[step].at);
    std::uint32_t call = trail_.steps[step].call;
    for (; call != 0; call = trail_.callers[call]) led_to[call].insert(trail_.steps[step].at);
    led_to[0].insert(trail_.steps[step].at);
  }
  std::set<std::uint32_t> calls;
  for (const auto& [call, directives] : led_to) {
    if (directives == all) calls.insert(call);
  }
  std::vector<std::uint32_t> innermost;
  std::ranges::copy_if(calls, std::back_inserter(innermost), [&](std::uint32_t call) {
    return std::ranges::none_of(calls, [&](std::uint32_t other) {
      return other != 0 && other != call && trail_.callers[other] == call;
    });
  });
  return innermost;
}

Span Spans::around(Span span, std::uint32_t call) const {
  return around_but_for(span, call, [](const Span&) { return false; });
}

Span Spans::around_in_lifetime(Span span, std::uint32_t call, std::uint32_t item) const {
  return around_but_for(span, call, [&](const Span& loop) { return is_made_in_each(item, loop); });
}

template <class Leaves>
Span Spans::around_but_for(Span span, std::uint32_t call, Leaves&& leaves) const {
  // Outer loops come first: a larger span is compared with all loops again.
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const LoopSpan& loop : loops_) {
      const bool has_some = loop.begin < span.end && span.begin < loop.end;
      if (!has_some || span.holds(loop) || !code_.is_in_call(loop.begin, call)) continue;
      if (loop.holds(span) && leaves(loop)) continue;
      span = {std::min(span.begin, loop.begin), std::max(span.end, loop.end)};
      is_more = true;
    }
  }
  return span;
}

bool Spans::is_made_in_each(std::uint32_t item, const Span& loop) const {
  const bool is_left =
      std::any_of(trail_.steps.begin() + loop.begin, trail_.steps.begin() + loop.end,
                  [](const Step& one) { return one.kind == Kind::kJump && goes_anywhere(one); });
  if (is_left) return false;
  return std::ranges::all_of(trail_.namings, [&](const Naming& naming) {
    if (naming.item != item || !loop.holds(naming.step)) return true;
    // Pointers that are exchanged may end with another name than they begin with.
    return !naming.places.is_any && naming.places.paths.size() == 1 &&
           is_made_before(naming.places.paths.begin()->root, naming.step, loop);
  });
}

bool Spans::is_made_before(Path::Root root, std::uint32_t step, const Span& loop) const {
  bool is_made = false;
  for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
    const Step& one = trail_.steps[i];
    if (one.kind != Kind::kMade || trail_.accesses[one.access].path.root != root) continue;
    if (!loop.holds(i)) return false;
    is_made = is_made || (i < step && code_.is_under(trail_.steps[step].branch, one.branch));
  }
  return is_made;
}

Span Spans::with_threads(const Span& span, std::uint32_t item) const {
  for (const LoopSpan& loop : loops_) {
    if (loop.holds(span) && isa<Directive>(loop.loop) && !is_of_one_thread(item, loop)) {
      return loop;
    }
  }
  return span;
}

bool Spans::is_of_one_thread(std::uint32_t item, const Span& code) const {
  Places data;
  for (const Naming& naming : trail_.namings) {
    if (naming.item == item && code.holds(naming.step)) data.add(naming.places);
  }
  return !data.is_any && trail_.is_of_one_thread(data.paths, code.begin, code.end);
}

void Spans::add_insides(const std::set<const Stmt*>& directives, std::vector<Span>& spans) const {
  std::map<const Stmt*, std::uint32_t> open;
  for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
    const Step& step = trail_.steps[i];
    if (!directives.contains(step.at)) continue;
    if (step.kind == Kind::kDirective) open[step.at] = i;
    if (step.kind == Kind::kDirectiveEnd) spans.push_back({open[step.at], i + 1});
  }
}

bool Spans::are_of_others(std::uint32_t item, std::uint32_t first, std::uint32_t last) const {
  Places one;
  Places other;
  for (const Naming& naming : trail_.namings) {
    if (naming.item != item) continue;
    if (naming.step == first) one.add(naming.places);
    if (naming.step == last) other.add(naming.places);
  }
  if (one.is_any || other.is_any || one.is_empty() || other.is_empty()) return false;
  return std::ranges::none_of(one.paths,
                              [&](const Path& path) { return other.paths.contains(path); });
}

void Spans::add_ways(std::uint32_t first, std::uint32_t last, std::uint32_t item,
                     std::vector<Span>& spans) const {
  Span way{std::min(first, last), std::max(first, last) + 1};
  // A path that leaves an iteration of such a loop executes the first step again before the last.
  const auto same_iteration = std::ranges::find_if(loops_, [&](const LoopSpan& loop) {
    return loop.holds(first) && loop.holds(last) && !isa<Directive>(loop.loop) && first < last &&
           code_.is_in_each(first, loop);
  });
  for (const LoopSpan& loop : loops_) {  // outer loops first
    const bool has_first = loop.holds(first);
    const bool has_last = loop.holds(last);
    const bool is_beside = isa<Directive>(loop.loop);
    if (is_beside && has_first && has_last && is_of_one_thread(item, loop)) continue;
    if (has_first && has_last) {
      const bool is_around = same_iteration != loops_.end() && loop.holds(*same_iteration);
      // The path stays in one iteration, or goes on to a later one.
      const bool is_same = first < last && (is_around || code_.is_in_each(first, loop));
      if (!is_beside && is_same) continue;
      spans.push_back(loop);
      return;
    }
    if (has_first && (is_beside || !code_.is_in_each(first, loop)))
      way.begin = std::min(way.begin, loop.begin);
    if (has_first) way.end = std::max(way.end, loop.end);
    // An edit of a directive concerns each of its executions.
    if (has_last) way.end = std::max(way.end, loop.end);
  }
  // The last step is behind the first, or no loop leads back.
  if (first < last) spans.push_back(way);
}

}  // namespace ompdm::edit
