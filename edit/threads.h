// Constructs around code whose threads or tasks may use its data at the same time. OpenMP 5.2,
// sections 10.1, 11.1 and 12.5.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where a thread of a construct around the code may use the data beside it. What is
/// declared in the construct, and reached by its name alone, each thread has for itself; what one
/// thread alone runs, and nothing else in the construct names, no other uses.
void expect_no_other_thread(const Program& program, const clang::Stmt& code,
                            const std::vector<const clang::VarDecl*>& data);

}  // namespace ompdm::edit
