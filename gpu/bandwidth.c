/* Rates of the link and the memory of the first GPU. Copies of 256 MiB from pinned and from
 * pageable memory, in both directions, and from device to device. Achieved rates are compared with
 * these limits. Needs only the driver. Prints a line for each kind: name, best and median of ten in
 * GB/s of copied bytes. A device-to-device copy reads and writes each byte once, so its traffic is
 * twice that. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRuns = 10 };
static const size_t kBytes = (size_t)256 << 20;

typedef int (*Init)(unsigned);
typedef int (*DeviceGet)(int*, int);
typedef int (*Retain)(void**, int);
typedef int (*SetCurrent)(void*);
typedef int (*Alloc)(uint64_t*, size_t);
typedef int (*HostAlloc)(void**, size_t, unsigned);
typedef int (*ToDevice)(uint64_t, const void*, size_t);
typedef int (*ToHost)(void*, uint64_t, size_t);
typedef int (*OnDevice)(uint64_t, uint64_t, size_t);
typedef int (*Synchronize)(void);

static void* driver;

static void* entry(const char* name) {
  void* found = dlsym(driver, name);
  if (found == NULL) {
    fprintf(stderr, "bandwidth: the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

static void check(int status, const char* what) {
  if (status != 0) {
    fprintf(stderr, "bandwidth: %s: CUDA error %d\n", what, status);
    exit(1);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static ToDevice to_device;
static ToHost to_host;
static OnDevice on_device;
static Synchronize synchronize;

static void measure(const char* name, char kind, uint64_t device, void* host, uint64_t other) {
  double taken[kRuns];
  for (int i = -1; i < kRuns; ++i) { /* the first warms up */
    const double begin = seconds();
    const int status = kind == 'i'   ? to_device(device, host, kBytes)
                       : kind == 'o' ? to_host(host, device, kBytes)
                                     : on_device(other, device, kBytes);
    check(status, name);
    check(synchronize(), name);
    if (i >= 0) taken[i] = seconds() - begin;
  }
  qsort(taken, kRuns, sizeof(taken[0]), ascending);
  printf("%-14s %9.2f %9.2f\n", name, 1e-9 * (double)kBytes / taken[0],
         1e-9 * (double)kBytes / taken[kRuns / 2]);
}

int main(void) {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) {
    fprintf(stderr, "bandwidth: no NVIDIA driver: %s\n", dlerror());
    return 1;
  }
  int device = 0;
  void* context = NULL;
  uint64_t memory = 0;
  uint64_t other = 0;
  void* pinned = NULL;
  void* pageable = malloc(kBytes);
  check(((Init)entry("cuInit"))(0), "cuInit");
  check(((DeviceGet)entry("cuDeviceGet"))(&device, 0), "cuDeviceGet");
  check(((Retain)entry("cuDevicePrimaryCtxRetain"))(&context, device), "cuDevicePrimaryCtxRetain");
  check(((SetCurrent)entry("cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  check(((Alloc)entry("cuMemAlloc_v2"))(&memory, kBytes), "cuMemAlloc");
  check(((Alloc)entry("cuMemAlloc_v2"))(&other, kBytes), "cuMemAlloc");
  check(((HostAlloc)entry("cuMemHostAlloc"))(&pinned, kBytes, 0), "cuMemHostAlloc");
  if (pageable == NULL) return 1;
  memset(pageable, 1, kBytes);
  memset(pinned, 1, kBytes);
  to_device = (ToDevice)entry("cuMemcpyHtoD_v2");
  to_host = (ToHost)entry("cuMemcpyDtoH_v2");
  on_device = (OnDevice)entry("cuMemcpyDtoD_v2");
  synchronize = (Synchronize)entry("cuCtxSynchronize");
  printf("%-14s %9s %9s  GB/s of 256 MiB, best and median of %d\n", "copy", "best", "median",
         (int)kRuns);
  measure("HtoD_pinned", 'i', memory, pinned, 0);
  measure("DtoH_pinned", 'o', memory, pinned, 0);
  measure("HtoD_pageable", 'i', memory, pageable, 0);
  measure("DtoH_pageable", 'o', memory, pageable, 0);
  measure("DtoD", 'd', memory, NULL, other);
  free(pageable);
  return 0;
}
