// The code that a loop runs with data: its own, and that of functions which run regions, too, and
// know the data as a parameter or a global variable.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "pointer_uses.h"
#include "program.h"

namespace ompdm::edit {

struct Scope {
  const clang::Stmt* code = nullptr;              ///< the loop, or a function's body
  const clang::VarDecl* data = nullptr;           ///< as it is called there
  const clang::FunctionDecl* function = nullptr;  ///< null: the loop itself
  std::vector<Mention> mentions;                  ///< on the host
};

/// Throws Refusal where code that is not seen may use the data, or a function makes
/// its name stand for other data.
std::vector<Scope> scopes_of(const Program& program, const clang::Stmt& loop,
                             const clang::VarDecl& data);

/// Throws Refusal unless the function is called in the loop alone, and by the host: what is written
/// into it for this loop's sake is reached from nowhere else.
void expect_called_here_alone(const Program& program, const clang::Stmt& loop,
                              const clang::FunctionDecl& function);

}  // namespace ompdm::edit
