#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

/// Innermost first. A call has a line and no column, as places in the report.
using Calls = std::vector<Frame>;

/// The name of the library, for functions of it that have no name.
std::string library_of(const Trace& trace, const CallPlace& place) {
  const std::string path = place.module ? trace.modules[place.module.value].path : std::string();
  return '[' + path.substr(path.find_last_of('/') + 1) + ']';
}

Calls calls_of(const Trace& trace, Index<CallPath> path) {
  Calls calls;
  if (!path) return calls;
  const auto place_of = [&](Index<CallPath> node) -> const CallPlace& {
    return trace.call_places[trace.call_paths[node.value].place.value];
  };
  const Index<Module> own = place_of(path).module;
  for (Index<CallPath> node = path; node; node = trace.call_paths[node.value].caller) {
    const CallPlace& place = place_of(node);
    const bool in_source =
        std::ranges::any_of(place.frames, [](const Frame& frame) { return !frame.file.empty(); });
    if (!in_source && (place.module != own || place.frames.empty())) {
      const Frame library{library_of(trace, place), "", 0, 0};
      if (calls.empty() || calls.back() != library) calls.push_back(library);
      continue;
    }
    for (const Frame& frame : place.frames)
      calls.push_back({frame.function, frame.file, frame.line, 0});
  }
  return calls;
}

/// Whether two call paths may be the same: they differ only in lines that the compiler left out.
bool may_be_one(const Calls& a, const Calls& b) {
  return std::ranges::equal(a, b, [](const Frame& one, const Frame& other) {
    return one.function == other.function && one.file == other.file &&
           (one.line == other.line || one.line == 0 || other.line == 0);
  });
}

using Sums = std::map<Calls, DirectiveFigures>;

/// Joins a path with an unknown line to the only path that it may be, if there is just one.
void join_unknown_lines(Sums& sums) {
  for (auto at = sums.begin(); at != sums.end();) {
    const auto next = std::next(at);
    const bool has_gap = std::ranges::any_of(
        at->first, [](const Frame& call) { return call.line == 0 && !call.file.empty(); });
    std::vector<Sums::iterator> others;
    for (auto other = sums.begin(); has_gap && other != sums.end(); ++other) {
      if (other != at && may_be_one(at->first, other->first)) others.push_back(other);
    }
    if (others.size() == 1) {
      add(others.front()->second, at->second);
      sums.erase(at);
    }
    at = next;
  }
}

void describe(const Sums& sums, DirectiveRow& row) {
  for (const auto& [calls, figures] : sums) {
    add(row, figures);
    row.paths.push_back({figures, {}, calls});
  }
  const auto weight = [](const DirectivePath& path) {
    return std::pair(path.htod.bytes + path.dtoh.bytes + path.dtod.bytes, path.time);
  };
  sort_rows(row.paths, weight, std::greater<>{});
  if (sums.size() == 1 && sums.begin()->first.empty()) row.paths.clear();
}

}  // namespace

void add(DirectiveFigures& sum, const DirectiveFigures& other) {
  for (Flow DirectiveFigures::* flow :
       {&DirectiveFigures::htod, &DirectiveFigures::dtoh, &DirectiveFigures::dtod}) {
    add(sum.*flow, other.*flow);
  }
  sum.count += other.count;
  sum.alloc_count += other.alloc_count;
  sum.kernel_count += other.kernel_count;
  sum.fallback_count += other.fallback_count;
  sum.mapped_bytes += other.mapped_bytes;
  sum.kernel_time += other.kernel_time;
  sum.time += other.time;
  sum.timed = sum.timed && other.timed;
}

namespace {

/// Sums by row of the directive table and by call path.
class DirectivePaths {
 public:
  explicit DirectivePaths(const Trace& trace) : trace_(trace) {}

  /// The sums of a row's executions by one call path so far.
  DirectiveFigures& at(std::uint32_t row, Index<CallPath> path) {
    return sums_[std::uint64_t{row} << 32U | path.value];
  }

