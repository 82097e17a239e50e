// Code that runs where no call is written: constructors, destructors, and what a variable's
// cleanup attribute names. Who looks for all that code may do has to ask for it.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtOpenMP.h>

#include "written_code.h"

namespace ompdm::edit {

/// Whether a value of that type runs code of the program's when it ends: its own destructor, or a
/// member's, or a base's, or an element's of the standard library's containers.
bool ends_by_own_code(clang::QualType type);

/// Whether a constructor is the program's own, or runs one that is.
bool makes_by_own_code(const clang::CXXConstructExpr& made);

/// Whether a statement calls a function of the program's own; null does not.
bool calls_own_code(const clang::Stmt* statement);

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

  bool VisitCXXNewExpr(clang::CXXNewExpr* made) {
    const clang::FunctionDecl* get = made->getOperatorNew();
    if (get != nullptr && get->hasBody()) hidden = made;
    return true;
  }
  /// Its begin, its end and its steps are calls that are not written.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
    for (clang::Stmt* part :
         {static_cast<clang::Stmt*>(loop->getBeginStmt()),
          static_cast<clang::Stmt*>(loop->getEndStmt()), static_cast<clang::Stmt*>(loop->getCond()),
          static_cast<clang::Stmt*>(loop->getInc())}) {
      if (calls_own_code(part)) hidden = loop;
    }
    return true;
  }
  bool VisitDecompositionDecl(clang::DecompositionDecl* declared) {
    for (const clang::BindingDecl* one : declared->bindings()) {
      const clang::VarDecl* holder = one->getHoldingVar();
      if (holder != nullptr && calls_own_code(holder->getInit())) hidden = holder->getInit();
    }
    return true;
  }
  /// Members that are not named in it may have initializers of their own.
  bool VisitInitListExpr(clang::InitListExpr* list) {
    const clang::InitListExpr* whole = list->isSemanticForm() ? list : list->getSemanticForm();
    for (const clang::Expr* one : whole == nullptr ? list->inits() : whole->inits()) {
      const auto* value = llvm::dyn_cast_or_null<clang::CXXDefaultInitExpr>(one);
      if (value != nullptr && calls_own_code(value->getExpr())) hidden = list;
    }
    return true;
  }
  /// What `declare reduction` says.
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
    for (const auto* clause : directive->getClausesOfKind<clang::OMPReductionClause>()) {
      for (const clang::Expr* combined : clause->reduction_ops()) {
        if (calls_own_code(combined)) hidden = directive;
      }
    }
    return true;
  }

  const clang::Stmt* hidden = nullptr;
};

}  // namespace ompdm::edit
