#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>

#include "analysis/device_clock.h"
#include "ompdm/report.h"
#include "report/json_rows.h"
#include "report/sentences.h"
#include "report/units.h"
#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

/// One line of the list.
struct Operation {
  Nanoseconds begin = 0;
  Nanoseconds duration = 0;
  Clock clock = Clock::kHost;
  bool is_kernel = false;
  bool has_bytes = false;
  bool moves = false;  ///< its bytes over its time are a throughput
  std::uint64_t bytes = 0;
  std::uint32_t teams = 0;    ///< requested; 0: unknown or left to the runtime
  std::uint32_t threads = 0;  ///< requested limit; 0: unknown or left to the runtime
  std::int32_t device = -1;
  std::uint32_t tid = 0;
  std::string name;
  std::string directive;
  const DeviceActivity* activity = nullptr;  ///< that did it; null: none is known
  Nanoseconds submitted = 0;                 ///< with an activity: when the host asked for it
};

/// The operations of one trace in order of their begin, by the device's clock where there is one.
class OperationList {
 public:
  /// Both must outlive this.
  OperationList(const Trace& trace, const SourceNames& names)
      : converted_(trace.activities.empty() ? Trace{} : analysis::on_device_clock(trace)),
        trace_(trace.activities.empty() ? trace : converted_),
        names_(names),
        op_activities_(trace_.ops.size(), kNone),
        launch_activities_(trace_.launches.size(), kNone) {
    for (const Site& site : trace_.sites) directives_.push_back(directive_text(site));
    for (std::uint32_t i = 0; i < trace_.activities.size(); ++i) {
      const DeviceActivity& activity = trace.activities[i];
      submitted_.push_back(activity.op       ? trace.ops.begin_of(activity.op.value)
                           : activity.launch ? trace.launches.begin_of(activity.launch.value)
                                             : activity.begin);
      if (activity.op && op_activities_[activity.op.value] == kNone) {
        op_activities_[activity.op.value] = i;
      }
      if (activity.launch) launch_activities_[activity.launch.value] = i;
    }
  }

  /// Calls `take` with each operation and launch.
  template <class Take>
  void for_each(Take take) const {
    std::size_t op = 0;
    std::size_t launch = 0;
    while (op < trace_.ops.size() || launch < trace_.launches.size()) {
      const bool op_is_next =
          launch == trace_.launches.size() ||
          (op < trace_.ops.size() && trace_.ops.begin_of(op) <= trace_.launches.begin_of(launch));
      take(op_is_next ? describe_op(op++) : describe_launch(launch++));
    }
  }

 private:
  static constexpr std::uint32_t kNone = Index<DeviceActivity>::kNone;

  [[nodiscard]] Operation describe_op(std::size_t position) const {
    const DataOp& op = trace_.ops[position];
    const bool copies =
        op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH || op.kind == OpKind::kDtoD;
    const bool from_device = op.kind == OpKind::kDtoH || op.kind == OpKind::kDelete;
    Operation line = timed(op, op_activities_[position]);
    line.has_bytes = op.bytes > 0 || op.kind != OpKind::kDelete;
    line.bytes = op.bytes;
    line.moves = copies || op.kind == OpKind::kMemset;
    line.device = from_device ? op.src_device : op.dst_device;
    // As nvprof has it.
    line.name = fmt::format("[{}{}{}{}]", op.internal ? "runtime's " : "",
                            op.clock == Clock::kDevice ? "CUDA " : "", copies ? "memcpy " : "",
                            trace_schema::word_of(op.kind));
    if (op.variable) line.name += ' ' + trace_.variables[op.variable.value].name;
    return line;
  }

  [[nodiscard]] Operation describe_launch(std::size_t position) const {
    constexpr std::uint32_t kNoTeams = 0xffffffff;
    const Launch& launch = trace_.launches[position];
    Operation line = timed(launch, launch_activities_[position]);
    line.is_kernel = true;
    line.teams = launch.num_teams != 0 && launch.num_teams != kNoTeams ? launch.num_teams
                                                                       : launch.requested_teams;
    line.threads = launch.thread_limit;
    line.device = launch.device;
    analysis::Activity row;
    row.type = analysis::ActivityType::kKernel;
    if (const Index<Site> site = site_of(launch)) {
      row.function = trace_.sites[site.value].function;
      row.file = trace_.sites[site.value].file;
      row.line = trace_.sites[site.value].line;
    }
    if (launch.kernel) {
      const Kernel& kernel = trace_.kernels[launch.kernel.value];
      if (row.function.empty())
        row.function = kernel.function.empty() ? kernel.name : kernel.function;
      if (row.file.empty()) row.file = kernel.file;
      if (row.line == 0) row.line = kernel.line;
    }
    line.name = names_.activity(row);
    return line;
  }