  /// Gives the rows their paths, as far as the source distinguishes them, and the sums of these.
  void give_to(std::vector<DirectiveRow>& rows) const {
    std::map<std::uint32_t, Calls> calls;
    std::vector<Sums> sums(rows.size());
    for (const auto& [key, figures] : sums_) {
      const auto path = static_cast<std::uint32_t>(key);
      const auto [known, is_new] = calls.try_emplace(path);
      if (is_new) known->second = calls_of(trace_, {path});
      add(sums[key >> 32U][known->second], figures);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      join_unknown_lines(sums[i]);
      describe(sums[i], rows[i]);
    }
  }

 private:
  const Trace& trace_;
  std::unordered_map<std::uint64_t, DirectiveFigures> sums_;
};

/// Equal keys are one row. Instantiations of a template are at one place. Without a line, only the
/// address distinguishes two directives of a function.
using SourceKey = std::tuple<Directive, std::string, int, int, std::string, std::string,
                             std::uint32_t, std::uint64_t>;

SourceKey key_of(const Site& site) {
  const bool has_line = !site.file.empty() && site.line > 0;
  return {site.directive,
          site.file,
          site.line,
          site.column,
          has_line ? plain_name(site.function) : site.function,
          site.api,
          has_line ? Index<Module>::kNone : site.module.value,
          has_line ? 0 : site.address};
}

DirectiveRow describe(const Trace& trace, const Site& site) {
  DirectiveRow row;
  row.directive = site.directive;
  row.file = site.file;
  row.line = site.line;
  row.column = site.column;
  row.api = site.api;
  if (site.module) row.module = trace.modules[site.module.value].path;
  row.address = site.address;
  return row;
}

/// Rows that stand for every site, in the order of sites, and a last one for what has no site.
DirectiveTable empty_table(const Trace& trace) {
  DirectiveTable table;
  std::map<SourceKey, std::uint32_t> rows;
  std::vector<std::vector<std::string>> functions;  // of each row's sites
  for (const Site& site : trace.sites) {
    const auto next = static_cast<std::uint32_t>(table.rows.size());
    const auto [row, is_new] = rows.try_emplace(key_of(site), next);
    if (is_new) table.rows.push_back(describe(trace, site));
    table.row_of_site.push_back(row->second);
    if (is_new) functions.emplace_back();
    functions[row->second].push_back(site.function);
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    table.rows[i].function = common_function(functions[i]);
  }
  table.no_site = static_cast<std::uint32_t>(table.rows.size());
  table.rows.emplace_back();
  return table;
}

std::vector<std::uint64_t> mapped_bytes(const Trace& trace) {
  std::vector<std::uint64_t> sums;
  for (const std::vector<MapItem>& items : trace.map_lists) {
    std::uint64_t sum = 0;
    for (const MapItem& item : items) {
      if ((item.type & (kMapPrivate | kMapLiteral)) == 0) sum += item.bytes;
    }
    sums.push_back(sum);
  }
  return sums;
}

void add_regions(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const std::vector<std::uint64_t> mapped = mapped_bytes(trace);
  const auto add = [&](const Region& region, std::uint64_t count, Nanoseconds time) {
    DirectiveFigures& sum = sums.at(row_of(table, region.site), region.path);
    sum.time += time;
    if (region.ends_data) return;
    sum.count += count;
    if (region.host_fallback) sum.fallback_count += count;
    if (region.map_list < mapped.size()) sum.mapped_bytes += count * mapped[region.map_list];
  };
  sum_up(trace.regions, add);
  trace.regions.each_rare([&](std::size_t at, const auto& own) {
    const Region& region = trace.regions.common(at);
    sums.at(row_of(table, region.site), region.path).time -= own.hashing;
  });
  for (const RegionAggregate& aggregate : trace.region_aggregates) {
    add(aggregate.like, aggregate.times.count, sum_of(aggregate.times));
  }
}

/// The call path of an operation or launch: that of its region, or its own.
Index<CallPath> path_of(const Trace& trace, Index<Region> region, Index<CallPath> own) {
  return region ? trace.regions.common(region.value).path : own;
}

/// Whether no region contains the operations of a row: each is an execution by itself, or a part of
/// one.
bool is_call(const DirectiveRow& row) {
  return row.directive == Directive::kApi || row.directive == Directive::kRuntime;
}

void add_ops(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const auto path = [&](std::size_t op) {
    return path_of(trace, trace.ops.region_of(op), trace.ops.common(op).path);
  };
  const auto add_to_row = [&](const DataOp& op, Index<CallPath> by, const Flow& moved,
                              std::uint64_t calls) {
    if (op.internal) return;
    const std::uint32_t row = row_of(table, op.site);
    DirectiveFigures& sum = sums.at(row, by);
    if (op.kind == OpKind::kAlloc) sum.alloc_count += moved.count;
    if (is_transfer(op.kind)) {
      add(sum.*described(op.kind).flow, moved);
      if (op.clock == Clock::kEnqueue) sum.timed = false;
    }
    if (!is_call(table.rows[row])) return;
    sum.count += calls;
    sum.time += moved.time;
  };
  sum_up(trace.ops, path,
         [&](const DataOp& op, Index<CallPath> by, std::uint64_t count, Nanoseconds time) {
           add_to_row(op, by, {count * op.bytes, count, time}, count);
         });
  // The operations of one call were counted separately before.
  ApiCalls calls;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (op.internal || !calls.goes_on(op.thread, trace.ops.rare(i).call)) continue;
    const std::uint32_t row = row_of(table, op.site);
    if (is_call(table.rows[row])) --sums.at(row, path(i)).count;
  }
  for (const OpAggregate& aggregate : trace.op_aggregates) {
    const DataOp& like = aggregate.like;
    const std::uint64_t count = aggregate.times.count;
    // API calls that are recorded in part count as rows. Without such a site, each operation
    // counts.
    const bool has_calls = aggregate.calls != 0 || is_of(trace, like.site, Directive::kApi);
    add_to_row(like, like.path, {aggregate.bytes, count, sum_of(aggregate.times)},
               has_calls ? aggregate.calls : count);
  }
}

