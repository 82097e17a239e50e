// The stand-in driver's memory: device memory is host memory, and copies do copy.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "driver.h"

namespace standin {
namespace {

// CUPTI_DRIVER_TRACE_CBID_* of the calls that ask for copies.
enum CopyCbid : std::uint32_t {
  kCbHtoD = 276,
  kCbHtoDAsync = 277,
  kCbDtoH = 278,
  kCbDtoHAsync = 279,
  kCbDtoDAsync = 281,
  kCbMemsetD8Async = 216,
  kCbPeerAsync = 319,
};

/// Memory by its begin.
struct Extent {
  std::uint64_t bytes = 0;
  std::uint32_t device = 0;  ///< of device memory
};
struct Extents {
  std::mutex mutex;
  std::map<std::uint64_t, Extent> by_begin;

  void add(const void* begin, Extent extent) {
    const std::lock_guard lock(mutex);
    by_begin[device_address(begin)] = extent;
  }
  void remove(const void* begin) {
    const std::lock_guard lock(mutex);
    by_begin.erase(device_address(begin));
  }
  std::optional<Extent> find(const void* address) {
    const std::lock_guard lock(mutex);
    const auto after = by_begin.upper_bound(device_address(address));
    if (after == by_begin.begin()) return std::nullopt;
    const auto& [begin, extent] = *std::prev(after);
    const bool inside = device_address(address) - begin < extent.bytes;
    return inside ? std::optional(extent) : std::nullopt;
  }
};
// Never destroyed: the plugin frees memory while the process ends.
Extents& pinned = *new Extents;  // page-locked host memory
Extents& allocated = *new Extents;

MemoryKind kind_of_host(const void* address) { return pinned.find(address) ? kPinned : kPageable; }

std::uint32_t device_of(DevicePointer address) {
  return allocated.find(host(address)).value_or(Extent{}).device;
}

Done copy_of(CopyKind kind, const void* destination, const void* source, std::size_t bytes,
             std::uint32_t correlation) {
  Done done{};
  done.work = kind == kPtoP ? Work::kPeerCopy : Work::kCopy;
  done.copy = kind;
  done.source = kind == kHtoD ? kind_of_host(source) : kDevice;
  done.destination = kind == kDtoH ? kind_of_host(destination) : kDevice;
  done.correlation = correlation;
  done.bytes = bytes;
  return done;
}

int copy_async(CopyKind kind, void* destination, const void* source, std::size_t bytes,
               Stream* stream, std::uint32_t cbid) {
  const Calling call(cbid);
  const Done copy = copy_of(kind, destination, source, bytes, call.correlation());
  const bool pageable = copy.source == kPageable || copy.destination == kPageable;
  const int times = pageable ? setting("STANDIN_PAGEABLE", 1) : 1;
  enqueue(*stream, copy, setting("STANDIN_COPY_US", 20) * times,
          [=] { std::memcpy(destination, source, bytes); });
  return kSuccess;
}

int copy_now(CopyKind kind, void* destination, const void* source, std::size_t bytes,
             std::uint32_t cbid) {
  const Calling call(cbid);
  Done done = copy_of(kind, destination, source, bytes, call.correlation());
  done.device = current_device;
  done.begin = now();
  std::memcpy(destination, source, bytes);
  done.end = std::max(now(), done.begin + 1);
  tell(done);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  void* memory = std::malloc(bytes);
  allocated.add(memory, {bytes, current_device});
  *address = device_address(memory);
  return kSuccess;
}
int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  void* memory = std::malloc(bytes);
  pinned.add(memory, {bytes});
  *address = memory;
  return kSuccess;
}
int cuMemAllocManaged(DevicePointer* address, std::size_t bytes, unsigned) {
  return cuMemAlloc_v2(address, bytes);
}
int cuMemAllocAsync(DevicePointer* address, std::size_t bytes, Stream*) {
  return cuMemAlloc_v2(address, bytes);
}
int cuMemFree_v2(DevicePointer address) {
  allocated.remove(host(address));
  std::free(host(address));
  return kSuccess;
}
int cuMemFreeHost(void* address) {
  pinned.remove(address);
  std::free(address);
  return kSuccess;
}
int cuMemFreeAsync(DevicePointer address, Stream*) { return cuMemFree_v2(address); }
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  pinned.add(address, {bytes});
  return kSuccess;
}
int cuMemHostUnregister(void* address) {
  pinned.remove(address);
  return kSuccess;
}
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* from, unsigned) {
  *address = device_address(from);
  return kSuccess;
}
int cuMemHostGetFlags(unsigned*, void*) { return kInvalidValue; }

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return copy_now(kHtoD, host(to), from, bytes, kCbHtoD);
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return copy_now(kDtoH, to, host(from), bytes, kCbDtoH);
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream* stream) {
  return copy_async(kHtoD, host(to), from, bytes, stream, kCbHtoDAsync);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream* stream) {
  return copy_async(kDtoH, to, host(from), bytes, stream, kCbDtoHAsync);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream* stream) {
  return copy_async(kDtoD, host(to), host(from), bytes, stream, kCbDtoDAsync);
}
int cuMemcpyPeerAsync(DevicePointer to, const std::uint32_t* to_context, DevicePointer from,
                      const std::uint32_t* from_context, std::size_t bytes, Stream* stream) {
  const Calling call(kCbPeerAsync);
  Done done = copy_of(kPtoP, host(to), host(from), bytes, call.correlation());
  const char* sides = std::getenv("STANDIN_PEER_SIDES");
  const bool by_memory = sides != nullptr && std::string_view(sides) == "memory";
  done.from_device = by_memory ? device_of(from) : *from_context;
  done.to_device = by_memory ? device_of(to) : *to_context;
  enqueue(*stream, done, setting("STANDIN_COPY_US", 20),
          [=] { std::memcpy(host(to), host(from), bytes); });
  return kSuccess;
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream* stream) {
  const Calling call(kCbMemsetD8Async);
  Done done{};
  done.work = Work::kMemset;
  done.destination = kDevice;
  done.correlation = call.correlation();
  done.bytes = bytes;
  enqueue(*stream, done, 1, [=] { std::memset(host(to), value, bytes); });
  return kSuccess;
}

}  // extern "C"
}  // namespace standin
