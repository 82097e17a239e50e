#include "report/comparison_tables.h"

#include <fmt/format.h>

#include <tuple>

#include "report/both.h"
#include "report/pair_table.h"
#include "report/table_builder.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Flow;
using analysis::RowPair;

Cell union_length(const Analysis& one, Nanoseconds length) {
  return is_told_whole(one) ? timed(one, one.headline.measured, length) : Cell();
}

/// "solve heat.cpp:46 (was :41)".
std::string kernel_name(const Both<analysis::Activity>& both) {
  const std::string name = both.sides.names.activity(both.either());
  if (both.before == nullptr || both.after == nullptr) return name;
  const std::string was = both.sides.names.activity(*both.before);
  if (was == name) return name;
  const bool same_file = both.before->file == both.after->file && both.before->line > 0;
  return same_file ? fmt::format("{} (was :{})", name, both.before->line)
                   : fmt::format("{} (was {})", name, was);
}

}  // namespace

Table compared_totals(const Sides& sides) {
  PairTable table("totals", "Totals", sides.are_whole());
  table.column({"quantity", "What"});
  for (const auto& [key, title, unit] :
       {std::tuple("count", "Count", Unit::kCount), std::tuple("bytes", "Bytes", Unit::kBytes),
        std::tuple("time_ns", "Time", Unit::kTime)}) {
    table.two_columns(key, title, unit);
    table.ratio_column(std::string(key) + "_ratio");
  }
  const auto add = [&](const char* name, Flow analysis::Totals::* flow, bool has_bytes,
                       bool is_transfer) {
    const Flow& before = sides.before.totals.*flow;
    const Flow& after = sides.after.totals.*flow;
    table.row(true, true);
    table.cell(name);
    const auto known = [&](const Analysis& one, std::uint64_t value) {
      return is_transfer ? moved(one, value) : number(value);
    };
    TwoCells cells = {known(sides.before, before.count), known(sides.after, after.count)};
    table.two(cells);
    table.ratio(cells);
    cells = has_bytes ? TwoCells{moved(sides.before, before.bytes), moved(sides.after, after.bytes)}
                      : TwoCells{};
    table.two(cells);
    table.ratio(cells);
    cells = {before.time, after.time};
    table.two(cells);
    table.ratio(cells);
  };
  const auto add_time = [&](const char* name, const TwoCells& cells) {
    table.row(true, true);
    table.cell(name);
    for (int i = 0; i < 2; ++i) {
      table.two({});
      table.ratio({});
    }
    table.two(cells);
    table.ratio(cells);
  };
  using analysis::Totals;
  add("HtoD", &Totals::htod, true, true);
  add("DtoH", &Totals::dtoh, true, true);
  if (sides.before.totals.dtod.count + sides.after.totals.dtod.count > 0) {
    add("DtoD", &Totals::dtod, true, true);
  }
  add("alloc", &Totals::alloc, true, true);
  add("kernel", &Totals::kernel, false, true);
  add("region", &Totals::region, false, false);
  const auto each = [&](Nanoseconds analysis::Headline::* length) {
    return TwoCells{union_length(sides.before, sides.before.headline.*length),
                    union_length(sides.after, sides.after.headline.*length)};
  };
  add_time("movement (union)", each(&analysis::Headline::transfer));
  add_time("kernels (union)", each(&analysis::Headline::kernel));
  add_time("wall", {sides.before.program_wall, sides.after.program_wall});
  return table.take();
}

Table compared_kernels(const Sides& sides) {
  PairTable table("kernels", "Kernels: before, after", sides.are_whole());
  table.two_columns("count", "Launches", Unit::kCount);
  table.two_columns("total_ns", "Time", Unit::kTime);
  table.ratio_column("total_ratio");
  table.two_columns("avg_ns", "Avg", Unit::kTime);
  table.ratio_column("avg_ratio");
  table.column({"name", "Kernel"});
  table.column({"rows", "", Unit::kText, Audience::kData});
  table.two_columns("name", "", Unit::kText, Audience::kData);
  for (const RowPair& pair : sides.pairs.activities) {
    const Both<analysis::Activity> both(sides, sides.before.activities, sides.after.activities,
                                        pair);
    if (both.either().type != analysis::ActivityType::kKernel) continue;
    const auto duration = [&](Nanoseconds analysis::Activity::* of) {
      return both.each([&](const Analysis& one, const analysis::Activity& row) {
        return timed(one, row.clock != Clock::kEnqueue, row.*of);
      });
    };
    table.row(both.before != nullptr, both.after != nullptr);
    table.two(both.each(
        [](const Analysis&, const analysis::Activity& row) { return number(row.count); }));
    for (const TwoCells& cells :
         {duration(&analysis::Activity::total), duration(&analysis::Activity::average)}) {
      table.two(cells);
      table.ratio(cells);
    }
    const TwoCells names = both.each(
        [&](const Analysis&, const analysis::Activity& row) { return sides.names.activity(row); });
    table.cell(kernel_name(both));
    table.cell(table.presence());
    table.two(names);
  }
  return table.take();
}

Table compared_findings(const Sides& sides) {
  PairTable table("findings", "Findings: before, after", sides.are_whole());
  table.column({"state", "Finding"});
  table.column({"pattern", "Pattern"});
  table.column({"place", "Where", Unit::kText, Audience::kReader});
  table.column({"variable", "Variable"});
  table.two_columns("count", "Count", Unit::kCount);
  table.two_columns("wasted_bytes", "Wasted", Unit::kBytes);
  table.two_columns("wasted_ns", "Wasted time", Unit::kTime);
  table.two_columns("file", "", Unit::kText, Audience::kData);
  table.two_columns("line", "", Unit::kCount, Audience::kData);
  for (const RowPair& pair : sides.pairs.findings) {
    const Both<analysis::Finding> both(sides, sides.before.findings, sides.after.findings, pair);
    const auto figure = [&](auto analysis::Finding::* of) {
      return both.each([&](const Analysis&, const analysis::Finding& row) {
        return static_cast<std::int64_t>(row.*of);
      });
    };
    table.row(both.before != nullptr, both.after != nullptr);
    table.cell(both.after == nullptr ? "went" : both.before == nullptr ? "came" : "stays");
    table.cell(both.either().pattern);
    table.cell(sides.names.place(both.either().file, both.either().line));
    table.cell(both.either().variable);
    table.two(figure(&analysis::Finding::count));
    table.two(figure(&analysis::Finding::wasted_bytes));
    table.two(figure(&analysis::Finding::wasted_time));
    table.two(both.each([](const Analysis&, const analysis::Finding& row) { return row.file; }));
    table.two(figure(&analysis::Finding::line));
  }
  return table.take();
}

std::vector<Table> compared_tables(const Sides& sides) {
  return {compared_totals(sides),  compared_directives(sides), compared_variables(sides),
          compared_kernels(sides), compared_loops(sides),      compared_findings(sides)};
}

}  // namespace ompdm::report
