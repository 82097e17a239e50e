#include "fix/fixing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "fix/build_command.h"
#include "fix/child.h"
#include "fix/compile_arguments.h"
#include "fix/source_tree.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "open_trace.h"
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

}  // namespace

Fixing::Fixing(const FixOptions& options) : options_(options) {
  Trace trace = open_trace(options.trace).trace;
  const Process process = trace.process;
  directory_ = process.directory;
  program_ = (directory_ / process.program).lexically_normal();
  arguments_ = process.arguments;
  if (!arguments_.empty()) arguments_.front() = program_.string();
  std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  // What a run did not reach the source shows.
  for (analysis::Finding& finding : analyses.front().findings) {
    if (!finding.unreached.empty()) finding.edits = finding.withheld_edits;
  }
  nlohmann::json report = nlohmann::json::parse(report::render(analyses, report::Format::kJson));
  const SourceLines sources(process);
  std::vector<fs::path> near = {program_};
  resolve_places(report.at("findings"), sources, near);
  tool_.emplace(std::move(report.at("findings")), CompileCommands(options.commands, near));
}

int Fixing::run() {
  if (!options_.output.empty()) {
    const fs::path folder = fs::absolute(options_.output).parent_path();
    if (!fs::is_directory(folder)) {
      throw Error(fmt::format("{}: cannot be written: there is no folder {}", options_.output,
                              folder.string()),
                  Error::Kind::kUsage);
    }
  }
  plan();
  if (options_.build.empty()) return print_unverified();
  return verify();
}

void Fixing::tell(const std::string& doing) {
  progress_.reset();
  progress_.emplace(doing);
}

Verdict Fixing::verdict_of(std::size_t number) const {
  const auto& finding = tool_->finding(number);
  Verdict verdict;
  verdict.number = number;
  const std::string file = finding.at("file");
  verdict.place = file.empty() ? "-"
                               : fmt::format("{}:{}", fs::path(file).filename().string(),
                                             finding.at("line").get<int>());
  verdict.what = finding.at("pattern");
  verdict.promised = finding.at("wasted_bytes");
  return verdict;
}

void Fixing::plan() {
  std::vector<std::size_t> numbers = options_.only;
  for (std::size_t i = 1; options_.only.empty() && i <= tool_->size(); ++i) numbers.push_back(i);
  for (const std::size_t number : numbers) {
    if (number == 0 || number > tool_->size()) {
      throw Error(fmt::format("there is no finding {}: the report has {}", number, tool_->size()),
                  Error::Kind::kUsage);
    }
    tell(fmt::format("looking at the source of finding {}", number));
    plans_.push_back(tool_->plan(number));
    verdicts_.push_back(verdict_of(number));
    verdicts_.back().refused = plans_.back().refused;
    verdicts_.back().left_out = plans_.back().left_out;
  }
  progress_.reset();
}

fs::path Fixing::tree() const {
  if (!options_.tree.empty()) return fs::canonical(options_.tree);
  std::vector<fs::path> files = {program_};
  for (const EditPlan& plan : plans_) {
    for (const Replacement& each : plan.replacements) files.emplace_back(each.file);
  }
  return tree_of(files);
}

int Fixing::print_unverified() {
  std::vector<EditPlan> made;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].replacements.empty()) continue;
    made.push_back(plans_[i]);
    verdicts_[i].refused = conflict_in(made);
    if (!verdicts_[i].refused.empty()) made.pop_back();
  }
  std::string text;
  for (const Verdict& one : verdicts_) {
    if (!one.refused.empty()) {
      text += fmt::format("# finding {} at {}: not made: {}\n", one.number, one.place, one.refused);
      continue;
    }
    for (const std::string& each : one.left_out) {
      text += fmt::format("# finding {} at {}: without {}\n", one.number, one.place, each);
    }
  }
  if (made.empty()) {
    fmt::print("{}", text);
    fmt::print(stderr, "ompdm: no finding of {} can be made into a patch\n", options_.trace);
    return kNothingVerified;
  }
  text = "# Not verified: nothing was built or run (ompdm fix --build does that).\n" + text;
  write_patch(text + unified_diff(changed_files(made), tree()));
  return 0;
}

Target Fixing::target() const {
  Target target;
  target.tree = tree();
  target.program = program_;
  target.directory = directory_;
  target.build = options_.build == "auto" ? find_build_command(program_) : options_.build;
  target.build_directory = fs::current_path();
  if (options_.build == "auto") fmt::print("Build    {}\n", target.build);
  for (const std::string& run : options_.runs) target.commands.push_back({"sh", "-c", run});
  if (target.commands.empty()) target.commands = {arguments_};
  const bool is_inside = in_copy(program_, target.tree, "/-") != program_;
  if (!is_inside) {
    throw Error(
        fmt::format("{} lies outside of {}, which is what is copied and built: name a "
                    "folder that holds both with --tree",
                    program_.string(), target.tree.string()));
  }
  return target;
}

