// Changes of a directive's own text: other map types, removed items, and removed directives.
#pragma once

#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// Removes a directive without a body. Throws Refusal.
void remove_directive(const Program& program, const Directive& directive, const Place& place,
                      Plan& plan);

/// Adds the edits "replace", "leave_out" and "remove" to the plan, all edits of one directive
/// together. Returns false where a directive is not in this translation unit. `may_assume`: a
/// kernel's effect that no source shows is assumed to be harmless. Throws Refusal.
bool plan_clauses(const Program& program, const std::vector<const Edit*>& edits, bool may_assume,
                  Plan& plan);

}  // namespace ompdm::edit
