// `ompdm fix`: edits of findings as a patch. With a build command the patch is built, run and
// compared.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "elf_file.h"
#include "fix/asked_sources.h"
#include "fix/compile_arguments.h"
#include "fix/edit_tool.h"
#include "fix/patches.h"
#include "fix/rounds.h"
#include "fix/sandbox.h"
#include "fix/scratch.h"
#include "fix/verdicts.h"
#include "fix/verification.h"
#include "launch.h"
#include "ompdm/analysis.h"
#include "ompdm/compile_units.h"
#include "ompdm/error.h"
#include "ompdm/trace.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// The build command, as a shell takes it: "cmake --build DIR" of a CMake build folder, or "make"
/// beside a Makefile. Throws Error where there is neither.
std::string find_build_command(const fs::path& program) {
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    std::error_code failed;
    if (fs::exists(at / "CMakeCache.txt", failed)) {
      return "cmake --build " + shell_word(at.string());
    }
    for (const char* name : {"Makefile", "makefile", "GNUmakefile"}) {
      if (fs::exists(at / name, failed)) return "make -C " + shell_word(at.string());
    }
    if (fs::exists(at / ".git", failed)) break;
  }
  throw Error(fmt::format("no Makefile and no CMake build folder is found around {}: say how it is "
                          "built with --build 'COMMAND'",
                          program.string()),
              Error::Kind::kUsage);
}

struct RecordedRun {
  fs::path program;
  fs::path directory;
  std::vector<std::string> arguments;  ///< the program first
  std::string build_id;                ///< of the program
  nlohmann::json findings;             ///< of the JSON report, with paths as they are here
  std::vector<Verdict> verdicts;       ///< one for each of `findings`, in their order, before
                                       ///< anything is tried
  std::vector<fs::path> near;          ///< the sources, and the program
  RecordedProgram compiled;            ///< as its debug information tells
};

struct FixOptions {
  std::string trace;
  std::string build;
  std::vector<std::string> runs;
  SourceSearch search;
  std::string tree;
  std::vector<std::size_t> only;
  std::string same;
  std::vector<std::string> ignored;
  TimedRuns timed_runs;
  bool release = false;
  bool apply = false;
  bool only_proven = false;
  bool asserts = false;
  bool prints_plans = false;  ///< for another process of this program (see rounds.h)
  std::string output;
};

std::string build_id_in(const Trace& trace, const fs::path& program) {
  for (const Module& module : trace.modules) {
    if (module.path == program) return module.build_id;
  }
  return {};
}

/// Reads the trace, its findings, and its sources. Throws Error.
RecordedRun recorded_run(const FixOptions& options, EditProcess& edit) {
  const std::string& file = options.trace;
  Trace trace = open_trace(file).trace;
  const Process process = trace.process;
  RecordedRun run;
  run.directory = process.directory;
  run.program = (run.directory / process.program).lexically_normal();
  run.arguments = process.arguments;
  if (!run.arguments.empty()) run.arguments.front() = run.program.string();
  run.build_id = build_id_in(trace, run.program);
  run.compiled = recorded_program(trace, options.search.folder);
  // Sources are asked as for a report, so that findings have the report's numbers.
  if (variable("OMPDM_SOURCE") != "off") {
    AskedSources sources(trace, options.search, edit);
    sources.add_facts(false);
    sources.keep();
  }
  analysis::Analysis analysis = analysis::analyze(trace);
  if (is_only_counted(trace.recording, trace.process.wall)) {
    throw Error(file +
                ": its events were aggregated: record it without --detail tallies, --after or "
                "--until");
  }
  SourcedFindings sourced =
      sourced_findings(analysis, SourceLines(analysis, options.search.folder));
  run.findings = std::move(sourced.findings);
  run.near = {run.program};
  run.near.insert(run.near.begin(), sourced.files.begin(), sourced.files.end());
  for (std::size_t i = 0; i < run.findings.size(); ++i) {
    Verdict& verdict = run.verdicts.emplace_back(verdict_on(run.findings.at(i), i + 1));
    verdict.source = std::move(sourced.states[i]);
  }
  return run;
}

