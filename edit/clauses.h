// Changes within a directive's own text: what is mapped otherwise, left out, or not written at all.
#pragma once

#include "answer.h"
#include "program.h"
#include "request.h"

namespace ompdm::edit {

/// Adds what a "replace", "leave_out" or "remove" asks. False: the directive is not in this
/// translation unit. Throws Refusal.
bool plan_clauses(const Program& program, const Edit& edit, Plan& plan);

/// Takes out a directive without a body. Throws Refusal.
void remove_directive(const Program& program, const clang::OMPExecutableDirective& directive,
                      const Place& place, Plan& plan);

}  // namespace ompdm::edit
