// What a function's names stand for where a loop calls it: clauses are written in its directives'
// terms, and have to be written in the loop's.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <string>

#include "program.h"
#include "request.h"

namespace ompdm::edit {

/// What the item of a clause, named at a directive in a function that the loop calls, stands for in
/// the loop's own terms: several where the function is called with several data; itself where the
/// directive stands in the loop's function, or elsewhere. Throws Refusal where it stands for what
/// has no name there.
std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop, const Item& item);

/// The same of an expression in a function; empty where the loop does not call that.
std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop,
                               const clang::FunctionDecl& function, const std::string& expression);

/// The other way: what a function that the loop calls would write for an expression of the loop's,
/// whose data is `parameter` there; empty where its parameters do not tell, or calls differ.
std::string in_terms_of(const Program& program, const clang::Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression);

}  // namespace ompdm::edit
