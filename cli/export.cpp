// `ompdm export`: recordings for other programs, and parts of one for viewers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "job_files.h"
#include "named_traces.h"
#include "ompdm/columns.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/summary.h"
#include "ompdm/timeline.h"
#include "ompdm/trace.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "report/units.h"
#include "verb_help.h"
#if OMPDM_HAS_SQLITE
#include "export/sqlite_file.h"
#endif

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

enum class ExportKind { kDatabase, kJson };

constexpr const char* kRemedy = ": choose another name with -o";

bool is_database(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::string begin(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

/// Whether standard output is meant.
bool is_standard_output(const std::string& output) {
  return output == kStandardInput || output == "/dev/stdout";
}

/// Throws Error where `output` is one of the `inputs`, a recording that is no exported part, or
/// whatever else is not ours to replace; it never waits for the other end of a pipe.
void check_export_output(const std::string& output, ExportKind kind,
                         const std::vector<std::string>& inputs) {
  if (output == kStandardInput) {
    throw Error("-: a database cannot be written to standard output: name a file with -o",
                Error::Kind::kUsage);
  }
  refuse_input_as_output(output, inputs);
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) throw Error(output + ": is a folder" + kRemedy);
  if (!fs::is_regular_file(status)) {
    throw Error(output + ": is a pipe or a device, where no file can be put" +
                (kind == ExportKind::kJson ? ": use -o - for standard output, or name a file"
                                           : ": name a file with -o"));
  }
  const bool is_ours =
      kind == ExportKind::kDatabase ? is_database(output) : is_timeline(output) || is_part(output);
  if (is_ours) return;
  throw Error(
      output +
      (is_trace(output) || is_spool(output) ? ": holds a recording" : ": is something else") +
      kRemedy);
}

/// The part that the user asks for; an absent end has no limit.
struct AskedPart {
  std::optional<Nanoseconds> from;
  std::optional<Nanoseconds> to;
  [[nodiscard]] bool is_whole() const { return !from && !to; }
};

struct Span {
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};

/// Parses --from and --to; an empty text is absent. Throws Error.
AskedPart parse_part(const std::string& from, const std::string& to) {
  AskedPart part;
  if (!from.empty()) part.from = parse_instant("--from", from);
  if (!to.empty()) part.to = parse_instant("--to", to);
  if (part.from && part.to && *part.from > *part.to) {
    throw Error("--from is later than --to", Error::Kind::kUsage);
  }
  return part;
}

/// The part that is asked for as far as it is there; one that reaches beyond is told of on stderr.
/// `whose` begins the sentence, as "trace.json: its events are told". Throws Error if nothing of it
/// is there.
Span part_of(const AskedPart& asked, const Span& there, const std::string& whose) {
  const std::string what = fmt::format("{} from {} to {}", whose, report::spoken_time(there.from),
                                       report::spoken_time(there.to));
  const Nanoseconds from = asked.from.value_or(there.from);
  const Nanoseconds to = asked.to.value_or(there.to);
  if (from > there.to || to < there.from) {
    throw Error(what + ": choose --from and --to within", Error::Kind::kUsage);
  }
  if (from < there.from || to > there.to) {
    fmt::print(stderr, "ompdm: {}: the part is cut to that\n", what);
  }
  return {std::max(from, there.from), std::min(to, there.to)};
}

/// The span in which events were recorded one by one. Throws Error where there is none.
Span recorded_span(const Trace& trace) {
  const Recording& recording = trace.recording;
  const Span span{recording.recorded_from,
                  recording.recorded_to != 0 ? recording.recorded_to : trace.process.wall};
  const bool is_counted =
      recording.detail == "tallies" || (!recording.detail.empty() && span.from >= span.to);
  if (is_counted) {
    throw Error(trace.file +
                ": was counted, and no event is told: there is no part to take, leave out --from "
                "and --to");
  }
  return span;
}

struct TimelineOptions {
  std::vector<std::string> files;  ///< the traces
  std::string ranks;               ///< of them, as "0,3-5"; empty: all
  std::string output;              ///< empty: standard output
  AskedPart part;                  ///< on the timeline's clock
};

struct Named {
  OneRecording recording;
  std::optional<Trace> trace;  ///< where it cannot be read twice
};

/// The process of a trace. Finishes a spool first, and keeps a trace from a pipe.
Named name_one(const std::string& name) {
  if (!is_pipe(name) && !is_spool(name) && !is_spool(name + ".spool")) {
    const std::string file = named_trace(name);
    if (is_trace(file)) return {{file, read_process(file)}, {}};
  }
  OpenedTrace opened = open_trace(name);
  Named one{{opened.trace.file, opened.trace.process}, {}};
  if (name == kStandardInput || is_pipe(name)) one.trace = std::move(opened.trace);
  return one;
}

/// In the order of ranks.
std::vector<Named> name_all(const std::vector<std::string>& files, bool as_inputs) {
  std::vector<Named> named;
  std::vector<OneRecording> recordings;
  for (const std::string& file : files) {
    recordings.push_back(named.emplace_back(name_one(file)).recording);
  }
  check_distinct(recordings);
  if (!as_inputs) check_ranks(recordings);
  std::vector<Named> sorted;
  for (const std::size_t at : rank_order(recordings)) sorted.push_back(std::move(named[at]));
  return sorted;
}

summary::RankSet parse_ranks(const std::string& text) {
  try {
    return summary::RankSet(text);
  } catch (const Error& error) {
    throw Error(fmt::format("--rank {}: {}: write it as 0,3-5", text, error.what()),
                Error::Kind::kUsage);
  }
}

std::vector<std::size_t> choose(const std::vector<Named>& named, const std::string& text) {
  const summary::RankSet wanted = parse_ranks(text);
  std::vector<std::size_t> chosen;
  summary::RankSet there;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int32_t rank = named[i].recording.process.rank;
    if (rank >= 0) there.add(summary::RankSet(rank));
    if (text.empty() || wanted.contains(rank)) chosen.push_back(i);
  }
  summary::RankSet both = there;
  both.add(wanted);
  if (both.size() > there.size()) {
    throw Error(
        fmt::format("--rank {}: not all are among these traces: {}", text,
                    there.empty() ? "none is of a rank" : "they are of ranks " + there.text()),
        Error::Kind::kUsage);
  }
  return chosen;
}

