// `ompdm export`: recordings for other programs, and parts of one for viewers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>

#include "fix/facts_file.h"
#include "job_files.h"
#include "named_traces.h"
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

/// Throws Error where `output` is one of the `inputs`, or a file that no export has made. Does not
/// wait for the reader of a pipe.
void check_export_output(const std::string& output, bool is_for_database,
                         const std::vector<std::string>& inputs) {
  if (!is_for_database && is_standard_output(output)) return;
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
                (is_for_database ? ": name a file with -o"
                                 : ": use -o - for standard output, or name a file"));
  }
  if (is_for_database ? is_database(output) : is_timeline(output) || is_part(output)) return;
  throw Error(
      output +
      (is_trace(output) || is_spool(output) ? ": holds a recording" : ": is something else") +
      kRemedy);
}

constexpr Nanoseconds kEarliest = std::numeric_limits<Nanoseconds>::min();
constexpr Nanoseconds kLatest = std::numeric_limits<Nanoseconds>::max();

struct Span {
  Nanoseconds from = kEarliest;
  Nanoseconds to = kLatest;
  [[nodiscard]] bool is_whole() const { return from == kEarliest && to == kLatest; }
};

/// Parses --from and --to; an empty text is no limit. Throws Error.
Span parse_part(const std::string& from, const std::string& to) {
  Span part;
  if (!from.empty()) part.from = parse_instant("--from", from);
  if (!to.empty()) part.to = parse_instant("--to", to);
  if (part.from > part.to) throw Error("--from is later than --to", Error::Kind::kUsage);
  return part;
}

/// Cuts the span `asked` to the span `there`, and prints a line on stderr where this shortens it.
/// `whose` begins the line, as "trace.json: its events are recorded". Throws Error where the spans
/// do not overlap.
Span part_of(const Span& asked, const Span& there, const std::string& whose) {
  const std::string what = fmt::format("{} from {} to {}", whose, report::spoken_time(there.from),
                                       report::spoken_time(there.to));
  if (asked.from > there.to || asked.to < there.from) {
    throw Error(what + ": choose --from and --to within", Error::Kind::kUsage);
  }
  const bool is_cut = (asked.from != kEarliest && asked.from < there.from) ||
                      (asked.to != kLatest && asked.to > there.to);
  if (is_cut) fmt::print(stderr, "ompdm: {}: the part is cut to that\n", what);
  return {std::max(asked.from, there.from), std::min(asked.to, there.to)};
}

/// The span in which events were recorded one by one. Throws Error where there is none.
Span recorded_span(const Trace& trace) {
  const Recording& recording = trace.recording;
  const Span span{recording.recorded_from,
                  recording.recorded_to != 0 ? recording.recorded_to : trace.process.wall};
  const bool is_counted = recording.detail == Recording::Detail::kAggregates ||
                          (recording.detail != Recording::Detail::kEvents && span.from >= span.to);
  if (is_counted) {
    throw Error(trace.file +
                ": has aggregates and no events: there is no part to take, leave out --from "
                "and --to");
  }
  return span;
}

/// Reads the process of a trace. Finishes a spool first. Keeps the trace of a pipe, which cannot be
/// read again.
OneRecording name_one(const std::string& name) {
  if (!is_pipe(name) && !is_spool(name) && !is_spool(name + ".spool")) {
    const std::string file = named_trace(name);
    if (is_trace(file)) return {file, read_process(file)};
  }
  OpenedTrace opened = open_trace(name);
  OneRecording one{opened.trace.file, opened.trace.process};
  if (name == kStandardInput || is_pipe(name)) one.trace = std::move(opened.trace);
  return one;
}

/// Reads the process of each trace. They are in the order of ranks.
std::vector<OneRecording> name_all(const NamedTraces& named) {
  std::vector<OneRecording> all;
  for (const std::string& file : named.names) all.push_back(name_one(file));
  check_distinct(all);
  if (named.as != kAsInputs) check_ranks(all);
  std::ranges::stable_sort(all, {},
                           [](const OneRecording& one) { return std::max(one.process.rank, -1); });
  return all;
}

std::vector<std::size_t> choose(const std::vector<OneRecording>& named, const std::string& text) {
  summary::RankSet wanted;
  try {
    wanted = summary::RankSet(text);
  } catch (const Error& error) {
    throw Error(fmt::format("--rank {}: {}: write it as 0,3-5", text, error.what()),
                Error::Kind::kUsage);
  }
  std::vector<std::size_t> chosen;
  summary::RankSet there;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int32_t rank = named[i].process.rank;
    if (rank >= 0) there.add(summary::RankSet(rank));
    if (text.empty() || wanted.contains(rank)) chosen.push_back(i);
  }
  if (!wanted.without(there).empty()) {
    throw Error(
        fmt::format("--rank {}: not all are among these traces: {}", text,
                    there.empty() ? "none is of a rank" : "they are of ranks " + there.text()),
        Error::Kind::kUsage);
  }
  return chosen;
}

/// Converts an instant of the timeline to the time of a process, whose clock begins at `offset`.
Nanoseconds own_time(Nanoseconds instant, Nanoseconds offset) {
  return instant < kEarliest + offset ? kEarliest : instant - offset;
}

Trace read_again(OneRecording& named) {
  if (named.trace) return std::move(*named.trace);
  Trace trace = open_trace(named.file).trace;
  const Process& before = named.process;
  const bool is_same = trace.process.pid == before.pid && trace.process.host == before.host &&
                       trace.process.start_realtime_ns == before.start_realtime_ns;
  if (!is_same) {
    throw Error(named.file + ": became another run's while it was read: try again");
  }
  return trace;
}

