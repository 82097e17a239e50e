#include "trace/decode.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "trace/offload_names.h"

namespace ompdm::trace {
namespace {

// NUL-separated texts, `count` of them at most.
std::vector<std::string> split_texts(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<std::string> texts;
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (texts.size() < count && !rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    texts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return texts;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// What identifies a site in all lanes.
using SiteKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, spool::Entry,
                           std::string, std::vector<std::string>>;

class Decoder {
 public:
  explicit Decoder(const ClockScale& clock) : clock_(clock) {}

  void begin_lane() {
    lane_ = {};
    thread_ = kNoList;
  }
  void add(const Record& record);
  Draft take(std::uint64_t last_ticks);
  std::uint64_t unreadable = 0;

 private:
  // Ids of one lane, to positions in the draft's columns.
  struct LaneIds {
    std::unordered_map<std::uint32_t, std::uint32_t> modules, sites, lists, regions;
  };

  void add_thread(const Record& record);
  void add_module(const Record& record);
  void add_site(const Record& record);
  void add_list(const Record& record);
  void add_region(const Record& record);
  void add_op(const Record& record);
  void add_launch(const Record& record);
  void add_symbol(const Record& record);
  void add_device(const Record& record);
  void add_fallback(const Record& record);

  static std::uint32_t find(const std::unordered_map<std::uint32_t, std::uint32_t>& ids,
                            std::uint32_t id) {
    const auto at = ids.find(id);
    return at == ids.end() ? kNoList : at->second;
  }
  std::uint32_t thread() {
    if (thread_ == kNoList) thread_ = thread_of(0);
    return thread_;
  }
  std::uint32_t thread_of(std::uint32_t tid);
  Nanoseconds time(std::uint64_t ticks) {
    last_ = std::max(last_, clock_.at(ticks));
    return clock_.at(ticks);
  }
  // The end of what may still be running; 0 marks it until the last instant is known.
  Nanoseconds end_time(std::uint64_t ticks) { return ticks == 0 ? kOpen : time(ticks); }

  static constexpr Nanoseconds kOpen = -1;
  const ClockScale& clock_;
  Draft draft_;
  LaneIds lane_;
  std::uint32_t thread_ = kNoList;
  Nanoseconds last_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> modules_;
  std::map<SiteKey, std::uint32_t> sites_;
};

std::uint32_t Decoder::thread_of(std::uint32_t tid) {
  auto& threads = draft_.trace.threads;
  const auto [at, is_new] = threads_.emplace(tid, static_cast<std::uint32_t>(threads.size()));
  if (is_new) threads.push_back({tid});
  return at->second;
}

void Decoder::add(const Record& record) {
  switch (record.tag()) {
    case spool::Tag::kNone:
      return;
    case spool::Tag::kLaneThread:
      return add_thread(record);
    case spool::Tag::kModule:
      return add_module(record);
    case spool::Tag::kSite:
      return add_site(record);
    case spool::Tag::kMapList:
      return add_list(record);
    case spool::Tag::kRegion:
      return add_region(record);
    case spool::Tag::kDataOp:
      return add_op(record);
    case spool::Tag::kLaunch:
      return add_launch(record);
    case spool::Tag::kEntry:
      return add_symbol(record);
    case spool::Tag::kDevice:
      return add_device(record);
    case spool::Tag::kFallback:
      return add_fallback(record);
  }
  // A tag of a later minor addition: skipped by its size.
}

void Decoder::add_thread(const Record& record) {
  const auto row = record.as<spool::LaneThread>();
  if (!row) return void(++unreadable);
  thread_ = thread_of(row->tid);
}

void Decoder::add_module(const Record& record) {
  const auto row = record.as<spool::Module>();
  if (!row) return void(++unreadable);
  const auto tail = record.tail<spool::Module>(std::uint64_t{row->build_id_size} + row->path_size);
  const auto id_size = std::min<std::size_t>(row->build_id_size, tail.size());
  const auto paths = split_texts(tail.subspan(id_size), 1);
  Module module{paths.empty() ? std::string() : paths[0], hexadecimal(tail.first(id_size)),
                row->bias};
  auto& modules = draft_.trace.modules;
  const auto [at, is_new] = modules_.emplace(std::tuple(module.path, module.build_id, module.bias),
                                             static_cast<std::uint32_t>(modules.size()));
  if (is_new) modules.push_back(std::move(module));
  lane_.modules[row->id] = at->second;
}

void Decoder::add_site(const Record& record) {
  const auto row = record.as<spool::Site>();
  if (!row) return void(++unreadable);
  auto texts =
      split_texts(record.tail<spool::Site>(row->text_size), std::size_t{1} + row->name_count);
  std::string psource;
  if (!texts.empty()) {
    psource = std::move(texts.front());
    texts.erase(texts.begin());
  }
  const std::uint32_t module = find(lane_.modules, row->module);
  const auto entry = row->head.flags < static_cast<std::uint8_t>(spool::Entry::kCount)
                         ? static_cast<spool::Entry>(row->head.flags)
                         : spool::Entry::kNone;
  auto& sites = draft_.trace.sites;
  const auto [at, is_new] =
      sites_.emplace(SiteKey(module, row->codeptr, row->ident, row->kernel, entry, psource, texts),
                     static_cast<std::uint32_t>(sites.size()));
  if (is_new) {
    Site site;
    site.module = {module};
    site.address = row->codeptr - (site.module ? draft_.trace.modules[module].bias : 0);
    sites.push_back(std::move(site));
    draft_.site_notes.push_back({entry, row->codeptr, row->ident, row->kernel, std::move(psource),
                                 std::move(texts), false});
  }
  lane_.sites[row->id] = at->second;
}

void Decoder::add_list(const Record& record) {
  const auto row = record.as<spool::MapList>();
  if (!row) return void(++unreadable);
  const auto tail = record.tail<spool::MapList>(std::uint64_t{row->count} * sizeof(spool::MapItem));
  if (tail.size() < std::uint64_t{row->count} * sizeof(spool::MapItem)) ++unreadable;
  const Index<Site> site{find(lane_.sites, row->site)};
  std::vector<MapItem> items(tail.size() / sizeof(spool::MapItem));
  for (std::size_t i = 0; i < items.size(); ++i) {
    spool::MapItem item{};
    std::memcpy(&item, tail.data() + i * sizeof(item), sizeof(item));
    items[i].base = item.base;
    items[i].begin = item.begin;
    items[i].bytes = item.size;
    items[i].type = item.type;
  }
  lane_.lists[row->id] = static_cast<std::uint32_t>(draft_.trace.map_lists.size());
  draft_.trace.map_lists.push_back(std::move(items));
  draft_.list_sites.push_back(site);
}

void Decoder::add_region(const Record& record) {
  const auto row = record.as<spool::Region>();
  if (!row) return void(++unreadable);
  constexpr std::uint8_t kNowaitForms = 8;  // ompt_target_nowait = ompt_target + 8, and so on
  std::uint8_t kind = row->head.flags & spool::kRegionKindMask;
  Region region;
  region.site = {find(lane_.sites, row->site)};
  region.thread = thread();
  region.device = row->device;
  region.begin = time(row->begin);
  region.end = end_time(row->end);
  region.map_list = find(lane_.lists, row->map_list);
  region.nowait = kind > kNowaitForms;
  if (region.nowait) kind = static_cast<std::uint8_t>(kind - kNowaitForms);
  const bool from_wrapper = (row->head.flags & spool::kRegionFromWrapper) != 0;
  if (from_wrapper && region.end == kOpen) region.end = region.begin;
  lane_.regions[row->id] = static_cast<std::uint32_t>(draft_.trace.regions.size());
  draft_.trace.regions.push_back(region);
  draft_.region_notes.push_back({kind, from_wrapper});
}

void Decoder::add_op(const Record& record) {
  const auto row = record.as<spool::DataOp>();
  if (!row) return void(++unreadable);
  DataOp op;
  op.thread = thread();
  if ((row->head.flags & spool::kOpInRegion) != 0) {
    op.region = {find(lane_.regions, row->owner)};
    if (op.region) op.site = draft_.trace.regions[op.region.value].site;
  } else {
    op.site = {find(lane_.sites, row->owner)};
  }
  op.unfinished = (row->head.flags & spool::kOpUnfinished) != 0;
  op.src_device = row->src_device;
  op.dst_device = row->dst_device;
  op.begin = time(row->begin);
  op.end = end_time(row->end);
  op.bytes = row->bytes;
  op.src = row->src;
  op.dst = row->dst;
  draft_.trace.ops.push_back(op);
  draft_.op_notes.push_back({row->api_call, row->optype, row->argument});
}

void Decoder::add_launch(const Record& record) {
  const auto row = record.as<spool::Launch>();
  if (!row) return void(++unreadable);
  Launch launch;
  launch.region = {find(lane_.regions, row->region)};
  if (launch.region) {
    const Region& region = draft_.trace.regions[launch.region.value];
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
}

void Decoder::add_symbol(const Record& record) {
  const auto row = record.as<spool::OffloadEntry>();
  if (!row) return void(++unreadable);
  const auto names = split_texts(record.tail<spool::OffloadEntry>(row->name_size), 1);
  if (names.empty()) return;
  draft_.symbols.push_back({names[0], row->address, row->size});
}

void Decoder::add_device(const Record& record) {
  const auto row = record.as<spool::Device>();
  if (!row) return void(++unreadable);
  const auto what = static_cast<spool::DeviceEvent>(row->head.flags);
  DeviceEvent event{DeviceEvent::Kind::kInitialize, row->number, time(row->ticks), row->bytes};
  if (what == spool::DeviceEvent::kFinalize) event.kind = DeviceEvent::Kind::kFinalize;
  if (what == spool::DeviceEvent::kLoad) event.kind = DeviceEvent::Kind::kLoad;
  draft_.trace.device_events.push_back(event);
  if (what != spool::DeviceEvent::kInitialize) return;
  const auto texts = split_texts(record.tail<spool::Device>(row->text_size), 1);
  // Devices initialise again after the last target library was unloaded: one row each.
  auto& devices = draft_.trace.devices;
  const bool seen = std::any_of(devices.begin(), devices.end(),
                                [&](const Device& d) { return d.number == row->number; });
  if (!seen) devices.push_back({row->number, texts.empty() ? "" : texts[0], "", false, false});
}

void Decoder::add_fallback(const Record& record) {
  const auto row = record.as<spool::Fallback>();
  if (!row) return void(++unreadable);
  Region region;
  region.site = {find(lane_.sites, row->site)};
  region.thread = thread();
  region.begin = region.end = time(row->ticks);
  region.host_fallback = true;
  draft_.trace.regions.push_back(region);
  draft_.region_notes.push_back({1, false});
}

// `last_ticks`: the latest instant that the headers know.
Draft Decoder::take(std::uint64_t last_ticks) {
  last_ = std::max(last_, clock_.at(last_ticks));
  const auto close = [this](auto& row) {
    if (row.end != kOpen) return;
    row.end = last_;
    row.unfinished = true;
  };
  std::for_each(draft_.trace.regions.begin(), draft_.trace.regions.end(), close);
  std::for_each(draft_.trace.ops.begin(), draft_.trace.ops.end(), close);
  std::for_each(draft_.trace.launches.begin(), draft_.trace.launches.end(), close);
  draft_.trace.process.wall = last_;
  return std::move(draft_);
}

}  // namespace

Draft decode(SpoolFile& file, const ClockScale& clock) {
  Decoder decoder(clock);
  std::uint64_t last_ticks = std::max(file.header().attach.ticks, file.header().trailer.ticks);
  const Chunk* previous = nullptr;
  for (const Chunk& chunk : file.chunks()) {
    if (previous == nullptr || previous->lane != chunk.lane) decoder.begin_lane();
    previous = &chunk;
    RecordCursor cursor(file.records(chunk));
    while (const auto record = cursor.next()) decoder.add(*record);
    if (cursor.damaged()) ++decoder.unreadable;
    last_ticks = std::max({last_ticks, chunk.first.ticks, chunk.last.ticks});
  }
  Draft draft = decoder.take(last_ticks);
  draft.trace.losses.push_back({"records_unreadable", decoder.unreadable});
  draft.trace.losses.push_back({"chunks_unreadable", file.unreadable_chunks()});
  return draft;
}

}  // namespace ompdm::trace
