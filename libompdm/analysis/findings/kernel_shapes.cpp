#include "analysis/findings/kernel_shapes.h"

#include <algorithm>

namespace ompdm::analysis {
namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;  // given out to a warp
constexpr std::uint64_t kReservedShared = 1024;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t product(const std::array<std::uint32_t, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

}  // namespace

std::optional<facts::KernelRun::Occupancy> occupancy_of(const DeviceActivity& kernel,
                                                        const Device& device) {
  using Limit = facts::KernelRun::Limit;
  using Occupancy = facts::KernelRun::Occupancy;
  const std::uint64_t warps = rounded_up(threads_of(kernel), kWarp) / kWarp;
  if (device.threads_per_multiprocessor == 0 || warps == 0) return std::nullopt;
  struct Bound {
    std::uint64_t blocks;
    Limit limit;
  };
  std::vector<Bound> bounds = {
      {device.threads_per_multiprocessor / (warps * kWarp), Limit::kThreads}};
  if (device.blocks_per_multiprocessor != 0) {
    bounds.push_back({device.blocks_per_multiprocessor, Limit::kBlocks});
  }
  if (device.registers_per_multiprocessor != 0 && kernel.registers != 0) {
    const std::uint64_t of_warp = rounded_up(kernel.registers * kWarp, kRegisterUnit);
    bounds.push_back({device.registers_per_multiprocessor / of_warp / warps, Limit::kRegisters});
  }
  if (device.shared_per_multiprocessor != 0) {
    const std::uint64_t of_block =
        std::uint64_t{kernel.static_shared} + kernel.dynamic_shared + kReservedShared;
    bounds.push_back({device.shared_per_multiprocessor / of_block, Limit::kSharedMemory});
  }
  const Bound least = *std::ranges::min_element(bounds, {}, &Bound::blocks);
  return Occupancy{least.blocks * warps * kWarp, device.threads_per_multiprocessor, least.limit};
}

std::vector<const DeviceActivity*> runs_of(const Trace& trace) {
  std::vector<const DeviceActivity*> runs(trace.launches.size());
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.launch) runs[activity.launch.value] = &activity;
  }
  return runs;
}

const Device* device_row(const Trace& trace, std::int32_t number) {
  const auto row = std::ranges::find(trace.devices, number, &Device::number);
  return row == trace.devices.end() ? nullptr : &*row;
}

std::uint64_t blocks_of(const DeviceActivity& kernel) { return product(kernel.grid); }
std::uint64_t threads_of(const DeviceActivity& kernel) { return product(kernel.block); }

}  // namespace ompdm::analysis
