// What findings are of: each pattern as one says it. The one list of them in the report.
#pragma once

#include <string_view>

namespace ompdm::report {

/// A pattern as one says it, and what its count is of.
struct Pattern {
  std::string_view name;
  std::string_view words;
  const char* one;
  const char* many;
};
inline constexpr Pattern kPatterns[] = {
    {"per_iteration_mapping", "mapped anew by each pass of a loop", "transfer", "transfers"},
    {"duplicate_transfer", "sent though it was there already", "transfer", "transfers"},
    {"round_trip_transfer", "came back and went over again unchanged", "transfer", "transfers"},
    {"unmodified_copy_back", "came back unchanged", "transfer", "transfers"},
    {"unused_transfer", "sent, and seen by no kernel", "transfer", "transfers"},
    {"repeated_allocation", "allocated again and again", "allocation", "allocations"},
    {"unused_allocation", "allocated, and seen by no kernel", "allocation", "allocations"},
    {"small_transfers", "many small transfers", "transfer", "transfers"},
    {"mapped_scalars", "crosses by itself with each launch", "transfer", "transfers"},
    {"mapper_walk", "many components of a mapping, of which few bytes move", "component",
     "components"},
    {"serial_kernel", "kernel with too little parallelism", "launch", "launches"},
    {"pageable_transfer", "copied from or to pageable memory", "transfer", "transfers"},
    {"no_overlap", "waited for a kernel that it does not need", "transfer", "transfers"},
    {"host_fallback", "ran on the host", "instance", "instances"},
    {"partial_update", "did not move what its section names", "update", "updates"},
    {"device_leak", "left on the device", "allocation", "allocations"},
};

}  // namespace ompdm::report
