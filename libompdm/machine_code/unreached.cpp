// Directives, and ends of them, that the program's code leads to and that were not executed in this
// run.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "machine_code/runtime_calls.h"
#include "machine_code/source_loops.h"
#include "ompdm/columns.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

Directive directive_of(std::string_view entry) {
  if (entry.starts_with("__tgt_target_data_begin")) return Directive::kTargetEnterData;
  if (entry.starts_with("__tgt_target_data_end")) return Directive::kTargetExitData;
  if (entry.starts_with("__tgt_target_data_update")) return Directive::kTargetUpdate;
  return entry.starts_with("__tgt_") ? Directive::kTarget : Directive::kApi;
}

/// A begin and an end at one place are a `target data`, however many copies of each there are.
void join_halves(std::vector<UnreachedDirective>& rows) {
  const auto at = [](Directive directive, const Frame& place) {
    return std::tuple(directive, place.file, place.line, place.column);
  };
  std::set<std::tuple<Directive, std::string, int, int>> known;
  for (const auto& [directive, place, on_host] : rows) known.insert(at(directive, place));
  for (auto& [directive, place, on_host] : rows) {
    const bool is_half =
        directive == Directive::kTargetEnterData || directive == Directive::kTargetExitData;
    if (is_half && known.contains(at(Directive::kTargetEnterData, place)) &&
        known.contains(at(Directive::kTargetExitData, place))) {
      directive = Directive::kTargetData;
    }
  }
}

class Unexecuted {
 public:
  Unexecuted(Trace& trace, Symbols& symbols) : trace_(trace), symbols_(symbols) {
    sum_up(trace.regions, [&](const Region& region, std::uint64_t, Nanoseconds) {
      add_path(region.site, region.path);
    });
    sum_up(trace.ops, [&](const DataOp& op, std::uint64_t, Nanoseconds) {
      const bool is_call = op.site && trace.sites[op.site.value].directive == Directive::kApi;
      if (is_call) add_path(op.site, op.path);
    });
    for (const CallPath& path : trace.call_paths) {
      const CallPlace& place = trace.call_places[path.place.value];
      if (!path.caller || !place.module || place.function == 0) continue;
      callees_[trace.call_paths[path.caller.value].place.value].insert(
          {place.module.value, place.function});
    }
  }

  /// Fills CodeLoop::makes_memory and the list of unexecuted directives (`CodeLoop::unreached`) of
  /// a function's loops.
  void find(const FunctionLoops& function) {
    const FunctionCalls& calls = function.calls;
    for (std::uint32_t number = 0; number < calls.loops().size(); ++number) {
      // Loops that the compiler made of one loop are one.
      std::set<std::uint64_t> held = calls.calls_in(number);
      const std::string& source = function.sources[number];
      for (std::uint32_t other = 0; other < calls.loops().size(); ++other) {
        if (!source.empty() && source == function.sources[other]) held.merge(calls.calls_in(other));
      }
      describe(held, function, trace_.loops[function.first_loop + number]);
    }
  }

  /// The same of its loops that were unrolled.
  void find_unrolled(const FunctionLoops& function) {
    std::map<std::uint32_t, std::set<std::uint32_t>> copies;  // calls by loop
    for (std::uint32_t i = 0; i < function.places.size(); ++i) {
      const Index<CodeLoop> loop = trace_.call_places[function.places[i]].loop;
      if (loop && trace_.loops[loop.value].unrolled) copies[loop.value].insert(i);
    }
    for (const auto& [loop, calls] : copies) {
      describe(function.calls.calls_between(calls), function, trace_.loops[loop]);
    }
  }

  /// Names each `target data` whose end was not executed, as where the program ended within it.
  void name_unended() {
    for (Site& site : trace_.sites) {
      if (site.directive == Directive::kTargetEnterData && has_end(site)) {
        site.directive = Directive::kTargetData;
      }
    }
  }

  [[nodiscard]] std::uint64_t cut() const { return cut_; }

 private:
  // Of a module, a return address or a function.
  using Address = std::pair<std::uint32_t, std::uint64_t>;
  using Calls = std::map<Address, RuntimeCall>;
  struct Place {
    UnreachedDirective what;   // line 0: not known
    std::vector<Frame> chain;  // that it was inlined by
    auto operator<=>(const Place&) const = default;
  };

