// Operations that runtimes report differently, made alike.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ompdm/columns.h"
#include "spool_format/format.h"
#include "spool_reader/passes.h"

namespace ompdm::trace {

namespace {

constexpr std::string_view kLibrary = "libomptarget.so.";

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.front() != '.' && text.back() != '.';
}

// The kinds by ompt_target_data_op_t of OpenMP 5.2 and 6.0, in order from 1; kDtoD: a transfer that
// names no direction.
constexpr OpKind kOperationKinds[] = {OpKind::kAlloc,  OpKind::kHtoD,      OpKind::kDtoH,
                                      OpKind::kDelete, OpKind::kAssociate, OpKind::kDisassociate,
                                      OpKind::kDtoD,   OpKind::kMemset,    OpKind::kDtoD};

// The position in kOperationKinds. Asynchronous forms are 16 higher. A type that no specification
// knows is at the end.
std::size_t kind_at(std::uint16_t optype) {
  constexpr std::uint16_t kAsync = 16;
  const std::size_t form = optype > kAsync ? optype - kAsync : optype;
  return std::min(form - 1, std::size(kOperationKinds));
}

// The number most often on one side of operations of a kind, without those of devices that were
// initialised; -1 if there is none.
std::int32_t most_frequent(const Trace& trace, OpKind kind, std::int32_t DataOp::* side) {
  std::map<std::int32_t, std::uint64_t> votes;
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t count, Nanoseconds) {
    if (op.kind == kind && op.*side >= 0) votes[op.*side] += count;
  });
  std::erase_if(votes, [&](const auto& vote) {
    return std::ranges::find(trace.devices, vote.first, &Device::number) != trace.devices.end();
  });
  const auto best = std::max_element(votes.begin(), votes.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return best == votes.end() ? -1 : best->first;
}

// Calls `take` with the device numbers of regions and operations, once a shape.
template <class Take>
void each_device(const Trace& trace, Take take) {
  sum_up(trace.regions, [&](const Region& region, std::uint64_t, Nanoseconds) {
    if (!region.host_fallback) take(region.device);
  });
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t, Nanoseconds) {
    take(op.src_device);
    take(op.dst_device);
  });
}

// The runtime's number for the host. The host asks for all allocations; copies may be between
// devices whatever their type. Where the host is always omp_initial_device (-1, from LLVM 23 on),
// the number that omp_get_num_devices() would return.
std::int32_t learn_host_device(const Trace& trace) {
  for (const auto& [kind, side] : {std::pair(OpKind::kAlloc, &DataOp::src_device),
                                   std::pair(OpKind::kAssociate, &DataOp::src_device),
                                   std::pair(OpKind::kHtoD, &DataOp::src_device),
                                   std::pair(OpKind::kDtoH, &DataOp::dst_device)}) {
    const std::int32_t device = most_frequent(trace, kind, side);
    if (device >= 0) return device;
  }
  std::int32_t highest = -1;
  for (const Device& device : trace.devices) highest = std::max(highest, device.number);
  each_device(trace, [&](std::int32_t number) { highest = std::max(highest, number); });
  return highest < 0 ? -1 : highest + 1;
}

void complete_devices(Trace& trace) {
  std::set<std::int32_t> known;
  for (Device& device : trace.devices) {
    device.emulated = spool::is_emulated_device(device.type);
    known.insert(device.number);
  }
  each_device(trace, [&](std::int32_t number) {
    if (number < 0 || number == trace.host_device) return;
    if (known.insert(number).second) trace.devices.push_back({number, "", "", false, false});
  });
  if (trace.host_device >= 0 && known.insert(trace.host_device).second) {
    trace.devices.push_back({trace.host_device, "host", "", true, false});
  }
  std::ranges::sort(trace.devices, {}, &Device::number);
}

// By the devices, not by the runtime's type: some plugins report a copy between devices as "from
// device".
OpKind kind_of(const DataOp& op, std::int32_t host) {
  if (!is_copy(op.kind)) return op.kind;
  const bool from_host = op.src_device == host;
  const bool to_host = op.dst_device == host;
  if (!from_host && !to_host) return OpKind::kDtoD;
  if (from_host && to_host) return op.kind == OpKind::kDtoH ? OpKind::kDtoH : OpKind::kHtoD;
  return from_host ? OpKind::kHtoD : OpKind::kDtoH;
}

// A side without a device is the host: of a delete or disassociate, runtimes report -1 or 0.
void name_operations(Trace& trace) {
  const std::int32_t host = trace.host_device;
  trace.ops.change_shapes([host](DataOp& op) {
    if (op.src_device < 0) op.src_device = host;
    if (op.dst_device < 0 || op.kind == OpKind::kDelete) op.dst_device = host;
    op.kind = kind_of(op, host);
    if (op.kind == OpKind::kMemset) op.src = 0;  // a value comes from nowhere
  });
}

// Drops operations of a later specification. Returns how many.
std::uint64_t drop_unknown(DecodedTrace& decoded) {
  const auto is_unknown = [](const OpExtra& extra) {
    return kind_at(extra.optype) == std::size(kOperationKinds);
  };
  const auto unknown = std::ranges::count_if(decoded.op_extras, is_unknown);
  if (unknown == 0) return 0;
  const auto moved =
      decoded.trace.ops.keep([&](std::size_t i) { return !is_unknown(decoded.op_extras[i]); });
  keep_beside(moved, decoded.op_extras);
  keep_beside(moved, decoded.op_externals);
  return static_cast<std::uint64_t>(unknown);
}

bool is_copy_call(spool::Entry entry) {
  return entry == spool::Entry::kMemcpy || entry == spool::Entry::kMemcpyRect ||
         entry == spool::Entry::kMemcpyAsync || entry == spool::Entry::kMemcpyRectAsync;
}

