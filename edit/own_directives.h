// What a program's own data directives mean for the host besides what they move, and for updates
// that only do something while they hold. OpenMP 5.2, sections 5.8.6 and 13.9.
#pragma once

#include <vector>

#include "regions.h"
#include "scopes.h"

namespace ompdm::edit {

/// Throws Refusal where the host reads or writes data while a directive of the program's own holds
/// it, or they drop what kernels wrote: with the data on the device around them that would change.
void expect_nothing_else_meant(const Program& program, const Scope& scope, const DeviceUses& uses);

/// Throws Refusal where a directive outside of the code may hold the data, so that an update of it
/// does not only what the code needs. `data` are the names around the code that it may have there.
void expect_mapped_here_alone(const Program& program, const clang::Stmt& code,
                              const clang::OMPExecutableDirective& update,
                              const std::vector<const clang::VarDecl*>& data);

}  // namespace ompdm::edit
