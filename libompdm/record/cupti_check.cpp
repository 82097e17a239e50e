// Compiled only where configure finds CUPTI's own header: our declarations against it.
#include <cupti.h>

#include <utility>

#include "record/cupti_api.h"

namespace ompdm::record::cupti {

#define OMPDM_SAME(Ours, our_field, Theirs, their_field)                      \
  static_assert(offsetof(Ours, our_field) == offsetof(Theirs, their_field) && \
                sizeof(std::declval<Ours>().our_field) == sizeof(Theirs::their_field))

#if CUPTI_API_VERSION >= 130000
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using Peer = CUpti_ActivityMemcpyPtoP4;
using Memset = CUpti_ActivityMemset4;
using Synchronization = CUpti_ActivitySynchronization2;
#else
using Kernel = CUpti_ActivityKernel5;
using Memcpy = CUpti_ActivityMemcpy4;
using Peer = CUpti_ActivityMemcpyPtoP3;
using Memset = CUpti_ActivityMemset3;
using Synchronization = CUpti_ActivitySynchronization;
#endif

OMPDM_SAME(KernelRecord, kind, Kernel, kind);
OMPDM_SAME(KernelRecord, registers, Kernel, registersPerThread);
OMPDM_SAME(KernelRecord, start, Kernel, start);
OMPDM_SAME(KernelRecord, end, Kernel, end);
OMPDM_SAME(KernelRecord, device, Kernel, deviceId);
OMPDM_SAME(KernelRecord, context, Kernel, contextId);
OMPDM_SAME(KernelRecord, stream, Kernel, streamId);
static_assert(offsetof(KernelRecord, grid) == offsetof(Kernel, gridX) &&
              offsetof(KernelRecord, block) == offsetof(Kernel, blockX));
OMPDM_SAME(KernelRecord, static_shared, Kernel, staticSharedMemory);
OMPDM_SAME(KernelRecord, dynamic_shared, Kernel, dynamicSharedMemory);
OMPDM_SAME(KernelRecord, correlation, Kernel, correlationId);
OMPDM_SAME(KernelRecord, name, Kernel, name);

OMPDM_SAME(MemcpyRecord, copy.copy_kind, Memcpy, copyKind);
OMPDM_SAME(MemcpyRecord, copy.source_kind, Memcpy, srcKind);
OMPDM_SAME(MemcpyRecord, copy.destination_kind, Memcpy, dstKind);
OMPDM_SAME(MemcpyRecord, copy.bytes, Memcpy, bytes);
OMPDM_SAME(MemcpyRecord, copy.start, Memcpy, start);
OMPDM_SAME(MemcpyRecord, copy.end, Memcpy, end);
OMPDM_SAME(MemcpyRecord, copy.device, Memcpy, deviceId);
OMPDM_SAME(MemcpyRecord, copy.stream, Memcpy, streamId);
OMPDM_SAME(MemcpyRecord, correlation, Memcpy, correlationId);

OMPDM_SAME(PeerRecord, copy.bytes, Peer, bytes);
OMPDM_SAME(PeerRecord, copy.start, Peer, start);
OMPDM_SAME(PeerRecord, source_device, Peer, srcDeviceId);
OMPDM_SAME(PeerRecord, destination_device, Peer, dstDeviceId);
OMPDM_SAME(PeerRecord, correlation, Peer, correlationId);

OMPDM_SAME(MemsetRecord, bytes, Memset, bytes);
OMPDM_SAME(MemsetRecord, start, Memset, start);
OMPDM_SAME(MemsetRecord, memory_kind, Memset, memoryKind);
OMPDM_SAME(MemsetRecord, correlation, Memset, correlationId);

OMPDM_SAME(SynchronizationRecord, type, Synchronization, type);
OMPDM_SAME(SynchronizationRecord, start, Synchronization, start);
OMPDM_SAME(SynchronizationRecord, end, Synchronization, end);
OMPDM_SAME(SynchronizationRecord, correlation, Synchronization, correlationId);
OMPDM_SAME(SynchronizationRecord, context, Synchronization, contextId);
OMPDM_SAME(SynchronizationRecord, stream, Synchronization, streamId);
OMPDM_SAME(SynchronizationRecord, event, Synchronization, cudaEventId);

OMPDM_SAME(ExternalRecord, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
OMPDM_SAME(ExternalRecord, id, CUpti_ActivityExternalCorrelation, externalId);
OMPDM_SAME(ExternalRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);

static_assert(static_cast<int>(Kind::kMemcpy) == CUPTI_ACTIVITY_KIND_MEMCPY &&
              static_cast<int>(Kind::kMemset) == CUPTI_ACTIVITY_KIND_MEMSET &&
              static_cast<int>(Kind::kDriver) == CUPTI_ACTIVITY_KIND_DRIVER &&
              static_cast<int>(Kind::kConcurrentKernel) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
              static_cast<int>(Kind::kMemcpyPeer) == CUPTI_ACTIVITY_KIND_MEMCPY2 &&
              static_cast<int>(Kind::kSynchronization) == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION &&
              static_cast<int>(Kind::kExternalCorrelation) ==
                  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
static_assert(kCustom0 == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 &&
              kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED &&
              kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
              kUnknownError == CUPTI_ERROR_UNKNOWN);

}  // namespace ompdm::record::cupti
