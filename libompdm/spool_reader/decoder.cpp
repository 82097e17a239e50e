#include "spool_reader/decoder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stop_token>
#include <string_view>
#include <system_error>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::trace {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;  // a large page
constexpr std::size_t kWorthAThread = 32 * kLargePage;

bool make_ready(std::span<std::byte> memory) {
  const std::size_t before =
      reinterpret_cast<std::uintptr_t>(memory.data()) % static_cast<std::size_t>(getpagesize());
  return madvise(memory.data() - before, memory.size() + before, MADV_POPULATE_WRITE) == 0;
}

}  // namespace

Prefault::Prefault(std::vector<std::span<std::byte>> memory) {
  std::size_t all = 0;
  std::size_t largest = 0;
  for (const auto& one : memory) {
    all += one.size();
    largest = std::max(largest, one.size());
  }
  if (all < kWorthAThread) return;
  const auto run = [memory = std::move(memory),
                    steps = largest / kLargePage](const std::stop_token& stop) {
    for (std::size_t step = 0; step < steps; ++step) {
      for (const auto& one : memory) {
        const std::size_t from = one.size() / steps * step;
        // Not known before Linux 5.14; and nothing may be there any more.
        if (stop.stop_requested() || !make_ready(one.subspan(from, one.size() / steps))) return;
      }
    }
  };
  try {
    thread_ = std::jthread(run);
  } catch (const std::system_error&) {
    thread_ = {};  // no thread is to be had: pages are made ready as they are written
  }
}

// A record of another tag is of a later minor addition. It is skipped by its size.
void Decoder::add(const Record& record) {
  using spool::Tag;
  const Tag tag = record.tag();
  const auto on = [&](Tag wanted, auto add_one) {
    if (tag == wanted) add_row(record, add_one);
  };
  on(Tag::kLaneThread, &Decoder::add_thread);
  on(Tag::kModule, &Decoder::add_module);
  on(Tag::kSite, &Decoder::add_site);
  on(Tag::kPath, &Decoder::add_path);
  on(Tag::kEntry, &Decoder::add_symbol);
  on(Tag::kDevice, &Decoder::add_device);
  on(Tag::kFallback, &Decoder::add_fallback);
  on(Tag::kMapperName, &Decoder::add_mapper_name);
  on(Tag::kMapperPiece, &Decoder::add_mapper_piece);
  on(Tag::kMappedPointer, &Decoder::add_mapped_pointer);
  on(Tag::kDeferral, &Decoder::add_deferral);
  on(Tag::kDeferredRegion, &Decoder::add_deferred_region);
  on(Tag::kActivityName, &Decoder::add_activity_name);
  on(Tag::kKernelActivity, &Decoder::add_kernel_activity);
  on(Tag::kMemoryActivity, &Decoder::add_memory_activity);
  on(Tag::kExternalId, &Decoder::add_external_id);
  on(Tag::kSynchronization, &Decoder::add_synchronization);
  on(Tag::kCuptiClock, &Decoder::add_cupti_clock);
  on(Tag::kCudaDevice, &Decoder::add_cuda_device);
  on(Tag::kAggregate, &Decoder::add_aggregate);
  on(Tag::kActivityAggregate, &Decoder::add_activity_aggregate);
}

// The lane that made a task may come after the one that ran it.
void Decoder::tie_deferred_regions() {
  for (const auto& [region, key] : deferred_) {
    const auto made = deferrals_.find(key);
    if (made == deferrals_.end()) {
      ++unreadable;
      continue;
    }
    auto row = decoded_.trace.regions.edit(region);
    row->path = made->second.path;
    row->maker = made->second.thread;
    row->made = made->second.time;
    if (!row->path || !row->site) continue;
    decoded_.site_extras[row->site.value].callers = decoded_.paths[row->path.value].frames;
  }
}

DecodedTrace Decoder::take(std::uint64_t last_ticks) {
  leave_open();
  tie_deferred_regions();
  tie_aggregates();
  tie_activity_aggregates();
  last_ = std::max(last_, clock_.at(last_ticks));
  const auto close = [this](auto& rows, const std::vector<std::uint32_t>& open) {
    for (const std::uint32_t i : open) {
      rows.set_times(i, rows.begin_of(i), last_);
      rows.edit(i)->unfinished = true;
    }
  };
  close(decoded_.trace.regions, open_regions_);
  close(decoded_.trace.launches, open_launches_);
  decoded_.trace.process.wall = last_;
  decoded_.trace.recording.hashing_ns = clock_.duration(hashing_ticks_);
  return std::move(decoded_);
}