  /// All that some code calls, with what the called functions call.
  struct Reach {
    Calls runtime;
    std::set<Address> by_threads;  // of them, those that any thread may come to
    bool makes_any = false;        // arrays or objects on the host
    bool is_whole = true;          // false: something of it is not known
    /// Functions that it leads to and that are not yet in it; whether any thread may come to them.
    std::vector<std::pair<Address, bool>> ahead;
  };

  /// Adds the calls of some code for which `is_held`, called with return addresses, is true.
  static void add(const CodeCalls& made, std::uint32_t module, bool by_threads, auto is_held,
                  Reach& reach) {
    reach.is_whole = reach.is_whole && made.is_whole;
    for (const auto& [at, memory] : made.memory) {
      if (!is_held(at)) continue;
      const bool is_known = memory != HostMemory::kUnknown;
      (is_known ? reach.makes_any : reach.is_whole) = is_known;
    }
    for (const auto& [at, call] : made.runtime) {
      if (!is_held(at)) continue;
      reach.runtime.emplace(Address(module, at), call);
      if (by_threads) reach.by_threads.emplace(module, at);
    }
    for (const auto& [at, next] : made.functions) {
      if (is_held(at)) reach.ahead.emplace_back(Address(module, next), by_threads);
    }
    for (const auto& [at, next] : made.handed_over) {
      if (is_held(at)) reach.ahead.emplace_back(Address(module, next), true);
    }
  }

  /// A loop of a function's code: `held` are the return addresses of its calls.
  void describe(const std::set<std::uint64_t>& held, const FunctionLoops& function,
                CodeLoop& loop) {
    const FlowGraph& flow = function.calls.flow();
    const std::uint32_t module = trace_.call_places[function.places.front()].module.value;
    RuntimeCalls* code = code_of(module);
    if (code == nullptr) return;
    const auto [at, is_new] = functions_.try_emplace(&flow);
    if (is_new) at->second = code->of(flow);
    const CodeCalls& own = at->second;
    const auto is_held = [&](std::uint64_t address) { return held.contains(address); };
    Reach reach;
    add(own, module, false, is_held, reach);
    std::set<Address> reached = anywhere_;
    for (const std::uint32_t place : function.places) {
      if (!is_held(trace_.call_places[place].address)) continue;
      reached.insert(below_[place].begin(), below_[place].end());
      for (const Address& callee : callees_[place]) reach.ahead.emplace_back(callee, false);
    }
    add_called(reach);
    // The call path of another thread does not lead through the place where the function was handed
    // over.
    for (const Address& address : reach.by_threads) {
      if (sites_.contains(address)) reached.insert(address);
    }
    loop.unreached = unexecuted_of(reach.runtime, reached, module, own);
    const bool makes_arrays = std::ranges::any_of(own.memory, [&](const auto& call) {
      return call.second == HostMemory::kArray && is_held(call.first);
    });
    loop.makes_memory = makes_arrays      ? MakesMemory::kItself
                        : reach.makes_any ? MakesMemory::kBelow
                        : reach.is_whole  ? MakesMemory::kNo
                                          : MakesMemory::kUnknown;
  }

  void add_path(Index<Site> site, Index<CallPath> path) {
    if (!site) return;
    const Address address(trace_.sites[site.value].module.value, trace_.sites[site.value].address);
    sites_.insert(address);
    if (!path) anywhere_.insert(address);
    for (; path; path = trace_.call_paths[path.value].caller) {
      below_[trace_.call_paths[path.value].place.value].insert(address);
    }
  }

  /// Whether the function that a begin lies in ends a mapping at the same place of the source.
  bool has_end(const Site& site) {
    RuntimeCalls* code = site.line > 0 ? code_of(site.module.value) : nullptr;
    if (code == nullptr) return false;
    const auto function = symbols_.code(site.module)->function_at(site.address - 1);
    if (!function) return false;
    return std::ranges::any_of(code->in(function->begin).runtime, [&](const auto& made) {
      const RuntimeCall& call = made.second;
      const std::optional<SourceName> told = parse_source(call.source);
      return call.entry.starts_with("__tgt_target_data_end") && told && told->file == site.file &&
             told->line == site.line && told->column == site.column;
    });
  }