  /// What operations and launches both have.
  template <class Row>
  [[nodiscard]] Operation timed(const Row& row, std::uint32_t activity) const {
    Operation line;
    line.begin = row.begin;
    line.duration = row.end - row.begin;
    line.clock = row.clock;
    line.tid = row.thread < trace_.threads.size() ? trace_.threads[row.thread].tid : 0;
    const Index<Site> site = site_of(row);
    line.directive = site ? directives_[site.value] : std::string("-");
    if (activity == kNone) return line;
    line.activity = &trace_.activities[activity];
    line.submitted = submitted_[activity];
    return line;
  }

  /// Its own, or that of its region.
  template <class Row>
  [[nodiscard]] Index<Site> site_of(const Row& row) const {
    if (row.site || !row.region) return row.site;
    return trace_.regions.common(row.region.value).site;
  }

  [[nodiscard]] std::string directive_text(const Site& site) const {
    analysis::DirectiveRow row;
    row.directive = site.directive;
    row.file = site.file;
    row.line = site.line;
    row.function = site.function;
    row.api = site.api;
    if (site.module) row.module = trace_.modules[site.module.value].path;
    row.address = site.address;
    return names_.place(row) + ' ' + SourceNames::directive(row);
  }

  Trace converted_;  ///< empty where there is no device clock
  const Trace& trace_;
  const SourceNames& names_;
  std::vector<std::string> directives_;           ///< by site
  std::vector<std::uint32_t> op_activities_;      ///< the first of each operation's
  std::vector<std::uint32_t> launch_activities_;  ///< the last of each launch's
  std::vector<Nanoseconds> submitted_;            ///< by activity
};

std::string shape(std::uint32_t requested) {
  return requested == 0 ? "-" : fmt::format("{}*", requested);
}

std::string shape(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("({} {} {})", size[0], size[1], size[2]);
}

