#include <algorithm>

#include "analysis/tables.h"
#include "ompdm/told_part.h"

namespace ompdm::analysis {
namespace {

constexpr Nanoseconds kHalf = 2;
constexpr Nanoseconds kTenth = 10;
constexpr Nanoseconds kTwentieth = 20;
/// What rides along with a launch, in bytes (kRidesAlong).
constexpr std::uint64_t kRides = 256;
constexpr std::uint64_t kFew = 10;

struct Sums {
  Nanoseconds transfer = 0;
  Nanoseconds movement = 0;
  Nanoseconds device = 0;
  Nanoseconds span = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
};

Sums sums_of(std::span<const Analysis> analyses) {
  Sums sums;
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
bool is_next_to_nothing(const Sums& sums) {
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
  const Sums sums = sums_of(analyses);
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
