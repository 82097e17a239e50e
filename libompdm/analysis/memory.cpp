// Device memory over a run: its peak, who held it then, and what was left.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "analysis/tables.h"
#include "model/device_memory.h"

namespace ompdm::analysis {
namespace {

/// Blocks that one directive, reached by one call path, allocated for one variable.
using Holder = std::tuple<Index<Variable>, Index<Site>, Index<CallPath>>;

struct Held {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

/// A block, with what allocated it.
struct Block {
  std::uint64_t bytes = 0;
  Holder holder;
};

class Replay {
 public:
  explicit Replay(const Trace& trace) : trace_(trace) {}

  /// Calls `at_change(device, bytes, op)` after each operation that changes the allocated memory,
  /// until it returns false. `bytes`: all that the device has then.
  template <class AtChange>
  void run(AtChange at_change) {
    std::map<std::int32_t, std::uint64_t> alive;
    for (std::uint32_t i = 0; i < trace_.ops.size(); ++i) {
      const OpKind kind = trace_.ops.common(i).kind;
      if (kind != OpKind::kAlloc && kind != OpKind::kDelete) continue;
      const DataOp op = trace_.ops[i];
      const std::uint64_t address = op.kind == OpKind::kDelete && op.src != 0 ? op.src : op.dst;
      if (op.unfinished || address == 0) continue;
      const std::int32_t device = drawn_device(trace_, op);
      const std::optional<Block> ended =
          op.kind == OpKind::kDelete ? memory_.release(device, address)
                                     : memory_.allocate(device, address, {op.bytes, holder_of(op)});
      if (ended) alive[device] -= ended->bytes;
      if (op.kind == OpKind::kAlloc) alive[device] += op.bytes;
      if (!at_change(device, alive[device], i)) return;
    }
  }

  /// The blocks that are allocated on a device now, most bytes first.
  [[nodiscard]] std::vector<MemoryHolder> holders(std::int32_t device) const {
    std::map<Holder, Held> held;
    for (const auto& [place, block] : memory_.blocks()) {
      if (place.first != device) continue;
      held[block.holder].bytes += block.bytes;
      ++held[block.holder].blocks;
    }
    std::vector<MemoryHolder> rows;
    for (const auto& [holder, sum] : held) rows.push_back(row_of(holder, sum));
    std::ranges::stable_sort(rows, std::greater{}, &MemoryHolder::bytes);
    return rows;
  }

 private:
  [[nodiscard]] Holder holder_of(const DataOp& op) const {
    const Index<CallPath> path = op.region ? trace_.regions.common(op.region.value).path : op.path;
    return {op.variable, op.site, path};
  }

  /// The innermost call on the path that lies in another function than the directive.
  [[nodiscard]] SourcePlace caller_of(Index<CallPath> path, const SourcePlace& directive) const {
    for (; path; path = trace_.call_paths[path.value].caller) {
      const Index<CallPlace> place = trace_.call_paths[path.value].place;
      if (!place) continue;
      for (const Frame& frame : trace_.call_places[place.value].frames) {
        const bool is_own = frame.file == directive.file && frame.line == directive.line;
        if (!is_own && !frame.file.empty()) return {frame.file, frame.line, frame.function, 0};
      }
    }
    return {};
  }

  [[nodiscard]] MemoryHolder row_of(const Holder& holder, const Held& held) const {
    const auto& [variable, site, path] = holder;
    MemoryHolder row;
    if (variable) row.name = trace_.variables[variable.value].name;
    if (site) row.place = source_place(trace_.sites[site.value]);
    row.caller = caller_of(path, row.place);
    row.bytes = held.bytes;
    row.blocks = held.blocks;
    return row;
  }

  const Trace& trace_;
  LiveMemory<Block> memory_;
};

}  // namespace

std::vector<MemoryRow> device_memory_of(const Trace& trace) {
  std::map<std::int32_t, MemoryRow> rows;
  std::map<std::int32_t, std::uint32_t> peak_ops;
  Replay whole(trace);
  whole.run([&](std::int32_t device, std::uint64_t bytes, std::uint32_t op) {
    MemoryRow& row = rows[device];
    if (bytes > row.peak) {
      row.peak = bytes;
      peak_ops[device] = op;
    }
    return true;
  });
  std::vector<MemoryRow> all;
  for (auto& [device, row] : rows) {
    if (row.peak == 0) continue;
    row.device = device;
    const std::uint32_t at = peak_ops[device];
    row.at = trace.ops.end_of(at);
    const Index<Site> site = trace.ops.common(at).site;
    if (site) row.place = source_place(trace.sites[site.value]);
    Replay until(trace);
    until.run([&](std::int32_t, std::uint64_t, std::uint32_t op) { return op != at; });
    row.holders = until.holders(device);
    if (trace.recording.finished) row.left = whole.holders(device);
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace ompdm::analysis