/// The instant of the timeline in a process's own time.
Nanoseconds own_time(Nanoseconds instant, Nanoseconds offset) {
  constexpr Nanoseconds kLeast = std::numeric_limits<Nanoseconds>::min();
  return instant < kLeast + offset ? kLeast : instant - offset;
}

Trace read_again(Named& named) {
  if (named.trace) return std::move(*named.trace);
  Trace trace = open_trace(named.recording.file).trace;
  const Process& before = named.recording.process;
  const bool is_same = trace.process.pid == before.pid && trace.process.host == before.host &&
                       trace.process.start_realtime_ns == before.start_realtime_ns;
  if (!is_same) {
    throw Error(named.recording.file + ": became another run's while it was read: try again");
  }
  return trace;
}

/// From the first one's start to the last one's end, on their clock.
Span span_of(const TimelineHead& head) {
  Span span{std::numeric_limits<Nanoseconds>::max(), std::numeric_limits<Nanoseconds>::min()};
  for (std::size_t i = 0; i < head.processes.size(); ++i) {
    const Nanoseconds begin = head.clock.offsets[i];
    span.from = std::min(span.from, begin);
    span.to = std::max(span.to, begin + head.processes[i].wall);
  }
  return span;
}

/// Writes the timeline, holds one trace at a time, and says on stderr how far times agree. The
/// clock of the timeline begins as the first of all `files` starts, chosen or not. Throws Error.
void write_timeline(const TimelineOptions& options, const NamedTraces& of) {
  if (options.output.ends_with(".ompdm")) {
    throw Error(options.output + ": a timeline is JSON: name it .json", Error::Kind::kUsage);
  }
  const std::optional<analysis::Link> link = link_of(of.model);
  std::vector<Named> named = name_all(options.files, of.as == kAsInputs);
  std::vector<Process> processes;
  for (const Named& one : named) processes.push_back(one.recording.process);
  const std::vector<std::size_t> chosen = choose(named, options.ranks);
  TimelineHead head;
  head.clock = only(one_clock(processes), chosen);
  for (const std::size_t at : chosen) {
    head.processes.push_back(processes[at]);
    head.files.push_back(named[at].recording.file);
  }
  head.agreement = clock_words(head.clock, head.processes);
  fmt::print(stderr, "ompdm: {}\n", head.agreement);

  const bool is_whole = options.part.is_whole();
  const Span part = is_whole ? Span{} : part_of(options.part, span_of(head), "these runs last");
  const auto writer = options.output.empty()
                          ? std::make_unique<TimelineWriter>(STDOUT_FILENO, head)
                          : std::make_unique<TimelineWriter>(options.output, head);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Trace trace = read_again(named[chosen[i]]);
    if (link) trace = analysis::retime(std::move(trace), *link);
    if (!is_whole) {
      const Nanoseconds offset = head.clock.offsets[i];
      trace = window_of(trace, own_time(part.from, offset), own_time(part.to, offset));
    }
    writer->add(i, trace);
  }
  writer->close();
}

