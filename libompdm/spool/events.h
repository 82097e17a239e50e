// Records of what happened now and then, as OMPT's callbacks and the wrapped entry points tell it:
// threads, devices, tasks. What happens often is in stream.h.
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

/// A piece of storage that a `declare mapper` adds to the innermost open region.
struct MapperPiece {
  Head head;
  MapperNameId name;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;  ///< OMP_TGT_MAPTYPE_*
};
static_assert(sizeof(MapperPiece) == 32);

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

/// Which task the region runs in that began last.
struct DeferredRegion {
  Head head;
  LaneId lane;  ///< of the Deferral
  DeferralId deferral;
  std::uint32_t reserved;
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
/// of the device that it asked for, 0 if that is not known. Followed by its number (u64) where it
/// is the example of a tally (spool/tally.h).
struct Fallback {
  Head head;
  SiteId site;
  std::uint64_t ticks;
};
static_assert(sizeof(Fallback) == 16);

}  // namespace ompdm::spool
