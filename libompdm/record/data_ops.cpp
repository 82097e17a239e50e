// Data operations: ompt_callback_target_data_op_emi, and the API calls that they belong to.
#include <atomic>

#include "record/call_paths.h"
#include "record/clock.h"
#include "record/cupti.h"
#include "record/definitions.h"
#include "record/device_blocks.h"
#include "record/entry_points.h"
#include "record/hashing.h"
#include "record/modules.h"
#include "record/ompt_callbacks.h"
#include "record/sites.h"
#include "record/thread_buffer.h"

namespace ompdm::record {

namespace {

ompt_get_task_info_t get_task_info = nullptr;
// Until the program calls an asynchronous routine, no operation looks for its task.
std::atomic<bool> async_was_called{false};

// The layout of a task's data: a return address, the routine, and a number of the call.
constexpr unsigned kAddressBits = 48;
constexpr unsigned kEntryBits = 8;

std::uint64_t packed(spool::Entry entry, const void* codeptr, std::uint64_t number) noexcept {
  return reinterpret_cast<std::uint64_t>(codeptr) |
         static_cast<std::uint64_t>(entry) << kAddressBits | number << (kAddressBits + kEntryBits);
}

bool from_device(ompt_target_data_op_t optype, std::int32_t dst_device) noexcept {
  const ompt_target_data_op_t kind = synchronous_form(optype);
  if (kind == ompt_target_data_transfer || kind == ompt_target_data_transfer_rect) {
    return device_is_host(dst_device);
  }
  return kind == ompt_target_data_transfer_from_device;
}

// All but the map item.
inline void take_fields(const Operation& op, spool::OpFields& fields) noexcept {
  fields[spool::kOpSrc] = reinterpret_cast<std::uint64_t>(op.src);
  fields[spool::kOpDst] = reinterpret_cast<std::uint64_t>(op.dst);
  fields[spool::kOpBytes] = op.bytes;
  fields[spool::kOpDevices] = static_cast<std::uint32_t>(op.src_device) |
                              std::uint64_t{static_cast<std::uint32_t>(op.dst_device)} << 32U;
  fields[spool::kOpWhat] = static_cast<std::uint16_t>(op.optype);
}

// An API call that made an operation.
struct ApiCall {
  const void* codeptr;
  std::uint64_t stack;  ///< place of codeptr on the stack; 0: unknown
  spool::Entry entry;   ///< kNone if no wrapper saw the call
  spool::CallId id;     ///< kNone if no wrapper saw the call
};

// The API call that made an operation with this codeptr_ra.
[[gnu::noinline]] ApiCall api_call_of(ThreadBuffer& buffer, const void* codeptr) noexcept {
  if (this_thread.api_codeptr == codeptr) {
    return {codeptr, this_thread.api_stack, this_thread.api_entry, this_thread.api_call};
  }
  ompt_data_t* task = nullptr;
  if (!async_was_called.load(std::memory_order_relaxed) ||
      get_task_info(0, nullptr, &task, nullptr, nullptr, nullptr) == 0 || task == nullptr ||
      task->value == 0 || is_deferral(*task)) {
    scan_modules();  // a library may have been opened since, in the place of another one
    return {codeptr, 0, spool::Entry::kNone, spool::CallId::kNone};
  }
  if (task->value != buffer.async_call) {
    buffer.async_call = task->value;
    buffer.async_id = spool::give_next(buffer.last_api_call);
  }
  constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kAddressBits) - 1;
  return {reinterpret_cast<const void*>(task->value & kAddressMask), 0,
          static_cast<spool::Entry>(task->value >> kAddressBits & 0xff), buffer.async_id};
}

// The origin of an operation: its region's site, or that of the API call.
Origin origin_of(ThreadBuffer& buffer, const ompt_data_t* target, const void* codeptr) noexcept {
  if (OpenRegion* region = region_of(buffer, target)) [[likely]] {
    return {region, region->site, spool::CallId::kNone, spool::PathId::kNone};
  }
  const ApiCall made = api_call_of(buffer, codeptr);
  Call call{};
  call.codeptr = made.codeptr;
  call.stack = made.stack;
  call.entry = made.entry;
  SiteSlot* site = site_of(buffer, call);
  const spool::PathId path = site != nullptr && made.stack != 0
                                 ? call_path_of(buffer, *site, call).path
                                 : spool::PathId::kNone;
  return {nullptr, site, made.id, path};
}

[[gnu::noinline]] void hash_before(ThreadBuffer& buffer, const ompt_data_t* target,
                                   const void* codeptr, const Operation& op) noexcept {
  hash_before(buffer, origin_of(buffer, target, codeptr), op);
}

// Ties the operation's activities to its aggregate.
[[gnu::noinline]] void begin_aggregated(ThreadBuffer& buffer, const ompt_data_t* target,
                                        const void* codeptr, const Operation& op) noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) {
    begin_aggregated_external(buffer.id,
                              sample_of_op(buffer, origin_of(buffer, target, codeptr), op));
  }
}

