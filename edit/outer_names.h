// Items of clauses in the names of calling code. A function's parameters, its local variables and
// the members of its object are written as a caller writes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trail.h"
#include "whole_program.h"

namespace ompdm::edit {

/// An item as the calling code writes it.
struct OuterItem {
  std::string text;           ///< "u[0:n * n]", "grid.u[0:grid.n]"
  std::string declared = {};  ///< declaration of a pointer that the item needs: "double *u =
                              ///< v.data();"
};

/// A place in code of the host, and the call of its function (a position in Trail::callers).
struct OuterPlace {
  const Stmt& at;
  std::uint32_t call = 0;
  const Program& unit;
  /// Pointers that are declared there so far: their values, by name.
  std::map<std::string, std::string>& declared;
};

/// How code at `place` writes an item of a call that it leads to. `is_moved`: the item's pointer is
/// set later, so that the item needs a pointer of its own. Throws Refusal where a part of the item
/// has no name at `place`.
OuterItem in_names_of(const WholeProgram& program, const Trail& trail, const Expr& item,
                      std::uint32_t call, bool is_moved, const OuterPlace& place);

/// Whether the names of an item mean the same at a statement of the same function.
bool is_visible_at(const Program& unit, const Expr& item, const Stmt& at);

/// Whether the variable's name means this variable at a statement.
bool is_visible_at(const Program& unit, const VarDecl& variable, const Stmt& at);

/// Whether each name in a text means the same variable at two statements of one function. Names
/// that are no local variables are the same.
bool means_the_same(const Program& unit, const std::string& text, const Stmt& one,
                    const Stmt& other);

/// The translation unit with this syntax tree. Null: none.
const Program* unit_of(const WholeProgram& program, const clang::ASTContext* context);

}  // namespace ompdm::edit
