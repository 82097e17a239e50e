#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "analysis/findings/claims.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/kernel_shapes.h"
#include "analysis/findings/names.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint32_t kNoTeamsConstruct = 0xffffffff;  // Launch::num_teams

/// Of a kernel whose iterations are not known: one launch of this many is worth a line. How long it
/// took says nothing: a busy machine, or the first launch of all, makes any kernel long.
constexpr std::uint64_t kLeastShare = 10;

/// What the tutorials ask of a kernel's parallelism; fewer threads leave a GPU idle.
constexpr std::uint64_t kEnoughThreads = 10'000;
constexpr std::uint64_t kMostThreadsOfTeam = 1024;  // CUDA's limit

/// Below this share of a multiprocessor's threads little is left to hide memory's latency behind.
constexpr double kLeastOccupancy = 0.25;

using Shape = facts::SerialKernel::Shape;

/// What is known from the directive and its clauses; what the runtime chooses is not judged.
Shape shape_of(const Launch& launch) {
  const bool one_thread = launch.thread_limit == 1;
  // What one team can take in one go needs no other.
  if (launch.trip_count > 0 && launch.trip_count <= kMostThreadsOfTeam) return Shape::kUnknown;
  if (launch.num_teams == kNoTeamsConstruct || launch.num_teams == 1) {
    return one_thread ? Shape::kOneTeamOneThread : Shape::kOneTeam;
  }
  if (one_thread) return Shape::kOneThreadTeams;
  if (launch.num_teams == 0 || launch.trip_count < kEnoughThreads) return Shape::kUnknown;
  const std::uint64_t limit = launch.thread_limit == 0 ? kMostThreadsOfTeam : launch.thread_limit;
  return launch.num_teams * limit < kEnoughThreads ? Shape::kFew : Shape::kUnknown;
}

/// What the device ran, where the directive alone says nothing.
Shape shape_of_run(const Trace& trace, const Launch& launch, const DeviceActivity& run) {
  if (launch.trip_count < kEnoughThreads) return Shape::kUnknown;
  if (blocks_of(run) * threads_of(run) < kEnoughThreads) return Shape::kRanAsFew;
  const Device* device = device_row(trace, run.device);
  const auto occupancy = device != nullptr ? occupancy_of(run, *device) : std::nullopt;
  const bool low = occupancy && static_cast<double>(occupancy->threads) <
                                    kLeastOccupancy * static_cast<double>(occupancy->most);
  return low ? Shape::kLowOccupancy : Shape::kUnknown;
}

facts::KernelRun facts_of(const Trace& trace, const DeviceActivity& run) {
  facts::KernelRun facts{.blocks = blocks_of(run), .threads = threads_of(run)};
  const Device* device = device_row(trace, run.device);
  if (device == nullptr) return facts;
  facts.multiprocessors = device->multiprocessors;
  facts.occupancy = occupancy_of(run, *device);
  return facts;
}

}  // namespace

std::vector<Claim> serial_kernel(const Evidence& evidence) {
  struct Group {
    std::uint64_t count = 0;
    Launch first;
    const DeviceActivity* run = nullptr;  ///< of the first
  };
  const Trace& trace = evidence.trace;
  std::map<std::pair<std::uint32_t, Shape>, Group> groups;  // by directive row
  const std::vector<const DeviceActivity*> runs = runs_of(trace);
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
  std::vector<Claim> claims;
  for (auto& [key, group] : groups) {
    const bool is_unknown = group.first.trip_count == 0;
    if (is_unknown && kLeastShare * group.count < trace.launches.size()) continue;
    const Index<Site> site = group.first.site;
    Claim claim;
    place(claim, "serial_kernel", trace, site);
    claim.finding.count = claim.finding.examined = claim.finding.of = group.count;
    const Shape shape = key.second;
    claim.finding.confidence =
        shape == Shape::kOneTeamOneThread ? Confidence::kCertain : Confidence::kLikely;
    if (is_unknown) claim.add_caveat(Caveat::Kind::kFewIterations);
    if (shape == Shape::kFew || shape == Shape::kLowOccupancy) {
      claim.add_caveat(Caveat::Kind::kMaybeNoFaster);
    }
    facts::SerialKernel facts{.shape = shape,
                              .has_teams = group.first.num_teams != kNoTeamsConstruct,
                              .num_teams = group.first.num_teams,
                              .thread_limit = group.first.thread_limit,
                              .trip_count = group.first.trip_count};
    if (group.run != nullptr) facts.run = facts_of(trace, *group.run);
    if (site) facts.place = source_place(trace.sites[site.value]);
    claim.finding.facts = std::move(facts);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
