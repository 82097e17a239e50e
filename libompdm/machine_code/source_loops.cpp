#include "machine_code/source_loops.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace ompdm::trace {

namespace {

/// Whether all of a call's places in the source are known, with those of calls that were inlined.
/// Only then it can be seen that two calls are copies of one.
bool has_lines(const std::vector<Frame>& frames) {
  return !frames.empty() &&
         std::ranges::all_of(frames, [](const Frame& frame) { return frame.line > 0; });
}

/// Whether two calls of the same function may be one in the source. They differ only in unknown
/// lines of the calls by which they were inlined.
bool may_be_copies(const std::vector<Frame>& a, const std::vector<Frame>& b) {
  const auto is_told = [](const std::vector<Frame>& frames) {
    return !frames.empty() && frames.front().line > 0;
  };
  if (!is_told(a) || !is_told(b) || (has_lines(a) && has_lines(b))) return false;
  return std::ranges::equal(a, b, [](const Frame& one, const Frame& other) {
    const bool may_be_one_line =
        one.line <= 0 || other.line <= 0 || (one.line == other.line && one.column == other.column);
    return one.function == other.function && may_be_one_line;
  });
}

/// Places that are one call in the source, within one loop, in order of their addresses.
using Copies = std::vector<std::uint32_t>;

std::vector<Copies> copies_of(const Trace& trace, const std::vector<std::uint32_t>& places,
                              const std::vector<spool::Entry>& entries) {
  std::map<std::tuple<spool::Entry, std::uint32_t, std::vector<Frame>>, Copies> groups;
  for (const std::uint32_t position : places) {
    const CallPlace& place = trace.call_places[position];
    if (!place.code_read || !has_lines(place.frames)) continue;
    groups[{entries[position], place.loop.value, place.frames}].push_back(position);
  }
  std::vector<Copies> rows;
  for (auto& [key, copies] : groups) {
    if (copies.size() > 1) rows.push_back(std::move(copies));
  }
  return rows;
}

/// Whether the place `to` may follow within an iteration.
bool leads(const CallPlace& from, std::uint32_t to) {
  return std::ranges::any_of(
      from.onward, [to](const CallRange& range) { return range.first <= to && to <= range.last; });
}

/// Whether some copy follows the first one. Copies in branches that exclude each other do not.
bool repeats(const Trace& trace, const Copies& copies) {
  const CallPlace& first = trace.call_places[copies.front()];
  return std::ranges::any_of(copies, [&](std::uint32_t to) { return leads(first, to); });
}

/// Whether a copy of `other` lies between two of `one`.
bool surrounds(const Trace& trace, const Copies& one, const Copies& other) {
  return std::ranges::any_of(other, [&](std::uint32_t between) {
    return leads(trace.call_places[one.front()], between) &&
           leads(trace.call_places[between], one.back());
  });
}

/// Calls that are repeated together, as copies of each.
std::map<std::size_t, std::vector<Copies>> clusters_of(const Trace& trace,
                                                       std::vector<Copies> copies) {
  std::vector<std::size_t> leader(copies.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  for (std::size_t i = 0; i < copies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!surrounds(trace, copies[i], copies[j]) && !surrounds(trace, copies[j], copies[i])) {
        continue;
      }
      const std::size_t from = leader[i];
      for (std::size_t& each : leader) each = each == from ? leader[j] : each;
    }
  }
  std::map<std::size_t, std::vector<Copies>> clusters;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    clusters[leader[i]].push_back(std::move(copies[i]));
  }
  return clusters;
}

/// The calls of a cluster, and those of the same loop that lie between them: what is made in some
/// repetitions alone has no copies.
std::vector<std::uint32_t> members_of(const std::vector<Copies>& cluster, const Trace& trace,
                                      const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> members;
  for (const Copies& each : cluster) members.insert(members.end(), each.begin(), each.end());
  const Index<CodeLoop> around = trace.call_places[members.front()].loop;
  for (const std::uint32_t other : places) {
    const CallPlace& place = trace.call_places[other];
    const bool is_between = std::ranges::any_of(
        cluster, [&](const Copies& each) { return surrounds(trace, each, {other}); });
    if (!place.code_read || place.loop != around || !is_between) continue;
    if (std::ranges::find(members, other) == members.end()) members.push_back(other);
  }
  return members;
}

