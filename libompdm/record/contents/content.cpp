#include "record/contents/content.h"

#include <bit>

#include "record/contents/budget.h"
#include "record/events/devices.h"
#include "record/process/clock.h"
#include "record/stream/lane.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kRun = 4;
constexpr std::uint64_t kSmall = 4096;

enum class Wanted : std::uint8_t { kNothing, kFingerprint, kWhole };

void next_occurrence(Sampling& sampling) noexcept {
  const std::uint32_t occurrence = sampling.occurrences++;
  if (sampling.running != 0) {
    sampling.cost = sampling.running;
    sampling.running = 0;
  }
  if (occurrence % kRun != 0) {
    return;
  }
  // Of small transfers the first 16 runs are examined, then 8 in each doubling of their number.
  constexpr std::uint32_t kRunsAtFirst = 16;
  const std::uint32_t run = occurrence / kRun;
  const std::uint32_t rarer = run < kRunsAtFirst ? 1 : std::bit_floor(run / (kRunsAtFirst / 2));
  const auto each = [run](std::uint32_t power_of_two) { return (run & (power_of_two - 1)) == 0; };
  sampling.large = each(std::uint32_t{1} << budget.thinning());
  sampling.small = sampling.large && each(rarer);
  sampling.checked = false;
  sampling.refused = false;
}

// The budget is asked once a run, when its first transfer is to be examined.
bool run_is_affordable(Sampling& sampling, std::uint64_t now) noexcept {
  if (!sampling.checked) {
    sampling.checked = true;
    sampling.refused = !budget.allows(now, kRun * sampling.cost);
    if (sampling.refused) {
      budget.refused(now);
    } else {
      budget.afforded(now);
    }
  }
  return !sampling.refused;
}

ContentState::Variable& variable_of(ContentState& state, const SiteSlot* site,
                                    const Transfer& transfer) noexcept {
  const auto hash = (reinterpret_cast<std::uint64_t>(transfer.host) >> 4U) * 0x9e3779b97f4a7c15U ^
                    reinterpret_cast<std::uint64_t>(site) * 0xd6e8feb86659fd93U ^
                    (transfer.to_device ? 0 : ~std::uint64_t{0});
  auto& variable = state.variables[(hash >> 32U) % ContentState::kVariables];
  if (variable.host != transfer.host || variable.site != site ||
      variable.to_device != transfer.to_device) {
    if (variable.owed) {
      budget.release(variable.promised);
    }
    variable = {transfer.host, site, 0, 0, transfer.to_device, false};
  }
  return variable;
}

// Whether all of it is to be hashed, this time and the next.
bool begin_turn(ContentState::Variable& variable, std::uint64_t bytes, std::uint64_t now) noexcept {
  constexpr std::uint16_t kMostTurns = 7;
  const std::uint64_t each = budget.expected(bytes);
  if (!budget.allows_dear(now, 2 * each * (std::uint64_t{1} + variable.turns))) {
    return false;
  }
  variable.turns = variable.turns < kMostTurns ? variable.turns + 1 : kMostTurns;
  variable.promised = each;
  variable.owed = true;
  budget.charge(each);
  return true;
}

Wanted wanted(ContentState& state, SiteSlot& site, const Transfer& transfer) noexcept {
  if (budget.unlimited()) {
    return Wanted::kWhole;
  }
  Sampling& sampling = site.sampling;
  const bool large = transfer.bytes > kFingerprintBytes;
  ContentState::Variable* variable = large ? &variable_of(state, &site, transfer) : nullptr;
  if (variable != nullptr && variable->owed) {
    variable->owed = false;
    budget.release(variable->promised);
    return Wanted::kWhole;
  }
  if (transfer.bytes > kSmall ? !sampling.large : !sampling.small) [[likely]] {
    return Wanted::kNothing;
  }
  const std::uint64_t now = ticks();
  const std::uint64_t read = large ? kFingerprintBytes : transfer.bytes;
  if (!run_is_affordable(sampling, now) || !budget.allows(now, budget.expected(read))) {
    return Wanted::kNothing;
  }
  return large && begin_turn(*variable, transfer.bytes, now) ? Wanted::kWhole
                                                             : Wanted::kFingerprint;
}

// An occurrence of a site is one instance of its directive that moves something, or one API call,
// which may move many pieces.
Wanted wanted_of(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  if (origin.site == nullptr) {
    return Wanted::kNothing;
  }
  ContentState& state = lane.content;
  bool known = false;
  if (origin.region != nullptr) [[likely]] {
    known = origin.region->moves;
    origin.region->moves = true;
  } else {
    known = origin.api_call != 0 && origin.api_call == state.api_call;
    state.api_call = origin.api_call;
  }
  if (!known) {
    next_occurrence(origin.site->sampling);
  }
  return wanted(state, *origin.site, transfer);
}

Digest examine(const void* host, std::uint64_t bytes, bool whole, Sampling& sampling,
               std::uint64_t& taken) noexcept {
  const std::uint64_t begin = ticks();
  Digest digest = fingerprint_of(host, bytes);
  std::uint64_t end = ticks();
  sampling.running += end - begin;
  if (whole && digest.hash == 0) {
    const std::uint64_t middle = end;
    complete_digest(digest, host, bytes);
    end = ticks();
    budget.learn(bytes, end - middle);
  }
  taken = end - begin;
  budget.charge(taken);
  return digest;
}

