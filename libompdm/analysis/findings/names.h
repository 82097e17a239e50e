// What findings call the program's data and places: its own names, expressions and lines. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/mappings.h"
#include "analysis/tables.h"
#include "ompdm/edits.h"

namespace ompdm::analysis {

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

}  // namespace ompdm::analysis
