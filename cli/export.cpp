// `ompdm export`: recordings for other programs, and parts of one for viewers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "export_output.h"
#include "exported_part.h"
#include "job_files.h"
#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "ompdm/window.h"
#include "progress.h"
#include "timeline.h"
#include "verb_help.h"
#include "verbs.h"
#if OMPDM_HAS_SQLITE
#include "export/sqlite_file.h"
#endif

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputName = "standard output";

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
/// Of folders the traces that they hold.
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
    const Span span = part_of(asked, told_span(*written), written->file + ": its events are told");
    part = window_of(*written, span.from, span.to);
    written = &part;
  }
  if (is_standard_output(output)) {
    write_trace(*written, STDOUT_FILENO, kOutputName);
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