/// Whether the built program has the code and the lines of the recorded program, if that still
/// exists.
bool is_built_as_recorded(const RecordedRun& run, const fs::path& built) {
  const std::optional<ElfFile> program = read_elf(run.program);
  return program && !run.build_id.empty() && program->build_id == run.build_id &&
         is_of_same_sources(run.program, built);
}

/// Writes to standard output where no file is named. Throws Error.
void write_patch(const std::string& text, const std::string& file) {
  if (file.empty()) {
    print_exactly(text);
    return;
  }
  write_text(file, text);
  fmt::print("Wrote {}\n", file);
}

/// Warns where FILE exists and this run does not write it.
void warn_of_older_patch(const std::string& file) {
  if (file.empty() || !fs::exists(file)) return;
  fmt::print(stderr, "ompdm: {}: not written: the patch in it is older than this run\n", file);
}

/// Writes the changed files into the user's own tree. Throws Error.
void apply(const ChangedFiles& files) {
  for (const auto& [file, text] : files) {
    write_text(file, text);
    fmt::print("Applied to {}\n", typed_path(file.string()));
  }
}

/// Throws Error where the folder of the file does not exist.
void expect_folder_of(const std::string& file) {
  if (file.empty()) return;
  const fs::path folder = fs::absolute(file).parent_path();
  if (fs::is_directory(folder)) return;
  throw Error(fmt::format("{}: cannot be written: there is no folder {}", file, folder.string()),
              Error::Kind::kUsage);
}

constexpr int kNothingVerified = 4;

/// The obstacle for a file outside of the tree. Empty where the file lies in the tree.
std::string obstacle_outside(const fs::path& file, const fs::path& tree) {
  if (in_copy(file, tree, "/-") != file) return {};
  return fmt::format(
      "{} lies outside of {}, the copied tree: name a folder that "
      "holds both with --tree",
      file.string(), tree.string());
}

/// Makes the patch of one trace. Throws Error.
class Fixing {
 public:
  explicit Fixing(const FixOptions& options)
      : options_(options),
        recorded_(recorded_run(options, process_)),
        tool_(recorded_.findings,
              CompileCommands(options.search.commands, recorded_.near, recorded_.compiled),
              process_) {}

  /// Makes and verifies the patch, and prints the result. Returns the exit status: 0 where there is
  /// a patch, 4 where nothing could be verified, or nothing made.
  int run() {
    expect_folder_of(options_.output);
    std::vector<std::string> inputs = {options_.trace};
    for (const fs::path& file : recorded_.near) inputs.push_back(file.string());
    refuse_input_as_output(options_.output, inputs);
    for (const std::size_t number : options_.only) take_up(number);
    for (std::size_t i = 1; options_.only.empty() && i <= tool_.size(); ++i) take_up(i);
    if (verdicts_.empty() && options_.build.empty()) {
      fmt::print("{}: the report has no finding: there is nothing to fix\n", options_.trace);
      warn_of_older_patch(options_.output);
      return kNothingVerified;
    }
    tree_ = find_tree();
    if (options_.prints_plans) {
      set_up_tool();
      plan();
      print_exactly(plans_text(verdicts_));
      return 0;
    }
    const int status = options_.build.empty() ? print_unverified() : verify();
    if (status != 0) warn_of_older_patch(options_.output);
    return status;
  }

 private:
  void take_up(std::size_t number) {
    if (number == 0 || number > tool_.size()) {
      throw Error(fmt::format("there is no finding {}: the report has {}", number, tool_.size()),
                  Error::Kind::kUsage);
    }
    Verdict one = recorded_.verdicts.at(number - 1);
    const bool is_to_be_seen = one.source.may_be_same && !options_.build.empty();
    if (tool_.finding(number).at("edits").empty()) {
      one.plan.refused = "its edits are in words only";
    } else if (!is_to_be_seen) {
      one.plan.refused = one.source.obstacle;
    }
    verdicts_.push_back(std::move(one));
  }

  void plan() {
    for (Verdict& one : verdicts_) {
      if (!one.is_open()) continue;
      steps_.begin(fmt::format("looking at the source of finding {}", one.plan.number));
      try {
        one.plan = tool_.plan(one.plan.number);
      } catch (const Error& failed) {
        one.plan.refused = failed.what();
      }
      for (const Replacement& each : one.plan.replacements) {
        if (one.is_open()) one.plan.refused = obstacle_outside(each.file, tree_);
      }
    }
    steps_.end();
  }