/// From the start of the first process to the end of the last one, on the clock of the timeline.
Span span_of(const TimelineHead& head) {
  Span span{kLatest, kEarliest};
  for (std::size_t i = 0; i < head.processes.size(); ++i) {
    const Nanoseconds begin = head.clock.offsets[i];
    span.from = std::min(span.from, begin);
    span.to = std::max(span.to, begin + head.processes[i].wall);
  }
  return span;
}

struct ExportOptions {
  NamedTraces traces;
  std::string format;
  std::string output;
  std::string from;
  std::string to;
  std::string ranks;
};

/// "trace.sqlite" of "results/trace.json.gz": the user may have no right to write to the folder of
/// the trace.
std::string name_beside(const std::string& trace, const char* ending) {
  std::string name = fs::path(trace).filename().string();
  for (const char* known : {".gz", ".json", ".ompdm", ".spool", ".json"}) {
    if (name.ends_with(known)) name.resize(name.size() - std::strlen(known));
  }
  const bool is_name = !name.empty() && name != "-" && name != "." && name != "..";
  return (is_name ? name : "trace") + ending;
}

/// Writes the part of a timeline that is `asked` for, of the ranks that are chosen. Holds one trace
/// at a time. Prints on stderr how far the clocks agree. The clock of the timeline begins with the
/// first start of all processes that are named, also of those not chosen. Throws Error.
void write_timeline(const NamedTraces& named, const std::string& ranks, const Span& asked,
                    const std::string& output) {
  if (output.ends_with(".ompdm")) {
    throw Error(output + ": a timeline is JSON: name it .json", Error::Kind::kUsage);
  }
  const std::optional<analysis::Link> link = link_of(named.model);
  std::vector<OneRecording> recordings = name_all(named);
  std::vector<Process> processes;
  for (const OneRecording& one : recordings) processes.push_back(one.process);
  const std::vector<std::size_t> chosen = choose(recordings, ranks);
  TimelineHead head;
  head.clock = only(one_clock(processes), chosen);
  for (const std::size_t at : chosen) {
    head.processes.push_back(processes[at]);
    head.files.push_back(recordings[at].file);
  }
  head.agreement = clock_words(head.clock, head.processes);
  fmt::print(stderr, "ompdm: {}\n", head.agreement);

  const Span part = asked.is_whole() ? asked : part_of(asked, span_of(head), "these runs last");
  const auto writer = is_standard_output(output)
                          ? std::make_unique<TimelineWriter>(STDOUT_FILENO, head)
                          : std::make_unique<TimelineWriter>(output, head);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Trace trace = read_again(recordings[chosen[i]]);
    if (link) trace = analysis::retime(std::move(trace), *link);
    if (!asked.is_whole()) {
      const Nanoseconds offset = head.clock.offsets[i];
      trace = window_of(trace, own_time(part.from, offset), own_time(part.to, offset));
    }
    writer->add(i, trace);
  }
  writer->close();
}

#if OMPDM_HAS_SQLITE
void write_database(const ExportOptions& options, const std::string& output) {
  check_export_output(output, true, options.traces.names);
  SqliteFile database(output);
  NamedTraces named = options.traces;
  std::error_code error;
  const auto is_folder = [&](const std::string& name) { return fs::is_directory(name, error); };
  if (std::ranges::any_of(named.names, is_folder)) named.names = job_traces(named.names);
  const OpenedTraces opened = open_named(named, {.take = [&](const Trace& trace) {
                                           const Progress progress("writing " + output);
                                           database.add(trace);
                                         }});
  database.finish(opened.order, opened.analyses);
}
#else
void write_database(const ExportOptions& /*options*/, const std::string& /*output*/) {
  throw Error("this ompdm was built without SQLite: install libsqlite3-dev and build it again");
}
#endif

void write_window(const NamedTraces& one, const Span& asked, const std::string& output) {
  OpenedTraces opened = open_named(one, {.analyses = false, .traces = true});
  Trace part;
  const Trace* written = &opened.traces.front();
  if (!asked.is_whole()) {
    const Span span =
        part_of(asked, recorded_span(*written), written->file + ": its events are recorded");
    part = window_of(*written, span.from, span.to);
    written = &part;
  }
  if (is_standard_output(output)) {
    write_trace(*written, STDOUT_FILENO, "standard output");
    return;
  }
  replace_trace(*written, output);
  // Facts from the sources hold for parts of the recording, too.
  Trace recorded = std::move(opened.traces.front());
  const fs::path facts = facts_path(recorded.file);
  FactsOrigin origin;
  if (!facts.empty() && read_facts(facts, recorded, origin)) {
    write_facts(facts_path(output), recorded, origin);
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

/// Writes a trace of one recording, or a timeline of several. Returns the name of the file.
std::string write_json(const ExportOptions& options) {
  const Span part = parse_part(options.from, options.to);
  NamedTraces named = options.traces;
  named.names = job_traces(named.names);
  const bool is_one = named.names.size() == 1 && options.ranks.empty();
  std::string name = options.output;
  if (name.empty()) {
    name = is_one ? name_beside(named.names.front(), ".window.json")
                  : timeline_name(options.traces.names.front());
  }
  check_export_output(name, false, named.names);
  if (is_one) {
    write_window(named, part, name);
  } else {
    write_timeline(named, options.ranks, part, name);
  }
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
  CLI::App* verb =
      app.add_subcommand(
             "export",
             "Write recordings as a database, ranks as a timeline, or a part of one as a trace")
          ->group("Look");
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
  verb->add_option("--from", options->from, "Of json: events at TIME (as 12.5ms) or later")
      ->type_name("TIME");
  verb->add_option("--to", options->to, "Of json: events at TIME or before")->type_name("TIME");
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
