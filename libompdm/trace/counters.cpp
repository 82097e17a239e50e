#include "trace/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "trace/tracks.h"

namespace ompdm {
namespace {

bool has_rate(const DataOp& op) {
  return (op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH) && op.clock != Clock::kEnqueue &&
         !op.unfinished && op.begin >= 0 && op.end > op.begin && op.bytes > 0;
}

// Bytes by bin. A transfer's bytes lie evenly over its interval; whole bins are summed as
// differences, so that a long transfer costs no more than a short one.
class Bins {
 public:
  Bins(std::size_t count, Nanoseconds width) : partial_(count), step_(count + 1), width_(width) {}

  void add(const DataOp& op) {
    const auto duration = static_cast<double>(op.end - op.begin);
    const double rate = static_cast<double>(op.bytes) / duration;
    const auto first = static_cast<std::size_t>(op.begin / width_);
    const auto last = static_cast<std::size_t>((op.end - 1) / width_);
    if (first == last) {
      partial_[first] += static_cast<double>(op.bytes);
      return;
    }
    partial_[first] += rate * static_cast<double>(start(first + 1) - op.begin);
    partial_[last] += rate * static_cast<double>(op.end - start(last));
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
  Nanoseconds end = 0;
  for (const DataOp& op : trace.ops) {
    if (has_rate(op)) end = std::max(end, op.end);
  }
  const Nanoseconds width = end / static_cast<Nanoseconds>(bins) + 1;
  std::map<std::pair<std::int32_t, OpKind>, Bins> by_track;
  for (const DataOp& op : trace.ops) {
    if (!has_rate(op)) continue;
    const auto key = std::pair{device_of(trace, op), op.kind};
    by_track.try_emplace(key, bins, width).first->second.add(op);
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
