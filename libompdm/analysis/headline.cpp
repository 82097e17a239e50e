#include <algorithm>
#include <limits>

#include "analysis/device_clock.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "ompdm/trace.h"

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
  // Of a part that was taken out it is not known how much of the hashing was in it.
  const Nanoseconds hashing = recording.is_part() ? 0 : trace.process.wall - program_wall_of(trace);
  return std::max(to - recording.told_from - hashing, Nanoseconds{0});
}

bool moves_data(const Trace& trace, const Region& region) {
  if (!region.site) return false;
  switch (trace.sites[region.site.value].directive) {
    case Directive::kTargetData:
    case Directive::kTargetEnterData:
    case Directive::kTargetExitData:
    case Directive::kTargetUpdate:
      return true;
    default:
      return false;
  }
}

/// As much of an interval as lies in the part of the run that a trace holds.
Interval within_part(const Recording& recording, Interval time) {
  if (!recording.is_part()) return time;
  const Nanoseconds to =
      recording.told_to != 0 ? recording.told_to : std::numeric_limits<Nanoseconds>::max();
  return {std::max(time.begin, recording.told_from), std::min(time.end, to)};
}

/// What data movement took, from transfers and allocations that come in order of their begins and
/// from the regions of data directives.
class Movement {
 public:
  explicit Movement(const Trace& trace) : trace_(trace), regions_(trace.regions) {}

  void add(Interval operation) {
    add_regions(operation.begin);
    all_.add(operation);
  }

  Nanoseconds finish() {
    add_regions(std::numeric_limits<Nanoseconds>::max());
    return all_.length();
  }

 private:
  void add_regions(Nanoseconds until) {
    const Runs<Region>& rows = trace_.regions;
    for (; next_ < rows.size(); ++next_) {
      const std::size_t at = regions_[next_];
      if (rows.begin_of(at) > until) return;
      if (!moves_data(trace_, rows.common(at))) continue;
      all_.add(within_part(trace_.recording,
                           {rows.begin_of(at), rows.end_of(at) - rows.rare(at).hashing}));
    }
  }

  const Trace& trace_;
  ByBegin<Region> regions_;
  std::size_t next_ = 0;
  UnionLength all_;
};

}  // namespace

Headline headline_of(const Trace& trace, const std::vector<DirectiveRow>& directives) {
  Headline headline;
  headline.measured = true;
  UnionLength transfers;
  UnionLength kernels;
  UnionLength device;
  Movement movement(trace);
  bool any = false;
  const auto take_op = [&](std::size_t i) {
    const DataOp& op = trace.ops.common(i);
    if (op.internal) return;
    const Interval time =
        within_part(trace.recording, {trace.ops.begin_of(i), trace.ops.end_of(i)});
    if (op.kind != OpKind::kMemset) movement.add(time);
    if (!(is_transfer(op.kind) || op.kind == OpKind::kMemset)) return;
    any = true;
    note_clock(headline, op.clock);
    device.add(time);
    if (is_transfer(op.kind)) transfers.add(time);
  };
  const auto take_launch = [&](std::size_t i) {
    any = true;
    note_clock(headline, trace.launches.common(i).clock);
    const Interval time =
        within_part(trace.recording, {trace.launches.begin_of(i), trace.launches.end_of(i)});
    device.add(time);
    kernels.add(time);
  };
  walk_by_begin(trace, take_op, take_launch);
  headline.measured = headline.measured && any;
  headline.transfer = transfers.length();
  headline.movement = movement.finish();
  headline.kernel = kernels.length();
  headline.device = device.length();
  headline.span = span_of(trace);
  headline.top = top_row(directives);
  return headline;
}

namespace {

constexpr Nanoseconds kHalf = 2;
constexpr Nanoseconds kTenth = 10;
constexpr Nanoseconds kTwentieth = 20;
/// What rides along with a launch, in bytes (kRidesAlong).
constexpr std::uint64_t kRides = 256;
constexpr std::uint64_t kFew = 10;

struct VerdictSums {
  Nanoseconds transfer = 0;
  Nanoseconds movement = 0;
  Nanoseconds device = 0;
  Nanoseconds span = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
};

VerdictSums sums_of(std::span<const Analysis> analyses) {
  VerdictSums sums;
  for (const Analysis& one : analyses) {
    sums.transfer += one.headline.transfer;
    sums.movement += one.headline.movement;
    sums.device += one.headline.device;
    sums.span += one.headline.span;
    sums.launches += one.totals.kernel.count;
    for (const Flow& flow : {one.totals.htod, one.totals.dtoh, one.totals.dtod}) {
      sums.transfers += flow.count;
      sums.bytes += flow.bytes;
    }
  }
  return sums;
}

/// Whether all that this run moved is known: pages that migrate by themselves, say, are not.
bool is_known(const Analysis& one) {
  if (!has_target_events(one)) return true;
  return knows_transfers(one) && !lacks_events(one) &&
         (ompdm::is_told_whole(one.recording) || one.recording.is_part()) &&
         one.headline.measured && !one.recording.unified_shared_memory;
}

/// Whether next to nothing moves, by counts: these are the same on each device.
bool is_next_to_nothing(const VerdictSums& sums) {
  return kFew * sums.transfers <= sums.launches && sums.bytes <= kRides * sums.launches;
}

}  // namespace

bool has_device_times(std::span<const Analysis> analyses) {
  return std::ranges::all_of(analyses, [](const Analysis& one) {
    return !has_target_events(one) || one.headline.device_clock ||
           (one.link && one.link->kernels.has_value());
  });
}

Verdict verdict_of(std::span<const Analysis> analyses) {
  if (std::ranges::none_of(analyses, has_target_events)) return Verdict::kUnjudged;
  if (!std::ranges::all_of(analyses, is_known)) return Verdict::kUnjudged;
  const VerdictSums sums = sums_of(analyses);
  if (!has_device_times(analyses)) {
    return is_next_to_nothing(sums) ? Verdict::kNoProblem : Verdict::kUnjudged;
  }
  const bool fills_device =
      kHalf * sums.transfer >= sums.device && kTenth * sums.movement >= sums.span;
  if (sums.movement > 0 && (fills_device || kHalf * sums.movement >= sums.span)) {
    return Verdict::kDominates;
  }
  const bool is_small =
      kTwentieth * sums.movement < sums.span && kHalf * sums.transfer < sums.device;
  return is_small || sums.movement == 0 ? Verdict::kNoProblem : Verdict::kMatters;
}

}  // namespace ompdm::analysis
