// Records of CUPTI's activity API as CUPTI 13 lays them out, or, with STANDIN_CUPTI_11, as CUPTI
// 11.0 did.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin::cupti {

enum Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kConcurrentKernel = 10,
  kMemcpy2 = 22,
  kSynchronization = 38,
  kExternalCorrelation = 39,
};

struct [[gnu::packed, gnu::aligned(8)]] Kernel {
  std::uint32_t kind;
  std::uint8_t cache;
  std::uint8_t shared_config;
  std::uint16_t registers;
  std::uint32_t partitioned[2];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3], static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout[2], padding;
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit, graph;
#ifndef STANDIN_CUPTI_11
  void* access_policy;
  std::uint32_t channel[2], cluster[4];
  std::uint64_t local_total_v2;
  std::uint32_t clusters[2];
  std::uint8_t device_launched, padding2[7];
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Memcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind, src_kind, dst_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation, runtime_correlation, pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
  std::uint8_t device_launched, pad2[3];
  std::uint64_t copy_count;
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] PeerMemcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind, src_kind, dst_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, src_device, src_context, dst_device, dst_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Memset {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
  std::uint8_t device_launched, pad2[3];
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Api {
  std::uint32_t kind, cbid;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, return_value;
};

struct [[gnu::packed, gnu::aligned(8)]] External {
  std::uint32_t kind, external_kind;
  std::uint64_t id;
  std::uint32_t correlation, reserved;
};

struct [[gnu::packed, gnu::aligned(8)]] Synchronization {
  std::uint32_t kind, type;
  std::uint64_t start, end;
  std::uint32_t correlation, context, stream, event;
#ifndef STANDIN_CUPTI_11
  std::uint64_t event_sync;
  std::uint32_t return_value, pad;
#endif
};

// Layouts of cupti_activity.h (CUDA 13.0) and cupti_activity_deprecated.h (CUDA 11.0).
#ifdef STANDIN_CUPTI_11
static_assert(sizeof(Kernel) == 160 && sizeof(Memcpy) == 80 && sizeof(PeerMemcpy) == 88 &&
              sizeof(Synchronization) == 40);
inline constexpr std::uint32_t kVersion = 13;  // cuptiGetVersion of CUDA 11.0
#else
static_assert(sizeof(Kernel) == 216 && sizeof(Memcpy) == 96 && sizeof(PeerMemcpy) == 96 &&
              sizeof(Synchronization) == 56);
inline constexpr std::uint32_t kVersion = 130001;
#endif

inline std::size_t size_of(std::uint32_t kind) {
  switch (kind) {
    case kMemcpy:
      return sizeof(Memcpy);
    case kMemcpy2:
      return sizeof(PeerMemcpy);
    case kMemset:
      return sizeof(Memset);
    case kConcurrentKernel:
      return sizeof(Kernel);
    case kDriver:
      return sizeof(Api);
    case kExternalCorrelation:
      return sizeof(External);
    case kSynchronization:
      return sizeof(Synchronization);
    default:
      return 0;
  }
}

}  // namespace standin::cupti