void add_launches(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const auto path = [&](std::size_t launch) {
    return path_of(trace, trace.launches.region_of(launch), {});
  };
  const auto add = [&](const Launch& launch, Index<CallPath> by, std::uint64_t count,
                       Nanoseconds time) {
    DirectiveFigures& sum = sums.at(row_of(table, launch.site), by);
    sum.kernel_count += count;
    sum.kernel_time += time;
    if (launch.clock == Clock::kEnqueue) sum.timed = false;
  };
  sum_up(trace.launches, path, add);
  for (const LaunchAggregate& aggregate : trace.launch_aggregates) {
    add(aggregate.like, aggregate.path, aggregate.times.count, sum_of(aggregate.times));
  }
}

/// Removes rows that were never executed, and puts the heaviest row first.
void arrange(DirectiveTable& table) {
  const auto weight = [](const DirectiveRow& row) {
    return std::pair(row.htod.bytes + row.dtoh.bytes + row.dtod.bytes, row.time);
  };

  std::vector<std::uint32_t> moved_to(table.rows.size(), kNoDirective);
  std::vector<DirectiveRow> rows;
  for (const std::size_t from : stable_order(table.rows, weight, std::greater<>{})) {
    if (table.rows[from].count == 0) continue;
    moved_to[from] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(std::move(table.rows[from]));
  }
  table.rows = std::move(rows);
  for (std::uint32_t& row : table.row_of_site) row = moved_to[row];
  table.no_site = moved_to[table.no_site];
}

}  // namespace

std::uint32_t row_of(const DirectiveTable& table, Index<Site> site) {
  return site ? table.row_of_site[site.value] : table.no_site;
}

DirectiveTable directives_of(const Trace& trace) {
  DirectiveTable table = empty_table(trace);
  DirectivePaths sums(trace);
  add_regions(trace, table, sums);
  add_ops(trace, table, sums);
  add_launches(trace, table, sums);
  sums.give_to(table.rows);
  identify(table.rows);
  arrange(table);
  return table;
}

}  // namespace ompdm::analysis
