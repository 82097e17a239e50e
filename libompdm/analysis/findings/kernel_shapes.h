// How kernels really ran: grid, block and what the device had room for. Inside the analysis library
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ompdm/facts.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Threads that can be on a multiprocessor at once for this kernel, of as many as it holds, by the
/// rules of CUDA's occupancy calculator (warps of 32 threads, registers given out by 256 a warp;
/// from compute capability 8.0 on 1 KiB of shared memory a block is CUDA's own).
/// Nothing where the device did not say what it has.
std::optional<facts::KernelRun::Occupancy> occupancy_of(const DeviceActivity& kernel,
                                                        const Device& device);

/// By position in Trace::launches: the activity that ran it, null if none is known.
std::vector<const DeviceActivity*> runs_of(const Trace& trace);

/// The device's row, null if there is none.
const Device* device_row(const Trace& trace, std::int32_t number);

std::uint64_t blocks_of(const DeviceActivity& kernel);
std::uint64_t threads_of(const DeviceActivity& kernel);

}  // namespace ompdm::analysis
