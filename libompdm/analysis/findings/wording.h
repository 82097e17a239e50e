// How findings speak of the program: its own names, expressions and places. Inside the analysis
// library only.
#pragma once

#include <string>
#include <vector>

#include "analysis/findings/mappings.h"
#include "analysis/tables.h"
#include "ompdm/edits.h"

namespace ompdm::analysis {

/// "heat.cpp:41"; without a file the function and line, or the address in the binary.
std::string place_of(const Site& site);

/// Where a directive stands.
SourcePlace source_place(const Site& site);
std::string place_of(const SourcePlace& place);

/// The same of several, each once.
std::vector<SourcePlace> source_places(const Trace& trace, const std::vector<Index<Site>>& sites);

/// "heat.cpp:41 and heat.cpp:52".
std::string places_of(const Trace& trace, const std::vector<Index<Site>>& sites);

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

/// The base name: "u" of "u[0:n*n]"; without a name what is known in words: "786 KB that gray line
/// 5 maps".
std::string name_of(const Trace& trace, const Mapping& mapping);

/// "786 KB": of three digits.
std::string size_text(std::uint64_t bytes);

/// "a", "a and b", "a, b and c".
std::string spoken_list(const std::vector<std::string>& items);

/// "a, b, c", as in a clause.
std::string clause_list(const std::vector<std::string>& items);

/// "1 pass", "12 passes".
std::string counted(std::uint64_t count, const char* one, const char* many);

/// ">= 12 passes" where there may be more than were seen; else "12 passes".
std::string at_least(std::uint64_t count, bool may_be_more, const char* one, const char* many);

/// Adds a text that is not there yet to a list of few; of many names see UniqueTexts.
void add_once(std::vector<std::string>& items, const std::string& item);

/// Items as the clauses of a directive have them, for edits of it: their positions in
/// Finding::data.
std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site);

/// An edit of the directive itself, on these items of it; none: the whole of it.
Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions);

/// Fills pattern, file, line, count and `wasted_time` of a claim from its site and operations.
struct Claim;
void place(Claim& claim, const char* pattern, const Trace& trace, Index<Site> site);
void sum_up(Claim& claim, const Trace& trace);

}  // namespace ompdm::analysis
