#include "trail.h"

#include <algorithm>

namespace ompdm::edit {

namespace {

/// Whether code that is not seen knows a variable by its name.
bool is_known_everywhere(const Path& data) {
  const auto* variable = dyn_cast<const VarDecl*>(data.root);
  return variable != nullptr && variable->isExternallyVisible();
}

}  // namespace

bool Trail::may_be_of(const Access& access, const Path& data) const {
  if (access.reach != Access::Reach::kEscaped) return access.may_be_of(data);
  if (!is_whole && is_known_everywhere(data)) return true;
  return std::ranges::any_of(escaped, [&](const Path& known) {
    return known.is_same_storage(data) || data.begins_with(known);
  });
}

}  // namespace ompdm::edit
