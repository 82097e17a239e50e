#include "trace/attribution.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "trace/map_items.h"
#include "trace/replay.h"

namespace ompdm::trace {
namespace {

constexpr std::uint64_t kPointerSize = 8;

}  // namespace

const std::vector<MapItem>* Replay::items_of(const DataOp& op) const {
  if (!op.region) return nullptr;
  const std::uint32_t list = trace_.regions[op.region.value].map_list;
  return list == kNoList ? nullptr : &trace_.map_lists[list];
}

const ItemIndex* Replay::index_of(const DataOp& op) const {
  constexpr std::size_t kShort = 16;
  const auto* items = items_of(op);
  if (items == nullptr || items->size() <= kShort) return nullptr;
  const std::uint32_t list = trace_.regions[op.region.value].map_list;
  const auto known = indexes_.find(list);
  return known != indexes_.end() ? &known->second : &indexes_.emplace(list, *items).first->second;
}

std::uint32_t Replay::argument_of(const DataOp& op, const OpNote& note, std::uint64_t host) const {
  const auto* items = items_of(op);
  if (items == nullptr) return 0;
  const bool holds = op.kind == OpKind::kAlloc || op.kind == OpKind::kDelete;
  const std::uint32_t told = note.argument <= items->size() ? note.argument : 0;
  if (!holds && told != 0) return told;
  const ItemIndex* index = index_of(op);
  const std::uint32_t found =
      index == nullptr ? item_holding(*items, host, holds) : index->holding(host, holds);
  return found == 0 ? told : found;
}

const MapperPiece* Replay::piece_at(const DataOp& op, std::uint64_t host) const {
  if (!op.region || pieces_.empty()) return nullptr;
  const std::pair wanted(op.region.value, host);
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), wanted,
                                      [](const auto& value, const MapperPiece& piece) {
                                        return value < std::pair(piece.region.value, piece.begin);
                                      });
  if (after == pieces_.begin()) return nullptr;
  const MapperPiece& piece = *std::prev(after);
  const bool holds = piece.region == op.region && host - piece.begin < piece.bytes;
  return holds ? &piece : nullptr;
}

std::uint32_t Replay::map_type_of(const DataOp& op, std::uint32_t argument,
                                  std::uint64_t host) const {
  constexpr std::uint64_t kTold = 0xffff;
  if (argument != 0) return static_cast<std::uint32_t>((*items_of(op))[argument - 1].type & kTold);
  const MapperPiece* piece = piece_at(op, host);
  return piece == nullptr ? 0 : static_cast<std::uint32_t>(piece->type & kTold);
}

const ItemName& Replay::name_of(Index<Site> site, std::size_t argument) const {
  static const ItemName kUnknown;
  if (!site || argument == 0) return kUnknown;
  const auto& names = names_[site.value];
  return argument <= names.size() ? names[argument - 1] : kUnknown;
}

Mention Replay::mention(const DataOp& op, std::uint32_t argument, std::uint64_t host) const {
  const Nanoseconds since = op.region ? trace_.regions[op.region.value].begin : op.begin;
  const MapperPiece* piece = argument == 0 ? piece_at(op, host) : nullptr;
  const ItemName& name = piece == nullptr ? name_of(op.site, argument) : mapper_names_[piece->name];
  return {&name, op.site, argument, since, false};
}

// The variable of the host storage that an operation reads or writes.
Index<Variable> Replay::touch(const DataOp& op, const OpNote& note, std::uint64_t host) {
  const std::uint32_t argument = argument_of(op, note, host);
  Mention how = mention(op, argument, host);
  const Global* global = global_at(host);
  if (global == nullptr) {
    return storage_.touch(host, item_bytes(op, argument, host), how, op.begin);
  }
  // A part of a global is the global.
  if (how.name->base.empty()) how.name = &global->name;
  return storage_.touch(global->address, global->bytes, how, op.begin);
}

bool Replay::is_packed_arguments(const DataOp& op, std::uint32_t argument) const {
  const auto* items = items_of(op);
  if (items == nullptr || argument != 0 || !op.site || piece_at(op, op.src) != nullptr)
    return false;
  if (trace_.sites[op.site.value].directive != Directive::kTarget) return false;
  const ItemIndex* index = index_of(op);
  return (index == nullptr ? packed_size(*items) : index->packed()).allows(op.bytes);
}

