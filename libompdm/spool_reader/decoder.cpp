// Spool blocks to the rows of a decoded trace.
#include "spool_reader/decoder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "spool_format/activities.h"
#include "spool_format/aggregates.h"
#include "spool_format/definitions.h"
#include "spool_reader/passes.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::trace {

static_assert(kMostMapItems == spool::kMostItems);

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

namespace {

// CUpti_ActivityMemoryKind; static kinds are what they are without.
constexpr std::array kMemoryKinds = {
    MemoryKind::kUnknown, MemoryKind::kPageable, MemoryKind::kPinned, MemoryKind::kDevice,
    MemoryKind::kArray,   MemoryKind::kManaged,  MemoryKind::kDevice, MemoryKind::kManaged};
// CUpti_ActivityMemcpyKind: unknown, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP.
constexpr std::array kCopyKinds = {ActivityKind::kDtoD, ActivityKind::kHtoD, ActivityKind::kDtoH,
                                   ActivityKind::kHtoD, ActivityKind::kDtoH, ActivityKind::kDtoD,
                                   ActivityKind::kDtoD, ActivityKind::kDtoD, ActivityKind::kDtoD,
                                   ActivityKind::kHtoH, ActivityKind::kDtoD};
// CUpti_ActivitySynchronizationType.
constexpr std::array kWaitKinds = {SynchronizationKind::kUnknown, SynchronizationKind::kEvent,
                                   SynchronizationKind::kStreamWaitEvent,
                                   SynchronizationKind::kStream, SynchronizationKind::kContext};

// The kind of a number of CUPTI's; a number that is not known has the first.
auto kind_of(const auto& kinds, std::uint8_t number) {
  return kinds[number < kinds.size() ? number : 0];
}

Distribution distribution_of(const spool::Quantities& told) {
  const std::uint64_t least = told.count != 0 ? told.least : Distribution().least;
  Distribution times{told.count, told.sum, told.squares_low, told.squares_high, least,
                     told.most,  {}};
  static_assert(sizeof(times.bins) == sizeof(told.bins));
  std::memcpy(times.bins.data(), told.bins, sizeof(told.bins));
  return times;
}

// Identifies a site in all thread buffers.
using SiteKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, spool::Entry,
                           std::string, std::vector<std::string>>;

/// Adds an event's differences to the last values (spool_format/stream.h).
template <std::size_t Count>
void add_differences(std::uint64_t (&last)[Count], const std::uint64_t* differences) {
  for (std::size_t i = 0; i < Count; ++i) last[i] += differences[i];
}

/// Allocates zeroed memory that lives as long as this.
class Arena {
 public:
  void* operator()(std::size_t size) {
    return blocks_.emplace_back(std::make_unique<std::uint64_t[]>((size + 7) / 8)).get();
  }

 private:
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
};

/// Turns records into rows, thread buffer after thread buffer.
class Decoder {
 public:
  explicit Decoder(const ClockScale& clock) : clock_(clock) {}

  DecodedTrace run(SpoolFile& file) {
    reserve(file);
    const Prefault prefault(room());
    std::uint64_t last_ticks = std::max(file.header().attach.ticks, file.header().trailer.ticks);
    const Chunk* previous = nullptr;
    for (const Chunk& chunk : file.chunks()) {
      if (previous == nullptr || previous->buffer != chunk.buffer) {
        begin_buffer(chunk.buffer);
      } else if (chunk.sequence != previous->sequence + 1) {
        skip();
      }
      previous = &chunk;
      ++buffer_.chunks;
      buffer_.instant = chunk.first.ticks;
      buffer_.api = {};
      RecordCursor cursor(file.records(chunk));
      for (auto found = cursor.next(); found != RecordCursor::Found::kEnd; found = cursor.next()) {
        found == RecordCursor::Found::kRecord ? add(cursor.record()) : add(cursor.event());
      }
      if (cursor.damaged()) {
        ++unreadable_;
        skip();
      }
      last_ticks = std::max({last_ticks, chunk.first.ticks, chunk.last.ticks});
    }
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
    decoded_.trace.losses.push_back({"records_unreadable", unreadable_});
    decoded_.trace.losses.push_back({"chunks_unreadable", file.unreadable_chunks()});
    return std::move(decoded_);
  }

 private:
  void begin_buffer(spool::BufferId buffer) {
    leave_open();
    buffer_ = {};
    sample_ = kNoList;
    buffer_.number = buffer;
    buffer_.first_op = decoded_.trace.ops.size();
    thread_ = kNoList;
  }