// Whether a block is for the data of a map item, not for a kernel's own copy.
[[gnu::noinline]] bool is_mapped(ThreadBuffer& buffer, const ompt_data_t* target,
                                 const void* host) noexcept {
  const OpenRegion* region = region_of(buffer, target);
  if (region == nullptr || host == nullptr) {
    return false;
  }
  const std::uint16_t argument =
      argument_of(region->call.map, reinterpret_cast<std::uint64_t>(host), buffer.last_argument);
  return argument != 0 && (item_of(region->call.map, argument - 1U).type & kPrivate) == 0;
}

// Whether the operation belongs to an API call whose first operations were aggregated.
bool was_aggregated(ThreadBuffer& buffer, const void* codeptr) noexcept {
  return buffer.aggregated_call != spool::CallId::kNone &&
         api_call_of(buffer, codeptr).id == buffer.aggregated_call;
}

void begin_op(ThreadBuffer& buffer, const ompt_data_t* target, const void* codeptr,
              const Operation& op) noexcept {
  if (buffer.op_begin != 0) [[unlikely]] {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  const OpenRegion* region = region_of(buffer, target);
  buffer.aggregates_op =
      is_aggregated(region) || (region == nullptr && was_aggregated(buffer, codeptr));
  if (buffer.aggregates_op) [[unlikely]] {
    begin_aggregated(buffer, target, codeptr, op);
    buffer.op_begin = ticks();
    return;
  }
  if (recorder.contents) {
    hash_before(buffer, target, codeptr, op);
  }
  buffer.op_begin = ticks();
  begin_external(buffer.id, buffer.op_begin);
}

// The end of an operation outside of regions, or of one that has a content.
[[gnu::noinline]] void end_other(ThreadBuffer& buffer, const ompt_data_t* target,
                                 const void* codeptr, const Operation& op, std::uint64_t begin,
                                 std::uint64_t end) noexcept {
  const Origin origin = origin_of(buffer, target, codeptr);
  if (origin.region != nullptr ? origin.region->aggregated : buffer.aggregates_op) {
    buffer.content.transfer = {};
    return aggregate_op(buffer, origin, op, begin, end);
  }
  if (origin.region != nullptr ? record_region_op(buffer, *origin.region, op, begin, end)
                               : record_api_op(buffer, origin, op, begin, end, 0)) {
    hash_after(buffer, origin, op);
  }
}

void end_op(ThreadBuffer& buffer, const ompt_data_t* target, const void* codeptr,
            const Operation& op, std::uint64_t end) noexcept {
  std::uint64_t begin = buffer.op_begin;
  buffer.op_begin = 0;
  if (begin == 0) [[unlikely]] {
    begin = end;
    buffer.aggregates_op = is_aggregated(nullptr);
    count_loss(spool::Loss::kOpsUnmatched);
  }
  OpenRegion* region = region_of(buffer, target);
  if (region != nullptr && region->aggregated) [[unlikely]] {
    aggregate_op(buffer, {region, region->site, spool::CallId::kNone, region->path}, op, begin,
                 end);
  } else if (region == nullptr || buffer.content.transfer.host != nullptr) [[unlikely]] {
    end_other(buffer, target, codeptr, op, begin, end);
  } else {
    record_region_op(buffer, *region, op, begin, end);
  }
}

}  // namespace

void note_api_call(spool::Entry entry, const void* codeptr, std::uint64_t stack) noexcept {
  ThreadBuffer* buffer = current_buffer();
  if (buffer == nullptr) {
    return;
  }
  this_thread.api_codeptr = codeptr;
  this_thread.api_stack = stack;
  this_thread.api_entry = entry;
  this_thread.api_call = spool::give_next(buffer->last_api_call);
}

void note_async_call(spool::Entry entry, const void* codeptr) noexcept {
  if (get_task_info == nullptr || reinterpret_cast<std::uint64_t>(codeptr) >> kAddressBits != 0) {
    return;
  }
  static std::atomic<std::uint8_t> number{0};
  async_was_called.store(true, std::memory_order_relaxed);
  this_thread.async_call = packed(entry, codeptr, number.fetch_add(1, std::memory_order_relaxed));
}

