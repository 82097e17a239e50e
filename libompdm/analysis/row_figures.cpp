#include "analysis/row_figures.h"

#include <utility>

namespace ompdm::analysis {

namespace {

/// Takes the figures of a row one by one.
class FigureList {
 public:
  explicit FigureList(const Analysis& of) : knows_transfers_(knows_transfers(of)) {}

  /// A figure that does not depend on transfers.
  void known(std::string name, std::uint64_t value) {
    list_.push_back({std::move(name), static_cast<std::int64_t>(value)});
  }
  void known(std::string name, Nanoseconds value) { list_.push_back({std::move(name), value}); }

  /// Bytes, or a number of operations.
  void moved(std::string name, std::uint64_t value) {
    list_.push_back({std::move(name), {}});
    if (knows_transfers_) list_.back().value = static_cast<std::int64_t>(value);
  }
  void moved(const std::string& name, const Flow& flow) {
    moved(name + "_bytes", flow.bytes);
    moved(name + "_count", flow.count);
  }

  /// A time of operations.
  void took(std::string name, bool is_timed, Nanoseconds time) {
    list_.push_back({std::move(name), {}, knows_transfers_ && !is_timed});
    if (knows_transfers_ && is_timed) list_.back().value = time;
  }

  RowFigures take() { return std::move(list_); }

 private:
  bool knows_transfers_;
  RowFigures list_;
};

}  // namespace

RowFigures figures_of(const Analysis& of, const Activity& row) {
  FigureList list(of);
  list.known("count", row.count);
  list.known("bytes", row.bytes);
  list.known("total_ns", row.total);
  return list.take();
}

RowFigures figures_of(const Analysis& of, const DirectiveRow& row) {
  FigureList list(of);
  list.known("count", row.count);
  list.known("time_ns", row.time);
  list.moved("HtoD", row.htod);
  list.moved("DtoH", row.dtoh);
  list.moved("DtoD", row.dtod);
  list.moved("alloc_count", row.alloc_count);
  list.moved("kernel_count", row.kernel_count);
  list.took("transfer_ns", row.timed, row.htod.time + row.dtoh.time + row.dtod.time);
  list.took("kernel_ns", row.timed, row.kernel_time);
  return list.take();
}

RowFigures figures_of(const Analysis& of, const VariableRow& row) {
  FigureList list(of);
  list.known("bytes", row.bytes);
  list.moved("HtoD", row.htod);
  list.moved("DtoH", row.dtoh);
  list.took("transfer_ns", row.timed, row.htod.time + row.dtoh.time);
  return list.take();
}

RowFigures figures_of(const Analysis& of, const LoopRow& row) {
  FigureList list(of);
  list.known("count", row.count);
  list.known("entries", row.entries);
  list.moved("HtoD_bytes", row.steady.htod_bytes);
  list.moved("DtoH_bytes", row.steady.dtoh_bytes);
  list.known("wall_ns", row.steady.wall);
  list.took("transfer_ns", row.timed, row.steady.transfer);
  list.took("kernel_ns", row.timed, row.steady.kernel);
  return list.take();
}

RowFigures figures_of(const Analysis& of, const Finding& row) {
  FigureList list(of);
  list.known("count", row.count);
  list.known("wasted_bytes", row.wasted_bytes);
  if (row.timed) list.known("wasted_ns", row.wasted_time);
  return list.take();
}

RowFigures figures_of(const Analysis& of) {
  FigureList list(of);
  const Totals& totals = of.totals;
  list.known("wall_ns", of.process.wall);
  list.known("program_wall_ns", of.program_wall);
  list.known("region_count", totals.region.count);
  list.known("region_ns", totals.region.time);
  for (const auto& [name, flow] : {std::pair<std::string, const Flow&>("HtoD", totals.htod),
                                   {"DtoH", totals.dtoh},
                                   {"DtoD", totals.dtod},
                                   {"memset", totals.memset},
                                   {"alloc", totals.alloc},
                                   {"delete", totals.remove},
                                   {"runtime_internal", totals.runtime_internal}}) {
    list.moved(name, flow);
    list.took(name + "_ns", true, flow.time);
  }
  list.moved("kernel_count", totals.kernel.count);
  list.took("kernel_ns", true, totals.kernel.time);
  list.took("transfer_union_ns", of.headline.measured, of.headline.transfer);
  list.took("kernel_union_ns", of.headline.measured, of.headline.kernel);
  return list.take();
}

}  // namespace ompdm::analysis
