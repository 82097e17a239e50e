// Device memory of a run, replayed operation by operation: for pictures of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/live_memory.h"
#include "ompdm/trace.h"

namespace ompdm {

/// The device that an operation is drawn under: the device that it writes to, or reads from if it
/// writes to the host; -1 if unknown.
std::int32_t drawn_device(const Trace& trace, const DataOp& op);

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
  std::optional<Change> after(const DataOp& op);

  [[nodiscard]] const LiveMemory<Block>& memory() const { return blocks_; }

 private:
  const Trace& trace_;
  LiveMemory<Block> blocks_;
  std::map<std::int32_t, std::uint64_t> alive_;  ///< bytes by device
};

}  // namespace ompdm
