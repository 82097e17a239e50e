// Directives that a loop's code leads to, and that were not executed in this run.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "machine_code/call_places.h"
#include "machine_code/runtime_calls.h"
#include "machine_code/source_loops.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

class UnreachedDirectives {
 public:
  /// Call paths are resolved. Both must outlive this.
  UnreachedDirectives(Trace& trace, Symbols& symbols);

  /// Fills CodeLoop::unreached and makes_memory of a function's loops.
  void find(const FunctionLoops& function, const FunctionCalls& calls);
  /// The same of those that were unrolled, and are rows from `first` on.
  void find_unrolled(const std::vector<std::uint32_t>& places, const FunctionCalls& calls,
                     std::uint32_t first);
  /// How many loops have code that is too much to be read: directives in it are not known.
  [[nodiscard]] std::uint64_t cut() const { return cut_; }

 private:
  using Address =
      std::pair<std::uint32_t, std::uint64_t>;  // module; a return address or a function
  using Calls = std::map<Address, RuntimeCall>;
  struct Place {
    UnreachedDirective what;   // line 0: not known
    std::vector<Frame> chain;  // that it was inlined by
    auto operator<=>(const Place&) const = default;
  };

  /// What code calls, and the functions that it calls, and so on.
  struct Reach {
    Calls runtime;
    std::set<Address> by_threads;  // of them, those that any thread may come to
    bool makes_any = false;        // arrays or objects on the host
    bool is_whole = true;          // false: something of it is not known
  };
  void describe(const std::set<std::uint64_t>& held, const std::vector<std::uint32_t>& places,
                const FunctionCalls& calls, CodeLoop& loop);
  void add_path(Index<Site> site, Index<CallPath> path);
  RuntimeCalls* code_of(std::uint32_t module);
  /// A function that code leads to; whether any thread may come to it.
  using Led = std::pair<Address, bool>;
  void add_called(std::vector<Led> functions, Reach& reach);
  [[nodiscard]] MakesMemory memory_of(const std::set<std::uint64_t>& held, const CodeCalls& all,
                                      const Reach& reach) const;
  const Place& place_of(Address address, const RuntimeCall& call);
  std::vector<UnreachedDirective> unreached_of(const Calls& calls, const std::set<Address>& reached,
                                               const Calls& of_function);

  Trace& trace_;
  Symbols& symbols_;
  std::map<std::uint32_t, std::unique_ptr<RuntimeCalls>> modules_;
  std::map<std::uint32_t, std::set<Address>> below_;    // sites, by the place that led there
  std::map<std::uint32_t, std::set<Address>> callees_;  // functions that a place was seen to call
  std::set<Address> sites_;
  std::set<Address> anywhere_;  // of them, those that were reached nobody knows how
  std::map<Address, Place> places_;
  std::map<const FlowGraph*, CodeCalls> functions_;
  std::uint64_t cut_ = 0;
};

}  // namespace ompdm::trace