int Fixing::verify() {
  const bool has_plan =
      std::ranges::any_of(plans_, [](const EditPlan& plan) { return !plan.replacements.empty(); });
  if (!has_plan) {
    fmt::print("{}", verdict_table(verdicts_));
    return kNothingVerified;
  }
  const Stopping stopping;
  const Scratch scratch;
  const Target what = target();
  Sameness same;
  for (const std::string& each : options_.ignored) {
    try {
      same.ignored.emplace_back(each);
    } catch (const std::regex_error&) {
      throw Error("--ignore " + each + ": this is no regular expression", Error::Kind::kUsage);
    }
  }
  same.command = options_.same;
  Trials trials(what, same, scratch.folder(), [this](const std::string& doing) { tell(doing); });
  std::vector<EditPlan> accepted = try_each(trials);
  std::optional<Measured> together;
  if (!accepted.empty()) together = try_together(trials, accepted);
  progress_.reset();
  fmt::print("{}", verdict_table(verdicts_));
  if (!together || !together->verified) {
    if (together) fmt::print("Together they were not verified: {}\n", together->why);
    return kNothingVerified;
  }
  fmt::print("Together: {}.\n", spared_sentence(*together));
  return finish(accepted, *together, what);
}

std::vector<EditPlan> Fixing::try_each(Trials& trials) {
  std::vector<EditPlan> accepted;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].replacements.empty()) continue;
    Verdict& verdict = verdicts_[i];
    verdict.was_tried = true;
    // The promise is of the run that was recorded, and of a host that uses nothing meanwhile.
    const bool holds =
        options_.runs.empty() && plans_[i].updates == 0 && plans_[i].left_out.empty();
    const std::uint64_t promised = holds ? verdict.promised : 0;
    verdict.measured = trials.measure(changed_files({plans_[i]}), promised,
                                      fmt::format("finding {}", plans_[i].number));
    if (!verdict.measured.verified) continue;
    accepted.push_back(plans_[i]);
    verdict.measured.why = conflict_in(accepted);
    verdict.measured.verified = verdict.measured.why.empty();
    if (!verdict.measured.verified) accepted.pop_back();
  }
  return accepted;
}

/// With what need not come back left on the device, where that is wanted and spoiling it changes
/// nothing.
Measured Fixing::try_together(Trials& trials, std::vector<EditPlan>& accepted) {
  for (EditPlan& plan : accepted) {
    if (!options_.release) break;
    EditTool::Wish wish;
    for (const std::string& name : std::vector<std::string>(plan.returned)) {
      wish.released.push_back(name);
      wish.spoil = true;
      const EditPlan kept = plan;
      plan = tool_->plan(plan.number, wish);
      const bool is_same =
          plan.refused.empty() &&
          trials.is_same(changed_files(accepted), fmt::format("without {} coming back", name));
      if (!is_same) wish.released.pop_back();
      plan = kept;
    }
    wish.spoil = false;
    if (wish.released.empty()) continue;
    plan = tool_->plan(plan.number, wish);
    released_.insert(released_.end(), wish.released.begin(), wish.released.end());
  }
  std::uint64_t promised = 0;
  for (const Verdict& one : verdicts_) {
    if (one.measured.verified) {
      promised = std::max(promised, one.measured.bytes_before - one.measured.bytes_after);
    }
  }
  return trials.measure(changed_files(accepted), promised, "all of them together", released_);
}

/// What the patch rests on besides.
std::string Fixing::released_text() const {
  return released_.empty() ? std::string()
                           : fmt::format(
                                 "# No longer brought back: {}. Nothing that was printed "
                                 "depends on it; what reads it otherwise would not see it.\n",
                                 fmt::join(released_, ", "));
}

int Fixing::finish(const std::vector<EditPlan>& accepted, const Measured& together,
                   const Target& what) {
  std::vector<std::string> inputs;
  for (const auto& command : what.commands) {
    inputs.push_back(command.front() == "sh" ? command.back()
                                             : fmt::format("{}", fmt::join(command, " ")));
  }
  const std::string head = fmt::format(
      "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n"
      "#   {}\n# {}.\n{}",
      fmt::join(inputs, "\n#   "), spared_sentence(together), released_text());
  const ChangedFiles files = changed_files(accepted);
  write_patch(head + unified_diff(files, what.tree));
  if (options_.apply) {
    apply(files);
  } else if (!options_.output.empty()) {
    fmt::print("Next: git -C {} apply {}\n", shell_word(typed_path(what.tree.string())),
               shell_word(fs::absolute(options_.output).string()));
  }
  return 0;
}

void Fixing::apply(const ChangedFiles& files) const {
  for (const auto& [file, text] : files) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
    fmt::print("Applied to {}\n", typed_path(file.string()));
  }
}

void Fixing::write_patch(const std::string& text) const {
  if (options_.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  std::ofstream out(options_.output, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", options_.output));
  fmt::print("Wrote {}\n", options_.output);
}

}  // namespace ompdm::cli
