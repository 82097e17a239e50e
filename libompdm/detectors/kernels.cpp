// Detectors of kernels: how they ran, and which copies waited for them.
#include <algorithm>
#include <functional>

#include "detectors/findings.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;  // allocated to a warp at a time
constexpr std::uint64_t kReservedShared = 1024;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t product(const std::array<std::uint32_t, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

/// Threads of this kernel that can be on a multiprocessor at once, of the threads that the
/// multiprocessor holds. The rules are those of CUDA's occupancy calculator. A warp has 32 threads,
/// and gets registers in units of 256. From compute capability 8.0 on CUDA itself uses 1 KiB of
/// shared memory a block. None if the device's limits are not known.
std::optional<facts::KernelRun::Occupancy> occupancy_of(const DeviceActivity& kernel,
                                                        const Device& device) {
  using Limit = facts::KernelRun::Limit;
  using Occupancy = facts::KernelRun::Occupancy;
  const std::uint64_t warps = rounded_up(product(kernel.block), kWarp) / kWarp;
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

facts::KernelRun facts_of(const Trace& trace, const DeviceActivity& run) {
  facts::KernelRun facts{.blocks = product(run.grid), .threads = product(run.block)};
  const auto device = std::ranges::find(trace.devices, run.device, &Device::number);
  if (device == trace.devices.end()) return facts;
  facts.multiprocessors = device->multiprocessors;
  facts.occupancy = occupancy_of(run, *device);
  return facts;
}

constexpr std::uint32_t kNoTeamsConstruct = 0xffffffff;  // Launch::num_teams

/// A kernel whose iterations are not known is reported if at least one launch of this many is its
/// own. Its duration is no criterion: a busy machine, or the first launch of all, makes any kernel
/// long.
constexpr std::uint64_t kLeastShare = 10;

/// Threads that tutorials ask of a kernel; fewer leave a GPU idle.
constexpr std::uint64_t kEnoughThreads = 10'000;
constexpr std::uint64_t kMostThreadsOfTeam = 1024;  // CUDA's limit

/// Below this share of a multiprocessor's threads the latency of memory is hardly hidden.
constexpr double kLeastOccupancy = 0.25;

using Shape = facts::SerialKernel::Shape;

/// The shape by the directive and its clauses; what the runtime chooses is not judged.
Shape shape_of(const Launch& launch) {
  const bool one_thread = launch.thread_limit == 1;
  // One team can run this many iterations at once, so no other team is needed.
  if (launch.trip_count > 0 && launch.trip_count <= kMostThreadsOfTeam) return Shape::kUnknown;
  if (launch.num_teams == kNoTeamsConstruct || launch.num_teams == 1) {
    return one_thread ? Shape::kOneTeamOneThread : Shape::kOneTeam;
  }
  if (one_thread) return Shape::kOneThreadTeams;
  if (launch.num_teams == 0 || launch.trip_count < kEnoughThreads) return Shape::kUnknown;
  const std::uint64_t limit = launch.thread_limit == 0 ? kMostThreadsOfTeam : launch.thread_limit;
  return launch.num_teams * limit < kEnoughThreads ? Shape::kFew : Shape::kUnknown;
}

/// The shape by what the device ran, where the directive alone shows none.
Shape shape_of_run(const Trace& trace, const Launch& launch, const DeviceActivity& activity) {
  if (launch.trip_count < kEnoughThreads) return Shape::kUnknown;
  const facts::KernelRun run = facts_of(trace, activity);
  if (run.blocks * run.threads < kEnoughThreads) return Shape::kRanAsFew;
  const bool low = run.occupancy && static_cast<double>(run.occupancy->threads) <
                                        kLeastOccupancy * static_cast<double>(run.occupancy->most);
  return low ? Shape::kLowOccupancy : Shape::kUnknown;
}

}  // namespace

/// Kernels that were to run in one team, in teams of one thread, or in few of both. Also kernels
/// that the device ran so, or at low occupancy. If a kernel's iterations are not known, the
/// confidence is kPossible, and a kernel with few of the run's launches is left out.
std::vector<Candidate> serial_kernel(const Evidence& evidence, const Removed& /*removed*/) {
  struct Group {
    std::uint64_t count = 0;
    Launch first;
    const DeviceActivity* run = nullptr;  ///< of the first
  };
  const Trace& trace = evidence.trace;
  std::map<std::pair<std::uint32_t, Shape>, Group> groups;         // by directive row
  std::vector<const DeviceActivity*> runs(trace.launches.size());  // null: not known
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.launch) runs[activity.launch.value] = &activity;
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const Launch& launch = trace.launches[i];
    Shape shape = shape_of(launch);
    if (shape == Shape::kUnknown && runs[i] != nullptr) {
      shape = shape_of_run(trace, launch, *runs[i]);
    }
    if (shape == Shape::kUnknown) continue;
    Group& group = groups[{row_of(evidence.directives, launch.site), shape}];
    if (group.count == 0) {
      group.first = launch;
      group.run = runs[i];
    }
    ++group.count;
  }
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups) {
    const bool is_unknown = group.first.trip_count == 0;
    if (is_unknown && kLeastShare * group.count < trace.launches.size()) continue;
    const Index<Site> site = group.first.site;
    Candidate candidate;
    place(candidate, "serial_kernel", trace, site);
    const Shape shape = key.second;
    describe(candidate, group.count,
             shape == Shape::kOneTeamOneThread ? Confidence::kCertain : Confidence::kLikely);
    if (is_unknown) candidate.add_caveat(Caveat::Kind::kFewIterations);
    if (shape == Shape::kFew || shape == Shape::kLowOccupancy) {
      candidate.add_caveat(Caveat::Kind::kMaybeNoFaster);
    }
    facts::SerialKernel facts{.shape = shape,
                              .has_teams = group.first.num_teams != kNoTeamsConstruct,
                              .num_teams = group.first.num_teams,
                              .thread_limit = group.first.thread_limit,
                              .trip_count = group.first.trip_count};
    if (group.run != nullptr) facts.run = facts_of(trace, *group.run);
    if (site) facts.place = source_place(trace.sites[site.value]);
    candidate.finding.facts = std::move(facts);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// Target regions whose kernel ran on the host.
std::vector<Candidate> host_fallback(const Evidence& evidence, const Removed& /*removed*/) {
  const Trace& trace = evidence.trace;
  struct Group {
    Candidate candidate;
    std::uint64_t chosen = 0;  ///< the host was the device that the program asked for
  };
  std::map<std::uint32_t, Group> groups;  // by directive row
  const auto add = [&](const Region& region, std::uint64_t count) {
    if (!region.host_fallback) return;
    const auto [at, is_new] = groups.try_emplace(row_of(evidence.directives, region.site));
    Group& group = at->second;
    if (is_new) place(group.candidate, "host_fallback", trace, region.site);
    group.candidate.finding.count += count;
    if (region.device >= 0 && region.device == trace.host_device) group.chosen += count;
  };
  for (const Region& region : trace.regions) add(region, 1);
  for (const RegionAggregate& aggregate : trace.region_aggregates)
    add(aggregate.like, aggregate.times.count);
  using Cause = facts::HostFallback::Cause;
  const bool is_disabled = trace.recording.target_offload == "disabled";
  const Cause other = is_disabled ? Cause::kDisabled : Cause::kUnknown;
  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    Finding& finding = group.candidate.finding;
    finding.examined = finding.of =
        row == kNoDirective ? finding.count : evidence.directives.rows[row].count;
    finding.confidence = Confidence::kCertain;
    finding.facts =
        facts::HostFallback{.cause = group.chosen == finding.count ? Cause::kChosen : other,
                            .program = trace.process.program};
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

namespace {

/// The time of smaller copies is latency, whatever the memory.
constexpr std::uint64_t kLeastBytes = std::uint64_t{64} * 1024;
/// Worth reporting: this share of the time in which the device copied or computed.
constexpr double kLeastPageableShare = 0.1;
/// Page-locked memory has to be faster by this factor.
constexpr double kLeastGain = 1.2;
/// Page-locking pays if the memory is copied this often. On an H200's host it took 24 ms for 67 MB,
/// of which a pageable copy took 8 ms and a page-locked copy 1.3 ms.
constexpr std::uint64_t kLeastCopies = 4;

/// Copies of one variable between a device and pageable host memory.
struct PageableGroup {
  std::array<facts::PageableTransfer::Way, 2> ways = {};  ///< to the device, to the host
  std::map<std::uint64_t, std::uint64_t> pieces = {};     ///< bytes by host address; 0: unknown
  Index<Site> site = {};                                  ///< of the longest copy
  Nanoseconds longest = 0;

  [[nodiscard]] Nanoseconds time() const { return ways[0].rate.time + ways[1].rate.time; }
  [[nodiscard]] bool pays() const {
    std::uint64_t memory = 0;
    for (const auto& [address, bytes] : pieces) memory += bytes;
    return ways[0].rate.bytes + ways[1].rate.bytes >= kLeastCopies * memory;
  }
};

void add(const DeviceActivity& copy, facts::Rate& rate) {
  rate.bytes += copy.bytes;
  rate.time += copy.end - copy.begin;
}

MemoryKind host_side(const DeviceActivity& copy) {
  return copy.kind == ActivityKind::kHtoD ? copy.source : copy.destination;
}

}  // namespace

/// Pageable host memory that is copied repeatedly, if these copies took a tenth of the device's
/// busy time or more. Left out if page-locked memory was no faster in this run. Needs activities.
std::vector<Candidate> pageable_transfer(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  std::map<Index<Variable>, PageableGroup> groups;
  std::array<facts::Rate, 2> pinned = {};
  Nanoseconds busy = 0;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.internal) continue;
    const Nanoseconds time = activity.end - activity.begin;
    busy += time;
    const bool is_back = activity.kind == ActivityKind::kDtoH;
    const bool by_link = is_back || activity.kind == ActivityKind::kHtoD;
    if (!by_link || activity.bytes < kLeastBytes) continue;
    if (host_side(activity) == MemoryKind::kPinned) add(activity, pinned[is_back ? 1 : 0]);
    if (host_side(activity) != MemoryKind::kPageable || !activity.op) continue;
    if (removed[activity.op.value]) continue;
    const DataOp& op = trace.ops[activity.op.value];
    PageableGroup& group = groups[op.variable];
    facts::PageableTransfer::Way& way = group.ways[is_back ? 1 : 0];
    add(activity, way.rate);
    ++way.count;
    std::uint64_t& piece = group.pieces[is_back ? op.dst : op.src];
    piece = std::max(piece, activity.bytes);
    if (time > group.longest) {
      group.longest = time;
      group.site = op.site;
    }
  }
  std::vector<std::pair<Index<Variable>, const PageableGroup*>> paying;
  for (const auto& [variable, group] : groups) {
    if (group.pays()) paying.emplace_back(variable, &group);
  }
  std::ranges::stable_sort(paying, std::greater{},
                           [](const auto& entry) { return entry.second->time(); });
  facts::PageableTransfer made;
  UniqueTexts names;
  for (const auto& [variable, group] : paying) {
    if (variable) names.add(trace.variables[variable.value].name);
    for (std::size_t i = 0; i < made.ways.size(); ++i) {
      made.ways[i].count += group->ways[i].count;
      made.ways[i].rate.bytes += group->ways[i].rate.bytes;
      made.ways[i].rate.time += group->ways[i].rate.time;
    }
  }
  std::uint64_t count = 0;
  Nanoseconds time = 0;
  Nanoseconds wasted = 0;
  bool is_known = true;
  for (std::size_t i = 0; i < made.ways.size(); ++i) {
    facts::PageableTransfer::Way& way = made.ways[i];
    way.pinned = pinned[i];
    const bool is_measured = way.pinned.bytes > 0;
    if (is_measured && way.pinned.bytes_per_ns() < kLeastGain * way.rate.bytes_per_ns()) way = {};
    if (way.count == 0) continue;
    count += way.count;
    time += way.rate.time;
    is_known = is_known && is_measured;
    if (is_measured) {
      const double faster = static_cast<double>(way.rate.bytes) / way.pinned.bytes_per_ns();
      wasted += way.rate.time - static_cast<Nanoseconds>(faster);
    }
  }
  if (count == 0 || static_cast<double>(time) < kLeastPageableShare * static_cast<double>(busy)) {
    return {};
  }
  Candidate candidate;
  place(candidate, "pageable_transfer", trace, paying.front().second->site);
  describe(candidate, count, Confidence::kLikely, names.all());
  candidate.finding.timed = is_known;
  if (is_known) {
    candidate.finding.wasted_time = wasted;
  } else {
    candidate.add_caveat(Caveat::Kind::kPinnedUnmeasured);
  }
  made.by_cuda = trace.recording.attached_by == "CUDA_INJECTION64_PATH";
  candidate.finding.facts = made;
  return {std::move(candidate)};
}

