// What lies on the devices at the current point of a replay: allocations and associations by device
// address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "ompdm/trace.h"

namespace ompdm::trace {

/// A piece of device memory in use.
struct DeviceBlock {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;  ///< the host storage it was made for; 0: none (omp_target_alloc)
  Index<Variable> variable;
  Index<Site> site;
  std::uint32_t map_type = 0;
  bool internal = false;  ///< as the allocation's DataOp::internal

  /// Whether host and device address are at the same offset, as they are in every copy of mapped
  /// storage. A struct of which only members are mapped may be padded to its alignment in front.
  [[nodiscard]] bool translates(std::uint64_t host_address, std::uint64_t device_address) const {
    constexpr std::uint64_t kLargestPadding = 32;
    return host != 0 && (device_address - begin) - (host_address - host) < kLargestPadding;
  }
};

class LiveMemory {
 public:
  void allocate(std::int32_t device, const DeviceBlock& block);
  /// `block` is shown in place of the allocation it lies in until its host storage is
  /// disassociated.
  void associate(std::int32_t device, const DeviceBlock& block);
  /// The block that holds an address; nullptr if none does. Valid until the next change.
  [[nodiscard]] const DeviceBlock* find(std::int32_t device, std::uint64_t address) const;
  std::optional<DeviceBlock> release(std::int32_t device, std::uint64_t address);
  std::optional<DeviceBlock> disassociate(std::int32_t device, std::uint64_t host);

 private:
  using Blocks = std::map<std::uint64_t, DeviceBlock>;  // by begin
  struct DeviceMemory {
    Blocks allocations;
    Blocks associations;
    std::map<std::uint64_t, std::uint64_t> associated;  // host address -> device address
  };
  static const DeviceBlock* find(const Blocks& blocks, std::uint64_t address);

  std::map<std::int32_t, DeviceMemory> devices_;
};

}  // namespace ompdm::trace