  /// The sources of findings that may still get a patch.
  [[nodiscard]] std::vector<fs::path> sources() const {
    std::vector<fs::path> files;
    for (const Verdict& one : verdicts_) {
      if (!one.is_open()) continue;
      for (const fs::path& file : tool_.files_of(one.plan.number)) files.push_back(file);
    }
    return files;
  }

  /// The folder to copy. A source that lies too far from the program is left out.
  [[nodiscard]] fs::path find_tree() const {
    if (!options_.tree.empty()) {
      if (!fs::is_directory(options_.tree)) {
        throw Error(fmt::format("--tree {}: there is no such folder", options_.tree),
                    Error::Kind::kUsage);
      }
      return fs::canonical(options_.tree);
    }
    std::vector<fs::path> files = {recorded_.program};
    for (const fs::path& file : sources()) {
      // For a link, the file that it leads to is changed.
      for (const fs::path& one : {file, fs::weakly_canonical(file)}) {
        files.push_back(one);
        if (!has_tree(files)) files.pop_back();
      }
    }
    return tree_of(files);
  }

  [[nodiscard]] Target target() const {
    Target target;
    target.tree = tree_;
    target.program = recorded_.program;
    target.directory = recorded_.directory;
    target.build =
        options_.build == "auto" ? find_build_command(recorded_.program) : options_.build;
    target.build_directory = fs::current_path();
    if (options_.build == "auto") fmt::print("Build    {}\n", target.build);
    for (const std::string& run : options_.runs) target.commands.push_back({"sh", "-c", run});
    target.is_recorded_command = target.commands.empty();
    if (target.is_recorded_command) target.commands = {recorded_.arguments};
    const std::string obstacle = obstacle_outside(recorded_.program, tree_);
    if (!obstacle.empty()) throw Error(obstacle);
    return target;
  }

  int print_unverified() {
    plan();
    std::vector<EditPlan> made;
    std::string text;
    for (Verdict& one : verdicts_) {
      if (one.is_planned()) {
        one.plan.refused = add_plan(made, one.plan, &tool_);
      }
      const std::string head = fmt::format("# finding {} at {}: ", one.plan.number, one.place);
      if (!one.is_open()) {
        text += fmt::format("{}not made: {}\n", head, one.plan.refused);
        continue;
      }
      for (const std::string& each : one.plan.left_out) {
        text += fmt::format("{}without {}\n", head, each);
      }
    }
    if (made.empty()) {
      fmt::print("{}", text);
      const std::string command = by_hand();
      fmt::print(stderr,
                 "ompdm: {}: no patch follows from the sources alone: --build make tries more{}\n",
                 options_.trace, command.empty() ? "" : ". By hand: " + command);
      return kNothingVerified;
    }
    text = "# Not verified: nothing was built or run (ompdm fix --build does that).\n" + text;
    write_patch(text + unified_diff(changed_files(made), tree_), options_.output);
    return 0;
  }

  int verify() {
    const bool is_one_round = !options_.only.empty();
    if (is_one_round && !std::ranges::any_of(verdicts_, &Verdict::is_open)) {
      print_table(verdicts_);
      return kNothingVerified;
    }
    const Stopping stopping;
    const Scratch scratch;
    const Target what = target();
    const Verification asked = {sameness_of(options_.ignored, options_.same), options_.timed_runs,
                                options_.release};
    Sandbox original(what, scratch.folder() / "original");
    steps_.expect(1);
    steps_.begin("building the original");
    build_original(original, what, sources());
    const bool is_as_recorded = learn_of(original);
    plan();
    const bool goes_on = !is_one_round && is_as_recorded && original.is_in_place();
    if (!goes_on && std::ranges::none_of(verdicts_, &Verdict::is_planned)) {
      print_table(verdicts_);
      return kNothingVerified;
    }
    Sandbox changed(what, scratch.folder() / "changed");
    Verifier verifier(what, original, changed, asked, steps_);
    verifier.run_original();
    verifier.try_edits(verdicts_, &tool_);
    if (options_.release) verifier.release(tool_);
    verifier.end_round();
    steps_.end();
    print_table(verdicts_);
    if (goes_on) go_on(verifier, changed, original.compiles());
    return verifier.together().measured.verified ? write_verified(verifier.together(), what)
                                                 : kNothingVerified;
  }

