// `ompdm record`: runs a program with the recorder attached, and finishes its traces.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>

#include "attach.h"
#include "job_files.h"
#include "launch.h"
#include "ompdm/error.h"
#include "output.h"
#include "printable.h"
#include "session.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestAmount = ~std::uint64_t{0} / 2;  // nanoseconds, or bytes
constexpr std::uint64_t kMostLine = 2'147'483'647;

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

/// The amount of a number followed by one of the units. kLargestAmount + 1 where it is more than
/// `most`. None where the text is no such amount, or zero.
std::optional<std::uint64_t> amount_of(std::string_view value, std::span<const Unit> units,
                                       std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  if (error == std::errc::result_out_of_range || number > kLargestAmount) number = kLargestAmount;
  const auto unit = std::ranges::find(units, std::string_view(end, last), &Unit::name);
  if (number == 0 || unit == units.end()) return std::nullopt;
  return number > most / unit->size ? kLargestAmount + 1 : number * unit->size;
}

/// Why a text is no time: a number and ns, us, ms, s, min or h, more than zero. Empty: it is a
/// time.
std::string is_time(const std::string& value) {
  const std::optional<Nanoseconds> time = time_of(value);
  if (time && *time > 0) return "";
  if (!time && time_of(value + "s")) {
    return fmt::format("{0} has no unit: write it as {0}s, {0}ms or {0}min", value);
  }
  const std::size_t unit = std::min(value.find_first_not_of("0123456789"), value.size());
  // The unit is valid: the number is too large.
  if (!time && unit > 0 && time_of("1" + value.substr(unit))) {
    return value + " is too long: 2500000h at most";
  }
  return value + " is no time, as 30s, 500ms or 2min are";
}

/// A time as the recorder reads it: in whole microseconds, rounded up. Empty for an empty text.
std::string recorder_time(const std::string& value) {
  if (value.empty()) return {};
  constexpr Nanoseconds kMicrosecond = 1000;
  const Nanoseconds time = time_of(value).value_or(0);
  return fmt::format("{}us", (time + kMicrosecond - 1) / kMicrosecond);
}

/// Why a text is no place FILE:LINE. Empty: it is a place.
std::string is_place(const std::string& value) {
  constexpr Unit kNone[] = {{"", 1}};
  const std::size_t colon = value.rfind(':');
  const std::string_view file = std::string_view(value).substr(0, std::min(colon, value.size()));
  const auto line = colon == std::string::npos || colon == 0
                        ? std::nullopt
                        : amount_of(std::string_view(value).substr(colon + 1), kNone, kMostLine);
  if (!line) return value + " is no place FILE:LINE, as heat.cpp:56 is";
  const std::size_t before = file.rfind(':');
  if (before != std::string_view::npos &&
      amount_of(file.substr(before + 1), kNone, kLargestAmount)) {
    return value + " has a column: FILE:LINE is expected, as heat.cpp:56";
  }
  return *line > kLargestAmount ? value + " is no place: a line is 2147483647 at most" : "";
}

