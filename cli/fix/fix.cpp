// `ompdm fix`: edits of findings as a patch; with a build command one that was built, run and
// compared.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

#include "fix/build_command.h"
#include "fix/child.h"
#include "fix/compile_arguments.h"
#include "fix/edit_tool.h"
#include "fix/patch.h"
#include "fix/source_tree.h"
#include "fix/trial.h"
#include "fix/verdicts.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "open_trace.h"
#include "progress.h"
#include "shell_words.h"
#include "source_lines.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingVerified = 4;

struct FixOptions {
  std::string trace;
  std::string build;
  std::vector<std::string> runs;
  std::string commands;  // the folder of compile_commands.json
  std::string tree;
  std::vector<std::size_t> only;
  std::string same;
  std::vector<std::string> ignored;
  bool apply = false;
  std::string output;
};

/// Gives all places the path that their file has here, and adds it to `near`.
void resolve(nlohmann::json& json, const SourceLines& sources, std::vector<fs::path>& near) {
  if (json.is_object() && json.contains("file")) {
    const std::string file = json.at("file");
    const fs::path path = file.empty() ? fs::path() : sources.path_of(file);
    if (!path.empty()) {
      near.insert(near.begin(), fs::absolute(path).lexically_normal());
      json["file"] = near.front().string();
    } else if (!file.empty() && fs::path(file).is_relative()) {
      json["file"] = "";
    }
  }
  for (auto& part : json) {
    if (part.is_structured()) resolve(part, sources, near);
  }
}

class Fix {
 public:
  explicit Fix(const FixOptions& options) : options_(options) {
    Trace trace = open_trace(options.trace).trace;
    const Process process = trace.process;
    directory_ = process.directory;
    program_ = (directory_ / process.program).lexically_normal();
    arguments_ = process.arguments;
    if (!arguments_.empty()) arguments_.front() = program_.string();
    const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
    nlohmann::json report = nlohmann::json::parse(report::render(analyses, report::Format::kJson));
    const SourceLines sources(process);
    std::vector<fs::path> near = {program_};
    resolve(report.at("findings"), sources, near);
    tool_.emplace(std::move(report.at("findings")), CompileCommands(options.commands, near));
  }

  int run() {
    plan();
    if (options_.build.empty()) return print_unverified();
    return verify();
  }

 private:
  void tell(const std::string& doing) {
    progress_.reset();
    progress_.emplace(doing);
  }

  Verdict verdict_of(std::size_t number) const {
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

  void plan() {
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
    }
    progress_.reset();
  }

  [[nodiscard]] fs::path tree() const {
    if (!options_.tree.empty()) return fs::canonical(options_.tree);
    std::vector<fs::path> files = {program_};
    for (const EditPlan& plan : plans_) {
      for (const Replacement& each : plan.replacements) files.emplace_back(each.file);
    }
    return tree_of(files);
  }

