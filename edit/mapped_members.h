// Pointers that are members of objects, where clauses name the data of the pointers.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "trail.h"
#include "trail_loops.h"

namespace ompdm::edit {

/// The members of objects that the program's directives name. A directive that names several
/// members of an object maps the object from the first to the last of them. LLVM's runtime ends the
/// program where only a part of that is present ("explicit extension not allowed"; OpenMP 5.2,
/// section 5.8.3, restrictions).
class MappedMembers {
 public:
  /// Keeps a reference to the trail.
  explicit MappedMembers(const Trail& trail);

  /// Notes that the item's data is to be kept on the device.
  void keep(const Naming& naming);

  /// Whether the kept item needs a pointer variable of its own. It needs one where the object's
  /// part between all kept members overlaps a part that another directive maps. It also needs one
  /// where a region in `span` uses other members.
  [[nodiscard]] bool need_pointer(const Naming& naming, const Span& span) const;

 private:
  using Members = std::set<const clang::FieldDecl*>;

  /// The members that lead to an item's data, by their objects.
  [[nodiscard]] static std::map<Path, Members> members_of(const Naming& naming);
  [[nodiscard]] bool is_used_beside(const Path& object, const Span& span) const;

  const Trail& trail_;
  std::map<Path, std::map<std::uint32_t, Members>> named_;  // by the object, and the step
  std::map<Path, Members> kept_;
};

}  // namespace ompdm::edit
