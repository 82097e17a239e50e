// What an operation is about: the mapped item, the mapper's piece or the variable that its host
// address belongs to. Asks the replay's state; allocations and copies are attribution.cpp's.

#include <algorithm>
#include <iterator>
#include <utility>

#include "trace/map_items.h"
#include "trace/replay.h"

namespace ompdm::trace {
namespace {

constexpr std::uint64_t kPointerSize = 8;

}  // namespace

const std::vector<MapItem>* Replay::items_of(const DataOp& op) const {
  if (!op.region) return nullptr;
  const std::uint32_t list = trace_.regions.common(op.region.value).map_list;
  return list == kNoList ? nullptr : &trace_.map_lists[list];
}

const ItemIndex* Replay::index_of(const DataOp& op) const {
  constexpr std::size_t kShort = 16;
  const auto* items = items_of(op);
  if (items == nullptr || items->size() <= kShort) return nullptr;
  const std::uint32_t list = trace_.regions.common(op.region.value).map_list;
  const auto known = indexes_.find(list);
  return known != indexes_.end() ? &known->second : &indexes_.emplace(list, *items).first->second;
}

std::uint32_t Replay::argument_of(const DataOp& op, const OpNote& note, std::uint64_t host) const {
  const auto* items = items_of(op);
  if (items == nullptr) return 0;
  const bool holds = op.kind == OpKind::kAlloc || op.kind == OpKind::kDelete;
  std::uint32_t told = note.argument <= items->size() ? note.argument : 0;
  // From LLVM 22 on an item of its own attaches the pointer, and lies where the pointer points to.
  if (told != 0 && ((*items)[told - 1].type & kMapAttach) != 0) told = 0;
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
  const Nanoseconds since = op.region ? trace_.regions.begin_of(op.region.value) : op.begin;
  const MapperPiece* piece = argument == 0 ? piece_at(op, host) : nullptr;
  const ItemName& name = piece == nullptr ? name_of(op.site, argument) : mapper_names_[piece->name];
  const Index<CallPath> path = op.region ? trace_.regions.common(op.region.value).path : op.path;
  const calls::Holder holder = op.region ? activations_.of_region(op.region.value, host)
                                         : activations_.of_op(current_.value, host);
  return {&name, op.site, argument, since, false, path, holder, &op, current_};
}

// The host storage that an operation reads or writes.
Meant Replay::touch(const DataOp& op, const OpNote& note, std::uint64_t host) {
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
  const std::uint32_t list = op.region ? trace_.regions.common(op.region.value).map_list : kNoList;
  if (list == kNoList || host == 0) return false;
  return std::ranges::any_of(descriptors_[list], [&](const Descriptor& descriptor) {
    return descriptor.holds(host) && host - descriptor.begin + bytes <= descriptor.bytes;
  });
}

}  // namespace ompdm::trace
