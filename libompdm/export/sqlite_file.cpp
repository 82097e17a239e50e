#include "export/sqlite_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "ompdm/error.h"
#include "report/tables.h"
#include "trace_files/atomic_file.h"
#include "trace_files/trace_schema.h"

namespace ompdm::sqlite {

/// Nothing, a text, a whole number or another one.
using Value = report::Cell;

class Database {
 public:
  /// Makes one in a temporary file, and begins the transaction. It is to replace `wanted`.
  explicit Database(const std::filesystem::path& wanted) : file_(wanted), wanted_(wanted) {
    // Nobody else has the file, so it needs neither locks, which some file systems refuse, nor a
    // mutex.
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(file_.path().c_str(), &handle_, kFlags, "unix-none") != SQLITE_OK) fail();
    // A database that is half made is thrown away: no journal, and nothing waits for the disk.
    run("PRAGMA journal_mode = OFF");
    run("PRAGMA synchronous = OFF");
    run("BEGIN");
    run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
    run("INSERT INTO meta VALUES ('schema', 'ompdm.sqlite/1')");
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Rows are of this trace from here on; `rank` is -1 if it has none.
  void begin_trace(std::size_t number, std::int32_t rank) {
    trace_ = number;
    rank_ = rank;
  }

  /// Of rows that have been written, `trace` becomes the position at which `order` has it.
  void renumber(std::span<const std::size_t> order) {
    if (std::ranges::is_sorted(order)) return;
    std::string number = "CASE trace";
    for (std::size_t i = 0; i < order.size(); ++i) {
      number += fmt::format(" WHEN {} THEN {}", order[i], i);
    }
    for (const std::string& table : tables_) {
      run(fmt::format("UPDATE {} SET trace = {} END", table, number));
    }
  }

  /// Ends the transaction, closes the file, and gives it its name.
  void finish() {
    run("COMMIT");
    if (sqlite3_close(handle_) != SQLITE_OK) fail();
    handle_ = nullptr;
    file_.put();
  }

 private:
  friend class TableWriter;

  [[noreturn]] void fail() const {
    // SQLite has a word of its own for a full disk, and forgets the cause of errors at the end.
    const int unremembered = errno;
    const int result = sqlite3_errcode(handle_);
    int cause = result == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(handle_);
    if (cause == 0 && result == SQLITE_IOERR) cause = unremembered;
    throw Error(
        fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                    wanted_, cause != 0 ? std::strerror(cause) : sqlite3_errmsg(handle_)));
  }

  /// Runs a statement by itself.
  void run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  trace::Replacement file_;
  std::string wanted_;
  sqlite3* handle_ = nullptr;
  std::set<std::string> tables_;
  std::size_t trace_ = 0;
  std::int32_t rank_ = -1;
};

/// A table and its rows.
class TableWriter {
 public:
  /// Creates the table if it is not there: `trace` and `rank`, then these columns, as SQL defines
  /// them: "begin_ns INTEGER".
  TableWriter(Database& database, const std::string& name, const std::vector<std::string>& columns)
      : database_(database) {
    database.tables_.insert(name);
    database.run(fmt::format("CREATE TABLE IF NOT EXISTS {} (trace INTEGER, rank INTEGER, {})",
                             name, fmt::join(columns, ", ")));
    const std::vector<const char*> marks(columns.size() + 2, "?");
    const std::string insert =
        fmt::format("INSERT INTO {} VALUES ({})", name, fmt::join(marks, ", "));
    if (sqlite3_prepare_v2(database.handle_, insert.c_str(), -1, &insert_, nullptr) != SQLITE_OK) {
      database.fail();
    }
    bind(1, database.trace_);
    if (database.rank_ >= 0) bind(2, database.rank_);
  }
  ~TableWriter() { sqlite3_finalize(insert_); }
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// A row, with a value for each column.
  void add(const auto&... values) {
    std::size_t column = 0;
    (set(column++, values), ...);
    put();
  }