bool is_memset_call(spool::Entry entry) {
  return entry == spool::Entry::kMemset || entry == spool::Entry::kMemsetAsync;
}

bool are_of_one_thread(const DecodedTrace& decoded, std::uint32_t a, std::uint32_t b) {
  if (a == b) return true;
  return a >= kFirstSample && b >= kFirstSample &&
         decoded.aggregates[a - kFirstSample].thread == decoded.aggregates[b - kFirstSample].thread;
}

// Sums of operations that were aggregated in two halves are exact. Which times of the halves belong
// together is not known: each gets the other half's mean.
void join_aggregates(DecodedTrace& decoded, std::uint32_t down, std::uint32_t up) {
  if (down < kFirstSample) return;
  Distribution& times = decoded.aggregates[down - kFirstSample].times;
  const Distribution& others = decoded.aggregates[up - kFirstSample].times;
  decoded.aggregates[up - kFirstSample].joined = down - kFirstSample;
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

// Whether `up` sends the data that `down` has just copied to the runtime's bounce buffer.
bool are_halves(const DecodedTrace& decoded, std::size_t down, std::size_t up) {
  const DedupColumn<DataOp>& ops = decoded.trace.ops;
  if (ops.region_of(down) || ops.region_of(up)) return false;
  const DataOp& a = ops.common(down);
  const DataOp& b = ops.common(up);
  if (a.kind != OpKind::kDtoH || b.kind != OpKind::kHtoD) return false;
  if (!are_of_one_thread(decoded, a.thread, b.thread) || a.site != b.site || !a.site) return false;
  if (a.bytes != b.bytes || a.dst != b.src) return false;
  if (decoded.op_extras[down].api_call != decoded.op_extras[up].api_call) return false;
  const spool::Entry entry = decoded.site_extras[a.site.value].entry;
  return is_copy_call(entry) || entry == spool::Entry::kNone;
}

bool is_staged_memset(const DecodedTrace& decoded, std::size_t at) {
  if (decoded.trace.ops.region_of(at)) return false;
  const DataOp& op = decoded.trace.ops.common(at);
  return op.kind == OpKind::kHtoD && op.site &&
         is_memset_call(decoded.site_extras[op.site.value].entry);
}

// Joins halves of bounced copies and splits a memset from the upload that stages it.
void rewrite_api_calls(DecodedTrace& decoded) {
  const DedupColumn<DataOp>& old = decoded.trace.ops;
  const auto begins_pair = [&](std::size_t i) {
    return i + 1 < old.size() && are_halves(decoded, i, i + 1);
  };
  std::size_t first = 0;
  while (first < old.size() && !is_staged_memset(decoded, first) && !begins_pair(first)) ++first;
  if (first == old.size()) return;
  const bool has_externals = !decoded.op_externals.empty();
  DedupColumn<DataOp> ops;
  Column<OpExtra> extras;
  std::vector<OpExternals> externals;
  ops.reserve(old.size());
  extras.reserve(old.size());
  const auto put = [&](const DataOp& op, std::size_t from) {
    ops.push_back(op);
    extras.push_back(decoded.op_extras[from]);
    if (has_externals) externals.push_back(decoded.op_externals[from]);
  };
  for (std::size_t i = 0; i < old.size(); ++i) {
    DataOp op = old[i];
    if (begins_pair(i)) {
      const DataOp up = old[i + 1];
      op.kind = OpKind::kDtoD;
      op.dst = up.dst;
      op.dst_device = up.dst_device;
      op.end = up.end;
      op.unfinished = up.unfinished;
      put(op, i);
      if (has_externals) externals.back().second = decoded.op_externals[i + 1].id;
      join_aggregates(decoded, op.thread, up.thread);
      ++i;
      continue;
    }
    if (is_staged_memset(decoded, i)) {
      DataOp fill = op;
      fill.kind = OpKind::kMemset;
      fill.src = 0;
      put(fill, i);
      op.internal = true;
    }
    put(op, i);
  }
  decoded.trace.ops = std::move(ops);
  decoded.op_extras = std::move(extras);
  decoded.op_externals = std::move(externals);
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
    const bool moves = is_copy(op.kind) || op.kind == OpKind::kMemset;
    if (moves && (asynchronous.contains(op.src_device) || asynchronous.contains(op.dst_device))) {
      op.clock = Clock::kEnqueue;
    }
  });
  trace.launches.change_shapes([&](Launch& launch) {
    if (asynchronous.contains(launch.device)) launch.clock = Clock::kEnqueue;
  });
}

}  // namespace

std::string runtime_name(std::string_view told, std::string_view library) {
  if (library.empty()) return std::string(told);
  const std::string_view file = library.substr(library.rfind('/') + 1);
  if (file.starts_with(kLibrary) && (told.empty() || told.starts_with("LLVM"))) {
    const std::string_view version = file.substr(kLibrary.size());
    if (is_version(version)) return fmt::format("LLVM {} ({})", version, file);
  }
  return fmt::format("{}{}({})", told, told.empty() ? "" : " ", library);
}

OpKind kind_of_optype(std::uint16_t optype) {
  const std::size_t at = kind_at(optype);
  return at < std::size(kOperationKinds) ? kOperationKinds[at] : OpKind::kMemset;
}

void normalize_operations(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  trace.host_device = learn_host_device(trace);
  name_operations(trace);
  trace.losses.push_back({"ops_unknown", drop_unknown(decoded)});
  rewrite_api_calls(decoded);
  complete_devices(trace);
  mark_enqueued(trace);
}

}  // namespace ompdm::trace