const char* memory_name(MemoryKind kind) {
  constexpr const char* kNames[] = {"-", "Pageable", "Pinned", "Device", "Array", "Managed"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// A column before the name, as nvprof's --print-gpu-trace has them.
struct ListColumn {
  const char* title;
  std::size_t width;
  bool of_activity;  ///< only where some device recorded its activities
};
constexpr ListColumn kColumns[] = {
    {"Start", 9, false},       {"Duration", 10, false},  {"Grid Size", 11, false},
    {"Block Size", 12, false}, {"Regs", 6, true},        {"SSMem", 10, true},
    {"DSMem", 10, true},       {"Size", 10, false},      {"Throughput", 12, false},
    {"SrcMemType", 12, true},  {"DstMemType", 12, true}, {"Device", 8, false},
    {"Stream", 8, true},       {"Thread", 10, false}};

using ListCells = std::array<std::string, std::size(kColumns)>;

ListCells cells_of(const Operation& line) {
  const DeviceActivity* run = line.is_kernel ? line.activity : nullptr;
  const DeviceActivity* copy = line.is_kernel ? nullptr : line.activity;
  return {time_text(line.begin),
          time_text(line.duration),
          run != nullptr ? shape(run->grid) : shape(line.teams),
          run != nullptr ? shape(run->block) : shape(line.threads),
          run != nullptr ? std::to_string(run->registers) : "-",
          run != nullptr ? size_text(run->static_shared) : "-",
          run != nullptr ? size_text(run->dynamic_shared) : "-",
          line.has_bytes ? size_text(line.bytes) : "-",
          line.clock == Clock::kEnqueue ? "enqueue"
          : line.moves                  ? throughput_text(line.bytes, line.duration)
                                        : "-",
          copy != nullptr ? memory_name(copy->source) : "-",
          copy != nullptr ? memory_name(copy->destination) : "-",
          std::to_string(line.device),
          line.activity != nullptr ? std::to_string(line.activity->stream) : "-",
          std::to_string(line.tid)};
}

Json json_of(const Operation& line, std::size_t recording) {
  Json json = {{"trace", recording},
               {"start_ns", line.begin},
               {"duration_ns", line.duration},
               {"clock", trace_schema::word_of(line.clock)},
               {"requested_teams", line.teams},
               {"requested_threads", line.threads},
               {"bytes", line.has_bytes ? Json(line.bytes) : Json(nullptr)},
               {"device", line.device},
               {"thread", line.tid},
               {"name", line.name},
               {"directive", line.directive}};
  if (line.activity == nullptr) return json;
  const DeviceActivity& activity = *line.activity;
  json["submitted_ns"] = line.submitted;
  json["stream"] = activity.stream;
  json["context"] = activity.context;
  if (line.is_kernel) {
    json["grid"] = activity.grid;
    json["block"] = activity.block;
    json["registers"] = activity.registers;
    json["static_shared_bytes"] = activity.static_shared;
    json["dynamic_shared_bytes"] = activity.dynamic_shared;
  } else {
    json["source_memory"] = memory_name(activity.source);
    json["destination_memory"] = memory_name(activity.destination);
  }
  return json;
}

/// Keys of a line's JSON value that CSV has, in its order.
constexpr const char* kCsvKeys[] = {"trace",
                                    "start_ns",
                                    "duration_ns",
                                    "clock",
                                    "requested_teams",
                                    "requested_threads",
                                    "bytes",
                                    "device",
                                    "thread",
                                    "name",
                                    "directive",
                                    "submitted_ns",
                                    "grid",
                                    "block",
                                    "registers",
                                    "static_shared_bytes",
                                    "dynamic_shared_bytes",
                                    "source_memory",
                                    "destination_memory",
                                    "stream"};
constexpr std::size_t kActivityKeys = 9;  // the last of these

/// Lists of numbers as one text, with blanks between them.
Cell csv_cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.get<std::int64_t>();
  if (!value.is_array()) return {};
  return fmt::format("{}", fmt::join(value.get<std::vector<std::uint32_t>>(), " "));
}

/// Writes lines of the list in one format.
class ListWriter {
 public:
  ListWriter(Format format, const Layout& layout, std::span<const Trace> traces)
      : format_(format), has_activities_(std::ranges::any_of(traces, [](const Trace& trace) {
          return !trace.activities.empty();
        })) {
    constexpr std::size_t kNarrowestName = 28;
    std::size_t name_at = 0;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (kColumns[i].of_activity && !has_activities_) continue;
      // "(2147483647 1 1)" has to fit where shapes are known.
      const bool is_shape = std::string_view(kColumns[i].title).ends_with("Size");
      widths_[i] = kColumns[i].width + (is_shape && has_activities_ ? 4 : 0);
      name_at += widths_[i];
    }
    // A list this wide does not fit every terminal.
    name_width_ =
        std::max((layout.width - std::min(layout.width, name_at)) / 2, kNarrowestName + 2) - 2;
    csv_keys_ = std::span(kCsvKeys).subspan(traces.size() > 1 ? 0 : 1);
    if (!has_activities_) csv_keys_ = csv_keys_.first(csv_keys_.size() - kActivityKeys);
  }

  [[nodiscard]] std::string heading() const {
    if (format_ == Format::kCsv) return csv_line({csv_keys_.begin(), csv_keys_.end()});
    if (format_ == Format::kJson) {
      return fmt::format("{{\"schema\": \"{}\", \"operations\": [\n", kGpuTraceSchema);
    }
    ListCells titles;
    std::ranges::transform(kColumns, titles.begin(), &ListColumn::title);
    std::string text;
    add_cells(titles, text);
    if (format_ == Format::kText) {
      return text + fmt::format("  {:<{}}  {}\n", "Name", name_width_, "Directive");
    }
    text += "| Name | Directive |\n|";
    for (const std::size_t width : widths_) text += width != 0 ? " ---: |" : "";
    return text + " --- | --- |\n";
  }

  void add(const Operation& line, std::size_t recording, std::string& out) {
    constexpr std::size_t kLeastDirective = 40;
    switch (format_) {
      case Format::kText:
        add_cells(cells_of(line), out);
        fmt::format_to(std::back_inserter(out), "  {:<{}}  {}\n", shortened(line.name, name_width_),
                       name_width_,
                       shortened(line.directive, std::max(name_width_, kLeastDirective)));
        break;
      case Format::kCsv: {
        const Json json = json_of(line, recording);
        std::vector<Cell> cells;
        for (const char* key : csv_keys_) {
          cells.push_back(csv_cell(json.value(key, Json(nullptr))));
        }
        out += csv_line(cells);
        break;
      }
      case Format::kMarkdown:
        add_cells(cells_of(line), out);
        fmt::format_to(std::back_inserter(out), "| `{}` | {} |\n", line.name, line.directive);
        break;
      case Format::kJson:
        if (!is_first_) out += ",\n";
        out += json_of(line, recording).dump(-1, ' ', false, Json::error_handler_t::replace);
        break;
    }
    is_first_ = false;
  }

 private:
  void add_cells(const ListCells& cells, std::string& out) const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (widths_[i] == 0) continue;
      format_ == Format::kText
          ? fmt::format_to(std::back_inserter(out), "{:>{}}", cells[i], widths_[i])
          : fmt::format_to(std::back_inserter(out), "| {} ", cells[i]);
    }
  }

  Format format_;
  bool has_activities_;
  std::array<std::size_t, std::size(kColumns)> widths_{};  ///< 0: the column is left out
  std::size_t name_width_ = 0;
  std::span<const char* const> csv_keys_;
  bool is_first_ = true;
};

