#include "trace/event_args_writer.h"

#include <cstddef>
#include <cstdint>

#include "trace/trace_schema.h"

namespace ompdm {
namespace {

using namespace trace_schema;

constexpr std::uint32_t kNone = Index<Region>::kNone;

void add_exact_times(Nanoseconds begin, Nanoseconds end, EventLine& line) {
  if (is_exact(begin, end)) return;
  line.arg_text(Arg::kBeginNs, line.shifted(begin));
  line.arg_text(Arg::kEndNs, line.shifted(end));
}

void add_clock(Clock clock, EventLine& line) {
  if (clock != Clock::kHost) line.arg(Arg::kClock, name_of(kClocks, clock));
}

void add_memory_kind(Arg arg, MemoryKind kind, EventLine& line) {
  if (kind != MemoryKind::kUnknown) line.arg(arg, name_of(kMemoryKinds, kind));
}

}  // namespace

bool is_exact(Nanoseconds begin, Nanoseconds end) {
  return begin <= end && begin > -kExactMicroseconds && end < kExactMicroseconds;
}

void write_args(const Region& region, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kSite, region.site.value);
  line.arg_unless(kNone, Arg::kPath, region.path.value);
  line.arg_unless(line.shifted(0), Arg::kMadeNs, line.shifted(region.made));
  line.arg_unless(0U, Arg::kMaker, region.maker);
  line.arg_unless(0U, Arg::kThread, region.thread);
  line.arg_unless(-1, Arg::kDevice, region.device);
  line.arg_unless(kNone, Arg::kMapList, region.map_list);
  line.arg_flag(Arg::kEndsData, region.ends_data);
  line.arg_flag(Arg::kUnfinished, region.unfinished);
  line.arg_flag(Arg::kHostFallback, region.host_fallback);
  line.arg_flag(Arg::kNowait, region.nowait);
  line.arg_unless(Nanoseconds{0}, Arg::kHashingNs, region.hashing);
  line.arg_unless(Nanoseconds{0}, Arg::kHashingAfterNs, region.hashing_after);
  line.arg_unless(0U, Arg::kComponents, region.components);
  add_exact_times(region.begin, region.end, line);
}

void write_args(const DataOp& op, bool in_flow, std::int32_t host_device, EventLine& line) {
  line.args();
  line.arg_unless(std::uint64_t{0}, Arg::kBytes, op.bytes);
  line.arg_unless(kNone, Arg::kSite, op.site.value);
  line.arg_unless(kNone, Arg::kPath, op.path.value);
  line.arg_unless(kNone, Arg::kVariable, op.variable.value);
  line.arg_unless(0U, Arg::kStorage, op.storage);
  if (!in_flow) line.arg_unless(kNone, Arg::kRegion, op.region.value);
  line.arg_unless(0U, Arg::kThread, op.thread);
  line.arg_unless(host_device, Arg::kFrom, op.src_device);
  line.arg_unless(host_device, Arg::kTo, op.dst_device);
  line.arg_hexadecimal(Arg::kSrc, op.src);
  line.arg_hexadecimal(Arg::kDst, op.dst);
  line.arg_unless(0U, Arg::kCall, op.call);
  line.arg_unless(0U, Arg::kMapType, op.map_type);
  line.arg_hexadecimal(Arg::kFingerprint, op.fingerprint);
  line.arg_hexadecimal(Arg::kHash, op.hash);
  line.arg_flag(Arg::kTrivial, op.trivial);
  add_clock(op.clock, line);
  line.arg_flag(Arg::kInternal, op.internal);
  line.arg_flag(Arg::kUnfinished, op.unfinished);
  add_exact_times(op.begin, op.end, line);
}

void write_args(const Launch& launch, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kSite, launch.site.value);
  line.arg_unless(kNone, Arg::kKernel, launch.kernel.value);
  line.arg_unless(0U, Arg::kThread, launch.thread);
  line.arg_unless(-1, Arg::kDevice, launch.device);
  line.arg_unless(0U, Arg::kRequestedTeams, launch.requested_teams);
  line.arg_unless(0U, Arg::kNumTeams, launch.num_teams);
  line.arg_unless(0U, Arg::kThreadLimit, launch.thread_limit);
  line.arg_unless(std::uint64_t{0}, Arg::kTripCount, launch.trip_count);
  add_clock(launch.clock, line);
  line.arg_flag(Arg::kUnfinished, launch.unfinished);
  add_exact_times(launch.begin, launch.end, line);
}

void write_args(const DeviceActivity& activity, EventLine& line) {
  line.args();
  line.arg_unless(std::uint64_t{0}, Arg::kBytes, activity.bytes);
  line.arg_unless(kNone, Arg::kOp, activity.op.value);
  line.arg_unless(kNone, Arg::kLaunch, activity.launch.value);
  line.arg_unless(kNone, Arg::kKernel, activity.kernel.value);
  line.arg_unless(-1, Arg::kDevice, activity.device);
  line.arg_unless(-1, Arg::kFrom, activity.source_device);
  line.arg_unless(-1, Arg::kTo, activity.destination_device);
  add_memory_kind(Arg::kSourceKind, activity.source, line);
  add_memory_kind(Arg::kDestinationKind, activity.destination, line);
  line.arg_unless(0U, Arg::kContext, activity.context);
  line.arg_unless(0U, Arg::kStream, activity.stream);
  line.arg_unless(0U, Arg::kCorrelation, activity.correlation);
  constexpr Arg kGrid[] = {Arg::kGridX, Arg::kGridY, Arg::kGridZ};
  constexpr Arg kBlock[] = {Arg::kBlockX, Arg::kBlockY, Arg::kBlockZ};
  for (std::size_t i = 0; i < 3; ++i) line.arg_unless(0U, kGrid[i], activity.grid[i]);
  for (std::size_t i = 0; i < 3; ++i) line.arg_unless(0U, kBlock[i], activity.block[i]);
  line.arg_unless(0U, Arg::kRegisters, activity.registers);
  line.arg_unless(0U, Arg::kStaticShared, activity.static_shared);
  line.arg_unless(0U, Arg::kDynamicShared, activity.dynamic_shared);
  line.arg_flag(Arg::kInternal, activity.internal);
  add_exact_times(activity.begin, activity.end, line);
}

void write_args(const Synchronization& wait, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kOp, wait.op.value);
  line.arg_unless(kNone, Arg::kRegion, wait.region.value);
  line.arg_unless(-1, Arg::kDevice, wait.device);
  line.arg_unless(0U, Arg::kContext, wait.context);
  line.arg_unless(0U, Arg::kStream, wait.stream);
  line.arg_unless(0U, Arg::kCorrelation, wait.correlation);
  add_exact_times(wait.begin, wait.end, line);
}

}  // namespace ompdm