// `back`: how many records of operations before this one it belongs to, 1: the last.
void write_content(Lane& lane, std::uint64_t back, const Digest& digest, std::uint64_t taken,
                   std::uint8_t flags) noexcept {
  auto* record = reserve<spool::Content>(lane);
  if (record == nullptr) {
    return;
  }
  record->back = static_cast<std::uint32_t>(back);
  record->fingerprint = digest.fingerprint;
  record->hash = digest.hash;
  record->ticks = taken;
  commit(lane, record, spool::Tag::kContent,
         static_cast<std::uint8_t>(flags | (digest.trivial ? spool::kContentTrivial : 0)));
}

bool has_no_wait(spool::Entry entry) noexcept {
  using spool::Entry;
  return entry == Entry::kDataBeginNowait || entry == Entry::kDataEndNowait ||
         entry == Entry::kDataUpdateNowait || entry == Entry::kKernelNowait;
}

// A host that plays a device copies at once. Of any other, a region's end has waited for the
// region's operations if it is known not to be nowait; what an API call started is not known.
bool completion_is_known(const OpenRegion* region, int device) noexcept {
  return device_is_emulated(device) ||
         (region != nullptr && region->call.entry != spool::Entry::kNone &&
          !has_no_wait(region->call.entry));
}

void note_from_device(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  if (!completion_is_known(origin.region, transfer.device)) {
    count_loss(spool::Loss::kContentsUnknownCompletion);
    return;
  }
  const Wanted want = wanted_of(lane, origin, transfer);
  if (want == Wanted::kNothing) {
    return;
  }
  const bool whole = want == Wanted::kWhole;
  if (origin.region == nullptr) {
    std::uint64_t taken = 0;
    const Digest digest =
        examine(transfer.host, transfer.bytes, whole, origin.site->sampling, taken);
    write_content(lane, 1, digest, taken, spool::kContentAfter);
    return;
  }
  ContentState& state = lane.content;
  if (state.pending_count == ContentState::kMostPending) {
    count_loss(spool::Loss::kContentsPendingOverflow);
    return;
  }
  state.pending[state.pending_count++] = {transfer.host, transfer.bytes,    lane.op_records,
                                          origin.site,   origin.region->id, whole};
}

}  // namespace

Transfer transfer_of(ompt_target_data_op_t optype, const void* src, int src_device, const void* dst,
                     int dst_device, std::size_t bytes) noexcept {
  // An address is read only if the runtime says that it is the host's: that its device is none of
  // those that were initialised, and that the other side is one. What the operation is called says
  // less: some plugins call a copy between devices "from device". A rectangle's bytes lie
  // scattered, and what is not known by name may be no transfer at all.
  const ompt_target_data_op_t kind = synchronous_form(optype);
  if ((kind != ompt_target_data_transfer_to_device &&
       kind != ompt_target_data_transfer_from_device && kind != ompt_target_data_transfer) ||
      bytes == 0) {
    return {};
  }
  if (device_is_known(dst_device) && device_is_host(src_device)) {
    return {src, bytes, dst_device, true};
  }
  if (device_is_known(src_device) && device_is_host(dst_device)) {
    return {dst, bytes, src_device, false};
  }
  return {};
}

void examine_before(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  ContentState& state = lane.content;
  state.waiting = {};
  if (!transfer.to_device || transfer.host == nullptr) {
    return;
  }
  const Wanted want = wanted_of(lane, origin, transfer);
  if (want == Wanted::kNothing) {
    return;
  }
  // The runtime is about to read it, so it can be read.
  state.digest = examine(transfer.host, transfer.bytes, want == Wanted::kWhole,
                         origin.site->sampling, state.ticks);
  state.waiting = transfer;
}

void note_transfer(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  ContentState& state = lane.content;
  if (transfer.host == nullptr) {
    return;
  }
  if (!transfer.to_device) {
    note_from_device(lane, origin, transfer);
  } else if (state.waiting.host == transfer.host && state.waiting.bytes == transfer.bytes) {
    write_content(lane, 1, state.digest, state.ticks, 0);
  }
  state.waiting = {};
}

void examine_arrived(Lane& lane, std::uint32_t region) noexcept {
  ContentState& state = lane.content;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < state.pending_count; ++i) {
    const ContentState::Pending pending = state.pending[i];
    if (pending.region != region) {
      state.pending[kept++] = pending;
      continue;
    }
    // The storage is mapped by the directive that runs, on this thread, until this callback
    // returns: the program must not have given it back yet.
    std::uint64_t taken = 0;
    const Digest digest =
        examine(pending.host, pending.bytes, pending.whole, pending.site->sampling, taken);
    write_content(lane, lane.op_records - pending.op + 1, digest, taken, spool::kContentAfter);
  }
  state.pending_count = kept;
  if (lane.idle() && kept != 0) {
    // Of regions that never told their end.
    count_loss(spool::Loss::kContentsUnknownCompletion, kept);
    state.pending_count = 0;
  }
}

}  // namespace ompdm::record
