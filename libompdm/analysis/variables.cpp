#include <functional>
#include <utility>

#include "analysis/order.h"
#include "analysis/row_ids.h"
#include "analysis/tables.h"
#include "ompdm/run_sums.h"

namespace ompdm::analysis {

std::vector<VariableRow> variables_of(const Trace& trace) {
  std::vector<VariableRow> rows;
  rows.reserve(trace.variables.size());
  for (const Variable& variable : trace.variables) {
    VariableRow row;
    row.piece = {static_cast<std::uint32_t>(rows.size())};
    row.name = variable.name;
    row.expression = variable.expression;
    row.file = variable.file;
    row.line = variable.line;
    row.address = variable.address;
    row.bytes = variable.bytes;
    row.least_bytes = variable.least_bytes;
    row.pieces = variable.pieces;
    row.aliases = variable.aliases;
    rows.push_back(std::move(row));
  }
  identify(rows);
  const auto add = [&](const DataOp& op, const Flow& moved) {
    if (op.internal || !op.variable) return;
    if (op.kind != OpKind::kHtoD && op.kind != OpKind::kDtoH) return;
    VariableRow& row = rows[op.variable.value];
    Flow& flow = op.kind == OpKind::kHtoD ? row.htod : row.dtoh;
    flow.bytes += moved.bytes;
    flow.count += moved.count;
    flow.time += moved.time;
    if (op.clock == Clock::kEnqueue) row.timed = false;
  };
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t count, Nanoseconds time) {
    add(op, {count * op.bytes, count, time});
  });
  for (const OpTally& tally : trace.op_tallies) {
    add(tally.like, {tally.bytes, tally.times.count, sum_of(tally.times)});
  }
  const auto weight = [](const VariableRow& row) {
    return std::pair(row.htod.bytes + row.dtoh.bytes, row.bytes);
  };
  sort_rows(rows, weight, std::greater<>{});
  return rows;
}

}  // namespace ompdm::analysis
