// Changes within a directive's own text: other map types, items that go, and directives that go.
#pragma once

#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// Takes out a directive without a body. Throws Refusal.
void remove_directive(const Program& program, const Directive& directive, const Place& place,
                      Plan& plan);

/// Adds what "replace", "leave_out" and "remove" ask: of one directive all together. False: a
/// directive is not in this translation unit. `may_assume`: what a kernel does and no source shows
/// is assumed to be harmless. Throws Refusal.
bool plan_clauses(const Program& program, const std::vector<const Edit*>& edits, bool may_assume,
                  Plan& plan);

}  // namespace ompdm::edit
