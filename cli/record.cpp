#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apart.h"
#include "attach.h"
#include "detail.h"
#include "hashing.h"
#include "job_lines.h"
#include "launch.h"
#include "misspelt.h"
#include "ompdm/error.h"
#include "output.h"
#include "printable.h"
#include "progress.h"
#include "recorder_library.h"
#include "session.h"
#include "settle.h"
#include "shell_words.h"
#include "show_report.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string output;
  std::string attach = "auto";
  std::string names;
  std::string hash;
  std::string detail;
  std::string after;
  std::string duration;
  std::string until;
  std::string max_spool;
  std::string spool_dir;
  std::string report;  ///< a format; empty: none is asked for
  bool no_finish = false;
  bool verbose = false;
  std::vector<std::string> command;
};

void say(const std::string& line) { std::fprintf(stderr, "ompdm: %s\n", one_line(line).c_str()); }

/// The output pattern as the recorder wants it: absolute whatever folder the program changes to,
/// and with the '%' of this folder's own name kept from being a placeholder.
std::string absolute_output(const std::string& output) {
  const fs::path path(output);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  if (output.find('%') == std::string::npos) {
    if (!fs::is_directory(folder, error)) {
      throw Error(
          fmt::format("{}: the folder {} does not exist: create it, or choose another with -o",
                      output, folder.string()));
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      throw Error(fmt::format("{}: the folder {} cannot be written to: choose another with -o",
                              output, folder.string()));
    }
    if (fs::is_directory(path, error)) {
      throw Error(fmt::format("{}: is a folder: name a file in it with -o", output));
    }
  }
  // Where the working directory is gone, the recorder says so at the first target region.
  const std::string here = fs::current_path(error).string();
  if (path.is_absolute() || error) return output;
  std::string absolute;
  for (const char character : here) {
    absolute += character;
    if (character == '%') absolute += '%';
  }
  return absolute + '/' + output;
}

/// The pattern of the trace's name.
std::string output_of(const RecordOptions& options) {
  if (!options.output.empty()) return options.output;
  const char* wanted = std::getenv("OMPDM_OUTPUT");
  return wanted != nullptr && wanted[0] != '\0' ? wanted : "trace.json";
}

AttachMethod attach_method(const std::string& name) {
  if (name == "preload") return AttachMethod::kPreload;
  return name == "tool-libraries" ? AttachMethod::kToolLibraries : AttachMethod::kAuto;
}

EnvironmentChange prepare(const RecordOptions& options, const fs::path& session) {
  const fs::path program = find_program(options.command.front());
  const AttachMethod method = attach_method(options.attach);
  if (const auto obstacle = preload_obstacle(program);
      obstacle && method == AttachMethod::kPreload) {
    say(fmt::format("{}: {}: try --attach tool-libraries", options.command.front(), *obstacle));
  }
  EnvironmentChange change = attach(method, find_recorder(), program, session);
  change.set.emplace_back("OMPDM_OUTPUT", absolute_output(output_of(options)));
  change.set.emplace_back("OMPDM_SESSION", session);
  for (const auto& [variable, value] :
       {std::pair("OMPDM_DETAIL", options.detail),
        std::pair("OMPDM_AFTER", recorder_time(options.after)),
        std::pair("OMPDM_DURATION", recorder_time(options.duration)),
        std::pair("OMPDM_UNTIL", options.until), std::pair("OMPDM_MAX_SPOOL", options.max_spool)}) {
    if (!value.empty()) change.set.emplace_back(variable, value);
  }
  if (!options.hash.empty()) change.set.emplace_back("OMPDM_HASH", options.hash);
  if (!options.names.empty()) change.set.emplace_back("OMPDM_NAMES", options.names);
  if (options.no_finish) change.set.emplace_back("OMPDM_FINISH", "off");
  if (options.verbose) change.set.emplace_back("OMPDM_VERBOSE", "on");
  if (!options.spool_dir.empty()) {
    std::error_code error;
    if (!fs::is_directory(options.spool_dir, error)) {
      throw Error(options.spool_dir +
                  ": is no folder: create it, or choose another with --spool-dir");
    }
    const fs::path folder = fs::absolute(options.spool_dir, error);
    change.set.emplace_back("OMPDM_SPOOL_DIR", error ? fs::path(options.spool_dir) : folder);
  }
  return change;
}

/// A runtime starts one tool: what the user's own environment asks for has to wait.
void tell_displaced_tool() {
  const std::string tools = other_tools();
  if (tools.empty()) return;
  say(fmt::format(
      "OMP_TOOL_LIBRARIES={}: OpenMP starts one tool only, so it is not started in this run",
      tools));
}

/// " trace.json trace.p77.json", as a shell takes them.
std::string typed_names(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) words += ' ' + shell_word(name);
  return words;
}

/// Finishes what the program left, and says what there is. Neither Ctrl-C nor an end for want of
/// memory may cost the trace, or the exit status. What can be reported now.
std::vector<std::string> tell_outcome(const SessionRecord& session, const Ending& ending,
                                      const RecordOptions& options,
                                      const SignalForwarding& signals) {
  const auto settled = [&] {
    return settle(session, ending, options.command, output_of(options), options.no_finish);
  };
  if (session.recorded.empty() || options.no_finish) {
    for (const std::string& line : settled().lines) say(line);
    return {};
  }
  std::vector<std::string> awaited;
  for (const RecordedProcess& process : session.recorded) {
    awaited.push_back(typed_path(process.trace));
  }
  std::optional<Progress> progress;  // made once the other process is on its way
  // From the other process both come as lines: the names, an empty one, and what is said.
  const Apart apart = work_apart(
      [&] {
        Settled there = settled();
        if (options.report.empty() && tell_job_once(there)) there.traces.clear();
        there.traces.emplace_back();
        there.traces.insert(there.traces.end(), there.lines.begin(), there.lines.end());
        return there.traces;
      },
      signals,
      [&] { progress.emplace("writing" + typed_names(awaited), std::chrono::milliseconds(0)); });
  progress.reset();
  if (apart.left || apart.died) {
    say(fmt::format("{} {}; next: ompdm report{}", typed_names(awaited).substr(1),
                    apart.left ? "will be written in the background" : "could not be written",
                    typed_names(awaited)));
    return {};
  }
  const auto names_end = std::ranges::find(apart.lines, "");
  const auto messages = names_end == apart.lines.end() ? names_end : std::next(names_end);
  for (const std::string& line : std::ranges::subrange(messages, apart.lines.end())) say(line);
  return {apart.lines.begin(), names_end};
}