/// Why a text is no size. A size is "none", or a whole number with K, M, G, T, KB … TB, KiB, MiB or
/// GiB. Without a unit it is in bytes. Empty: it is a size.
std::string is_spool_size(const std::string& value) {
  constexpr Unit kUnits[] = {{"", 1},
                             {"K", 1'000},
                             {"M", 1'000'000},
                             {"G", 1'000'000'000},
                             {"T", 1'000'000'000'000},
                             {"KB", 1'000},
                             {"MB", 1'000'000},
                             {"GB", 1'000'000'000},
                             {"TB", 1'000'000'000'000},
                             {"KiB", 1ULL << 10U},
                             {"MiB", 1ULL << 20U},
                             {"GiB", 1ULL << 30U}};
  if (value == "none") return "";
  const auto size = amount_of(value, kUnits, kLargestAmount);
  if (!size) return value + " is neither none nor a size, as 500M or 2G are";
  return *size > kLargestAmount ? value + " is too large: 9223372T at most" : "";
}

/// Why a text is no value of --hash, for CLI11. Empty if the recorder accepts it: off, full, or a
/// percentage from 0 to 100 ("3", "0.5", "12.5%").
std::string is_hashing(const std::string& value) {
  if (value == "off" || value == "full") return {};
  const std::size_t length = value.size() - (value.ends_with('%') ? 1 : 0);
  const char* end = value.data() + length;
  double percent = -1;
  const auto parsed = std::from_chars(value.data(), end, percent, std::chars_format::fixed);
  const bool whole = length > 0 && parsed.ec == std::errc() && parsed.ptr == end;
  if (whole && value.front() != '-' && percent <= 100) return {};
  return value + " is neither off, full nor a percentage from 0 to 100";
}

/// "report.html" of "trace.json" and of "trace.json.gz", "naive.report.html" of "naive.json".
fs::path page_beside(const fs::path& trace) {
  std::string name = trace.filename();
  for (const std::string_view ending : {".gz", ".json", ".ompdm"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return trace.parent_path() / (name == "trace" ? "report.html" : name + ".report.html");
}

/// Whether the page may be replaced: it does not exist, or names ompdm at its beginning.
bool is_ours(const fs::path& page) {
  std::error_code error;
  if (!fs::exists(page, error)) return true;
  std::array<char, 4096> begin{};
  std::ifstream in(page, std::ios::binary);
  in.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(in.gcount()));
  return text.find("ompdm") != std::string_view::npos;
}

/// Does the same as `ompdm report TRACE... --format FORMAT`. A page (html) is written to a file
/// beside the first trace: report.html of trace.json, NAME.report.html of NAME.json. Returns the
/// name of that file. Throws Error, also where the file exists and was not made by ompdm.
std::string show_report(const std::vector<std::string>& traces, const std::string& format) {
  std::vector<std::string> words = {"report", "--format", format};
  std::string page;
  if (format == "html") {
    page = page_beside(traces.front());
    if (!is_ours(page)) {
      throw Error(page +
                  ": is no page of ompdm's: `ompdm report --format html -o FILE` writes one");
    }
    words.insert(words.end(), {"-o", page});
  }
  words.emplace_back("--");  // names may begin with a dash
  words.insert(words.end(), traces.begin(), traces.end());
  std::ranges::reverse(words);
  CLI::App app;
  int exit_status = 0;
  setup_report(app, exit_status);
  app.parse(words);
  return page;
}

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

/// The output pattern for the recorder. It is absolute, since the program may change its folder. A
/// '%' in the name of this folder is doubled.
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
  // Where the working directory does not exist any more, the recorder says so at the first target
  // region.
  const std::string here = fs::current_path(error).string();
  if (path.is_absolute() || error) return output;
  std::string absolute;
  for (const char character : here) {
    absolute += character;
    if (character == '%') absolute += '%';
  }
  return absolute + '/' + output;
}

/// The pattern of the trace's name that the user gave; empty: none.
std::string named_output(const RecordOptions& options) {
  return options.output.empty() ? variable("OMPDM_OUTPUT") : options.output;
}

/// The pattern of the trace's name.
std::string output_of(const RecordOptions& options) {
  const std::string named = named_output(options);
  return named.empty() ? "trace.json" : named;
}

/// OMPDM_OUTPUT. Where the user gives no name, it is only the folder: the recorder chooses
/// trace.json or trace.ompdm.
std::string recorder_output(const RecordOptions& options) {
  std::string output = absolute_output(output_of(options));
  if (named_output(options).empty()) output.resize(output.rfind('/') + 1);
  return output;
}

EnvironmentChange prepare(const RecordOptions& options, const fs::path& session) {
  const fs::path program = find_program(options.command.front());
  const AttachMethod method = options.attach == "preload"          ? AttachMethod::kPreload
                              : options.attach == "tool-libraries" ? AttachMethod::kToolLibraries
                                                                   : AttachMethod::kAuto;
  if (const auto obstacle = preload_obstacle(program);
      obstacle && method == AttachMethod::kPreload) {
    say(fmt::format("{}: {}: try --attach tool-libraries", options.command.front(), *obstacle));
  }
  EnvironmentChange change = attach(method, find_recorder(), program, session);
  change.set.emplace_back("OMPDM_OUTPUT", recorder_output(options));
  change.set.emplace_back("OMPDM_SESSION", session);
  for (const auto& [variable, value] :
       {std::pair("OMPDM_DETAIL", options.detail),
        std::pair("OMPDM_AFTER", recorder_time(options.after)),
        std::pair("OMPDM_DURATION", recorder_time(options.duration)),
        std::pair("OMPDM_UNTIL", options.until), std::pair("OMPDM_MAX_SPOOL", options.max_spool),
        std::pair("OMPDM_HASH", options.hash), std::pair("OMPDM_NAMES", options.names),
        std::pair("OMPDM_FINISH", std::string(options.no_finish ? "off" : "")),
        std::pair("OMPDM_VERBOSE", std::string(options.verbose ? "on" : ""))}) {
    if (!value.empty()) change.set.emplace_back(variable, value);
  }
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

/// Finishes the spools, prints the result, and returns the traces that can be reported. Works in
/// another process: neither Ctrl-C nor a lack of memory may cost the trace or the exit status.
std::vector<std::string> report_outcome(const SessionRecord& session, const Ending& ending,
                                        const RecordOptions& options,
                                        const SignalForwarding& signals) {
  const auto finish_all = [&] {
    return finish_session(session, ending, options.command, output_of(options), options.no_finish);
  };
  if (session.recorded.empty() || options.no_finish) {
    for (const std::string& line : finish_all().lines) say(line);
    return {};
  }
  std::vector<std::string> awaited;
  for (const RecordedProcess& process : session.recorded) {
    awaited.push_back(typed_path(process.trace));
  }
  std::optional<Progress> progress;  // made once the other process runs
  // The other process sends both as lines: the names, an empty line, and the messages.
  const DetachedWork detached = run_detached(
      [&] {
        FinishedSession there = finish_all();
        if (options.report.empty() && report_job_once(there)) there.traces.clear();
        there.traces.emplace_back();
        there.traces.insert(there.traces.end(), there.lines.begin(), there.lines.end());
        return there.traces;
      },
      signals,
      [&] { progress.emplace("writing " + typed_command(awaited), std::chrono::milliseconds(0)); });
  progress.reset();
  if (detached.left || detached.died) {
    say(fmt::format("{} {}; next: ompdm report {}", typed_command(awaited),
                    detached.left ? "will be written in the background" : "could not be written",
                    typed_command(awaited)));
    return {};
  }
  const auto names_end = std::ranges::find(detached.lines, "");
  const auto messages = names_end == detached.lines.end() ? names_end : std::next(names_end);
  for (const std::string& line : std::ranges::subrange(messages, detached.lines.end())) say(line);
  return {detached.lines.begin(), names_end};
}

/// Prints the report. An error in it does not change the exit status, which is the program's.
void print_report(const std::vector<std::string>& traces, const std::string& format) {
  if (traces.empty()) return;
  if (format.empty()) {
    say("next: ompdm report " + typed_command(traces));
    return;
  }
  try {
    const std::string page = show_report(traces, format);
    if (!page.empty()) say("wrote " + page);
    if (const std::string lost = lost_output(); !lost.empty()) throw Error(lost);
  } catch (const std::exception& error) {
    say(error.what());
    say("next: ompdm report " + typed_command(traces));
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
  if (const std::string tools = other_tools(); !tools.empty()) {
    say(fmt::format(
        "OMP_TOOL_LIBRARIES={}: OpenMP starts one tool only, so it is not started in this run",
        tools));
  }
  if (options.verbose) {
    for (const auto& [name, value] : change.set) say(fmt::format("sets {}={}", name, value));
  }
  const Ending ending = launch(options.command, change, signals);
  if (!ending.failure.empty()) {
    say(ending.failure);
    return ending.exit_status;
  }
  // The exit status is the program's own, also where nobody reads the messages or the report, or
  // where there is no room for them.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> traces =
        report_outcome(read_session(session.folder()), ending, options, signals);
    if (!options.report.empty()) signals.restore();  // a report may be interrupted
    print_report(traces, options.report);
  } catch (const std::exception& error) {
    say(error.what());
  }
  return ending.exit_status;
}

}  // namespace

void setup_record(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* verb =
      app.add_subcommand("record", "Run a program with the recorder attached")->group("Record");
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
                   "Contents to compare: a percentage of the transferred bytes (default 3)")
      ->type_name("off|full|PERCENT")
      ->check(is_hashing);
  verb->add_option("--detail", options->detail,
                   "Record single events, or aggregates only, for a run of any length (default "
                   "events)")
      ->type_name("events|tallies")
      ->check(CLI::IsMember({"events", "tallies"}));
  verb->add_option("--after", options->after,
                   "Record single events from this time after the start on: 30s, 2min")
      ->type_name("TIME")
      ->check(is_time);
  verb->add_option("--duration", options->duration,
                   "Record single events for this time, then aggregates")
      ->type_name("TIME")
      ->check(is_time);
  verb->add_option("--until", options->until,
                   "Record single events until this directive is reached, then aggregates")
      ->type_name("FILE:LINE")
      ->check(is_place);
  verb->add_option(
          "--max-spool", options->max_spool,
          "Record single events up to this size, then aggregates, in 1 GB more at most (default "
          "a tenth of the free space, at most 8G)")
      ->type_name("SIZE|none")
      ->check(is_spool_size);
  verb->add_option("--spool-dir", options->spool_dir,
                   "Folder of the spool while the program runs (default beside FILE)")
      ->type_name("DIR");
  verb->add_flag("--no-finish", options->no_finish,
                 "Leave the spool: `ompdm finish` makes a trace of it");
  const std::vector<std::string> formats = formats_of(true);
  verb->add_flag("--report{text}", options->report,
                 "Print the report when PROGRAM has ended; html is written beside the trace")
      ->type_name(CLI::detail::join(formats, "|"))
      ->option_text("[=FORMAT]")
      ->check(CLI::IsMember(formats))
      ->excludes("--no-finish");
  verb->add_flag("--verbose", options->verbose, "Print settings and steps");
  verb->add_option("--attach", options->attach, "How the recorder is attached (default auto)")
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
