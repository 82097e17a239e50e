#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record::cupti {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kMultipleSubscribers = 39;
inline constexpr Result kUnknownError = 999;  ///< what most calls answer without a driver

/// CUpti_ActivityKind.
enum class Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kConcurrentKernel = 10,
  kMemcpyPeer = 22,  ///< CUPTI_ACTIVITY_KIND_MEMCPY2
  kSynchronization = 38,
  kExternalCorrelation = 39,
};

inline constexpr std::uint32_t kCustom0 = 3;      ///< CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
inline constexpr std::uint32_t kFlushForced = 1;  ///< CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

/// CUpti_ActivityKernel5 to 10.
struct [[gnu::packed, gnu::aligned(8)]] KernelRecord {
  Kind kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers;
  std::uint32_t partitioned_cache[2];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
};

/// The fields that all copies begin with. Packed: further fields follow without padding.
struct [[gnu::packed]] CopyHead {
  Kind kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t destination_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};

/// CUpti_ActivityMemcpy4 to 6.
struct [[gnu::packed, gnu::aligned(8)]] MemcpyRecord {
  CopyHead copy;
  std::uint32_t correlation;
};

/// CUpti_ActivityMemcpyPtoP3 and 4.
struct [[gnu::packed, gnu::aligned(8)]] PeerRecord {
  CopyHead copy;
  std::uint32_t source_device;
  std::uint32_t source_context;
  std::uint32_t destination_device;
  std::uint32_t destination_context;
  std::uint32_t correlation;
};

/// CUpti_ActivityMemset3 and 4.
struct [[gnu::packed, gnu::aligned(8)]] MemsetRecord {
  Kind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
};

/// CUpti_ActivityExternalCorrelation.
struct [[gnu::packed, gnu::aligned(8)]] ExternalRecord {
  Kind kind;
  std::uint32_t external_kind;
  std::uint64_t id;
  std::uint32_t correlation;
};

/// CUpti_ActivitySynchronization and, from CUDA 12.8, 2.
struct [[gnu::packed, gnu::aligned(8)]] SynchronizationRecord {
  Kind kind;
  std::uint32_t type;  ///< CUpti_ActivitySynchronizationType
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;  ///< 0xffffffff: none
  std::uint32_t event;   ///< 0xffffffff: none
};

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid);
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);

/// The functions. Those of the second group are missing from older versions and may be null.
struct Functions {
  Result (*get_version)(std::uint32_t* version);
  Result (*get_result_string)(Result result, const char** text);
  Result (*subscribe)(void** subscriber, Callback callback, void* user);
  Result (*unsubscribe)(void* subscriber);
  Result (*register_callbacks)(RequestBuffer request, CompleteBuffer complete);
  Result (*enable)(Kind kind);
  Result (*flush_all)(std::uint32_t flag);
  Result (*next_record)(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);
  Result (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped);
  Result (*push_external)(std::uint32_t kind, std::uint64_t id);
  Result (*pop_external)(std::uint32_t kind, std::uint64_t* id);
  Result (*get_timestamp)(std::uint64_t* time);

  Result (*register_timestamp)(std::uint64_t (*callback)());
  Result (*flush_period)(std::uint32_t milliseconds);
  Result (*enable_driver_api)(std::uint32_t cbid, std::uint8_t enable);
};

}  // namespace ompdm::record::cupti