namespace {

/// Worth reporting: the time that could have been hidden is this share of the device's busy time.
constexpr double kLeastHiddenShare = 0.1;
constexpr std::uint64_t kLeastCount = 2;
/// A copy this short is not worth a stream of its own.
constexpr Nanoseconds kLeastCopyTime = 20'000;

struct OverlapGroup {
  std::uint64_t count = 0;
  Nanoseconds hidden = 0;
  Index<Site> copy;
  Index<Site> kernel;
  UniqueTexts names;
};

/// Whether a region's kernel can use, by its maps, the data that a transfer copies, or another part
/// of the same variable. True if the maps are not all known.
bool may_reach(const Evidence& evidence, Index<Region> region, std::uint32_t copy) {
  const Trace& trace = evidence.trace;
  const std::uint32_t list = trace.regions.common(region.value).map_list;
  if (list >= trace.map_lists.size()) return true;
  const DataOp& op = trace.ops[copy];
  std::uint64_t begin = op.src;
  std::uint64_t bytes = op.bytes;
  if (const std::uint32_t mapping = evidence.mappings.of(copy); mapping != Index<Mapping>::kNone) {
    begin = evidence.mapping(mapping).host;
    bytes = evidence.mapping(mapping).bytes;
  }
  return std::ranges::any_of(trace.map_lists[list], [&](const MapItem& item) {
    if ((item.type & (kMapPrivate | kMapLiteral)) != 0) return false;  // no storage of its own
    const std::uint64_t end = item.begin + std::max<std::uint64_t>(item.bytes, 1);
    return !item.variable || item.variable == op.variable ||
           (item.begin < begin + bytes && begin < end);
  });
}

/// Whether the copy waited for the kernel without need. The copy belongs to another region of the
/// same thread, neither region is nowait, and the kernel's maps do not name the copied data.
bool waited_needlessly(const Evidence& evidence, const DeviceActivity& kernel,
                       const DeviceActivity& copy) {
  const Trace& trace = evidence.trace;
  if (!copy.op || !copy.region || !kernel.region || copy.region == kernel.region) return false;
  const DataOp& op = trace.ops[copy.op.value];
  if (!op.variable || op.internal) return false;
  const Region& before = trace.regions[kernel.region.value];
  const Region& after = trace.regions[copy.region.value];
  if (before.thread != after.thread || before.nowait || after.nowait) return false;
  return !may_reach(evidence, kernel.region, copy.op.value);
}

}  // namespace

