#include "derived.h"

#include <clang/AST/Expr.h>

#include <algorithm>
#include <vector>

#include "clause_items.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;

/// The region that a statement is in; null of what the host runs.
const clang::OMPExecutableDirective* region_around(const Program& program,
                                                   const clang::Stmt& statement) {
  for (const clang::Stmt* at = &statement; at != nullptr; at = program.parent_of(*at)) {
    const auto* directive = dyn_cast<clang::OMPExecutableDirective>(at);
    if (directive != nullptr && runs_on_device(*directive)) return directive;
  }
  return nullptr;
}

class NamesOf : public WrittenCode<NamesOf> {
 public:
  explicit NamesOf(const clang::VarDecl& pointer) : pointer_(pointer) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() == pointer_.getCanonicalDecl()) all.push_back(name);
    return true;
  }
  std::vector<const clang::Stmt*> all;

 private:
  const clang::VarDecl& pointer_;
};

}  // namespace

const clang::VarDecl* base_variable(const clang::Expr& expression) {
  const clang::Expr* plain = expression.IgnoreParenCasts();
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(plain)) {
    return dyn_cast<clang::VarDecl>(name->getDecl());
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(plain)) {
    if (!binary->isAdditiveOp()) return nullptr;
    const bool is_left =
        binary->getLHS()->getType()->isPointerType() || binary->getLHS()->getType()->isArrayType();
    return base_variable(is_left ? *binary->getLHS() : *binary->getRHS());
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(plain)) {
    const auto* element =
        unary->getOpcode() == clang::UO_AddrOf
            ? dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens())
            : nullptr;
    return element == nullptr ? nullptr : base_variable(*element->getBase());
  }
  // A row of an array of arrays.
  const auto* row = dyn_cast<clang::ArraySubscriptExpr>(plain);
  return row != nullptr && row->getType()->isArrayType() ? base_variable(*row->getBase()) : nullptr;
}

const clang::VarDecl* derived_from(const clang::VarDecl& pointer) {
  const bool is_one = pointer.isLocalVarDecl() && !pointer.hasGlobalStorage() &&
                      pointer.getType()->isPointerType() && pointer.getInit() != nullptr;
  const clang::VarDecl* base = is_one ? base_variable(*pointer.getInit()) : nullptr;
  const bool is_base = base != nullptr && base != &pointer &&
                       (base->getType()->isPointerType() || base->getType()->isArrayType());
  return is_base ? base->getCanonicalDecl() : nullptr;
}

bool is_declared_beside(const Program& program, const clang::VarDecl& pointer,
                        const clang::Stmt& at) {
  return pointer.getInit() != nullptr &&
         region_around(program, *pointer.getInit()) == region_around(program, at);
}

bool stays_on_its_side(const Program& program, const clang::VarDecl& pointer,
                       const clang::Stmt& code) {
  NamesOf names(pointer);
  names.TraverseStmt(const_cast<clang::Stmt*>(&code));
  const bool is_beside = std::ranges::all_of(names.all, [&](const clang::Stmt* name) {
    return is_declared_beside(program, pointer, *name);
  });
  return is_beside && std::ranges::none_of(program.directives_in(code), [&](const auto* directive) {
           return lists<clang::OMPMapClause>(*directive, pointer, kWritten) ||
                  lists<clang::OMPToClause>(*directive, pointer) ||
                  lists<clang::OMPFromClause>(*directive, pointer);
         });
}

}  // namespace ompdm::edit
