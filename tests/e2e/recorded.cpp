#include "recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "offload_build.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;

// Everything but 4: that dumps the mapping table, and deadlocks where threads offload together.
constexpr const char* kInfo = "59";

std::int32_t number_after(std::string_view text, std::string_view what, std::size_t from,
                          std::uint64_t& number) {
  const std::size_t at = text.find(what, from);
  if (at == std::string_view::npos) return -1;
  const char* begin = text.data() + at + what.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc{} ? static_cast<std::int32_t>(end - begin) : -1;
}

std::uint64_t sum_of(const Json& rows, const std::string& column) {
  std::uint64_t sum = 0;
  for (const Json& row : rows) sum += row.at(column).get<std::uint64_t>();
  return sum;
}

void expect_sums(const Json& report) {
  const Json& totals = report["totals"];
  for (const std::string way : {"HtoD", "DtoH"}) {
    for (const std::string what : {"bytes", "count"}) {
      const auto total = totals[way][what].get<std::uint64_t>();
      EXPECT_EQ(sum_of(report["directives"], way + '_' + what), total) << "by directive";
      EXPECT_EQ(sum_of(report["variables"], way + '_' + what), total) << "by variable";
    }
  }
  EXPECT_EQ(sum_of(report["directives"], "alloc_count"), totals["alloc"]["count"]);
  EXPECT_EQ(sum_of(report["directives"], "kernel_count"), totals["kernel"]["count"]);
}

// The text of a line of source, empty if there is none.
std::string line_at(const std::string& file, int line) {
  static std::map<std::string, std::vector<std::string>> files;
  const auto [at, is_new] = files.try_emplace(file);
  if (is_new) at->second = lines_of(text_of(file));
  const bool exists = line > 0 && static_cast<std::size_t>(line) <= at->second.size();
  return exists ? at->second[line - 1] : "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What call paths led to adds up to their directive's row.
void expect_path_sums(const Json& report) {
  for (const Json& row : report["directives"]) {
    if (row["paths"].empty()) continue;
    for (const auto& [key, value] : row["paths"][0].items()) {
      if (!value.is_number()) continue;
      std::int64_t sum = 0;
      for (const Json& path : row["paths"]) sum += path[key].get<std::int64_t>();
      EXPECT_EQ(sum, row[key].get<std::int64_t>()) << key << " of " << row;
    }
  }
}

void expect_sources(const Json& report) {
  for (const Json& row : report["directives"]) {
    if (row["line"] == 0) continue;
    const std::string line = line_at(row["file"], row["line"]);
    const bool is_api = row["directive"] == "api";
    const std::string wanted =
        is_api ? row["api"].get<std::string>() : "omp " + row["directive"].get<std::string>();
    EXPECT_TRUE(!wanted.empty() && contains(line, wanted)) << row << " is at: " << line;
  }
  for (const Json& row : report["variables"]) {
    const std::string name = row["name"];
    if (row["line"] == 0 || name.empty()) continue;
    const std::string line = line_at(row["file"], row["line"]);
    const std::string whole = name.substr(0, name.find_first_of(".-"));
    const std::string part = name.substr(name.find_last_of(".>") + 1);
    // An object that is mapped without a clause is at its directive.
    const bool is_object = name == "this" && contains(line, "omp target");
    EXPECT_TRUE(is_object || contains(line, whole) || contains(line, part))
        << row << " is at: " << line;
  }
}

}  // namespace

Recorded record(const Command& program) {
  const Folder folder;
  Command command = program;
  command.words.insert(command.words.begin(), {OMPDM_COMMAND, "record", "--"});
  command.environment.emplace("LIBOMPTARGET_INFO", kInfo);
  Recorded recorded;
  recorded.ended = run(command, folder.path());
  EXPECT_FALSE(recorded.ended.timed_out);
  EXPECT_EQ(recorded.ended.status, 0) << recorded.ended.out << recorded.ended.err;

  fs::path trace = folder.path() / "trace.json";
  if (!fs::exists(trace)) trace.replace_extension(".ompdm");  // of many events
  const Ended report = run({{OMPDM_COMMAND, "report", "--format", "json", trace}}, folder.path());
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_EQ(report.err, "");
  if (report.status == 0) {
    recorded.report = Json::parse(report.out);
    recorded.trace = read_trace(trace);
  }
  return recorded;
}

TrafficByDevice traffic_told_by_runtime(std::string_view err) {
  constexpr std::string_view kDevice = "omptarget device ";
  constexpr std::string_view kCopy = "Copying data from ";
  TrafficByDevice traffic;
  // Threads print over each other, in pieces: so by pieces, not by lines.
  for (std::size_t at = err.find(kCopy); at != std::string_view::npos;
       at = err.find(kCopy, at + 1)) {
    const bool to_device = err.substr(at + kCopy.size()).starts_with("host");
    std::uint64_t device = 0;
    std::uint64_t bytes = 0;
    EXPECT_GT(number_after(err, kDevice, err.rfind(kDevice, at), device), 0);
    EXPECT_GT(number_after(err, "Size=", at, bytes), 0);
    Traffic& one = traffic[static_cast<std::int32_t>(device)];
    Copies& copies = to_device ? one.htod : one.dtoh;
    ++copies.count;
    copies.bytes += bytes;
  }
  return traffic;
}

TrafficByDevice traffic_in(const Trace& trace) {
  TrafficByDevice traffic;
  const auto add = [](Copies& copies, const DataOp& op) {
    ++copies.count;
    copies.bytes += op.bytes;
  };
  for (const DataOp& op : trace.ops) {
    if (op.kind == OpKind::kHtoD) add(traffic[op.dst_device].htod, op);
    if (op.kind == OpKind::kDtoH) add(traffic[op.src_device].dtoh, op);
    // Between host devices the runtime goes by the host, and tells both halves.
    if (op.kind == OpKind::kDtoD) {
      add(traffic[op.src_device].dtoh, op);
      add(traffic[op.dst_device].htod, op);
    }
  }
  return traffic;
}

std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
  return out << "HtoD " << traffic.htod.count << ' ' << traffic.htod.bytes << ", DtoH "
             << traffic.dtoh.count << ' ' << traffic.dtoh.bytes;
}

void expect_consistent(const Recorded& recorded) {
  if (recorded.report.is_null()) return;  // told already
  expect_sums(recorded.report);
  expect_path_sums(recorded.report);
  expect_sources(recorded.report);
  EXPECT_EQ(traffic_in(recorded.trace), traffic_told_by_runtime(recorded.ended.err));
}

std::string program(const std::string& name) {
  return offload_build().folder + "/programs/" + name;
}

std::string kernel(const std::string& name) { return offload_build().kernels + '/' + name; }

std::string patterns(const Json& report) {
  std::string names;
  for (const Json& finding : report["findings"]) {
    names += (names.empty() ? "" : " ") + finding["pattern"].get<std::string>();
  }
  return names;
}

std::vector<Json> rows_of(const Json& table, const std::vector<const char*>& fields) {
  std::vector<Json> rows;
  for (const Json& row : table) {
    Json kept;
    for (const char* field : fields) kept[field] = row.at(field);
    rows.push_back(std::move(kept));
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace ompdm::e2e
