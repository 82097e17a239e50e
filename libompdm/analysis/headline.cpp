#include <algorithm>

#include "analysis/interval_union.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// The row that moved most, or one that kept the device busy if nothing moved.
std::size_t top_row(const std::vector<DirectiveRow>& rows) {
  if (rows.empty()) return kNoRow;
  const DirectiveRow& first = rows.front();  // most bytes first
  return first.htod.bytes + first.dtoh.bytes + first.dtod.bytes > 0 ? 0 : kNoRow;
}

void note_clock(Headline& headline, Clock clock) {
  if (clock == Clock::kHost) headline.host_clock = true;
  if (clock == Clock::kDevice) headline.device_clock = true;
  if (clock == Clock::kModel) headline.model_clock = true;
  if (clock == Clock::kEnqueue) headline.measured = false;
}

Nanoseconds span_of(const Trace& trace) {
  const Recording& recording = trace.recording;
  if (recording.detail.empty()) return program_wall_of(trace);
  const Nanoseconds to = recording.told_to != 0 ? recording.told_to : trace.process.wall;
  const Nanoseconds hashing = trace.process.wall - program_wall_of(trace);
  return std::max(to - recording.told_from - hashing, Nanoseconds{0});
}

}  // namespace

Headline headline_of(const Trace& trace, const std::vector<DirectiveRow>& directives) {
  Headline headline;
  headline.measured = true;
  std::vector<Interval> transfers;
  std::vector<Interval> kernels;
  std::vector<Interval> device;
  for (const DataOp& op : trace.ops) {
    if (op.internal || !(is_transfer(op.kind) || op.kind == OpKind::kMemset)) continue;
    note_clock(headline, op.clock);
    device.push_back({op.begin, op.end});
    if (is_transfer(op.kind)) transfers.push_back({op.begin, op.end});
  }
  for (const Launch& launch : trace.launches) {
    note_clock(headline, launch.clock);
    device.push_back({launch.begin, launch.end});
    kernels.push_back({launch.begin, launch.end});
  }
  headline.measured = headline.measured && !device.empty();
  headline.transfer = union_length(std::move(transfers));
  headline.kernel = union_length(std::move(kernels));
  headline.device = union_length(std::move(device));
  headline.span = span_of(trace);
  headline.top = top_row(directives);
  return headline;
}

}  // namespace ompdm::analysis
