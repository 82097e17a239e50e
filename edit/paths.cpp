#include "paths.h"

#include <algorithm>

namespace ompdm::edit {

Path Path::with(const clang::FieldDecl* step) const {
  Path longer = *this;
  // Members of a union share their storage. A path that follows the same member twice, as in a
  // list, is cut to the first time.
  const auto known = step == nullptr ? steps.end() : std::ranges::find(steps, step);
  if (known != steps.end()) {
    longer.steps.resize(static_cast<std::size_t>(known - steps.begin()) + 1);
  } else if (step == nullptr || !step->getParent()->isUnion()) {
    longer.steps.push_back(step);
  }
  return longer;
}

Path Path::with(std::span<const clang::FieldDecl* const> more) const {
  Path longer = *this;
  for (const clang::FieldDecl* step : more) longer = longer.with(step);
  return longer;
}

bool Path::is_through_pointer() const { return std::ranges::find(steps, nullptr) != steps.end(); }

bool Path::begins_with(const Path& other) const {
  return root == other.root && steps.size() >= other.steps.size() &&
         std::equal(other.steps.begin(), other.steps.end(), steps.begin());
}

bool is_below(const Path& longer, const Path& shorter) {
  const auto rest = longer.steps.begin() + static_cast<std::ptrdiff_t>(shorter.steps.size());
  return std::find(rest, longer.steps.end(), nullptr) != longer.steps.end();
}

bool Path::is_same_storage(const Path& other) const {
  return (begins_with(other) && !is_below(*this, other)) ||
         (other.begins_with(*this) && !is_below(other, *this));
}

bool holds_pointers(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isArrayType())
    return holds_pointers(clang::QualType(type->getBaseElementTypeUnsafe(), 0));
  if (type->isAnyPointerType() || type->isIncompleteType() || type->isDependentType()) return true;
  const clang::RecordDecl* record = type->getAsRecordDecl();
  if (record == nullptr) return false;
  const bool is_part = std::ranges::any_of(record->fields(), [](const auto* field) {
    return field->getType()->isReferenceType() || holds_pointers(field->getType());
  });
  const auto* derived = dyn_cast<clang::CXXRecordDecl>(record);
  return is_part ||
         (derived != nullptr && std::ranges::any_of(derived->bases(), [](const auto& base) {
            return holds_pointers(base.getType());
          }));
}

}  // namespace ompdm::edit
