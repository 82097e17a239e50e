#include "trace/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "trace/tracks.h"

namespace ompdm {
namespace {

// A copy whose begin and end are known.
struct Timed {
  std::int32_t device = -1;
  OpKind direction = OpKind::kHtoD;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t bytes = 0;
};

// By the host's clock where an operation is done when it returns, by the device's where it told.
std::vector<Timed> timed_copies(const Trace& trace) {
  std::vector<Timed> copies;
  const auto add = [&](const Timed& copy) {
    if (copy.begin >= 0 && copy.end > copy.begin && copy.bytes > 0) copies.push_back(copy);
  };
  for (const DataOp& op : trace.ops) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.clock == Clock::kEnqueue || op.unfinished) continue;
    add({device_of(trace, op), op.kind, op.begin, op.end, op.bytes});
  }
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kHtoD || activity.kind == ActivityKind::kDtoH) {
      const bool up = activity.kind == ActivityKind::kHtoD;
      add({activity.device, up ? OpKind::kHtoD : OpKind::kDtoH, activity.begin, activity.end,
           activity.bytes});
    }
  }
  return copies;
}

// Bytes by bin. A transfer's bytes lie evenly over its interval; whole bins are summed as
// differences, so that a long transfer costs no more than a short one.
class Bins {
 public:
  Bins(std::size_t count, Nanoseconds width) : partial_(count), step_(count + 1), width_(width) {}

  void add(const Timed& copy) {
    const auto duration = static_cast<double>(copy.end - copy.begin);
    const double rate = static_cast<double>(copy.bytes) / duration;
    const auto first = static_cast<std::size_t>(copy.begin / width_);
    const auto last = static_cast<std::size_t>((copy.end - 1) / width_);
    if (first == last) {
      partial_[first] += static_cast<double>(copy.bytes);
      return;
    }
    partial_[first] += rate * static_cast<double>(start(first + 1) - copy.begin);
    partial_[last] += rate * static_cast<double>(copy.end - start(last));
    step_[first + 1] += rate;
    step_[last] -= rate;
  }

  template <class Sink>
  void for_each_change(Sink sink) const {
    double whole = 0;
    std::uint64_t previous = 0;
    for (std::size_t bin = 0; bin <= partial_.size(); ++bin) {
      double rate = 0;
      if (bin < partial_.size()) {
        whole += step_[bin];
        rate = std::max(0.0, whole) + partial_[bin] / static_cast<double>(width_);
      }
      // In steps of 1 MB/s: what is left of sums that should cancel out is no change.
      const auto rounded = static_cast<std::uint64_t>(std::llround(std::min(rate, 1e12) * 1000));
      if (rounded != previous) sink(start(bin), static_cast<double>(rounded) / 1000);
      previous = rounded;
    }
  }

 private:
  [[nodiscard]] Nanoseconds start(std::size_t bin) const {
    return static_cast<Nanoseconds>(bin) * width_;
  }

  std::vector<double> partial_;
  std::vector<double> step_;
  Nanoseconds width_;
};

}  // namespace

std::optional<DeviceMemory::Sample> DeviceMemory::after(const DataOp& op) {
  if (op.unfinished) return std::nullopt;
  const std::int32_t number = device_of(trace_, op);
  if (op.kind == OpKind::kAlloc) {
    if (op.dst == 0) return std::nullopt;
    Device& device = devices_[number];
    // An address that is given out again was freed unseen.
    std::uint64_t& bytes = device.allocations[op.dst];
    device.bytes += op.bytes - bytes;
    bytes = op.bytes;
    return Sample{number, op.end, device.bytes};
  }
  if (op.kind == OpKind::kDelete) {
    Device& device = devices_[number];
    const auto found = device.allocations.find(op.src != 0 ? op.src : op.dst);
    if (found == device.allocations.end()) return std::nullopt;
    device.bytes -= found->second;
    device.allocations.erase(found);
    return Sample{number, op.end, device.bytes};
  }
  return std::nullopt;
}

std::vector<RateSample> transfer_rates(const Trace& trace, std::size_t bins) {
  const std::vector<Timed> copies = timed_copies(trace);
  Nanoseconds end = 0;
  for (const Timed& copy : copies) end = std::max(end, copy.end);
  const Nanoseconds width = end / static_cast<Nanoseconds>(bins) + 1;
  std::map<std::pair<std::int32_t, OpKind>, Bins> by_track;
  for (const Timed& copy : copies) {
    const auto key = std::pair{copy.device, copy.direction};
    by_track.try_emplace(key, bins, width).first->second.add(copy);
  }
  std::vector<RateSample> result;
  for (const auto& [key, track] : by_track) {
    track.for_each_change(
        [&, device = key.first, direction = key.second](Nanoseconds time, double rate) {
          result.push_back({device, direction, time, rate});
        });
  }
  std::sort(result.begin(), result.end(), [](const RateSample& a, const RateSample& b) {
    return std::tie(a.time, a.device, a.direction) < std::tie(b.time, b.device, b.direction);
  });
  return result;
}

}  // namespace ompdm
