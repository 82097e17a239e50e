#include "session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "attach.h"
#include "job_files.h"
#include "named_traces.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "report/units.h"
#include "spool_format/process.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// Texts of a file that each end with a zero.
std::vector<std::string> texts_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> texts;
  for (std::string text; std::getline(in, text, '\0') && !in.eof();) texts.push_back(text);
  return texts;
}

std::string name_of(const RecordedProcess& process) {
  const std::string name = fs::path(process.program).filename();
  return name.empty() ? fmt::format("process {}", process.pid) : name;
}

/// " inside `target` at heat.cpp:41": the region that was running when the process died. Empty:
/// none.
std::string where_it_died(const Trace& trace) {
  for (std::size_t i = trace.regions.size(); i > 0; --i) {
    const Region& region = trace.regions.common(i - 1);
    if (!region.unfinished) continue;
    if (region.site.value >= trace.sites.size()) return " inside a target region";
    const Site& site = trace.sites[region.site.value];
    const std::string place =
        site.file.empty() ? "" : fmt::format(" at {}:{}", site.file, site.line);
    return fmt::format(" inside `{}`{}", analysis::directive_name(site.directive), place);
  }
  return {};
}

std::string how_it_died(const RecordedProcess& process, const Ending& ending,
                        const std::string& where) {
  if (process.replaced) return "became another program (exec)" + where;
  if (static_cast<pid_t>(process.pid) != ending.pid) {
    return where.empty() ? kEndedSilently : "died" + where;
  }
  if (ending.signal == 0) return "left by _exit, quick_exit or exec" + where;
  return how_it_ended(ending) + where;
}

/// The spool of a process, recognized by its contents: a later run may have renamed the file.
class OwnSpool {
 public:
  explicit OwnSpool(const RecordedProcess& process) {
    if (take(process.spool, process)) return;
    for (const SpoolInfo& other : find_spools(process.spool.parent_path())) {
      if (take(other.path, process)) return;
    }
  }

  Descriptor file{-1};   ///< none where the spool is not found
  std::string obstacle;  ///< why the file cannot be read; empty: it can, or does not exist
  SpoolInfo info;

