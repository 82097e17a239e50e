// `ompdm info`: a short description of a trace or spool. With --follow: what a running process
// records.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "report/units.h"
#include "trace_files/trace_schema.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// "events recorded from 40.0 ms to 60.0 ms, the rest aggregated": the detail of a recording.
/// `running`: its process still runs.
std::string detail_of(const Trace& trace, bool running) {
  const Recording& recording = trace.recording;
  if (recording.detail == Recording::Detail::kAggregates) return "aggregates only (OMPDM_DETAIL)";
  if (recording.is_part()) {
    return fmt::format("a part of a run, from {} to {}: the rest is not here",
                       report::spoken_time(recording.recorded_from),
                       report::spoken_time(recording.recorded_to));
  }
  const Nanoseconds to = recording.recorded_to != 0 ? recording.recorded_to : trace.process.wall;
  if (recording.detail == Recording::Detail::kWindow && to <= recording.recorded_from) {
    return to < trace.process.wall ? "aggregated, the window ended before it began"
           : running               ? "aggregated, the window has not begun yet"
                                   : "aggregated, the window did not begin before the end";
  }
  if (recording.detail == Recording::Detail::kWindow && recording.recorded_from == 0 &&
      recording.recorded_to == 0) {
    return running ? "all events are recorded: the window has not ended yet"
                   : "all events are recorded: the program ended before the window (the "
                     "directive of --until was not met, or --duration was not over)";
  }
  return fmt::format(
      "events recorded from {} {}, the rest aggregated{}",
      report::spoken_time(recording.recorded_from),
      recording.recorded_to == 0 ? "on" : "to " + report::spoken_time(recording.recorded_to),
      recording.detail == Recording::Detail::kSpoolLimit
          ? ": the spool had reached its limit (OMPDM_MAX_SPOOL)"
          : "");
}

using Clock = std::chrono::steady_clock;

/// The spool of a running process. Throws Error where there is none, or where its process has
/// ended.
fs::path running_spool(const std::string& name) {
  const fs::path spool = is_spool(name) ? fs::path(name) : fs::path(name + ".spool");
  if (!is_spool(spool)) {
    std::error_code error;
    if (fs::exists(name, error) && !fs::is_regular_file(name, error)) {
      throw Error(fmt::format("{}: is {}: name the trace that a process records into, or its spool",
                              name,
                              fs::is_directory(name, error) ? "a folder" : "no regular file"));
    }
    throw Error(
        fs::exists(name, error)
            ? fmt::format("{}: its process has ended: ompdm report {}", name, name)
            : fmt::format("{}: no process records into it: name its trace, or its spool", name));
  }
  if (!spool_info(spool).alive) {
    throw Error(fmt::format("{}: its process has ended: ompdm report {}", spool.string(), name));
  }
  return spool;
}

/// The analysis of a spool so far. Nothing once the spool is gone, or its process has ended.
std::optional<analysis::Analysis> look(const fs::path& spool) {
  try {
    if (const SpoolInfo info = spool_info(spool); info.finished || !info.alive) return {};
    return analysis::tabulate(read_spool(spool));
  } catch (const Error&) {
    if (std::error_code error; fs::exists(spool, error)) throw;
    return {};
  }
}

/// Prints the process's transfers by directive, again and again. The pause is `every`, or ten times
/// as long as reading takes, whichever is longer. Returns 0 when the process ends; Ctrl-C ends the
/// command. `name`: its spool, or the trace that this becomes. Throws Error where no such process
/// runs.
int follow(const std::string& name, std::chrono::seconds every) {
  refuse_timeline(name);
  const fs::path spool = running_spool(name);
  const OutputOptions output;
  const bool is_terminal = goes_to_terminal(output);
  const report::Layout layout = layout_of(output);
  std::optional<analysis::Analysis> before;
  for (;;) {
    const Clock::time_point begin = Clock::now();
    std::optional<analysis::Analysis> now = look(spool);
    if (!now) break;
    constexpr const char* kClear = "\033[H\033[2J\033[3J";
    if (is_terminal) std::cout << kClear << std::flush;
    if (!is_terminal && before) fmt::print("\n");
    write_out(output, [&](std::ostream& out) {
      out << report::render_look(*now, before ? &*before : nullptr, layout);
    });
    std::fflush(stdout);
    before = std::move(now);
    constexpr int kShare = 10;
    std::this_thread::sleep_for(std::max<Clock::duration>(every, kShare * (Clock::now() - begin)));
  }
  fmt::print("its process has ended: ompdm report {}\n", name);
  return 0;
}

using nlohmann::ordered_json;

struct InfoOptions {
  std::string trace;
  bool follow = false;
  unsigned every = 2;
  std::string format = "text";
};

