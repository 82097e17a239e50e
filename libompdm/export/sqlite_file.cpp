#include "export/sqlite_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ompdm/error.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/tables.h"
#include "trace_files/trace_schema.h"

namespace ompdm::sqlite {

Database::Database(const std::filesystem::path& path, std::string wanted)
    : wanted_(std::move(wanted)) {
  // Nobody else has the file, so it needs neither locks, which some file systems refuse, nor a
  // mutex.
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &handle_, kFlags, "unix-none") != SQLITE_OK) fail();
  // What is half made is thrown away: no journal, and nothing waits for the disk.
  run("PRAGMA journal_mode = OFF");
  run("PRAGMA synchronous = OFF");
  run("BEGIN");
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail() const {
  // SQLite has a word of its own for a full disk, and forgets the cause of what fails at the end.
  const int unremembered = errno;
  const int result = sqlite3_errcode(handle_);
  int cause = result == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(handle_);
  if (cause == 0 && result == SQLITE_IOERR) cause = unremembered;
  throw Error(fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                          wanted_, cause != 0 ? std::strerror(cause) : sqlite3_errmsg(handle_)));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::begin_trace(std::size_t number, std::int32_t rank) {
  trace_ = static_cast<std::int64_t>(number);
  rank_ = rank >= 0 ? Value(std::int64_t{rank}) : Value();
}

void Database::renumber(const std::vector<std::size_t>& order) {
  std::string number = "CASE trace";
  for (std::size_t i = 0; i < order.size(); ++i) {
    number += fmt::format(" WHEN {} THEN {}", order[i], i);
  }
  for (const std::string& table : tables_) {
    run(fmt::format("UPDATE {} SET trace = {} END", table, number));
  }
}

