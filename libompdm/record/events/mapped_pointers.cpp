#include "record/events/mapped_pointers.h"

namespace ompdm::record {

void note_mapped_pointer(std::uint64_t host, std::int32_t device) noexcept {
  Lane* lane = current_lane();
  if (lane == nullptr || host == 0) {
    return;
  }
  constexpr unsigned kBlock = 4;  // what malloc gives begins at multiples of 16
  std::uint64_t& asked = lane->asked[(host >> kBlock) % Lane::kAsked];
  if (asked == host) {
    return;
  }
  auto* record = reserve<spool::MappedPointer>(*lane);
  if (record == nullptr) {
    return;
  }
  asked = host;
  record->device = device;
  record->host = host;
  commit(*lane, record, spool::Tag::kMappedPointer, 0);
}

}  // namespace ompdm::record
