#include "plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "clauses.h"
#include "residence_plan.h"

namespace ompdm::edit {
namespace {

/// What the syntax tree answers: whether the host uses the data, and whether a kernel changes it.
bool is_looked_at(const Edit& edit) {
  return edit.when == "host_uses" || edit.when == "host_changed" || edit.when == "kernel_changed" ||
         edit.when == "each_time";
}

/// What a region's own code does tells what its clauses have to say; of others that takes all code
/// within them.
bool are_regions(const Program& program, const Edit& edit) {
  return std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::all_of(program.directives_at(place),
                               [](const auto* one) { return runs_on_device(*one); });
  });
}

/// Whether all that it asks about was answered already, for a loop.
bool is_settled(const Plan& plan, const Edit& edit) {
  return !edit.places.empty() && std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::any_of(plan.settled, [&](const Place& one) {
      return one.line == place.line && is_same_file(one.file, place.file);
    });
  });
}

void make(const Program& program, const Finding& finding, const Request& request, Plan& plan) {
  plan_residence(program, finding, request, plan);
  const bool stays = std::ranges::any_of(finding.edits, is_around);
  for (const Edit& edit : finding.edits) {
    const Place at = edit.places.empty() ? Place() : edit.places.front();
    if (edit.kind == "keep" || (edit.when == "always" && is_around(edit))) continue;
    if (stays && edit.kind == "insert" && is_looked_at(edit)) continue;
    if (is_settled(plan, edit)) continue;
    const bool is_text =
        edit.kind == "replace" || edit.kind == "leave_out" || edit.kind == "remove";
    if (!is_text || edit.when != "always") {
      throw Refusal("whether the host needs what this moves is not looked into", at);
    }
    if (!stays && !are_regions(program, edit)) {
      throw Refusal("whether another input uses it on the device is not looked into", at);
    }
    if (!plan.left_out.empty()) {
      throw Refusal(plan.left_out.front().why, plan.left_out.front().in_the_way);
    }
    if (finding.has_unreached && !(edit.kind == "replace" && are_regions(program, edit))) {
      throw Refusal("directives that the run did not reach may need what this one does", at);
    }
    if (!plan_clauses(program, edit, plan)) plan.found = false;
  }
}

}  // namespace

Plan plan(const Program& program, const Finding& finding, const Request& request) {
  Plan plan;
  plan.number = finding.number;
  try {
    if (finding.edits.empty()) throw Refusal("it has no edits", {});
    make(program, finding, request, plan);
  } catch (const Refusal& refusal) {
    plan.refused = refusal.what();
    plan.in_the_way = refusal.at();
  }
  if (!plan.refused.empty()) plan.replacements.clear();
  return plan;
}

}  // namespace ompdm::edit