  int print_unverified() {
    std::vector<EditPlan> made;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].replacements.empty()) continue;
      made.push_back(plans_[i]);
      try {
        changed_files(made);
      } catch (const Error& conflict) {
        verdicts_[i].refused = conflict.what();
        made.pop_back();
      }
    }
    std::string text;
    for (const Verdict& one : verdicts_) {
      if (!one.refused.empty()) {
        text +=
            fmt::format("# finding {} at {}: not made: {}\n", one.number, one.place, one.refused);
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

  Target target() const {
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

  int verify() {
    const bool has_plan = std::ranges::any_of(
        plans_, [](const EditPlan& plan) { return !plan.replacements.empty(); });
    if (!has_plan) {
      fmt::print("{}", verdict_table(verdicts_));
      return kNothingVerified;
    }
    const Stopping stopping;
    const Scratch scratch;
    const Target what = target();
    Sameness same;
    for (const std::string& each : options_.ignored) same.ignored.emplace_back(each);
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

  std::vector<EditPlan> try_each(Trials& trials) {
    std::vector<EditPlan> accepted;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].replacements.empty()) continue;
      Verdict& verdict = verdicts_[i];
      verdict.was_tried = true;
      // The promise is of the run that was recorded.
      const std::uint64_t promised = options_.runs.empty() ? verdict.promised : 0;
      verdict.measured = trials.measure(changed_files({plans_[i]}), promised,
                                        fmt::format("finding {}", plans_[i].number));
      if (verdict.measured.verified) accepted.push_back(plans_[i]);
    }
    return accepted;
  }

  /// With what need not come back left on the device, where spoiling it changes nothing.
  Measured try_together(Trials& trials, std::vector<EditPlan>& accepted) {
    for (EditPlan& plan : accepted) {
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
      if (!wish.released.empty()) plan = tool_->plan(plan.number, wish);
    }
    std::uint64_t promised = 0;
    for (const Verdict& one : verdicts_) {
      if (one.measured.verified) {
        promised = std::max(promised, one.measured.bytes_before - one.measured.bytes_after);
      }
    }
    return trials.measure(changed_files(accepted), promised, "all of them together");
  }

  int finish(const std::vector<EditPlan>& accepted, const Measured& together, const Target& what) {
    std::vector<std::string> inputs;
    for (const auto& command : what.commands) {
      inputs.push_back(command.front() == "sh" ? command.back()
                                               : fmt::format("{}", fmt::join(command, " ")));
    }
    const std::string head = fmt::format(
        "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n"
        "#   {}\n# {}.\n",
        fmt::join(inputs, "\n#   "), spared_sentence(together));
    const ChangedFiles files = changed_files(accepted);
    write_patch(head + unified_diff(files, what.tree));
    if (options_.apply) {
      for (const auto& [file, text] : files) {
        std::ofstream out(file, std::ios::binary | std::ios::trunc);
        out << text;
        if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
      }
      fmt::print("Applied: {} changed\n", files.size() == 1 ? "one file is" : "files are");
    } else if (!options_.output.empty()) {
      fmt::print("Next: git -C {} apply {}\n", shell_word(typed_path(what.tree.string())),
                 shell_word(fs::absolute(options_.output).string()));
    }
    return 0;
  }

  void write_patch(const std::string& text) const {
    if (options_.output.empty()) {
      fmt::print("{}", text);
      return;
    }
    std::ofstream out(options_.output, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw Error(fmt::format("{}: cannot be written", options_.output));
    fmt::print("Wrote {}\n", options_.output);
  }

  const FixOptions& options_;
  fs::path directory_;
  fs::path program_;
  std::vector<std::string> arguments_;
  std::optional<EditTool> tool_;
  std::vector<EditPlan> plans_;
  std::vector<Verdict> verdicts_;
  std::optional<Progress> progress_;
};

}  // namespace

void setup_fix(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FixOptions>();
  CLI::App* verb =
      app.add_subcommand("fix", "Make a patch of the findings: built, run and compared");
  verb->group("Look");
  verb->add_option("TRACE", options->trace, "A trace or a spool")->required()->type_name("");
  verb->add_option("--build", options->build,
                   "How the program is built, in a copy of its tree, from the folder you are in; "
                   "auto: by its Makefile or CMake folder")
      ->type_name("CMD");
  verb->add_option("--run", options->runs,
                   "What is run and compared instead of the recorded command; once for each input")
      ->type_name("CMD");
  verb->add_option("-p", options->commands, "The folder of compile_commands.json")
      ->type_name("DIR");
  verb->add_option("--tree", options->tree, "What is copied: the folder that holds all of it")
      ->type_name("DIR");
  verb->add_option("--only", options->only, "These findings, by their numbers in the report")
      ->delimiter(',')
      ->type_name("N");
  verb->add_option("--ignore", options->ignored, "Lines of the output that may differ")
      ->type_name("REGEX");
  verb->add_option("--same", options->same, "A command that compares two outputs, given as files")
      ->type_name("CMD");
  verb->add_flag("--apply", options->apply, "Make what was verified in your own tree, too")
      ->needs(verb->get_option("--build"));
  verb->add_option("-o,--output", options->output, "Write the patch to FILE")->type_name("FILE");
  set_help(
      *verb, "ompdm fix TRACE [--build CMD] [options]",
      "Without --build nothing is built or run, and the patch is not verified. With it, each\n"
      "finding's edits are made in a copy, built, run and recorded: accepted is what prints the\n"
      "same, moves less, as much less as promised, and takes no longer. Your own tree is not\n"
      "touched without --apply. Exit status: 0 verified, 4 nothing could be, 1 failure.",
      "ompdm fix trace.json\n"
      "ompdm fix trace.json --build make -o fix.patch\n"
      "ompdm fix trace.json --build auto --ignore 'time|GB/s'\n"
      "ompdm fix trace.json --build 'cmake --build build' --run './app small' --run './app large'");
  verb->callback([options, &exit_status] { exit_status = Fix(*options).run(); });
}

}  // namespace ompdm::cli
