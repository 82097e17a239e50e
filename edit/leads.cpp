#include "leads.h"

namespace ompdm::edit {
namespace {

/// "double" of double, double*, double[3][4] and double**&; null of none, as void and classes are.
const clang::BuiltinType* scalar_of(clang::QualType type) {
  for (;;) {
    type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
    if (const auto* pointer = type->getAs<clang::PointerType>()) {
      type = pointer->getPointeeType();
    } else if (const auto* array = type->getAsArrayTypeUnsafe()) {
      type = array->getElementType();
    } else {
      const auto* scalar = type->getAs<clang::BuiltinType>();
      const bool is_any = scalar == nullptr || scalar->isVoidType() || type->isAnyCharacterType();
      return is_any ? nullptr : scalar;
    }
  }
}

}  // namespace

bool are_unlike(clang::QualType one, clang::QualType other) {
  const auto* left = scalar_of(one);
  const auto* right = scalar_of(other);
  return left != nullptr && right != nullptr && left->getKind() != right->getKind();
}

}  // namespace ompdm::edit
