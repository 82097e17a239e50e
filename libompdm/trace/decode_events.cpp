// Rows of what happened in regions: operations with what they carried, launches.

#include "trace/decoder.h"
#include "trace/normalize.h"

namespace ompdm::trace {

void Decoder::add(const RawEvent& event) {
  switch (event.event) {
    case spool::Event::kNone:
      return;
    case spool::Event::kBegin:
      return begin_region(event);
    case spool::Event::kEnd:
      return end_region(event);
    case spool::Event::kOp:
      return add_op(event);
    case spool::Event::kApiOp:
      return add_api_op(event);
    case spool::Event::kLaunch:
      return begin_launch(event);
    case spool::Event::kLaunchEnd:
      return end_launch(event);
    case spool::Event::kContent:
      return add_content(event);
  }
}

DataOp Decoder::op_of(const std::uint64_t* fields) {
  DataOp op;
  op.thread = thread();
  op.src = fields[spool::kOpSrc];
  op.dst = fields[spool::kOpDst];
  op.bytes = fields[spool::kOpBytes];
  op.src_device = device_number(static_cast<std::int32_t>(fields[spool::kOpDevices]));
  op.dst_device = device_number(static_cast<std::int32_t>(fields[spool::kOpDevices] >> 32U));
  op.kind = told_kind(static_cast<std::uint16_t>(fields[spool::kOpWhat]));
  return op;
}

void Decoder::add_op_row(const DataOp& op, const std::uint64_t* fields, std::uint64_t begin,
                         spool::CallId call) {
  const std::uint64_t what = fields[spool::kOpWhat];
  draft_.trace.ops.push_back(op);
  draft_.op_notes.push_back({call, static_cast<std::uint16_t>(what),
                             static_cast<std::uint16_t>(what >> 16U), op.src_device < 0});
  if (has_externals_) draft_.op_externals.push_back({external(begin)});
}

void Decoder::add_op(const RawEvent& event) {
  const std::uint64_t begin = lane_.instant += event.first;
  const std::uint64_t end = lane_.instant += event.second;
  if (lane_.open.empty()) return void(++unreadable);
  OpenRegion& open = lane_.open.back();
  Context& context = known(*open.context);
  const auto get = [this](std::size_t size) { return lane_.arena.get(size); };
  const spool::OpWalk::Place place = open.ops.next(context.last, get);
  open.ops.go_on();
  auto& ops = draft_.trace.ops;
  // Rows are noted from 1 on: 0 is of nothing.
  const bool repeats = !event.has_fields && place.note() != 0;
  if (repeats) {
    const std::uint32_t earlier = place.note() - 1;
    ops.repeat(earlier, time(begin), time(end), open.row);
    take_thread(ops);
    draft_.op_notes.push_back(draft_.op_notes[earlier]);
    if (has_externals_) draft_.op_externals.push_back({external(begin)});
  } else {
    if (event.has_fields) add_differences(place.fields(), event.fields);
    DataOp op = op_of(place.fields());
    op.region = {open.row};
    op.site = draft_.trace.regions.common(open.row).site;
    op.begin = time(begin);
    op.end = time(end);
    add_op_row(op, place.fields(), begin, spool::CallId::kNone);
  }
  place.note() = static_cast<std::uint32_t>(ops.size());
}

void Decoder::add_api_op(const RawEvent& event) {
  const std::uint64_t begin = lane_.instant += event.first;
  const std::uint64_t end = lane_.instant += event.second;
  auto& [fields, call] = lane_.api;
  if (event.has_fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += event.fields[i];
    for (std::size_t i = 0; i < call.size(); ++i) call[i] += event.api[i];
  }
  const auto example = static_cast<std::uint32_t>(fields[spool::kOpWhat] >> spool::kOpExampleAt);
  if (example != 0) begin_example(example);
  DataOp op = op_of(fields.data());
  op.site = {find(lane_.sites, static_cast<spool::SiteId>(call[spool::kApiSite]))};
  if (call[spool::kApiCall] != 0) {
    op.path = {find(lane_.paths, static_cast<spool::PathId>(call[spool::kApiPath]))};
  }
  if (call[spool::kApiCall] != lane_.last_call) ++calls_;
  lane_.last_call = call[spool::kApiCall];
  op.call = call[spool::kApiCall] == 0 ? 0 : calls_;
  op.begin = time(begin);
  op.end = time(end);
  add_op_row(op, fields.data(), begin, static_cast<spool::CallId>(call[spool::kApiCall]));
  example_ = kNoList;
}

// Looking at contents took a part of the region that is open then: those around it get it when it
// closes, so that an event costs the same however many are open.
void Decoder::add_content(const RawEvent& event) {
  auto& ops = draft_.trace.ops;
  const std::uint64_t back = event.first;
  if (!event.has_fields || back == 0 || back > ops.size() - lane_.first_op) {
    return void(++unreadable);
  }
  const std::size_t at = ops.size() - back;
  auto& content = ops.rare_of(at);
  content.fingerprint = event.content[spool::kContentFingerprint];
  content.hash = event.content[spool::kContentHash];
  const std::uint64_t flags = event.content[spool::kContentFlags];
  content.trivial = (flags & spool::kContentTrivial) != 0;
  hashing_ticks_ += event.second;
  const Nanoseconds taken = clock_.duration(event.second);
  auto& regions = draft_.trace.regions;
  const Index<Region> own = ops[at].region;
  if ((flags & spool::kContentAfter) != 0 && own) {
    if (is_open(own.value)) return;
    regions.rare_of(own.value).hashing_after += taken;
  }
  if (!lane_.open.empty()) regions.rare_of(lane_.open.back().row).hashing += taken;
}

void Decoder::begin_launch(const RawEvent& event) {
  const std::uint64_t begin = lane_.instant += event.first;
  const bool is_in_region = event.second != 0 && !lane_.open.empty();
  if (event.second != 0 && lane_.open.empty()) ++unreadable;
  spool::LaunchFields none{};
  Launch launch;
  if (is_in_region) {
    (void)known(*lane_.open.back().context);
    launch.region = {lane_.open.back().row};
    const Region region = draft_.trace.regions.common(launch.region.value);
    launch.site = region.site;
    launch.device = region.device;
  }
  auto& fields = is_in_region ? lane_.open.back().context->last.launch : none;
  if (event.has_fields) add_differences(fields, event.fields);
  launch.thread = thread();
  launch.begin = time(begin);
  launch.end = launch.begin;
  launch.requested_teams = static_cast<std::uint32_t>(fields[spool::kLaunchRequestedTeams]);
  launch.num_teams = static_cast<std::uint32_t>(fields[spool::kLaunchTeams]);
  launch.thread_limit = static_cast<std::uint32_t>(fields[spool::kLaunchThreadLimit]);
  launch.trip_count = fields[spool::kLaunchTripCount];
  leave_launch();
  lane_.launch = static_cast<std::uint32_t>(draft_.trace.launches.size());
  draft_.trace.launches.push_back(launch);
  draft_.launch_kernels.push_back(fields[spool::kLaunchKernel]);
  if (has_externals_) draft_.launch_externals.push_back(external(begin));
}

void Decoder::end_launch(const RawEvent& event) {
  lane_.instant += event.first;
  if (lane_.launch == kNoList) return void(++unreadable);
  auto& launches = draft_.trace.launches;
  launches.set_times(lane_.launch, launches.begin_of(lane_.launch), time(lane_.instant));
  lane_.launch = kNoList;
}

}  // namespace ompdm::trace