// Columns that grow as they are filled are copied, and touch twice the memory. Of many chunks some
// tell how much the others hold. A lane of activities begins with CUPTI's clock.
void Decoder::reserve(SpoolFile& file) {
  constexpr std::size_t kAllOf = 32;
  constexpr std::size_t kStep = 8;
  const std::vector<Chunk>& chunks = file.chunks();
  const std::size_t step = chunks.size() <= kAllOf ? 1 : kStep;
  std::size_t regions = 0;
  std::size_t ops = 0;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i % step != 0 && chunks[i].lane == chunks[i - 1].lane) continue;
    ++looked_at;
    RecordCursor cursor(file.records(chunks[i]));
    for (auto found = cursor.next(); found != RecordCursor::Found::kEnd; found = cursor.next()) {
      if (found == RecordCursor::Found::kRecord) {
        const spool::Tag tag = cursor.record().tag();
        if (tag == spool::Tag::kFallback) ++regions;
        if (tag == spool::Tag::kCuptiClock || tag == spool::Tag::kExternalId) has_externals_ = true;
        continue;
      }
      const spool::Event event = cursor.event().event;
      if (event == spool::Event::kBegin) ++regions;
      if (event == spool::Event::kOp || event == spool::Event::kApiOp) ++ops;
    }
  }
  const auto scaled = [&](std::size_t count) {
    const std::size_t all = count * chunks.size() / std::max<std::size_t>(looked_at, 1);
    return looked_at == chunks.size() ? count : all + all / 16;
  };
  decoded_.trace.regions.reserve(scaled(regions));
  decoded_.region_extras.reserve(scaled(regions));
  decoded_.trace.ops.reserve(scaled(ops));
  decoded_.op_extras.reserve(scaled(ops));
}

std::vector<std::span<std::byte>> Decoder::room() {
  const auto of = [](auto& column) {
    return std::as_writable_bytes(std::span(column.data(), column.capacity()));
  };
  std::vector<std::span<std::byte>> room = {decoded_.trace.regions.room(),
                                            of(decoded_.region_extras), decoded_.trace.ops.room(),
                                            of(decoded_.op_extras)};
  for (auto& one : room) one = one.first(one.size() - one.size() / 16);
  return room;
}

DecodedTrace decode(SpoolFile& file, const ClockScale& clock) {
  Decoder decoder(clock);
  decoder.reserve(file);
  const Prefault prefault(decoder.room());
  std::uint64_t last_ticks = std::max(file.header().attach.ticks, file.header().trailer.ticks);
  const Chunk* previous = nullptr;
  for (const Chunk& chunk : file.chunks()) {
    if (previous == nullptr || previous->lane != chunk.lane) {
      decoder.begin_lane(chunk.lane);
    } else if (chunk.sequence != previous->sequence + 1) {
      decoder.skip();
    }
    previous = &chunk;
    decoder.begin_chunk(chunk);
    RecordCursor cursor(file.records(chunk));
    for (auto found = cursor.next(); found != RecordCursor::Found::kEnd; found = cursor.next()) {
      if (found == RecordCursor::Found::kRecord) {
        decoder.add(cursor.record());
      } else {
        decoder.add(cursor.event());
      }
    }
    if (cursor.damaged()) {
      ++decoder.unreadable;
      decoder.skip();
    }
    last_ticks = std::max({last_ticks, chunk.first.ticks, chunk.last.ticks});
  }
  DecodedTrace decoded = decoder.take(last_ticks);
  decoded.trace.losses.push_back({"records_unreadable", decoder.unreadable});
  decoded.trace.losses.push_back({"chunks_unreadable", file.unreadable_chunks()});
  return decoded;
}

std::uint32_t Decoder::thread_of(std::uint32_t tid) {
  auto& threads = decoded_.trace.threads;
  const auto [at, is_new] = threads_.emplace(tid, static_cast<std::uint32_t>(threads.size()));
  if (is_new) threads.push_back({tid});
  return at->second;
}

void Decoder::add_thread(const spool::LaneThread& row) {
  thread_ = thread_of(row.tid);
  leave_open();
}

void Decoder::add_module(const spool::Module& row, const Record& record) {
  const auto tail = record.tail<spool::Module>(std::uint64_t{row.build_id_size} + row.path_size);
  const auto id_size = std::min<std::size_t>(row.build_id_size, tail.size());
  Module module{text_of(tail.subspan(id_size)), hex_of(tail.first(id_size)), row.bias};
  auto& modules = decoded_.trace.modules;
  const auto [at, is_new] = modules_.emplace(std::tuple(module.path, module.build_id, module.bias),
                                             static_cast<std::uint32_t>(modules.size()));
  if (is_new) {
    modules.push_back(std::move(module));
    decoded_.module_ranges.push_back({row.begin, row.end});
  }
  lane_.modules[row.id] = at->second;
}

