#include "record/stream/fallbacks.h"

#include "record/modules/entry_points.h"
#include "record/process/detail.h"
#include "record/stream/sites.h"
#include "record/stream/tally_of.h"
#include "spool_format/definitions.h"

namespace ompdm::record {
namespace {

// What tells it from a region that is counted, above the bits of those.
constexpr std::uint64_t kOfFallback = std::uint64_t{1} << 16U;

// A construct without a device clause asks for -1: the default device, as it still is.
std::uint8_t wanted_device_flag(std::int64_t device, bool runtime_can_be_asked) noexcept {
  if (device < 0 && runtime_can_be_asked) {
    device = default_device();
  }
  return device >= 0 && device < 255 ? static_cast<std::uint8_t>(device + 1) : 0;
}

// `example`: its number if it is one, else 0.
bool tell_fallback(Lane& lane, const SiteSlot& site, std::uint64_t begin, std::uint8_t device,
                   std::uint64_t example) noexcept {
  const std::size_t extra = example != 0 ? sizeof(example) : 0;
  auto* record = reserve<spool::Fallback>(lane, extra);
  if (record == nullptr) {
    return false;
  }
  record->site = site.id;
  record->ticks = begin;
  if (example != 0) {
    *reinterpret_cast<std::uint64_t*>(record + 1) = example;
  }
  commit(lane, record, spool::Tag::kFallback, device, extra);
  return true;
}

void count_fallback(Lane& lane, const SiteSlot& site, std::uint64_t begin,
                    std::uint8_t device) noexcept {
  const TallyKey key{number(site.id),
                     static_cast<std::uint64_t>(spool::TallyOf::kRegion) | kOfFallback, device};
  TallySlot* slot = nullptr;
  spool::Tally* tally = tally_of(
      lane, key, spool::TallyOf::kRegion, slot,
      [&](std::uint32_t example) { return tell_fallback(lane, site, begin, device, example); });
  if (tally != nullptr) {
    spool::add(tally->times, 0);
  }
}

}  // namespace

void note_host_fallback(bool runtime_can_be_asked) noexcept {
  const Call* noted = this_thread.call;
  this_thread.call = nullptr;
  if (noted == nullptr ||
      (noted->entry != spool::Entry::kKernel && noted->entry != spool::Entry::kKernelNowait)) {
    return;
  }
  const Call fallen = *noted;
  Lane* lane = current_lane();
  if (lane == nullptr) {
    return;
  }
  // The call's arguments are gone by now, so this is a site of its own: without names and kernel.
  Call known{};
  known.codeptr = fallen.codeptr;
  known.ident = fallen.ident;
  known.entry = fallen.entry;
  SiteSlot* site = site_of(*lane, known);
  if (site == nullptr) {
    return;
  }
  pass_detail();
  const std::uint8_t device = wanted_device_flag(fallen.device, runtime_can_be_asked);
  if (recorder.counting.load(std::memory_order_relaxed)) [[unlikely]] {
    count_fallback(*lane, *site, fallen.begin, device);
  } else {
    tell_fallback(*lane, *site, fallen.begin, device, 0);
  }
}

}  // namespace ompdm::record