 private:
  bool take(const fs::path& name, const RecordedProcess& process) {
    Descriptor opened(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (opened.number < 0) {
      if (errno != ENOENT && obstacle.empty()) {
        obstacle = fmt::format("cannot be opened ({})", std::strerror(errno));
      }
      return false;
    }
    try {
      info = spool_info(fmt::format("/proc/self/fd/{}", opened.number));
    } catch (const Error&) {  // incomplete, or no spool of ompdm
      if (obstacle.empty()) obstacle = "cannot be read: was it cut short?";
      return false;
    }
    info.path = name;
    const bool is_its_own = info.session == process.session && info.pid == process.pid &&
                            info.exec_ordinal == process.exec_ordinal;
    if (is_its_own) std::swap(file.number, opened.number);
    return is_its_own;
  }
};

/// "rank 3 (heat)" in a job, else the program's name.
std::string who_of(const RecordedProcess& process, std::int32_t rank) {
  return rank < 0 ? name_of(process) : fmt::format("rank {} ({})", rank, name_of(process));
}

/// For the trace of a long run: how to make a file that viewers open.
std::string viewer_hint(const fs::path& trace) {
  if (trace.extension() != ".ompdm") return {};
  return fmt::format(" (many events; for a viewer: ompdm export {} --format json)",
                     shell_word(typed_path(trace)));
}

/// " recorded, 2003, 4020 and 2003 aggregated": the regions, data operations and, `with_kernels`,
/// kernels that a trace has only as aggregates. Empty where there are none.
std::string counted(const Trace& trace, bool with_kernels) {
  const auto sum = [](const auto& aggregates) {
    std::uint64_t count = 0;
    for (const auto& aggregate : aggregates) count += aggregate.times.count;
    return count;
  };
  const std::uint64_t regions = sum(trace.region_aggregates);
  const std::uint64_t ops = sum(trace.op_aggregates);
  const std::uint64_t kernels = sum(trace.launch_aggregates);
  if (regions + ops + kernels == 0) return {};
  return with_kernels ? fmt::format(" recorded, {}, {} and {} aggregated", regions, ops, kernels)
                      : fmt::format(" recorded, {} and {} aggregated", regions, ops);
}

/// Adds the messages and the trace of one process.
void finish_process(const RecordedProcess& process, const Ending& ending, bool keep_spools,
                    FinishedSession& outcome) {
  const auto add_trace = [&](const fs::path& trace, const fs::path& older = {}) {
    const std::string kept =
        older.empty() ? "" : fmt::format("; the older one is {}", typed_path(older));
    outcome.lines.push_back("wrote " + typed_path(trace) + viewer_hint(trace) + kept);
    outcome.traces.push_back(typed_path(trace));
  };
  const std::string who = fmt::format("{} (process {})", name_of(process), process.pid);
  const bool is_program = static_cast<pid_t>(process.pid) == ending.pid;
  std::error_code error;
  OwnSpool spool(process);
  const SpoolInfo& info = spool.info;
  if (spool.file.number < 0) {
    const fs::path trace = named_trace(process.trace);
    if (fs::exists(trace, error)) return add_trace(trace);
    outcome.lines.push_back(
        fmt::format("{}{}: its recording {} {}", who,
                    is_program && ending.signal != 0 ? ", which " + how_it_ended(ending) : "",
                    typed_path(process.spool),
                    spool.obstacle.empty() ? "is gone: was it removed?" : spool.obstacle));
    return;
  }
  // The launched program has ended, whatever /proc says of a process with its number.
  if (info.alive && !is_program && !info.finished) {
    outcome.lines.push_back(
        fmt::format("{} still runs: its trace will be {}", who, typed_path(info.output)));
    return;
  }
  if (keep_spools) {
    outcome.lines.push_back(fmt::format("kept {}: ompdm finish {}", typed_path(info.path),
                                        shell_word(typed_path(info.path))));
    return;
  }
  FinishOptions options = patient(info.output);
  options.opened = std::exchange(spool.file.number, -1);
  const FinishResult result = finish(info.path, {}, options);
  leave_summary(result, WaitedFor::kYes);
  if (result.killed) {
    const Trace& trace = result.model;
    outcome.lines.push_back(
        fmt::format("{} {}: recovered {} and {}{}", who_of(process, trace.process.rank),
                    how_it_died(process, ending, where_it_died(trace)),
                    report::counted(trace.regions.size(), "region", "regions"),
                    report::counted(trace.ops.size(), "data operation", "data operations"),
                    counted(trace, false)));
  }
  if (!result.note.empty()) outcome.lines.push_back(result.note);
  add_trace(result.trace, result.kept);
}

/// Why nothing was recorded. Empty where a recorder has printed the reason.
std::string why_nothing(const SessionRecord& session, const Ending& ending,
                        const std::string& program, const std::string& where) {
  if (session.has_reported) return {};
  std::set<std::string> reasons;
  for (const SilentProcess& process : session.silent) {
    if (!process.reason.empty()) reasons.insert(process.reason);
  }
  if (ending.exit_status != 0) reasons.insert(fmt::format("{} {}", program, how_it_ended(ending)));
  const std::string nothing = "no target region was recorded" + where;
  return reasons.empty() ? nothing : fmt::format("{}: {}", nothing, fmt::join(reasons, "; "));
}

/// Whether there was no error: the program just did not offload.
bool did_not_offload(const SessionRecord& session, const Ending& ending) {
  return !session.has_reported && ending.exit_status == 0 &&
         std::ranges::all_of(session.silent, [](const SilentProcess& process) {
           return process.reason.empty() || process.reason == spool::kNothingExecuted;
         });
}

void describe_nothing(const SessionRecord& session, const Ending& ending,
                      const std::vector<std::string>& command, const fs::path& output,
                      std::vector<std::string>& lines) {
  const std::string& program = command.front();
  const spool::LauncherRank rank =
      spool::rank_of_launcher([](const char* name) { return std::getenv(name); });
  const std::string pattern = pattern_of_job(output);
  if (rank.rank >= 0 && !pattern.empty() && did_not_offload(session, ending)) {
    // A rank that does not offload is normal where others do. Rank 0 prints for all ranks how to
    // see those.
    if (rank.rank > 0) return;
    lines.push_back(fmt::format("{}; next: {}; if no rank offloads: ompdm doctor {}",
                                why_nothing(session, ending, program, " in rank 0"),
                                report_of_job(pattern), shell_word(program)));
    return;
  }
  const std::string why = why_nothing(session, ending, program, "");
  lines.push_back(!why.empty() ? why : "no trace was written: the recorder has said why");
  if (struct stat older{}; ::stat(output.c_str(), &older) == 0 && S_ISREG(older.st_mode)) {
    lines.push_back(fmt::format("{} is not of this run: it is from {}", typed_path(output),
                                local_time(older.st_mtime)));
  }
  if (why.empty()) return;
  // The file of a program that can offload does not show why it did not. A run does.
  const bool could_offload = did_not_offload(session, ending) && !session.silent.empty();
  lines.push_back(could_offload ? "next: ompdm doctor --run " + typed_command(command)
                                : "next: ompdm doctor " + shell_word(program));
}

struct FinishVerb {
  std::string spool;
  std::string output;
  bool handed_over = false;  ///< by the recorder: standard input is the locked spool
};

std::string lost(const Trace& trace) {
  std::string text;
  if (!analysis::has_transfers(trace.recording)) text = "transfers could not be recorded";
  if (trace.recording.reach == Recording::Reach::kUnreachable ||
      trace.recording.reach == Recording::Reach::kOtherRuntime)
    text += ", nor what came before the recorder was started";
  const char* separator = text.empty() ? "lost: " : "; lost: ";
  for (const Loss& loss : trace.losses) {
    if (loss.count == 0) continue;
    text += fmt::format("{}{} {}", separator, loss.name, loss.count);
    separator = ", ";
  }
  return text.empty() ? "nothing lost" : text;
}

/// "wrote trace.json (10 regions, 42 data operations, 10 kernels; nothing lost)". For a run that is
/// aggregated in part: "(10 regions, … 10 kernels recorded, 2003, 4020 and 2003 aggregated; nothing
/// lost)".
std::string summary(const FinishResult& result) {
  const Trace& trace = result.model;
  return fmt::format("wrote {} ({}, {}, {}{}; {})", typed_path(result.trace),
                     report::counted(trace.regions.size(), "region", "regions"),
                     report::counted(trace.ops.size(), "data operation", "data operations"),
                     report::counted(trace.launches.size(), "kernel", "kernels"),
                     counted(trace, true), lost(trace));
}

std::string next_command(const FinishResult& result) {
  return "ompdm report " + shell_word(typed_path(result.trace));
}

bool is_growing(const SpoolInfo& spool) { return spool.runs && !spool.finished; }

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
  const auto complete = std::ranges::find_if_not(spools, is_growing);
  if (complete != spools.end()) {
    fmt::print("next: ompdm finish {}\n", shell_word(typed_path(complete->path)));
  } else {
    fmt::print("none waits yet: `ompdm report {}` shows what is recorded by now\n",
               shell_word(typed_path(spools.front().path)));
  }
  return 0;
}

