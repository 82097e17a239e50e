#include <array>
#include <cstring>

#include "spool_reader/decoder.h"
#include "spool_reader/passes.h"

namespace ompdm::trace {

static_assert(kMostMapItems == spool::kMostItems);

// A context's last values are of one chunk.
Decoder::Context& Decoder::known(Context& context) const {
  if (context.chunk == lane_.chunks) return context;
  spool::forget(context.last);
  context.chunk = lane_.chunks;
  context.row = context.list = kNoList;
  return context;
}

// Lists that are equal are one row.
std::uint32_t Decoder::list_of(const Context& context) {
  const std::uint32_t count = context.last.item_count;
  if (count == 0) return kNoList;
  std::vector<std::array<std::uint64_t, 4>> items(count);
  std::memcpy(items.data(), context.last.items, count * sizeof(items[0]));
  const std::uint32_t site =
      find(lane_.sites, static_cast<spool::SiteId>(context.last.context[spool::kContextSite]));
  const auto next = static_cast<std::uint32_t>(decoded_.trace.map_lists.size());
  const auto [at, is_new] = lists_.try_emplace({site, std::move(items)}, next);
  if (!is_new) return at->second;
  std::vector<MapItem> list;
  for (const auto& [base, begin, bytes, type] : at->first.second) {
    MapItem item;
    item.base = base;
    item.begin = begin;
    item.bytes = bytes;
    item.type = type;
    list.push_back(item);
  }
  decoded_.trace.map_lists.push_back(std::move(list));
  decoded_.list_sites.push_back({site});
  return next;
}

void Decoder::tell(Context& context, const RawEvent& event) {
  const auto count = static_cast<std::uint32_t>(event.items.size());
  add_differences(context.last.context, event.fields);
  spool::make_item_room(context.last, count, lane_.arena);
  spool::set_item_count(context.last, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    add_differences(context.last.items[i], event.items[i].data());
  }
  context.row = kNoList;
  context.list = list_of(context);
}

void Decoder::begin_region(const RawEvent& event) {
  constexpr std::uint8_t kNowaitForms = 8;  // ompt_target_nowait = ompt_target + 8, and so on
  Context& context = known(context_of(event.second));
  if (event.has_fields) {
    tell(context, event);
  } else if (context.row == kNoList) {
    ++unreadable;  // the region is added without fields, so that its end finds it
  }
  const std::uint64_t begin = lane_.instant += event.first;
  const auto& told = context.last.context;
  const auto example =
      static_cast<std::uint32_t>(told[spool::kContextKind] >> spool::kRegionExampleAt);
  if (example != 0) begin_example(example);
  auto kind = static_cast<std::uint8_t>(told[spool::kContextKind] & spool::kRegionKindMask);
  const bool from_wrapper = (told[spool::kContextKind] & spool::kRegionFromWrapper) != 0;
  const bool is_nowait = kind > kNowaitForms;
  if (is_nowait) kind = static_cast<std::uint8_t>(kind - kNowaitForms);
  const Nanoseconds at = time(begin);
  const auto row = static_cast<std::uint32_t>(decoded_.trace.regions.size());
  decoded_.region_extras.push_back({kind, from_wrapper});
  if (has_externals_) decoded_.region_externals.push_back(external(begin));
  if (context.row != kNoList) {
    decoded_.trace.regions.repeat(context.row, at, at);
    take_thread(decoded_.trace.regions);
  } else {
    Region region;
    region.site = {find(lane_.sites, static_cast<spool::SiteId>(told[spool::kContextSite]))};
    region.path = {find(lane_.paths, static_cast<spool::PathId>(told[spool::kContextPath]))};
    region.thread = thread();
    region.device = device_number(static_cast<std::int64_t>(told[spool::kContextDevice]));
    region.begin = region.end = at;
    region.map_list = context.list;
    region.nowait = is_nowait;
    decoded_.trace.regions.push_back(region);
  }
  context.row = row;
  lane_.last_region = row;
  if (!from_wrapper) return lane_.open.push_back({row, &context, {}});
  example_ = kNoList;
}

void Decoder::end_innermost() {
  auto& regions = decoded_.trace.regions;
  const std::uint32_t row = lane_.open.back().row;
  regions.set_times(row, regions.begin_of(row), time(lane_.instant));
}

// The time that hashing took of a region is time of the regions around it, too.
void Decoder::close_region() {
  auto& regions = decoded_.trace.regions;
  const std::uint32_t row = lane_.open.back().row;
  lane_.open.pop_back();
  example_ = kNoList;  // an example ends with its region
  const Nanoseconds inner = regions.rare(row).hashing;
  if (!lane_.open.empty() && inner != 0) {
    regions.rare_of(lane_.open.back().row).hashing += inner;
  }
}

void Decoder::end_region(const RawEvent& event) {
  lane_.instant += event.first;
  if (lane_.open.empty()) return void(++unreadable);
  end_innermost();
  close_region();
}

void Decoder::leave_launch() {
  if (lane_.launch != kNoList) open_launches_.push_back(lane_.launch);
  lane_.launch = kNoList;
}

// Regions and launches that are open at the end of the lane run until the recording ends.
void Decoder::leave_open() {
  for (; !lane_.open.empty(); close_region()) open_regions_.push_back(lane_.open.back().row);
  leave_launch();
}

// The ends of open regions may be among the missing records: their known time ends here.
void Decoder::lose_open() {
  for (; !lane_.open.empty(); close_region()) {
    decoded_.trace.regions.edit(lane_.open.back().row)->unfinished = true;
    end_innermost();
  }
  leave_launch();
}

void Decoder::add_deferral(const spool::Deferral& row) {
  deferrals_[{lane_.number, row.id}] = {{find(lane_.paths, row.path)}, thread(), time(row.ticks)};
}

void Decoder::add_deferred_region(const spool::DeferredRegion& row) {
  if (lane_.last_region == kNoList) return void(++unreadable);
  deferred_.push_back({lane_.last_region, {row.lane, row.deferral}});
}

void Decoder::add_fallback(const spool::Fallback& row, const Record& record) {
  std::uint64_t example = 0;
  const auto number = record.tail<spool::Fallback>(sizeof(example));
  if (number.size() == sizeof(example)) std::memcpy(&example, number.data(), sizeof(example));
  if (example != 0) begin_example(static_cast<std::uint32_t>(example));
  Region region;
  region.site = {find(lane_.sites, row.site)};
  region.thread = thread();
  if (example != 0) example_ = kNoList;
  region.begin = region.end = time(row.ticks);
  region.host_fallback = true;
  region.device = static_cast<std::int32_t>(row.head.flags) - 1;
  decoded_.trace.regions.push_back(region);
  decoded_.region_extras.push_back({1, false});
  if (has_externals_) decoded_.region_externals.push_back(0);
}

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
  decoded_.trace.ops.push_back(op);
  decoded_.op_extras.push_back({call, static_cast<std::uint16_t>(what),
                                static_cast<std::uint16_t>(what >> 16U), op.src_device < 0});
  if (has_externals_) decoded_.op_externals.push_back({external(begin)});
}

