#include "detectors/contents.h"

#include <algorithm>
#include <set>

namespace ompdm::analysis {
namespace {

/// Fingerprints are of 64 blocks of 4 KiB. They cover all bytes of contents up to this size.
constexpr std::uint64_t kFingerprintCovers = std::uint64_t{64} * 4096;

bool was_looked_at(const DataOp& op) { return op.hash != 0 || op.fingerprint != 0; }

/// Compares by blocks. Also compares all bytes if those of an earlier transfer were hashed, and its
/// content was alike up to `earlier`.
Earlier compared(const Trace& trace, const Latest::Entry* earlier, const DataOp& op) {
  Earlier result;
  if (earlier == nullptr) return result;
  const DataOp before = trace.ops[earlier->op];
  result.op = earlier->op;
  result.same = same_content(before, op);
  if (result.same == Same::kLikely && op.hash != 0 && earlier->whole != kNoOp) {
    result.same = same_content(trace.ops[earlier->whole], op);
  }
  result.unseen = result.same == Same::kNo && before.fingerprint == op.fingerprint;
  result.trivial = before.trivial && op.trivial && result.same != Same::kNo;
  return result;
}

/// Marks data that kernels only read as copied back unchanged, unless its hashes differ.
void tell_by_source(Earlier& sent) {
  if (sent.writer != Writer::kReader || sent.same == Same::kNo) return;
  sent.same = Same::kYes;
  sent.trivial = false;
}

/// The value of Latest::Entry::whole after a transfer, by the comparison with the one before it.
std::uint32_t whole_after(const Latest::Entry* before, const Earlier& compared, std::uint32_t op,
                          bool has_hash) {
  if (has_hash) return op;
  const bool is_alike = compared.same == Same::kLikely || compared.same == Same::kYes;
  return before != nullptr && is_alike ? before->whole : kNoOp;
}

}  // namespace

Same same_content(const DataOp& a, const DataOp& b) {
  if (a.bytes != b.bytes) return Same::kNo;
  if (a.hash != 0 && b.hash != 0) return a.hash == b.hash ? Same::kYes : Same::kNo;
  if (a.fingerprint == 0 || b.fingerprint == 0) return Same::kUnknown;
  if (a.fingerprint != b.fingerprint) return Same::kNo;
  return a.bytes <= kFingerprintCovers ? Same::kYes : Same::kLikely;
}

Contents::Contents(const Trace& trace, const Mappings& mappings, KernelWrites& writes)
    : trace_(trace), mappings_(mappings) {
  if (std::ranges::none_of(trace.ops, was_looked_at)) return;
  earlier_.resize(trace.ops.size());
  sent_.resize(trace.ops.size());
  mapping_of_.resize(trace.ops.size(), kNoOp);
  const std::vector<std::vector<std::uint32_t>> pieces = mappings.by_piece();
  for (const std::vector<std::uint32_t>& residencies : pieces) follow(residencies, writes);
  note_host_changes();
  for (const std::vector<std::uint32_t>& residencies : pieces) doubt(residencies);
}

/// Compares all transfers of one piece of storage on one device, mapping after mapping.
void Contents::follow(const std::vector<std::uint32_t>& residencies, KernelWrites& writes) {
  const bool knows = knows_launches(trace_) && !has_lost_events(trace_);
  const auto writer_between = [&](std::uint32_t earlier, std::uint32_t later) {
    const Mapping& was = mappings_.rows()[mapping_of_[earlier]];
    const bool same_residency = mapping_of_[earlier] == mapping_of_[later];
    if (was.on_device || was.replaced || (!same_residency && !was.remove)) return Writer::kNamed;
    if (!knows) return Writer::kUnnamed;
    const Nanoseconds until = trace_.ops.begin_of(same_residency ? later : was.remove.value);
    return writes.writer_of(was, trace_.ops.begin_of(earlier), until);
  };
  Latest sent;
  Latest returned;
  for (const std::uint32_t number : residencies) {
    const Mapping& mapping = mappings_.rows()[number];
    if (mapping.is_private) continue;
    for (const std::uint32_t i : mappings_.transfers(number)) {
      const DataOp& op = trace_.ops[i];
      mapping_of_[i] = number;
      const bool to_device = op.kind == OpKind::kHtoD;
      const MappedPiece piece = to_device ? MappedPiece{op.dst - mapping.address, op.bytes, op.src}
                                          : MappedPiece{op.src - mapping.address, op.bytes, op.dst};
      Latest::Entry* origin = sent.find(piece);
      const Latest::Entry* last = returned.find(piece);
      // Positions in Trace::ops are in order of begin.
      if (origin != nullptr && (last == nullptr || last->op < origin->op)) last = origin;
      earlier_[i] = compared(trace_, last, op);
      if (last != nullptr) earlier_[i].writer = writer_between(last->op, i);
      const std::uint32_t whole = whole_after(last, earlier_[i], i, op.hash != 0);
      if (to_device) {
        // Pieces that this transfer overwrites in part no longer have the content that was copied
        // back.
        returned.forget_parts(piece);
        sent.set(piece, i, whole);
        continue;
      }
      // A program that copies data back while a kernel runs wants the values of that moment.
      const bool is_at_rest = is_kept(writes.writer_of(mapping, op.begin, op.end));
      if (origin != nullptr && !origin->changed && is_at_rest &&
          mapping_of_[origin->op] == number) {
        sent_[i] = compared(trace_, origin, op);
        sent_[i].writer = writer_between(origin->op, i);
        tell_by_source(sent_[i]);
        origin->changed = sent_[i].same == Same::kNo;
      }
      returned.set(piece, i, whole);
    }
  }
}

void HostChanges::add(const Earlier& compared, bool in_full) {
  same += compared.same == Same::kYes ? 1 : 0;
  alike += compared.same == Same::kLikely ? 1 : 0;
  differs += compared.same == Same::kNo ? 1 : 0;
  altered += compared.same == Same::kNo && (in_full || compared.unseen) ? 1 : 0;
  unseen += compared.unseen ? 1 : 0;
}

void HostChanges::add(const HostChanges& other) {
  same += other.same;
  alike += other.alike;
  differs += other.differs;
  altered += other.altered;
  unseen += other.unseen;
}

bool HostChanges::are_anywhere() const {
  constexpr std::uint64_t kEnough = 3;
  const bool is_mostly_left = same >= kEnough && same >= 2 * altered && same + alike >= 4 * differs;
  return unseen > 0 || (differs > 0 && !is_mostly_left);
}

Contents::Sender Contents::sender_of(std::uint32_t op) const {
  const DataOp& sent = trace_.ops[op];
  const MapItem* item = mappings_.item_of(sent.region, sent.src, sent.bytes, true);
  return {sent.site.value, item != nullptr ? item->name : std::string()};
}

void Contents::note_host_changes() {
  for (std::uint32_t i = 0; i < earlier_.size(); ++i) {
    const Earlier& before = earlier_[i];
    if (before.op == kNoOp || before.same == Same::kUnknown) continue;
    if (trace_.ops.common(i).kind != OpKind::kHtoD) continue;
    const bool in_full = trace_.ops.rare(i).hash != 0 && trace_.ops.rare(before.op).hash != 0;
    host_changes_[sender_of(i)].add(before, in_full);
  }
}

/// Removes comparisons by blocks of storage that the same side was seen to change: it may also have
/// changed bytes between the blocks.
void Contents::doubt(const std::vector<std::uint32_t>& residencies) {
  bool is_changed = false;
  std::set<Sender> senders;
  bool device_changes = false;
  for (const std::uint32_t number : residencies) {
    for (const std::uint32_t i : mappings_.transfers(number)) {
      const bool differs = earlier_[i].same == Same::kNo;
      if (trace_.ops.common(i).kind == OpKind::kHtoD) {
        is_changed = is_changed || differs;
        if (earlier_[i].same != Same::kUnknown) senders.insert(sender_of(i));
      } else {
        device_changes = device_changes || differs || sent_[i].same == Same::kNo;
      }
    }
  }
  HostChanges sent;
  for (const Sender& sender : senders) sent.add(host_changes_[sender]);
  const bool host_changes = is_changed && sent.are_anywhere();
  for (const std::uint32_t number : residencies) {
    for (const std::uint32_t i : mappings_.transfers(number)) {
      const bool changes =
          trace_.ops.common(i).kind == OpKind::kHtoD ? host_changes : device_changes;
      if (!changes) continue;
      // Two copies back are equal if nothing on the device could have changed the data in between.
      const Earlier& before = earlier_[i];
      const bool is_again = before.op != kNoOp && before.kept() &&
                            trace_.ops.common(before.op).kind == OpKind::kDtoH &&
                            trace_.ops.common(i).kind == OpKind::kDtoH;
      if (is_again) continue;
      if (earlier_[i].same == Same::kLikely) earlier_[i] = {};
      if (sent_[i].same == Same::kLikely) sent_[i] = {};
    }
  }
}

}  // namespace ompdm::analysis
