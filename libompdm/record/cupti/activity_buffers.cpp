#include "record/cupti/activity_buffers.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>

#include "record/cupti/activities.h"
#include "record/process/cancellation.h"
#include "record/process/kept_errno.h"

namespace ompdm::record {
namespace {

// Small: a killed process loses what is in the buffer that CUPTI still fills.
constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr unsigned kMostKept = 32;  // buffers for another use; more are given back

// Its own mutex: CUPTI asks from inside the driver, whatever the recorder's others hold.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::uint8_t* kept[kMostKept];
unsigned kept_count = 0;

std::atomic<std::uint64_t> handed_out{0};  // buffers that CUPTI got
std::atomic<std::uint64_t> written{0};     // of those, the ones whose records are in the spool

constexpr timespec kPause{0, 100'000};
constexpr unsigned kMostPauses = 1000;

std::uint8_t* take_kept() noexcept {
  pthread_mutex_lock(&mutex);
  std::uint8_t* buffer = kept_count > 0 ? kept[--kept_count] : nullptr;
  pthread_mutex_unlock(&mutex);
  return buffer;
}

bool keep(std::uint8_t* buffer) noexcept {
  pthread_mutex_lock(&mutex);
  const bool has_place = kept_count < kMostKept;
  if (has_place) {
    kept[kept_count++] = buffer;
  }
  pthread_mutex_unlock(&mutex);
  return has_place;
}

}  // namespace

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  const KeptErrno kept_errno;
  *size = kBufferBytes;
  *most_records = 0;  // as many as fit
  *buffer = take_kept();
  if (*buffer == nullptr) {
    void* memory =
        mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return;
    }
    *buffer = static_cast<std::uint8_t*>(memory);
  }
  handed_out.fetch_add(1);
}

void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                     std::size_t /*size*/, std::size_t valid) {
  const KeptErrno kept_errno;
  write_activities(context, stream, buffer, valid);
  written.fetch_add(1);
  if (buffer != nullptr && !keep(buffer)) {
    munmap(buffer, kBufferBytes);
  }
}

void await_activity_buffers() noexcept {
  const WithoutCancellation uncancelled;
  const std::uint64_t expected = handed_out.load();
  for (unsigned pauses = 0; written.load() < expected && pauses < kMostPauses; ++pauses) {
    nanosleep(&kPause, nullptr);
  }
}

void forget_activity_buffers() noexcept {
  pthread_mutex_init(&mutex, nullptr);
  handed_out.store(0);
  written.store(0);
}

}  // namespace ompdm::record