// The row of the small private copies that the runtime packs into one buffer of its own.
Index<Variable> Replay::firstprivate(const DataOp& op) {
  const auto [at, is_new] = firstprivate_.emplace(op.site.value, Index<Variable>{});
  if (is_new) {
    at->second = {static_cast<std::uint32_t>(trace_.variables.size())};
    Variable variable;
    variable.name = "firstprivate";
    variable.file = trace_.sites[op.site.value].file;
    variable.line = trace_.sites[op.site.value].line;
    variable.address = op.src;
    const auto* items = items_of(op);
    for (std::uint32_t i = 0; i < items->size(); ++i) {
      const std::string& name = name_of(op.site, i + 1).expression;
      if (!is_packed((*items)[i]) || name.empty()) continue;
      variable.expression += (variable.expression.empty() ? "" : ", ") + name;
    }
    trace_.variables.push_back(std::move(variable));
  }
  Variable& variable = trace_.variables[at->second.value];
  variable.bytes = std::max(variable.bytes, op.bytes);
  return at->second;
}

// A pointer inside mapped storage gets its device value from a shadow that is no storage of the
// program's.
bool Replay::is_pointer_attach(const DataOp& op, const DeviceBlock* block,
                               std::uint32_t argument) const {
  return op.region && op.bytes == kPointerSize && argument == 0 && block != nullptr &&
         block->host != 0 && !block->translates(op.src, op.dst);
}

// A `declare target link` variable's reference on the device, which was never allocated, is pointed
// to its storage. What else a region copies to such an address is a `declare target` variable, and
// comes from it.
bool Replay::is_link_reference(const DataOp& op, const DeviceBlock* block,
                               std::uint32_t argument) const {
  if (op.bytes != kPointerSize || block != nullptr) return false;
  return references_.contains(op.src) ||
         (op.region && argument == 0 && global_at(op.src) == nullptr);
}

// What the runtime hands to its own code on a device, which LLVM tells from version 23 on: the
// environments of an image and of a launch. It lies in no allocation, and neither a map clause nor
// a call asked for it; that can be said only where those are known. From that version on the host
// is told as omp_initial_device.
bool Replay::is_environment(const DataOp& op, const OpNote& note, const DeviceBlock* block,
                            std::uint32_t argument) const {
  if (!note.from_initial_device || block != nullptr || trace_.recording.names != "on" ||
      global_at(op.src) != nullptr) {
    return false;
  }
  if (!op.region) {
    return note.api_call == spool::CallId::kNone &&
           (!op.site || draft_.site_notes[op.site.value].entry < spool::Entry::kMemcpy);
  }
  return items_of(op) != nullptr && argument == 0 && piece_at(op, op.src) == nullptr;
}

// An allocation may hold padding besides the item.
std::uint64_t Replay::item_bytes(const DataOp& op, std::uint32_t argument,
                                 std::uint64_t host) const {
  if (argument == 0) return op.bytes;
  const MapItem& item = (*items_of(op))[argument - 1];
  return item.begin == host ? std::min(op.bytes, item.bytes) : op.bytes;
}

bool Replay::is_descriptor(const DataOp& op, std::uint64_t host, std::uint64_t bytes) const {
  const std::uint32_t list = op.region ? trace_.regions[op.region.value].map_list : kNoList;
  if (list == kNoList || host == 0) return false;
  return std::ranges::any_of(descriptors_[list], [&](const Descriptor& descriptor) {
    return descriptor.holds(host) && host - descriptor.begin + bytes <= descriptor.bytes;
  });
}

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
    block.variable = touch(op, note, op.src);
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
  op.variable = mapped && block->variable ? block->variable : touch(op, note, op.src);
}

void Replay::copy_to_host(DataOp& op, const OpNote& note) {
  const DeviceBlock* block = memory_.find(op.src_device, op.src);
  op.internal = is_descriptor(op, op.dst, op.bytes);
  if (op.internal) return;
  const std::uint32_t argument = argument_of(op, note, op.dst);
  op.map_type = map_type_of(op, argument, op.dst);
  const bool mapped = block != nullptr && block->translates(op.dst, op.src);
  op.variable = mapped && block->variable ? block->variable : touch(op, note, op.dst);
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
  op.variable = touch(op, note, op.src);
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

void Replay::process(std::size_t index) {
  DataOp& op = trace_.ops[index];
  const OpNote& note = draft_.op_notes[index];
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
    const DataOp& op = trace_.ops[i];
    return op.kind == OpKind::kAlloc ? op.end : op.begin;
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
    process(index);
  }
  bind_lists_before(std::numeric_limits<Nanoseconds>::max());
  drop_attach_items(trace_.map_lists);
}

void attribute(Draft& draft) { Replay(draft).run(); }

}  // namespace ompdm::trace
