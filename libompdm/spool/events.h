// Records of what happened, as OMPT's callbacks and the wrapped entry points tell it: regions, data
// operations, launches, devices. Whole ones, and short ones for what a loop repeats.
#pragma once

#include <cstdint>

#include "spool/format.h"
#include "spool/ids.h"

namespace ompdm::spool {

/// From here on this lane is written by thread `tid`.
struct LaneThread {
  Head head;
  std::uint32_t tid;  ///< kernel thread id
  std::uint64_t ticks;
};
static_assert(sizeof(LaneThread) == 16);

/// Bits of Head::flags of a Region.
inline constexpr std::uint8_t kRegionKindMask =
    0x0f;  ///< ompt_target_t: 1 target, 2 enter data, 3 exit data, 4 update
inline constexpr std::uint8_t kRegionFromWrapper =
    0x10;  ///< no EMI: seen by the wrapper only, it has no end
/// One instance of a directive. `end` is 0 while it runs.
struct Region {
  Head head;
  SiteId site;
  std::uint64_t begin;
  std::uint64_t end;
  RegionId id;
  MapListId map_list;  ///< none: unknown
  std::int32_t device;
  PathId path;  ///< none: unknown
};
static_assert(sizeof(Region) == 40);

/// Bits of Head::flags of a DataOp.
inline constexpr std::uint8_t kOpInRegion =
    0x01;  ///< it belongs to a region of this lane, else to a site (API call) or none
/// One data operation, as the callback's end gave it (raw: nothing is normalised here).
struct DataOp {
  Head head;
  union {
    RegionId region;  ///< with kOpInRegion
    SiteId site;      ///< without
  };
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t src;
  std::uint64_t dst;
  std::uint64_t bytes;
  std::int32_t src_device;
  std::int32_t dst_device;
  std::uint16_t optype;    ///< ompt_target_data_op_t
  std::uint16_t argument;  ///< 1 + index of the map item whose storage it touches, 0 = none matches
  CallId api_call;         ///< the wrapped API call it belongs to
};
static_assert(sizeof(DataOp) == 64);

/// A region equal to an earlier one of the same chunk but for its times: what loops are made of.
/// Its id is the one after the region record before it. Followed by a RepeatedTimes for each of its
/// operations, as far as they come at once and repeat the earlier region's in their order; the
/// record grows by them in place, so its size tells how many are committed.
struct RepeatedRegion {
  Head head;               ///< flags: as the earlier one's
  RegionId reference;      ///< the earlier Region, a whole one
  std::uint32_t since;     ///< ticks since the begin of the region record before it in the chunk
  std::uint32_t duration;  ///< ticks; 0 while it runs, kLongDuration: a RegionEnd tells the end
};
static_assert(sizeof(RepeatedRegion) == 16);
inline constexpr std::uint32_t kLongDuration = 0xffffffff;

/// When an operation of a RepeatedRegion ran.
struct RepeatedTimes {
  std::uint32_t begin;     ///< ticks since the region's begin
  std::uint32_t duration;  ///< ticks
};
static_assert(sizeof(RepeatedTimes) == 8);
/// As many operations of a region can be repeated by their times alone.
inline constexpr unsigned kMostRepeatedTimes = 8;

/// The end of a RepeatedRegion that ran longer than its own field can hold.
struct RegionEnd {
  Head head;
  RegionId region;
  std::uint64_t end;
};
static_assert(sizeof(RegionEnd) == 16);

/// A data operation of the region whose record was the lane's last, equal to an earlier operation
/// of the same chunk but for its times and its region.
struct RepeatedOp {
  Head head;
  std::uint32_t
      reference;           ///< 1 + how many DataOp records of the chunk come before the earlier one
  std::uint32_t begin;     ///< ticks since the region's begin
  std::uint32_t duration;  ///< ticks
};
static_assert(sizeof(RepeatedOp) == 16);

/// Bits of Head::flags of a Content.
inline constexpr std::uint8_t kContentTrivial = 0x01;  ///< all bytes that were read are equal
inline constexpr std::uint8_t kContentAfter =
    0x02;  ///< read after the operation's region had ended (an API call: after the operation), else
           ///< right before the operation began
/// What a transfer carried. The time that looking at it took lies outside the operation's own
/// interval, but inside that of its region unless kContentAfter is set.
struct Content {
  Head head;
  std::uint32_t back;  ///< which operation: 1 the last DataOp or RepeatedOp of the lane, 2 the one
                       ///< before it, …
  std::uint64_t fingerprint;  ///< of at most 64 blocks of 4 KiB spread over it, never 0
  std::uint64_t hash;         ///< XXH3-64 of all bytes, 0: not taken
  std::uint64_t ticks;        ///< that looking at it took
};
static_assert(sizeof(Content) == 32);

/// One kernel submission. `end` is when the submit returned.
struct Launch {
  Head head;
  RegionId region;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t kernel;           ///< host_ptr, 0 without names
  std::uint64_t trip_count;       ///< 0 = unknown
  std::uint32_t requested_teams;  ///< as the submit callback tells; 0 = the runtime chooses
  std::uint32_t num_teams;        ///< num_teams clause, 0 = none, 0xffffffff = no teams construct
  std::uint32_t thread_limit;     ///< thread_limit clause, 0 = none
  std::uint32_t reserved;
};
static_assert(sizeof(Launch) == 56);

/// A piece of storage that a `declare mapper` adds to a region that has begun.
struct MapperPiece {
  Head head;
  RegionId region;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;  ///< OMP_TGT_MAPTYPE_*
  MapperNameId name;
  std::uint32_t reserved;
};
static_assert(sizeof(MapperPiece) == 40);

/// The program asked where on a device some storage's copy lies: from then on it may reach it
/// without naming it. Once in a while for each, not for each call.
struct MappedPointer {
  Head head;
  std::int32_t device;  ///< as the program numbers it
  std::uint64_t host;
};
static_assert(sizeof(MappedPointer) == 16);

/// A task was made that will run a directive (`nowait`).
struct Deferral {
  Head head;
  DeferralId id;
  std::uint64_t ticks;
  PathId path;  ///< by which the making of it was reached
  std::uint32_t reserved;
};
static_assert(sizeof(Deferral) == 24);

/// Which task a region runs in. Follows the region's record.
struct DeferredRegion {
  Head head;
  RegionId region;
  LaneId lane;  ///< of the Deferral
  DeferralId deferral;
};
static_assert(sizeof(DeferredRegion) == 16);

/// What became of a device.
enum class DeviceEvent : std::uint8_t { kInitialize, kFinalize, kLoad };
/// Device initialise, finalise or image load (Head::flags: DeviceEvent). Followed by the type text
/// for initialise.
struct Device {
  Head head;
  std::int32_t number;
  std::uint64_t ticks;
  std::uint64_t bytes;  ///< image size for load
  std::uint32_t text_size;
  std::uint32_t reserved;
};
static_assert(sizeof(Device) == 32);

/// A kernel call for which no target region came: it ran on the host. Head::flags: 1 + the number
/// of the device that it asked for, 0 if that is not known.
struct Fallback {
  Head head;
  SiteId site;
  std::uint64_t ticks;
};
static_assert(sizeof(Fallback) == 16);

}  // namespace ompdm::spool
