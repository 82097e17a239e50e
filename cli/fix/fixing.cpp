#include "fix/fixing.h"

#include <fmt/format.h>

#include <algorithm>

#include "fix/build_command.h"
#include "fix/child.h"
#include "fix/compile_arguments.h"
#include "fix/result.h"
#include "fix/scratch.h"
#include "fix/source_tree.h"
#include "ompdm/error.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingVerified = 4;

/// Why plans cannot be made together; empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans) {
  try {
    changed_files(plans);
    return {};
  } catch (const Error& conflict) {
    return conflict.what();
  }
}

/// Empty where the file lies in the tree.
std::string obstacle_outside(const fs::path& file, const fs::path& tree) {
  if (in_copy(file, tree, "/-") != file) return {};
  return fmt::format(
      "{} lies outside of {}, which is what is copied and built: name a folder that "
      "holds both with --tree",
      file.string(), tree.string());
}

}  // namespace

Fixing::Fixing(const FixOptions& options)
    : options_(options),
      recorded_(recorded_run(options.trace)),
      tool_(recorded_.findings, CompileCommands(options.commands, recorded_.near)) {}

int Fixing::run() {
  expect_folder_of(options_.output);
  for (const std::size_t number : options_.only) take_up(number);
  for (std::size_t i = 1; options_.only.empty() && i <= tool_.size(); ++i) take_up(i);
  tree_ = find_tree();
  return options_.build.empty() ? print_unverified() : verify();
}

void Fixing::take_up(std::size_t number) {
  if (number == 0 || number > tool_.size()) {
    throw Error(fmt::format("there is no finding {}: the report has {}", number, tool_.size()),
                Error::Kind::kUsage);
  }
  const auto& finding = tool_.finding(number);
  Case one;
  one.plan.number = number;
  one.verdict = verdict_of(number, finding);
  one.source = recorded_.facts.at(number - 1).source;
  const bool is_to_be_seen = one.source.may_be_same && !options_.build.empty();
  if (finding.at("edits").empty()) {
    one.verdict.refused = "what to write is in words only";
  } else if (!is_to_be_seen) {
    one.verdict.refused = one.source.obstacle;
  }
  cases_.push_back(std::move(one));
}

bool Fixing::is_any(bool (Case::*holds)() const) const {
  return std::ranges::any_of(cases_, [&](const Case& one) { return (one.*holds)(); });
}

/// Of what may still become a patch.
std::vector<fs::path> Fixing::sources() const {
  std::vector<fs::path> files;
  for (const Case& one : cases_) {
    if (!one.is_open()) continue;
    for (const fs::path& file : tool_.files_of(one.plan.number)) files.push_back(file);
  }
  return files;
}

/// A source that lies too far from the program is left out.
fs::path Fixing::find_tree() const {
  if (!options_.tree.empty()) {
    if (!fs::is_directory(options_.tree)) {
      throw Error(fmt::format("--tree {}: there is no such folder", options_.tree),
                  Error::Kind::kUsage);
    }
    return fs::canonical(options_.tree);
  }
  std::vector<fs::path> files = {recorded_.program};
  for (const fs::path& file : sources()) {
    files.push_back(file);
    if (!has_tree(files)) files.pop_back();
  }
  return tree_of(files);
}

void Fixing::plan() {
  for (Case& one : cases_) {
    if (!one.is_open()) continue;
    steps_.begin(fmt::format("looking at the source of finding {}", one.plan.number));
    one.plan = tool_.plan(one.plan.number);
    one.verdict.refused = one.plan.refused;
    one.verdict.left_out = one.plan.left_out;
    for (const Replacement& each : one.plan.replacements) {
      if (one.is_open()) one.verdict.refused = obstacle_outside(each.file, tree_);
    }
    one.verdict.is_firm = options_.runs.empty() && one.plan.updates == 0 &&
                          one.plan.left_out.empty() &&
                          !recorded_.facts.at(one.plan.number - 1).is_at_most;
  }
  steps_.end();
}