  /// Sets the value of a column from 0 on, in the row to come.
  void set(std::size_t column, const auto& value) {
    bind(static_cast<int>(column) + 3, value);  // behind `trace` and `rank`
  }

  /// Writes the row.
  void put() {
    if (sqlite3_step(insert_) != SQLITE_DONE) database_.fail();
    sqlite3_reset(insert_);
  }

 private:
  /// Binds a value of one of these types:
  /// - a number (whole ones from 2^63 on as the number with the same bits),
  /// - a text that lasts until put(),
  /// - a reference to a row (NULL if there is none),
  /// - a Value.
  template <class T>
  void bind(int place, const T& value) {
    if constexpr (std::same_as<T, Value>) {
      std::visit([&](const auto& held) { bind(place, held); }, value);
    } else if constexpr (std::same_as<T, std::monostate>) {
      sqlite3_bind_null(insert_, place);
    } else if constexpr (std::integral<T>) {
      sqlite3_bind_int64(insert_, place, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      sqlite3_bind_double(insert_, place, value);
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      const std::string_view text = value;
      sqlite3_bind_text(insert_, place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    } else {
      value ? bind(place, value.value) : bind(place, std::monostate());
    }
  }

  Database& database_;
  sqlite3_stmt* insert_ = nullptr;
};

namespace {

std::string json_list(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Enum>
std::string_view name_of(Enum value) {
  return trace_schema::word_of(value);
}

/// The category without "cupti.", which distinguishes activities from host events in trace.json.
std::string_view name_of(ActivityKind kind) {
  return trace_schema::word_of(kind).substr(trace_schema::kActivityPrefix.size());
}

std::string_view name_of(SynchronizationKind kind) {
  constexpr std::string_view kNames[] = {"unknown", "event", "stream_wait_event", "stream",
                                         "context"};
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(kNames) ? kNames[number] : kNames[0];
}

/// A table of Rows. Its columns are some of their fields: "bytes", or "to_device=to" where the
/// column has another name than the field.
template <class Row>
class RowTable {
 public:
  using Names = std::vector<std::string_view>;

  /// `numbers`: columns that come before the fields'.
  RowTable(Database& database, const Trace& trace, const std::string& name, const Names& numbers,
           const Names& columns)
      : trace_(trace), writer_(database, name, find(numbers, columns)) {}

  void add(std::initializer_list<std::size_t> numbers, const Row& row) {
    std::size_t column = 0;
    for (const std::size_t number : numbers) writer_.set(column++, number);
    std::size_t at = 0;
    const auto set = [&](std::string_view, const auto& field, FieldRule rule = {}) {
      const std::size_t of_field = places_[at++];
      if (of_field != kNone) set_field(of_field, field, rule);
    };
    fields(set, row);
    writer_.put();
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Finds each field's column; the definitions of all columns.
  std::vector<std::string> find(const Names& numbers, const Names& columns) {
    std::vector<std::string> definitions;
    for (const std::string_view number : numbers) {
      definitions.push_back(fmt::format("{} INTEGER", number));
    }
    definitions.resize(numbers.size() + columns.size());
    const auto place = [&]<class T>(std::string_view key, const T&, FieldRule = {}) {
      constexpr bool kIsText = std::is_enum_v<T> || std::same_as<T, std::string> ||
                               std::same_as<T, Index<Module>> ||
                               std::same_as<T, std::vector<std::string>>;
      places_.push_back(kNone);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t equals = columns[i].find('=');
        if (columns[i].substr(equals + 1) != key) continue;
        places_.back() = numbers.size() + i;
        definitions[places_.back()] =
            fmt::format("{} {}", columns[i].substr(0, equals), kIsText ? "TEXT" : "INTEGER");
      }
    };
    const Row row;
    fields(place, row);
    return definitions;
  }

  template <class T>
  void set_field(std::size_t column, const T& field, FieldRule rule) {
    if constexpr (std::is_enum_v<T>) {
      writer_.set(column, name_of(field));
    } else if constexpr (std::same_as<T, Index<Module>>) {
      // An empty text; one without an address would be NULL.
      writer_.set(column, field ? std::string_view(trace_.modules[field.value].path) : "");
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      list_ = json_list(field);
      writer_.set(column, list_);
    } else if constexpr (std::same_as<T, std::uint32_t>) {
      const bool is_none = rule.as == FieldRule::kMapList && field == Index<Region>::kNone;
      is_none ? writer_.set(column, Value()) : writer_.set(column, field);
    } else if constexpr (std::integral<T> || std::same_as<T, std::string> ||
                         requires { field.kNone; }) {
      writer_.set(column, field);
    }
  }

  const Trace& trace_;
  std::vector<std::size_t> places_;  // columns, by field
  std::string list_;                 // until the row is written
  TableWriter writer_;
};

/// A table of all rows, each with its position as `id`.
template <class Rows>
void add_rows(Database& database, const Trace& trace, const std::string& name, const Rows& rows,
              const std::vector<std::string_view>& columns) {
  RowTable<typename Rows::value_type> table(database, trace, name, {"id"}, columns);
  for (std::size_t i = 0; i < rows.size(); ++i) table.add({i}, rows[i]);
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
           trace_schema::word_of(recording.detail), recording.recorded_from,
           recording.recorded_to != 0 ? recording.recorded_to : process.wall, recording.finished,
           trace.truncated);
  RowTable<Loss> losses(database, trace, "losses", {}, {"name", "count"});
  for (const Loss& loss : trace.losses) losses.add({}, loss);
  RowTable<Device> devices(database, trace, "devices", {},
                           {"number", "type", "name", "is_host", "emulated"});
  for (const Device& device : trace.devices) devices.add({}, device);
  add_rows(database, trace, "threads", trace.threads, {"tid"});
}

/// What events refer to: sites, variables, kernels, loops, call paths, items of map clauses.
void add_definitions(Database& database, const Trace& trace) {
  add_rows(database, trace, "sites", trace.sites,
           {"directive", "file", "line", "column_=column", "function", "api", "source", "module",
            "address"});
  add_rows(database, trace, "variables", trace.variables,
           {"name", "expression", "file", "line", "address", "bytes", "least_bytes", "pieces",
            "aliases"});
  add_rows(database, trace, "kernels", trace.kernels, {"name", "function", "file", "line"});
  add_rows(database, trace, "loops", trace.loops, {"parent", "function", "file", "line"});
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
  RowTable<MapItem> items(database, trace, "map_items", {"map_list", "position"},
                          {"variable", "name", "base", "begin_=begin", "bytes", "map_type=type"});
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    for (std::size_t i = 0; i < trace.map_lists[list].size(); ++i) {
      items.add({list, i}, trace.map_lists[list][i]);
    }
  }
}

/// Regions, operations, launches, and what devices did by their own clock.
void add_events(Database& database, const Trace& trace) {
  add_rows(database, trace, "regions", trace.regions,
           {"site", "path", "map_list", "thread", "device", "begin_ns", "end_ns", "hashing_ns",
            "ends_data", "unfinished", "host_fallback", "nowait"});
  add_rows(database, trace, "ops", trace.ops,
           {"kind", "clock", "region", "site", "path", "variable", "thread", "from_device=from",
            "to_device=to", "bytes", "begin_ns", "end_ns", "src", "dst", "call", "internal",
            "unfinished", "fingerprint", "hash"});
  add_rows(database, trace, "launches", trace.launches,
           {"clock", "region", "site", "kernel", "thread", "device", "begin_ns", "end_ns",
            "requested_teams", "num_teams", "thread_limit", "trip_count", "unfinished"});
  add_rows(database, trace, "activities", trace.activities,
           {"kind",    "op",      "launch",    "region",        "kernel",
            "device",  "stream",  "context",   "begin_ns",      "end_ns",
            "bytes",   "grid_x",  "grid_y",    "grid_z",        "block_x",
            "block_y", "block_z", "registers", "static_shared", "dynamic_shared",
            "internal"});
  add_rows(database, trace, "synchronizations", trace.synchronizations,
           {"kind", "op", "region", "device", "stream", "context", "begin_ns", "end_ns"});
}

/// What was counted instead of told event by event.
void add_aggregates(Database& database, const Trace& trace) {
  TableWriter aggregates(
      database, "tallies",
      {"of TEXT",          "kind TEXT",           "site INTEGER",       "path INTEGER",
       "variable INTEGER", "kernel INTEGER",      "thread INTEGER",     "device INTEGER",
       "internal INTEGER", "ends_data INTEGER",   "calls INTEGER",      "count INTEGER",
       "bytes INTEGER",    "least_bytes INTEGER", "most_bytes INTEGER", "sum_ns INTEGER",
       "least_ns INTEGER", "most_ns INTEGER",     "median_ns INTEGER",  "deviation_ns REAL"});
  const Value none;
  const auto add = [&](const Distribution& times, const auto&... columns) {
    aggregates.add(columns..., times.sum, times.least, times.most, times.median(),
                   Value(times.deviation()));
  };
  for (const auto& [like, times] : trace.region_aggregates) {
    add(times, "region", none, like.site, like.path, none, none, like.thread, like.device, false,
        like.ends_data, none, times.count, none, none, none);
  }
  for (const auto& [like, calls, bytes, least, most, times] : trace.op_aggregates) {
    const bool from_host = like.src_device == trace.host_device;
    add(times, "op", name_of(like.kind), like.site, like.path, like.variable, none, like.thread,
        from_host ? like.dst_device : like.src_device, like.internal, false, calls, times.count,
        bytes, least, most);
  }
  for (const auto& [like, path, times] : trace.launch_aggregates) {
    add(times, "launch", none, like.site, path, none, like.kernel, like.thread, like.device, false,
        false, none, times.count, none, none, none);
  }
  for (const ActivityAggregate& one : trace.activity_aggregates) {
    const auto bytes = [&](std::uint64_t value) {
      return one.like.kind == ActivityKind::kKernel ? none
                                                    : Value(static_cast<std::int64_t>(value));
    };
    add(one.times, "activity", name_of(one.like.kind), none, none, none, one.like.kernel, none,
        one.like.device, one.like.internal, false, none, one.times.count, bytes(one.bytes),
        bytes(one.least_bytes), bytes(one.most_bytes));
  }
}

const char* type_of(report::Unit unit) {
  if (unit == report::Unit::kText) return "TEXT";
  return unit == report::Unit::kPercent ? "REAL" : "INTEGER";
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
      for (std::size_t i = 0; i < cells.size(); ++i) {
        // "enqueue" for a time that is not known: readers with types want numbers or nothing.
        const bool is_word = data.columns[i].unit != report::Unit::kText &&
                             std::holds_alternative<std::string>(cells[i]);
        is_word ? writer.set(i, Value()) : writer.set(i, cells[i]);
      }
      writer.put();
    }
  }
}

}  // namespace

}  // namespace ompdm::sqlite

namespace ompdm {

SqliteFile::SqliteFile(const std::filesystem::path& path)
    : database_(std::make_unique<sqlite::Database>(path)) {}

SqliteFile::~SqliteFile() = default;

void SqliteFile::add(const Trace& trace) {
  database_->begin_trace(count_++, trace.process.rank);
  sqlite::add_process(*database_, trace);
  sqlite::add_definitions(*database_, trace);
  sqlite::add_events(*database_, trace);
  sqlite::add_aggregates(*database_, trace);
}

void SqliteFile::finish(std::span<const std::size_t> order,
                        std::span<const analysis::Analysis> analyses) {
  database_->renumber(order);
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    database_->begin_trace(i, analyses[i].process.rank);
    sqlite::add_report(*database_, analyses[i]);
  }
  database_->finish();
}

}  // namespace ompdm
