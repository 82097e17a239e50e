// What has to hold of a program so that data may be on the device around code: it has memory, no
// other thread uses it, directives come in pairs, and mean the same with the data there.
// OpenMP 5.2, sections 5.8.6, 10.1, 11.1, 12.5 and 13.9.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"
#include "scopes.h"

namespace ompdm::edit {

/// Throws Refusal where another input may leave the data without memory: it is not allocated for
/// certain before the code, and no directive in the code maps it for certain. `scopes` are all that
/// knows it.
void expect_memory(const Program& program, const clang::Stmt& code, const clang::VarDecl& data,
                   const std::vector<Scope>& scopes);

/// Throws Refusal where a thread of a construct around the code may use the data beside it. What is
/// declared in the construct, and reached by its name alone, each thread has for itself; what one
/// thread alone runs, and nothing else in the construct names, no other uses.
void expect_no_other_thread(const Program& program, const clang::Stmt& code,
                            const std::vector<const clang::VarDecl*>& data);

/// Throws Refusal unless the directive enters what another one of the same block exits, or the
/// reverse, each time that the block is run. `all` are those that name `data` in the scope.
void expect_pair(const Program& program, const Directive& directive,
                 const std::vector<const Directive*>& all, const clang::VarDecl& data);

/// Throws Refusal where the host reads or writes data while a directive of the program's own holds
/// it, or they drop what kernels wrote: with the data on the device around them that would change.
void expect_nothing_else_meant(const Program& program, const Scope& scope);

/// Throws Refusal where a directive outside of the code may hold the data, so that an update of it
/// does not only what the code needs. `data` are the names around the code that it may have there.
void expect_mapped_here_alone(const Program& program, const clang::Stmt& code,
                              const Directive& update,
                              const std::vector<const clang::VarDecl*>& data);

}  // namespace ompdm::edit