int Fixing::print_unverified() {
  plan();
  std::vector<EditPlan> made;
  std::string text;
  for (Case& one : cases_) {
    if (one.is_planned()) {
      made.push_back(one.plan);
      one.verdict.refused = conflict_in(made);
      if (!one.is_open()) made.pop_back();
    }
    const std::string head =
        fmt::format("# finding {} at {}: ", one.verdict.number, one.verdict.place);
    if (!one.is_open()) {
      text += fmt::format("{}not made: {}\n", head, one.verdict.refused);
      continue;
    }
    for (const std::string& each : one.verdict.left_out) {
      text += fmt::format("{}without {}\n", head, each);
    }
  }
  if (made.empty()) {
    fmt::print("{}", text);
    const std::string command = by_hand();
    fmt::print(stderr, "ompdm: no finding of {} can be made into a patch{}\n", options_.trace,
               command.empty() ? "" : "; by hand: " + command);
    return kNothingVerified;
  }
  text = "# Not verified: nothing was built or run (ompdm fix --build does that).\n" + text;
  write_patch(text + unified_diff(changed_files(made), tree_), options_.output);
  return 0;
}

Target Fixing::target() const {
  Target target;
  target.tree = tree_;
  target.program = recorded_.program;
  target.directory = recorded_.directory;
  target.build = options_.build == "auto" ? find_build_command(recorded_.program) : options_.build;
  target.build_directory = fs::current_path();
  if (options_.build == "auto") fmt::print("Build    {}\n", target.build);
  for (const std::string& run : options_.runs) target.commands.push_back({"sh", "-c", run});
  target.is_recorded_command = target.commands.empty();
  if (target.is_recorded_command) target.commands = {recorded_.arguments};
  const std::string obstacle = obstacle_outside(recorded_.program, tree_);
  if (!obstacle.empty()) throw Error(obstacle);
  return target;
}

int Fixing::verify() {
  if (!is_any(&Case::is_open)) {
    print_table();
    return kNothingVerified;
  }
  const Stopping stopping;
  const Scratch scratch;
  const Target what = target();
  Trials trials(what, sameness_of(options_.ignored, options_.same), scratch.folder(), steps_);
  trials.build_original(sources());
  learn_of(trials);
  plan();
  std::vector<EditPlan> accepted;
  std::optional<Measured> together;
  if (is_any(&Case::is_planned)) {
    trials.run_original(runs_to_come());
    accepted = try_each(trials);
    if (!accepted.empty()) together = try_together(trials, accepted);
  }
  steps_.end();
  print_table();
  if (!together || !together->verified) {
    if (together) fmt::print("Together they were not verified: {}\n", together->why);
    return kNothingVerified;
  }
  fmt::print("Together: {}.\n", spared_sentence(*together));
  const ChangedFiles files = changed_files(accepted);
  write_patch(verified_head(what, *together, released_) + unified_diff(files, what.tree),
              options_.output);
  if (options_.apply) {
    apply(files);
  } else if (!options_.output.empty()) {
    const bool is_here = fs::current_path() == what.tree;
    fmt::print("Next: git {}apply {}\n",
               is_here ? "" : fmt::format("-C {} ", shell_word(typed_path(what.tree.string()))),
               shell_word(is_here ? options_.output : fs::absolute(options_.output).string()));
  }
  return 0;
}

/// How the sources are compiled, and whether those that are newer are what was recorded.
void Fixing::learn_of(const Trials& trials) {
  tool_.add_seen(trials.compiles());
  const bool is_same = is_built_as_recorded(recorded_, trials.original());
  for (Case& one : cases_) {
    if (one.is_open() && !is_same) one.verdict.refused = one.source.obstacle;
  }
}

std::size_t Fixing::changes() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases_, &Case::is_planned));
}

