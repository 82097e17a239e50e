#include "accesses.h"

#include <clang/AST/Attr.h>

#include "walk.h"

namespace ompdm::edit {

bool Access::may_be_of(const Path& data) const {
  switch (reach) {
    case Reach::kAny:
    case Reach::kEscaped:
      return true;
    case Reach::kDeclared: {
      const auto* variable = dyn_cast<const VarDecl*>(data.root);
      return variable != nullptr &&
             clang::OMPDeclareTargetDeclAttr::isDeclareTargetDeclaration(variable).has_value();
    }
    case Reach::kPath:
      return path.is_same_storage(data);
    case Reach::kDeep:
      return path.is_same_storage(data) || data.begins_with(path);
    case Reach::kBelow:
      return data.begins_with(path) && is_below(data, path);
  }
  return true;
}

Accesses accesses_in(const Directive& region) { return CodeWalk().of_region(region); }

std::set<Path> paths_of(const Expr& item) {
  std::set<Path> paths = CodeWalk().places(item).paths;
  // Allocations belong to this walk, which ends here.
  std::erase_if(paths, [](const Path& path) { return isa<const Allocation*>(path.root); });
  return paths;
}

}  // namespace ompdm::edit
