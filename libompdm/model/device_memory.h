// Device memory of a run, replayed operation by operation: for pictures of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "model/live_memory.h"
#include "ompdm/trace.h"

namespace ompdm {

/// The device that an operation is drawn under. It is the device that it writes to, or that it
/// reads from if it writes to the host; -1 if unknown.
inline std::int32_t drawn_device(const Trace& trace, const DataOp& op) {
  const auto is_device = [&](std::int32_t device) {
    return device >= 0 && device != trace.host_device;
  };
  if (is_device(op.dst_device)) return op.dst_device;
  if (is_device(op.src_device)) return op.src_device;
  return std::max(op.src_device, op.dst_device);
}

/// Follows what is allocated on each device.
class DeviceMemoryReplay {
 public:
  struct Block {
    std::uint64_t bytes = 0;
    Nanoseconds begin = 0;
    Index<Variable> variable;
  };
  struct Change {
    std::int32_t device = -1;
    Nanoseconds time = 0;
    std::uint64_t bytes = 0;  ///< alive on the device from this instant
    /// It was deleted; or freed unseen, as its address was given out again.
    std::optional<Block> ended = {};
  };

  explicit DeviceMemoryReplay(const Trace& trace) : trace_(trace) {}

  /// What an operation changes; nothing unless it is a finished allocation, or a deletion of what
  /// was seen allocated.
  std::optional<Change> after(const DataOp& op) {
    const bool is_delete = op.kind == OpKind::kDelete;
    if (op.unfinished || (op.kind != OpKind::kAlloc && !is_delete)) return std::nullopt;
    const std::uint64_t address = is_delete && op.src != 0 ? op.src : op.dst;
    if (!is_delete && address == 0) return std::nullopt;
    const std::int32_t device = drawn_device(trace_, op);
    std::uint64_t& alive = alive_[device];
    Change change{device, op.end};
    change.ended = is_delete ? blocks_.release(device, address)
                             : blocks_.allocate(device, address, {op.bytes, op.end, op.variable});
    if (is_delete && !change.ended) return std::nullopt;
    if (change.ended) alive -= change.ended->bytes;
    if (!is_delete) alive += op.bytes;
    change.bytes = alive;
    return change;
  }

  [[nodiscard]] const LiveMemory<Block>& memory() const { return blocks_; }

 private:
  const Trace& trace_;
  LiveMemory<Block> blocks_;
  std::map<std::int32_t, std::uint64_t> alive_;  ///< bytes by device
};

}  // namespace ompdm
