#include "detectors/loops.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "analysis/names.h"

namespace ompdm::analysis {
EnclosingLoops::EnclosingLoops(const LoopTable& loops)
    : sequence_of_thread_(loops.sequence_of_thread) {
  for (std::size_t loop = 0; loop < loops.rows.size(); ++loop) {
    for (const LoopEntry& span : loops.rows[loop].spans) {
      entries_.push_back({loop, span.sequence, span.begin, span.end, span.iterations});
    }
  }
  const auto key = [](const EnclosingEntry& entry) {
    return std::tuple(entry.sequence, entry.begin, -entry.end, entry.iterations, entry.loop);
  };
  std::ranges::sort(entries_, {}, key);
  const EnclosingEntry* around = nullptr;
  for (EnclosingEntry& entry : entries_) {
    while (around != nullptr && (around->sequence != entry.sequence || around->end < entry.end)) {
      around = around->parent;
    }
    entry.parent = around;
    around = &entry;
  }
}

const EnclosingEntry* EnclosingLoops::innermost(std::uint32_t thread, Nanoseconds begin,
                                                Nanoseconds end) const {
  const std::uint32_t sequence =
      thread < sequence_of_thread_.size() ? sequence_of_thread_[thread] : thread;
  const auto after = std::ranges::upper_bound(
      entries_, std::pair(sequence, begin), {},
      [](const EnclosingEntry& entry) { return std::pair(entry.sequence, entry.begin); });
  if (after == entries_.begin() || std::prev(after)->sequence != sequence) return nullptr;
  const EnclosingEntry* entry = &*std::prev(after);
  while (entry != nullptr && entry->end < end) entry = entry->parent;
  return entry;
}

namespace {

/// A function of the call path to a directive, with the line where it calls the next function.
SourcePlace caller_of(const Frame& frame) {
  return {frame.file, frame.line, without_signature(frame.function), 0};
}

/// Whether the C library starts a program or a thread in the function. No edit can go there.
bool starts_programs(const std::string& function) {
  return function.starts_with("__libc_start_") || function == "_start" ||
         function == "start_thread" || function == "clone" || function == "clone3" ||
         function == "__clone3";
}

/// Whether the function is a library's template, compiled in the program. No edit can go there.
bool is_library(const SourcePlace& caller) {
  return caller.function.starts_with("std::") || caller.file.starts_with("/usr/");
}

/// The functions from the directive's outwards, up to main. __libc_start_call_main calls main. The
/// frame of main itself is missing if all functions in between were inlined into it.
std::vector<SourcePlace> chain_of(const Site& site) {
  std::vector<SourcePlace> chain = {{site.file, site.line, function_of(site), 0}};
  if (chain.front().function.empty()) return {};
  for (const auto* frames : {&site.inlined, &site.callers}) {
    for (const Frame& frame : *frames) {
      const SourcePlace caller = caller_of(frame);
      if (is_main(chain.back().function)) return chain;
      if (caller.function.empty()) return chain;
      if (caller.function == "__libc_start_call_main") chain.push_back({"", 0, "main", 0});
      if (starts_programs(caller.function)) return chain;
      if (is_library(caller)) continue;
      // The innermost inlined frame is the directive's own function.
      if (frames == &site.inlined && caller.function == chain.back().function) continue;
      chain.push_back(caller);
    }
  }
  return chain;
}

/// Position of a function in a chain. All instantiations of a template count as one function.
std::optional<std::size_t> find_in(const std::vector<SourcePlace>& chain,
                                   const std::string& function) {
  const auto at = std::ranges::find(chain, template_name(function), [](const SourcePlace& caller) {
    return template_name(caller.function);
  });
  if (at == chain.end()) return std::nullopt;
  return static_cast<std::size_t>(at - chain.begin());
}

bool calls_itself(const Trace& trace, const std::string& function) {
  return std::ranges::any_of(trace.call_places, [&](const CallPlace& place) {
    return place.called != 0 && place.called == place.function && !place.frames.empty() &&
           without_signature(place.frames.back().function) == function;
  });
}

/// The innermost function that leads to all of the directives, by its position in the first chain.
std::optional<std::size_t> common_of(const std::vector<std::vector<SourcePlace>>& chains) {
  for (std::size_t i = 0; i < chains.front().size(); ++i) {
    const std::string& function = chains.front()[i].function;
    const bool in_all = std::ranges::all_of(
        chains, [&](const auto& chain) { return find_in(chain, function).has_value(); });
    if (in_all) return i;
  }
  return std::nullopt;
}

std::vector<std::vector<SourcePlace>> chains_of(const Trace& trace,
                                                const std::vector<Index<Site>>& sites) {
  std::vector<std::vector<SourcePlace>> chains;
  for (const Index<Site> site : sites) chains.push_back(chain_of(trace.sites[site.value]));
  const bool known = std::ranges::none_of(chains, [](const auto& chain) { return chain.empty(); });
  return known ? chains : std::vector<std::vector<SourcePlace>>();
}

/// Whether the repeated call or directive may have been inlined into another function, which
/// repeats it. It is not known where that function is called.
bool may_be_inlined(const Trace& trace, Index<CodeLoop> loop) {
  const CodeLoop& code = trace.loops[loop.value];
  const auto is_directive = [&](const Site& site) {
    return site.line == code.line && site.file == code.file;
  };
  const auto is_inlined = [&](const CallPlace& place) {
    return place.loop == loop && place.frames.size() > 1;
  };
  return std::ranges::any_of(trace.sites, is_directive) ||
         std::ranges::any_of(trace.call_places, is_inlined);
}

}  // namespace

UnplacedLoop unplaced_loop(const Trace& trace, const Loop& row,
                           const std::vector<Index<Site>>& sites) {
  UnplacedLoop loop{.innermost = row.entries > 1, .runs = source_places(trace, sites)};
  const std::vector<std::vector<SourcePlace>> chains = chains_of(trace, sites);
  std::optional<std::size_t> common;
  const bool has_function =
      row.code && !row.place.function.empty() && !is_library(caller_of(row.place));
  if (has_function) {
    // The code shows the loop's function. For unrolled code this may be a function that was
    // inlined.
    loop.in = {row.place.file, 0, without_signature(row.place.function), 0};
    loop.is_there = !trace.loops[row.code.value].unrolled;
    if (!chains.empty()) common = find_in(chains.front(), loop.in.function);
  } else if (!chains.empty()) {
    common = common_of(chains);
    if (common) loop.in = chains.front()[*common];
  }
  loop.is_there = loop.is_there || is_main(loop.in.function);
  if (!common) return loop;
  std::vector<std::string> instances;
  for (const std::vector<SourcePlace>& chain : chains) {
    const std::optional<std::size_t> at = find_in(chain, loop.in.function);
    if (!at) continue;
    instances.push_back(chain[*at].function);
    if (*at > 0) add_once(loop.called, chain[*at - 1].function);
  }
  const SourcePlace& function = chains.front()[*common];
  loop.in.function = common_function(instances);
  // A function that calls itself counts once, at any depth.
  std::size_t next = *common + 1;
  while (next < chains.front().size() && chains.front()[next].function == function.function) ++next;
  loop.recurses = !has_function && calls_itself(trace, function.function);
  if (next < chains.front().size()) loop.caller = chains.front()[next];
  return loop;
}

SourcePlace source_place(const Trace& trace, const Loop& loop) {
  if (!loop.code) return {};
  const CodeLoop& code = trace.loops[loop.code.value];
  const SourcePlace caller = caller_of(loop.place);
  if (caller.file.empty() || caller.line == 0 || is_library(caller)) return {};
  if (loop.begin_unknown || (code.unrolled && may_be_inlined(trace, loop.code))) return {};
  return caller;
}

facts::LoopPlace place_of_loop(const Trace& trace, const Loop& loop) {
  facts::LoopPlace known{source_place(trace, loop)};
  known.is_calls = !known.place.file.empty() && trace.loops[loop.code.value].unrolled;
  return known;
}

SourcePlace body_place(const Trace& trace, const DirectiveTable& directives, const Loop& loop) {
  SourcePlace place = source_place(trace, loop);
  if (place.line > 0 || !loop.code) return place;
  place.function = without_signature(loop.place.function);
  for (const std::uint32_t symbol : loop.symbols) {
    const DirectiveRow& row = directives.rows[symbol / 2];
    if (row.line == 0 || without_signature(row.function) != place.function) continue;
    if (place.line == 0 || row.line < place.line) place.line = row.line;
  }
  return place;
}

std::vector<Index<CodeLoop>> loops_around(const Trace& trace, const LoopTable& loops,
                                          const Loop& loop) {
  std::vector<Index<CodeLoop>> around;
  if (!loop.entries_at_least || source_place(trace, loop).file.empty()) return around;
  const std::string& function = trace.loops[loop.code.value].function;
  const auto is_told = [&](Index<CodeLoop> code) {
    return std::ranges::any_of(loops.rows, [&](const Loop& row) { return row.code == code; });
  };
  for (Index<CodeLoop> at = trace.loops[loop.code.value].parent; at && !is_told(at);
       at = trace.loops[at.value].parent) {
    const CodeLoop& code = trace.loops[at.value];
    // A function that was inlined ends the search: code around its call may make its data again.
    const bool has_place = code.line != 0 && !code.begin_unknown && !code.unrolled;
    if (!has_place || code.function != function) break;
    around.push_back(at);
  }
  return around;
}

Anchor loop_anchor(const Trace& trace, const Loop& loop, const std::vector<Index<Site>>& sites) {
  Anchor anchor;
  anchor.of = Anchor::Of::kLoop;
  const facts::LoopPlace known = place_of_loop(trace, loop);
  SourcePlace& place = anchor.places.emplace_back(known.place);
  if (place.file.empty()) {
    anchor.unplaced = unplaced_loop(trace, loop, sites);
    place.function = anchor.unplaced->in.function;
    if (anchor.unplaced->recurses) anchor.of = Anchor::Of::kCalls;
    if (loop.begin_unknown && loop.place.line > 0) {
      anchor.inside = {loop.place.file, loop.place.line, place.function, 0};
    }
  } else if (known.is_calls) {
    anchor.of = Anchor::Of::kCalls;
  }
  return anchor;
}

namespace {

bool is_within(const Trace& trace, Index<CodeLoop> loop, const std::set<std::uint32_t>& loops) {
  for (; loop; loop = trace.loops[loop.value].parent) {
    if (loops.contains(loop.value)) return true;
  }
  return false;
}

/// The calls in a function, within some loops, that are on a call path.
std::vector<SourcePlace> calls_along(const Trace& trace, Index<CallPath> path,
                                     const std::string& function,
                                     const std::set<std::uint32_t>& loops) {
  std::vector<SourcePlace> calls;
  for (; path; path = trace.call_paths[path.value].caller) {
    const CallPlace& place = trace.call_places[trace.call_paths[path.value].place.value];
    if (!loops.empty() && !is_within(trace, place.loop, loops)) continue;
    for (const Frame& frame : place.frames) {
      if (frame.line > 0 && without_signature(frame.function) == function) {
        calls.push_back(caller_of(frame));
      }
    }
  }
  return calls;
}

}  // namespace

void tell_calls(const Trace& trace, const LoopTable& table, Finding& finding) {
  std::set<std::uint32_t> loops;  // empty: any loop
  for (const std::size_t row : finding.loops) {
    if (table.rows[row].code) loops.insert(table.rows[row].code.value);
  }
  for (Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.in_scope || edit.anchor.places.empty()) continue;
    const std::string& here = edit.anchor.places.front().function;
    std::set<SourcePlace> directives;
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        const SourcePlace& at = finding.data[number].named_at;
        if (!here.empty() && at.function != here) directives.insert(at);
      }
    }
    if (directives.empty()) continue;
    std::set<SourcePlace> calls;
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // site, path
    for (std::size_t i = 0; i < trace.regions.size(); ++i) {
      const Region& region = trace.regions.common(i);
      if (!region.site || !known.emplace(region.site.value, region.path.value).second) continue;
      if (!directives.contains(source_place(trace.sites[region.site.value]))) continue;
      for (SourcePlace& call : calls_along(trace, region.path, here, loops)) {
        calls.insert(std::move(call));
      }
    }
    for (const Site& site : trace.sites) {
      // Without call paths: by the callers of the first execution.
      if (!trace.call_paths.empty() || !directives.contains(source_place(site))) continue;
      const std::vector<SourcePlace> chain = chain_of(site);
      const std::optional<std::size_t> at = find_in(chain, here);
      if (at && *at > 0 && chain[*at].line > 0) calls.insert(chain[*at]);
    }
    edit.calls.assign(calls.begin(), calls.end());
  }
}

}  // namespace ompdm::analysis
