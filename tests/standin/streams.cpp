// The stand-in driver's streams and events, and the calls that wait for them.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#include "driver.h"

namespace standin {

thread_local std::uint32_t current_device = 0;

namespace {

std::atomic<const Observer*> observer{nullptr};
std::atomic<std::uint32_t> correlations{0};

// CUPTI_DRIVER_TRACE_CBID_* of the calls that wait.
enum WaitCbid : std::uint32_t {
  kCbCtxSynchronize = 17,
  kCbEventSynchronize = 121,
  kCbStreamSynchronize = 126,
  kCbStreamWaitEvent = 295,
};

struct Event {
  std::uint32_t number;
  Stream* stream = nullptr;
  std::uint64_t due = 0;
};

// Never destroyed: the process may end while others wait.
std::mutex streams_mutex;
std::vector<Stream*>& streams = *new std::vector<Stream*>;

template <class Until>
int wait(std::uint32_t cbid, Wait kind, std::uint32_t device, std::uint32_t stream,
         std::uint32_t event, Until until) {
  const Calling call(cbid);
  Waited waited{kind, call.correlation(), device, stream, event, now(), 0};
  until();
  waited.end = std::max(now(), waited.begin + 1);
  tell(waited);
  return kSuccess;
}

}  // namespace

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void wait_until(std::uint64_t instant) {
  const timespec time{static_cast<time_t>(instant / 1'000'000'000U),
                      static_cast<long>(instant % 1'000'000'000U)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
  }
}

Calling::Calling(std::uint32_t cbid) : call_{cbid, ++correlations, now(), 0} {}
Calling::~Calling() {
  call_.end = now();
  if (const auto* listener = observer.load()) listener->called(call_);
}

void tell(const Done& done) {
  if (const auto* listener = observer.load()) listener->done(done);
}
void tell(const Waited& waited) {
  if (const auto* listener = observer.load()) listener->waited(waited);
}

void enqueue(Stream& stream, Done told, int microseconds, std::function<void()> effect) {
  const std::lock_guard lock(stream.mutex);
  told.device = stream.device;
  told.stream = stream.number;
  told.begin = std::max(now(), stream.busy_until);
  told.end = stream.busy_until = told.begin + static_cast<std::uint64_t>(microseconds) * 1000;
  stream.tasks.push_back({told, std::move(effect)});
}

bool advance(Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  const std::uint64_t instant = now();
  while (!stream.tasks.empty() && stream.tasks.front().told.end <= instant) {
    stream.tasks.front().effect();
    tell(stream.tasks.front().told);
    stream.tasks.pop_front();
  }
  return stream.tasks.empty();
}

void drain(Stream& stream) {
  while (!advance(stream)) {
    std::uint64_t due = 0;
    {
      const std::lock_guard lock(stream.mutex);
      due = stream.busy_until;
    }
    wait_until(due);
  }
}

extern "C" {

void standin_observe(const Observer* listener) { observer.store(listener); }

int cuStreamCreate(Stream** stream, unsigned) {
  static std::atomic<std::uint32_t> count{7};  // CUPTI calls the default stream 7
  *stream = new Stream;
  (*stream)->number = ++count;
  (*stream)->device = current_device;
  const std::lock_guard lock(streams_mutex);
  streams.push_back(*stream);
  return kSuccess;
}
int cuStreamDestroy_v2(Stream*) { return kSuccess; }
int cuStreamSynchronize(Stream* stream) {
  return wait(kCbStreamSynchronize, Wait::kStreamSynchronize, stream->device, stream->number,
              kNotApplicable, [&] { drain(*stream); });
}
int cuStreamQuery(Stream* stream) { return advance(*stream) ? kSuccess : kNotReady; }
int cuStreamWaitEvent(Stream* stream, const Event* event, unsigned) {
  return wait(kCbStreamWaitEvent, Wait::kStreamWaitEvent, stream->device, stream->number,
              event->number, [&] {
                const std::lock_guard lock(stream->mutex);
                stream->busy_until = std::max(stream->busy_until, event->due);
              });
}
int cuCtxSynchronize() {
  return wait(kCbCtxSynchronize, Wait::kContextSynchronize, current_device, kNotApplicable,
              kNotApplicable, [] {
                std::vector<Stream*> all;
                {
                  const std::lock_guard lock(streams_mutex);
                  all = streams;
                }
                for (Stream* stream : all) {
                  if (stream->device == current_device) drain(*stream);
                }
              });
}

int cuEventCreate(Event** event, unsigned) {
  static std::atomic<std::uint32_t> count{0};
  *event = new Event{++count};
  return kSuccess;
}
int cuEventDestroy(const Event* event) {
  delete event;
  return kSuccess;
}
int cuEventRecord(Event* event, Stream* stream) {
  const std::lock_guard lock(stream->mutex);
  event->stream = stream;
  event->due = stream->busy_until;
  return kSuccess;
}
int cuEventSynchronize(const Event* event) {
  const std::uint32_t device = event->stream != nullptr ? event->stream->device : current_device;
  return wait(kCbEventSynchronize, Wait::kEventSynchronize, device, kNotApplicable, event->number,
              [&] {
                wait_until(event->due);
                if (event->stream != nullptr) advance(*event->stream);
              });
}

}  // extern "C"
}  // namespace standin