// No compiler writes longer names. Each operation would be compared with one, and have it in the
// trace.
std::string Decoder::unless_endless(std::string name) {
  constexpr std::size_t kLongestName = 8192;  // a path and an expression
  if (name.size() <= kLongestName) return name;
  ++unreadable;
  return {};
}

void Decoder::add_site(const spool::Site& row, const Record& record) {
  auto texts = texts_of(record.tail<spool::Site>(row.text_size), std::size_t{1} + row.name_count);
  for (std::string& text : texts) text = unless_endless(std::move(text));
  std::string psource;
  if (!texts.empty()) {
    psource = std::move(texts.front());
    texts.erase(texts.begin());
  }
  const std::uint32_t module = find(lane_.modules, row.module);
  const auto entry = row.head.flags < static_cast<std::uint8_t>(spool::Entry::kCount)
                         ? static_cast<spool::Entry>(row.head.flags)
                         : spool::Entry::kNone;
  auto& sites = decoded_.trace.sites;
  const auto [at, is_new] =
      sites_.emplace(SiteKey(module, row.codeptr, row.ident, row.kernel, entry, psource, texts),
                     static_cast<std::uint32_t>(sites.size()));
  if (is_new) {
    Site site;
    site.module = {module};
    site.address = row.codeptr - (site.module ? decoded_.trace.modules[module].bias : 0);
    sites.push_back(std::move(site));
    SiteExtra& extra = decoded_.site_extras.emplace_back();
    extra.entry = entry;
    extra.codeptr = row.codeptr;
    extra.kernel = row.kernel;
    extra.psource = std::move(psource);
    extra.names = std::move(texts);
  }
  lane_.sites[row.id] = at->second;
}

void Decoder::add_path(const spool::Path& row, const Record& record) {
  const std::uint32_t site = find(lane_.sites, row.site);
  if (site == Index<Site>::kNone) return void(++unreadable);
  DecodedPath path{{site}, row.stack, 0, {}};
  const auto tail = record.tail<spool::Path>(std::uint64_t{row.count} * sizeof(spool::PathFrame));
  for (std::size_t at = 0; at + sizeof(spool::PathFrame) <= tail.size();
       at += sizeof(spool::PathFrame)) {
    spool::PathFrame frame{};
    std::memcpy(&frame, tail.data() + at, sizeof(frame));
    if (frame.address == 0) {
      path.end = row.stack + frame.offset;
      break;
    }
    const Index<Module> module{find(lane_.modules, frame.module)};
    const std::uint64_t bias = module ? decoded_.trace.modules[module.value].bias : 0;
    path.frames.push_back({module, frame.address - bias, row.stack + frame.offset});
  }
  // Each lane has paths of its own. The first path gives a site's callers.
  std::vector<DecodedFrame>& callers = decoded_.site_extras[site].callers;
  if (callers.empty()) callers = path.frames;
  // The outermost frames of a path that was cut are not known, nor is what two such paths share.
  if ((row.head.flags & spool::kPathCut) != 0) return;
  lane_.paths[row.id] = static_cast<std::uint32_t>(decoded_.paths.size());
  decoded_.paths.push_back(std::move(path));
}

void Decoder::add_symbol(const spool::OffloadEntry& row, const Record& record) {
  if (row.flags == spool::kEntryRequires) {
    const bool unified = (row.size & spool::kUnifiedSharedMemory) != 0;
    if (unified) decoded_.trace.recording.unified_shared_memory = true;
    return;
  }
  const auto name = record.tail<spool::OffloadEntry>(row.name_size);
  if (name.empty()) return;
  decoded_.symbols.push_back(
      {{find(lane_.modules, row.module)}, unless_endless(text_of(name)), row.address, row.size});
}

void Decoder::add_mapper_name(const spool::MapperName& row, const Record& record) {
  lane_.names[row.id] = static_cast<std::uint32_t>(decoded_.mapper_names.size());
  decoded_.mapper_names.push_back(
      unless_endless(text_of(record.tail<spool::MapperName>(row.size))));
}

void Decoder::add_mapper_piece(const spool::MapperPiece& row) {
  const std::uint32_t name = find(lane_.names, row.name);
  if (lane_.open.empty() || name == kNoList) return void(++unreadable);
  const std::uint32_t region = lane_.open.back().row;
  decoded_.mapper_pieces.push_back({{region}, row.begin, row.size, row.type, name});
  ++decoded_.trace.regions.rare_of(region).components;
}

