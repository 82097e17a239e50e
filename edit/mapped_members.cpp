#include "mapped_members.h"

#include <algorithm>

#include "paths.h"

namespace ompdm::edit {

MappedMembers::MappedMembers(const Trail& trail) : trail_(trail) {
  for (const Naming& naming : trail.namings) {
    for (const Path& pointer : naming.pointers) {
      if (pointer.steps.empty() || pointer.steps.back() == nullptr) continue;
      Path object = pointer;
      object.steps.pop_back();
      named_[object][naming.step].insert(pointer.steps.back());
    }
  }
}

std::map<Path, MappedMembers::Members> MappedMembers::members_of(const Naming& naming) {
  std::map<Path, Members> all;
  // In the calling code, a pointer that got its value from a member is written as the member.
  for (const std::set<Path>* paths : {&naming.pointers, &naming.values}) {
    for (const Path& path : *paths) {
      const clang::FieldDecl* field = path.steps.empty() ? nullptr : path.steps.back();
      if (field == nullptr || !holds_pointers(field->getType())) continue;
      Path object = path;
      object.steps.pop_back();
      all[object].insert(field);
    }
  }
  return all;
}

void MappedMembers::keep(const Naming& naming) {
  for (const auto& [object, members] : members_of(naming)) {
    kept_[object].insert(members.begin(), members.end());
  }
}

bool MappedMembers::need_pointer(const Naming& naming, const Span& span) const {
  for (const auto& [object, members] : members_of(naming)) {
    const auto kept = kept_.find(object);
    if (kept == kept_.end()) continue;
    if (is_used_beside(object, span)) return true;
    const auto named = named_.find(object);
    if (named == named_.end()) continue;
    for (const auto& [step, others] : named->second) {
      const bool are_apart = kept->second.size() == 1 && others.size() == 1;
      const bool are_within =
          span.holds(step) && std::ranges::includes(kept->second, others, std::less());
      if (!are_apart && !are_within && others != kept->second) return true;
    }
  }
  return false;
}

bool MappedMembers::is_used_beside(const Path& object, const Span& span) const {
  std::set<Path> mapped;
  for (const Naming& other : trail_.namings) {
    if (span.holds(other.step)) mapped.insert(other.pointers.begin(), other.pointers.end());
  }
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    const Step& step = trail_.steps[i];
    if (step.kind != Step::Kind::kAccess || !step.on_device) continue;
    const Path& path = trail_.accesses[step.access].path;
    if (!path.begins_with(object) || path.steps.size() <= object.steps.size()) continue;
    const bool is_pointers =
        std::ranges::any_of(mapped, [&](const Path& one) { return path.begins_with(one); });
    if (!is_pointers) return true;
  }
  return false;
}

}  // namespace ompdm::edit
