#include "clause_items.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace ompdm::edit {
namespace {

class Mentioned : public clang::RecursiveASTVisitor<Mentioned> {
 public:
  explicit Mentioned(const clang::VarDecl& data) : data_(data) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    found = found || name->getDecl()->getCanonicalDecl() == data_.getCanonicalDecl();
    return !found;
  }
  bool found = false;

 private:
  const clang::VarDecl& data_;
};

}  // namespace

bool maps(const clang::OMPExecutableDirective& directive, const clang::VarDecl& data) {
  return lists<clang::OMPMapClause>(directive, data);
}

bool names(const clang::Stmt& code, const clang::VarDecl& data) {
  Mentioned mentioned(data);
  mentioned.TraverseStmt(const_cast<clang::Stmt*>(&code));
  return mentioned.found;
}

bool only_brings_back(const clang::OMPExecutableDirective& region, const clang::VarDecl& data) {
  if (region.hasClausesOfKind<clang::OMPIfClause>()) return false;
  bool is_mapped = false;
  for (const auto* clause : region.getClausesOfKind<clang::OMPMapClause>()) {
    for (const clang::Expr* item : clause->varlists()) {
      if (root_variable(*item) != &data) continue;
      const bool brings = clause->getMapType() == clang::OMPC_MAP_from ||
                          clause->getMapType() == clang::OMPC_MAP_alloc;
      if (!brings) return false;
      is_mapped = true;
    }
  }
  return is_mapped;
}

}  // namespace ompdm::edit