  int write_verified(const Together& together, const Target& what) const {
    fmt::print("Together: {}.\n", spared_sentence(together.measured));
    if (what.commands.size() == 1) {
      fmt::print("Run on one input alone: name others with --run 'COMMAND', once for each.\n");
    }
    write_patch(verified_head(what, together) + unified_diff(together.files, what.tree),
                options_.output);
    if (options_.apply) {
      apply(together.files);
    } else if (!options_.output.empty()) {
      const bool is_here = fs::current_path() == what.tree;
      fmt::print("Next: git {}apply {}\n",
                 is_here ? "" : fmt::format("-C {} ", shell_word(typed_path(what.tree.string()))),
                 shell_word(is_here ? options_.output : fs::absolute(options_.output).string()));
    }
    return 0;
  }

  void set_up_tool() {
    if (!options_.only_proven) tool_.allow_assumptions();
    if (options_.asserts) tool_.add_asserts();
  }

  /// Further rounds: records the verified program with all contents compared, and tries the edits
  /// of its findings, until none can be verified.
  void go_on(Verifier& verifier, Sandbox& changed, const std::vector<CompileArguments>& compiles) {
    constexpr int kMostRounds = 4;
    std::set<std::string> known;
    const auto remember = [&](const std::vector<Verdict>& verdicts) {
      for (const Verdict& one : verdicts) {
        if (!one.verified && !one.waits) known.insert(one.subject);
      }
    };
    remember(verdicts_);
    NextRound asked = {options_.search.commands, tree_, options_.only_proven, options_.asserts};
    if (asked.commands.empty()) asked.commands = write_commands(compiles, changed.scratch());
    for (int round = 2; round <= kMostRounds && verifier.rebuild(); ++round) {
      const bool is_changed = !verifier.together().files.empty();
      steps_.begin("looking for more findings");
      std::vector<Verdict> verdicts = next_verdicts(changed, asked);
      std::erase_if(verdicts, [&](const Verdict& one) { return known.contains(one.subject); });
      if (std::ranges::none_of(verdicts, &Verdict::is_planned)) break;
      verifier.try_edits(verdicts, nullptr);
      verifier.end_round();
      steps_.end();
      remember(verdicts);
      fmt::print("Recorded again{} (lines and numbers of that run):\n",
                 is_changed ? " with these edits" : ", all contents compared");
      print_table(verdicts);
      if (std::ranges::none_of(verdicts, &Verdict::verified)) break;
    }
    steps_.end();
  }

  /// Learns from the build how the sources are compiled, and whether newer sources are those of the
  /// recording. Returns whether the built program is the recorded one.
  bool learn_of(const Sandbox& original) {
    tool_.add_seen(original.compiles());
    set_up_tool();
    const bool is_same = is_built_as_recorded(recorded_, original.program());
    for (Verdict& one : verdicts_) {
      if (one.is_open() && !is_same) one.plan.refused = one.source.obstacle;
    }
    return is_same || std::ranges::all_of(verdicts_, [](const Verdict& one) {
             return one.source.obstacle.empty();
           });
  }

  void print_table(const std::vector<Verdict>& verdicts) const {
    if (verdicts.empty()) {
      fmt::print("{}: the report has no finding\n", options_.trace);
      return;
    }
    fmt::print("{}", verdict_table(verdicts, !options_.runs.empty()));
    const std::string command = &verdicts == &verdicts_ ? by_hand() : std::string();
    if (!command.empty()) fmt::print("By hand: {}\n", command);
  }

  /// How to edit the first finding without a patch by hand. Findings whose source is missing do not
  /// count.
  [[nodiscard]] std::string by_hand() const {
    for (const Verdict& one : verdicts_) {
      const bool is_stale = one.plan.refused == one.source.obstacle && !one.is_open();
      if (one.verified || (one.is_planned() && !one.was_tried)) continue;
      if (is_stale) continue;
      return fmt::format("ompdm explain {} {}", shell_word(options_.trace), one.plan.number);
    }
    return {};
  }

