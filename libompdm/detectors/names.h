// What data and places are called in a finding, and small containers that detectors share. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/tables.h"
#include "detectors/mappings.h"
#include "ompdm/columns.h"
#include "ompdm/definitions.h"
#include "ompdm/findings.h"

namespace ompdm::analysis {

/// In the order in which they came, each once; empty ones are left out.
class UniqueTexts {
 public:
  void add(const std::string& text) {
    if (!text.empty() && known_.insert(text).second) texts_.push_back(text);
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_set<std::string> known_;
};

/// In the order in which they came, each once.
class UniqueSites {
 public:
  void add(Index<Site> site) {
    if (known_.insert(site.value).second) sites_.push_back(site);
  }
  [[nodiscard]] const std::vector<Index<Site>>& all() const { return sites_; }

 private:
  std::vector<Index<Site>> sites_;
  std::unordered_set<std::uint32_t> known_;
};

/// Where a directive stands.
SourcePlace source_place(const Site& site);

/// "heat.cpp:41"; without a file the function and line, or the address in the binary.
std::string place_of(const SourcePlace& place);
std::string place_of(const Site& site);

/// Where directives stand, each place once.
std::vector<SourcePlace> source_places(const Trace& trace, const std::vector<Index<Site>>& sites);

/// "solve" of "solve(int, double*)"; empty if unknown.
std::string function_of(const Site& site);

/// The item as the directive that mapped it has it: "u[0:n*n]"; where the compiler passed no names,
/// its size and address. Not for code.
std::string expression_of(const Trace& trace, const Mapping& mapping);

/// What a transfer of a mapping (position in Trace::ops) moved, as the directive that made it has
/// it: pointers are swapped, and a mapping is known by the name that its storage had when it was
/// allocated.
std::string expression_at(const Trace& trace, const Mappings& mappings, std::uint32_t op);

/// Whether the compiler passed a name for this data.
bool has_name(const Trace& trace, const Mapping& mapping);

/// The item's name without array sections: "u" of "u[0:n*n]" and of Fortran's "u(1:n)".
std::string base_of(const std::string& expression);

/// The base name: "u" of "u[0:n*n]"; without a name as nameless() has it.
std::string name_of(const Trace& trace, const Mapping& mapping);

/// What the program has no name for: "786 KB that gray line 5 maps"; an empty place is not known.
std::string nameless(std::uint64_t bytes, const std::string& place);

/// "a, b, c", as in a clause.
std::string clause_list(const std::vector<std::string>& items);

/// Adds a text that is not there yet to a list of few; of many names see UniqueTexts.
void add_once(std::vector<std::string>& items, const std::string& item);

class Joined {
 public:
  /// So many members, each a set of its own.
  explicit Joined(std::uint32_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), 0U);
  }

  /// The member that tells its set.
  std::uint32_t find(std::uint32_t one) {
    while (leader_[one] != one) one = leader_[one] = leader_[leader_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) { leader_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> leader_;
};

}  // namespace ompdm::analysis
