// Calls of the offload runtime that a module's code holds, whether they were ever made or not.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "trace/code/flow_graph.h"
#include "trace/code/imports.h"
#include "trace/code/module_code.h"

namespace ompdm::trace {

/// A call of an entry point that maps or moves data, or launches a kernel.
struct RuntimeCall {
  std::uint64_t address = 0;  ///< its return address
  std::string_view entry;     ///< "__tgt_target_data_update_mapper"
  /// Where its directive stands, as the compiler tells the runtime: ";heat.cpp;main;12;3;;". Empty
  /// if that is not known, as of a call of the API.
  std::string_view source;
};

/// What some code calls.
struct CodeCalls {
  std::vector<RuntimeCall> runtime;
  std::vector<std::uint64_t> functions;  ///< of the same module
};

class RuntimeCalls {
 public:
  /// `code` must outlive this.
  explicit RuntimeCalls(const ModuleCode& code) : code_(code), imports_(code) {}

  /// What calls, by return address, are of; those by a pointer that is not known are left out.
  [[nodiscard]] CodeCalls sorted(const std::map<std::uint64_t, CodeCall>& calls) const;
  /// All that a function may call before it returns, but for where only an exception leads.
  /// Nothing where its code cannot be read, or once some megabytes were.
  const CodeCalls& of(std::uint64_t function);

 private:
  void add(std::uint64_t function, CodeCalls& calls) const;
  [[nodiscard]] std::string_view source_at(std::uint64_t ident) const;

  const ModuleCode& code_;
  Imports imports_;
  std::map<std::uint64_t, CodeCalls> functions_;  // that were asked for
  std::uint64_t bytes_ = 0;                       // of these
};

}  // namespace ompdm::trace