void on_task_create(ompt_data_t* /*encountering_task*/, const ompt_frame_t* frame,
                    ompt_data_t* new_task, int flags, int /*has_dependences*/,
                    const void* codeptr) {
  if (new_task == nullptr) {
    return;
  }
  // A call that failed makes no task: then the next task is of another call of the program.
  if (this_thread.async_call != 0 && is_in_offload_runtime(codeptr)) {
    new_task->value = this_thread.async_call;
    this_thread.async_call = 0;
  } else if ((flags & ompt_task_target) != 0 && !is_in_offload_runtime(codeptr)) {
    note_deferral(frame, *new_task, codeptr);
  }
}

void prepare_api_calls(ompt_function_lookup_t lookup) noexcept {
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
}

std::uint64_t host_address(const Operation& op) noexcept {
  const void* host = from_device(op.optype, op.dst_device) ? op.dst : op.src;
  return synchronous_form(op.optype) == ompt_target_data_delete
             ? 0
             : reinterpret_cast<std::uint64_t>(host);
}

// Records the operation as the difference to the operation at the same position in the context's
// last region. If it is equal, and the map items are, its map item is equal too.
bool record_region_op(ThreadBuffer& buffer, OpenRegion& region, const Operation& op,
                      std::uint64_t begin, std::uint64_t end) noexcept {
  std::byte* at = room_for(buffer, spool::kMostEventBytes);
  if (at == nullptr) {
    return false;
  }
  Context& context = *region.context;
  know_in_chunk(buffer, context);
  const spool::OpCursor::Place place = region.ops.next(
      context.last, [&](std::size_t size) { return buffer.contexts.pages.get(size); });
  if (place.block == nullptr) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return false;
  }
  spool::OpFields& last = place.fields();
  spool::OpFields now;
  take_fields(op, now);
  now[spool::kOpWhat] |= last[spool::kOpWhat] >> spool::kOpArgumentAt << spool::kOpArgumentAt;
  spool::EventWriter event(at, spool::Event::kOp, begin - buffer.instant);
  event.second(end - begin);
  if (place.note() != context.changes || !spool::are_equal(now, last)) [[unlikely]] {
    now[spool::kOpWhat] =
        static_cast<std::uint16_t>(op.optype) |
        std::uint64_t{argument_of(region.call.map, host_address(op), buffer.last_argument)}
            << spool::kOpArgumentAt;
    if (!spool::are_equal(now, last)) {
      event.fields(now, last);
    }
    place.note() = context.changes;
  }
  region.ops.go_on();
  buffer.cursor = event.commit();
  buffer.instant = end;
  ++buffer.op_count;
  return true;
}

// Records the operation as the difference to the buffer's last one outside of regions.
bool record_api_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                   std::uint64_t begin, std::uint64_t end, std::uint32_t sample) noexcept {
  std::byte* at = room_for(buffer, spool::kMostEventBytes);
  if (at == nullptr) {
    return false;
  }
  spool::OpFields now;
  take_fields(op, now);
  now[spool::kOpWhat] |= std::uint64_t{sample} << spool::kOpSampleAt;
  const spool::ApiFields api = {number(origin.api_call),
                                origin.site != nullptr ? number(origin.site->id) : 0,
                                number(origin.path)};
  spool::EventWriter event(at, spool::Event::kApiOp, begin - buffer.instant);
  event.second(end - begin);
  if (!spool::are_equal(now, buffer.api_op) || !spool::are_equal(api, buffer.api)) {
    event.fields(now, buffer.api_op);
    event.fields(api, buffer.api);
  }
  buffer.cursor = event.commit();
  buffer.instant = end;
  ++buffer.op_count;
  if (sample == 0) {
    buffer.recorded_call = origin.api_call;
  }
  return true;
}

void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t* /*target_task*/, ompt_data_t* target,
                ompt_id_t* /*host_op_id*/, ompt_target_data_op_t optype, void* src, int src_device,
                void* dst, int dst_device, std::size_t bytes, const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_end ? ticks() : 0;
  if (!recording()) [[unlikely]] {
    return;
  }
  const Inside inside;
  ThreadBuffer* buffer = inside ? current_buffer() : nullptr;
  if (buffer == nullptr) [[unlikely]] {
    return;
  }
  const Operation op{src, dst, bytes, src_device, dst_device, optype};
  if (endpoint != ompt_scope_end) {
    begin_op(*buffer, target, codeptr, op);
    if (checks_blocks()) [[unlikely]] {
      const bool allocates = optype == ompt_target_data_alloc;
      prepare_blocks(allocates ? bytes : 0,
                     allocates && is_mapped(*buffer, target, src) ? src : nullptr);
    }
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    forget_awaited_block();
    end_op(*buffer, target, codeptr, op, now != 0 ? now : buffer->op_begin);
  }
}

}  // namespace ompdm::record