  const FixOptions& options_;
  EditProcess process_;
  RecordedRun recorded_;
  EditTool tool_;
  fs::path tree_;
  std::vector<Verdict> verdicts_;
  Steps steps_;
};

}  // namespace

int write_planned_patch(const std::string& trace, const SourceSearch& search,
                        const std::string& output) {
  FixOptions options;
  options.trace = trace;
  options.search = search;
  options.output = output;
  return Fixing(options).run();
}

void setup_fix(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FixOptions>();
  CLI::App* verb =
      app.add_subcommand("fix", "Make a patch of the findings: built, run and compared");
  verb->group("Look");
  verb->add_option("TRACE", options->trace, "A trace or a spool")->required()->type_name("");
  CLI::Option* build =
      verb->add_option("--build", options->build,
                       "Build the program by this command, in a copy of its tree, from the current "
                       "folder; auto: by its Makefile or CMake folder")
          ->type_name("CMD");
  verb->add_option("--run", options->runs,
                   "Run and compare this command instead of the recorded one, as one word for the "
                   "shell; once for each input")
      ->type_name("CMD")
      ->allow_extra_args(false)
      ->needs(build);
  verb->add_option(
          "-p", options->search.commands,
          "The folder of compile_commands.json; else --build or the debug information shows how\n"
          "each source is compiled")
      ->type_name("DIR");
  verb->add_option("--tree", options->tree,
                   "The folder that is copied: it holds all that the build writes")
      ->type_name("DIR");
  verb->add_option("--only", options->only, "These findings, by their numbers in the report")
      ->delimiter(',')
      ->type_name("N");
  verb->add_option("--ignore", options->ignored, "Lines of the output that may differ")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->needs(build);
  verb->add_option("--same", options->same, "A command that compares two outputs, given as files")
      ->type_name("CMD")
      ->needs(build);
  verb->add_option(
          "--timed-runs", options->timed_runs,
          "Time N runs of each version instead of 3 to 15. With 1 or 2, times are printed\n"
          "and decide nothing. With 0, no times are compared")
      ->type_name("N")
      ->needs(build);
  verb->add_flag("--release", options->release,
                 "Do not copy back data that no output depends on: it is overwritten on the host,\n"
                 "and the output is compared")
      ->needs(build);
  verb->add_flag("--only-proven", options->only_proven,
                 "Make no edit that rests on an assumption: a patch's head names each assumption")
      ->needs(build);
  verb->add_flag("--asserts", options->asserts,
                 "Add assert() for the assumptions of edits, where a test of them can be written")
      ->excludes("--only-proven");
  verb->add_flag("--plans", options->prints_plans)->group("");
  verb->add_flag("--apply", options->apply, "Apply the verified patch to your own tree")
      ->needs(build);
  add_output_option(*verb, options->output, "Write the patch to FILE");
  set_help(
      *verb, "ompdm fix TRACE [--build CMD] [options]",
      "Without --build nothing is built or run, and the patch is not verified. With it, all edits\n"
      "are made in a copy, built, run and recorded together. If they fail together, parts of\n"
      "them are tried. A patch is accepted if it prints the same, moves less, and takes no\n"
      "longer. Then it is recorded again, for more findings. Each trial takes a recorded run and\n"
      "the timed runs. --run names a smaller input ('./app < small' has standard input), and\n"
      "--timed-runs fewer runs. Your own tree does not change without --apply. The build can\n"
      "change no file outside of the copy: fix names the file that it wanted to change.\n"
      "Exit status: 0 verified, 4 no edit could be verified, 1 failure.",
      "ompdm fix trace.json\n"
      "ompdm fix trace.json --build make -o fix.patch\n"
      "ompdm fix trace.json --build auto --ignore 'time|GB/s'\n"
      "ompdm fix trace.json --build 'cmake --build build' --run './app small' --run './app large'");
  verb->callback([options, &exit_status] { exit_status = Fixing(*options).run(); });
}

}  // namespace ompdm::cli
