#include "trace/source_loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "trace/repeats.h"

namespace ompdm::trace {
namespace {

/// Calls of one function; those that are one in the source have one number.
class Calls {
 public:
  Calls(Trace& trace, const std::vector<std::uint32_t>& places,
        const std::vector<spool::Entry>& entries)
      : trace_(trace), places_(places) {
    std::map<std::pair<spool::Entry, std::vector<Frame>>, std::uint32_t> numbers;
    for (const std::uint32_t position : places) {
      std::vector<Frame> key = trace.call_places[position].frames;
      // Without its lines none is known to be another's copy.
      if (!has_lines(key)) key = {{"", "", 0, static_cast<int>(position)}};
      const auto next = static_cast<std::uint32_t>(numbers.size());
      sources_.push_back(numbers.try_emplace({entries[position], key}, next).first->second);
      loops_.push_back(trace.call_places[position].loop);
      entries_.push_back(entries[position]);
    }
  }

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] std::uint32_t source(std::size_t call) const { return sources_[call]; }
  /// The loop that the code has it in.
  [[nodiscard]] Index<CodeLoop> loop(std::size_t call) const { return loops_[call]; }
  CallPlace& place(std::size_t call) { return trace_.call_places[places_[call]]; }
  /// Whether one may be a copy of the other, and it is not known.
  [[nodiscard]] bool may_be_copies(std::size_t a, std::size_t b) {
    return source(a) != source(b) && entries_[a] == entries_[b] &&
           trace::may_be_copies(place(a).frames, place(b).frames);
  }

  [[nodiscard]] bool leads(std::size_t from, std::size_t to) const {
    const std::uint32_t wanted = places_[to];
    return std::ranges::any_of(
        trace_.call_places[places_[from]].onward,
        [wanted](const CallRange& range) { return range.first <= wanted && wanted <= range.last; });
  }
  void lead(std::size_t from, const std::vector<bool>& to) {
    std::vector<CallRange> onward;
    for (std::size_t i = 0; i < size(); ++i) {
      if (to[i]) add_call(onward, places_[i]);
    }
    place(from).onward = std::move(onward);
  }

 private:
  Trace& trace_;
  const std::vector<std::uint32_t>& places_;
  std::vector<std::uint32_t> sources_;
  std::vector<Index<CodeLoop>> loops_;
  std::vector<spool::Entry> entries_;
};

/// Loops that are one in the source.
class United {
 public:
  United(Trace& trace, const FunctionLoops& function) : trace_(trace), first_(function.first_loop) {
    const auto count = static_cast<std::uint32_t>(function.sources.size());
    for (std::uint32_t i = 0; i < count; ++i) leader_.push_back(i);
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t j = 0; j < i && !function.sources[i].empty(); ++j) {
        if (leader_[j] == j && function.sources[i] == function.sources[j] && are_near(i, j)) {
          leader_[i] = j;
          is_united_ = true;
          break;
        }
      }
    }
  }

  [[nodiscard]] bool any() const { return is_united_; }

  [[nodiscard]] Index<CodeLoop> operator[](Index<CodeLoop> loop) const {
    return loop ? Index<CodeLoop>{first_ + leader_[loop.value - first_]} : loop;
  }

  void apply() {
    for (std::uint32_t i = 0; i < leader_.size(); ++i) {
      CodeLoop& row = trace_.loops[first_ + i];
      CodeLoop& leader = trace_.loops[first_ + leader_[i]];
      leader.begin_unknown = leader.begin_unknown || row.begin_unknown;
      leader.counts_all = leader.counts_all && row.counts_all;
      leader.entered_unseen = leader.entered_unseen || row.entered_unseen;
      leader.called_unseen = leader.called_unseen || row.called_unseen;
      row.parent = parent_of(i);
    }
  }

 private:
  [[nodiscard]] Index<CodeLoop> parent_of(std::uint32_t loop) const {
    Index<CodeLoop> parent = (*this)[trace_.loops[first_ + loop].parent];
    while (parent && parent.value == first_ + leader_[loop]) {
      parent = (*this)[trace_.loops[parent.value].parent];
    }
    return parent;
  }

  /// Side by side in one loop, or one in the other.
  [[nodiscard]] bool are_near(std::uint32_t inner, std::uint32_t outer) const {
    const Index<CodeLoop> parent = (*this)[trace_.loops[first_ + inner].parent];
    return parent == (*this)[trace_.loops[first_ + outer].parent] ||
           (parent && parent.value == first_ + outer);
  }

  Trace& trace_;
  std::uint32_t first_;
  std::vector<std::uint32_t> leader_;  // from first_
  bool is_united_ = false;
};

/// Whether `outer` is around `loop`: no loop is around each.
bool is_around(const Trace& trace, Index<CodeLoop> outer, Index<CodeLoop> loop) {
  for (loop = trace.loops[loop.value].parent; loop; loop = trace.loops[loop.value].parent) {
    if (loop == outer) return true;
  }
  return !outer;
}

/// Of each source that some loop has copies of: that loop, the innermost of several.
std::map<std::uint32_t, Index<CodeLoop>> loops_of_sources(const Trace& trace, Calls& calls) {
  std::map<std::uint32_t, Index<CodeLoop>> loops;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Index<CodeLoop> loop = calls.place(i).loop;
    if (!loop || !calls.place(i).code_read) continue;
    const auto [at, is_new] = loops.try_emplace(calls.source(i), loop);
    if (!is_new && is_around(trace, at->second, loop)) at->second = loop;
  }
  return loops;
}