/// The call that each repetition begins with: of those that are repeated least, the first.
const Copies& marker_of(const Trace& trace, const std::vector<Copies>& cluster) {
  const Copies* marker = &cluster.front();
  for (const Copies& copies : cluster) {
    if (copies.size() > marker->size()) continue;
    const bool is_first = !leads(trace.call_places[marker->front()], copies.front());
    if (copies.size() < marker->size() || is_first) marker = &copies;
  }
  return *marker;
}

}  // namespace

void add_call(std::vector<CallRange>& ranges, std::uint32_t place) {
  if (!ranges.empty() && ranges.back().last + 1 == place) {
    ++ranges.back().last;
  } else {
    ranges.push_back({place, place});
  }
}

void find_repeats(Trace& trace, const std::vector<std::uint32_t>& places,
                  const std::vector<spool::Entry>& entries) {
  std::vector<Copies> copies = copies_of(trace, places, entries);
  std::erase_if(copies, [&](const Copies& each) { return !repeats(trace, each); });
  for (const auto& [leader, cluster] : clusters_of(trace, std::move(copies))) {
    const Copies& marker = marker_of(trace, cluster);
    const CallPlace& first = trace.call_places[marker.front()];
    const Frame& frame = first.frames.front();
    CodeLoop row{frame.function, frame.file, frame.line, frame.column, first.loop};
    row.unrolled = true;
    row.counts_all = std::ranges::none_of(places, [&](std::uint32_t other) {
      const CallPlace& place = trace.call_places[other];
      return place.loop == first.loop && entries[other] == entries[marker.front()] &&
             may_be_copies(place.frames, first.frames);
    });
    const Index<CodeLoop> loop{static_cast<std::uint32_t>(trace.loops.size())};
    trace.loops.push_back(std::move(row));
    for (const std::uint32_t position : members_of(cluster, trace, places)) {
      CallPlace& place = trace.call_places[position];
      place.loop = loop;
      const std::vector<CallRange> onward = std::move(place.onward);
      place.onward.clear();
      for (const CallRange& range : onward) {
        for (std::uint32_t next = range.first; next <= range.last; ++next) {
          const bool begins = std::ranges::binary_search(marker, next);
          add_call(begins ? place.repeats : place.onward, next);
        }
      }
    }
  }
}

namespace {

/// Calls of one function.
struct Calls {
  Calls(Trace& of, const std::vector<std::uint32_t>& at, const std::vector<spool::Entry>& entries)
      : trace(of), places(at) {
    std::map<std::pair<spool::Entry, std::vector<Frame>>, std::uint32_t> numbers;
    for (const std::uint32_t position : places) {
      std::vector<Frame> key = trace.call_places[position].frames;
      // Without its lines none is known to be another's copy.
      if (!has_lines(key)) key = {{"", "", 0, static_cast<int>(position)}};
      const auto next = static_cast<std::uint32_t>(numbers.size());
      sources.push_back(numbers.try_emplace({entries[position], key}, next).first->second);
      loops.push_back(trace.call_places[position].loop);
    }
  }

  [[nodiscard]] std::size_t size() const { return places.size(); }
  [[nodiscard]] CallPlace& place(std::size_t call) const { return trace.call_places[places[call]]; }
  [[nodiscard]] bool leads(std::size_t from, std::size_t to) const {
    return trace::leads(place(from), places[to]);
  }

  Trace& trace;
  const std::vector<std::uint32_t>& places;  // in Trace::call_places
  std::vector<std::uint32_t> sources;        // calls that are one in the source have one number
  std::vector<Index<CodeLoop>> loops;        // that the code has them in
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
          break;
        }
      }
    }
  }

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
};

/// Whether `outer` is around `loop`: no loop is around each.
bool is_around(const Trace& trace, Index<CodeLoop> outer, Index<CodeLoop> loop) {
  for (loop = trace.loops[loop.value].parent; loop; loop = trace.loops[loop.value].parent) {
    if (loop == outer) return true;
  }
  return !outer;
}

/// The calls by the loop that the code has them in.
std::map<std::uint32_t, std::vector<std::size_t>> forms_of(const Calls& calls,
                                                           const std::vector<std::size_t>& some) {
  std::map<std::uint32_t, std::vector<std::size_t>> forms;
  for (const std::size_t call : some) {
    if (calls.loops[call]) forms[calls.loops[call].value].push_back(call);
  }
  return forms;
}

