#include <fmt/format.h>

#include <string>

#include "report/both.h"
#include "report/comparison_tables.h"
#include "report/pair_table.h"
#include "report/table_builder.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::DirectiveRow;
using analysis::Flow;
using analysis::RowPair;

/// "heat.cpp:46 (was :41)".
std::string moved_place(const Both<DirectiveRow>& both) {
  const std::string place = both.sides.names.place(both.either());
  if (both.before == nullptr || both.after == nullptr) return place;
  if (both.before->file == both.after->file) {
    return both.before->line == both.after->line || both.before->line == 0
               ? place
               : fmt::format("{} (was :{})", place, both.before->line);
  }
  const std::string was = both.sides.names.place(*both.before);
  return was == place ? place : fmt::format("{} (was {})", place, was);
}

std::string loop_over(const Sides& sides, const analysis::Iteration& row, const Analysis& of) {
  std::vector<std::string> places;
  for (const std::size_t directive : row.directives) {
    places.push_back(sides.names.place(of.directives[directive]));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

}  // namespace

Table compared_directives(const Sides& sides) {
  PairTable table("directives", "Movement by directive: before, after", sides.are_whole());
  table.two_columns("count", "Count", Unit::kCount);
  table.two_columns("HtoD_bytes", "HtoD", Unit::kBytes);
  table.two_columns("HtoD_count", "", Unit::kCount, Audience::kData);
  table.two_columns("DtoH_bytes", "DtoH", Unit::kBytes);
  table.two_columns("DtoH_count", "", Unit::kCount, Audience::kData);
  table.two_columns("DtoD_bytes", "", Unit::kBytes, Audience::kData);
  table.ratio_column("bytes_ratio");
  table.two_columns("transfer_ns", "", Unit::kTime, Audience::kData);
  table.two_columns("kernel_count", "", Unit::kCount, Audience::kData);
  table.two_columns("time_ns", "Time", Unit::kTime);
  table.ratio_column("time_ratio");
  table.column({"place", "Where", Unit::kText, Audience::kReader});
  table.column({"directive", "", Unit::kText, Audience::kData});
  table.column({"rows", "", Unit::kText, Audience::kData});
  table.two_columns("file", "", Unit::kText, Audience::kData);
  table.two_columns("line", "", Unit::kCount, Audience::kData);
  table.two_columns("function", "", Unit::kText, Audience::kData);
  for (const RowPair& pair : sides.pairs.directives) {
    const Both<DirectiveRow> both(sides, sides.before.directives, sides.after.directives, pair);
    const auto flow = [&](Flow DirectiveRow::* of, auto Flow::* what) {
      return both.each([&](const Analysis& one, const DirectiveRow& row) {
        return moved(one, static_cast<std::uint64_t>(row.*of.*what));
      });
    };
    table.row(both.before != nullptr, both.after != nullptr);
    table.two(
        both.each([](const Analysis&, const DirectiveRow& row) { return number(row.count); }));
    const TwoCells htod = flow(&DirectiveRow::htod, &Flow::bytes);
    const TwoCells dtoh = flow(&DirectiveRow::dtoh, &Flow::bytes);
    const TwoCells dtod = flow(&DirectiveRow::dtod, &Flow::bytes);
    table.two(htod);
    table.two(flow(&DirectiveRow::htod, &Flow::count));
    table.two(dtoh);
    table.two(flow(&DirectiveRow::dtoh, &Flow::count));
    table.two(dtod);
    table.ratio(htod + dtoh + dtod);
    table.two(both.each([](const Analysis& one, const DirectiveRow& row) {
      return timed(one, row.timed, row.htod.time + row.dtoh.time + row.dtod.time);
    }));
    table.two(both.each(
        [](const Analysis& one, const DirectiveRow& row) { return moved(one, row.kernel_count); }));
    const TwoCells time =
        both.each([](const Analysis&, const DirectiveRow& row) { return Cell(row.time); });
    table.two(time);
    table.ratio(time);
    const std::string directive = SourceNames::directive(both.either());
    table.cell(fmt::format("{} {}", moved_place(both), directive));
    table.cell(directive);
    table.cell(table.presence());
    table.two(both.each([](const Analysis&, const DirectiveRow& row) { return row.file; }));
    table.two(
        both.each([](const Analysis&, const DirectiveRow& row) { return std::int64_t{row.line}; }));
    table.two(both.each([](const Analysis&, const DirectiveRow& row) { return row.function; }));
  }
  return table.take();
}

Table compared_variables(const Sides& sides) {
  using analysis::VariableRow;
  PairTable table("variables", "Movement by variable: before, after", sides.are_whole());
  table.two_columns("HtoD_bytes", "HtoD", Unit::kBytes);
  table.two_columns("HtoD_count", "", Unit::kCount, Audience::kData);
  table.two_columns("DtoH_bytes", "DtoH", Unit::kBytes);
  table.two_columns("DtoH_count", "", Unit::kCount, Audience::kData);
  table.two_columns("calls", "Calls", Unit::kCount, Audience::kReader);
  table.ratio_column("bytes_ratio");
  table.two_columns("transfer_ns", "Transfers", Unit::kTime);
  table.ratio_column("transfer_ratio");
  table.column({"variable", "Variable", Unit::kText, Audience::kReader});
  table.column({"rows", "", Unit::kText, Audience::kData});
  table.column({"name", "", Unit::kText, Audience::kData});
  table.two_columns("file", "", Unit::kText, Audience::kData);
  table.two_columns("line", "", Unit::kCount, Audience::kData);
  for (const RowPair& pair : sides.pairs.variables) {
    const Both<VariableRow> both(sides, sides.before.variables, sides.after.variables, pair);
    const auto flow = [&](Flow VariableRow::* of, auto Flow::* what) {
      return both.each(
          [&](const Analysis& one, const VariableRow& row) { return moved(one, row.*of.*what); });
    };
    table.row(both.before != nullptr, both.after != nullptr);
    const TwoCells htod = flow(&VariableRow::htod, &Flow::bytes);
    const TwoCells dtoh = flow(&VariableRow::dtoh, &Flow::bytes);
    const TwoCells htod_calls = flow(&VariableRow::htod, &Flow::count);
    const TwoCells dtoh_calls = flow(&VariableRow::dtoh, &Flow::count);
    table.two(htod);
    table.two(htod_calls);
    table.two(dtoh);
    table.two(dtoh_calls);
    table.two(htod_calls + dtoh_calls);
    table.ratio(htod + dtoh);
    const TwoCells time = both.each([](const Analysis& one, const VariableRow& row) {
      return timed(one, row.timed, row.htod.time + row.dtoh.time);
    });
    table.two(time);
    table.ratio(time);
    const VariableRow& either = both.either();
    table.cell(
        either.name.empty()
            ? fmt::format("{:#x} {}", either.address, sides.names.place(either.file, either.line))
            : fmt::format("{} {}", either.name, sides.names.place(either.file, either.line)));
    table.cell(table.presence());
    table.cell(either.name);
    table.two(both.each([](const Analysis&, const VariableRow& row) { return row.file; }));
    table.two(
        both.each([](const Analysis&, const VariableRow& row) { return std::int64_t{row.line}; }));
  }
  return table.take();
}

Table compared_loops(const Sides& sides) {
  using analysis::Iteration;
  using analysis::PassCost;
  PairTable table("iterations", "Loops, cost of a pass after the first: before, after",
                  sides.are_whole());
  table.two_columns("count", "Passes", Unit::kCount);
  table.two_columns("HtoD_bytes", "HtoD", Unit::kBytes);
  table.two_columns("DtoH_bytes", "DtoH", Unit::kBytes);
  table.ratio_column("bytes_ratio");
  table.two_columns("transfer_ns", "", Unit::kTime, Audience::kData);
  table.two_columns("kernel_ns", "", Unit::kTime, Audience::kData);
  table.two_columns("wall_ns", "Wall", Unit::kTime);
  table.ratio_column("wall_ratio");
  table.column({"loop", "Loop over", Unit::kText, Audience::kReader});
  table.column({"rows", "", Unit::kText, Audience::kData});
  table.two_columns("loop", "", Unit::kText, Audience::kData);
  for (const RowPair& pair : sides.pairs.iterations) {
    const Both<Iteration> both(sides, sides.before.iterations, sides.after.iterations, pair);
    const auto bytes = [&](std::uint64_t PassCost::* of) {
      return both.each(
          [&](const Analysis& one, const Iteration& row) { return moved(one, row.steady.*of); });
    };
    const auto duration = [&](Nanoseconds PassCost::* of) {
      return both.each([&](const Analysis& one, const Iteration& row) {
        return timed(one, row.timed, row.steady.*of);
      });
    };
    table.row(both.before != nullptr, both.after != nullptr);
    table.two(both.each([](const Analysis&, const Iteration& row) { return number(row.count); }));
    const TwoCells htod = bytes(&PassCost::htod_bytes);
    const TwoCells dtoh = bytes(&PassCost::dtoh_bytes);
    table.two(htod);
    table.two(dtoh);
    table.ratio(htod + dtoh);
    table.two(duration(&PassCost::transfer));
    table.two(duration(&PassCost::kernel));
    const TwoCells wall =
        both.each([](const Analysis&, const Iteration& row) { return row.steady.wall; });
    table.two(wall);
    table.ratio(wall);
    table.cell(loop_over(sides, both.either(), both.after != nullptr ? sides.after : sides.before));
    table.cell(table.presence());
    table.two(both.each(
        [&](const Analysis& one, const Iteration& row) { return loop_over(sides, row, one); }));
  }
  return table.take();
}

}  // namespace ompdm::report