constexpr const char* kWords =
    "What its words mean:\n"
    "  attached by       how the recorder came into the program\n"
    "  reach             whether target events reached it: ok; cured (the offload runtime was led\n"
    "                    to libomp.so by the recorder); else see ompdm doctor\n"
    "  requires          the clauses of the program's `#pragma omp requires`\n"
    "  names             whether names and lines were taken from the runtime's arguments\n"
    "  clock             tsc: the processor's time stamp counter; and its error against the\n"
    "                    system's clock\n"
    "  host clock        whether it was synchronized as the program began, as its kernel said\n"
    "  callbacks         OMPT's, by which the runtime reports events; 5, always, is the best\n"
    "  data operation    an allocation, a transfer or a release, as the host saw it\n"
    "  launch            one start of a kernel, as the host saw it\n"
    "  device activity   a copy or a kernel, as a CUDA device itself saw it\n"
    "  site              a directive, or a call of omp_target_..., in the program\n"
    "  device event      a device was initialised, given code, or shut down\n"
    "  detail            which part of the run is recorded event by event, or is in the trace\n"
    "  lost              events that are not in the trace, by kind\n"
    "The trace's own words are explained in docs/formats/FORMAT.md.";

void row(const char* name, const std::string& value) {
  fmt::print("{:<12}{}\n", name, value.empty() ? "unknown" : one_line(value));
}

std::string described(const Device& device) {
  std::string text = device.type.empty() ? "type unknown" : device.type;
  if (!device.name.empty()) text += ", " + device.name;
  if (device.is_host) text += ", the host itself";
  if (device.emulated) text += ", emulated by a host process";
  return text;
}

// The specification's names of ompt_set_result_t.
const char* answer_name(int answer) {
  constexpr const char* kNames[] = {"not asked for",    "error", "never", "impossible", "sometimes",
                                    "sometimes paired", "always"};
  return answer >= -1 && answer < 6 ? kNames[answer + 1] : "unknown";
}

void print_recording(const Trace& trace, bool running) {
  const Recording& recording = trace.recording;
  row("runtime", recording.runtime);
  row("attached by", recording.attached_by);
  row("reach", std::string(trace_schema::word_of(recording.reach)));
  row("names", std::string(trace_schema::word_of(recording.names)));
  row("clock",
      fmt::format("{}, calibrated within {:.0f} ns", recording.clock, recording.clock_residual_ns));
  if (!recording.cupti.empty()) {
    row("CUPTI", recording.cupti == "on"
                     ? fmt::format("on (version {}), its clock within {:.0f} ns",
                                   recording.cupti_version, recording.cupti_residual_ns)
                     : recording.cupti);
  }
  if (recording.unified_shared_memory) row("requires", "unified_shared_memory: nothing is copied");
  if (recording.detail != Recording::Detail::kEvents) row("detail", detail_of(trace, running));
  row("ending", recording.finished ? "by itself" : running ? "it still runs" : kEndedSilently);
  row("ompdm", recording.ompdm_version);
  fmt::print("\nCallbacks (what the runtime answered)\n");
  for (const auto& [callback, answer] : recording.registered) {
    fmt::print("  {:<24}{}  {}\n", callback, answer, answer_name(answer));
  }
}

void print_losses(const Trace& trace) {
  fmt::print("\nLost\n");
  if (trace.truncated) fmt::print("  {:>12} behind the cut\n", "all");
  bool any = false;
  for (const Loss& loss : trace.losses) {
    if (loss.count > 0) fmt::print("  {:>12} {}\n", loss.count, loss.name);
    any = any || loss.count > 0;
  }
  if (any || trace.losses.empty()) return;
  fmt::print("  No events lost{} ({} kinds of loss are counted)\n",
             trace.truncated ? " in recording" : "", trace.losses.size());
}

/// The number of rows of a kind in a trace, with the key in JSON and the words of the text.
struct Count {
  std::size_t count;
  const char* key;
  const char* one;
  const char* many;
};

std::vector<Count> row_counts(const Trace& trace) {
  return {{trace.regions.size(), "regions", "region", "regions"},
          {trace.ops.size(), "data_operations", "data operation", "data operations"},
          {trace.launches.size(), "launches", "launch", "launches"},
          {trace.activities.size(), "activities", "device activity", "device activities"},
          {trace.sites.size(), "sites", "site", "sites"},
          {trace.variables.size(), "variables", "variable", "variables"},
          {trace.kernels.size(), "kernels", "kernel", "kernels"},
          {trace.threads.size(), "threads", "thread", "threads"},
          {trace.device_events.size(), "device_events", "device event", "device events"}};
}

