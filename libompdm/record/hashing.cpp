#include "record/hashing.h"

#include <bit>

#include "record/clock.h"
#include "record/definitions.h"
#include "record/sites.h"
#include "record/thread_buffer.h"

namespace ompdm::record {

Budget budget;

namespace {

constexpr std::uint64_t kMillion = 1'000'000;

std::uint64_t share_of(std::uint64_t amount, std::uint64_t millionths) noexcept {
  return amount / kMillion * millionths + amount % kMillion * millionths / kMillion;
}

constexpr std::uint32_t kRun = 4;
constexpr std::uint64_t kSmall = 4096;

bool is_each(std::uint32_t power_of_two, std::uint32_t run) noexcept {
  return (run & (power_of_two - 1)) == 0;
}

// 1, 2, 6, 13, 26, 53, ...: each about twice the one before. They are even and odd in turn, so that
// two buffers that are swapped each time are both hashed.
bool is_spread(std::uint32_t occurrence) noexcept {
  constexpr std::uint64_t kThird = 6;
  std::uint64_t at = kThird;
  while (at < occurrence) {
    at = 2 * at + (at % 2 == 0 ? 1 : 0);
  }
  return occurrence == 1 || occurrence == 2 || at == occurrence;
}

HashDepth depth_of(ThreadBuffer& buffer, const Origin& origin, const Transfer& transfer) noexcept {
  if (origin.site == nullptr) {
    return HashDepth::kNone;
  }
  ContentState& state = buffer.content;
  bool known = false;
  if (origin.region != nullptr) [[likely]] {
    known = origin.region->moves;
    origin.region->moves = true;
  } else {
    known = origin.api_call != spool::CallId::kNone && origin.api_call == state.api_call;
    state.api_call = origin.api_call;
  }
  if (!known) {
    origin.site->hash_schedule.begin_occurrence(state.hashed);
  }
  const HashDepth depth =
      origin.site->hash_schedule.depth_of(transfer.bytes, transfer.to_device, state.hashed);
  if (depth != HashDepth::kNone && !budget.lasts(ticks(), state.hashed.ticks)) {
    count_loss(spool::Loss::kContentsOverTime);
    return HashDepth::kNone;
  }
  return depth;
}

Digest examine(ContentState& state, const void* host, std::uint64_t bytes, bool whole,
               std::uint64_t& taken) noexcept {
  const std::uint64_t begin = ticks();
  Digest digest = fingerprint_of(host, bytes);
  if (whole && digest.hash == 0) {
    complete_digest(digest, host, bytes);
  }
  taken = ticks() - begin;
  state.hashed.ticks += taken;
  return digest;
}

// Records the content of the operation `back` records ago; 1: the last one.
void write_content(ThreadBuffer& buffer, std::uint64_t back, const Digest& digest,
                   std::uint64_t taken, std::uint64_t flags) noexcept {
  std::byte* at = room_for(buffer, spool::kMostEventBytes);
  if (at == nullptr) {
    return;
  }
  const spool::ContentFields now = {digest.fingerprint, digest.hash,
                                    flags | (digest.trivial ? spool::kContentTrivial : 0)};
  spool::ContentFields none = {};
  spool::EventWriter event(at, spool::Event::kContent, back);
  event.second(taken);
  event.fields(now, none);
  buffer.cursor = event.commit();
}

bool has_no_wait(spool::Entry entry) noexcept {
  using spool::Entry;
  return entry == Entry::kDataBeginNowait || entry == Entry::kDataEndNowait ||
         entry == Entry::kDataUpdateNowait || entry == Entry::kKernelNowait;
}

// Whether it is known when a copy from a device has arrived. An emulated device copies at once.
// Otherwise the end of a region without nowait has waited for it; of an API call nothing is known.
bool completion_is_known(const OpenRegion* region, int device) noexcept {
  return device_is_emulated(device) ||
         (region != nullptr && region->call.entry != spool::Entry::kNone &&
          !has_no_wait(region->call.entry));
}

void hash_incoming(ThreadBuffer& buffer, const Origin& origin, const Transfer& transfer) noexcept {
  if (!completion_is_known(origin.region, transfer.device)) {
    count_loss(spool::Loss::kContentsUnknownCompletion);
    return;
  }
  const HashDepth depth = depth_of(buffer, origin, transfer);
  if (depth == HashDepth::kNone) {
    return;
  }
  const bool whole = depth == HashDepth::kWhole;
  if (origin.region == nullptr) {
    std::uint64_t taken = 0;
    const Digest digest = examine(buffer.content, transfer.host, transfer.bytes, whole, taken);
    write_content(buffer, 1, digest, taken, spool::kContentAfter);
    return;
  }
  ContentState& state = buffer.content;
  if (state.pending_count == ContentState::kMostPending) {
    count_loss(spool::Loss::kContentsPendingOverflow);
    return;
  }
  state.pending[state.pending_count++] = {transfer.host, transfer.bytes, buffer.op_count,
                                          origin.region->handle, whole};
}

}  // namespace

void Budget::start(std::uint32_t share, std::uint64_t attach, std::uint64_t net) noexcept {
  share_ = share;
  advance_ = share_of(kAdvancedFor, share);
  attach_ = attach;
  net_ = net;
}

std::uint32_t Budget::times_apart(std::uint64_t read, std::uint64_t bytes) const noexcept {
  // Exact up to 16 TB of each, at any share.
  const std::uint64_t allowed = bytes * share_;
  return std::bit_ceil(static_cast<std::uint32_t>((read * kMillion + allowed - 1) / allowed));
}

bool Budget::lasts(std::uint64_t now, std::uint64_t spent) const noexcept {
  if (spent <= net_ || unlimited()) {
    return true;
  }
  // Counters of two cores may differ a little: an instant before the attach counts as the attach.
  const std::uint64_t elapsed = now > attach_ ? now - attach_ : 0;
  return spent <= share_of(elapsed, kNetShares * share_);
}

void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept {
  constexpr std::uint64_t kApart = 20'000;  // ns: the readings disagree by some tens
  spool::ClockTriple now = clock_triple();
  while (now.monotonic_ns - attach.monotonic_ns < kApart) {
    now = clock_triple();
  }
  __extension__ using Wide = unsigned __int128;
  const auto net =
      static_cast<std::uint64_t>(static_cast<Wide>(now.ticks - attach.ticks) * kNetNanoseconds /
                                 (now.monotonic_ns - attach.monotonic_ns));
  budget.start(share, attach.ticks, net);
}

Transfer transfer_of(const Operation& op) noexcept {
  // Memory is read only if the runtime's device numbers say that it is the host's: one side is a
  // device that was initialised, the other is none. The optype says less, since some plugins call a
  // copy between devices "from device". The bytes of a rectangle are scattered.
  const ompt_target_data_op_t kind = synchronous_form(op.optype);
  if ((kind != ompt_target_data_transfer_to_device &&
       kind != ompt_target_data_transfer_from_device && kind != ompt_target_data_transfer) ||
      op.bytes == 0) {
    return {};
  }
  if (device_is_known(op.dst_device) && device_is_host(op.src_device)) {
    return {op.src, op.bytes, op.dst_device, true};
  }
  if (device_is_known(op.src_device) && device_is_host(op.dst_device)) {
    return {op.dst, op.bytes, op.src_device, false};
  }
  return {};
}

void HashSchedule::begin_occurrence(const Hashed& hashed) noexcept {
  const std::uint32_t occurrence = occurrences++;
  if (occurrence % kRun != 0) {
    return;
  }
  constexpr std::uint32_t kRunsAtFirst = 16;
  run = occurrence / kRun;
  small = run < kRunsAtFirst || is_each(std::bit_floor(run / (kRunsAtFirst / 2)), run);
  advanced = hashed.bytes < budget.advance();
}

HashDepth HashSchedule::depth_of(std::uint64_t bytes, bool to_device,
                                 Hashed& hashed) const noexcept {
  if (budget.unlimited()) {
    return HashDepth::kWhole;
  }
  if (bytes <= kSmall) [[likely]] {
    return small ? HashDepth::kFingerprint : HashDepth::kNone;
  }
  const bool is_large = bytes > kFingerprintBytes;
  const std::uint64_t read = is_large ? kFingerprintBytes : bytes;
  if (!advanced && !is_each(budget.times_apart(read, bytes), run)) {
    return HashDepth::kNone;
  }
  hashed.bytes += read;
  if (!is_large) {
    return HashDepth::kFingerprint;
  }
  const bool is_advanced = hashed.bytes + bytes <= budget.advance() / 4 * 3 &&
                           (is_spread(occurrences) || (to_device && is_spread(occurrences - 1)));
  const bool is_shared = run != 0 && is_each(budget.times_apart(bytes, bytes), run);
  if (!is_advanced && !is_shared) {
    return HashDepth::kFingerprint;
  }
  hashed.bytes += bytes;
  return HashDepth::kWhole;
}

void hash_before(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept {
  ContentState& state = buffer.content;
  const Transfer transfer = transfer_of(op);
  state.transfer = transfer;
  if (transfer.host == nullptr || !transfer.to_device) {
    return;
  }
  const HashDepth depth = depth_of(buffer, origin, transfer);
  if (depth == HashDepth::kNone) {
    state.transfer = {};
    return;
  }
  // Readable, since the runtime is about to read it.
  state.digest =
      examine(state, transfer.host, transfer.bytes, depth == HashDepth::kWhole, state.ticks);
}

void hash_after(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept {
  ContentState& state = buffer.content;
  const Transfer transfer = state.transfer;
  state.transfer = {};
  if (transfer.host == nullptr || !transfer.is_of(op)) {
    return;
  }
  if (transfer.to_device) {
    write_content(buffer, 1, state.digest, state.ticks, 0);
  } else {
    hash_incoming(buffer, origin, transfer);
  }
}

void hash_arrived(ThreadBuffer& buffer, std::uint64_t region) noexcept {
  ContentState& state = buffer.content;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < state.pending_count; ++i) {
    const ContentState::Pending pending = state.pending[i];
    if (pending.region != region) {
      state.pending[kept++] = pending;
      continue;
    }
    // The storage is mapped by a directive of this thread, which has not returned yet: the program
    // cannot have freed it.
    std::uint64_t taken = 0;
    const Digest digest = examine(state, pending.host, pending.bytes, pending.whole, taken);
    write_content(buffer, buffer.op_count - pending.op + 1, digest, taken, spool::kContentAfter);
  }
  state.pending_count = kept;
  if (buffer.idle() && kept != 0) {
    // Copies of regions without an end.
    count_loss(spool::Loss::kContentsUnknownCompletion, kept);
    state.pending_count = 0;
  }
}

namespace {

// Those of the region's items that no operation of it sent.
std::uint64_t unsent_items(const OpenRegion& region) noexcept {
  std::uint64_t left = region.to_items;
  if (!region.moves) [[likely]] {
    return left;
  }
  const unsigned count = region.ops.count();
  if (count >= spool::OpCursor::kMost - 1) {
    return 0;  // the first ones are not kept
  }
  const spool::OpBlock* block = region.context->last.ops;
  for (unsigned i = 0; i < count && block != nullptr; ++i) {
    const unsigned at = i % spool::OpBlock::kOps;
    const std::uint64_t item = block->ops[at][spool::kOpWhat] >> spool::kOpArgumentAt & 0xffff;
    if (item != 0 && item <= kMostUnsent) {
      left &= ~(std::uint64_t{1} << (item - 1));
    }
    if (at == spool::OpBlock::kOps - 1) {
      block = block->next;
    }
  }
  return left;
}

// 0 to 4, 6, 8, 12, 16, 24, ...: what the host changes once stays changed.
bool is_looked_at(std::uint32_t occurrence) noexcept {
  constexpr std::uint32_t kThree = 3;
  const bool is_half_way = occurrence % kThree == 0 && std::has_single_bit(occurrence / kThree);
  return occurrence == 0 || std::has_single_bit(occurrence) || is_half_way;
}

// False if the memory cannot be read.
bool examine_unsent(ThreadBuffer& buffer, const spool::MapItem& item, Digest& digest) noexcept {
  ContentState& state = buffer.content;
  if (state.copy == nullptr) {
    state.copy = static_cast<std::byte*>(buffer.contexts.pages.get(kFingerprintBytes));
  }
  if (state.copy == nullptr ||
      !copy_blocks(reinterpret_cast<const void*>(item.begin), item.size, state.copy)) {
    return false;
  }
  digest = fingerprint_of_copy(state.copy, item.size);
  return true;
}

}  // namespace

void hash_unsent(ThreadBuffer& buffer, OpenRegion& region) noexcept {
  const std::uint32_t occurrence = region.site->unsent_occurrences++;
  if (!budget.unlimited() && !is_looked_at(occurrence)) {
    return;
  }
  if (!budget.lasts(ticks(), buffer.content.hashed.ticks)) {
    count_loss(spool::Loss::kContentsOverTime);
    return;
  }
  for (std::uint64_t left = unsent_items(region); left != 0; left &= left - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(left));
    const spool::MapItem item = item_of(region.call.map, at);
    const std::uint64_t begin = ticks();
    Digest digest;
    if (!examine_unsent(buffer, item, digest)) {
      count_loss(spool::Loss::kContentsUnreadable);
      continue;
    }
    const std::uint64_t taken = ticks() - begin;
    buffer.content.hashed.ticks += taken;
    write_content(buffer, at + 1, digest, taken, spool::kContentUnsent);
  }
}

}  // namespace ompdm::record
