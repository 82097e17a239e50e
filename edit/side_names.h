// Where code names a variable on one side: on the host, or in a region that runs on a device.
#pragma once

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtOpenMP.h>

#include <algorithm>
#include <vector>

#include "program.h"
#include "written_code.h"

namespace ompdm::edit {

/// The statements of one side: the host's, or a region's.
class SideNames : public WrittenCode<SideNames> {
 public:
  SideNames(const clang::VarDecl& variable, bool on_device)
      : variable_(variable), device_(on_device) {}

  bool dataTraverseStmtPre(clang::Stmt* statement) {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
    if (directive == nullptr || device_) return true;
    if (is_asked_by(*directive)) in_clauses.push_back(directive);
    return !runs_on_device(*directive);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() == variable_.getCanonicalDecl()) found.push_back(name);
    // A clause's expression that is computed before its directive.
    auto* captured = llvm::dyn_cast<clang::OMPCapturedExprDecl>(name->getDecl());
    return captured == nullptr || TraverseStmt(captured->getInit());
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* argument) {
    return TraverseStmt(argument->getExpr());
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      if (capture.capturesVariable() &&
          capture.getCapturedVar()->getCanonicalDecl() == variable_.getCanonicalDecl()) {
        captured.push_back(lambda);
      }
    }
    return true;
  }

  std::vector<const clang::DeclRefExpr*> found;
  std::vector<const clang::Stmt*> captured;
  std::vector<const clang::Stmt*> in_clauses;

 private:
  /// Whether a clause that moves no data names it: num_threads(u[0]), reduction(+: u[0:n]).
  bool is_asked_by(const clang::OMPExecutableDirective& directive) const {
    return std::ranges::any_of(directive.clauses(), [&](const clang::OMPClause* clause) {
      const bool is_moved = llvm::isa<clang::OMPMapClause, clang::OMPToClause, clang::OMPFromClause,
                                      clang::OMPUseDevicePtrClause, clang::OMPUseDeviceAddrClause,
                                      clang::OMPIsDevicePtrClause, clang::OMPHasDeviceAddrClause,
                                      clang::OMPDependClause, clang::OMPSharedClause>(clause);
      const bool is_of_region = runs_on_device(directive) &&
                                llvm::isa<clang::OMPFirstprivateClause, clang::OMPPrivateClause,
                                          clang::OMPReductionClause>(clause);
      if (clause == nullptr || is_moved || is_of_region || clause->isImplicit()) return false;
      return std::ranges::any_of(clause->children(), [&](const clang::Stmt* child) {
        return child != nullptr && is_in(*child);
      });
    });
  }

  bool is_in(const clang::Stmt& code) const {
    SideNames inner(variable_, true);
    inner.TraverseStmt(const_cast<clang::Stmt*>(&code));
    return !inner.found.empty();
  }

  const clang::VarDecl& variable_;
  bool device_;
};

}  // namespace ompdm::edit