std::size_t Fixing::runs_to_come() const {
  std::size_t returned = 0;
  for (const Case& one : cases_) {
    if (one.is_planned() && options_.release) returned += one.plan.returned.size();
  }
  const std::size_t wholes = (changes() == 1 ? 0 : 1) + (returned == 0 ? 0 : 1);
  return returned + Trials::kRunsOfOne * (changes() + wholes);
}

std::vector<EditPlan> Fixing::try_each(Trials& trials) {
  std::vector<EditPlan> accepted;
  for (Case& one : cases_) {
    if (!one.is_planned()) continue;
    Verdict& verdict = one.verdict;
    verdict.was_tried = true;
    // What is promised is what the edits would spare of the run that was recorded; where the host
    // or more entries of a loop may need some of it, little of it is something.
    const double share = verdict.is_firm ? 0.9 : options_.runs.empty() ? 0.1 : 0;
    const double least = share * static_cast<double>(verdict.promised.value_or(0));
    verdict.measured = trials.measure(changed_files({one.plan}),
                                      {.what = fmt::format("finding {}", one.plan.number),
                                       .least = static_cast<std::uint64_t>(least),
                                       .is_final = changes() == 1});
    if (!verdict.measured.verified) continue;
    accepted.push_back(one.plan);
    verdict.measured.why = conflict_in(accepted);
    verdict.measured.verified = verdict.measured.why.empty();
    if (!verdict.measured.verified) accepted.pop_back();
  }
  return accepted;
}

Measured Fixing::try_together(Trials& trials, std::vector<EditPlan>& accepted) {
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
          : trials.measure(changed_files(accepted),
                           {.what = "all of them together", .least = least, .is_final = true});
  if (!options_.release || !all.verified) return all;
  const std::vector<EditPlan> whole = accepted;
  release(trials, accepted);
  if (released_.empty()) return all;
  // It differs from what was compared by copies back alone, of which spoiling showed no need.
  Measured less = trials.measure(changed_files(accepted), {.what = "all without what no one reads",
                                                           .least = least,
                                                           .contents = false,
                                                           .is_final = true});
  less.unseen = all.unseen;
  if (less.verified) return less;
  accepted = whole;
  released_.clear();
  return all;
}

/// What need not come back is left on the device, where spoiling it changes nothing.
void Fixing::release(Trials& trials, std::vector<EditPlan>& accepted) {
  for (EditPlan& plan : accepted) {
    EditTool::Wish wish;
    for (const std::string& name : std::vector<std::string>(plan.returned)) {
      wish.released.push_back(name);
      wish.spoil = true;
      const EditPlan kept = plan;
      plan = tool_.plan(plan.number, wish);
      const bool is_same =
          plan.refused.empty() &&
          trials.is_same(changed_files(accepted), fmt::format("without {} coming back", name));
      if (!is_same) wish.released.pop_back();
      plan = kept;
    }
    wish.spoil = false;
    if (wish.released.empty()) continue;
    plan = tool_.plan(plan.number, wish);
    released_.insert(released_.end(), wish.released.begin(), wish.released.end());
  }
}

void Fixing::print_table() const {
  std::vector<Verdict> verdicts;
  for (const Case& one : cases_) verdicts.push_back(one.verdict);
  fmt::print("{}", verdict_table(verdicts, !options_.runs.empty()));
  const std::string command = by_hand();
  if (!command.empty()) fmt::print("By hand: {}\n", command);
}

/// What tells of the first finding that got no patch, if that is not for want of its source.
std::string Fixing::by_hand() const {
  for (const Case& one : cases_) {
    const bool is_stale = one.verdict.refused == one.source.obstacle && !one.is_open();
    if (one.verdict.measured.verified || (one.is_planned() && !one.verdict.was_tried)) continue;
    if (is_stale) continue;
    return fmt::format("ompdm explain {} {}", shell_word(options_.trace), one.plan.number);
  }
  return {};
}

}  // namespace ompdm::cli
