#include "trace/activity_tallies.h"

#include <vector>

#include "trace/external_owners.h"

namespace ompdm::trace {
namespace {

// What asked for it, if the tally of that was read.
void tie(const Trace& trace, const TallyNote& owner, ActivityTally& tally) {
  DeviceActivity& like = tally.like;
  for (const std::uint32_t at : owner.ops) {
    const DataOp& op = trace.op_tallies[at].like;
    if (!does(op.kind, like.kind)) continue;
    tally.op = {at};
    like.internal = op.internal;
    if (like.source_device >= 0) {  // as of one that is told
      like.source_device = op.src_device;
      like.destination_device = op.dst_device;
    }
    return;
  }
  if (like.kind == ActivityKind::kKernel && !owner.launches.empty()) {
    tally.launch = {owner.launches.front()};
    like.internal = false;
  }
}

std::uint64_t missing(std::uint64_t asked, std::uint64_t done) {
  return asked > done ? asked - done : 0;
}

}  // namespace

void tie_activity_tallies(Draft& draft, Kernels& kernels, bool has_directives) {
  Trace& trace = draft.trace;
  for (const ActivityTallyNote& note : draft.activity_tallies) {
    ActivityTally tally = note.row;
    tally.like.internal = has_directives;
    tally.like.correlation = 0;
    if (note.owner != kNoList) {
      const TallyNote* owner = &draft.tallies[note.owner];
      if (owner->joined != TallyNote::kNotJoined) owner = &draft.tallies[owner->joined];
      tie(trace, *owner, tally);
    }
    if (tally.like.kind == ActivityKind::kKernel) {
      const Index<Kernel> launched =
          tally.launch ? trace.launch_tallies[tally.launch.value].like.kernel : Index<Kernel>{};
      tally.like.kernel = kernels.find(launched, note.name);
    }
    trace.activity_tallies.push_back(tally);
  }
}

std::uint64_t count_missing_in_tallies(const Trace& trace) {
  std::vector<std::uint64_t> of_op(trace.op_tallies.size());
  std::vector<std::uint64_t> of_launch(trace.launch_tallies.size());
  for (const ActivityTally& tally : trace.activity_tallies) {
    if (tally.op) of_op[tally.op.value] += tally.times.count;
    if (tally.launch) of_launch[tally.launch.value] += tally.times.count;
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < of_op.size(); ++i) {
    const OpTally& tally = trace.op_tallies[i];
    const OpKind kind = tally.like.kind;
    const bool copies = kind == OpKind::kHtoD || kind == OpKind::kDtoH || kind == OpKind::kDtoD;
    if (copies && tally.like.clock == Clock::kEnqueue && tally.most_bytes > 0) {
      sum += missing(tally.times.count, of_op[i]);
    }
  }
  for (std::size_t i = 0; i < of_launch.size(); ++i) {
    const LaunchTally& tally = trace.launch_tallies[i];
    if (tally.like.clock == Clock::kEnqueue) sum += missing(tally.times.count, of_launch[i]);
  }
  return sum;
}

}  // namespace ompdm::trace
