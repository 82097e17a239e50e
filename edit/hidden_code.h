// Code that runs where no call is written: constructors, destructors, and what a variable's
// cleanup attribute names. Who looks for all that code may do has to ask for it.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include "written_code.h"

namespace ompdm::edit {

/// Whether a value of that type runs code of the program's when it ends: its own destructor, or a
/// member's, or a base's, or an element's of the standard library's containers.
bool ends_by_own_code(clang::QualType type);

/// Whether a constructor is the program's own, or runs one that is.
bool makes_by_own_code(const clang::CXXConstructExpr& made);

/// Visits code as it is written, and remembers what runs such code.
template <class Derived>
class HiddenCode : public WrittenCode<Derived> {
 public:
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (makes_by_own_code(*made)) hidden = made;
    return true;
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* made) {
    if (ends_by_own_code(made->getType())) hidden = made;
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* ended) {
    if (ends_by_own_code(ended->getDestroyedType())) hidden = ended;
    return true;
  }
  bool VisitDeclStmt(clang::DeclStmt* declared) {
    for (const clang::Decl* one : declared->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
      const bool ends = variable != nullptr && (variable->hasAttr<clang::CleanupAttr>() ||
                                                ends_by_own_code(variable->getType()));
      if (ends) hidden = declared;
    }
    return true;
  }

  const clang::Stmt* hidden = nullptr;
};

}  // namespace ompdm::edit
