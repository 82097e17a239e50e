// `ompdm finish`: turns the spool of a finished or killed process into a trace.
#include "ompdm/finish.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "job_files.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "session.h"
#include "verb_help.h"

namespace ompdm::cli {
namespace {

struct FinishVerb {
  std::string spool;
  std::string output;
  bool handed_over = false;  ///< by the recorder: standard input is the spool, locked
};

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string lost(const Trace& trace) {
  std::string text;
  bool lost_before = false;
  if (!analysis::has_transfers(trace.recording)) text = "transfers could not be recorded";
  if (trace.recording.reach == "unreachable" || trace.recording.reach == "other_runtime")
    text += ", nor what came before the recorder was started";
  for (const Loss& loss : trace.losses) {
    if (loss.count == 0) continue;
    text += fmt::format("{}{} {}",
                        lost_before    ? ", "
                        : text.empty() ? "lost: "
                                       : "; lost: ",
                        loss.name, loss.count);
    lost_before = true;
  }
  return text.empty() ? "nothing lost" : text;
}

/// "wrote trace.json (10 regions, 42 data operations, 10 kernels; nothing lost)"; of a run that was
/// counted in part "(10 regions, … 10 kernels told, 2003, 4020 and 2003 counted; nothing lost)".
std::string summary(const FinishResult& result) {
  const Trace& trace = result.model;
  const Counts counts = counts_of(trace);
  return fmt::format(
      "wrote {} ({}, {}, {}{}; {})", typed_path(result.trace),
      counted(trace.regions.size(), "region"), counted(trace.ops.size(), "data operation"),
      counted(trace.launches.size(), "kernel"),
      counts.any()
          ? fmt::format(" told, {}, {} and {} counted", counts.regions, counts.ops, counts.launches)
          : "",
      lost(trace));
}

std::string next_command(const FinishResult& result) {
  return "ompdm report " + shell_word(typed_path(result.trace));
}

bool still_records(const SpoolInfo& spool) { return spool.runs && !spool.finished; }

const char* state_of(const SpoolInfo& spool) {
  if (spool.finished) return "ended";
  if (spool.runs) return "still runs";
  return spool.alive ? "may still run" : kEndedSilently;
}

int list_spools() {
  const auto spools = find_spools(".");
  if (spools.empty()) {
    fmt::print(stderr,
               "ompdm: no spool waits here: a trace is finished by itself when its program ends\n");
    return 0;
  }
  for (const SpoolInfo& spool : spools) {
    fmt::print("{}  {} (process {} on {}, {})\n", one_line(typed_path(spool.path)),
               one_line(spool.program), spool.pid, spool.host, state_of(spool));
  }
  const auto waiting = std::ranges::find_if_not(spools, still_records);
  if (waiting != spools.end()) {
    fmt::print("next: ompdm finish {}\n", shell_word(typed_path(waiting->path)));
  } else {
    fmt::print("none waits yet: `ompdm report {}` shows what is recorded by now\n",
               shell_word(typed_path(spools.front().path)));
  }
  return 0;
}

/// Whether a part of the spool could not be read: what is lost tells how much.
bool is_damaged(const Trace& trace) {
  return std::ranges::any_of(trace.losses, [](const Loss& loss) {
    return loss.count > 0 && loss.name.ends_with("_unreadable");
  });
}

void tell(const FinishResult& result) {
  if (result.by_another) {
    fmt::print("another process wrote {}\nnext: {}\n", typed_path(result.trace),
               next_command(result));
    return;
  }
  if (result.killed) {
    fmt::print("the process {}{}\n", kEndedSilently,
               is_damaged(result.model) ? "" : ": its committed records are all there");
  }
  if (!result.note.empty()) fmt::print("{}\n", result.note);
  if (!result.kept.empty()) fmt::print("kept the older trace as {}\n", typed_path(result.kept));
  fmt::print("{}\nnext: {}\n", summary(result), next_command(result));
}

// A program's soft limit on file sizes was for its own files, not for the trace.
void lift_file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// Nobody waits for us, and nobody would read what we say: whoever asks for the trace finds it, or
// the spool.
int finish_handed_over(const FinishVerb& verb) {
  lift_file_size_limit();
  sigset_t none;  // the recorder blocked all of them
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  FinishOptions options = patient(verb.spool);
  options.patience = {};
  options.waiting = nullptr;
  options.handed_over = STDIN_FILENO;
  leave_summary(finish(verb.spool, {}, options), WaitedFor::kNo);
  return 0;
}

/// The spool's name leads nowhere any more; who wants its trace elsewhere has to take it there.
int tell_finished(const FinishVerb& verb, const std::string& trace) {
  if (!verb.output.empty()) {
    throw Error(fmt::format("{}: is finished already: its trace is {}: copy that to {}", verb.spool,
                            trace, verb.output));
  }
  fmt::print("{} is finished already: its trace is {}\nnext: ompdm report {}\n", verb.spool, trace,
             shell_word(trace));
  return 0;
}

int run_finish(const FinishVerb& verb) {
  if (verb.spool.empty()) return list_spools();
  if (verb.handed_over) return finish_handed_over(verb);
  if (const std::optional<std::string> trace = trace_of_finished(verb.spool)) {
    return tell_finished(verb, *trace);
  }
  refuse_timeline(verb.spool);
  refuse_input_as_output(verb.output, {verb.spool});
  // A name that somebody has typed says what is to be written.
  const FinishResult result = finish_patiently(verb.spool, verb.output, !verb.output.empty());
  tell(result);
  leave_summary(result, WaitedFor::kYes);
  return 0;
}

}  // namespace

void setup_finish(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FinishVerb>();
  CLI::App* verb =
      app.add_subcommand("finish", "Turn the spool of a finished or killed process into a trace");
  verb->group("Record");
  verb->add_option("SPOOL", options->spool, "The spool; without it, those here are listed")
      ->type_name("");
  verb->add_option("-o,--output", options->output,
                   "The trace to write (default: the name the recorder was given)")
      ->type_name("FILE")
      ->check(is_file_name);
  verb->add_flag("--handed-over", options->handed_over)->group("");
  set_help(*verb, "ompdm finish [SPOOL] [-o FILE]",
           "An older trace of that name is kept as trace.~N~.json; other files are never touched.\n"
           "A run of more than 100,000 events becomes trace.ompdm, which every command reads; a name\n"
           "with .json that was given to record, and -o FILE.json here, get JSON. For a viewer:\n"
           "ompdm export trace.ompdm --format json.",
           "ompdm finish\n"
           "ompdm finish trace.json.spool\n"
           "ompdm finish trace.json.spool -o killed.json");
  verb->callback([options, &exit_status] { exit_status = run_finish(*options); });
}

}  // namespace ompdm::cli
