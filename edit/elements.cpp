#include "elements.h"

#include <clang/AST/Expr.h>

#include <vector>

#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// What stands around an expression, parentheses and conversions of an array to a pointer left out.
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

/// Whether an expression that names an object is read or written there, and no address is taken.
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

/// Whether an index has one value around a statement, and can be asked there.
bool is_plain_index(const Program& program, const Stmt& statement, const Expr& index) {
  if (index.HasSideEffects(program.context()) || !only_names(index)) return false;
  if (index.getBeginLoc().isMacroID() || index.getEndLoc().isMacroID()) return false;
  const auto& sources = program.context().getSourceManager();
  const auto is_outside = [&](const clang::DeclRefExpr* name) {
    const clang::SourceLocation declared = name->getDecl()->getBeginLoc();
    return sources.isBeforeInTranslationUnit(declared, statement.getBeginLoc());
  };
  if (!std::ranges::all_of(all_in<clang::DeclRefExpr>(&index), is_outside)) return false;
  return stays_the_same(program, statement, text_of(program.context(), index));
}

/// The list item of the element that a name is the array of; empty: another expression.
std::string element_at(const Program& program, const Stmt& statement, const Expr& name) {
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
    items.insert(element_at(program, statement, *name));
  }
  return items.contains({}) ? std::set<std::string>() : items;
}

}  // namespace ompdm::edit
