// Names of functions, places and data in tables and sentences. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ompdm/findings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Whether a function is the whole program: C's main, or Fortran's main program, whatever its name.
bool is_main(const std::string& function);

/// Without return type, parameters and scopes that have no name: "V<int>::run" of
/// "void V<int>::run(double*)". Operators and lambdas keep theirs.
std::string without_signature(const std::string& function);

/// Without all scopes and template arguments besides: "run".
std::string plain_name(const std::string& function);

/// The name of the template that a function is an instantiation of: "V<...>::run". Its own name if
/// it is none.
std::string template_name(const std::string& function);

/// One name for functions that stand at one place in the source: theirs if it is the same, else
/// that of their template, "run<...>". Some may be known by their plain name alone, and may be any
/// of the instantiations.
std::string common_function(std::span<const std::string> functions);

/// A path without its folders.
std::string last_name(const std::string& path);

/// "786 KB": of three digits.
std::string size_text(std::uint64_t bytes);

/// The members of a set, in order.
template <class Value>
std::vector<Value> listed(const std::set<Value>& values) {
  return {values.begin(), values.end()};
}

inline bool is_set(const std::string& text) { return !text.empty(); }
inline bool is_set(Index<Site> site) { return static_cast<bool>(site); }

/// Values in the order in which they were added, each once; empty ones are left out.
template <class Value>
class Unique {
 public:
  void add(const Value& value) {
    if (is_set(value) && known_.insert(value).second) values_.push_back(value);
  }
  void add(const Unique& others) {
    for (const Value& value : others.all()) add(value);
  }
  [[nodiscard]] const std::vector<Value>& all() const { return values_; }

 private:
  std::vector<Value> values_;
  std::set<Value> known_;
};
using UniqueTexts = Unique<std::string>;
using UniqueSites = Unique<Index<Site>>;

/// Where a directive stands.
SourcePlace source_place(const Site& site);

/// "heat.cpp:41"; without a file the function and line, or the address in the binary.
std::string place_of(const SourcePlace& place);
std::string place_of(const Site& site);

/// Where directives stand, each place once.
std::vector<SourcePlace> source_places(const Trace& trace, const std::vector<Index<Site>>& sites);

/// "solve" of "solve(int, double*)"; empty if unknown.
std::string function_of(const Site& site);

/// The item's name without array sections: "u" of "u[0:n*n]" and of Fortran's "u(1:n)".
std::string base_of(const std::string& expression);

/// Whether it is the name of a variable alone: no member, and not `this`.
bool is_variable_name(const std::string& name);

/// A name for data that the program has no name for: "786 KB that gray line 5 maps". An empty place
/// is not known.
std::string nameless(std::uint64_t bytes, const std::string& place);

/// "a, b, c", as in a clause.
std::string clause_list(const std::vector<std::string>& items);

/// Adds a text that is not there yet to a list of few; of many names see UniqueTexts.
void add_once(std::vector<std::string>& items, const std::string& item);

}  // namespace ompdm::analysis