/// Transfers to a device that began only after a kernel whose maps do not name the sent data. Needs
/// activities.
std::vector<Candidate> no_overlap(const Evidence& evidence, const Removed& /*removed*/) {
  const Trace& trace = evidence.trace;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OverlapGroup> groups;  // by sites
  std::map<std::int32_t, const DeviceActivity*> last_kernel;               // by device
  Nanoseconds busy = 0;
  for (const DeviceActivity& activity : trace.activities) {
    const Nanoseconds time = activity.end - activity.begin;
    if (!activity.internal) busy += time;
    if (activity.kind == ActivityKind::kKernel) {
      last_kernel[activity.device] = &activity;
      continue;
    }
    if (activity.kind != ActivityKind::kHtoD || time < kLeastCopyTime) continue;
    const DeviceActivity*& kernel = last_kernel[activity.device];
    if (kernel == nullptr || kernel->end > activity.begin ||
        !waited_needlessly(evidence, *kernel, activity)) {
      continue;
    }
    const Index<Site> copy = trace.regions.common(activity.region.value).site;
    const Index<Site> ran = trace.regions.common(kernel->region.value).site;
    OverlapGroup& group = groups[{copy.value, ran.value}];
    ++group.count;
    group.hidden += std::min(time, kernel->end - kernel->begin);
    group.copy = copy;
    group.kernel = ran;
    const Index<Variable> variable = trace.ops.common(activity.op.value).variable;
    group.names.add(trace.variables[variable.value].name);
    kernel = nullptr;  // it can hide one copy of its length, not each that follows
  }
  std::vector<Candidate> candidates;
  for (const auto& [key, group] : groups) {
    if (group.count < kLeastCount || !group.copy || !group.kernel) continue;
    if (static_cast<double>(group.hidden) < kLeastHiddenShare * static_cast<double>(busy)) continue;
    Candidate candidate;
    place(candidate, "no_overlap", trace, group.copy);
    describe(candidate, group.count, Confidence::kPossible, group.names.all());
    candidate.finding.wasted_time = group.hidden;
    candidate.add_caveat(Caveat::Kind::kOtherPointer);
    candidate.finding.facts = facts::NoOverlap{
        .names = group.names.all(), .kernel = source_place(trace.sites[group.kernel.value])};
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
