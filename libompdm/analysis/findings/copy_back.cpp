#include "analysis/findings/copy_back.h"

#include "analysis/findings/edits.h"

namespace ompdm::analysis {

void add_edit_of_copy_back(const Site& site, const std::vector<std::string>& items, bool is_sent,
                           Finding& finding, bool in_all) {
  EditKind kind = EditKind::kReplace;
  const char* clause = is_sent ? "to" : "alloc";
  switch (site.directive) {
    case Directive::kTargetExitData:
      clause = "release";
      break;
    case Directive::kTargetUpdate:
      clause = "from";
      kind = in_all ? EditKind::kRemove : EditKind::kGuard;
      break;
    case Directive::kApi:
    case Directive::kRuntime:
      clause = "from";
      kind = EditKind::kGuard;
      break;
    default:
      break;
  }
  Edit edit = edit_at(finding, kind, site, clause, items);
  if (kind == EditKind::kGuard) edit.when = EditWhen::kKernelChanged;
  finding.edits.push_back(std::move(edit));
}

}  // namespace ompdm::analysis
