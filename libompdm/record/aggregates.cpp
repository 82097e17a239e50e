#include "record/aggregates.h"

#include "record/clock.h"
#include "record/ompt_callbacks.h"
#include "record/sites.h"

namespace ompdm::record {

namespace {

// What no item names are the runtime's shadows of pointers, and arguments that were packed
// together: their sizes tell them apart.
constexpr std::uint64_t kMostPacked = 1024;
// What a mapper names is told apart by the names.
constexpr std::uint64_t kOfPiece = std::uint64_t{1} << 23U;

std::uint64_t place_of(spool::SiteId site, spool::PathId path) noexcept {
  return number(site) | std::uint64_t{number(path)} << 32U;
}

std::uint64_t place_of(const OpenRegion& region) noexcept {
  return place_of(region.site->id, region.path);
}

// An example is a region of its own, so that it can be told whatever is told around it.
template <class Tell>
bool tell_in_example(ThreadBuffer& buffer, const OpenRegion& region, std::uint32_t example,
                     std::uint64_t begin, std::uint64_t end, Tell&& tell) noexcept {
  OpenRegion told = region;
  const std::uint64_t kind = region.kind | std::uint64_t{example} << spool::kRegionExampleAt;
  if (!tell_begin(buffer, told, kind, begin)) {
    return false;
  }
  const bool is_told = tell(told);
  if ((region.kind & spool::kRegionFromWrapper) == 0) {
    tell_end(buffer, end);
  }
  return is_told;
}

void add_time(spool::Tally& tally, std::uint64_t begin, std::uint64_t end) noexcept {
  spool::add(tally.times, end > begin ? nanoseconds(end - begin) : 0);
}

struct OpKey {
  TallyKey key;
  const MappedPiece* piece;  // that it is of
};

// In the place of its call: what it gives goes on in registers.
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
           static_cast<std::uint64_t>(spool::TallyOf::kOp) | (region != nullptr ? 0U : 4U) |
               std::uint64_t{static_cast<std::uint16_t>(op.optype)} << 8U | argument << 24U |
               apart << 40U,
           static_cast<std::uint32_t>(op.src_device) |
               std::uint64_t{static_cast<std::uint32_t>(op.dst_device)} << 32U},
          piece};
}

TallyKey launch_key(const OpenRegion& region) noexcept {
  return {place_of(region), static_cast<std::uint64_t>(spool::TallyOf::kLaunch),
          static_cast<std::uint32_t>(region.device)};
}

// Each once, also one in whose middle telling ended: what is told of it says that it was made.
void count_call(ThreadBuffer& buffer, spool::CallId call, TallySlot& slot) noexcept {
  buffer.counted_call = call;
  const bool is_known = call != spool::CallId::kNone;
  if (is_known && (slot.calls == number(call) || buffer.told_call == call)) {
    return;
  }
  slot.calls = number(call);
  ++slot.tally->calls;
}

// That of a tally, or of the one that is made next.
std::uint32_t example_of(ThreadBuffer& buffer, const TallyKey& key) noexcept {
  const TallySlot* slot = slot_of(buffer.tallies, key);
  if (slot == nullptr) {
    return 0;
  }
  return slot->example != 0 ? slot->example : buffer.examples + 1;
}

}  // namespace

std::uint32_t example_of_op(ThreadBuffer& buffer, const Origin& origin,
                            const Operation& op) noexcept {
  return example_of(buffer, key_of(buffer, origin, op).key);
}

std::uint32_t example_of_launch(ThreadBuffer& buffer, const OpenRegion& region) noexcept {
  return example_of(buffer, launch_key(region));
}

void count_region(ThreadBuffer& buffer, const OpenRegion& region, std::uint64_t end) noexcept {
  const TallyKey key{
      place_of(region),
      static_cast<std::uint64_t>(spool::TallyOf::kRegion) | std::uint64_t{region.kind} << 8U,
      static_cast<std::uint32_t>(region.device)};
  TallySlot* slot = nullptr;
  spool::Tally* tally =
      tally_of(buffer, key, spool::TallyOf::kRegion, slot, [&](std::uint32_t example) {
        return tell_in_example(buffer, region, example, region.begin, end,
                               [](OpenRegion& /*told*/) { return true; });
      });
  if (tally != nullptr) {
    add_time(*tally, region.begin, end);
  }
}

void count_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op, std::uint64_t begin,
              std::uint64_t end) noexcept {
  const OpenRegion* region = origin.region;
  const OpKey of = key_of(buffer, origin, op);
  TallySlot* slot = nullptr;
  spool::Tally* tally =
      tally_of(buffer, of.key, spool::TallyOf::kOp, slot, [&](std::uint32_t example) {
        if (region == nullptr) {
          return tell_api_op(buffer, origin, op, begin, end, example);
        }
        return tell_in_example(buffer, *region, example, begin, end, [&](OpenRegion& told) {
          if (of.piece != nullptr) {
            tell_piece(buffer, *of.piece);
          }
          return tell_region_op(buffer, told, op, begin, end);
        });
      });
  if (tally == nullptr) {
    return;
  }
  spool::add_bytes(*tally, op.bytes);
  if (region == nullptr) {
    count_call(buffer, origin.api_call, *slot);
  }
  add_time(*tally, begin, end);
}

void count_launch(ThreadBuffer& buffer, const OpenRegion& region, unsigned requested_teams,
                  std::uint64_t begin, std::uint64_t end) noexcept {
  TallySlot* slot = nullptr;
  spool::Tally* tally = tally_of(
      buffer, launch_key(region), spool::TallyOf::kLaunch, slot, [&](std::uint32_t example) {
        return tell_in_example(buffer, region, example, begin, end, [&](OpenRegion& told) {
          if (!tell_launch(buffer, &told, requested_teams, begin)) {
            return false;
          }
          tell_launch_end(buffer, end);
          return true;
        });
      });
  if (tally != nullptr) {
    add_time(*tally, begin, end);
  }
}

}  // namespace ompdm::record
