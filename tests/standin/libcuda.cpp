// A CUDA driver without a device, for tests of asynchronous plugins: device memory is host memory,
// a stream's work takes effect late, when its time is over and someone asks, and kernels do
// nothing.
//
//   STANDIN_DEVICES    how many devices there are (1)
//   STANDIN_DRIVER     version of CUDA that the driver is of (13000)
//   STANDIN_COPY_US    how long each asynchronous copy takes (20)
//   STANDIN_KERNEL_US  how long each kernel takes (50)
//   STANDIN_PAGEABLE   how many times longer if its host memory is pageable (1)
//   STANDIN_PEER       1: devices can reach each other's memory (0)
#include <dlfcn.h>
#include <elf.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "observer.h"

namespace {

using standin::CopyKind;
using standin::Done;
using standin::MemoryKind;
using standin::Work;

enum Result { kSuccess = 0, kInvalidValue = 1, kNotFound = 500, kNotReady = 600 };
using DevicePointer = std::uint64_t;

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

std::atomic<const standin::Observer*> observer{nullptr};
std::atomic<std::uint32_t> correlations{0};
thread_local std::uint32_t current_device = 0;

// A call's time, told as it returns.
class Calling {
 public:
  explicit Calling(std::uint32_t cbid) : call_{cbid, ++correlations, now(), 0} {}
  ~Calling() {
    call_.end = now();
    if (const auto* listener = observer.load()) listener->called(call_);
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
  [[nodiscard]] std::uint32_t correlation() const { return call_.correlation; }

 private:
  standin::Call call_;
};

struct Task {
  Done told;
  std::function<void()> effect;
};

struct Stream {
  std::uint32_t number;
  std::uint32_t device;
  std::mutex mutex;
  std::deque<Task> tasks;
  std::uint64_t busy_until = 0;
};

struct Module {
  std::string image;
  std::map<std::string, std::vector<std::uint64_t>> variables;
};

struct Function {
  std::string name;
};

void tell(const Done& done) {
  if (const auto* listener = observer.load()) listener->done(done);
}

// Queues work behind what the stream has to do.
void enqueue(Stream& stream, Done told, int microseconds, std::function<void()> effect) {
  const std::lock_guard lock(stream.mutex);
  told.device = stream.device;
  told.stream = stream.number;
  told.begin = std::max(now(), stream.busy_until);
  told.end = stream.busy_until = told.begin + static_cast<std::uint64_t>(microseconds) * 1000;
  stream.tasks.push_back({told, std::move(effect)});
}

// Lets everything take effect whose time is over; whether nothing is left.
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

void* host(DevicePointer address) { return reinterpret_cast<void*>(address); }
DevicePointer device_address(const void* address) {
  return reinterpret_cast<DevicePointer>(address);
}

// Page-locked host memory, by its begin.
std::mutex pinned_mutex;
std::map<std::uint64_t, std::uint64_t> pinned;

void pin(const void* begin, std::size_t bytes) {
  const std::lock_guard lock(pinned_mutex);
  pinned[device_address(begin)] = bytes;
}
void unpin(const void* begin) {
  const std::lock_guard lock(pinned_mutex);
  pinned.erase(device_address(begin));
}
MemoryKind kind_of_host(const void* address) {
  const std::lock_guard lock(pinned_mutex);
  const auto after = pinned.upper_bound(device_address(address));
  if (after == pinned.begin()) return standin::kPageable;
  const auto& [begin, bytes] = *std::prev(after);
  return device_address(address) - begin < bytes ? standin::kPinned : standin::kPageable;
}

Done copy_of(CopyKind kind, const void* destination, const void* source, std::size_t bytes,
             std::uint32_t correlation) {
  Done done{};
  done.work = kind == standin::kPtoP ? Work::kPeerCopy : Work::kCopy;
  done.copy = kind;
  done.source = kind == standin::kHtoD ? kind_of_host(source) : standin::kDevice;
  done.destination = kind == standin::kDtoH ? kind_of_host(destination) : standin::kDevice;
  done.correlation = correlation;
  done.bytes = bytes;
  return done;
}

int copy_async(CopyKind kind, void* destination, const void* source, std::size_t bytes,
               Stream* stream, std::uint32_t cbid) {
  const Calling call(cbid);
  const Done copy = copy_of(kind, destination, source, bytes, call.correlation());
  const bool pageable = copy.source == standin::kPageable || copy.destination == standin::kPageable;
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

const Elf64_Sym* find_symbol(const std::string& image, const char* name) {
  const auto* file = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + file->e_shoff);
  for (unsigned i = 0; i < file->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* names = image.data() + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image.data() + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      if (std::strcmp(names + symbols[k].st_name, name) == 0) return symbols + k;
    }
  }
  return nullptr;
}

// CUPTI_DRIVER_TRACE_CBID_* of the calls that ask for work.
enum Cbid : std::uint32_t {
  kCbHtoD = 276,
  kCbHtoDAsync = 277,
  kCbDtoH = 278,
  kCbDtoHAsync = 279,
  kCbDtoDAsync = 281,
  kCbMemsetD8Async = 216,
  kCbLaunchKernel = 307,
  kCbPeerAsync = 319,
};

}  // namespace

