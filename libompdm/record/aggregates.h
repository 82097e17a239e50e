// Regions, operations and launches that are aggregated and not recorded one by one
// (spool_format/tallies.h): the first of its kind is recorded as a sample, the others add up.
// Called in callbacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/hashing.h"
#include "record/thread_buffer.h"
#include "spool_format/tallies.h"

namespace ompdm::record {

/// Whether events of a region (null: outside of regions) are aggregated.
inline bool is_aggregated(const OpenRegion* region) noexcept {
  return region != nullptr ? region->aggregated
                           : recorder.aggregating.load(std::memory_order_relaxed);
}

/// Aggregates a region that ends at `end` (ticks).
void aggregate_region(ThreadBuffer& buffer, const OpenRegion& region, std::uint64_t end) noexcept;

/// Aggregates an operation of an aggregated region or of an API call.
void aggregate_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                  std::uint64_t begin, std::uint64_t end) noexcept;

/// The number of the sample of an aggregated operation, which may be recorded only at its end. 0 if
/// there is no memory.
std::uint32_t sample_of_op(ThreadBuffer& buffer, const Origin& origin,
                           const Operation& op) noexcept;

/// The same of a launch in an aggregated region.
std::uint32_t sample_of_launch(ThreadBuffer& buffer, const OpenRegion& region) noexcept;

/// Aggregates a launch in an aggregated region.
void aggregate_launch(ThreadBuffer& buffer, const OpenRegion& region, unsigned requested_teams,
                      std::uint64_t begin, std::uint64_t end) noexcept;

}  // namespace ompdm::record
