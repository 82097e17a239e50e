// A CUDA driver without a device, for tests of asynchronous plugins. Device memory is host memory.
// A stream's work takes effect late: when its time is over and a call asks for it. Kernels do
// nothing, unless STANDIN_KERNELS is set. This file: the driver, its devices and contexts.
//
//   STANDIN_DEVICES     how many devices there are (1)
//   STANDIN_DRIVER      version of CUDA that the driver is of (13000)
//   STANDIN_COPY_US     how long each asynchronous copy takes (20)
//   STANDIN_KERNEL_US   how long each kernel takes (50)
//   STANDIN_KERNELS     host: what kernels compute is computed, by the program's own host (-O0)
//   STANDIN_PAGEABLE    how many times longer if its host memory is pageable (1)
//   STANDIN_PEER        1: devices can reach each other's memory (0)
//   STANDIN_PEER_SIDES  memory: of copies between devices CUPTI tells where the memory lies, not
//                       which contexts the caller named
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "driver.h"

namespace standin {
extern "C" {

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
}  // namespace standin
