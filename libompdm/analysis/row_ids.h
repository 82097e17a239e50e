// Ids of rows, the same in every run that goes the same way. Inside the analysis library only.
#pragma once

#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Directives and their call paths. Rows alike are told apart by their order, which is that of the
/// sites in the program.
void identify(std::vector<DirectiveRow>& rows);

/// Rows in the order in which the variables were first mapped.
void identify(std::vector<VariableRow>& rows);

/// Loops in order of their first pass; the directives have their ids.
void identify(std::vector<Iteration>& rows, const std::vector<DirectiveRow>& directives);

void identify(std::vector<Activity>& rows);

}  // namespace ompdm::analysis
