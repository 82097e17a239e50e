// Rows of what happened: regions, operations with what they carried, launches.

#include <cstring>

#include "trace/decoder.h"

namespace ompdm::trace {

// A lane's regions nest, and come in the order of their begins.
void Decoder::begin_row(Nanoseconds begin, RegionNote note) {
  const auto& regions = draft_.trace.regions;
  const auto has_ended = [&](std::uint32_t at) {
    return regions.end_of(at) != kOpen && regions.end_of(at) <= begin;
  };
  std::size_t depth = lane_.open.size();
  while (depth > 0 && has_ended(lane_.open[depth - 1])) --depth;
  close_regions(depth);
  lane_.open.push_back(static_cast<std::uint32_t>(regions.size()));
  draft_.region_notes.push_back(note);
}

void Decoder::add_region(const Record& record) {
  const auto row = record.as<spool::Region>();
  if (!row) return void(++unreadable);
  constexpr std::uint8_t kNowaitForms = 8;  // ompt_target_nowait = ompt_target + 8, and so on
  std::uint8_t kind = row->head.flags & spool::kRegionKindMask;
  Region region;
  region.site = {find(lane_.sites, row->site)};
  region.path = {find(lane_.paths, row->path)};
  region.thread = thread();
  region.device = device_number(row->device);
  region.begin = time(row->begin);
  region.end = end_time(row->end);
  region.map_list = find(lane_.lists, row->map_list);
  region.nowait = kind > kNowaitForms;
  if (region.nowait) kind = static_cast<std::uint8_t>(kind - kNowaitForms);
  const bool from_wrapper = (row->head.flags & spool::kRegionFromWrapper) != 0;
  if (from_wrapper && region.end == kOpen) region.end = region.begin;
  lane_.last_region = row->id;
  lane_.last_begin = row->begin;
  lane_.regions.set(row->id, static_cast<std::uint32_t>(draft_.trace.regions.size()));
  lane_.ops_of[row->id] = {};
  begin_row(region.begin, {kind, from_wrapper, external(row->begin)});
  draft_.trace.regions.push_back(region);
}

void Decoder::add_deferral(const Record& record) {
  const auto row = record.as<spool::Deferral>();
  if (!row) return void(++unreadable);
  deferrals_[{lane_.number, row->id}] = {
      {find(lane_.paths, row->path)}, thread(), time(row->ticks)};
}

void Decoder::add_deferred_region(const Record& record) {
  const auto row = record.as<spool::DeferredRegion>();
  const std::uint32_t region = row ? lane_.regions.find(row->region) : kNoList;
  if (region == kNoList) return void(++unreadable);
  deferred_.push_back({region, {row->lane, row->deferral}});
}

void Decoder::add_repeated_region(const Record& record) {
  const auto row = record.as<spool::RepeatedRegion>();
  const std::uint32_t earlier = row ? lane_.regions.find(row->reference) : Index<Region>::kNone;
  spool::give_next(lane_.last_region);
  if (!row || earlier == Index<Region>::kNone) return miss_op();
  const std::uint64_t begin = lane_.last_begin += row->since;
  RegionNote note = draft_.region_notes[earlier];
  note.external = external(begin);
  Nanoseconds end = end_time(row->duration == 0 ? 0 : begin + row->duration);
  if (note.from_wrapper && end == kOpen) end = time(begin);
  lane_.regions.set(lane_.last_region, static_cast<std::uint32_t>(draft_.trace.regions.size()));
  begin_row(time(begin), note);
  draft_.trace.regions.repeat(earlier, time(begin), end);
  take_thread(draft_.trace.regions);
  const auto earlier_ops = lane_.ops_of.find(row->reference);
  const auto times = record.tail<spool::RepeatedRegion>(record.size());
  for (std::size_t i = 0; (i + 1) * sizeof(spool::RepeatedTimes) <= times.size(); ++i) {
    if (earlier_ops == lane_.ops_of.end() || i >= earlier_ops->second.size()) {
      return miss_op();
    }
    spool::RepeatedTimes at{};
    std::memcpy(&at, times.data() + i * sizeof(at), sizeof(at));
    add_repetition(earlier_ops->second[i], at);
  }
}

void Decoder::add_region_end(const Record& record) {
  const auto row = record.as<spool::RegionEnd>();
  const std::uint32_t region = row ? lane_.regions.find(row->region) : Index<Region>::kNone;
  if (!row || region == Index<Region>::kNone) return void(++unreadable);
  auto& regions = draft_.trace.regions;
  regions.set_times(region, regions.begin_of(region), time(row->end));
}

void Decoder::add_op(const Record& record) {
  const auto row = record.as<spool::DataOp>();
  if (!row) return miss_op();
  DataOp op;
  op.thread = thread();
  if ((row->head.flags & spool::kOpInRegion) != 0) {
    op.region = {lane_.regions.find(row->region)};
    note_op(row->region, draft_.trace.ops.size());
    if (op.region) op.site = draft_.trace.regions.common(op.region.value).site;
  } else {
    op.site = {find(lane_.sites, row->site)};
    if (row->api_call != spool::CallId::kNone) op.path = {lane_.api_path};
  }
  if (row->api_call != lane_.last_call) ++calls_;
  lane_.last_call = row->api_call;
  op.call = row->api_call == spool::CallId::kNone ? 0 : calls_;
  op.src_device = device_number(row->src_device);
  op.dst_device = device_number(row->dst_device);
  op.begin = time(row->begin);
  op.end = end_time(row->end);
  op.bytes = row->bytes;
  op.src = row->src;
  op.dst = row->dst;
  lane_.whole_ops.push_back(static_cast<std::uint32_t>(draft_.trace.ops.size()));
  draft_.trace.ops.push_back(op);
  draft_.op_notes.push_back({row->api_call, row->optype, row->argument, external(row->begin), 0});
}

void Decoder::add_repeated_op(const Record& record) {
  const auto row = record.as<spool::RepeatedOp>();
  if (!row || row->reference == 0 || row->reference > lane_.whole_ops.size()) return miss_op();
  const std::uint32_t earlier = lane_.whole_ops[row->reference - 1];
  note_op(lane_.last_region, earlier);
  add_repetition(earlier, {row->begin, row->duration});
}

// An operation of the last region, equal to the one at `earlier`.
void Decoder::add_repetition(std::uint32_t earlier, spool::RepeatedTimes times) {
  Runs<DataOp>& ops = draft_.trace.ops;
  const std::uint64_t begin = lane_.last_begin + times.begin;
  const Index<Region> region{lane_.regions.find(lane_.last_region)};
  ops.repeat(earlier, time(begin), time(begin + times.duration), region.value);
  take_thread(ops);
  const Index<Site> site =
      region ? draft_.trace.regions.common(region.value).site : ops.common(earlier).site;
  if (site != ops.common(earlier).site) ops.edit_back()->site = site;
  OpNote note = draft_.op_notes[earlier];
  note.external = external(begin);
  draft_.op_notes.push_back(note);
}

// What was charged to a region lies in those around it, too.
void Decoder::close_regions(std::size_t depth) {
  auto& open = lane_.open;
  auto& regions = draft_.trace.regions;
  for (; open.size() > depth; open.pop_back()) {
    const Nanoseconds inner = regions.rare(open.back()).hashing;
    if (open.size() > 1 && inner != 0) regions.rare_of(open[open.size() - 2]).hashing += inner;
  }
}

// Looking at contents took a part of the regions that were open at an instant: it is charged to the
// innermost. Those around it get it when that closes, so that a record costs the same however many
// are open.
void Decoder::charge_regions(const DataOp& op, bool after, Nanoseconds taken) {
  auto& regions = draft_.trace.regions;
  Nanoseconds instant = op.begin;
  if (after) {
    instant = op.region ? regions.end_of(op.region.value) : op.end;
    if (instant == kOpen) return;
    if (op.region) regions.rare_of(op.region.value).hashing_after += taken;
  }
  const auto holds = [&](std::uint32_t at) {
    const Nanoseconds end = regions.end_of(at);
    return regions.begin_of(at) <= instant && (end == kOpen || instant <= end);
  };
  const auto& open = lane_.open;
  auto inner = std::partition_point(open.begin(), open.end(), holds);
  // What was looked at after a region's end is outside of it.
  const bool is_outside = after && inner != open.begin() && op.region.value == *std::prev(inner);
  if (is_outside) --inner;
  if (inner != open.begin()) regions.rare_of(*std::prev(inner)).hashing += taken;
}

void Decoder::add_content(const Record& record) {
  const auto row = record.as<spool::Content>();
  auto& ops = draft_.trace.ops;
  if (!row || row->back == 0 || row->back > ops.size() - lane_.first_op) {
    return void(++unreadable);
  }
  const std::size_t at = ops.size() - row->back;
  auto& content = ops.rare_of(at);
  content.fingerprint = row->fingerprint;
  content.hash = row->hash;
  content.trivial = (row->head.flags & spool::kContentTrivial) != 0;
  hashing_ticks_ += row->ticks;
  charge_regions(ops[at], (row->head.flags & spool::kContentAfter) != 0,
                 clock_.duration(row->ticks));
}

void Decoder::add_launch(const Record& record) {
  const auto row = record.as<spool::Launch>();
  if (!row) return void(++unreadable);
  Launch launch;
  launch.region = {lane_.regions.find(row->region)};
  if (launch.region) {
    const Region& region = draft_.trace.regions.common(launch.region.value);
    launch.site = region.site;
    launch.device = region.device;
  }
  launch.thread = thread();
  launch.begin = time(row->begin);
  launch.end = end_time(row->end);
  launch.requested_teams = row->requested_teams;
  launch.num_teams = row->num_teams;
  launch.thread_limit = row->thread_limit;
  launch.trip_count = row->trip_count;
  draft_.trace.launches.push_back(launch);
  draft_.launch_kernels.push_back(row->kernel);
  draft_.launch_externals.push_back(external(row->begin));
}

void Decoder::add_fallback(const Record& record) {
  const auto row = record.as<spool::Fallback>();
  if (!row) return void(++unreadable);
  Region region;
  region.site = {find(lane_.sites, row->site)};
  region.thread = thread();
  region.begin = region.end = time(row->ticks);
  region.host_fallback = true;
  region.device = static_cast<std::int32_t>(row->head.flags) - 1;
  draft_.trace.regions.push_back(region);
  draft_.region_notes.push_back({1, false, 0});
}

}  // namespace ompdm::trace
