#include "fix/fixing.h"

#include <fmt/format.h>

#include <algorithm>

#include "fix/attempts.h"
#include "fix/build_command.h"
#include "fix/child.h"
#include "fix/compile_arguments.h"
#include "fix/result.h"
#include "fix/scratch.h"
#include "fix/source_tree.h"
#include "ompdm/error.h"
#include "output.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingVerified = 4;

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
  std::vector<std::string> inputs = {options_.trace};
  for (const fs::path& file : recorded_.near) inputs.push_back(file.string());
  refuse_input_as_output(options_.output, inputs);
  for (const std::size_t number : options_.only) take_up(number);
  for (std::size_t i = 1; options_.only.empty() && i <= tool_.size(); ++i) take_up(i);
  if (cases_.empty()) {
    fmt::print("{}: the report has no finding: there is nothing to fix\n", options_.trace);
    tell_of_older_patch(options_.output);
    return kNothingVerified;
  }
  tree_ = find_tree();
  const int status = options_.build.empty() ? print_unverified() : verify();
  if (status != 0) tell_of_older_patch(options_.output);
  return status;
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
    // A link's file is what is changed.
    for (const fs::path& one : {file, fs::weakly_canonical(file)}) {
      files.push_back(one);
      if (!has_tree(files)) files.pop_back();
    }
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
  Trials trials(what, sameness_of(options_.ignored, options_.same), options_.timed_runs,
                scratch.folder(), steps_);
  trials.build_original(sources());
  learn_of(trials);
  plan();
  Attempts attempts(cases_, tool_, {options_.release, !options_.runs.empty()});
  if (is_any(&Case::is_planned)) attempts.make(trials);
  steps_.end();
  print_table();
  const Measured* together = attempts.together();
  if (together == nullptr || !together->verified) {
    if (together != nullptr) fmt::print("Together they were not verified: {}\n", together->why);
    return kNothingVerified;
  }
  fmt::print("Together: {}.\n", spared_sentence(*together));
  const ChangedFiles files = changed_files(attempts.accepted());
  write_patch(verified_head(what, *together, attempts.released()) + unified_diff(files, what.tree),
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