/// Whether a part of the spool could not be read. The losses say how much.
bool is_damaged(const Trace& trace) {
  return std::ranges::any_of(trace.losses, [](const Loss& loss) {
    return loss.count > 0 && loss.name.ends_with("_unreadable");
  });
}

void print_result(const FinishResult& result) {
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

// A program's soft limit on file sizes is for its own files, and not for the trace.
void lift_file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// Nobody waits for this process or reads its output: a later command finds the trace, or the spool.
int finish_handed_over(const FinishVerb& verb) {
  lift_file_size_limit();
  sigset_t none;  // the recorder has blocked all signals
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  FinishOptions options = patient(verb.spool);
  // A process that waits for the trace may hold the lock for a moment.
  options.patience = std::chrono::seconds(10);
  options.waiting = nullptr;
  options.handed_over = STDIN_FILENO;
  leave_summary(finish(verb.spool, {}, options), WaitedFor::kNo);
  return 0;
}

int run_finish(const FinishVerb& verb) {
  if (verb.spool.empty()) return list_spools();
  if (verb.handed_over) return finish_handed_over(verb);
  if (const std::optional<std::string> trace = trace_of_finished(verb.spool)) {
    // The spool does not exist any more. A user who wants its trace elsewhere has to copy it.
    if (!verb.output.empty()) {
      throw Error(fmt::format("{}: is finished already: its trace is {}: copy that to {}",
                              verb.spool, *trace, verb.output));
    }
    fmt::print("{} is finished already: its trace is {}\nnext: ompdm report {}\n", verb.spool,
               *trace, shell_word(*trace));
    return 0;
  }
  refuse_timeline(verb.spool);
  refuse_input_as_output(verb.output, {verb.spool});
  // A name that the user has typed decides the format.
  const FinishResult result = finish_patiently(verb.spool, verb.output, !verb.output.empty());
  print_result(result);
  leave_summary(result, WaitedFor::kYes);
  return 0;
}

}  // namespace

