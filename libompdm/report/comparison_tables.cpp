#include "report/comparison_tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <tuple>

#include "ompdm/trace.h"
#include "report/tables.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

/// BEFORE's figure and AFTER's; empty where a side has no such row or does not know it.
struct TwoCells {
  Cell before;
  Cell after;
};

/// A table whose rows are pairs. Columns and cells are added in the same order.
class PairTable {
 public:
  /// `has_ratios`: the two sides' figures can be divided.
  PairTable(std::string name, std::string title, bool has_ratios) : has_ratios_(has_ratios) {
    table_.name = std::move(name);
    table_.title = std::move(title);
  }

  /// Two columns, "before_KEY" and "after_KEY".
  void two_columns(const std::string& key, const std::string& title, Unit unit,
                   Audience audience = Audience::kAll);

  /// AFTER over BEFORE: a text for readers, a number for programs.
  void ratio_column(const std::string& key);

  void column(Column column) { table_.columns.push_back(std::move(column)); }

  /// Begins a row.
  void row(bool in_before, bool in_after);
  void two(const TwoCells& cells);

  /// "gone" or "new" for readers where a row is on one side only. Nothing without ratios.
  void ratio(const TwoCells& cells);
  void cell(Cell cell) { table_.rows.back().push_back(std::move(cell)); }

  /// "both", "before" or "after": which recordings have the row.
  [[nodiscard]] std::string presence() const;

  Table take() { return std::move(table_); }

 private:
  Table table_;
  bool has_ratios_;
  bool in_before_ = true;
  bool in_after_ = true;
};

/// The sum of two figures, each side by itself; unknown if either is.
TwoCells operator+(const TwoCells& a, const TwoCells& b);

std::optional<double> value_of(const Cell& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  return number != nullptr ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

Cell sum(const Cell& a, const Cell& b) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  return left != nullptr && right != nullptr ? Cell(*left + *right) : Cell();
}

void PairTable::two_columns(const std::string& key, const std::string& title, Unit unit,
                            Audience audience) {
  table_.columns.push_back({"before_" + key, title, unit, audience});
  table_.columns.push_back({"after_" + key, "after", unit, audience});
}

void PairTable::ratio_column(const std::string& key) {
  table_.columns.push_back({key, "x", Unit::kCount, Audience::kReader});
  table_.columns.push_back({key, "", Unit::kCount, Audience::kData});
}

void PairTable::row(bool in_before, bool in_after) {
  table_.rows.emplace_back();
  in_before_ = in_before;
  in_after_ = in_after;
}

void PairTable::two(const TwoCells& cells) {
  cell(cells.before);
  cell(cells.after);
}

void PairTable::ratio(const TwoCells& cells) {
  if (!has_ratios_) {
    cell({});
    cell({});
    return;
  }
  if (!in_before_ || !in_after_) {
    cell(in_after_ ? "new" : "gone");
    cell({});
    return;
  }
  const std::optional<double> before = value_of(cells.before);
  const std::optional<double> after = value_of(cells.after);
  if (!before || !after || *before == 0) {
    cell(before && after && *after > 0 ? Cell("from 0") : Cell());
    cell({});
    return;
  }
  cell(ratio_text(*after / *before));
  cell(*after / *before);
}

std::string PairTable::presence() const {
  if (in_before_ && in_after_) return "both";
  return in_before_ ? "before" : "after";
}

TwoCells operator+(const TwoCells& a, const TwoCells& b) {
  return {sum(a.before, b.before), sum(a.after, b.after)};
}

/// The pair's rows, and what is told of each of them.
template <class Row>
struct Both {
  const Sides& sides;
  const Row* before;
  const Row* after;

  Both(const Sides& of, const std::vector<Row>& before_rows, const std::vector<Row>& after_rows,
       const analysis::RowPair& pair)
      : sides(of),
        before(row_at(before_rows, pair.before)),
        after(row_at(after_rows, pair.after)) {}

  /// `figure(analysis, row)` on each side that has the row.
  template <class Figure>
  [[nodiscard]] TwoCells each(Figure figure) const {
    return {before != nullptr ? Cell(figure(sides.before, *before)) : Cell(),
            after != nullptr ? Cell(figure(sides.after, *after)) : Cell()};
  }
  [[nodiscard]] const Row& either() const { return *(after != nullptr ? after : before); }
};

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
