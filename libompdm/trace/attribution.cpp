#include "trace/attribution.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "trace/map_items.h"
#include "trace/replay.h"

namespace ompdm::trace {
void Replay::allocate(DataOp& op, const OpNote& note) {
  // What lay here before was never freed, or went with its device.
  if (const auto old = memory_.release(op.dst_device, op.dst);
      old && old->host != 0 && !old->internal) {
    storage_.release(old->host, op.begin);
  }
  DeviceBlock block{op.dst, op.bytes, op.src, {}, op.site, 0};
  const std::uint32_t argument = argument_of(op, note, op.src);
  op.map_type = block.map_type = map_type_of(op, argument, op.src);
  op.internal = block.internal = is_descriptor(op, op.src, item_bytes(op, argument, op.src));
  if (op.internal) return memory_.allocate(op.dst_device, block);
  if (op.src != 0 && is_packed_arguments(op, argument)) {
    block.variable = firstprivate(op);
  } else if (op.src != 0) {
    const Meant meant = touch(op, note, op.src);
    block.variable = meant.variable;
    op.storage = meant.storage;
    storage_.acquire(op.src);
  }
  op.variable = block.variable;
  if (op.dst != 0) memory_.allocate(op.dst_device, block);
}

void Replay::copy_to_device(DataOp& op, const OpNote& note) {
  const DeviceBlock* block = memory_.find(op.dst_device, op.dst);
  const std::uint32_t argument = argument_of(op, note, op.src);
  if (op.internal) return;
  if (is_pointer_attach(op, block, argument) || is_link_reference(op, block, argument) ||
      is_environment(op, note, block, argument) || is_descriptor(op, op.src, op.bytes)) {
    op.internal = true;
    return;
  }
  op.map_type = map_type_of(op, argument, op.src);
  const bool mapped = block != nullptr && block->translates(op.src, op.dst);
  op.variable = mapped && block->variable ? block->variable : touch(op, note, op.src).variable;
  storage_.note_content(op.src, current_);
}

void Replay::copy_to_host(DataOp& op, const OpNote& note) {
  const DeviceBlock* block = memory_.find(op.src_device, op.src);
  op.internal = is_descriptor(op, op.dst, op.bytes);
  if (op.internal) return;
  const std::uint32_t argument = argument_of(op, note, op.dst);
  op.map_type = map_type_of(op, argument, op.dst);
  const bool mapped = block != nullptr && block->translates(op.dst, op.src);
  op.variable = mapped && block->variable ? block->variable : touch(op, note, op.dst).variable;
  storage_.note_content(op.dst, current_);
}

void Replay::copy_on_devices(DataOp& op) {
  const DeviceBlock* block = memory_.find(op.dst_device, op.dst);
  if (block == nullptr || !block->variable) {
    const DeviceBlock* from = memory_.find(op.src_device, op.src);
    if (from != nullptr) block = from;
  }
  if (block != nullptr) op.variable = block->variable;
}

void Replay::free(DataOp& op, const OpNote& note) {
  const auto block = memory_.release(op.src_device, op.src);
  if (!block) return;
  op.variable = block->variable;
  op.internal = block->internal;
  const std::uint32_t argument = argument_of(op, note, block->host);
  op.map_type = argument == 0 ? block->map_type : map_type_of(op, argument, block->host);
  if (op.bytes == 0) op.bytes = block->bytes;
  if (block->host != 0 && !block->internal) storage_.release(block->host, op.begin);
  // What a nowait region left to be freed comes from a thread of the runtime, after the region's
  // end.
  const bool unowned = !op.region && (!op.site || draft_.site_notes[op.site.value].in_runtime);
  if (unowned) op.site = block->site;
}

void Replay::associate(DataOp& op, const OpNote& note) {
  const Meant meant = touch(op, note, op.src);
  op.variable = meant.variable;
  op.storage = meant.storage;
  storage_.acquire(op.src);
  memory_.associate(op.dst_device, {op.dst, op.bytes, op.src, op.variable, op.site, 0});
}

void Replay::disassociate(DataOp& op) {
  std::int32_t device = op.dst_device;
  if (device == trace_.host_device) device = op.src_device;
  const auto block = memory_.disassociate(device, op.src);
  if (!block) return;
  op.variable = block->variable;
  if (op.bytes == 0) op.bytes = block->bytes;
  if (op.dst == 0) op.dst = block->begin;
  storage_.release(block->host, op.begin);
}

void Replay::process(DataOp& op, const OpNote& note) {
  settle(op.site);
  switch (op.kind) {
    case OpKind::kAlloc:
      return allocate(op, note);
    case OpKind::kHtoD:
      return copy_to_device(op, note);
    case OpKind::kDtoH:
      return copy_to_host(op, note);
    case OpKind::kDtoD:
    case OpKind::kMemset:
      return copy_on_devices(op);
    case OpKind::kDelete:
      return free(op, note);
    case OpKind::kAssociate:
      return associate(op, note);
    case OpKind::kDisassociate:
      return disassociate(op);
  }
}

void Replay::run() {
  // An allocation takes effect at its end: until then a delete of the same address may still come.
  const auto effect = [this](std::uint32_t i) {
    const bool is_alloc = trace_.ops.common(i).kind == OpKind::kAlloc;
    return is_alloc ? trace_.ops.end_of(i) : trace_.ops.begin_of(i);
  };
  std::vector<std::uint32_t> order(trace_.ops.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(effect(a), a) < std::pair(effect(b), b);
  };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) {
    std::sort(order.begin(), order.end(), earlier);
  }
  for (const std::uint32_t index : order) {
    bind_lists_before(effect(index));
    current_ = {index};
    process(*trace_.ops.edit(index), draft_.op_notes[index]);
  }
  bind_lists_before(std::numeric_limits<Nanoseconds>::max());
  drop_attach_items(trace_.map_lists);
}

void attribute(Draft& draft) { Replay(draft).run(); }

}  // namespace ompdm::trace