Session::Session() {
  const std::string wanted = variable("TMPDIR");
  std::error_code error;
  // The folder's name may have to stand in LD_PRELOAD.
  const bool usable =
      wanted.starts_with('/') && fits_preload(wanted) && fs::is_directory(wanted, error);
  for (const std::string& parent : {usable ? wanted : std::string("/tmp"), std::string("/tmp")}) {
    std::string path = parent + "/ompdm-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) {
      folder_ = path;
      return;
    }
  }
  throw Error(std::string("/tmp: no folder can be made there: ") + std::strerror(errno) +
              ": set TMPDIR to a folder that can be written");
}

Session::~Session() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

SessionRecord read_session(const fs::path& folder) {
  SessionRecord session;
  std::error_code error;
  static const std::regex kName(R"((\d{1,10})\.(\d{1,10})(\.none|\.told)?)");
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::string name = file.path().filename();
    std::smatch parts;
    if (!std::regex_match(name, parts, kName)) continue;
    if (parts[3] == ".told") {
      session.has_reported = true;
      continue;
    }
    const auto pid = static_cast<std::uint32_t>(std::stoul(parts[1]));
    std::vector<std::string> texts = texts_of(file.path());
    texts.resize(3);
    if (parts[3].matched) {
      session.silent.push_back({pid, texts[0]});
    } else if (!texts[1].empty()) {
      const auto ordinal = static_cast<std::uint32_t>(std::stoul(parts[2]));
      session.recorded.push_back({pid, ordinal, false, folder, texts[0], texts[1], texts[2]});
    }
  }
  for (RecordedProcess& process : session.recorded) {
    process.replaced = std::ranges::any_of(session.recorded, [&](const RecordedProcess& other) {
      return other.pid == process.pid && other.exec_ordinal > process.exec_ordinal;
    });
  }
  // FILE itself has the shortest name: the other traces add to its stem.
  std::ranges::sort(session.recorded, {}, [](const RecordedProcess& process) {
    return std::tuple(process.trace.native().size(), process.trace, process.pid,
                      process.exec_ordinal);
  });
  return session;
}

FinishedSession finish_session(const SessionRecord& session, const Ending& ending,
                               const std::vector<std::string>& command, const fs::path& output,
                               bool keep_spools) {
  // The ranks of a job all end at the same time.
  const std::vector<RecordedProcess>& processes = session.recorded;
  std::vector<FinishedSession> outcomes(processes.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < processes.size(); i = next++) {
      try {
        finish_process(processes[i], ending, keep_spools, outcomes[i]);
      } catch (const Error& error) {
        outcomes[i].lines = {error.what(), fmt::format("the recording is kept: ompdm finish {}",
                                                       shell_word(typed_path(processes[i].spool)))};
      }
    }
  };
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  while (others.size() + 1 < std::min(most, processes.size())) others.emplace_back(work);
  work();
  others.clear();  // joins the threads
  FinishedSession all;
  for (const auto& [lines, traces] : outcomes) {
    std::ranges::copy(lines, std::back_inserter(all.lines));
    std::ranges::copy(traces, std::back_inserter(all.traces));
  }
  if (session.recorded.empty()) describe_nothing(session, ending, command, output, all.lines);
  return all;
}

void setup_finish(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FinishVerb>();
  CLI::App* verb =
      app.add_subcommand("finish", "Turn the spool of a finished or killed process into a trace")
          ->group("Record");
  verb->add_option("SPOOL", options->spool, "The spool; without it, those here are listed")
      ->type_name("");
  verb->add_option("-o,--output", options->output,
                   "The trace to write (default: the name the recorder was given)")
      ->type_name("FILE")
      ->check(is_file_name);
  verb->add_flag("--handed-over", options->handed_over)->group("");
  set_help(
      *verb, "ompdm finish [SPOOL] [-o FILE]",
      "An older trace of that name is kept as trace.~N~.json; other files are never touched.\n"
      "A run of more than 100,000 events becomes trace.ompdm, which every command reads. A name\n"
      "with .json, given to record or by -o here, gets JSON. For a viewer:\n"
      "ompdm export trace.ompdm --format json.",
      "ompdm finish\n"
      "ompdm finish trace.json.spool\n"
      "ompdm finish trace.json.spool -o killed.json");
  verb->callback([options, &exit_status] { exit_status = run_finish(*options); });
}

}  // namespace ompdm::cli
