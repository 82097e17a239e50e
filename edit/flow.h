// Control flow: which code is run in any case, and which under conditions. Calls of functions whose
// bodies are not seen. Whether directives can be written around a statement and are then executed.
#pragma once

#include <clang/AST/Expr.h>

#include <functional>

#include "program.h"

namespace ompdm::edit {

class WholeProgram;

/// Whether a statement decides if its part `part` is run.
bool decides(const Stmt& statement, const Stmt* part);

/// Whether each run that reaches the end of `outer` has executed `inner`. For a loop: each run that
/// has an iteration.
bool is_certain(const Program& program, const Stmt& inner, const Stmt& outer);

/// Whether an expression has a conditional operator.
bool has_choice(const Expr& expression);

/// The first call by the host whose body is not seen, in code or in functions that it calls. Such a
/// call is of a function of another file or library, or by a pointer. Null: all bodies are seen, or
/// are the system's.
const CallExpr* unseen_call_in(const Stmt& code);

/// Throws Refusal where a function that the loop calls may leave the loop by throw or longjmp.
/// Throws it also where such a function ends the program while other code may still read the data.
/// `is_global`: some of the data lives as long as the program.
void expect_no_other_way_out(const Program& program, const Stmt& loop, bool is_global);

/// The same for functions in other sources. These may be caught there, or run code when the program
/// ends. `whole` is called only where the code calls such functions.
void expect_no_other_way_out(const Program& program, const Stmt& code,
                             const std::function<const WholeProgram&()>& whole);

/// Throws Refusal where a jump out of a statement may skip the code behind it.
void expect_end_is_reached(const Program& program, const Stmt& statement);

/// Whether a translation unit has code that runs without a call. Such code runs at the end of
/// variables with a cleanup, of objects that live as long as the program, or of the program.
bool has_late_code(const Program& unit);

}  // namespace ompdm::edit
