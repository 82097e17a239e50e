#include "trace/decode.h"

#include <cstring>

#include "trace/decoder.h"
#include "trace/prefault.h"

namespace ompdm::trace {
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
  leave_open();
  tie_deferred_regions();
  tie_tallies();
  tie_activity_tallies();
  last_ = std::max(last_, clock_.at(last_ticks));
  const auto close = [this](auto& rows, const std::vector<std::uint32_t>& open) {
    for (const std::uint32_t i : open) {
      rows.set_times(i, rows.begin_of(i), last_);
      rows.edit(i)->unfinished = true;
    }
  };
  close(draft_.trace.regions, open_regions_);
  close(draft_.trace.launches, open_launches_);
  draft_.trace.process.wall = last_;
  draft_.trace.recording.hashing_ns = clock_.duration(hashing_ticks_);
  return std::move(draft_);
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
  draft_.trace.regions.reserve(scaled(regions));
  draft_.region_notes.reserve(scaled(regions));
  draft_.trace.ops.reserve(scaled(ops));
  draft_.op_notes.reserve(scaled(ops));
}

std::vector<std::span<std::byte>> Decoder::room() {
  const auto of = [](auto& column) {
    return std::as_writable_bytes(std::span(column.data(), column.capacity()));
  };
  std::vector<std::span<std::byte>> room = {draft_.trace.regions.room(), of(draft_.region_notes),
                                            draft_.trace.ops.room(), of(draft_.op_notes)};
  for (auto& one : room) one = one.first(one.size() - one.size() / 16);
  return room;
}

Draft decode(SpoolFile& file, const ClockScale& clock) {
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
  Draft draft = decoder.take(last_ticks);
  draft.trace.losses.push_back({"records_unreadable", decoder.unreadable});
  draft.trace.losses.push_back({"chunks_unreadable", file.unreadable_chunks()});
  return draft;
}

}  // namespace ompdm::trace
