#include "trail.h"

#include <algorithm>

namespace ompdm::edit {

namespace {

/// Whether code that is not seen may know a variable by its name.
bool is_known_everywhere(const Path& data) {
  const auto* variable = dyn_cast<const VarDecl*>(data.root);
  return variable != nullptr && variable->isExternallyVisible();
}

/// Whether storage exists only in the steps from `begin` to one before `end`.
bool is_made_within(const Trail& trail, Path::Root root, std::uint32_t begin, std::uint32_t end) {
  const auto* variable = dyn_cast<const VarDecl*>(root);
  const bool is_kept =
      variable == nullptr ? !isa<const Allocation*>(root) : !variable->hasLocalStorage();
  if (is_kept) return false;
  const auto* parameter = dyn_cast_or_null<clang::ParmVarDecl>(variable);
  bool is_made = parameter != nullptr;
  for (std::uint32_t i = 0; i < trail.steps.size(); ++i) {
    const Step& step = trail.steps[i];
    const bool is_within = begin <= i && i < end;
    if (parameter != nullptr && step.function != nullptr && !is_within &&
        step.function->getCanonicalDecl() ==
            cast<FunctionDecl>(parameter->getDeclContext())->getCanonicalDecl()) {
      return false;
    }
    if (step.kind != Step::Kind::kMade || trail.accesses[step.access].path.root != root) continue;
    if (!is_within) return false;
    is_made = true;
  }
  return is_made;
}

}  // namespace

bool Trail::is_of_one_thread(const std::set<Path>& data, std::uint32_t begin,
                             std::uint32_t end) const {
  std::set<Path::Root> known;
  std::vector<Path::Root> open;
  const auto add = [&](Path::Root root) {
    if (known.insert(root).second) open.push_back(root);
  };
  for (const Path& path : data) add(path.root);
  while (!open.empty()) {
    const Path::Root root = open.back();
    open.pop_back();
    const bool is_escaped =
        std::ranges::any_of(escaped, [&](const Path& path) { return path.root == root; });
    if (root.isNull() || is_escaped || !is_made_within(*this, root, begin, end)) return false;
    const auto found = holders.find(root);
    if (found == holders.end()) continue;
    for (const Path::Root holder : found->second) add(holder);
  }
  return !data.empty();
}

bool Trail::may_be_of(const Access& access, const Path& data) const {
  if (access.reach != Access::Reach::kEscaped) return access.may_be_of(data);
  if (!is_whole && is_known_everywhere(data)) return true;
  return std::ranges::any_of(escaped, [&](const Path& known) {
    return known.is_same_storage(data) || data.begins_with(known);
  });
}

}  // namespace ompdm::edit
