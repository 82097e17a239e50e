#include "trace/live_memory.h"

namespace ompdm::trace {

void LiveMemory::allocate(std::int32_t device, const DeviceBlock& block) {
  devices_[device].allocations[block.begin] = block;
}

void LiveMemory::associate(std::int32_t device, const DeviceBlock& block) {
  DeviceMemory& memory = devices_[device];
  memory.associations[block.begin] = block;
  memory.associated[block.host] = block.begin;
}

const DeviceBlock* LiveMemory::find(const Blocks& blocks, std::uint64_t address) {
  auto at = blocks.upper_bound(address);
  if (at == blocks.begin()) return nullptr;
  --at;
  return address - at->second.begin < at->second.bytes ? &at->second : nullptr;
}

const DeviceBlock* LiveMemory::find(std::int32_t device, std::uint64_t address) const {
  const auto memory = devices_.find(device);
  if (memory == devices_.end()) return nullptr;
  const DeviceBlock* associated = find(memory->second.associations, address);
  return associated != nullptr ? associated : find(memory->second.allocations, address);
}

std::optional<DeviceBlock> LiveMemory::release(std::int32_t device, std::uint64_t address) {
  Blocks& blocks = devices_[device].allocations;
  const auto at = blocks.find(address);
  if (at == blocks.end()) return std::nullopt;
  const DeviceBlock block = at->second;
  blocks.erase(at);
  return block;
}

std::optional<DeviceBlock> LiveMemory::disassociate(std::int32_t device, std::uint64_t host) {
  DeviceMemory& memory = devices_[device];
  const auto address = memory.associated.find(host);
  if (address == memory.associated.end()) return std::nullopt;
  const auto at = memory.associations.find(address->second);
  memory.associated.erase(address);
  if (at == memory.associations.end()) return std::nullopt;
  const DeviceBlock block = at->second;
  memory.associations.erase(at);
  return block;
}

}  // namespace ompdm::trace
