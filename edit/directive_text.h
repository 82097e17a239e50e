// What is written: directives around code on whose device data stays, updates in it, and changes
// within a directive's own text.
#pragma once

#include "messages.h"
#include "program.h"
#include "residence.h"

namespace ompdm::edit {

/// Adds what a "replace", "leave_out" or "remove" asks. False: the directive is not in this
/// translation unit. Throws Refusal.
bool plan_clauses(const Program& program, const Edit& edit, Plan& plan);

/// Takes out a directive without a body. Throws Refusal.
void remove_directive(const Program& program, const Directive& directive, const Place& place,
                      Plan& plan);

/// Throws Refusal where the text has no place for it.
void write_residence(const Program& program, const clang::Stmt& code, const Stay& stay,
                     const Request& request, const Residence& residence, Plan& plan);

}  // namespace ompdm::edit