void Decoder::add_op(const RawEvent& event) {
  const std::uint64_t begin = lane_.instant += event.first;
  const std::uint64_t end = lane_.instant += event.second;
  if (lane_.open.empty()) return void(++unreadable);
  OpenRegion& open = lane_.open.back();
  Context& context = known(*open.context);
  const spool::OpCursor::Place place = open.ops.next(context.last, lane_.arena);
  open.ops.go_on();
  auto& ops = decoded_.trace.ops;
  // A note is a row's number from 1 on; 0: there is none.
  const bool repeats = !event.has_fields && place.note() != 0;
  if (repeats) {
    const std::uint32_t earlier = place.note() - 1;
    ops.repeat(earlier, time(begin), time(end), open.row);
    take_thread(ops);
    decoded_.op_extras.push_back(decoded_.op_extras[earlier]);
    if (has_externals_) decoded_.op_externals.push_back({external(begin)});
  } else {
    if (event.has_fields) add_differences(place.fields(), event.fields);
    DataOp op = op_of(place.fields());
    op.region = {open.row};
    op.site = decoded_.trace.regions.common(open.row).site;
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

// The time of hashing is added to the region that is open; to those around it when it closes, so
// that an event costs the same however many are open.
void Decoder::add_content(const RawEvent& event) {
  auto& ops = decoded_.trace.ops;
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
  auto& regions = decoded_.trace.regions;
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
    const Region region = decoded_.trace.regions.common(launch.region.value);
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
  lane_.launch = static_cast<std::uint32_t>(decoded_.trace.launches.size());
  decoded_.trace.launches.push_back(launch);
  decoded_.launch_kernels.push_back(fields[spool::kLaunchKernel]);
  if (has_externals_) decoded_.launch_externals.push_back(external(begin));
}

void Decoder::end_launch(const RawEvent& event) {
  lane_.instant += event.first;
  if (lane_.launch == kNoList) return void(++unreadable);
  auto& launches = decoded_.trace.launches;
  launches.set_times(lane_.launch, launches.begin_of(lane_.launch), time(lane_.instant));
  lane_.launch = kNoList;
}

namespace {

// CUpti_ActivityMemoryKind; static kinds are what they are without.
MemoryKind memory_kind(std::uint8_t kind) {
  constexpr std::array kKinds = {MemoryKind::kUnknown, MemoryKind::kPageable, MemoryKind::kPinned,
                                 MemoryKind::kDevice,  MemoryKind::kArray,    MemoryKind::kManaged,
                                 MemoryKind::kDevice,  MemoryKind::kManaged};
  return kind < kKinds.size() ? kKinds[kind] : MemoryKind::kUnknown;
}

// CUpti_ActivityMemcpyKind: unknown, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP.
ActivityKind copy_kind(std::uint8_t kind) {
  constexpr std::array kKinds = {ActivityKind::kDtoD, ActivityKind::kHtoD, ActivityKind::kDtoH,
                                 ActivityKind::kHtoD, ActivityKind::kDtoH, ActivityKind::kDtoD,
                                 ActivityKind::kDtoD, ActivityKind::kDtoD, ActivityKind::kDtoD,
                                 ActivityKind::kHtoH, ActivityKind::kDtoD};
  return kind < kKinds.size() ? kKinds[kind] : ActivityKind::kDtoD;
}

// CUpti_ActivitySynchronizationType.
SynchronizationKind synchronization_kind(std::uint8_t type) {
  constexpr std::array kKinds = {SynchronizationKind::kUnknown, SynchronizationKind::kEvent,
                                 SynchronizationKind::kStreamWaitEvent,
                                 SynchronizationKind::kStream, SynchronizationKind::kContext};
  return type < kKinds.size() ? kKinds[type] : SynchronizationKind::kUnknown;
}

}  // namespace

void Decoder::add_activity_name(const spool::ActivityName& row, const Record& record) {
  activity_names_[{lane_.number, row.id}] =
      static_cast<std::uint32_t>(decoded_.activity_names.size());
  decoded_.activity_names.push_back(text_of(record.tail<spool::ActivityName>(row.size)));
}

DeviceActivity Decoder::activity_of(const spool::KernelActivity& row) {
  DeviceActivity activity;
  activity.kind = ActivityKind::kKernel;
  activity.device = device_number(row.device);
  activity.stream = row.stream;
  activity.context = row.context;
  activity.correlation = row.correlation;
  activity.begin = static_cast<Nanoseconds>(row.begin);
  activity.end = static_cast<Nanoseconds>(row.end);
  activity.grid = {row.grid_x, row.grid_y, row.grid_z};
  activity.block = {row.block[0], row.block[1], row.block[2]};
  activity.registers = row.registers;
  activity.static_shared = row.static_shared;
  activity.dynamic_shared = row.dynamic_shared;
  return activity;
}

void Decoder::add_kernel_activity(const spool::KernelActivity& row) {
  decoded_.trace.activities.push_back(activity_of(row));
  decoded_.names_of_activities.push_back(find_activity_name(lane_.number, row.name));
}

DeviceActivity Decoder::activity_of(const spool::MemoryActivity& row) {
  const auto work = static_cast<spool::MemoryWork>(row.head.flags);
  DeviceActivity activity;
  activity.kind =
      work == spool::MemoryWork::kMemset ? ActivityKind::kMemset : copy_kind(row.copy_kind);
  activity.source = memory_kind(row.source_kind);
  activity.destination = memory_kind(row.destination_kind);
  activity.device = device_number(row.device);
  if (work == spool::MemoryWork::kPeerCopy) {
    activity.source_device = device_number(row.source_device);
    activity.destination_device = device_number(row.destination_device);
  }
  activity.stream = row.stream;
  activity.context = row.context;
  activity.correlation = row.correlation;
  activity.begin = static_cast<Nanoseconds>(row.begin);
  activity.end = static_cast<Nanoseconds>(row.end);
  activity.bytes = row.bytes;
  return activity;
}

void Decoder::add_memory_activity(const spool::MemoryActivity& row) {
  decoded_.trace.activities.push_back(activity_of(row));
  decoded_.names_of_activities.push_back(kNoList);
}

void Decoder::add_external_id(const spool::ExternalId& row) {
  decoded_.external_ids[row.correlation] = row.id;
}

void Decoder::add_synchronization(const spool::Synchronization& row) {
  constexpr std::uint32_t kNoStream = 0xffffffff;
  Synchronization wait;
  wait.kind = synchronization_kind(row.head.flags);
  wait.context = row.context;
  wait.stream = row.stream == kNoStream ? 0 : row.stream;
  wait.correlation = row.correlation;
  wait.begin = static_cast<Nanoseconds>(row.begin);
  wait.end = static_cast<Nanoseconds>(row.end);
  decoded_.trace.synchronizations.push_back(wait);
}

void Decoder::add_cupti_clock(const spool::CuptiClock& row) { decoded_.cupti_clock.push_back(row); }

void Decoder::add_cuda_device(const spool::CudaDevice& row, const Record& record) {
  Device device;
  device.number = device_number(row.number);
  device.type = "sm_" + std::to_string(row.compute_capability);
  device.name = text_of(record.tail<spool::CudaDevice>(row.size));
  device.multiprocessors = row.multiprocessors;
  device.threads_per_multiprocessor = row.threads_per_multiprocessor;
  device.blocks_per_multiprocessor = row.blocks_per_multiprocessor;
  device.registers_per_multiprocessor = row.registers_per_multiprocessor;
  device.shared_per_multiprocessor = row.shared_per_multiprocessor;
  const std::int32_t ordinal = device_number(row.ordinal);
  if (ordinal >= 0) decoded_.cuda_devices.push_back({ordinal, std::move(device)});
}

}  // namespace ompdm::trace
