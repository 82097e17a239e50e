// What transfers carry: which contents are examined, when, and the records of what was found.
// Called in callbacks; no lock, allocation or system call. Host memory alone is read.
//
// Occurrences of a site are examined in runs of four, so that each variable has consecutive ones,
// buffers that swap their places by turns included. Within the budget every run is; past it each
// second, fourth, … Transfers of a few KiB cost more to note than to look at, and there may be
// millions: of these, runs grow rarer with their number too. Of transfers larger than a fingerprint
// reads, all bytes are hashed where the budget allows for two occurrences of the variable, and then
// at both; a variable that had its turn leaves the budget to others first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/contents/digest.h"
#include "record/events/ompt.h"

namespace ompdm::record {

struct Lane;
struct OpenRegion;
struct SiteSlot;

/// Who asked for an operation.
struct Origin {
  OpenRegion* region;      ///< null: an API call, or nothing that is known
  SiteSlot* site;          ///< null if there was no room for it
  std::uint32_t api_call;  ///< its ordinal in the lane, 0 if there is none
};

/// A transfer between host memory and a device.
struct Transfer {
  const void* host = nullptr;  ///< null: the operation is no such transfer
  std::uint64_t bytes = 0;
  int device = -1;
  bool to_device = false;
};

/// Which occurrences of a site are examined.
struct Sampling {
  std::uint32_t occurrences;
  bool large;    ///< this run's transfers of more than a few KiB
  bool small;    ///< its small ones too
  bool checked;  ///< the budget was asked for this run
  bool refused;
  std::uint64_t running;  ///< ticks that fingerprints of this occurrence took
  std::uint64_t cost;     ///< of an earlier one
};

/// Contents of a lane that are on their way to a record.
struct ContentState {
  static constexpr unsigned kMostPending = 32;
  static constexpr unsigned kVariables = 64;  // a power of two

  /// From a device, readable once its region has ended.
  struct Pending {
    const void* host;
    std::uint64_t bytes;
    std::uint64_t op;  ///< Lane::op_records after its record
    SiteSlot* site;
    std::uint32_t region;
    bool whole;
  };
  /// What is hashed whole by turns: storage at a site, in one direction.
  struct Variable {
    const void* host;
    const SiteSlot* site;
    std::uint64_t promised;  ///< ticks charged for the occurrence that is still to be hashed
    std::uint16_t turns;
    bool to_device;
    bool owed;
  };

  std::uint32_t pending_count;
  // To a device: examined at the operation's begin, written behind its record.
  Transfer waiting;
  Digest digest;
  std::uint64_t ticks;
  std::uint32_t api_call;  ///< that transferred last
  Pending pending[kMostPending];
  Variable variables[kVariables];
};

/// The transfer that an operation is, of host memory as far as the devices known tell.
Transfer transfer_of(ompt_target_data_op_t optype, const void* src, int src_device, const void* dst,
                     int dst_device, std::size_t bytes) noexcept;

/// Before an operation runs, and before its begin is taken: looks at what goes to a device.
void examine_before(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept;

/// Behind the record of a transfer: writes what was examined before it, or notes what is to be
/// examined once it has surely arrived. Nothing for an operation that is no such transfer.
void note_transfer(Lane& lane, const Origin& origin, const Transfer& transfer) noexcept;

/// At a region's end, after its end was taken: what came from the device has arrived.
void examine_arrived(Lane& lane, std::uint32_t region) noexcept;

}  // namespace ompdm::record
