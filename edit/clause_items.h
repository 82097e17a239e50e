// Which clauses of a directive name a variable.
#pragma once

#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtOpenMP.h>

#include "names.h"

namespace ompdm::edit {

/// Of clauses that the program has, without those that the compiler adds: it gives a region the
/// value of each pointer that no clause names.
inline constexpr bool kWritten = true;

/// Whether clauses of a kind name the data.
template <class Clause>
bool lists(const clang::OMPExecutableDirective& directive, const clang::VarDecl& data,
           bool is_written = false) {
  for (const auto* clause : directive.getClausesOfKind<Clause>()) {
    if (is_written && clause->isImplicit()) continue;
    for (const clang::Expr* item : clause->varlists()) {
      const clang::VarDecl* variable = root_variable(*item);
      if (variable != nullptr && variable->getCanonicalDecl() == data.getCanonicalDecl()) {
        return true;
      }
    }
  }
  return false;
}

/// Whether a directive's map clauses name the data.
bool maps(const clang::OMPExecutableDirective& directive, const clang::VarDecl& data);

/// Whether code has the data's name in it, clauses included.
bool names(const clang::Stmt& code, const clang::VarDecl& data);

/// Whether a region in any case runs on a device and maps the data `from` or `alloc`, no way else.
bool only_brings_back(const clang::OMPExecutableDirective& region, const clang::VarDecl& data);

}  // namespace ompdm::edit