  /// None of a library that is no part of the program, or whose file is not at hand.
  RuntimeCalls* code_of(std::uint32_t module) {
    const auto [at, is_new] = modules_.try_emplace(module);
    if (!is_new || module >= trace_.modules.size() ||
        is_foreign_library(trace_.modules[module].path)) {
      return at->second.get();
    }
    const ModuleCode* code = symbols_.code({module});
    if (code != nullptr) at->second = std::make_unique<RuntimeCalls>(*code);
    return at->second.get();
  }

  void add_called(Reach& reach) {
    constexpr std::size_t kMost = 4096;
    std::set<Address> known;
    bool was_cut = false;
    while (!reach.ahead.empty()) {
      const auto [function, by_threads] = reach.ahead.back();
      reach.ahead.pop_back();
      if (!known.insert(function).second) continue;
      RuntimeCalls* code = known.size() <= kMost ? code_of(function.first) : nullptr;
      was_cut = was_cut || known.size() > kMost;
      if (code == nullptr) {
        reach.is_whole = false;
        continue;
      }
      const CodeCalls& made = code->in(function.second);
      was_cut = was_cut || (code->was_cut() && !made.is_whole);
      add(made, function.first, by_threads, [](std::uint64_t) { return true; }, reach);
    }
    cut_ += was_cut ? 1 : 0;
  }

  const Place& place_of(Address address, const RuntimeCall& call) {
    const auto [at, is_new] = places_.try_emplace(address);
    if (!is_new) return at->second;
    Place& place = at->second;
    const CodePlace& code = symbols_.at({address.first}, address.second - 1);
    place.chain = code.inlined;
    place.what = {directive_of(call.entry), code};
    // The call itself may have no line.
    const std::optional<SourceName> told = parse_source(call.source);
    if (told) place.what.place = {told->function, told->file, told->line, told->column};
    return place;
  }

  /// Compilers copy code: a directive was executed if one of its copies was. Calls of the loop's
  /// own function with one chain of inlined calls are copies too, wherever they lie.
  std::vector<UnreachedDirective> unexecuted_of(const Calls& calls,
                                                const std::set<Address>& reached,
                                                std::uint32_t module, const CodeCalls& own) {
    std::vector<UnreachedDirective> rows;
    const auto is_known = [&](const auto& one) {
      return reached.contains(one.first) && !one.second.on_host;
    };
    if (std::ranges::all_of(calls, is_known)) return rows;
    std::set<UnreachedDirective> passed;
    std::set<Place> passed_in_function;
    for (const auto& [address, call] : calls) {
      if (reached.contains(address)) passed.insert(place_of(address, call).what);
    }
    for (const auto& [at, call] : own.runtime) {
      const Address address(module, at);
      if (sites_.contains(address)) passed_in_function.insert(place_of(address, call));
    }
    for (const auto& [address, call] : calls) {
      const Place& place = place_of(address, call);
      UnreachedDirective what = place.what;
      if (what.place.line == 0 || what.place.file.empty()) continue;
      const bool is_own = address.first == module && own.runtime.contains(address.second);
      what.on_host = passed.contains(what) || (is_own && passed_in_function.contains(place));
      if (!what.on_host || call.on_host) rows.push_back(what);
    }
    join_halves(rows);
    std::ranges::sort(rows, {}, [](const UnreachedDirective& row) {
      return std::tie(row.place.file, row.place.line, row.place.column, row.directive);
    });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    constexpr std::size_t kMost = 8;
    if (rows.size() > kMost) rows.resize(kMost);
    return rows;
  }

  Trace& trace_;
  Symbols& symbols_;
  std::map<std::uint32_t, std::unique_ptr<RuntimeCalls>> modules_;
  std::map<std::uint32_t, std::set<Address>> below_;    // sites, by the place that led there
  std::map<std::uint32_t, std::set<Address>> callees_;  // functions that a place was seen to call
  std::set<Address> sites_;
  std::set<Address> anywhere_;  // sites without a known call path
  std::map<Address, Place> places_;
  std::map<const FlowGraph*, CodeCalls> functions_;
  std::uint64_t cut_ = 0;
};

}  // namespace

std::uint64_t find_unexecuted(Trace& trace, Symbols& symbols,
                              const std::vector<FunctionLoops>& functions) {
  Unexecuted unexecuted(trace, symbols);
  for (const FunctionLoops& function : functions) unexecuted.find(function);
  for (const FunctionLoops& function : functions) unexecuted.find_unrolled(function);
  unexecuted.name_unended();
  return unexecuted.cut();
}

}  // namespace ompdm::trace