void Decoder::add_mapped_pointer(const spool::MappedPointer& row) {
  decoded_.trace.mapped_pointers.push_back({device_number(row.device), row.host});
}

void Decoder::add_device(const spool::Device& row, const Record& record) {
  const auto what = static_cast<spool::DeviceEvent>(row.head.flags);
  const std::int32_t number = device_number(row.number);
  DeviceEvent event{DeviceEvent::Kind::kInitialize, number, time(row.ticks), row.bytes};
  if (what == spool::DeviceEvent::kFinalize) event.kind = DeviceEvent::Kind::kFinalize;
  if (what == spool::DeviceEvent::kLoad) event.kind = DeviceEvent::Kind::kLoad;
  decoded_.trace.device_events.push_back(event);
  if (what != spool::DeviceEvent::kInitialize) return;
  // Devices initialise again after the last target library was unloaded: one row each.
  auto& devices = decoded_.trace.devices;
  if (std::ranges::find(devices, number, &Device::number) != devices.end()) return;
  devices.push_back({number, text_of(record.tail<spool::Device>(row.text_size)), ""});
}

void Decoder::begin_example(std::uint32_t example) {
  const std::uint32_t real = thread();
  const auto next = static_cast<std::uint32_t>(decoded_.aggregates.size());
  const auto [at, is_new] = examples_.try_emplace({lane_.number, example}, next);
  if (is_new) {
    decoded_.aggregates.emplace_back().thread = real;
  } else {
    ++unreadable;  // two of one number: whose the aggregate is cannot be told
  }
  example_ = kFirstExample + at->second;
}

void Decoder::add_aggregate(const spool::Aggregate& row) {
  if (row.head.flags > static_cast<std::uint8_t>(spool::AggregateOf::kLaunch)) {
    return void(++unreadable);
  }
  aggregates_.push_back(row);
}

void Decoder::add_activity_aggregate(const spool::ActivityAggregate& row) {
  if (row.aggregate.head.flags > static_cast<std::uint8_t>(spool::ActivityAggregateOf::kMemory)) {
    return void(++unreadable);
  }
  activity_aggregates_.push_back(row);
}

namespace {

Distribution distribution_of(const spool::Quantities& told) {
  Distribution times;
  times.count = told.count;
  times.sum = told.sum;
  times.squares_low = told.squares_low;
  times.squares_high = told.squares_high;
  if (times.count != 0) times.least = told.least;
  times.most = told.most;
  static_assert(sizeof(times.bins) == sizeof(told.bins));
  std::memcpy(times.bins.data(), told.bins, sizeof(told.bins));
  return times;
}

}  // namespace

// The chunks of a lane's aggregates may come before the lane.
void Decoder::tie_aggregates() {
  for (const spool::Aggregate& aggregate : aggregates_) {
    const auto example = examples_.find({aggregate.lane, aggregate.example});
    if (example == examples_.end()) {
      ++unreadable;
      continue;
    }
    AggregateExtra& extra = decoded_.aggregates[example->second];
    extra.is_known = true;
    extra.of = static_cast<spool::AggregateOf>(aggregate.head.flags);
    extra.calls = aggregate.calls;
    extra.bytes = aggregate.bytes;
    extra.least_bytes = aggregate.least_bytes;
    extra.most_bytes = aggregate.most_bytes;
    extra.times = distribution_of(aggregate.times);
  }
}

void Decoder::tie_activity_aggregates() {
  for (const spool::ActivityAggregate& aggregate : activity_aggregates_) {
    const spool::Aggregate& sums = aggregate.aggregate;
    if (sums.times.count == 0) continue;  // made, and killed before it was used
    ActivityAggregateExtra extra;
    if (static_cast<spool::ActivityAggregateOf>(sums.head.flags) ==
        spool::ActivityAggregateOf::kKernel) {
      extra.row.like = activity_of(aggregate.kernel);
      extra.name = find_activity_name(sums.lane, aggregate.kernel.name);
    } else {
      extra.row.like = activity_of(aggregate.memory);
    }
    const auto owner = examples_.find({aggregate.owner_lane, aggregate.owner});
    if (aggregate.owner != 0 && owner != examples_.end()) extra.owner = owner->second;
    extra.row.bytes = sums.bytes;
    extra.row.least_bytes = sums.least_bytes;
    extra.row.most_bytes = sums.most_bytes;
    extra.row.times = distribution_of(sums.times);
    decoded_.activity_aggregates.push_back(extra);
  }
}

}  // namespace ompdm::trace