/// Whether "heat.cpp:56 target" is at "heat.cpp:56".
bool is_place(const std::string& directive, const std::string& where) {
  return directive.starts_with(where) &&
         (directive.size() == where.size() || directive[where.size()] == ' ');
}

}  // namespace

std::string unlisted_part(const Trace& trace) {
  const Recording& recording = trace.recording;
  const std::string lost = lost_events(trace.losses);
  if (is_recorded_whole(recording) || recording.is_part()) {
    return lost.empty() ? lost : "lost operations are not listed: " + lost;
  }
  const Nanoseconds wall = trace.process.wall;
  if (is_only_counted(recording, wall)) {
    return "nothing is listed: the run was aggregated";
  }
  const Nanoseconds to = recording.recorded_to != 0 ? recording.recorded_to : wall;
  return fmt::format("operations from {} to {} of {} are listed: the rest was aggregated",
                     spoken_time(std::max(recording.recorded_from, Nanoseconds{0})),
                     spoken_time(to), spoken_time(wall));
}

void render_gpu_trace(std::span<const Trace> traces, Format format, const Layout& layout,
                      std::ostream& out, const OperationFilter& filter) {
  constexpr std::size_t kFlushAt = 1 << 16;
  const bool is_text = format == Format::kText;
  const bool is_for_readers = is_text || format == Format::kMarkdown;
  const SourceNames names(traces);
  ListWriter writer(format, layout, traces);
  std::string text = is_text ? std::string() : writer.heading();
  bool requested = false;
  bool modelled = false;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const OperationList operations(traces[i], names);
    if (is_text) {
      if (traces.size() > 1) text += fmt::format("{}== {} ==\n", i > 0 ? "\n" : "", traces[i].file);
      text += writer.heading();
    }
    operations.for_each([&](const Operation& line) {
      const bool is_at = filter.where.empty() || is_place(line.directive, filter.where);
      if (!is_at || line.begin < filter.from || line.begin > filter.to) return;
      modelled = modelled || line.clock == Clock::kModel;
      requested = requested || (line.activity == nullptr && (line.teams > 0 || line.threads > 0));
      writer.add(line, i, text);
      if (text.size() >= kFlushAt) {
        out << text;
        text.clear();
      }
    });
  }
  if (format == Format::kJson) text += "\n]}\n";
  if (requested && is_for_readers) {
    text += "\n* as requested (teams, thread limit): the device may have used others\n";
  }
  if (modelled && is_for_readers) {
    text += "\ncopies between devices are timed by a model of a link, not measured\n";
  }
  for (const Trace& trace : traces) {
    const std::string line = unlisted_part(trace);
    if (line.empty() || !is_for_readers) continue;
    text += fmt::format("\n{}{}{}\n", traces.size() > 1 ? trace.file : "",
                        traces.size() > 1 ? ": " : "", line);
  }
  out << text;
}

}  // namespace ompdm::report
