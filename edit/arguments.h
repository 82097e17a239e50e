// What a function's names stand for where a loop calls it: clauses are written in its directives'
// terms, and have to be written in the loop's.
#pragma once

#include <string>

#include "program.h"
#include "request.h"

namespace ompdm::edit {

/// The item of a clause, named at a directive in a function that the loop calls, in the loop's own
/// terms; the same where the directive stands in the loop's function, or elsewhere. Throws Refusal
/// where it stands for several data, or for none that has a name there.
std::string in_terms_of(const Program& program, const clang::Stmt& loop, const Item& item);

}  // namespace ompdm::edit
