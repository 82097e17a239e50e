// What a lane keeps of contents between an operation's begin and the record that tells of it. Plain
// data, zero at first.
#pragma once

#include <cstdint>

#include "record/contents/budget.h"
#include "record/contents/digest.h"
#include "record/contents/transfer.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Contents of a lane that are on their way to a record.
struct ContentState {
  static constexpr unsigned kMostPending = 32;

  /// From a device, readable once its region has ended.
  struct Pending {
    const void* host;
    std::uint64_t bytes;
    std::uint64_t op;      ///< Lane::op_count after it
    std::uint64_t region;  ///< OpenRegion::handle
    bool whole;
  };

  /// Of the operation that runs, if something is to be noted behind its record.
  Transfer transfer;
  Digest digest;        ///< to a device: what was seen before the operation began
  std::uint64_t ticks;  ///< that looking took
  std::uint32_t pending_count;
  spool::CallId api_call;  ///< that transferred last
  Pending pending[kMostPending];
  Looked looked;
};

}  // namespace ompdm::record