void print_text(const OpenedTrace& opened) {
  const Trace& trace = opened.trace;
  const Process& process = trace.process;
  row("file", trace.file + (trace.truncated ? " (cut short)" : ""));
  row("kind", opened.kind);
  row("command", process.arguments.empty() ? process.program : typed_command(process.arguments));
  row("program", process.program);
  row("directory", process.directory);
  row("process", fmt::format("{} on {}", process.pid, process.host));
  if (process.rank >= 0) row("rank", fmt::format("{} of {}", process.rank, process.rank_count));
  row("started", local_time(process.start_realtime_ns / 1'000'000'000));
  row("host clock", clock_words(process.realtime));
  row("wall", fmt::format("{:.6f} s", static_cast<double>(process.wall) / 1e9));
  print_recording(trace, opened.running);

  fmt::print("\nDevices\n");
  for (const Device& device : trace.devices) {
    fmt::print("  {:<4}{}\n", device.number, described(device));
  }
  if (trace.devices.empty()) fmt::print("  none was initialised\n");

  fmt::print("\nRecorded\n");
  for (const Count& of : row_counts(trace)) {
    fmt::print("  {:>12} {}\n", of.count, of.count == 1 ? of.one : of.many);
  }
  const std::size_t aggregates =
      trace.region_aggregates.size() + trace.op_aggregates.size() + trace.launch_aggregates.size();
  fmt::print("  {:>12} {} of aggregated events\n", aggregates,
             aggregates == 1 ? "tally" : "tallies");
  print_losses(trace);
  fmt::print("\nModules\n");
  for (const Module& module : trace.modules) {
    fmt::print("  {}  build-id {}\n", module.path,
               module.build_id.empty() ? "none" : module.build_id);
  }
  fmt::print("\nWhat these words mean: ompdm info --help\n");
}

/// Fields of a row, in this order; a key that is no field is null.
template <class Row>
ordered_json some_fields(const Row& row, std::initializer_list<const char*> keys) {
  ordered_json json;
  for (const char* key : keys) json[key] = nullptr;
  const auto put = [&](const char* key, const auto& field, FieldRule = {}) {
    if constexpr (std::constructible_from<ordered_json, decltype(field)>) {
      if (json.contains(key)) json[key] = field;
    }
  };
  fields(put, row);
  return json;
}

template <class Row>
ordered_json some_fields(const std::vector<Row>& rows, std::initializer_list<const char*> keys) {
  ordered_json json = ordered_json::array();
  for (const Row& row : rows) json.push_back(some_fields(row, keys));
  return json;
}

ordered_json to_json(const OpenedTrace& opened) {
  const Trace& trace = opened.trace;
  ordered_json json = {{"schema", "ompdm.info/1"},
                       {"file", trace.file},
                       {"kind", opened.kind},
                       {"truncated", trace.truncated}};
  json["process"] =
      some_fields(trace.process,
                  {"program", "arguments", "directory", "pid", "ppid", "host", "rank", "rank_count",
                   "start_realtime_ns", "start_monotonic_ns", "boot_id", "host_clock", "wall_ns"});
  json["process"]["host_clock"] = clock_words(trace.process.realtime);
  ordered_json& recording = json["recording"] = some_fields(
      trace.recording, {"ompdm_version", "runtime", "omp_version", "attached_by", "reach", "names",
                        "unified_shared_memory", "clock", "clock_residual_ns", "finished"});
  recording["running"] = opened.running;
  recording["registered"] = ordered_json::object();
  for (const auto& [callback, answer] : trace.recording.registered) {
    recording["registered"][callback] = answer;
  }
  for (const Count& of : row_counts(trace)) json["counts"][of.key] = of.count;
  json["devices"] = some_fields(trace.devices, {"number", "type", "name", "is_host", "emulated"});
  json["losses"] = some_fields(trace.losses, {"name", "count"});
  json["modules"] = some_fields(trace.modules, {"path", "build_id"});
  return json;
}

int run_info(const InfoOptions& options) {
  if (options.follow) return follow(options.trace, std::chrono::seconds(options.every));
  const OpenedTrace opened = open_trace(options.trace);
  if (options.format == "json") {
    // Paths and arguments are bytes, JSON is not.
    print_exactly(to_json(opened).dump(2, ' ', false, ordered_json::error_handler_t::replace) +
                  '\n');
  } else {
    print_text(opened);
  }
  return 0;
}

}  // namespace

void setup_info(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb =
      app.add_subcommand("info", "Show what a trace holds, and lost events")->group("Look");
  verb->add_option("TRACE", options->trace,
                   "A trace, or the spool of a process, running ones too; - is standard input")
      ->required()
      ->type_name("");
  verb->add_option("--format", options->format, "How to print it (default text)")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}));
  verb->add_flag("--follow", options->follow,
                 "Show what a running process has moved by directive, until it ends or Ctrl-C")
      ->excludes("--format");
  verb->add_option("--every", options->every, "Seconds between two looks (default 2)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, 86'400U))
      ->needs("--follow");
  set_help(*verb, "ompdm info TRACE [--format text|json] [--follow [--every SECONDS]]", kWords,
           "ompdm info trace.json\n"
           "ompdm info --format json trace.json.spool\n"
           "ompdm info --follow trace.json");
  verb->callback([options, &exit_status] { exit_status = run_info(*options); });
}

}  // namespace ompdm::cli
