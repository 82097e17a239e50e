// Ways through code: what is run in any case and what under conditions, calls of what is not seen,
// and whether directives can be written around a statement, and are then reached.
#pragma once

#include <clang/AST/Expr.h>

#include <functional>

#include "program.h"

namespace ompdm::edit {

class WholeProgram;

/// Whether a statement decides if a part of it is run.
bool decides(const Stmt& statement, const Stmt* part);

/// Whether a run that comes to the end of `outer` has come by `inner`; of a loop, of a run that
/// makes a pass.
bool is_certain(const Program& program, const Stmt& inner, const Stmt& outer);

/// Whether an expression is one of several by a condition.
bool has_choice(const Expr& expression);

/// The first call by the host of what is not seen, a function of another file or library, or what a
/// pointer leads to: in code, or in a function that is called from there. Null if all is seen, or
/// is the system's.
const CallExpr* unseen_call_in(const Stmt& code);

/// Throws Refusal where a function that the loop calls may leave it by throw or longjmp, or ends
/// the program while others may still look at the data, which `is_global` says.
void expect_no_other_way_out(const Program& program, const Stmt& loop, bool is_global);

/// The same of functions in other sources, and of what these catch, or run when the program ends.
/// `whole` is asked for where the code calls such functions.
void expect_no_other_way_out(const Program& program, const Stmt& code,
                             const std::function<const WholeProgram&()>& whole);

/// Throws Refusal where a statement may be left in a way that passes by what stands behind it.
void expect_end_is_reached(const Program& program, const Stmt& statement);

/// Whether code of a translation unit runs that nothing calls: at the end of variables with a
/// cleanup, of objects that live as long as the program, and of the program.
bool has_late_code(const Program& unit);

}  // namespace ompdm::edit