struct ExportOptions {
  NamedTraces traces;
  std::string format;
  std::string output;
  std::string from;
  std::string to;
  std::string ranks;
};

/// "trace.sqlite" of "results/trace.json.gz": the traces' own folder may not be ours.
std::string name_beside(const std::string& trace, const char* ending) {
  std::string name = fs::path(trace).filename().string();
  for (const char* known : {".gz", ".json", ".ompdm", ".spool", ".json"}) {
    if (name.ends_with(known)) name.resize(name.size() - std::strlen(known));
  }
  const bool is_name = !name.empty() && name != "-" && name != "." && name != "..";
  return (is_name ? name : "trace") + ending;
}

#if OMPDM_HAS_SQLITE
/// The names with folders replaced by the traces in them.
NamedTraces without_folders(NamedTraces named) {
  std::error_code error;
  const bool has_folder = std::ranges::any_of(
      named.names, [&](const std::string& name) { return fs::is_directory(name, error); });
  if (has_folder) named.names = job_traces(named.names);
  return named;
}

void write_database(const ExportOptions& options, const std::string& output) {
  check_export_output(output, ExportKind::kDatabase, options.traces.names);
  SqliteFile database(output);
  const auto add = [&](const Trace& trace) {
    const Progress progress("writing " + output);
    database.add(trace);
  };
  const TakenTraces taken = take_named(without_folders(options.traces), add);
  database.put_in_order(taken.order);
  database.add_reports(taken.analyses);
  database.finish();
}
#else
void write_database(const ExportOptions& /*options*/, const std::string& /*output*/) {
  throw Error("this ompdm was built without SQLite: install libsqlite3-dev and build it again");
}
#endif

void write_window(const NamedTraces& one, const AskedPart& asked, const std::string& output) {
  const OpenedTraces opened =
      open_named(one, {.analyses = false, .traces = true, .pictures = false});
  Trace part;
  const Trace* written = &opened.traces.front();
  if (!asked.is_whole()) {
    const Span span =
        part_of(asked, recorded_span(*written), written->file + ": its events are told");
    part = window_of(*written, span.from, span.to);
    written = &part;
  }
  if (is_standard_output(output)) {
    write_trace(*written, STDOUT_FILENO, "standard output");
  } else {
    replace_trace(*written, output);
  }
}