/// Which sources may follow which within a pass, as the plainest of a loop's forms has it.
class SourceOrder {
 public:
  SourceOrder(Calls& calls, const std::vector<std::size_t>& members) {
    std::map<std::uint32_t, std::vector<std::size_t>> forms;  // by the loop that the code has
    for (const std::size_t call : members) {
      if (calls.loop(call)) forms[calls.loop(call).value].push_back(call);
    }
    std::size_t fewest = 0;
    for (const auto& [loop, form] : forms) {
      std::set<std::uint32_t> sources;
      for (const std::size_t call : form) sources.insert(calls.source(call));
      const std::size_t copies = form.size() - sources.size();
      if (known_ && copies >= fewest && !(copies == fewest && sources.size() > sources_.size()))
        continue;
      known_ = true;
      fewest = copies;
      sources_ = std::move(sources);
      follows_.clear();
      for (const std::size_t from : form) {
        for (const std::size_t to : form) {
          if (calls.leads(from, to)) follows_.emplace(calls.source(from), calls.source(to));
        }
      }
    }
    is_plain_ = known_ && fewest == 0;
  }

  /// No call has two copies in it.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  /// Of sources that it has; others may follow any.
  [[nodiscard]] bool may_follow(std::uint32_t from, std::uint32_t to) const {
    return from != to &&
           (!sources_.contains(from) || !sources_.contains(to) || follows_.contains({from, to}));
  }

 private:
  std::set<std::uint32_t> sources_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> follows_;
  bool known_ = false;
  bool is_plain_ = false;
};

void order_passes(Calls& calls, const std::vector<std::size_t>& members) {
  const SourceOrder order(calls, members);
  std::vector<bool> is_member(calls.size());
  for (const std::size_t call : members) is_member[call] = true;
  for (const std::size_t from : members) {
    std::vector<bool> onward(calls.size());
    for (std::size_t to = 0; to < calls.size(); ++to) {
      onward[to] = calls.leads(from, to);
      if (!onward[to] || !is_member[to]) continue;
      const bool in_one_form = calls.loop(from) == calls.loop(to) && calls.loop(from);
      const bool both_in_loops = calls.loop(from) && calls.loop(to);
      // The copies of one form are repeats of their own, unless a plainer one tells.
      if (in_one_form && !order.is_plain()) continue;
      onward[to] =
          (in_one_form || !both_in_loops) && order.may_follow(calls.source(from), calls.source(to));
    }
    calls.lead(from, onward);
  }
}

/// Of one loop's forms that lead from one to the other, neither with copies of a call, the latter
/// may be the same entry's (a loop that was split), or the next one's (the loop around was
/// unrolled).
void doubt_entries(Trace& trace, Calls& calls, const United& united) {
  std::map<std::uint32_t, std::vector<std::size_t>> forms;  // by the loop that the code has
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.loop(i)) forms[calls.loop(i).value].push_back(i);
  }
  std::erase_if(forms, [&](const auto& form) {
    std::set<std::uint32_t> sources;
    return std::ranges::any_of(
        form.second, [&](std::size_t call) { return !sources.insert(calls.source(call)).second; });
  });
  for (const auto& [one, from] : forms) {
    for (const auto& [other, to] : forms) {
      const Index<CodeLoop> loop = united[{one}];
      if (one == other || loop != united[{other}]) continue;
      if (is_around(trace, {one}, {other}) || is_around(trace, {other}, {one})) continue;
      if (calls.leads(from.front(), to.front())) trace.loops[loop.value].entered_unseen = true;
    }
  }
}

/// What may be a pass in front of a loop, or behind it, is not counted as one.
void doubt_counts(Trace& trace, Calls& calls) {
  for (std::size_t in = 0; in < calls.size(); ++in) {
    const Index<CodeLoop> loop = calls.place(in).loop;
    for (std::size_t out = 0; loop && out < calls.size(); ++out) {
      const Index<CodeLoop> other = calls.place(out).loop;
      if (other == loop || !is_around(trace, other, loop) || !calls.may_be_copies(in, out))
        continue;
      trace.loops[loop.value].counts_all = false;
    }
  }
}

}  // namespace

void unite_loops(Trace& trace, const FunctionLoops& function,
                 const std::vector<spool::Entry>& entries) {
  Calls calls(trace, function.places, entries);
  United united(trace, function);
  doubt_entries(trace, calls, united);
  united.apply();
  std::set<std::uint32_t> changed;  // loops
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallPlace& place = calls.place(i);
    const Index<CodeLoop> loop = united[place.loop];
    if (loop != place.loop) changed.insert(loop.value);
    place.loop = loop;
  }
  doubt_counts(trace, calls);
  const auto loops = loops_of_sources(trace, calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallPlace& place = calls.place(i);
    const auto own = loops.find(calls.source(i));
    if (!place.code_read || own == loops.end() || own->second == place.loop) continue;
    if (!is_around(trace, place.loop, own->second)) continue;
    place.loop = own->second;
    changed.insert(own->second.value);
  }
  for (const std::uint32_t loop : changed) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.place(i).loop == Index<CodeLoop>{loop}) members.push_back(i);
    }
    order_passes(calls, members);
  }
}

}  // namespace ompdm::trace