extern "C" {

void standin_observe(const standin::Observer* listener) { observer.store(listener); }

int cuInit(unsigned) {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    void* library = path != nullptr ? dlopen(path, RTLD_LAZY) : nullptr;
    void* initialize = library != nullptr ? dlsym(library, "InitializeInjection") : nullptr;
    if (initialize != nullptr) reinterpret_cast<int (*)()>(initialize)();
  });
  return kSuccess;
}
int cuDriverGetVersion(int* version) {
  *version = setting("STANDIN_DRIVER", 13000);
  return kSuccess;
}
int cuDeviceGetCount(int* count) {
  *count = setting("STANDIN_DEVICES", 1);
  return kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}
int cuDeviceGetName(char* name, int size, int device) {
  const std::string text = "Stand-in GPU " + std::to_string(device);
  strncpy(name, text.c_str(), static_cast<std::size_t>(size));
  return kSuccess;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{80} << 30;
  return kSuccess;
}
int cuDeviceGetUuid_v2(char* uuid, int device) {
  std::memset(uuid, device + 1, 16);
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> kValues = {
      {1, 1024},                                   // MAX_THREADS_PER_BLOCK
      {2, 1024},                                   // MAX_BLOCK_DIM_X
      {3, 1024},   {4, 64},      {5, 2147483647},  // MAX_GRID_DIM_X
      {6, 65535},  {7, 65535},   {8, 49152},       // MAX_SHARED_MEMORY_PER_BLOCK
      {10, 32},                                    // WARP_SIZE
      {12, 65536},                                 // MAX_REGISTERS_PER_BLOCK
      {16, 132},                                   // MULTIPROCESSOR_COUNT
      {39, 2048},                                  // MAX_THREADS_PER_MULTIPROCESSOR
      {75, 9},                                     // COMPUTE_CAPABILITY_MAJOR
      {76, 0},     {81, 233472},                   // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 65536},                                 // MAX_REGISTERS_PER_MULTIPROCESSOR
      {106, 32},                                   // MAX_BLOCKS_PER_MULTIPROCESSOR
      {115, 0}};                                   // MEMORY_POOLS_SUPPORTED
  const auto found = kValues.find(attribute);
  *value = found == kValues.end() ? 1 : found->second;
  return kSuccess;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = setting("STANDIN_PEER", 0);
  return kSuccess;
}
int cuCtxEnablePeerAccess(void*, unsigned) { return kSuccess; }
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 4;
  *active = 0;
  return kSuccess;
}
int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return kSuccess; }
int cuDevicePrimaryCtxRetain(std::uint32_t** context, int device) {
  static std::uint32_t contexts[64];
  contexts[device] = static_cast<std::uint32_t>(device);
  *context = contexts + device;
  return kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
int cuCtxSetCurrent(const std::uint32_t* context) {
  if (context != nullptr) current_device = *context;
  return kSuccess;
}
int cuCtxGetDevice(int* device) {
  *device = static_cast<int>(current_device);
  return kSuccess;
}
int cuCtxGetLimit(std::size_t* value, int) {
  *value = 1024;
  return kSuccess;
}
int cuCtxSetLimit(int, std::size_t) { return kSuccess; }

int cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  *address = device_address(std::malloc(bytes));
  return kSuccess;
}
int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  void* memory = std::malloc(bytes);
  pin(memory, bytes);
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
  std::free(host(address));
  return kSuccess;
}
int cuMemFreeHost(void* address) {
  unpin(address);
  std::free(address);
  return kSuccess;
}
int cuMemFreeAsync(DevicePointer address, Stream*) { return cuMemFree_v2(address); }
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  pin(address, bytes);
  return kSuccess;
}
int cuMemHostUnregister(void* address) {
  unpin(address);
  return kSuccess;
}
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* from, unsigned) {
  *address = device_address(from);
  return kSuccess;
}
int cuMemHostGetFlags(unsigned*, void*) { return kInvalidValue; }

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return copy_now(standin::kHtoD, host(to), from, bytes, kCbHtoD);
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return copy_now(standin::kDtoH, to, host(from), bytes, kCbDtoH);
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream* stream) {
  return copy_async(standin::kHtoD, host(to), from, bytes, stream, kCbHtoDAsync);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream* stream) {
  return copy_async(standin::kDtoH, to, host(from), bytes, stream, kCbDtoHAsync);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream* stream) {
  return copy_async(standin::kDtoD, host(to), host(from), bytes, stream, kCbDtoDAsync);
}
int cuMemcpyPeerAsync(DevicePointer to, const std::uint32_t* to_context, DevicePointer from,
                      const std::uint32_t* from_context, std::size_t bytes, Stream* stream) {
  const Calling call(kCbPeerAsync);
  Done done = copy_of(standin::kPtoP, host(to), host(from), bytes, call.correlation());
  done.from_device = *from_context;
  done.to_device = *to_context;
  enqueue(*stream, done, setting("STANDIN_COPY_US", 20),
          [=] { std::memcpy(host(to), host(from), bytes); });
  return kSuccess;
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream* stream) {
  const Calling call(kCbMemsetD8Async);
  Done done{};
  done.work = Work::kMemset;
  done.destination = standin::kDevice;
  done.correlation = call.correlation();
  done.bytes = bytes;
  enqueue(*stream, done, 1, [=] { std::memset(host(to), value, bytes); });
  return kSuccess;
}