/// "job.timeline.json" of "results/job.rank0.json"; of a folder of ranks "trace.timeline.json".
std::string timeline_name(const std::string& first) {
  std::error_code error;
  if (fs::is_directory(first, error)) return "trace.timeline.json";
  std::string name = name_beside(first, "");
  name.resize(std::min(name.rfind(".rank"), name.size()));
  return (name.empty() ? "trace" : name) + ".timeline.json";
}

void check_json_output(const std::string& output, const std::vector<std::string>& inputs) {
  if (!is_standard_output(output)) check_export_output(output, ExportKind::kJson, inputs);
}

/// A trace of one, a timeline of several. Returns what was written.
std::string write_json(const ExportOptions& options) {
  const AskedPart part = parse_part(options.from, options.to);
  NamedTraces named = options.traces;
  named.names = job_traces(named.names);
  const auto output = [&](const std::string& otherwise) {
    return options.output.empty() ? otherwise : options.output;
  };
  if (named.names.size() == 1 && options.ranks.empty()) {
    const std::string name = output(name_beside(named.names.front(), ".window.json"));
    check_json_output(name, named.names);
    write_window(named, part, name);
    return name;
  }
  const std::string name = output(timeline_name(options.traces.names.front()));
  check_json_output(name, named.names);
  write_timeline({named.names, options.ranks, is_standard_output(name) ? "" : name, part}, named);
  return name;
}

int run_export(const ExportOptions& options) {
  const bool is_database = options.format == "sqlite";
  if (is_database && !(options.from.empty() && options.to.empty() && options.ranks.empty())) {
    throw Error(
        "--from, --to and --rank are of --format json: a database is asked with WHERE begin_ns",
        Error::Kind::kUsage);
  }
  std::string output = options.output;
  if (is_database) {
    if (output.empty()) output = name_beside(options.traces.names.front(), ".sqlite");
    write_database(options, output);
  } else {
    output = write_json(options);
  }
  if (is_database || !is_standard_output(output)) {
    fmt::print(stderr, "ompdm: wrote {}\n", output);
  }
  return 0;
}

}  // namespace

void setup_export(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand(
      "export", "Write recordings as a database, ranks as a timeline, or a part of one as a trace");
  verb->group("Look");
  add_trace_options(*verb, options->traces);
  verb->get_option("TRACE")->required();
  verb->add_option(
          "--format", options->format,
          "sqlite: a database of everything; json: for a viewer, of several traces a timeline\n"
          "on one clock, of one a trace.json")
      ->type_name("sqlite|json")
      ->required()
      ->check(CLI::IsMember({"sqlite", "json"}));
  verb->add_option("-o,--output", options->output,
                   "File to write (default the trace's name with .sqlite, .timeline.json\n"
                   "or .window.json, here); of json, - is standard output")
      ->type_name("FILE");
  verb->add_option("--from", options->from, "Of json, what ran at TIME (as 12.5ms) or later")
      ->type_name("TIME");
  verb->add_option("--to", options->to, "Of json, what ran at TIME or before")->type_name("TIME");
  verb->add_option("--rank", options->ranks, "Of json, these ranks of the traces, as 0,3-5")
      ->type_name("RANKS");
  set_help(
      *verb,
      "ompdm export TRACE|DIR... --format sqlite|json [-o FILE] [--from TIME] [--to TIME]\n"
      "             [--rank RANKS]",
      "The database's tables are described in docs/formats/SQLITE.md. A timeline's clock\n"
      "begins as the first of all that are named starts, chosen or not; how far the clocks of\n"
      "hosts agree is said. The file is a picture for the Perfetto UI and chrome://tracing\n"
      "(docs/formats/TIMELINE.md).",
      "ompdm export trace.rank*.json --format sqlite -o job.sqlite\n"
      "ompdm export trace.rank*.json --format json --rank 0,3-5 --from 2s --to 2.5s\n"
      "ompdm export trace.json --format json --from 2s --to 2.5s");
  verb->callback([options, &exit_status] { exit_status = run_export(*options); });
}

}  // namespace ompdm::cli
