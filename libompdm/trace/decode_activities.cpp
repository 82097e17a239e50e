// Records of what CUPTI told.
#include <array>

#include "trace/decoder.h"

namespace ompdm::trace {
namespace {

std::string text_after(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

// CUpti_ActivityMemoryKind; static kinds are what they are without.
MemoryKind memory_kind(std::uint8_t kind) {
  constexpr std::array kKinds = {MemoryKind::kUnknown, MemoryKind::kPageable, MemoryKind::kPinned,
                                 MemoryKind::kDevice,  MemoryKind::kArray,    MemoryKind::kManaged,
                                 MemoryKind::kDevice,  MemoryKind::kManaged};
  return kind < kKinds.size() ? kKinds[kind] : MemoryKind::kUnknown;
}

// CUpti_ActivityMemcpyKind: unknown, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP.
ActivityKind copy_kind(std::uint8_t kind) {
  constexpr std::array kKinds = {ActivityKind::kDtoD, ActivityKind::kHtoD, ActivityKind::kDtoH,
                                 ActivityKind::kHtoD, ActivityKind::kDtoH, ActivityKind::kDtoD,
                                 ActivityKind::kDtoD, ActivityKind::kDtoD, ActivityKind::kDtoD,
                                 ActivityKind::kHtoH, ActivityKind::kDtoD};
  return kind < kKinds.size() ? kKinds[kind] : ActivityKind::kDtoD;
}

// CUpti_ActivitySynchronizationType.
SynchronizationKind synchronization_kind(std::uint8_t type) {
  constexpr std::array kKinds = {SynchronizationKind::kUnknown, SynchronizationKind::kEvent,
                                 SynchronizationKind::kStreamWaitEvent,
                                 SynchronizationKind::kStream, SynchronizationKind::kContext};
  return type < kKinds.size() ? kKinds[type] : SynchronizationKind::kUnknown;
}

}  // namespace

void Decoder::add_activity_name(const Record& record) {
  const auto row = record.as<spool::ActivityName>();
  if (!row) return void(++unreadable);
  activity_names_[{lane_.number, row->id}] =
      static_cast<std::uint32_t>(draft_.activity_names.size());
  draft_.activity_names.push_back(text_after(record.tail<spool::ActivityName>(row->size)));
}

DeviceActivity Decoder::activity_of(const spool::KernelActivity& row) {
  DeviceActivity activity;
  activity.kind = ActivityKind::kKernel;
  activity.device = device_number(row.device);
  activity.stream = row.stream;
  activity.context = row.context;
  activity.correlation = row.correlation;
  activity.begin = static_cast<Nanoseconds>(row.begin);
  activity.end = static_cast<Nanoseconds>(row.end);
  activity.grid = {row.grid_x, row.grid_y, row.grid_z};
  activity.block = {row.block[0], row.block[1], row.block[2]};
  activity.registers = row.registers;
  activity.static_shared = row.static_shared;
  activity.dynamic_shared = row.dynamic_shared;
  return activity;
}

void Decoder::add_kernel_activity(const Record& record) {
  const auto row = record.as<spool::KernelActivity>();
  if (!row) return void(++unreadable);
  draft_.trace.activities.push_back(activity_of(*row));
  draft_.activity_notes.push_back({find_activity_name(lane_.number, row->name)});
}

DeviceActivity Decoder::activity_of(const spool::MemoryActivity& row) {
  const auto work = static_cast<spool::MemoryWork>(row.head.flags);
  DeviceActivity activity;
  activity.kind =
      work == spool::MemoryWork::kMemset ? ActivityKind::kMemset : copy_kind(row.copy_kind);
  activity.source = memory_kind(row.source_kind);
  activity.destination = memory_kind(row.destination_kind);
  activity.device = device_number(row.device);
  if (work == spool::MemoryWork::kPeerCopy) {
    activity.source_device = device_number(row.source_device);
    activity.destination_device = device_number(row.destination_device);
  }
  activity.stream = row.stream;
  activity.context = row.context;
  activity.correlation = row.correlation;
  activity.begin = static_cast<Nanoseconds>(row.begin);
  activity.end = static_cast<Nanoseconds>(row.end);
  activity.bytes = row.bytes;
  return activity;
}

void Decoder::add_memory_activity(const Record& record) {
  const auto row = record.as<spool::MemoryActivity>();
  if (!row) return void(++unreadable);
  draft_.trace.activities.push_back(activity_of(*row));
  draft_.activity_notes.push_back({});
}

void Decoder::add_external_id(const Record& record) {
  const auto row = record.as<spool::ExternalId>();
  if (!row) return void(++unreadable);
  draft_.external_ids[row->correlation] = row->id;
}

void Decoder::add_synchronization(const Record& record) {
  const auto row = record.as<spool::Synchronization>();
  if (!row) return void(++unreadable);
  constexpr std::uint32_t kNoStream = 0xffffffff;
  Synchronization wait;
  wait.kind = synchronization_kind(row->head.flags);
  wait.context = row->context;
  wait.stream = row->stream == kNoStream ? 0 : row->stream;
  wait.correlation = row->correlation;
  wait.begin = static_cast<Nanoseconds>(row->begin);
  wait.end = static_cast<Nanoseconds>(row->end);
  draft_.trace.synchronizations.push_back(wait);
}

void Decoder::add_cupti_clock(const Record& record) {
  const auto row = record.as<spool::CuptiClock>();
  if (!row) return void(++unreadable);
  draft_.cupti_clock.push_back({row->cupti_ns, row->monotonic_ns, row->uncertainty});
}

void Decoder::add_cuda_device(const Record& record) {
  const auto row = record.as<spool::CudaDevice>();
  if (!row) return void(++unreadable);
  Device device;
  device.number = device_number(row->number);
  device.type = "sm_" + std::to_string(row->compute_capability);
  device.name = text_after(record.tail<spool::CudaDevice>(row->size));
  device.multiprocessors = row->multiprocessors;
  device.threads_per_multiprocessor = row->threads_per_multiprocessor;
  device.blocks_per_multiprocessor = row->blocks_per_multiprocessor;
  device.registers_per_multiprocessor = row->registers_per_multiprocessor;
  device.shared_per_multiprocessor = row->shared_per_multiprocessor;
  const std::int32_t ordinal = device_number(row->ordinal);
  if (ordinal >= 0) draft_.cuda_devices.push_back({ordinal, std::move(device)});
}

}  // namespace ompdm::trace