int cuModuleLoadDataEx(Module** module, const void* image, unsigned, void*, void*) {
  const auto* file = static_cast<const Elf64_Ehdr*>(image);
  if (std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return kInvalidValue;
  *module = new Module;
  (*module)->image.assign(static_cast<const char*>(image),
                          file->e_shoff + file->e_shnum * sizeof(Elf64_Shdr));
  return kSuccess;
}
int cuModuleUnload(Module*) { return kSuccess; }
int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  if (find_symbol(module->image, name) == nullptr) return kNotFound;
  *function = new Function{name};
  return kSuccess;
}
int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, Module* module,
                         const char* name) {
  const Elf64_Sym* symbol = find_symbol(module->image, name);
  if (symbol == nullptr) return kNotFound;
  auto& storage = module->variables[name];
  if (storage.empty()) {
    storage.resize(symbol->st_size / 8 + 1);
    const auto* file = reinterpret_cast<const Elf64_Ehdr*>(module->image.data());
    const auto* sections =
        reinterpret_cast<const Elf64_Shdr*>(module->image.data() + file->e_shoff);
    std::memcpy(storage.data(),
                module->image.data() + sections[symbol->st_shndx].sh_offset + symbol->st_value,
                symbol->st_size);
  }
  *address = device_address(storage.data());
  *bytes = symbol->st_size;
  return kSuccess;
}
int cuFuncGetAttribute(int* value, int attribute, Function*) {
  *value = attribute == 0 ? 1024 : 0;  // MAX_THREADS_PER_BLOCK
  return kSuccess;
}
int cuFuncSetAttribute(Function*, int, int) { return kSuccess; }
int cuLaunchKernel(const Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Stream* stream, void**, void**) {
  const Calling call(kCbLaunchKernel);
  Done done{};
  done.work = Work::kKernel;
  done.correlation = call.correlation();
  const std::uint32_t grid[] = {grid_x, grid_y, grid_z};
  const std::uint32_t block[] = {block_x, block_y, block_z};
  std::copy_n(grid, 3, done.grid);
  std::copy_n(block, 3, done.block);
  done.dynamic_shared = shared;
  done.kernel = function->name.c_str();
  enqueue(*stream, done, setting("STANDIN_KERNEL_US", 50), [] {});
  return kSuccess;
}

int cuStreamCreate(Stream** stream, unsigned) {
  static std::atomic<std::uint32_t> streams{7};  // CUPTI calls the default stream 7
  *stream = new Stream;
  (*stream)->number = ++streams;
  (*stream)->device = current_device;
  return kSuccess;
}
int cuStreamDestroy_v2(Stream*) { return kSuccess; }
int cuStreamSynchronize(Stream* stream) {
  while (!advance(*stream)) {
    std::uint64_t due = 0;
    {
      const std::lock_guard lock(stream->mutex);
      due = stream->busy_until;
    }
    wait_until(due);
  }
  return kSuccess;
}
int cuStreamQuery(Stream* stream) { return advance(*stream) ? kSuccess : kNotReady; }
int cuStreamWaitEvent(Stream*, void*, unsigned) { return kSuccess; }
int cuEventCreate(void** event, unsigned) {
  *event = std::malloc(8);
  return kSuccess;
}
int cuEventDestroy(void* event) {
  std::free(event);
  return kSuccess;
}
int cuEventRecord(void*, Stream*) { return kSuccess; }
int cuEventSynchronize(void*) { return kSuccess; }
int cuGetErrorString(int, const char** text) {
  *text = "an error of the stand-in driver";
  return kSuccess;
}

// Asked for by name when the plugin loads the driver, not used by what the tests run.
int cuMemGetAllocationGranularity() { return kInvalidValue; }
int cuMemCreate() { return kInvalidValue; }
int cuMemMap() { return kInvalidValue; }
int cuMemUnmap() { return kInvalidValue; }
int cuMemRelease() { return kInvalidValue; }
int cuMemSetAccess() { return kInvalidValue; }
int cuMemAddressReserve() { return kInvalidValue; }
int cuMemAddressFree() { return kInvalidValue; }

}  // extern "C"
