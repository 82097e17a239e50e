// Calls of the OpenMP runtime and of allocators in a function's code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "machine_code/flow_graph.h"
#include "machine_code/module_code.h"

namespace ompdm::trace {

enum class HostMemory : std::uint8_t {
  kNone,     ///< known to hand out none
  kUnknown,  ///< not known
  kArray,    ///< malloc and its like, operator new[]
  kObject,   ///< operator new: containers and strings keep their content so
};

/// What an imported function hands out: unknown, unless it is a common one of C, C++, OpenMP or
/// MPI.
HostMemory made_by(std::string_view import);

/// How a function that is handed over is run.
struct Outlined {
  std::uint8_t argument = 0;  ///< from 1: which one it is; 0: not known
  /// Whether the function's operations are recorded as made where it was handed over. If not,
  /// another thread may run it, whose call path begins in the function.
  bool is_own = false;
};

/// None of an import that runs nothing.
std::optional<Outlined> outlined_by(std::string_view import);

/// A call of an entry point that maps or moves data, or launches a kernel.
struct RuntimeCall {
  std::string_view entry;  ///< "__tgt_target_data_update_mapper"
  /// Where its directive stands, as the compiler tells the runtime: ";heat.cpp;main;12;3;;". Empty
  /// if that is not known, as of a call of the API.
  std::string_view source;
  bool on_host = false;  ///< a kernel that an if() clause may run on the host instead
};

/// What a function's code calls, by return address.
struct CodeCalls {
  std::map<std::uint64_t, RuntimeCall> runtime;
  /// Of the same module. Those that are gone on with (tail calls), by the jump's address.
  std::map<std::uint64_t, std::uint64_t> functions;
  /// Of the same module, handed over to be run by any thread, by that call's return address.
  std::map<std::uint64_t, std::uint64_t> handed_over;
  /// Calls that hand out memory of the host, or may: those of functions in other modules that are
  /// not known.
  std::map<std::uint64_t, HostMemory> memory;
  bool is_whole = true;  ///< false: not read, or some calls are by pointers that nothing tells
};

class RuntimeCalls {
 public:
  /// `code` must outlive this.
  explicit RuntimeCalls(const ModuleCode& code) : code_(code), imports_(code) {}

  /// All calls of a function but those by a pointer that is not known.
  [[nodiscard]] CodeCalls of(const FlowGraph& flow) const;
  /// All that a function may call before it returns, but for where only an exception leads.
  /// Nothing where its code cannot be read, or once some megabytes were.
  const CodeCalls& in(std::uint64_t function);
  /// Whether some megabytes were, and more was asked for.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

 private:
  [[nodiscard]] std::string_view source_at(std::uint64_t ident) const;

  const ModuleCode& code_;
  Imports imports_;
  std::map<std::uint64_t, CodeCalls> functions_;  // that were asked for
  std::uint64_t bytes_ = 0;                       // of these
  bool was_cut_ = false;
};

}  // namespace ompdm::trace
