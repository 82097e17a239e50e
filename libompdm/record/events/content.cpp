#include "record/events/content.h"

#include "record/contents/budget.h"
#include "record/process/clock.h"
#include "record/runtime/devices.h"
#include "record/stream/lane.h"

namespace ompdm::record {
namespace {

Look look_of(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  if (origin.site == nullptr) {
    return Look::kNone;
  }
  ContentState& state = lane.content;
  bool known = false;
  if (origin.region != nullptr) [[likely]] {
    known = origin.region->moves;
    origin.region->moves = true;
  } else {
    known = origin.api_call != spool::CallId::kNone && origin.api_call == state.api_call;
    state.api_call = origin.api_call;
  }
  if (!known) {
    origin.site->sampling.begin_occurrence(state.looked);
  }
  const Look look = origin.site->sampling.look_at(transfer.bytes, transfer.to_device, state.looked);
  if (look != Look::kNone && !budget.lasts(ticks(), state.looked.ticks)) {
    count_loss(spool::Loss::kContentsOverTime);
    return Look::kNone;
  }
  return look;
}

Digest examine(ContentState& state, const void* host, std::uint64_t bytes, bool whole,
               std::uint64_t& taken) noexcept {
  const std::uint64_t begin = ticks();
  Digest digest = fingerprint_of(host, bytes);
  if (whole && digest.hash == 0) {
    complete_digest(digest, host, bytes);
  }
  taken = ticks() - begin;
  state.looked.ticks += taken;
  return digest;
}

// `back`: how many records of operations before this one it belongs to, 1: the last.
void write_content(Lane& lane, std::uint64_t back, const Digest& digest, std::uint64_t taken,
                   std::uint64_t flags) noexcept {
  std::byte* at = room_for(lane, spool::kMostEventBytes);
  if (at == nullptr) {
    return;
  }
  const spool::ContentFields now = {digest.fingerprint, digest.hash,
                                    flags | (digest.trivial ? spool::kContentTrivial : 0)};
  spool::ContentFields none = {};
  spool::EventWriter event(at, spool::Event::kContent, back);
  event.second(taken);
  event.fields(now, none);
  lane.cursor = event.commit();
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

void look_at_incoming(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept {
  if (!completion_is_known(origin.region, transfer.device)) {
    count_loss(spool::Loss::kContentsUnknownCompletion);
    return;
  }
  const Look look = look_of(lane, origin, transfer);
  if (look == Look::kNone) {
    return;
  }
  const bool whole = look == Look::kWhole;
  if (origin.region == nullptr) {
    std::uint64_t taken = 0;
    const Digest digest = examine(lane.content, transfer.host, transfer.bytes, whole, taken);
    write_content(lane, 1, digest, taken, spool::kContentAfter);
    return;
  }
  ContentState& state = lane.content;
  if (state.pending_count == ContentState::kMostPending) {
    count_loss(spool::Loss::kContentsPendingOverflow);
    return;
  }
  state.pending[state.pending_count++] = {transfer.host, transfer.bytes, lane.op_count,
                                          origin.region->handle, whole};
}

}  // namespace

void look_before(Lane& lane, const Origin& origin, const Operation& op) noexcept {
  ContentState& state = lane.content;
  const Transfer transfer = transfer_of(op);
  state.transfer = transfer;
  if (transfer.host == nullptr || !transfer.to_device) {
    return;
  }
  const Look look = look_of(lane, origin, transfer);
  if (look == Look::kNone) {
    state.transfer = {};
    return;
  }
  // The runtime is about to read it, so it can be read.
  state.digest = examine(state, transfer.host, transfer.bytes, look == Look::kWhole, state.ticks);
}

void look_after(Lane& lane, const Origin& origin, const Operation& op) noexcept {
  ContentState& state = lane.content;
  const Transfer transfer = state.transfer;
  state.transfer = {};
  if (transfer.host == nullptr || !transfer.is_of(op)) {
    return;
  }
  if (transfer.to_device) {
    write_content(lane, 1, state.digest, state.ticks, 0);
  } else {
    look_at_incoming(lane, origin, transfer);
  }
}

void look_at_arrived(Lane& lane, std::uint64_t region) noexcept {
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
    const Digest digest = examine(state, pending.host, pending.bytes, pending.whole, taken);
    write_content(lane, lane.op_count - pending.op + 1, digest, taken, spool::kContentAfter);
  }
  state.pending_count = kept;
  if (lane.idle() && kept != 0) {
    // Of regions that never told their end.
    count_loss(spool::Loss::kContentsUnknownCompletion, kept);
    state.pending_count = 0;
  }
}

}  // namespace ompdm::record
