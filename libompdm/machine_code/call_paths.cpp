// Call paths of directives, as a tree of calls.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "machine_code/source_loops.h"
#include "spool_reader/passes.h"

namespace ompdm::trace {

namespace {

/// Makes the trace's call places, those of each function behind each other, and its call paths: one
/// node of equal calls with equal callers. Returns the nodes of the decoded paths.
std::vector<Index<CallPath>> build_tree(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  const auto from_outermost = [&](const DecodedPath& path, auto take) {
    for (std::size_t i = path.frames.size(); i > 0; --i) take(path.frames[i - 1]);
    const Site& site = trace.sites[path.site.value];
    take(DecodedFrame{site.module, site.address, path.stack});
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places;
  for (const DecodedPath& path : decoded.paths) {
    from_outermost(
        path, [&](const DecodedFrame& frame) { places[{frame.module.value, frame.address}] = 0; });
  }
  for (auto& [at, number] : places) {
    number = static_cast<std::uint32_t>(trace.call_places.size());
    CallPlace& place = trace.call_places.emplace_back();
    place.module = {at.first};
    place.address = at.second;
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> nodes;
  std::vector<Index<CallPath>> paths;
  for (const DecodedPath& path : decoded.paths) {
    Index<CallPath> node;
    from_outermost(path, [&](const DecodedFrame& frame) {
      const std::uint32_t place = places.at({frame.module.value, frame.address});
      const std::uint64_t end = node ? trace.call_paths[node.value].stack : path.end;
      const auto [at, is_new] = nodes.emplace(std::tuple(node.value, place, frame.stack),
                                              static_cast<std::uint32_t>(trace.call_paths.size()));
      if (is_new) trace.call_paths.push_back({node, {place}, frame.stack, end});
      node = {at->second};
    });
    paths.push_back(node);
  }
  return paths;
}

/// The chain of inlined calls at a site or a place in the code, or its one function.
std::vector<Frame> frames_of(const auto& at) {
  if (!at.inlined.empty()) return at.inlined;
  return {{at.function, at.file, at.line, at.column}};
}

void locate(Trace& trace, Symbols& symbols) {
  for (CallPlace& place : trace.call_places) {
    place.frames = frames_of(symbols.caller_at(place.module, place.address - 1));
  }
  // Directives: the compiler knows more than debug information does.
  std::map<std::pair<std::uint32_t, std::uint64_t>, const Site*> sites;
  for (const Site& site : trace.sites) sites[{site.module.value, site.address}] = &site;
  for (CallPlace& place : trace.call_places) {
    const auto at = sites.find({place.module.value, place.address});
    if (at != sites.end()) place.frames = frames_of(*at->second);
  }
}

/// The line of an address in the function that `own` lies in. For code of calls that were inlined
/// there it is the line of the call. 0: the address lies in another function, or this is not known.
int line_beside(const CodePlace& own, const CodePlace& place) {
  if (own.inlined.empty() && place.inlined.empty()) return place.file == own.file ? place.line : 0;
  const std::size_t depth = std::max<std::size_t>(own.inlined.size(), 1);
  if (place.inlined.size() < depth) return 0;
  const auto at = place.inlined.end() - static_cast<std::ptrdiff_t>(depth);
  const bool is_same_call =
      own.inlined.empty() || std::equal(at + 1, place.inlined.end(), own.inlined.begin() + 1);
  return is_same_call && at->function == own.function && at->file == own.file ? at->line : 0;
}

/// The loop's own place: compilers give its condition the line of its `for` or `while`. The
/// condition is the branch that leads back, or one of those that lead out, as a `break` is. Of all
/// these the first line is taken; those of calls that were inlined come last. If other code of the
/// loop lies before that line, the loop does not begin there.
CodeLoop loop_at(Index<Module> module, const CallLoop& loop, Symbols& symbols) {
  const CodePlace* own = nullptr;
  const auto rank = [](const CodePlace& place) {  // calls that were inlined, line
    return std::pair(place.inlined.size(), place.line);
  };
  for (const std::uint64_t branch : loop.branches) {
    const CodePlace& place = symbols.at(module, branch);
    const bool is_better =
        place.line > 0 && (own == nullptr || own->line == 0 || rank(place) < rank(*own));
    if (is_better || own == nullptr || own->function.empty()) own = &place;
  }
  if (own == nullptr) return {};
  CodeLoop row{own->function, own->file, own->line, own->column, {}};
  row.begin_unknown = std::ranges::any_of(loop.code, [&](std::uint64_t address) {
    const int line = row.line > 0 ? line_beside(*own, symbols.at(module, address)) : 0;
    return line > 0 && line < row.line;
  });
  return row;
}

/// The functions of a trace's calls, each read once. Functions of the runtime and of the system
/// make no iterations of the program's.
class Functions {
 public:
  Functions(Trace& trace, Symbols& symbols) : trace_(trace), symbols_(symbols) {
    std::map<std::pair<std::uint32_t, CodeRange>, std::vector<std::uint32_t>> places;
    for (std::uint32_t i = 0; i < trace.call_places.size(); ++i) {
      CallPlace& place = trace.call_places[i];
      if (!place.module || is_foreign_library(trace.modules[place.module.value].path)) continue;
      const ModuleCode* code = symbols.code(place.module);
      if (code == nullptr) continue;
      const auto range = code->function_at(place.address - 1);
      if (!range) {
        ++unwalked_;
        continue;
      }
      place.function = range->begin;
      places[{place.module.value, *range}].push_back(i);
    }
    for (auto& [key, calls] : places) {
      std::vector<std::uint64_t> returns;
      for (const std::uint32_t call : calls) returns.push_back(trace.call_places[call].address);
      FunctionCalls read(*symbols.code({key.first}), key.second, std::move(returns));
      if (!read.read()) continue;
      for (const std::uint32_t call : calls) function_of_[call] = rows_.size();
      rows_.push_back({std::move(calls), std::move(read), false, 0, {}});
    }
  }

  void describe(const std::vector<spool::Entry>& entries) {
    find_sure_calls();
    for (FunctionLoops& function : rows_) describe(function);
    for (const FunctionLoops& function : rows_) unite_loops(trace_, function, entries);
    for (const FunctionLoops& function : rows_) find_repeats(trace_, function.places, entries);
    const std::uint64_t cut = find_unexecuted(trace_, symbols_, rows_);
    trace_.losses.push_back({"loops_code_unread", cut});
    trace_.losses.push_back({"calls_without_unwind_table", unwalked_});
  }

 private:
  [[nodiscard]] std::vector<bool> sure_of(const FunctionLoops& function) const {
    std::vector<bool> sure;
    for (const std::uint32_t place : function.places) sure.push_back(sure_[place]);
    return sure;
  }

  /// A directive's own call is always recorded. Another call is if its function always makes a
  /// recorded call, or if each function that it was seen to call does.
  void find_sure_calls() {
    std::map<std::uint32_t, std::set<std::uint32_t>> called;  // places by the place of their caller
    for (const CallPath& path : trace_.call_paths) {
      if (path.caller) {
        called[trace_.call_paths[path.caller.value].place.value].insert(path.place.value);
      }
    }
    sure_.assign(trace_.call_places.size(), false);
    for (std::uint32_t i = 0; i < sure_.size(); ++i) sure_[i] = !called.contains(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (FunctionLoops& function : rows_) {
        function.is_sure = function.is_sure || function.calls.always_calls(sure_of(function));
      }
      for (const auto& [place, callees] : called) {
        const bool is_sure = std::ranges::all_of(callees, [this](std::uint32_t callee) {
          const auto function = function_of_.find(callee);
          return function != function_of_.end() && rows_[function->second].is_sure;
        });
        changed = changed || is_sure != sure_[place];
        sure_[place] = is_sure;
      }
    }
  }

  void describe(FunctionLoops& function) {
    const Index<Module> module = trace_.call_places[function.places.front()].module;
    function.first_loop = static_cast<std::uint32_t>(trace_.loops.size());
    const auto row_of = [&](std::uint32_t loop) {
      return loop == kNoLoop ? Index<CodeLoop>{} : Index<CodeLoop>{function.first_loop + loop};
    };
    const std::vector<bool> sure = sure_of(function);
    function.calls.find_unseen(sure);
    for (std::uint32_t i = 0; i < function.calls.loops().size(); ++i) {
      const CallLoop& loop = function.calls.loops()[i];
      CodeLoop row = loop_at(module, loop, symbols_);
      function.sources.push_back(source_of(module, loop, row));
      row.parent = row_of(loop.parent);
      row.counts_all =
          function.calls.counts_all(i, sure) && !loop.catches && !leaves_early(module, loop, row);
      row.entered_unseen = loop.entered_unseen;
      row.called_unseen = loop.called_unseen;
      trace_.loops.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < function.places.size(); ++i) {
      const CallInLoop& call = function.calls.calls()[i];
      if (!call.known) continue;
      CallPlace& place = trace_.call_places[function.places[i]];
      place.code_read = true;
      place.loop = row_of(call.loop);
      place.called = call.called;
      place.tail_calls = tail_calls_from(module, call.tail_calls);
      for (std::size_t j = 0; j < function.places.size(); ++j) {
        if (call.onward[j]) add_call(place.onward, function.places[j]);
      }
    }
  }

  /// Whether an iteration may end before any call is recorded, other than by the loop's own
  /// condition.
  bool leaves_early(Index<Module> module, const CallLoop& loop, const CodeLoop& row) {
    return std::ranges::any_of(loop.early_exits, [&](std::uint64_t exit) {
      const CodePlace& place = symbols_.at(module, exit);
      return place.line != row.line || place.column != row.column;
    });
  }

  /// Where a loop is in the source, with the calls that it was inlined by; empty if that is not
  /// known.
  std::string source_of(Index<Module> module, const CallLoop& loop, const CodeLoop& row) {
    if (row.line <= 0 || row.column <= 0) return {};
    for (const std::uint64_t branch : loop.branches) {
      const CodePlace& place = symbols_.at(module, branch);
      if (place.line != row.line || place.column != row.column) continue;
      std::string source = fmt::format("{}:{}:{}", row.file, row.line, row.column);
      for (std::size_t i = 1; i < place.inlined.size(); ++i) {
        const Frame& frame = place.inlined[i];
        source += fmt::format("<{}:{}:{}", frame.file, frame.line, frame.column);
      }
      return source;
    }
    return {};
  }

  /// Functions that are gone on with have tail calls of their own.
  std::vector<std::uint64_t> tail_calls_from(Index<Module> module,
                                             const std::vector<std::uint64_t>& functions) {
    constexpr std::size_t kMost = 64;
    std::vector<std::uint64_t> all = functions;
    for (std::size_t i = 0; i < all.size() && all.size() < kMost; ++i) {
      for (const std::uint64_t next : tail_calls_of(module, all[i])) {
        if (std::ranges::find(all, next) == all.end()) all.push_back(next);
      }
    }
    return all;
  }

  const std::vector<std::uint64_t>& tail_calls_of(Index<Module> module, std::uint64_t function) {
    const auto [at, is_new] = tail_calls_.try_emplace({module.value, function});
    const ModuleCode* code = is_new ? symbols_.code(module) : nullptr;
    const auto range = code == nullptr ? std::nullopt : code->function_at(function);
    const auto flow = range ? read_flow(*code, *range) : std::nullopt;
    if (!flow) return at->second;
    for (const std::uint64_t next : flow->tail_calls) {
      if (next != 0) at->second.push_back(next);
    }
    return at->second;
  }

  Trace& trace_;
  Symbols& symbols_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint64_t>> tail_calls_;
  std::vector<FunctionLoops> rows_;
  std::map<std::uint32_t, std::size_t> function_of_;  // by place, in rows_
  std::vector<bool> sure_;                            // by place
  std::uint64_t unwalked_ = 0;  // places whose function no table has: nor is its caller known
};

}  // namespace

void resolve_call_paths(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  const std::vector<Index<CallPath>> paths = build_tree(decoded);
  const auto resolve = [&](auto& row) {
    if (row.path) row.path = paths[row.path.value];
  };
  trace.regions.change_shapes(resolve);
  trace.ops.change_shapes(resolve);
  locate(trace, symbols);
  std::vector<spool::Entry> entries(trace.call_places.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const CallPath& path = trace.call_paths[paths[i].value];
    entries[path.place.value] = decoded.site_extras[decoded.paths[i].site.value].entry;
  }
  Functions(trace, symbols).describe(entries);
}

}  // namespace ompdm::trace