/// The program's exit status stands, whatever becomes of its report.
void tell_report(const std::vector<std::string>& traces, const std::string& format) {
  if (traces.empty()) return;
  if (format.empty()) {
    say("next: ompdm report" + typed_names(traces));
    return;
  }
  try {
    const std::string page = show_report(traces, format);
    if (!page.empty()) say("wrote " + page);
    if (const std::string lost = lost_output(); !lost.empty()) throw Error(lost);
  } catch (const std::exception& error) {
    say(error.what());
    say("next: ompdm report" + typed_names(traces));
  }
}

int run_record(const RecordOptions& options) {
  if (options.command.empty()) {
    throw Error("record: no PROGRAM: ompdm record [-o FILE] PROGRAM [ARG…]", Error::Kind::kUsage);
  }
  const SignalForwarding signals;
  const Session session;
  const EnvironmentChange change = prepare(options, session.folder());
  for (const std::string& name : change.unset) {
    say(fmt::format("{}={} is left out for the program, since it forbids recording", name,
                    std::getenv(name.c_str())));
  }
  tell_displaced_tool();
  if (options.verbose) {
    for (const auto& [name, value] : change.set) say(fmt::format("sets {}={}", name, value));
  }
  const Ending ending = launch(options.command, change, signals);
  if (!ending.failure.empty()) {
    say(ending.failure);
    return ending.exit_status;
  }
  // The status is the program's own, also where what is said here, or the report, is not read or
  // has no room.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> traces =
        tell_outcome(read_session(session.folder()), ending, options, signals);
    if (!options.report.empty()) signals.restore();  // what has its trace may be interrupted
    tell_report(traces, options.report);
  } catch (const std::exception& error) {
    say(error.what());
  }
  return ending.exit_status;
}

}  // namespace

void setup_record(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* verb = app.add_subcommand("record", "Run a program with the recorder attached");
  verb->group("Record");
  verb->prefix_command();
  verb->add_option("-o,--output", options->output,
                   "Trace to write; %p is the pid, %h the host, %q{VAR} a variable (default "
                   "trace.json, also where no name is left)")
      ->type_name("FILE")
      ->check(is_file_name);
  verb->add_option("--names", options->names,
                   "Names and lines from the runtime's arguments (default on)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  verb->add_option("--hash", options->hash,
                   "Contents to look at: a percentage of the bytes that cross (default 3)")
      ->type_name("off|full|PERCENT")
      ->check(is_hashing);
  verb->add_option("--detail", options->detail,
                   "Tell single events, or count them only, for a run of any length (default "
                   "events)")
      ->type_name("events|tallies")
      ->check(CLI::IsMember({"events", "tallies"}));
  verb->add_option("--after", options->after,
                   "Count only, and tell events from so long after the start on: 30s, 2min")
      ->type_name("TIME")
      ->check(is_time);
  verb->add_option("--duration", options->duration, "Tell events for so long, then count only")
      ->type_name("TIME")
      ->check(is_time);
  verb->add_option("--until", options->until,
                   "Tell events until this directive is first reached, then count only")
      ->type_name("FILE:LINE")
      ->check(is_place);
  verb->add_option(
          "--max-spool", options->max_spool,
          "Tell events until the recording is this large, then count only, in 1 GB more at "
          "most (default a tenth of the free space, at most 8G)")
      ->type_name("SIZE|none")
      ->check(is_spool_size);
  verb->add_option("--spool-dir", options->spool_dir,
                   "Where to record meanwhile (default beside FILE)")
      ->type_name("DIR");
  verb->add_flag("--no-finish", options->no_finish,
                 "Leave the spool; `ompdm finish` makes the trace of it");
  const std::vector<std::string> formats = report_formats();
  verb->add_flag("--report{text}", options->report,
                 "Print the report when PROGRAM has ended; html is written beside the trace")
      ->type_name(CLI::detail::join(formats, "|"))
      ->option_text("[=FORMAT]")
      ->check(CLI::IsMember(formats))
      ->excludes("--no-finish");
  verb->add_flag("--verbose", options->verbose, "Say what is set and done");
  verb->add_option("--attach", options->attach, "How the recorder comes in (default auto)")
      ->type_name("auto|preload|tool-libraries")
      ->check(CLI::IsMember({"auto", "preload", "tool-libraries"}));
  set_help(
      *verb, "ompdm record [-o FILE] [options] [--] PROGRAM [ARG...]",
      "The exit status is PROGRAM's own (128+N after signal N, 127 not found, 126 not executable).",
      "ompdm record ./heat 1000 10\n"
      "ompdm record --report ./heat 1000 10\n"
      "ompdm record -o run.json mpirun -n 4 ./heat 1000 10\n"
      "ompdm record -- ./script.sh --its-own-option");
  verb->callback([verb, options, &exit_status] {
    options->command = verb->remaining();
    check_program_words(*verb, options->command);
    exit_status = run_record(*options);
  });
}

}  // namespace ompdm::cli
