// `ompdm export`: recordings for other programs, and parts of one for viewers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instant.h"
#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "ompdm/window.h"
#include "progress.h"
#include "verb_help.h"
#include "verbs.h"
#if OMPDM_HAS_SQLITE
#include "export/sqlite_file.h"
#endif

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  NamedTraces traces;
  std::string format;
  std::string output;
  std::string from;
  std::string to;
};

/// "trace.sqlite" of "results/trace.json.gz": the traces' own folder may not be ours.
std::string name_beside(const std::string& trace, const char* ending) {
  std::string name = fs::path(trace).filename().string();
  for (const char* known : {".gz", ".json", ".spool", ".json"}) {
    if (name.ends_with(known)) name.resize(name.size() - std::strlen(known));
  }
  return (name.empty() || name == "-" ? "trace" : name) + ending;
}

bool begins_with(const fs::path& path, const std::string& magic) {
  std::string begin(magic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == static_cast<std::streamsize>(magic.size()) && begin == magic;
}

/// What is there may be replaced if it is of the kind that is written.
void check_output(const std::string& output, const std::string& magic) {
  std::error_code error;
  if (!fs::exists(output, error)) return;
  // A pipe would wait for a writer.
  if (fs::is_regular_file(output, error) && begins_with(output, magic)) return;
  throw Error(output + ": is something else: choose another name with -o");
}

void write_database(const ExportOptions& options, const std::string& output) {
#if OMPDM_HAS_SQLITE
  check_output(output, std::string("SQLite format 3") + '\0');
  SqliteFile database(output);
  const auto add = [&](const Trace& trace) {
    const Progress progress("writing " + output);
    database.add(trace);
  };
  const TakenTraces taken = take_named(options.traces, add);
  database.put_in_order(taken.order);
  database.add_reports(taken.analyses);
  database.finish();
#else
  (void)options;
  (void)output;
  throw Error("this ompdm was built without SQLite: install libsqlite3-dev and build it again");
#endif
}

void write_window(const ExportOptions& options, const std::string& output) {
  if (options.traces.names.size() != 1) {
    throw Error("a trace.json is of one process: name one trace", Error::Kind::kUsage);
  }
  check_output(output, R"({"otherData":{"schema":"ompdm.trace/)");
  constexpr auto kFirst = std::numeric_limits<Nanoseconds>::min();
  constexpr auto kLast = std::numeric_limits<Nanoseconds>::max();
  const bool is_whole = options.from.empty() && options.to.empty();
  const Nanoseconds from = options.from.empty() ? kFirst : parse_instant("--from", options.from);
  const Nanoseconds to = options.to.empty() ? kLast : parse_instant("--to", options.to);
  if (from > to) throw Error("--from is later than --to", Error::Kind::kUsage);
  OpenedTraces opened =
      open_named(options.traces, {.analyses = false, .traces = true, .pictures = false});
  const Trace& whole = opened.traces.front();
  replace_trace(is_whole ? whole : window_of(whole, from, to), output);
}

int run_export(const ExportOptions& options) {
  const bool is_database = options.format == "sqlite";
  if (is_database && !(options.from.empty() && options.to.empty())) {
    throw Error("--from and --to are of --format json: a database is asked with WHERE begin_ns",
                Error::Kind::kUsage);
  }
  const std::string output =
      !options.output.empty()
          ? options.output
          : name_beside(options.traces.names.front(), is_database ? ".sqlite" : ".window.json");
  if (is_database) {
    write_database(options, output);
  } else {
    write_window(options, output);
  }
  fmt::print(stderr, "ompdm: wrote {}\n", output);
  return 0;
}

}  // namespace

void setup_export(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb =
      app.add_subcommand("export", "Write recordings as a database, or a part of one as a trace");
  verb->group("Look");
  add_trace_options(*verb, options->traces);
  verb->add_option("--format", options->format,
                   "sqlite: a database of everything; json: a trace.json, of a part of the run")
      ->type_name("sqlite|json")
      ->required()
      ->check(CLI::IsMember({"sqlite", "json"}));
  verb->add_option("-o,--output", options->output,
                   "File to write (default the trace's name with .sqlite or .window.json, here)")
      ->type_name("FILE");
  verb->add_option("--from", options->from, "Of json, what ran at TIME (as 12.5ms) or later")
      ->type_name("TIME");
  verb->add_option("--to", options->to, "Of json, what ran at TIME or before")->type_name("TIME");
  set_help(*verb, "ompdm export TRACE... --format sqlite|json [-o FILE] [--from TIME] [--to TIME]",
           "The database's tables are described in libompdm/export/SQLITE.md.",
           "ompdm export trace.rank*.json --format sqlite -o job.sqlite\n"
           "ompdm export trace.json --format json --from 2s --to 2.5s");
  verb->callback([options, &exit_status] { exit_status = run_export(*options); });
}

}  // namespace ompdm::cli
