#include "record/clock.h"
#include "record/ompt_callbacks.h"
#include "record/sites.h"

namespace ompdm::record {

namespace {

// Operations that match no map item are shadows of pointers and packed arguments. They are
// aggregated by their sizes up to this one.
constexpr std::uint64_t kMostPacked = 1024;
// Pieces of a mapper are aggregated by their names.
constexpr std::uint64_t kOfPiece = std::uint64_t{1} << 23U;

std::uint64_t place_of(spool::SiteId site, spool::PathId path) noexcept {
  return number(site) | std::uint64_t{number(path)} << 32U;
}

std::uint64_t place_of(const OpenRegion& region) noexcept {
  return place_of(region.site->id, region.path);
}

// Records a sample as a region of its own, so that it can stand between any other records.
template <class Record>
bool record_sample(ThreadBuffer& buffer, const OpenRegion& region, std::uint32_t sample,
                   std::uint64_t begin, std::uint64_t end, Record&& record_content) noexcept {
  OpenRegion own = region;
  const std::uint64_t kind = region.kind | std::uint64_t{sample} << spool::kRegionSampleAt;
  if (!record_begin(buffer, own, kind, begin)) {
    return false;
  }
  const bool is_recorded = record_content(own);
  if ((region.kind & spool::kRegionFromWrapper) == 0) {
    record_end(buffer, end);
  }
  return is_recorded;
}

void add_time(spool::Aggregate& aggregate, std::uint64_t begin, std::uint64_t end) noexcept {
  spool::add(aggregate.times, end > begin ? nanoseconds(end - begin) : 0);
}

struct OpKey {
  AggregateKey key;
  const MappedPiece* piece;  // that it is of
};

// Inlined, so that the result stays in registers.
[[gnu::always_inline]] inline OpKey key_of(ThreadBuffer& buffer, const Origin& origin,
                                           const Operation& op) noexcept {
  const OpenRegion* region = origin.region;
  std::uint64_t argument = 0;
  std::uint64_t apart = 0;
  const MappedPiece* piece = nullptr;
  if (region != nullptr) {
    const std::uint64_t host = host_address(op);
    argument = argument_of(region->call.map, host, buffer.last_argument);
    piece = piece_of(buffer, host);
    if (piece != nullptr) {
      apart = kOfPiece | number(piece->name);
    } else if (argument == 0 && op.bytes <= kMostPacked) {
      apart = op.bytes;
    }
  }
  const spool::SiteId site = origin.site != nullptr ? origin.site->id : spool::SiteId::kNone;
  return {{region != nullptr ? place_of(*region) : place_of(site, origin.path),
           static_cast<std::uint64_t>(spool::AggregateOf::kOp) | (region != nullptr ? 0U : 4U) |
               std::uint64_t{static_cast<std::uint16_t>(op.optype)} << 8U | argument << 24U |
               apart << 40U,
           static_cast<std::uint32_t>(op.src_device) |
               std::uint64_t{static_cast<std::uint32_t>(op.dst_device)} << 32U},
          piece};
}

AggregateKey launch_key(const OpenRegion& region) noexcept {
  return {place_of(region), static_cast<std::uint64_t>(spool::AggregateOf::kLaunch),
          static_cast<std::uint32_t>(region.device)};
}

// Counts an API call once, also if recording of events ended in its middle: then it is known from
// its recorded operations.
void aggregate_call(ThreadBuffer& buffer, spool::CallId call, AggregateSlot& slot) noexcept {
  buffer.aggregated_call = call;
  const bool is_known = call != spool::CallId::kNone;
  if (is_known && (slot.calls == number(call) || buffer.recorded_call == call)) {
    return;
  }
  slot.calls = number(call);
  ++slot.aggregate->calls;
}

// The sample of an existing aggregate, or of the one that is made next.
std::uint32_t sample_of(ThreadBuffer& buffer, const AggregateKey& key) noexcept {
  const AggregateSlot* slot = slot_of(buffer.aggregates, key);
  if (slot == nullptr) {
    return 0;
  }
  return slot->sample != 0 ? slot->sample : buffer.samples + 1;
}

}  // namespace

std::uint32_t sample_of_op(ThreadBuffer& buffer, const Origin& origin,
                           const Operation& op) noexcept {
  return sample_of(buffer, key_of(buffer, origin, op).key);
}

std::uint32_t sample_of_launch(ThreadBuffer& buffer, const OpenRegion& region) noexcept {
  return sample_of(buffer, launch_key(region));
}

void aggregate_region(ThreadBuffer& buffer, const OpenRegion& region, std::uint64_t end) noexcept {
  const AggregateKey key{
      place_of(region),
      static_cast<std::uint64_t>(spool::AggregateOf::kRegion) | std::uint64_t{region.kind} << 8U,
      static_cast<std::uint32_t>(region.device)};
  AggregateSlot* slot =
      aggregate_of(buffer, key, spool::AggregateOf::kRegion, [&](std::uint32_t sample) {
        return record_sample(buffer, region, sample, region.begin, end,
                             [](OpenRegion& /*own*/) { return true; });
      });
  if (slot != nullptr) {
    add_time(*slot->aggregate, region.begin, end);
  }
}

void aggregate_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                  std::uint64_t begin, std::uint64_t end) noexcept {
  const OpenRegion* region = origin.region;
  const OpKey of = key_of(buffer, origin, op);
  AggregateSlot* slot =
      aggregate_of(buffer, of.key, spool::AggregateOf::kOp, [&](std::uint32_t sample) {
        if (region == nullptr) {
          return record_api_op(buffer, origin, op, begin, end, sample);
        }
        return record_sample(buffer, *region, sample, begin, end, [&](OpenRegion& own) {
          if (of.piece != nullptr) {
            record_piece(buffer, *of.piece);
          }
          return record_region_op(buffer, own, op, begin, end);
        });
      });
  if (slot == nullptr) {
    return;
  }
  spool::add_bytes(*slot->aggregate, op.bytes);
  if (region == nullptr) {
    aggregate_call(buffer, origin.api_call, *slot);
  }
  add_time(*slot->aggregate, begin, end);
}

void aggregate_launch(ThreadBuffer& buffer, const OpenRegion& region, unsigned requested_teams,
                      std::uint64_t begin, std::uint64_t end) noexcept {
  AggregateSlot* slot = aggregate_of(
      buffer, launch_key(region), spool::AggregateOf::kLaunch, [&](std::uint32_t sample) {
        return record_sample(buffer, region, sample, begin, end, [&](OpenRegion& own) {
          if (!record_launch(buffer, &own, requested_teams, begin)) {
            return false;
          }
          record_launch_end(buffer, end);
          return true;
        });
      });
  if (slot != nullptr) {
    add_time(*slot->aggregate, begin, end);
  }
}

}  // namespace ompdm::record
