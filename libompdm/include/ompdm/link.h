// A model of the link between host and device, and recordings that are re-timed by it. The model
// shows how long the transfers of a run on host devices would take on real hardware. It is no
// measurement: all output of such figures says so. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// A transfer takes `latency` and its bytes over `bytes_per_second`, each way alike. Each device
/// has a link of its own, which carries one transfer each way at a time.
struct Link {
  std::string name;  ///< the preset's, or as it was given
  double bytes_per_second = 0;
  Nanoseconds latency = 0;
  /// How many times as fast kernels are as when they were recorded; none: as fast.
  std::optional<double> kernels = {};
  bool operator==(const Link&) const = default;
};

/// A link by a preset's name, or "BANDWIDTH,LATENCY" as in "25GB/s,10us" (B, KB, MB, GB or TB of
/// 1000; ns, us, ms or s). Throws Error (kUsage) otherwise.
///
/// The presets are rates that copies from pinned memory have been measured at, not the standard's:
///   pcie3x16   12 GB/s  CUDA C++ Best Practices Guide, "Pinned Memory" (15.75 by the standard)
///   pcie4x16   25 GB/s  A100, nvbandwidth issue 42: 25.13 (31.5 by the standard)
///   pcie5x16   55 GB/s  NVIDIA's example of nvbandwidth: 55.63; H100, its issue 24: 52.8 (63.0)
///   nvlink4   346 GB/s  GH200's NVLink-C2C, nvbandwidth issue 23, copy engine (450)
///
/// Each has a latency of 6 us: one cudaMemcpyAsync was measured to cost 5 to 7 us (Wu et al.,
/// DualPath, arXiv:2602.21548, section 5.2). Pageable memory, which map clauses use by default,
/// has a third to a half of these rates: give a BANDWIDTH of your own for it.
Link parse_link(std::string_view text);

/// A factor for Link::kernels: "20" or "0.5". Throws Error (kUsage) if it is no number above 0.
double parse_kernel_factor(std::string_view text);

/// The time of a transfer of so many bytes on the link.
Nanoseconds transfer_time(const Link& link, std::uint64_t bytes);

/// The recording, with each transfer between two devices (the host is one) on the link's clock,
/// Clock::kModel. Allocations and host code, with waits for other threads, keep their durations.
/// Kernels keep theirs, unless the model has a factor for them: then they are on the model's clock,
/// too. A region grows or shrinks with its content, and later events on its thread shift. If an
/// operation ended on a device before another began there, on any thread, it still does. Other
/// waits of threads are not known, but for two. A task runs after it was made, and the first thread
/// starts the others while it is in no directive. Unfinished transfers remain as they are. Throws
/// Error (kUsage) if the host did not time the whole of a transfer: such a device has a link of its
/// own. Throws it also if the run is not recorded event by event as a whole.
Trace retime(Trace trace, const Link& link);

}  // namespace ompdm::analysis
