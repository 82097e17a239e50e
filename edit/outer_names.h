// Items of clauses in the names of code around: a function's parameters, its locals and the members
// of its object are written as a caller writes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trail.h"
#include "whole_program.h"

namespace ompdm::edit {

/// An item as code around writes it.
struct OuterItem {
  std::string text;           ///< "u[0:n * n]", "grid.u[0:grid.n]"
  std::string declared = {};  ///< a pointer that has to be declared before: "double *u = v.data();"
};

/// A place in code of the host, and the call of its function (a position in Trail::callers).
struct OuterPlace {
  const Stmt& at;
  std::uint32_t call = 0;
  const Program& unit;
  /// Pointers that are declared there so far: their values, by name.
  std::map<std::string, std::string>& declared;
};

/// How code writes before `place` what `item` stands for in a call that it leads to. `is_moved`:
/// its pointer is set later, so that it needs another one. Throws Refusal where something of it has
/// no name there.
OuterItem in_names_of(const WholeProgram& program, const Trail& trail, const Expr& item,
                      std::uint32_t call, bool is_moved, const OuterPlace& place);

/// Whether a name of the item means the same at a statement of the same function.
bool is_visible_at(const Program& unit, const Expr& item, const Stmt& at);

/// Whether the variable's name means it at a statement.
bool is_visible_at(const Program& unit, const VarDecl& variable, const Stmt& at);

/// Whether all names in a text are the same variables at two statements of one function, or none of
/// its own.
bool means_the_same(const Program& unit, const std::string& text, const Stmt& one,
                    const Stmt& other);

/// The translation unit of a declaration or of a step's code; null of none.
const Program* unit_of(const WholeProgram& program, const clang::ASTContext* context);

}  // namespace ompdm::edit
