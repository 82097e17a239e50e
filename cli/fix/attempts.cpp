#include "fix/attempts.h"

#include <fmt/format.h>

#include <algorithm>

#include "ompdm/error.h"

namespace ompdm::cli {

std::string conflict_in(const std::vector<EditPlan>& plans) {
  try {
    changed_files(plans);
    return {};
  } catch (const Error& conflict) {
    return conflict.what();
  }
}

void Attempts::make(Trials& trials) {
  trials.run_original(runs_to_come(trials));
  try_each(trials);
  if (!accepted_.empty()) together_ = try_together(trials);
}

std::size_t Attempts::changes() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases_, &Case::is_planned));
}

std::size_t Attempts::runs_to_come(const Trials& trials) const {
  std::size_t returned = 0;
  for (const Case& one : cases_) {
    if (one.is_planned() && asked_.release) returned += one.plan.returned.size();
  }
  const std::size_t wholes = (changes() == 1 ? 0 : 1) + (returned == 0 ? 0 : 1);
  return returned + trials.runs_of_one() * (changes() + wholes);
}

void Attempts::try_each(Trials& trials) {
  for (Case& one : cases_) {
    if (!one.is_planned()) continue;
    Verdict& verdict = one.verdict;
    verdict.was_tried = true;
    // What is promised is what the edits would spare of the run that was recorded; where the host
    // or more entries of a loop may need some of it, little of it is something.
    const double share = verdict.is_firm ? 0.9 : asked_.of_other_runs ? 0 : 0.1;
    const double least = share * static_cast<double>(verdict.promised.value_or(0));
    verdict.measured = trials.measure(changed_files({one.plan}),
                                      {.what = fmt::format("finding {}", one.plan.number),
                                       .least = static_cast<std::uint64_t>(least),
                                       .is_final = changes() == 1});
    if (!verdict.measured.verified) continue;
    accepted_.push_back(one.plan);
    verdict.measured.why = conflict_in(accepted_);
    verdict.measured.verified = verdict.measured.why.empty();
    if (!verdict.measured.verified) accepted_.pop_back();
  }
}

Measured Attempts::try_together(Trials& trials) {
  std::uint64_t most = 0;
  const Measured* alone = nullptr;
  for (const Case& one : cases_) {
    if (!one.verdict.measured.verified) continue;
    most = std::max(most, one.verdict.measured.spared());
    alone = &one.verdict.measured;
  }
  const std::uint64_t least = most / 10 * 9;
  // One by itself was measured as it is.
  const Measured all =
      changes() == 1
          ? *alone
          : trials.measure(changed_files(accepted_),
                           {.what = "all of them together", .least = least, .is_final = true});
  if (!asked_.release || !all.verified) return all;
  const std::vector<EditPlan> whole = accepted_;
  release(trials);
  if (released_.empty()) return all;
  // It differs from what was compared by copies back alone, of which spoiling showed no need.
  Measured less = trials.measure(changed_files(accepted_), {.what = "all without what no one reads",
                                                            .least = least,
                                                            .contents = false,
                                                            .is_final = true});
  less.unseen = all.unseen;
  if (less.verified) return less;
  accepted_ = whole;
  released_.clear();
  return all;
}

/// What need not come back is left on the device, where spoiling it changes nothing.
void Attempts::release(Trials& trials) {
  for (EditPlan& plan : accepted_) {
    EditTool::Wish wish;
    for (const std::string& name : std::vector<std::string>(plan.returned)) {
      wish.released.push_back(name);
      wish.spoil = true;
      const EditPlan kept = plan;
      plan = tool_.plan(plan.number, wish);
      const bool is_same =
          plan.refused.empty() &&
          trials.is_same(changed_files(accepted_), fmt::format("without {} coming back", name));
      if (!is_same) wish.released.pop_back();
      plan = kept;
    }
    wish.spoil = false;
    if (wish.released.empty()) continue;
    plan = tool_.plan(plan.number, wish);
    released_.insert(released_.end(), wish.released.begin(), wish.released.end());
  }
}

}  // namespace ompdm::cli
