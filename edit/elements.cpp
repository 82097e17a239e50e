#include "elements.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <vector>

#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// The expression or statement around an expression. Parentheses, and conversions of an array to a
/// pointer, are left out.
const Stmt* user_of(const Program& program, const Stmt& expression) {
  const Stmt* at = program.parent_of(expression);
  while (at != nullptr) {
    const auto* cast = dyn_cast<clang::ImplicitCastExpr>(at);
    const bool is_same =
        cast != nullptr &&
        (cast->getCastKind() == clang::CK_ArrayToPointerDecay ||
         (cast->getCastKind() == clang::CK_LValueToRValue && cast->getType()->isPointerType()));
    if (!is_same && !isa<clang::ParenExpr>(at)) return at;
    at = program.parent_of(*at);
  }
  return nullptr;
}

/// Whether an expression of an object only reads or writes it, and does not take its address.
bool is_value(const Program& program, const Expr& object) {
  const Stmt* user = program.parent_of(object);
  while (isa_and_nonnull<clang::ParenExpr>(user)) user = program.parent_of(*user);
  if (const auto* member = dyn_cast_or_null<clang::MemberExpr>(user)) {
    const bool is_data = isa<clang::FieldDecl>(member->getMemberDecl()) && !member->isArrow() &&
                         !member->getType()->isPointerType() && !member->getType()->isArrayType();
    return is_data && is_value(program, *member);
  }
  if (const auto* cast = dyn_cast_or_null<clang::ImplicitCastExpr>(user)) {
    return cast->getCastKind() == clang::CK_LValueToRValue && !cast->getType()->isPointerType();
  }
  if (const auto* assignment = dyn_cast_or_null<clang::BinaryOperator>(user)) {
    return assignment->isAssignmentOp() && assignment->getLHS()->IgnoreParens() == &object;
  }
  const auto* step = dyn_cast_or_null<clang::UnaryOperator>(user);
  return step != nullptr && step->isIncrementDecrementOp();
}

/// Whether a statement evaluates an expression in any case.
bool is_evaluated(const Program& program, const Stmt& statement, const Stmt& use) {
  const Stmt* child = &use;
  while (child != &statement) {
    const Stmt* at = program.parent_of(*child);
    if (at == nullptr || isa<clang::LambdaExpr, clang::StmtExpr>(at)) return false;
    const auto* binary = dyn_cast<clang::BinaryOperator>(at);
    if (binary != nullptr && binary->isLogicalOp() && child == binary->getRHS()) return false;
    const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(at);
    if (choice != nullptr && child != choice->getCond()) return false;
    if (const auto* branch = dyn_cast<clang::IfStmt>(at)) {
      if (child == branch->getThen() || child == branch->getElse()) return false;
    } else if (!isa<Expr, clang::DeclStmt, clang::ReturnStmt>(at)) {
      return false;
    }
    child = at;
  }
  return true;
}

/// Whether only code that names a variable can set it: no pointer, reference or lambda leads to it.
bool is_set_by_name(const Program& program, const VarDecl& variable) {
  const clang::QualType type = variable.getType();
  if (type->isReferenceType() || type.isVolatileQualified()) return false;
  if (type.isConstQualified()) return true;
  const FunctionDecl* function = function_of(variable);
  if (variable.hasGlobalStorage() || function == nullptr || !function->hasBody()) return false;
  const auto is_plain = [&](const clang::DeclRefExpr* name) {
    const Stmt* user = program.parent_of(*name);
    while (isa_and_nonnull<clang::ParenExpr>(user)) user = program.parent_of(*user);
    if (const auto* cast = dyn_cast_or_null<clang::ImplicitCastExpr>(user)) {
      return cast->getCastKind() == clang::CK_LValueToRValue;
    }
    if (const auto* assignment = dyn_cast_or_null<clang::BinaryOperator>(user)) {
      return assignment->isAssignmentOp() && assignment->getLHS()->IgnoreParens() == name;
    }
    if (const auto* step = dyn_cast_or_null<clang::UnaryOperator>(user)) {
      return step->isIncrementDecrementOp();
    }
    // Constructs of OpenMP capture it.
    return isa_and_nonnull<clang::CapturedStmt, Directive>(user);
  };
  const auto has_it = [&](const clang::LambdaExpr* lambda) {
    return llvm::any_of(lambda->captures(), [&](const clang::LambdaCapture& one) {
      return one.capturesVariable() && one.getCapturedVar() == &variable &&
             one.getCaptureKind() == clang::LCK_ByRef;
    });
  };
  return std::ranges::none_of(all_in<clang::LambdaExpr>(function->getBody()), has_it) &&
         std::ranges::all_of(edit::names_of(function->getBody(), variable), is_plain);
}

/// Whether an index has one value around a statement, and can be evaluated there.
bool is_plain_index(const Program& program, const Stmt& statement, const Expr& index) {
  if (index.HasSideEffects(program.context()) || !only_names(index)) return false;
  bool is_plain = true;
  const auto& sources = program.context().getSourceManager();
  each_statement(&index, [&](const Stmt& one) {
    is_plain = is_plain && !one.getBeginLoc().isMacroID() && !one.getEndLoc().isMacroID();
    const auto* name = dyn_cast<clang::DeclRefExpr>(&one);
    if (name == nullptr || isa<clang::EnumConstantDecl>(name->getDecl())) return;
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    is_plain = is_plain && variable != nullptr && is_set_by_name(program, *variable) &&
               sources.isBeforeInTranslationUnit(variable->getBeginLoc(), statement.getBeginLoc());
  });
  return is_plain && stays_the_same(program, statement, text_of(program.context(), index));
}

/// The list item of the element that an array's name belongs to. Empty: another expression.
std::string element_at(const Program& program, const Stmt& statement, const Expr& name) {
  if (name.getBeginLoc().isMacroID()) return {};
  std::string item = text_of(program.context(), name);
  const Expr* element = &name;
  for (;;) {
    const auto* one = dyn_cast_or_null<clang::ArraySubscriptExpr>(user_of(program, *element));
    const bool is_indexed = one != nullptr && program.is_within(*element, *one->getBase());
    if (!is_indexed || !is_plain_index(program, statement, *one->getIdx())) return {};
    item += '[' + text_of(program.context(), *one->getIdx()) + ":1]";
    element = one;
    if (!one->getType()->isArrayType()) break;
  }
  const bool is_one = !element->getType()->isPointerType() && is_value(program, *element);
  return is_one ? item : std::string();
}

}  // namespace

std::set<std::string> elements_of(const Program& program, const Stmt& statement,
                                  const VarDecl& data, const Stmt& use) {
  const auto* assignment = dyn_cast<clang::BinaryOperator>(&use);
  const bool is_set = assignment != nullptr && assignment->isAssignmentOp();
  std::set<std::string> items;
  for (const auto* name : names_of(is_set ? assignment->getLHS() : &use, data)) {
    const bool is_certain = is_evaluated(program, statement, *name);
    items.insert(is_certain ? element_at(program, statement, *name) : std::string());
  }
  return items.contains({}) ? std::set<std::string>() : items;
}

}  // namespace ompdm::edit