  /// Records are missing here, ends of regions perhaps. No event refers back across this point.
  void skip() {
    buffer_.first_op = decoded_.trace.ops.size();
    lose_open();
  }

  // Reserves room for the rows of the spool: columns that grow as they are filled are copied, and
  // touch twice the memory. Of many chunks some tell how much the others hold. A thread buffer of
  // activities begins with CUPTI's clock.
  void reserve(SpoolFile& file) {
    constexpr std::size_t kAllOf = 32;
    constexpr std::size_t kStep = 8;
    const std::vector<Chunk>& chunks = file.chunks();
    const std::size_t step = chunks.size() <= kAllOf ? 1 : kStep;
    std::size_t regions = 0;
    std::size_t ops = 0;
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i % step != 0 && chunks[i].buffer == chunks[i - 1].buffer) continue;
      ++looked_at;
      RecordCursor cursor(file.records(chunks[i]));
      for (auto found = cursor.next(); found != RecordCursor::Found::kEnd; found = cursor.next()) {
        if (found == RecordCursor::Found::kRecord) {
          const spool::Tag tag = cursor.record().tag();
          if (tag == spool::Tag::kFallback) ++regions;
          if (tag == spool::Tag::kCuptiClock || tag == spool::Tag::kExternalId)
            has_externals_ = true;
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

  // That room, without the margin of an estimate: the rows will fill nearly all of it.
  std::vector<std::span<std::byte>> room() {
    const auto of = [](auto& column) {
      return std::as_writable_bytes(std::span(column.data(), column.capacity()));
    };
    std::vector<std::span<std::byte>> room = {decoded_.trace.regions.room(),
                                              of(decoded_.region_extras), decoded_.trace.ops.room(),
                                              of(decoded_.op_extras)};
    for (auto& one : room) one = one.first(one.size() - one.size() / 16);
    return room;
  }

  // A record of another tag is of a later minor addition. It is skipped by its size.
  void add(const Record& record) {
    using spool::Tag;
    const Tag tag = record.tag();
    const auto on = [&](Tag wanted, auto add_one) {
      if (tag == wanted) add_row(record, add_one);
    };
    on(Tag::kBufferThread, &Decoder::add_thread);
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
    on(Tag::kBlockTouch, &Decoder::add_touch);
    on(Tag::kBadAccess, &Decoder::add_bad_access);
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

  void add(const RawEvent& event) {
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

  // Ids of one thread buffer, to positions in the decoded trace's columns.
  template <class Id>
  using Positions = std::unordered_map<Id, std::uint32_t>;

  /// The last region of a context, and its rows.
  struct Context {
    spool::DeltaState last{};
    std::uint32_t chunk = 0;      // that `last` is of
    std::uint32_t row = kNoList;  // of regions; none: it has changed since
    std::uint32_t list = kNoList;
  };
  struct OpenRegion {
    std::uint32_t row;
    Context* context;
    spool::OpCursor ops;
  };

  struct BufferIds {
    Positions<spool::ModuleId> modules;
    Positions<spool::SiteId> sites;
    Positions<spool::MapperNameId> names;
    Positions<spool::PathId> paths;
    std::unordered_map<std::uint64_t, Context> contexts;
    Context* latest = nullptr;  // the context of number `latest_number`
    std::uint64_t latest_number = 0;
    Arena arena;
    spool::BufferId number{};
    std::uint32_t chunks = 0;
    std::uint64_t instant = 0;  // ticks, that the next event counts from
    struct {
      std::array<std::uint64_t, 5> op;
      std::array<std::uint64_t, 3> call;
    } api{};
    std::uint64_t last_call = 0;  // of the last API operation
    std::vector<OpenRegion> open;
    std::uint32_t last_region = kNoList;
    std::uint32_t closed = kNoList;        // the region that ended last
    std::uint32_t launch = kNoList;        // that runs
    std::uint32_t ended_launch = kNoList;  // that ended last
    std::size_t first_op = 0;  // the thread buffer's, or the first after some that are missing
  };

  /// Adds a record's fixed part, and the record where its texts are needed.
  template <class Row, class... Whole>
  void add_row(const Record& record, void (Decoder::*add_one)(const Row&, const Whole&...)) {
    const auto row = record.as<Row>();
    row ? (this->*add_one)(*row, static_cast<const Whole&>(record)...) : void(++unreadable_);
  }

  [[nodiscard]] std::uint64_t external(std::uint64_t begin) const {
    return spool::external_id(buffer_.number, begin);
  }

  // A damaged record may have any number, and each device takes memory: numbers beyond those of any
  // machine are unknown.
  std::int32_t device_number(std::int64_t number) {
    constexpr std::int64_t kMostDevices = 1024;
    if (number >= -kMostDevices && number < kMostDevices) return static_cast<std::int32_t>(number);
    ++unreadable_;
    return -1;
  }

  template <class Id>
  static std::uint32_t find(const Positions<Id>& ids, Id id) {
    const auto at = ids.find(id);
    return at == ids.end() ? kNoList : at->second;
  }
  [[nodiscard]] std::uint32_t find_activity_name(spool::BufferId buffer,
                                                 spool::ActivityNameId id) const {
    const auto at = activity_names_.find({buffer, id});
    return at == activity_names_.end() ? kNoList : at->second;
  }

  std::uint32_t thread() {
    if (sample_ != kNoList) return sample_;
    if (thread_ == kNoList) thread_ = thread_of(0);
    return thread_;
  }
  std::uint32_t thread_of(std::uint32_t tid) {
    auto& threads = decoded_.trace.threads;
    const auto [at, is_new] = threads_.emplace(tid, static_cast<std::uint32_t>(threads.size()));
    if (is_new) threads.push_back({tid});
    return at->second;
  }

  // The last row repeats a row of its thread buffer, perhaps of a thread that has ended.
  template <class Row>
  void take_thread(DedupColumn<Row>& rows) {
    if (rows.common(rows.size() - 1).thread != thread()) rows.edit_back()->thread = thread();
  }
  Nanoseconds time(std::uint64_t ticks) {
    const Nanoseconds time = clock_.at(ticks);
    last_ = std::max(last_, time);
    return time;
  }
  // No compiler writes longer names. Each operation would be compared with one, and have it in the
  // trace.
  std::string unless_endless(std::string name) {
    constexpr std::size_t kLongestName = 8192;  // a path and an expression
    if (name.size() <= kLongestName) return name;
    ++unreadable_;
    return {};
  }

  void add_thread(const spool::BufferThread& row) {
    thread_ = thread_of(row.tid);
    leave_open();
  }

  void add_module(const spool::Module& row, const Record& record) {
    const auto tail = record.tail<spool::Module>(std::uint64_t{row.build_id_size} + row.path_size);
    const auto id_size = std::min<std::size_t>(row.build_id_size, tail.size());
    Module module{text_of(tail.subspan(id_size)), hex_of(tail.first(id_size)), row.bias};
    auto& modules = decoded_.trace.modules;
    const auto [at, is_new] =
        modules_.emplace(std::tuple(module.path, module.build_id, module.bias),
                         static_cast<std::uint32_t>(modules.size()));
    if (is_new) {
      modules.push_back(std::move(module));
      decoded_.module_ranges.push_back({row.begin, row.end});
    }
    buffer_.modules[row.id] = at->second;
  }

  void add_site(const spool::Site& row, const Record& record) {
    auto texts = texts_of(record.tail<spool::Site>(row.text_size), std::size_t{1} + row.name_count);
    for (std::string& text : texts) text = unless_endless(std::move(text));
    std::string psource;
    if (!texts.empty()) {
      psource = std::move(texts.front());
      texts.erase(texts.begin());
    }
    const std::uint32_t module = find(buffer_.modules, row.module);
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
    buffer_.sites[row.id] = at->second;
  }

  void add_path(const spool::Path& row, const Record& record) {
    const std::uint32_t site = find(buffer_.sites, row.site);
    if (site == Index<Site>::kNone) return void(++unreadable_);
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
      const Index<Module> module{find(buffer_.modules, frame.module)};
      const std::uint64_t bias = module ? decoded_.trace.modules[module.value].bias : 0;
      path.frames.push_back({module, frame.address - bias, row.stack + frame.offset});
    }
    // Each thread buffer has paths of its own. The first path gives a site's callers.
    std::vector<DecodedFrame>& callers = decoded_.site_extras[site].callers;
    if (callers.empty()) callers = path.frames;
    // The outermost frames of a path that was cut are not known, nor is what two such paths share.
    if ((row.head.flags & spool::kPathCut) != 0) return;
    buffer_.paths[row.id] = static_cast<std::uint32_t>(decoded_.paths.size());
    decoded_.paths.push_back(std::move(path));
  }

  void add_symbol(const spool::OffloadEntry& row, const Record& record) {
    if (row.flags == spool::kEntryRequires) {
      const bool unified = (row.size & spool::kUnifiedSharedMemory) != 0;
      if (unified) decoded_.trace.recording.unified_shared_memory = true;
      return;
    }
    const auto name = record.tail<spool::OffloadEntry>(row.name_size);
    if (name.empty()) return;
    decoded_.symbols.push_back({{find(buffer_.modules, row.module)},
                                unless_endless(text_of(name)),
                                row.address,
                                row.size});
  }

  void add_mapper_name(const spool::MapperName& row, const Record& record) {
    buffer_.names[row.id] = static_cast<std::uint32_t>(decoded_.mapper_names.size());
    decoded_.mapper_names.push_back(
        unless_endless(text_of(record.tail<spool::MapperName>(row.size))));
  }

  void add_mapper_piece(const spool::MapperPiece& row) {
    const std::uint32_t name = find(buffer_.names, row.name);
    if (buffer_.open.empty() || name == kNoList) return void(++unreadable_);
    const std::uint32_t region = buffer_.open.back().row;
    decoded_.mapper_pieces.push_back({{region}, row.begin, row.size, row.type, name});
    ++decoded_.trace.regions.rare_of(region).components;
  }

  void add_mapped_pointer(const spool::MappedPointer& row) {
    decoded_.trace.mapped_pointers.push_back({device_number(row.device), row.host});
  }

  void add_device(const spool::Device& row, const Record& record) {
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

  void add_touch(const spool::BlockTouch& row) {
    if (buffer_.ended_launch == kNoList) return void(++unreadable_);
    const auto has = [&](unsigned bit) { return (row.head.flags & bit) != 0; };
    decoded_.trace.block_touches.push_back({{buffer_.ended_launch},
                                            row.block,
                                            has(spool::kTouchRead),
                                            has(spool::kTouchWritten),
                                            has(spool::kTouchReadFirst),
                                            has(spool::kTouchUnknown),
                                            row.host_content});
  }

  void add_bad_access(const spool::BadAccess& row) {
    const unsigned of = row.head.flags >> 1U;
    if (of >= static_cast<unsigned>(spool::BadAccessOf::kCount)) return void(++unreadable_);
    decoded_.trace.bad_accesses.push_back({static_cast<BadAccess::Of>(of),
                                           (row.head.flags & 1U) != 0, time(row.ticks), row.block,
                                           row.bytes, row.offset});
  }

  void add_deferral(const spool::Deferral& row) {
    deferrals_[{buffer_.number, row.id}] = {
        {find(buffer_.paths, row.path)}, thread(), time(row.ticks)};
  }

  void add_deferred_region(const spool::DeferredRegion& row) {
    if (buffer_.last_region == kNoList) return void(++unreadable_);
    deferred_.push_back({buffer_.last_region, {row.buffer, row.deferral}});
  }

  // The thread buffer that made a task may come after the one that ran it.
  void tie_deferred_regions() {
    for (const auto& [region, key] : deferred_) {
      const auto made = deferrals_.find(key);
      if (made == deferrals_.end()) {
        ++unreadable_;
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

  void add_fallback(const spool::Fallback& row, const Record& record) {
    std::uint64_t sample = 0;
    const auto number = record.tail<spool::Fallback>(sizeof(sample));
    if (number.size() == sizeof(sample)) std::memcpy(&sample, number.data(), sizeof(sample));
    if (sample != 0) begin_sample(static_cast<std::uint32_t>(sample));
    Region region;
    region.site = {find(buffer_.sites, row.site)};
    region.thread = thread();
    if (sample != 0) sample_ = kNoList;
    region.begin = region.end = time(row.ticks);
    region.host_fallback = true;
    region.device = static_cast<std::int32_t>(row.head.flags) - 1;
    decoded_.trace.regions.push_back(region);
    decoded_.region_extras.push_back({1, false});
    if (has_externals_) decoded_.region_externals.push_back(0);
  }

  // Mostly the same context as the last time.
  [[nodiscard]] Context& context_of(std::uint64_t number) {
    if (buffer_.latest == nullptr || buffer_.latest_number != number) {
      buffer_.latest = &buffer_.contexts[number];
      buffer_.latest_number = number;
    }
    return *buffer_.latest;
  }

  // A context's last values are of one chunk.
  Context& known(Context& context) const {
    if (context.chunk == buffer_.chunks) return context;
    spool::forget(context.last);
    context.chunk = buffer_.chunks;
    context.row = context.list = kNoList;
    return context;
  }

  // Lists that are equal are one row.
  std::uint32_t list_of(const Context& context) {
    const std::uint32_t count = context.last.item_count;
    if (count == 0) return kNoList;
    std::vector<std::array<std::uint64_t, 4>> items(count);
    std::memcpy(items.data(), context.last.items, count * sizeof(items[0]));
    const std::uint32_t site =
        find(buffer_.sites, static_cast<spool::SiteId>(context.last.context[spool::kContextSite]));
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

  void tell(Context& context, const RawEvent& event) {
    const auto count = static_cast<std::uint32_t>(event.items.size());
    add_differences(context.last.context, event.fields);
    spool::make_item_room(context.last, count, buffer_.arena);
    spool::set_item_count(context.last, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      add_differences(context.last.items[i], event.items[i].data());
    }
    context.row = kNoList;
    context.list = list_of(context);
  }

  void begin_region(const RawEvent& event) {
    constexpr std::uint8_t kNowaitForms = 8;  // ompt_target_nowait = ompt_target + 8, and so on
    Context& context = known(context_of(event.second));
    if (event.has_fields) {
      tell(context, event);
    } else if (context.row == kNoList) {
      ++unreadable_;  // the region is added without fields, so that its end finds it
    }
    const std::uint64_t begin = buffer_.instant += event.first;
    const auto& told = context.last.context;
    const auto sample =
        static_cast<std::uint32_t>(told[spool::kContextKind] >> spool::kRegionSampleAt);
    if (sample != 0) begin_sample(sample);
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
      region.site = {find(buffer_.sites, static_cast<spool::SiteId>(told[spool::kContextSite]))};
      region.path = {find(buffer_.paths, static_cast<spool::PathId>(told[spool::kContextPath]))};
      region.thread = thread();
      region.device = device_number(static_cast<std::int64_t>(told[spool::kContextDevice]));
      region.begin = region.end = at;
      region.map_list = context.list;
      region.nowait = is_nowait;
      decoded_.trace.regions.push_back(region);
    }
    context.row = row;
    buffer_.last_region = row;
    if (!from_wrapper) return buffer_.open.push_back({row, &context, {}});
    sample_ = kNoList;
  }

  void end_innermost() {
    auto& regions = decoded_.trace.regions;
    const std::uint32_t row = buffer_.open.back().row;
    regions.set_times(row, regions.begin_of(row), time(buffer_.instant));
  }

  // The hashing time of a region is also a part of the time of the regions around it.
  void close_region() {
    auto& regions = decoded_.trace.regions;
    const std::uint32_t row = buffer_.open.back().row;
    buffer_.closed = row;
    buffer_.open.pop_back();
    sample_ = kNoList;  // a sample ends with its region
    const Nanoseconds inner = regions.rare(row).hashing;
    if (!buffer_.open.empty() && inner != 0) {
      regions.rare_of(buffer_.open.back().row).hashing += inner;
    }
  }

  void end_region(const RawEvent& event) {
    buffer_.instant += event.first;
    if (buffer_.open.empty()) return void(++unreadable_);
    end_innermost();
    close_region();
  }

  void leave_launch() {
    if (buffer_.launch != kNoList) open_launches_.push_back(buffer_.launch);
    buffer_.launch = kNoList;
  }

  // Regions and launches that are open at the end of the thread buffer run until the recording
  // ends.
  void leave_open() {
    for (; !buffer_.open.empty(); close_region()) open_regions_.push_back(buffer_.open.back().row);
    leave_launch();
  }

  // The ends of open regions may be among the missing records: their known time ends here.
  void lose_open() {
    for (; !buffer_.open.empty(); close_region()) {
      decoded_.trace.regions.edit(buffer_.open.back().row)->unfinished = true;
      end_innermost();
    }
    buffer_.closed = kNoList;
    buffer_.ended_launch = kNoList;
    leave_launch();
  }

  DataOp op_of(const std::uint64_t* fields) {
    DataOp op;
    op.thread = thread();
    op.src = fields[spool::kOpSrc];
    op.dst = fields[spool::kOpDst];
    op.bytes = fields[spool::kOpBytes];
    op.src_device = device_number(static_cast<std::int32_t>(fields[spool::kOpDevices]));
    op.dst_device = device_number(static_cast<std::int32_t>(fields[spool::kOpDevices] >> 32U));
    op.kind = kind_of_optype(static_cast<std::uint16_t>(fields[spool::kOpWhat]));
    return op;
  }

  void add_op_row(const DataOp& op, const std::uint64_t* fields, std::uint64_t begin,
                  spool::CallId call) {
    const std::uint64_t what = fields[spool::kOpWhat];
    decoded_.trace.ops.push_back(op);
    decoded_.op_extras.push_back({call, static_cast<std::uint16_t>(what),
                                  static_cast<std::uint16_t>(what >> 16U), op.src_device < 0});
    if (has_externals_) decoded_.op_externals.push_back({external(begin)});
  }

  void add_op(const RawEvent& event) {
    const std::uint64_t begin = buffer_.instant += event.first;
    const std::uint64_t end = buffer_.instant += event.second;
    if (buffer_.open.empty()) return void(++unreadable_);
    OpenRegion& open = buffer_.open.back();
    Context& context = known(*open.context);
    const spool::OpCursor::Place place = open.ops.next(context.last, buffer_.arena);
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

  void add_api_op(const RawEvent& event) {
    const std::uint64_t begin = buffer_.instant += event.first;
    const std::uint64_t end = buffer_.instant += event.second;
    auto& [fields, call] = buffer_.api;
    if (event.has_fields) {
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += event.fields[i];
      for (std::size_t i = 0; i < call.size(); ++i) call[i] += event.api[i];
    }
    const auto sample = static_cast<std::uint32_t>(fields[spool::kOpWhat] >> spool::kOpSampleAt);
    if (sample != 0) begin_sample(sample);
    DataOp op = op_of(fields.data());
    op.site = {find(buffer_.sites, static_cast<spool::SiteId>(call[spool::kApiSite]))};
    if (call[spool::kApiCall] != 0) {
      op.path = {find(buffer_.paths, static_cast<spool::PathId>(call[spool::kApiPath]))};
    }
    if (call[spool::kApiCall] != buffer_.last_call) ++calls_;
    buffer_.last_call = call[spool::kApiCall];
    op.call = call[spool::kApiCall] == 0 ? 0 : calls_;
    op.begin = time(begin);
    op.end = time(end);
    add_op_row(op, fields.data(), begin, static_cast<spool::CallId>(call[spool::kApiCall]));
    sample_ = kNoList;
  }

  // The time of hashing is added to the open region, and to those around it when it closes. So an
  // event costs the same, however many regions are open.
  void add_content(const RawEvent& event) {
    if ((event.content[spool::kContentFlags] & spool::kContentUnsent) != 0) {
      return add_unsent(event);
    }
    auto& ops = decoded_.trace.ops;
    const std::uint64_t back = event.first;
    if (!event.has_fields || back == 0 || back > ops.size() - buffer_.first_op) {
      return void(++unreadable_);
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
    if (!buffer_.open.empty()) regions.rare_of(buffer_.open.back().row).hashing += taken;
  }

  void add_unsent(const RawEvent& event) {
    Trace& trace = decoded_.trace;
    const std::uint32_t region = buffer_.closed;
    const std::uint32_t list = region == kNoList ? kNoList : trace.regions.common(region).map_list;
    const std::uint64_t count = list == kNoList ? 0 : trace.map_lists[list].size();
    if (!event.has_fields || event.first == 0 || event.first > count) return void(++unreadable_);
    const MapItem& item = trace.map_lists[list][event.first - 1];
    trace.unsent_items.push_back(
        {{region}, item.begin, item.bytes, event.content[spool::kContentFingerprint]});
    hashing_ticks_ += event.second;
    const Nanoseconds taken = clock_.duration(event.second);
    trace.regions.rare_of(region).hashing_after += taken;
    if (!buffer_.open.empty()) trace.regions.rare_of(buffer_.open.back().row).hashing += taken;
  }

  void begin_launch(const RawEvent& event) {
    const std::uint64_t begin = buffer_.instant += event.first;
    const bool is_in_region = event.second != 0 && !buffer_.open.empty();
    if (event.second != 0 && buffer_.open.empty()) ++unreadable_;
    spool::LaunchFields none{};
    Launch launch;
    if (is_in_region) {
      (void)known(*buffer_.open.back().context);
      launch.region = {buffer_.open.back().row};
      const Region region = decoded_.trace.regions.common(launch.region.value);
      launch.site = region.site;
      launch.device = region.device;
    }
    auto& fields = is_in_region ? buffer_.open.back().context->last.launch : none;
    if (event.has_fields) add_differences(fields, event.fields);
    launch.thread = thread();
    launch.begin = time(begin);
    launch.end = launch.begin;
    launch.requested_teams = static_cast<std::uint32_t>(fields[spool::kLaunchRequestedTeams]);
    launch.num_teams = static_cast<std::uint32_t>(fields[spool::kLaunchTeams]);
    launch.thread_limit = static_cast<std::uint32_t>(fields[spool::kLaunchThreadLimit]);
    launch.trip_count = fields[spool::kLaunchTripCount];
    leave_launch();
    buffer_.launch = static_cast<std::uint32_t>(decoded_.trace.launches.size());
    decoded_.trace.launches.push_back(launch);
    decoded_.launch_kernels.push_back(fields[spool::kLaunchKernel]);
    if (has_externals_) decoded_.launch_externals.push_back(external(begin));
  }

  void end_launch(const RawEvent& event) {
    buffer_.instant += event.first;
    if (buffer_.launch == kNoList) return void(++unreadable_);
    auto& launches = decoded_.trace.launches;
    launches.set_times(buffer_.launch, launches.begin_of(buffer_.launch), time(buffer_.instant));
    buffer_.ended_launch = buffer_.launch;
    buffer_.launch = kNoList;
  }

  [[nodiscard]] bool is_open(std::uint32_t region) const {
    return std::ranges::find(buffer_.open, region, &OpenRegion::row) != buffer_.open.end();
  }

  void begin_sample(std::uint32_t sample) {
    const std::uint32_t real = thread();
    const auto next = static_cast<std::uint32_t>(decoded_.aggregates.size());
    const auto [at, is_new] = samples_.try_emplace({buffer_.number, sample}, next);
    // If two samples have one number, it is not known whose the aggregate is.
    is_new ? void(decoded_.aggregates.emplace_back().thread = real) : void(++unreadable_);
    sample_ = kFirstSample + at->second;
  }

  void add_aggregate(const spool::Aggregate& row) { aggregates_.push_back(row); }
  void add_activity_aggregate(const spool::ActivityAggregate& row) {
    activity_aggregates_.push_back(row);
  }

  // The chunks of a thread buffer's aggregates may come before the thread buffer.
  void tie_aggregates() {
    for (const spool::Aggregate& aggregate : aggregates_) {
      const auto sample = samples_.find({aggregate.buffer, aggregate.sample});
      const auto of = static_cast<spool::AggregateOf>(aggregate.head.flags);
      if (sample == samples_.end() || of > spool::AggregateOf::kLaunch) {
        ++unreadable_;
        continue;
      }
      AggregateExtra& extra = decoded_.aggregates[sample->second];
      extra.is_known = true;
      extra.of = of;
      extra.calls = aggregate.calls;
      extra.bytes = aggregate.bytes;
      extra.least_bytes = aggregate.least_bytes;
      extra.most_bytes = aggregate.most_bytes;
      extra.times = distribution_of(aggregate.times);
    }
  }

  void tie_activity_aggregates() {
    for (const spool::ActivityAggregate& aggregate : activity_aggregates_) {
      const spool::Aggregate& sums = aggregate.aggregate;
      const auto of = static_cast<spool::ActivityAggregateOf>(sums.head.flags);
      if (of > spool::ActivityAggregateOf::kMemory) ++unreadable_;
      // Without a count it was made, and the process killed before it was used.
      if (of > spool::ActivityAggregateOf::kMemory || sums.times.count == 0) continue;
      ActivityAggregateExtra extra;
      if (of == spool::ActivityAggregateOf::kKernel) {
        extra.row.like = activity_of(aggregate.kernel);
        extra.name = find_activity_name(sums.buffer, aggregate.kernel.name);
      } else {
        extra.row.like = activity_of(aggregate.memory);
      }
      const auto owner = samples_.find({aggregate.owner_buffer, aggregate.owner});
      if (aggregate.owner != 0 && owner != samples_.end()) extra.owner = owner->second;
      extra.row.bytes = sums.bytes;
      extra.row.least_bytes = sums.least_bytes;
      extra.row.most_bytes = sums.most_bytes;
      extra.row.times = distribution_of(sums.times);
      decoded_.activity_aggregates.push_back(extra);
    }
  }

  void add_activity_name(const spool::ActivityName& row, const Record& record) {
    activity_names_[{buffer_.number, row.id}] =
        static_cast<std::uint32_t>(decoded_.activity_names.size());
    decoded_.activity_names.push_back(text_of(record.tail<spool::ActivityName>(row.size)));
  }

  /// What records of all activities have.
  DeviceActivity activity_of(ActivityKind kind, const auto& row) {
    DeviceActivity activity;
    activity.kind = kind;
    activity.device = device_number(row.device);
    activity.stream = row.stream;
    activity.context = row.context;
    activity.correlation = row.correlation;
    activity.begin = static_cast<Nanoseconds>(row.begin);
    activity.end = static_cast<Nanoseconds>(row.end);
    return activity;
  }

  DeviceActivity activity_of(const spool::KernelActivity& row) {
    DeviceActivity activity = activity_of(ActivityKind::kKernel, row);
    activity.grid = {row.grid_x, row.grid_y, row.grid_z};
    activity.block = {row.block[0], row.block[1], row.block[2]};
    activity.registers = row.registers;
    activity.static_shared = row.static_shared;
    activity.dynamic_shared = row.dynamic_shared;
    return activity;
  }

  DeviceActivity activity_of(const spool::MemoryActivity& row) {
    const auto work = static_cast<spool::MemoryWork>(row.head.flags);
    const bool is_memset = work == spool::MemoryWork::kMemset;
    DeviceActivity activity =
        activity_of(is_memset ? ActivityKind::kMemset : kind_of(kCopyKinds, row.copy_kind), row);
    activity.source = kind_of(kMemoryKinds, row.source_kind);
    activity.destination = kind_of(kMemoryKinds, row.destination_kind);
    if (work == spool::MemoryWork::kPeerCopy) {
      activity.source_device = device_number(row.source_device);
      activity.destination_device = device_number(row.destination_device);
    }
    activity.bytes = row.bytes;
    return activity;
  }

  void add_kernel_activity(const spool::KernelActivity& row) {
    decoded_.trace.activities.push_back(activity_of(row));
    decoded_.names_of_activities.push_back(find_activity_name(buffer_.number, row.name));
  }

  void add_memory_activity(const spool::MemoryActivity& row) {
    decoded_.trace.activities.push_back(activity_of(row));
    decoded_.names_of_activities.push_back(kNoList);
  }

  void add_external_id(const spool::ExternalId& row) {
    decoded_.external_ids[row.correlation] = row.id;
  }

  void add_synchronization(const spool::Synchronization& row) {
    constexpr std::uint32_t kNoStream = 0xffffffff;
    Synchronization wait;
    wait.kind = kind_of(kWaitKinds, row.head.flags);
    wait.context = row.context;
    wait.stream = row.stream == kNoStream ? 0 : row.stream;
    wait.correlation = row.correlation;
    wait.begin = static_cast<Nanoseconds>(row.begin);
    wait.end = static_cast<Nanoseconds>(row.end);
    decoded_.trace.synchronizations.push_back(wait);
  }

  void add_cupti_clock(const spool::CuptiClock& row) { decoded_.cupti_clock.push_back(row); }

  void add_cuda_device(const spool::CudaDevice& row, const Record& record) {
    Device device;
    device.type = "sm_" + std::to_string(row.compute_capability);
    device.name = text_of(record.tail<spool::CudaDevice>(row.size));
    device.multiprocessors = row.multiprocessors;
    device.threads_per_multiprocessor = row.threads_per_multiprocessor;
    device.blocks_per_multiprocessor = row.blocks_per_multiprocessor;
    device.registers_per_multiprocessor = row.registers_per_multiprocessor;
    device.shared_per_multiprocessor = row.shared_per_multiprocessor;
    const std::int32_t number = device_number(row.number);
    const std::int32_t ordinal = device_number(row.ordinal);
    device.number = number >= 0 ? number : ordinal;
    if (ordinal >= 0) decoded_.cuda_devices.push_back({ordinal, std::move(device)});
  }

  /// A task that runs a directive: who made it, and when.
  struct Deferral {
    Index<CallPath> path;
    std::uint32_t thread = 0;
    Nanoseconds time = 0;
  };

  using DeferralKey = std::pair<spool::BufferId, spool::DeferralId>;

  std::map<DeferralKey, Deferral> deferrals_;
  std::vector<std::pair<std::uint32_t, DeferralKey>> deferred_;  // by region
  const ClockScale& clock_;
  DecodedTrace decoded_;
  BufferIds buffer_;
  // Open at the end of their thread buffer: they run until the last known instant.
  std::vector<std::uint32_t> open_regions_;
  std::vector<std::uint32_t> open_launches_;
  bool has_externals_ = false;  // calls of a driver are recorded
  std::uint32_t thread_ = kNoList;
  std::uint32_t sample_ = kNoList;  // the thread of the sample that is being read
  std::map<std::pair<spool::BufferId, std::uint32_t>, std::uint32_t>
      samples_;  // of DecodedTrace::aggregates
  std::vector<spool::Aggregate> aggregates_;
  std::vector<spool::ActivityAggregate> activity_aggregates_;
  std::map<std::pair<spool::BufferId, spool::ActivityNameId>, std::uint32_t> activity_names_;
  Nanoseconds last_ = 0;
  std::uint64_t unreadable_ = 0;  // records
  std::uint32_t calls_ = 0;       // API calls seen, in all thread buffers
  std::uint64_t hashing_ticks_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> modules_;
  std::map<SiteKey, std::uint32_t> sites_;
  std::map<std::pair<std::uint32_t, std::vector<std::array<std::uint64_t, 4>>>, std::uint32_t>
      lists_;  // by site and items
};

}  // namespace

DecodedTrace decode(SpoolFile& file, const ClockScale& clock) { return Decoder(clock).run(file); }

}  // namespace ompdm::trace
