#include "model/device_memory.h"

#include <algorithm>

namespace ompdm {

std::int32_t drawn_device(const Trace& trace, const DataOp& op) {
  const auto is_device = [&](std::int32_t device) {
    return device >= 0 && device != trace.host_device;
  };
  if (is_device(op.dst_device)) return op.dst_device;
  if (is_device(op.src_device)) return op.src_device;
  return std::max(op.src_device, op.dst_device);
}

std::optional<DeviceMemoryReplay::Change> DeviceMemoryReplay::after(const DataOp& op) {
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

}  // namespace ompdm