std::set<std::uint32_t> sources_of(const Calls& calls, const std::vector<std::size_t>& some) {
  std::set<std::uint32_t> sources;
  for (const std::size_t call : some) sources.insert(calls.sources[call]);
  return sources;
}

/// Of each source that some loop has copies of: that loop, the innermost of several.
std::map<std::uint32_t, Index<CodeLoop>> loops_of_sources(const Trace& trace, const Calls& calls) {
  std::map<std::uint32_t, Index<CodeLoop>> loops;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Index<CodeLoop> loop = calls.place(i).loop;
    if (!loop || !calls.place(i).code_read) continue;
    const auto [at, is_new] = loops.try_emplace(calls.sources[i], loop);
    if (!is_new && is_around(trace, at->second, loop)) at->second = loop;
  }
  return loops;
}

/// Which sources may follow which within an iteration, by the plainest of a loop's forms.
class SourceOrder {
 public:
  SourceOrder(const Calls& calls, const std::vector<std::size_t>& members) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const auto& [loop, form] : forms_of(calls, members)) {
      std::set<std::uint32_t> sources = sources_of(calls, form);
      const std::size_t copies = form.size() - sources.size();
      if (copies > fewest || (copies == fewest && sources.size() <= sources_.size())) continue;
      fewest = copies;
      sources_ = std::move(sources);
      follows_.clear();
      for (const std::size_t from : form) {
        for (const std::size_t to : form) {
          if (calls.leads(from, to)) follows_.emplace(calls.sources[from], calls.sources[to]);
        }
      }
    }
    is_plain_ = fewest == 0;
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
  bool is_plain_ = false;
};

void order_passes(const Calls& calls, const std::vector<std::size_t>& members) {
  const SourceOrder order(calls, members);
  for (const std::size_t from : members) {
    std::vector<CallRange> onward;
    for (std::size_t to = 0; to < calls.size(); ++to) {
      if (!calls.leads(from, to)) continue;
      const bool in_one_form = calls.loops[from] == calls.loops[to] && calls.loops[from];
      const bool both_in_loops = calls.loops[from] && calls.loops[to];
      const bool follows = (in_one_form || !both_in_loops) &&
                           order.may_follow(calls.sources[from], calls.sources[to]);
      // The copies of one form are repeats of their own, unless a plainer one tells.
      const bool is_repeat = in_one_form && !order.is_plain();
      if (follows || is_repeat || !std::ranges::binary_search(members, to)) {
        add_call(onward, calls.places[to]);
      }
    }
    calls.place(from).onward = std::move(onward);
  }
}

/// Two forms of a loop, one after the other, may have no copies of a call. Then the second may
/// belong to the same entry (the loop was split), or to the next one (the loop around was
/// unrolled).
void doubt_entries(Trace& trace, const Calls& calls, const United& united) {
  std::vector<std::size_t> all(calls.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto forms = forms_of(calls, all);
  std::erase_if(forms, [&](const auto& form) {
    return sources_of(calls, form.second).size() != form.second.size();
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

/// Iterations that may have been moved before or after a loop are not counted.
void doubt_counts(Trace& trace, const Calls& calls, const std::vector<spool::Entry>& entries) {
  for (std::size_t in = 0; in < calls.size(); ++in) {
    const Index<CodeLoop> loop = calls.place(in).loop;
    for (std::size_t out = 0; loop && out < calls.size(); ++out) {
      const Index<CodeLoop> other = calls.place(out).loop;
      if (other == loop || !is_around(trace, other, loop)) continue;
      if (calls.sources[in] != calls.sources[out] &&
          entries[calls.places[in]] == entries[calls.places[out]] &&
          may_be_copies(calls.place(in).frames, calls.place(out).frames)) {
        trace.loops[loop.value].counts_all = false;
      }
    }
  }
}

}  // namespace

void unite_loops(Trace& trace, const FunctionLoops& function,
                 const std::vector<spool::Entry>& entries) {
  const Calls calls(trace, function.places, entries);
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
  doubt_counts(trace, calls, entries);
  const auto loops = loops_of_sources(trace, calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallPlace& place = calls.place(i);
    const auto own = loops.find(calls.sources[i]);
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