void Database::close() {
  run("COMMIT");
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

TableWriter::TableWriter(Database& database, const std::string& name,
                         const std::vector<std::string>& columns)
    : database_(database) {
  database.tables_.insert(name);
  database.run(fmt::format("CREATE TABLE IF NOT EXISTS {} (trace INTEGER, rank INTEGER, {})", name,
                           fmt::join(columns, ", ")));
  const std::vector<const char*> marks(columns.size() + 2, "?");
  const std::string insert =
      fmt::format("INSERT INTO {} VALUES ({})", name, fmt::join(marks, ", "));
  if (sqlite3_prepare_v2(database.handle_, insert.c_str(), -1, &insert_, nullptr) != SQLITE_OK) {
    database.fail();
  }
  bind(1, database.trace_);
  bind(2, database.rank_);
}

TableWriter::~TableWriter() { sqlite3_finalize(insert_); }

void TableWriter::bind(int at, std::string_view text) {
  // The row is written before its fields are gone.
  sqlite3_bind_text(insert_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void TableWriter::bind_number(int at, std::int64_t number) {
  sqlite3_bind_int64(insert_, at, number);
}

void TableWriter::bind_nothing(int at) { sqlite3_bind_null(insert_, at); }

void TableWriter::bind(int at, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return bind(at, *text);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return bind_number(at, *number);
  if (const auto* number = std::get_if<double>(&value)) {
    sqlite3_bind_double(insert_, at, *number);
    return;
  }
  bind_nothing(at);
}

void TableWriter::add_row(const std::vector<Value>& row) {
  int at = kOfEveryTable;
  for (const Value& value : row) bind(++at, value);
  step();
}

void TableWriter::step() {
  if (sqlite3_step(insert_) != SQLITE_DONE) database_.fail();
  sqlite3_reset(insert_);
}

namespace {

std::string json_list(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_process(Database& database, const Trace& trace) {
  const Process& process = trace.process;
  const Recording& recording = trace.recording;
  TableWriter(
      database, "traces",
      {"rank_count INTEGER", "pid INTEGER", "host TEXT", "program TEXT", "arguments TEXT",
       "directory TEXT", "file TEXT", "start_realtime_ns INTEGER", "wall_ns INTEGER",
       "hashing_ns INTEGER", "host_device INTEGER", "runtime TEXT", "detail TEXT",
       "told_from_ns INTEGER", "told_to_ns INTEGER", "finished INTEGER", "truncated INTEGER"})
      .add(process.rank_count, process.pid, process.host, process.program,
           json_list(process.arguments), process.directory, trace.file, process.start_realtime_ns,
           process.wall, recording.hashing_ns, trace.host_device, recording.runtime,
           recording.detail.empty() ? "events" : recording.detail, recording.told_from,
           recording.told_to != 0 ? recording.told_to : process.wall, recording.finished,
           trace.truncated);
  TableWriter losses(database, "losses", {"name TEXT", "count INTEGER"});
  for (const Loss& loss : trace.losses) losses.add(loss.name, loss.count);
  TableWriter devices(
      database, "devices",
      {"number INTEGER", "type TEXT", "name TEXT", "is_host INTEGER", "emulated INTEGER"});
  for (const Device& device : trace.devices) {
    devices.add(device.number, device.type, device.name, device.is_host, device.emulated);
  }
  TableWriter threads(database, "threads", {"id INTEGER", "tid INTEGER"});
  for (std::size_t i = 0; i < trace.threads.size(); ++i) {
    threads.add(i, trace.threads[i].tid);
  }
}

void add_names(Database& database, const Trace& trace) {
  TableWriter sites(database, "sites",
                    {"id INTEGER", "directive TEXT", "file TEXT", "line INTEGER", "column_ INTEGER",
                     "function TEXT", "api TEXT", "source TEXT", "module TEXT", "address INTEGER"});
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    sites.add(i, analysis::directive_name(site.directive), site.file, site.line, site.column,
              site.function, site.api,
              trace_schema::name_of(trace_schema::kLineSources, site.source),
              site.module ? trace.modules[site.module.value].path : std::string(), site.address);
  }
  TableWriter variables(
      database, "variables",
      {"id INTEGER", "name TEXT", "expression TEXT", "file TEXT", "line INTEGER", "address INTEGER",
       "bytes INTEGER", "least_bytes INTEGER", "pieces INTEGER", "aliases TEXT"});
  for (std::size_t i = 0; i < trace.variables.size(); ++i) {
    const Variable& variable = trace.variables[i];
    variables.add(i, variable.name, variable.expression, variable.file, variable.line,
                  variable.address, variable.bytes, variable.least_bytes, variable.pieces,
                  json_list(variable.aliases));
  }
  TableWriter kernels(database, "kernels",
                      {"id INTEGER", "name TEXT", "function TEXT", "file TEXT", "line INTEGER"});
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const Kernel& kernel = trace.kernels[i];
    kernels.add(i, kernel.name, kernel.function, kernel.file, kernel.line);
  }
}

void add_code(Database& database, const Trace& trace) {
  TableWriter loops(database, "loops",
                    {"id INTEGER", "parent INTEGER", "function TEXT", "file TEXT", "line INTEGER"});
  for (std::size_t i = 0; i < trace.loops.size(); ++i) {
    const CodeLoop& loop = trace.loops[i];
    loops.add(i, loop.parent, loop.function, loop.file, loop.line);
  }
  // The innermost of a place's inlined frames.
  TableWriter paths(database, "call_paths",
                    {"id INTEGER", "caller INTEGER", "loop INTEGER", "function TEXT", "file TEXT",
                     "line INTEGER"});
  for (std::size_t i = 0; i < trace.call_paths.size(); ++i) {
    const CallPath& path = trace.call_paths[i];
    const CallPlace& place = trace.call_places[path.place.value];
    const Frame frame = place.frames.empty() ? Frame{} : place.frames.front();
    paths.add(i, path.caller, place.loop, frame.function, frame.file, frame.line);
  }
  TableWriter items(database, "map_items",
                    {"map_list INTEGER", "position INTEGER", "variable INTEGER", "name TEXT",
                     "base INTEGER", "begin_ INTEGER", "bytes INTEGER", "map_type INTEGER"});
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    for (std::size_t i = 0; i < trace.map_lists[list].size(); ++i) {
      const MapItem& item = trace.map_lists[list][i];
      items.add(list, i, item.variable, item.name, item.base, item.begin, item.bytes, item.type);
    }
  }
}

/// What records refer to: traces, devices, sites, variables, kernels, loops, call paths, maps.
void add_definitions(Database& database, const Trace& trace) {
  add_process(database, trace);
  add_names(database, trace);
  add_code(database, trace);
}

using trace_schema::kActivityCategories;
using trace_schema::kActivityPrefix;
using trace_schema::kClocks;
using trace_schema::kOpCategories;

std::string_view name_of(OpKind kind) { return trace_schema::name_of(kOpCategories, kind); }

std::string_view name_of(Clock clock) { return trace_schema::name_of(kClocks, clock); }

/// Without the "cupti." that tells them from the host's there.
std::string_view name_of(ActivityKind kind) {
  return trace_schema::name_of(kActivityCategories, kind).substr(kActivityPrefix.size());
}

std::string_view name_of(SynchronizationKind kind) {
  switch (kind) {
    case SynchronizationKind::kUnknown:
      break;
    case SynchronizationKind::kEvent:
      return "event";
    case SynchronizationKind::kStreamWaitEvent:
      return "stream_wait_event";
    case SynchronizationKind::kStream:
      return "stream";
    case SynchronizationKind::kContext:
      return "context";
  }
  return "unknown";
}

Value list_of(std::uint32_t map_list) {
  return map_list == std::numeric_limits<std::uint32_t>::max() ? Value()
                                                               : Value(std::int64_t{map_list});
}

void add_host_events(Database& database, const Trace& trace) {
  TableWriter regions(
      database, "regions",
      {"id INTEGER", "site INTEGER", "path INTEGER", "map_list INTEGER", "thread INTEGER",
       "device INTEGER", "begin_ns INTEGER", "end_ns INTEGER", "hashing_ns INTEGER",
       "ends_data INTEGER", "unfinished INTEGER", "host_fallback INTEGER", "nowait INTEGER"});
  std::size_t id = 0;
  for (const Region& region : trace.regions) {
    regions.add(id++, region.site, region.path, list_of(region.map_list), region.thread,
                region.device, region.begin, region.end, region.hashing, region.ends_data,
                region.unfinished, region.host_fallback, region.nowait);
  }
  TableWriter ops(
      database, "ops",
      {"id INTEGER",          "kind TEXT",          "clock TEXT",          "region INTEGER",
       "site INTEGER",        "path INTEGER",       "variable INTEGER",    "thread INTEGER",
       "from_device INTEGER", "to_device INTEGER",  "bytes INTEGER",       "begin_ns INTEGER",
       "end_ns INTEGER",      "src INTEGER",        "dst INTEGER",         "call INTEGER",
       "internal INTEGER",    "unfinished INTEGER", "fingerprint INTEGER", "hash INTEGER"});
  id = 0;
  for (const DataOp& op : trace.ops) {
    ops.add(id++, name_of(op.kind), name_of(op.clock), op.region, op.site, op.path, op.variable,
            op.thread, op.src_device, op.dst_device, op.bytes, op.begin, op.end, op.src, op.dst,
            op.call, op.internal, op.unfinished, op.fingerprint, op.hash);
  }
  TableWriter launches(database, "launches",
                       {"id INTEGER", "clock TEXT", "region INTEGER", "site INTEGER",
                        "kernel INTEGER", "thread INTEGER", "device INTEGER", "begin_ns INTEGER",
                        "end_ns INTEGER", "requested_teams INTEGER", "num_teams INTEGER",
                        "thread_limit INTEGER", "trip_count INTEGER", "unfinished INTEGER"});
  id = 0;
  for (const Launch& launch : trace.launches) {
    launches.add(id++, name_of(launch.clock), launch.region, launch.site, launch.kernel,
                 launch.thread, launch.device, launch.begin, launch.end, launch.requested_teams,
                 launch.num_teams, launch.thread_limit, launch.trip_count, launch.unfinished);
  }
}

void add_device_events(Database& database, const Trace& trace) {
  TableWriter activities(database, "activities",
                         {"id INTEGER",
                          "kind TEXT",
                          "op INTEGER",
                          "launch INTEGER",
                          "region INTEGER",
                          "kernel INTEGER",
                          "device INTEGER",
                          "stream INTEGER",
                          "context INTEGER",
                          "begin_ns INTEGER",
                          "end_ns INTEGER",
                          "bytes INTEGER",
                          "grid_x INTEGER",
                          "grid_y INTEGER",
                          "grid_z INTEGER",
                          "block_x INTEGER",
                          "block_y INTEGER",
                          "block_z INTEGER",
                          "registers INTEGER",
                          "static_shared INTEGER",
                          "dynamic_shared INTEGER",
                          "internal INTEGER"});
  std::size_t id = 0;
  for (const DeviceActivity& one : trace.activities) {
    activities.add(id++, name_of(one.kind), one.op, one.launch, one.region, one.kernel, one.device,
                   one.stream, one.context, one.begin, one.end, one.bytes, one.grid[0], one.grid[1],
                   one.grid[2], one.block[0], one.block[1], one.block[2], one.registers,
                   one.static_shared, one.dynamic_shared, one.internal);
  }
  TableWriter waits(database, "synchronizations",
                    {"id INTEGER", "kind TEXT", "op INTEGER", "region INTEGER", "device INTEGER",
                     "stream INTEGER", "context INTEGER", "begin_ns INTEGER", "end_ns INTEGER"});
  id = 0;
  for (const Synchronization& wait : trace.synchronizations) {
    waits.add(id++, name_of(wait.kind), wait.op, wait.region, wait.device, wait.stream,
              wait.context, wait.begin, wait.end);
  }
}

void add_tallies(Database& database, const Trace& trace) {
  TableWriter tallies(
      database, "tallies",
      {"of TEXT",          "kind TEXT",           "site INTEGER",       "path INTEGER",
       "variable INTEGER", "kernel INTEGER",      "thread INTEGER",     "device INTEGER",
       "internal INTEGER", "ends_data INTEGER",   "calls INTEGER",      "count INTEGER",
       "bytes INTEGER",    "least_bytes INTEGER", "most_bytes INTEGER", "sum_ns INTEGER",
       "least_ns INTEGER", "most_ns INTEGER",     "median_ns INTEGER",  "deviation_ns REAL"});
  const Value none;
  for (const RegionTally& one : trace.region_tallies) {
    tallies.add("region", none, one.like.site, one.like.path, none, none, one.like.thread,
                one.like.device, false, one.like.ends_data, none, one.times.count, none, none, none,
                one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const OpTally& one : trace.op_tallies) {
    const bool from_host = one.like.src_device == trace.host_device;
    tallies.add("op", name_of(one.like.kind), one.like.site, one.like.path, one.like.variable, none,
                one.like.thread, from_host ? one.like.dst_device : one.like.src_device,
                one.like.internal, false, one.calls, one.times.count, one.bytes, one.least_bytes,
                one.most_bytes, one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const LaunchTally& one : trace.launch_tallies) {
    tallies.add("launch", none, one.like.site, one.path, none, one.like.kernel, one.like.thread,
                one.like.device, false, false, none, one.times.count, none, none, none,
                one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const ActivityTally& one : trace.activity_tallies) {
    const auto bytes = [&](std::uint64_t value) {
      return one.like.kind == ActivityKind::kKernel ? none
                                                    : Value(static_cast<std::int64_t>(value));
    };
    tallies.add("activity", name_of(one.like.kind), none, none, none, one.like.kernel, none,
                one.like.device, one.like.internal, false, none, one.times.count, bytes(one.bytes),
                bytes(one.least_bytes), bytes(one.most_bytes), one.times.sum, one.times.least,
                one.times.most, one.times.median(), Value(one.times.deviation()));
  }
}

/// What happened: regions, operations, launches, what devices did by their own clock, and what was
/// counted instead.
void add_events(Database& database, const Trace& trace) {
  add_host_events(database, trace);
  add_device_events(database, trace);
  add_tallies(database, trace);
}

const char* type_of(report::Unit unit) {
  switch (unit) {
    case report::Unit::kText:
      return "TEXT";
    case report::Unit::kPercent:
      return "REAL";
    case report::Unit::kCount:
    case report::Unit::kBytes:
    case report::Unit::kTime:
      break;
  }
  return "INTEGER";
}

/// The report's tables, under their names in its CSV with `report_` in front.
void add_report(Database& database, const analysis::Analysis& analysis) {
  const report::Analyses one(&analysis, 1);
  for (const report::Table& table : report::all_tables(one, report::SourceNames(one), false)) {
    const report::Table data = report::for_data(table);
    std::vector<std::string> columns;
    for (const report::Column& column : data.columns) {
      columns.push_back('"' + column.key + "\" " + type_of(column.unit));
    }
    TableWriter writer(database, "report_" + table.name, columns);
    for (const std::vector<report::Cell>& cells : data.rows) {
      std::vector<Value> row;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        // "enqueue" for a time that is not known: readers with types want numbers or nothing.
        const bool is_word = data.columns[i].unit != report::Unit::kText &&
                             std::holds_alternative<std::string>(cells[i]);
        row.push_back(is_word ? Value() : Value(cells[i]));
      }
      writer.add_row(row);
    }
  }
}

}  // namespace

}  // namespace ompdm::sqlite

namespace ompdm {

SqliteFile::SqliteFile(const std::filesystem::path& path)
    : file_(path), database_(file_.path(), path.string()) {
  database_.run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
  database_.run("INSERT INTO meta VALUES ('schema', 'ompdm.sqlite/1')");
}

void SqliteFile::add(const Trace& trace) {
  database_.begin_trace(ranks_.size(), trace.process.rank);
  ranks_.push_back(trace.process.rank);
  sqlite::add_definitions(database_, trace);
  sqlite::add_events(database_, trace);
}

void SqliteFile::put_in_order(std::span<const std::size_t> order) {
  if (std::ranges::is_sorted(order)) return;
  database_.renumber({order.begin(), order.end()});
  std::vector<std::int32_t> ranks;
  for (const std::size_t at : order) ranks.push_back(ranks_[at]);
  ranks_ = std::move(ranks);
}

void SqliteFile::add_reports(std::span<const analysis::Analysis> analyses) {
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    database_.begin_trace(i, ranks_[i]);
    sqlite::add_report(database_, analyses[i]);
  }
}

void SqliteFile::finish() {
  database_.close();
  file_.put();
}

}  // namespace ompdm
