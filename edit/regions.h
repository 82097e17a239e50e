// What the directives of a scope do with data that is on the device around them, and what has to be
// written for those that may leave their work to the host. OpenMP 5.2, sections 5.8, 13.8 and 13.9.
#pragma once

#include <clang/AST/StmtOpenMP.h>

#include <string>
#include <vector>

#include "scopes.h"

namespace ompdm::edit {

/// A region that its if() clause may leave to the host.
struct MayStay {
  const clang::OMPExecutableDirective* region = nullptr;
  std::string condition;  ///< as the clause has it: false on the host
  std::string item;       ///< the data as the region maps it; empty: by its name in the scope
  bool writes = false;
};

struct DeviceUses {
  bool writes = false;  ///< a kernel does
  bool sends = false;   ///< a clause asks for what the host has
  /// Regions that are `nowait`: they may still run when their loop has ended.
  std::vector<const clang::OMPExecutableDirective*> later;
  std::vector<MayStay> may_stay;
  /// `target update` of nothing but `all` data: where the host's uses are cared for, each is idle.
  std::vector<const clang::OMPExecutableDirective*> idle;
  /// `target enter data` and `target exit data`: they have to come in pairs.
  std::vector<const clang::OMPExecutableDirective*> counted;
  std::vector<Item> items;  ///< as clauses name the data
  /// Directives around regions, behind which the host has what it had before; null: none.
  const clang::OMPExecutableDirective* drops = nullptr;
  /// Directives that map the data and are no regions.
  std::vector<const clang::OMPExecutableDirective*> around;
};

/// Of one scope. `all` is what stays on the device, by its names in the scope; `device` the number
/// of that. Throws Refusal of a directive that the data's being there already would change.
DeviceUses device_uses(const Program& program, const Scope& scope,
                       const std::vector<const clang::VarDecl*>& all, int device);

}  // namespace ompdm::edit
