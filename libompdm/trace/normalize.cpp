#include "trace/normalize.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "spool/device_types.h"

namespace ompdm::trace {
namespace {

// ompt_target_data_op_t of OpenMP 5.2 and 6.0 without its asynchronous forms, which are 16 higher.
enum OpType : std::uint16_t {
  kAlloc = 1,
  kToDevice = 2,
  kFromDevice = 3,
  kDelete = 4,
  kAssociate = 5,
  kDisassociate = 6,
  kTransfer = 7,
  kMemset = 8,
  kTransferRect = 9,
};

std::uint16_t synchronous_form(std::uint16_t optype) {
  constexpr std::uint16_t kAsync = 16;
  return optype > kAsync && optype <= kAsync + kTransferRect
             ? static_cast<std::uint16_t>(optype - kAsync)
             : optype;
}

// The number named most often on one side of the operations of some type that is no device's which
// was initialised; -1 if there are none.
std::int32_t most_frequent(const Draft& draft, std::uint16_t optype, std::int32_t DataOp::* side) {
  std::map<std::int32_t, std::uint64_t> votes;
  const auto is_device = [&](std::int32_t number) {
    return std::ranges::find(draft.trace.devices, number, &Device::number) !=
           draft.trace.devices.end();
  };
  for (std::size_t i = 0; i < draft.trace.ops.size(); ++i) {
    const std::int32_t device = draft.trace.ops[i].*side;
    if (synchronous_form(draft.op_notes[i].optype) == optype && device >= 0) ++votes[device];
  }
  std::erase_if(votes, [&](const auto& vote) { return is_device(vote.first); });
  const auto best = std::max_element(votes.begin(), votes.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return best == votes.end() ? -1 : best->first;
}

// The runtime's number for the host. Allocations are always asked for by the host; copies may be
// between devices whatever they are called. Where the host is always told as omp_initial_device
// (-1, from LLVM 23 on) it gets the number that omp_get_num_devices() would give it.
std::int32_t learn_host_device(const Draft& draft) {
  for (const auto& [optype, side] :
       {std::pair(kAlloc, &DataOp::src_device), std::pair(kAssociate, &DataOp::src_device),
        std::pair(kToDevice, &DataOp::src_device), std::pair(kFromDevice, &DataOp::dst_device)}) {
    const std::int32_t device = most_frequent(draft, optype, side);
    if (device >= 0) return device;
  }
  std::int32_t highest = -1;
  for (const Device& device : draft.trace.devices) highest = std::max(highest, device.number);
  for (const DataOp& op : draft.trace.ops) {
    highest = std::max({highest, op.src_device, op.dst_device});
  }
  for (const Region& region : draft.trace.regions) {
    if (!region.host_fallback) highest = std::max(highest, region.device);
  }
  return highest < 0 ? -1 : highest + 1;
}

void complete_devices(Trace& trace) {
  std::set<std::int32_t> known;
  for (Device& device : trace.devices) {
    device.emulated = spool::is_emulated_device(device.type);
    known.insert(device.number);
  }
  std::int32_t last = -1;  // most operations are of the same device
  const auto add = [&](std::int32_t number) {
    if (number < 0 || number == trace.host_device || number == last) return;
    last = number;
    if (known.insert(number).second) trace.devices.push_back({number, "", "", false, false});
  };
  for (const Region& region : trace.regions) {
    if (!region.host_fallback) add(region.device);
  }
  for (const DataOp& op : trace.ops) {
    add(op.src_device);
    add(op.dst_device);
  }
  if (trace.host_device >= 0 && known.insert(trace.host_device).second) {
    trace.devices.push_back({trace.host_device, "host", "", true, false});
  }
  std::sort(trace.devices.begin(), trace.devices.end(),
            [](const Device& a, const Device& b) { return a.number < b.number; });
}

// By where the bytes go, not by what the runtime calls it: a copy between devices is "from device"
// to some plugins.
OpKind transfer_kind(const DataOp& op, std::int32_t host, std::uint16_t optype) {
  const bool from_host = op.src_device == host;
  const bool to_host = op.dst_device == host;
  if (!from_host && !to_host) return OpKind::kDtoD;
  if (from_host && to_host) return optype == kFromDevice ? OpKind::kDtoH : OpKind::kHtoD;
  return from_host ? OpKind::kHtoD : OpKind::kDtoH;
}

// Nothing for what no specification knows.
std::optional<OpKind> kind_of(const DataOp& op, std::int32_t host, std::uint16_t optype) {
  switch (optype) {
    case kAlloc:
      return OpKind::kAlloc;
    case kDelete:
      return OpKind::kDelete;
    case kAssociate:
      return OpKind::kAssociate;
    case kDisassociate:
      return OpKind::kDisassociate;
    case kMemset:
      return OpKind::kMemset;
    case kToDevice:
    case kFromDevice:
    case kTransfer:
    case kTransferRect:
      return transfer_kind(op, host, optype);
    default:
      return std::nullopt;
  }
}

// Sides that the runtime leaves open are the host: where there is no other side (delete,
// disassociate) runtimes say -1 or leave a zero. Operations of a later specification are none that
// could be told; how many.
std::uint64_t name_operations(Draft& draft) {
  Runs<DataOp>& ops = draft.trace.ops;
  const std::int32_t host = draft.trace.host_device;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    DataOp op = ops[i];
    const std::uint16_t optype = synchronous_form(draft.op_notes[i].optype);
    draft.op_notes[i].from_initial_device = op.src_device < 0;
    if (op.src_device < 0) op.src_device = host;
    if (op.dst_device < 0 || optype == kDelete) op.dst_device = host;
    const std::optional<OpKind> kind = kind_of(op, host, optype);
    if (!kind) continue;
    op.kind = *kind;
    if (op.kind == OpKind::kMemset) op.src = 0;  // a value comes from nowhere
    ops.set(kept, op);
    draft.op_notes[kept] = draft.op_notes[i];
    ++kept;
  }
  const std::uint64_t unknown = ops.size() - kept;
  ops.truncate(kept);
  draft.op_notes.resize(kept);
  return unknown;
}

bool is_copy_call(spool::Entry entry) {
  return entry == spool::Entry::kMemcpy || entry == spool::Entry::kMemcpyRect ||
         entry == spool::Entry::kMemcpyAsync || entry == spool::Entry::kMemcpyRectAsync;
}

bool is_memset_call(spool::Entry entry) {
  return entry == spool::Entry::kMemset || entry == spool::Entry::kMemsetAsync;
}

bool are_of_one_thread(const Draft& draft, std::uint32_t a, std::uint32_t b) {
  if (a == b) return true;
  return a >= kFirstExample && b >= kFirstExample &&
         draft.tallies[a - kFirstExample].thread == draft.tallies[b - kFirstExample].thread;
}

// Of what was counted in two halves the sums are exact; how the times of one and the other went
// together nobody knows.
void join_tallies(Draft& draft, std::uint32_t down, std::uint32_t up) {
  if (down < kFirstExample) return;
  Distribution& times = draft.tallies[down - kFirstExample].times;
  const Distribution& others = draft.tallies[up - kFirstExample].times;
  draft.tallies[up - kFirstExample].joined = down - kFirstExample;
  if (times.count == 0 || others.count == 0) return;
  const auto mean = static_cast<std::uint64_t>(others.mean());
  Distribution joined;
  for (std::size_t i = 0; i < Distribution::kBins; ++i) {
    joined.add(bin_begin(i) + mean, times.bins[i]);
  }
  joined.sum = times.sum + others.sum;
  joined.least = times.least + others.least;
  joined.most = times.most + others.most;
  times = joined;
}

// Whether `up` sends on what `down` has just fetched into the runtime's bounce buffer.
bool are_halves(const Draft& draft, std::size_t down, std::size_t up) {
  const DataOp& a = draft.trace.ops[down];
  const DataOp& b = draft.trace.ops[up];
  if (a.kind != OpKind::kDtoH || b.kind != OpKind::kHtoD) return false;
  if (!are_of_one_thread(draft, a.thread, b.thread) || a.site != b.site || !a.site || a.region ||
      b.region)
    return false;
  if (a.bytes != b.bytes || a.dst != b.src) return false;
  if (draft.op_notes[down].api_call != draft.op_notes[up].api_call) return false;
  const spool::Entry entry = draft.site_notes[a.site.value].entry;
  return is_copy_call(entry) || entry == spool::Entry::kNone;
}

bool is_staged_memset(const Draft& draft, const DataOp& op) {
  return op.kind == OpKind::kHtoD && op.site && !op.region &&
         is_memset_call(draft.site_notes[op.site.value].entry);
}

// Joins halves of bounced copies and splits a memset from the upload that stages it.
void rewrite_api_calls(Draft& draft) {
  const std::size_t count = draft.trace.ops.size();
  std::size_t first = 0;
  while (first < count && !is_staged_memset(draft, draft.trace.ops[first]) &&
         (first + 1 == count || !are_halves(draft, first, first + 1))) {
    ++first;
  }
  if (first == count) return;
  Runs<DataOp> ops;
  std::vector<OpNote> notes;
  ops.reserve(draft.trace.ops.size());
  notes.reserve(draft.trace.ops.size());
  for (std::size_t i = 0; i < draft.trace.ops.size(); ++i) {
    DataOp op = draft.trace.ops[i];
    if (i + 1 < draft.trace.ops.size() && are_halves(draft, i, i + 1)) {
      const DataOp& up = draft.trace.ops[i + 1];
      op.kind = OpKind::kDtoD;
      op.dst = up.dst;
      op.dst_device = up.dst_device;
      op.end = up.end;
      op.unfinished = up.unfinished;
      ops.push_back(op);
      notes.push_back(draft.op_notes[i]);
      notes.back().second_external = draft.op_notes[i + 1].external;
      join_tallies(draft, op.thread, up.thread);
      ++i;
      continue;
    }
    if (is_staged_memset(draft, op)) {
      DataOp fill = op;
      fill.kind = OpKind::kMemset;
      fill.src = 0;
      ops.push_back(fill);
      notes.push_back(draft.op_notes[i]);
      op.internal = true;
    }
    ops.push_back(op);
    notes.push_back(draft.op_notes[i]);
  }
  draft.trace.ops = std::move(ops);
  draft.op_notes = std::move(notes);
}

// On a device that works asynchronously the host's interval is that of the submission.
void mark_enqueued(Trace& trace) {
  std::set<std::int32_t> asynchronous;
  for (const Device& device : trace.devices) {
    if (!device.is_host && !device.emulated && !device.type.empty()) {
      asynchronous.insert(device.number);
    }
  }
  if (asynchronous.empty()) return;
  trace.ops.change_shapes([&](DataOp& op) {
    const bool moves = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH ||
                       op.kind == OpKind::kDtoD || op.kind == OpKind::kMemset;
    if (moves && (asynchronous.contains(op.src_device) || asynchronous.contains(op.dst_device))) {
      op.clock = Clock::kEnqueue;
    }
  });
  trace.launches.change_shapes([&](Launch& launch) {
    if (asynchronous.contains(launch.device)) launch.clock = Clock::kEnqueue;
  });
}

}  // namespace

void normalize_operations(Draft& draft) {
  Trace& trace = draft.trace;
  trace.host_device = learn_host_device(draft);
  trace.losses.push_back({"ops_unknown", name_operations(draft)});
  rewrite_api_calls(draft);
  complete_devices(trace);
  mark_enqueued(trace);
}

}  // namespace ompdm::trace
