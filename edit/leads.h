// What names in code may lead to storage, and to what kind of it.
#pragma once

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <utility>

#include "hidden_code.h"

namespace ompdm::edit {

/// Objects of unlike types are not the same (C17 6.5, paragraph 7; C++20 [basic.lval]).
bool are_unlike(clang::QualType one, clang::QualType other);

/// What may lead to storage, on the host or in a region: pointers, arrays, references, objects; and
/// `this`.
class Leads : public HiddenCode<Leads> {
 public:
  explicit Leads(const clang::SourceManager& sources) : sources_(sources) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr) return true;
    const clang::QualType type = variable->getType();
    const bool leads = type->isPointerType() || type->isArrayType() || type->isReferenceType() ||
                       type->isRecordType();
    // What belongs to a called function comes to it by what the call names.
    const bool is_of_callee = depth_ > 0 && !variable->hasGlobalStorage();
    if (leads && !is_of_callee) all.emplace(variable->getCanonicalDecl(), name);
    return true;
  }
  bool VisitCXXThisExpr(clang::CXXThisExpr* at) {
    if (depth_ == 0) this_at = at;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    if (called == nullptr || !called->hasBody(defined)) return true;
    if (sources_.isInSystemHeader(defined->getLocation()) || !bodies_.insert(defined).second) {
      return true;
    }
    ++depth_;
    TraverseStmt(defined->getBody());
    --depth_;
    return true;
  }

  std::set<std::pair<const clang::VarDecl*, const clang::Stmt*>> all;
  const clang::Stmt* this_at = nullptr;

 private:
  const clang::SourceManager& sources_;
  std::set<const clang::FunctionDecl*> bodies_;
  int depth_ = 0;
};

}  // namespace ompdm::edit
