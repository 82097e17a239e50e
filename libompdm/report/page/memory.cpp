#include "report/page/memory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analysis/order.h"

namespace ompdm::report::page {
namespace {

struct Block {
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;
  std::uint32_t variable = kNoRow32;
};

/// Keeps of each span the sample with most bytes and the last one: what peaks stays to be seen.
std::vector<MemorySample> thinned(const std::vector<MemorySample>& samples, std::uint64_t end,
                                  std::size_t most) {
  if (samples.size() <= most) return samples;
  const std::uint64_t width = std::max<std::uint64_t>(2 * end / most, 1);
  struct Span {
    std::uint64_t slot = 0;
    MemorySample highest;
    MemorySample last;
  };
  std::map<std::int32_t, Span> spans;
  std::vector<MemorySample> kept;
  const auto close = [&kept](const Span& span) {
    if (span.highest.time < span.last.time) kept.push_back(span.highest);
    kept.push_back(span.last);
  };
  for (const MemorySample& sample : samples) {
    const std::uint64_t slot = sample.time / width;
    const auto [at, is_new] = spans.try_emplace(sample.device, Span{slot, sample, sample});
    Span& span = at->second;
    if (is_new) continue;
    if (span.slot != slot) {
      close(span);
      span = {slot, sample, sample};
    }
    if (sample.bytes >= span.highest.bytes) span.highest = sample;
    span.last = sample;
  }
  for (const auto& [device, span] : spans) close(span);
  analysis::sort_rows(kept, std::mem_fn(&MemorySample::time));
  return kept;
}

/// Joins stays of a variable with less than a pixel between them.
std::vector<Stay> joined(const std::vector<Stay>& stays, std::uint64_t end, std::size_t most) {
  if (stays.size() <= most) return stays;
  const std::uint64_t least_gap = end / 2000;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> latest;
  std::vector<Stay> rows;
  for (const Stay& stay : stays) {
    const auto [at, is_new] = latest.try_emplace({stay.variable, stay.device}, rows.size());
    if (!is_new && stay.begin <= rows[at->second].end + least_gap) {
      rows[at->second].end = std::max(rows[at->second].end, stay.end);
      rows[at->second].count += stay.count;
      continue;
    }
    at->second = rows.size();
    rows.push_back(stay);
  }
  return rows;
}

}  // namespace

DeviceMemory memory_of(const Trace& trace, const std::vector<std::uint32_t>& variable,
                       std::uint64_t end, std::size_t most) {
  std::map<std::pair<std::int32_t, std::uint64_t>, Block> blocks;  // by device and address
  std::map<std::int32_t, std::uint64_t> live;
  DeviceMemory memory;
  const auto instant_of = [](Nanoseconds time) {
    return time < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(time);
  };
  const auto leave = [&](std::int32_t device, const Block& block, std::uint64_t time) {
    live[device] -= block.bytes;
    if (block.variable != kNoRow32) {
      memory.stays.push_back({block.variable, device, block.begin, time});
    }
  };
  for (const DataOp& op : trace.ops) {
    if (op.unfinished || (op.kind != OpKind::kAlloc && op.kind != OpKind::kDelete)) continue;
    const std::int32_t device = drawn_under(trace, op);
    const std::uint64_t time = instant_of(op.end);
    const std::uint64_t address = op.kind == OpKind::kAlloc || op.src == 0 ? op.dst : op.src;
    const auto known = blocks.find({device, address});
    if (known != blocks.end()) {
      leave(device, known->second, time);
      blocks.erase(known);
    } else if (op.kind == OpKind::kDelete) {
      continue;
    }
    if (op.kind == OpKind::kAlloc) {
      const std::uint32_t row = op.variable ? variable[op.variable.value] : kNoRow32;
      blocks[{device, address}] = {op.bytes, time, row};
      live[device] += op.bytes;
    }
    memory.samples.push_back({device, time, live[device]});
  }
  for (const auto& [place, block] : blocks) leave(place.first, block, end);
  analysis::sort_rows(memory.samples, std::mem_fn(&MemorySample::time));
  analysis::sort_rows(memory.stays, std::mem_fn(&Stay::begin));
  memory.samples = thinned(memory.samples, end, most);
  memory.stays = joined(memory.stays, end, most);
  return memory;
}

}  // namespace ompdm::report::page
