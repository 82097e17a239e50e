#include "trace/decode.h"

#include <sys/mman.h>

#include <cstring>

#include "trace/decoder.h"

namespace ompdm::trace {
namespace {

// Reserves, and asks for large pages where there are many: a fault for each of 4 KiB costs as much
// as filling it.
template <class Row>
void make_room(std::vector<Row>& column, std::size_t count) {
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  column.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(column.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + count * sizeof(Row)) / kPage * kPage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace

void Decoder::add(const Record& record) {
  switch (record.tag()) {
    case spool::Tag::kNone:
    case spool::Tag::kPadding:
      return;
    case spool::Tag::kLaneThread:
      return add_thread(record);
    case spool::Tag::kModule:
      return add_module(record);
    case spool::Tag::kSite:
      return add_site(record);
    case spool::Tag::kPath:
      return add_path(record);
    case spool::Tag::kEntry:
      return add_symbol(record);
    case spool::Tag::kDevice:
      return add_device(record);
    case spool::Tag::kFallback:
      return add_fallback(record);
    case spool::Tag::kMapperName:
      return add_mapper_name(record);
    case spool::Tag::kMapperPiece:
      return add_mapper_piece(record);
    case spool::Tag::kMappedPointer:
      return add_mapped_pointer(record);
    case spool::Tag::kDeferral:
      return add_deferral(record);
    case spool::Tag::kDeferredRegion:
      return add_deferred_region(record);
    case spool::Tag::kActivityName:
      return add_activity_name(record);
    case spool::Tag::kKernelActivity:
      return add_kernel_activity(record);
    case spool::Tag::kMemoryActivity:
      return add_memory_activity(record);
    case spool::Tag::kExternalId:
      return add_external_id(record);
    case spool::Tag::kSynchronization:
      return add_synchronization(record);
    case spool::Tag::kCuptiClock:
      return add_cupti_clock(record);
    case spool::Tag::kCudaDevice:
      return add_cuda_device(record);
    case spool::Tag::kTally:
      return add_tally(record);
    case spool::Tag::kActivityTally:
      return add_activity_tally(record);
  }
  // A tag of a later minor addition: skipped by its size.
}

// `last_ticks`: the latest instant that the headers know.
// The lane that made a task may come after the one that ran it.
void Decoder::tie_deferred_regions() {
  for (const auto& [region, key] : deferred_) {
    const auto made = deferrals_.find(key);
    if (made == deferrals_.end()) {
      ++unreadable;
      continue;
    }
    auto row = draft_.trace.regions.edit(region);
    row->path = made->second.path;
    row->maker = made->second.thread;
    row->made = made->second.time;
    if (!row->path || !row->site) continue;
    std::vector<CallerNote>& callers = draft_.site_notes[row->site.value].callers;
    callers.clear();
    for (const FrameNote& frame : draft_.path_notes[row->path.value].frames) {
      callers.push_back({frame.module, frame.address});
    }
  }
}

Draft Decoder::take(std::uint64_t last_ticks) {
  leave_open_regions();
  tie_deferred_regions();
  tie_tallies();
  tie_activity_tallies();
  last_ = std::max(last_, clock_.at(last_ticks));
  const auto close = [this](auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.end_of(i) != kOpen) continue;
      rows.set_times(i, rows.begin_of(i), last_);
      rows.edit(i)->unfinished = true;
    }
  };
  close(draft_.trace.regions);
  close(draft_.trace.ops);
  close(draft_.trace.launches);
  draft_.trace.process.wall = last_;
  draft_.trace.recording.hashing_ns = clock_.duration(hashing_ticks_);
  return std::move(draft_);
}

// Columns that grow as they are filled are copied, and touch twice the memory.
void Decoder::reserve(SpoolFile& file) {
  std::size_t regions = 0;
  std::size_t ops = 0;
  for (const Chunk& chunk : file.chunks()) {
    RecordCursor cursor(file.records(chunk));
    for (auto found = cursor.next(); found != RecordCursor::Found::kEnd; found = cursor.next()) {
      if (found == RecordCursor::Found::kRecord) {
        if (cursor.record().tag() == spool::Tag::kFallback) ++regions;
        continue;
      }
      const spool::Event event = cursor.event().event;
      if (event == spool::Event::kBegin) ++regions;
      if (event == spool::Event::kOp || event == spool::Event::kApiOp) ++ops;
    }
  }
  draft_.trace.regions.reserve(regions);
  make_room(draft_.region_notes, regions);
  draft_.trace.ops.reserve(ops);
  make_room(draft_.op_notes, ops);
}

Draft decode(SpoolFile& file, const ClockScale& clock) {
  Decoder decoder(clock);
  decoder.reserve(file);
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
  Draft draft = decoder.take(last_ticks);
  draft.trace.losses.push_back({"records_unreadable", decoder.unreadable});
  draft.trace.losses.push_back({"chunks_unreadable", file.unreadable_chunks()});
  return draft;
}

}  // namespace ompdm::trace
