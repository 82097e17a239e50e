#include "record/stream/device_events.h"

#include <string.h>
#include <sys/mman.h>

#include "record/process/clock.h"
#include "record/runtime/devices.h"
#include "record/stream/module_records.h"

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
constexpr unsigned kFirstEarly = 64;
Early first_early[kFirstEarly];
Early* early = first_early;
unsigned early_room = kFirstEarly;
unsigned early_count = 0;
bool early_written = false;

// Needs the recorder's mutex. False if there is no memory for one more.
bool make_room_for_early() noexcept {
  if (early_count < early_room) {
    return true;
  }
  // A program may open and close libraries with target regions many times and run none of them.
  void* memory = mmap(nullptr, std::size_t{2} * early_room * sizeof(Early), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  memcpy(memory, early, early_count * sizeof(Early));
  if (early != first_early) {
    munmap(early, early_room * sizeof(Early));
  }
  early = static_cast<Early*>(memory);
  early_room *= 2;
  return true;
}

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
  if (event == spool::DeviceEvent::kInitialize) {
    learn_device(number, type);
  }
  Early now{event, number, ticks(), bytes, {}};
  strncpy(now.type, type != nullptr ? type : "", sizeof(now.type) - 1);
  {
    const Lock lock;
    if (!early_written) {
      if (make_room_for_early()) {
        early[early_count++] = now;
      } else {
        count_loss(spool::Loss::kRecordsNoSpace);
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
