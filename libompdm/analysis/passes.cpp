#include "analysis/passes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "analysis/order.h"

namespace ompdm::analysis {
namespace {

std::size_t part_of(OpKind kind) {
  switch (kind) {
    case OpKind::kHtoD:
      return static_cast<std::size_t>(PassPart::kHtoD);
    case OpKind::kDtoH:
      return static_cast<std::size_t>(PassPart::kDtoH);
    case OpKind::kDtoD:
    case OpKind::kMemset:
      return static_cast<std::size_t>(PassPart::kOnDevice);
    case OpKind::kAlloc:
    case OpKind::kDelete:
      return static_cast<std::size_t>(PassPart::kAllocation);
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  return static_cast<std::size_t>(PassPart::kHost);
}

/// What runs from an instant on, until the next segment.
struct Segment {
  Nanoseconds begin = 0;
  std::size_t part = static_cast<std::size_t>(PassPart::kHost);
  bool needless = false;
};

/// What one sequence of directives did: time in segments that do not overlap, and what crossed
/// when.
class SequenceTime {
 public:
  void add_interval(Nanoseconds begin, Nanoseconds end, std::size_t part, bool needless) {
    if (end <= begin) return;
    edges_.push_back({begin, 2 * part + (needless ? 1 : 0), 1});
    edges_.push_back({end, 2 * part + (needless ? 1 : 0), -1});
  }
  void add_bytes(const DataOp& op, Nanoseconds at, bool needless) {
    bytes_.push_back({at, op.bytes, op.kind, needless});
  }
  void add_hashing(Nanoseconds at, Nanoseconds time) { hashing_.push_back({at, time}); }

  /// Call once all is added.
  void settle() {
    std::ranges::sort(edges_, {}, &Edge::time);
    std::ranges::sort(bytes_, {}, &Crossing::time);
    std::ranges::sort(hashing_, {}, &Hashing::begin);
    std::array<int, 2 * kPassParts> running{};
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      running[edges_[i].what] += edges_[i].change;
      if (i + 1 < edges_.size() && edges_[i + 1].time == edges_[i].time) continue;
      const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
      Segment segment{edges_[i].time};
      if (first != running.end()) {
        const auto what = static_cast<std::size_t>(first - running.begin());
        segment.part = what / 2;
        segment.needless = what % 2 == 1;
      }
      segments_.push_back(segment);
    }
    edges_ = {};
  }

  /// Fills what a pass spent between its begin and its end.
  void fill(Pass& pass) const {
    sum_segments(pass);
    for (auto at = std::ranges::lower_bound(bytes_, pass.begin, {}, &Crossing::time);
         at != bytes_.end() && at->time < pass.end; ++at) {
      if (at->kind == OpKind::kHtoD) pass.htod_bytes += at->bytes;
      if (at->kind == OpKind::kDtoH) pass.dtoh_bytes += at->bytes;
      if (at->needless) pass.needless_bytes += at->bytes;
    }
    Nanoseconds hashing = 0;
    for (auto at = std::ranges::lower_bound(hashing_, pass.begin, {}, &Hashing::begin);
         at != hashing_.end() && at->begin < pass.end; ++at) {
      hashing += at->time;
    }
    Nanoseconds& host = pass.time[static_cast<std::size_t>(PassPart::kHost)];
    pass.hashing = std::min(hashing, host);
    host -= pass.hashing;
    pass.wall = pass.end - pass.begin - pass.hashing;
  }

 private:
  struct Edge {
    Nanoseconds time;
    std::size_t what;  // twice the part, plus 1 if needless
    int change;
  };
  struct Crossing {
    Nanoseconds time;
    std::uint64_t bytes;
    OpKind kind;
    bool needless;
  };
  struct Hashing {
    Nanoseconds begin;
    Nanoseconds time;
  };

  void sum_segments(Pass& pass) const {
    auto at = std::ranges::upper_bound(segments_, pass.begin, {}, &Segment::begin);
    if (at != segments_.begin()) --at;
    Nanoseconds known = pass.begin;
    for (; at != segments_.end() && at->begin < pass.end; ++at) {
      const auto next = std::next(at);
      const Nanoseconds begin = std::max(at->begin, pass.begin);
      const Nanoseconds end = next == segments_.end() ? begin : std::min(next->begin, pass.end);
      if (end <= begin) continue;
      pass.time[static_cast<std::size_t>(PassPart::kHost)] += begin - known;
      pass.time[at->part] += end - begin;
      if (at->needless) pass.needless[at->part] += end - begin;
      known = end;
    }
    pass.time[static_cast<std::size_t>(PassPart::kHost)] +=
        std::max(pass.end - known, Nanoseconds{0});
  }

  std::vector<Edge> edges_;
  std::vector<Segment> segments_;
  std::vector<Crossing> bytes_;
  std::vector<Hashing> hashing_;
};

std::vector<SequenceTime> times_of(const Trace& trace, const LoopTable& loops,
                                   const std::vector<std::uint32_t>& finding_of_op) {
  std::vector<SequenceTime> times(loops.sequence_of_thread.size());
  const auto of_thread = [&](std::uint32_t thread) -> SequenceTime& {
    return times[loops.sequence_of_thread[thread]];
  };
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp op = trace.ops[i];
    if (op.internal) continue;
    const Asker asked = asker_of(trace, i);
    const bool needless = finding_of_op[i] != Picture::kNone;
    SequenceTime& time = of_thread(asked.thread);
    if (op.clock != Clock::kEnqueue)
      time.add_interval(op.begin, op.end, part_of(op.kind), needless);
    time.add_bytes(op, asked.time, needless);
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const Launch launch = trace.launches[i];
    if (launch.clock == Clock::kEnqueue) continue;
    const Index<Region> region = launch.region;
    const std::uint32_t asker = region && trace.regions.rare(region.value).made != 0
                                    ? trace.regions.common(region.value).maker
                                    : launch.thread;
    of_thread(asker).add_interval(launch.begin, launch.end,
                                  static_cast<std::size_t>(PassPart::kKernel), false);
  }
  trace.regions.each_rare([&](std::size_t i, const Region::Rare& rare) {
    const Nanoseconds hashing = rare.hashing + rare.hashing_after;
    if (hashing <= 0) return;
    const Region& common = trace.regions.common(i);
    const std::uint32_t asker = rare.made != 0 ? common.maker : common.thread;
    of_thread(asker).add_hashing(rare.made != 0 ? rare.made : trace.regions.begin_of(i), hashing);
  });
  for (SequenceTime& time : times) time.settle();
  return times;
}

}  // namespace

std::vector<std::vector<Pass>> passes_of(const Trace& trace, const LoopTable& loops,
                                         const std::vector<std::uint32_t>& finding_of_op) {
  const std::vector<SequenceTime> times = times_of(trace, loops, finding_of_op);
  std::vector<std::vector<Pass>> rows(loops.rows.size());
  for (std::size_t i = 0; i < loops.rows.size(); ++i) {
    const Loop& loop = loops.rows[i];
    std::vector<PassBegin> begins = loop.pass_begins;
    sort_rows(begins, [](const PassBegin& pass) { return std::pair(pass.span, pass.time); });
    for (std::size_t at = 0; at < begins.size(); ++at) {
      const LoopEntry& entry = loop.spans[begins[at].span];
      const bool last = at + 1 == begins.size() || begins[at + 1].span != begins[at].span;
      Pass pass;
      pass.begin = begins[at].time;
      pass.end = std::max(pass.begin, last ? entry.end : begins[at + 1].time);
      pass.first = at == 0 || begins[at - 1].span != begins[at].span;
      times[entry.sequence].fill(pass);
      rows[i].push_back(pass);
    }
    sort_rows(rows[i], std::mem_fn(&Pass::begin));
  }
  return rows;
}

}  // namespace ompdm::analysis
