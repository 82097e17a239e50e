#include "hidden_code.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace ompdm::edit {
namespace {

/// Whether any of the types that a template of the standard library is made for is so.
template <class Is>
bool any_argument(const clang::CXXRecordDecl& record, Is&& is) {
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (made == nullptr) return false;
  return std::ranges::any_of(made->getTemplateArgs().asArray(), [&](const auto& argument) {
    return argument.getKind() == clang::TemplateArgument::Type && is(argument.getAsType());
  });
}

/// Whether any member or base is so.
template <class Is>
bool any_part(const clang::CXXRecordDecl& record, Is&& is) {
  return std::ranges::any_of(record.fields(),
                             [&](const auto* field) { return is(field->getType()); }) ||
         std::ranges::any_of(record.bases(), [&](const auto& base) { return is(base.getType()); });
}

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() ? record->getDefinition() : nullptr;
}

/// Of a value that is made from nothing.
bool begins_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || record->hasTrivialDefaultConstructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, begins_by_own_code);
  return record->hasUserDeclaredConstructor() || record->hasInClassInitializer() ||
         any_part(*record, begins_by_own_code);
}

}  // namespace

bool ends_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || type->isReferenceType() || record->hasTrivialDestructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, ends_by_own_code);
  return record->hasUserDeclaredDestructor() || any_part(*record, ends_by_own_code);
}

bool makes_by_own_code(const clang::CXXConstructExpr& made) {
  const clang::CXXConstructorDecl* constructor = made.getConstructor();
  if (constructor->isTrivial()) return false;
  const clang::CXXRecordDecl& record = *constructor->getParent();
  if (record.isInStdNamespace()) return any_argument(record, begins_by_own_code);
  if (constructor->isUserProvided()) return true;
  const auto is_copied_by_own_code = [](clang::QualType type) {
    const clang::CXXRecordDecl* part = record_of(type);
    return part != nullptr && !part->isInStdNamespace() && !part->hasTrivialCopyConstructor();
  };
  return constructor->isCopyOrMoveConstructor() ? any_part(record, is_copied_by_own_code)
                                                : begins_by_own_code(made.getType());
}

bool calls_own_code(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const auto is_system = [&] {
      const clang::SourceManager& sources = called->getASTContext().getSourceManager();
      return called->getBuiltinID() != 0 || sources.isInSystemHeader(called->getLocation());
    };
    if (called == nullptr || !is_system()) return true;
  }
  return std::ranges::any_of(statement->children(), calls_own_code);
}

}  // namespace ompdm::edit
