#include "machine_code/unreached.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "machine_code/call_places.h"
#include "machine_code/runtime_calls.h"
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
  using Place = std::tuple<std::string, int, int>;
  const auto place_of = [](const UnreachedDirective& row) {
    return Place(row.place.file, row.place.line, row.place.column);
  };
  std::map<Directive, std::set<Place>> places;
  for (const UnreachedDirective& row : rows) places[row.directive].insert(place_of(row));
  for (UnreachedDirective& row : rows) {
    const bool is_half =
        row.directive == Directive::kTargetEnterData || row.directive == Directive::kTargetExitData;
    if (is_half && places[Directive::kTargetEnterData].contains(place_of(row)) &&
        places[Directive::kTargetExitData].contains(place_of(row))) {
      row.directive = Directive::kTargetData;
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

  /// Fills CodeLoop::unreached and makes_memory of a function's loops.
  void find(const FunctionLoops& function) {
    const FunctionCalls& calls = *function.calls;
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
      describe(function.calls->calls_between(calls), function, trace_.loops[loop]);
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

  /// All that code calls, by the functions that it calls too.
  struct Reach {
    Calls runtime;
    std::set<Address> by_threads;  // of them, those that any thread may come to
    bool makes_any = false;        // arrays or objects on the host
    bool is_whole = true;          // false: something of it is not known
  };
  /// A loop of a function's code: `held` are the return addresses of its calls.
  void describe(const std::set<std::uint64_t>& held, const FunctionLoops& function,
                CodeLoop& loop) {
    const FlowGraph& flow = function.calls->flow();
    const std::uint32_t module = trace_.call_places[function.places.front()].module.value;
    RuntimeCalls* code = code_of(module);
    if (code == nullptr) return;
    const auto [at, is_new] = functions_.try_emplace(&flow);
    if (is_new) at->second = code->of(flow);
    const CodeCalls& all = at->second;
    Calls of_function;
    Reach reach;
    for (const auto& [address, call] : all.runtime) {
      of_function.emplace(Address(module, address), call);
      if (held.contains(address)) reach.runtime.emplace(Address(module, address), call);
    }
    std::vector<Led> functions;
    for (const auto& [address, called] : all.functions) {
      if (held.contains(address)) functions.emplace_back(Address(module, called), false);
    }
    for (const auto& [address, body] : all.handed_over) {
      if (held.contains(address)) functions.emplace_back(Address(module, body), true);
    }
    std::set<Address> reached = anywhere_;
    for (const std::uint32_t place : function.places) {
      if (!held.contains(trace_.call_places[place].address)) continue;
      reached.insert(below_[place].begin(), below_[place].end());
      for (const Address& callee : callees_[place]) functions.emplace_back(callee, false);
    }
    add_called(std::move(functions), reach);
    // The call path of another thread does not lead to where the function was handed over.
    for (const Address& address : reach.by_threads) {
      if (sites_.contains(address)) reached.insert(address);
    }
    loop.unreached = unexecuted_of(reach.runtime, reached, of_function);
    loop.makes_memory = memory_of(held, all, reach);
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

  /// A function that code leads to; whether any thread may come to it.
  using Led = std::pair<Address, bool>;
  void add_called(std::vector<Led> functions, Reach& reach) {
    constexpr std::size_t kMost = 4096;
    std::set<Address> known;
    bool was_cut = false;
    while (!functions.empty()) {
      const auto [address, by_threads] = functions.back();
      const auto [module, function] = address;
      functions.pop_back();
      if (!known.insert({module, function}).second) continue;
      RuntimeCalls* code = known.size() <= kMost ? code_of(module) : nullptr;
      was_cut = was_cut || known.size() > kMost;
      if (code == nullptr) {
        reach.is_whole = false;
        continue;
      }
      const CodeCalls& made = code->in(function);
      was_cut = was_cut || (code->was_cut() && !made.is_whole);
      reach.makes_any = reach.makes_any || !made.arrays.empty() || !made.objects.empty();
      reach.is_whole = reach.is_whole && made.is_whole && made.elsewhere.empty();
      for (const auto& [at, call] : made.runtime) {
        reach.runtime.emplace(Address(module, at), call);
        if (by_threads) reach.by_threads.emplace(module, at);
      }
      for (const auto& [at, next] : made.functions) {
        functions.emplace_back(Address(module, next), by_threads);
      }
      for (const auto& [at, next] : made.handed_over) {
        functions.emplace_back(Address(module, next), true);
      }
    }
    cut_ += was_cut ? 1 : 0;
  }

  [[nodiscard]] MakesMemory memory_of(const std::set<std::uint64_t>& held, const CodeCalls& all,
                                      const Reach& reach) const {
    const auto any = [&](const std::set<std::uint64_t>& calls) {
      return std::ranges::any_of(calls, [&](std::uint64_t call) { return held.contains(call); });
    };
    if (any(all.arrays)) return MakesMemory::kItself;
    if (any(all.objects) || reach.makes_any) return MakesMemory::kBelow;
    const bool is_whole = all.is_whole && reach.is_whole && !any(all.elsewhere);
    return is_whole ? MakesMemory::kNo : MakesMemory::kUnknown;
  }

  const Place& place_of(Address address, const RuntimeCall& call) {
    const auto [at, is_new] = places_.try_emplace(address);
    if (!is_new) return at->second;
    Place& place = at->second;
    const CodePlace& code = symbols_.at({address.first}, address.second - 1);
    place.chain = code.inlined;
    place.what = {directive_of(call.entry), {code.function, code.file, code.line, code.column}};
    // The call itself may have no line.
    const std::optional<SourceName> told = parse_source(call.source);
    if (told) place.what.place = {told->function, told->file, told->line, told->column};
    return place;
  }

  /// Compilers copy code: a directive was executed if one of its copies was. Calls of the loop's
  /// own function with one chain of inlined calls are copies too, wherever they lie.
  std::vector<UnreachedDirective> unexecuted_of(const Calls& calls,
                                                const std::set<Address>& reached,
                                                const Calls& of_function) {
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
    for (const auto& [address, call] : of_function) {
      if (sites_.contains(address)) passed_in_function.insert(place_of(address, call));
    }
    for (const auto& [address, call] : calls) {
      const Place& place = place_of(address, call);
      UnreachedDirective what = place.what;
      if (what.place.line == 0 || what.place.file.empty()) continue;
      what.on_host = passed.contains(what) ||
                     (of_function.contains(address) && passed_in_function.contains(place));
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
  return unexecuted.cut();
}

}  // namespace ompdm::trace
