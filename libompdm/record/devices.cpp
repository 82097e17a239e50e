#include <string.h>

#include "record/clock.h"
#include "record/modules.h"
#include "record/sites.h"

namespace ompdm::record {
namespace {

// Devices are initialised before the first target event opens the spool: they wait here.
struct Early {
  spool::DeviceEvent event;
  int number;
  std::uint64_t ticks;
  std::uint64_t bytes;
  char type[64];
};
constexpr unsigned kMostEarly = 64;
Early early[kMostEarly];
unsigned early_count = 0;
bool early_written = false;

void write_device(Lane& lane, const Early& event) noexcept {
  const std::size_t size = strlen(event.type) + 1;
  auto* record = reserve<spool::Device>(lane, size);
  if (record == nullptr) {
    return;
  }
  record->number = event.number;
  record->ticks = event.ticks;
  record->bytes = event.bytes;
  record->text_size = static_cast<std::uint32_t>(size);
  memcpy(record + 1, event.type, size);
  commit(lane, record, spool::Tag::kDevice, static_cast<std::uint8_t>(event.event), size);
}

}  // namespace

void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept {
  Early now{event, number, ticks(), bytes, {}};
  strncpy(now.type, type != nullptr ? type : "", sizeof(now.type) - 1);
  {
    const Lock lock;
    if (!early_written) {
      if (early_count < kMostEarly) {
        early[early_count++] = now;
      }
      return;
    }
  }
  if (Lane* lane = current_lane()) {
    write_device(*lane, now);
    write_offload_entries(*lane);
  }
}

void write_early_events(Lane& lane) noexcept {
  unsigned count = 0;
  {
    const Lock lock;
    count = early_written ? 0 : early_count;
    early_written = true;
  }
  for (unsigned i = 0; i < count; ++i) {
    write_device(lane, early[i]);
  }
  write_offload_entries(lane);
}

void forget_early_events() noexcept { early_written = false; }

}  // namespace ompdm::record
