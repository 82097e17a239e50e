// Operations to variables: the run's mappings replayed.
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "attribution/map_items.h"
#include "attribution/storage.h"
#include "spool_reader/passes.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

constexpr std::uint64_t kPointerSize = 8;

/// Replays the operations of a decoded trace in the order in which they took effect.
class Replay {
 public:
  explicit Replay(DecodedTrace& decoded)
      : decoded_(decoded),
        trace_(decoded.trace),
        order_(decoded.trace),
        activations_(decoded.trace, order_),
        source_calls_(decoded.trace),
        storage_(decoded.trace, source_calls_) {
    names_.reserve(decoded.site_extras.size());
    for (const SiteExtra& extra : decoded.site_extras) {
      auto& names = names_.emplace_back();
      for (const std::string& name : extra.names) names.push_back(parse_item(name));
    }
    descriptors_.resize(trace_.map_lists.size());
    for (std::size_t i = 0; i < trace_.map_lists.size(); ++i) {
      if (!decoded.list_sites[i]) continue;
      const std::vector<MapItem>& items = trace_.map_lists[i];
      std::vector<ItemName>& names = names_[decoded.list_sites[i].value];
      if (decoded.site_extras[decoded.list_sites[i].value].is_fortran) {
        descriptors_[i] = descriptors_in(items);
        name_described(items, descriptors_[i], names);
      } else {
        name_object(items, trace_.sites[decoded.list_sites[i].value], names);
      }
      name_structs(items, names);
    }
    for (const std::string& name : decoded.mapper_names) mapper_names_.push_back(parse_item(name));
    pieces_ = decoded.mapper_pieces;
    std::ranges::sort(pieces_, {}, [](const MapperPiece& piece) {
      return std::tuple(piece.region.value, piece.begin, piece.bytes);
    });
    is_placed_.resize(trace_.modules.size());
    for (std::uint32_t i = 0; i < trace_.modules.size(); ++i) place(i);
    for (const OffloadSymbol& symbol : decoded.symbols) add_global(symbol);
    std::vector<bool> seen(trace_.map_lists.size());
    for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
      const std::uint32_t list = trace_.regions.common(i).map_list;
      if (list == kNoList || seen[list]) continue;
      seen[list] = true;
      list_order_.push_back(i);
    }
    std::ranges::sort(list_order_, {}, [this](std::uint32_t region) {
      return std::pair(trace_.regions.end_of(region), region);
    });
  }

  void run() {
    // An allocation takes effect at its end: until then a delete of the same address may still
    // come.
    const auto effect = [this](std::uint32_t i) {
      const bool is_alloc = trace_.ops.common(i).kind == OpKind::kAlloc;
      return is_alloc ? trace_.ops.end_of(i) : trace_.ops.begin_of(i);
    };
    std::vector<std::uint32_t> order(trace_.ops.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t i) { return std::pair(effect(i), i); };
    if (!std::ranges::is_sorted(order, {}, key)) std::ranges::sort(order, {}, key);
    for (const std::uint32_t index : order) {
      bind_lists_before(effect(index));
      current_ = {index};
      process(*trace_.ops.edit(index), decoded_.op_extras[index]);
    }
    bind_lists_before(std::numeric_limits<Nanoseconds>::max());
    for (const Index<DataOp> alloc : host_memory_) {
      trace_.ops.edit(alloc.value)->dst_device = trace_.host_device;
    }
    // Compilers from LLVM 22 on set pointers on the device by items of their own, which move no
    // data. Positions of other items change, so these go when all are bound.
    for (std::vector<MapItem>& items : trace_.map_lists) {
      std::erase_if(items, [](const MapItem& item) { return (item.type & kMapAttach) != 0; });
    }
  }

 private:
  // A `declare target` variable.
  struct Global {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    ItemName name;  // for where a directive has none
  };

  void process(DataOp& op, const OpExtra& extra) {
    place_module_of(op.site);
    switch (op.kind) {
      case OpKind::kAlloc:
        return allocate(op, extra);
      case OpKind::kHtoD:
        return copy_to_device(op, extra);
      case OpKind::kDtoH:
        return copy_to_host(op, extra);
      case OpKind::kDtoD:
      case OpKind::kMemset:
        return copy_on_devices(op);
      case OpKind::kDelete:
        return free(op, extra);
      case OpKind::kAssociate:
        return associate(op, extra);
      case OpKind::kDisassociate:
        return disassociate(op);
    }
  }

  void allocate(DataOp& op, const OpExtra& extra) {
    // What lay here before was never freed, or went with its device.
    if (const auto old = memory_.allocations.release(op.dst_device, op.dst)) {
      end_mapping(*old, op.begin);
    }
    DeviceBlock block{op.dst, op.bytes, op.src, {}, op.site, 0};
    if (op.src == 0 && !op.region) {
      block.asked_for = current_;
      is_asked_for_ = true;
    }
    note_host_memory(op.dst_device, op.src);
    const std::uint32_t argument = argument_of(op, extra, op.src);
    op.map_type = block.map_type = map_type_of(op, argument, op.src);
    op.internal = block.internal = is_descriptor(op, op.src, item_bytes(op, argument, op.src));
    const bool is_mapped = op.src != 0 && !op.internal;
    if (is_mapped && is_packed_arguments(op, argument)) {
      block.variable = firstprivate(op);
    } else if (is_mapped) {
      const ResolvedStorage resolved = touch(op, argument, op.src);
      block.variable = resolved.variable;
      op.storage = resolved.storage;
      storage_.acquire(op.src);
    }
    op.variable = block.variable;
    if (op.dst != 0) memory_.allocations.allocate(op.dst_device, op.dst, block);
  }

  // LLVM reports memory of the host that the device can reach (llvm_omp_target_alloc_host) like
  // memory of the device. What a directive copies from or to as the host's is the host's.
  void note_host_memory(std::int32_t device, std::uint64_t host) {
    if (!is_asked_for_) return;
    const DeviceBlock* block = memory_.allocations.find(device, host);
    if (block != nullptr && block->asked_for) host_memory_.insert(block->asked_for);
  }

  // The storage that an allocation was made for is present on one device less.
  void end_mapping(const DeviceBlock& block, Nanoseconds time) {
    if (block.host != 0 && !block.internal) storage_.release(block.host, time);
  }

  void copy_to_device(DataOp& op, const OpExtra& extra) {
    const DeviceBlock* block = memory_.find(op.dst_device, op.dst);
    const std::uint32_t argument = argument_of(op, extra, op.src);
    note_host_memory(op.dst_device, op.src);
    if (op.internal) return;
    if (is_pointer_attach(op, block, argument) || is_link_reference(op, block, argument) ||
        is_environment(op, extra, block, argument) || is_descriptor(op, op.src, op.bytes)) {
      op.internal = true;
      return;
    }
    copy(op, argument, block, op.src, op.dst);
  }

  void copy_to_host(DataOp& op, const OpExtra& extra) {
    const DeviceBlock* block = memory_.find(op.src_device, op.src);
    note_host_memory(op.src_device, op.dst);
    op.internal = is_descriptor(op, op.dst, op.bytes);
    if (op.internal) return;
    copy(op, argument_of(op, extra, op.dst), block, op.dst, op.src);
  }

  // `host` and `device`: the addresses that an operation copies between.
  void copy(DataOp& op, std::uint32_t argument, const DeviceBlock* block, std::uint64_t host,
            std::uint64_t device) {
    op.map_type = map_type_of(op, argument, host);
    const bool is_mapped = block != nullptr && block->translates(host, device) && block->variable;
    op.variable = is_mapped ? block->variable : touch(op, argument, host).variable;
    storage_.note_content(host, current_);
  }

  void copy_on_devices(DataOp& op) {
    const DeviceBlock* block = memory_.find(op.dst_device, op.dst);
    if (block == nullptr || !block->variable) {
      const DeviceBlock* from = memory_.find(op.src_device, op.src);
      if (from != nullptr) block = from;
    }
    if (block != nullptr) op.variable = block->variable;
  }

  void free(DataOp& op, const OpExtra& extra) {
    const auto block = memory_.allocations.release(op.src_device, op.src);
    if (!block) return;
    op.variable = block->variable;
    op.internal = block->internal;
    if (host_memory_.contains(block->asked_for)) op.src_device = trace_.host_device;
    const std::uint32_t argument = argument_of(op, extra, block->host);
    op.map_type = argument == 0 ? block->map_type : map_type_of(op, argument, block->host);
    if (op.bytes == 0) op.bytes = block->bytes;
    end_mapping(*block, op.begin);
    // A thread of the runtime deletes the memory of a nowait region after the region's end.
    const bool unowned = !op.region && (!op.site || decoded_.site_extras[op.site.value].in_runtime);
    if (unowned) op.site = block->site;
  }

  void associate(DataOp& op, const OpExtra& extra) {
    const ResolvedStorage resolved = touch(op, argument_of(op, extra, op.src), op.src);
    op.variable = resolved.variable;
    op.storage = resolved.storage;
    storage_.acquire(op.src);
    memory_.associate(op.dst_device, {op.dst, op.bytes, op.src, op.variable, op.site, 0});
  }

  void disassociate(DataOp& op) {
    std::int32_t device = op.dst_device;
    if (device == trace_.host_device) device = op.src_device;
    const auto block = memory_.disassociate(device, op.src);
    if (!block) return;
    op.variable = block->variable;
    if (op.bytes == 0) op.bytes = block->bytes;
    if (op.dst == 0) op.dst = block->begin;
    storage_.release(block->host, op.begin);
  }

  // The position of the operation's map list; kNoList if it has none.
  [[nodiscard]] std::uint32_t list_of(const DataOp& op) const {
    return op.region ? trace_.regions.common(op.region.value).map_list : kNoList;
  }

  [[nodiscard]] const std::vector<MapItem>* items_of(const DataOp& op) const {
    const std::uint32_t list = list_of(op);
    return list == kNoList ? nullptr : &trace_.map_lists[list];
  }

  // The index of the operation's list; null for a short list, which is searched as quickly.
  [[nodiscard]] const ItemIndex* index_of(const DataOp& op) const {
    constexpr std::size_t kShort = 16;
    const auto* items = items_of(op);
    if (items == nullptr || items->size() <= kShort) return nullptr;
    return &indexes_.try_emplace(list_of(op), *items).first->second;
  }

  // 1 + position of an operation's item; 0 if no item holds its storage.
  [[nodiscard]] std::uint32_t argument_of(const DataOp& op, const OpExtra& extra,
                                          std::uint64_t host) const {
    const auto* items = items_of(op);
    if (items == nullptr) return 0;
    const bool holds = op.kind == OpKind::kAlloc || op.kind == OpKind::kDelete;
    std::uint32_t told = extra.argument <= items->size() ? extra.argument : 0;
    // From LLVM 22 on an item of its own attaches the pointer, at the target's address.
    if (told != 0 && ((*items)[told - 1].type & kMapAttach) != 0) told = 0;
    if (!holds && told != 0) return told;
    const ItemIndex* index = index_of(op);
    const std::uint32_t found =
        index == nullptr ? item_holding(*items, host, holds) : index->holding(host, holds);
    return found == 0 ? told : found;
  }

  static std::pair<std::uint32_t, std::uint64_t> region_and_begin(const MapperPiece& piece) {
    return {piece.region.value, piece.begin};
  }

  // The storage that a mapper added to the operation's region at this address; null if there is
  // none.
  [[nodiscard]] const MapperPiece* piece_at(const DataOp& op, std::uint64_t host) const {
    if (!op.region || pieces_.empty()) return nullptr;
    const auto after =
        std::ranges::upper_bound(pieces_, std::pair(op.region.value, host), {}, region_and_begin);
    if (after == pieces_.begin()) return nullptr;
    const MapperPiece& piece = *std::prev(after);
    const bool holds = piece.region == op.region && host - piece.begin < piece.bytes;
    return holds ? &piece : nullptr;
  }

  [[nodiscard]] std::uint32_t map_type_of(const DataOp& op, std::uint32_t argument,
                                          std::uint64_t host) const {
    constexpr std::uint64_t kRecorded = 0xffff;
    const MapperPiece* piece = argument == 0 ? piece_at(op, host) : nullptr;
    const std::uint64_t type = argument != 0      ? (*items_of(op))[argument - 1].type
                               : piece != nullptr ? piece->type
                                                  : 0;
    return static_cast<std::uint32_t>(type & kRecorded);
  }

  // `host` begins the storage.
  [[nodiscard]] StorageReference reference_of(const DataOp& op, std::uint32_t argument,
                                              std::uint64_t host) const {
    const Nanoseconds since = op.region ? trace_.regions.begin_of(op.region.value) : op.begin;
    const MapperPiece* piece = argument == 0 ? piece_at(op, host) : nullptr;
    const ItemName& name =
        piece == nullptr ? name_of(op.site, argument) : mapper_names_[piece->name];
    const Index<CallPath> path = op.region ? trace_.regions.common(op.region.value).path : op.path;
    const calls::Holder holder = op.region ? activations_.of_region(op.region.value, host)
                                           : activations_.of_op(current_.value, host);
    return {&name, op.site, argument, since, false, path, holder, &op, current_};
  }

  [[nodiscard]] const ItemName& name_of(Index<Site> site, std::size_t argument) const {
    static const ItemName kUnknown;
    if (!site || argument == 0) return kUnknown;
    const auto& names = names_[site.value];
    return argument <= names.size() ? names[argument - 1] : kUnknown;
  }

  // The host storage that an operation reads or writes.
  ResolvedStorage touch(const DataOp& op, std::uint32_t argument, std::uint64_t host) {
    return touch(host, item_bytes(op, argument, host), reference_of(op, argument, host), op.begin);
  }

  // A part of a global is the global.
  ResolvedStorage touch(std::uint64_t begin, std::uint64_t bytes, StorageReference how,
                        Nanoseconds time) {
    const Global* global = global_at(begin);
    if (global == nullptr) return storage_.touch(begin, bytes, how, time);
    if (how.name->base.empty()) how.name = &global->name;
    return storage_.touch(global->address, global->bytes, how, time);
  }

  // The row of the small private copies that the runtime packs into one buffer of its own.
  Index<Variable> firstprivate(const DataOp& op) {
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

  [[nodiscard]] bool is_packed_arguments(const DataOp& op, std::uint32_t argument) const {
    const auto* items = items_of(op);
    if (items == nullptr || argument != 0 || !op.site || piece_at(op, op.src) != nullptr)
      return false;
    if (trace_.sites[op.site.value].directive != Directive::kTarget) return false;
    const ItemIndex* index = index_of(op);
    return (index == nullptr ? packed_size(*items) : index->packed()).allows(op.bytes);
  }

  // A pointer inside mapped storage gets its device value from a shadow that is no storage of the
  // program's.
  [[nodiscard]] bool is_pointer_attach(const DataOp& op, const DeviceBlock* block,
                                       std::uint32_t argument) const {
    return op.region && op.bytes == kPointerSize && argument == 0 && block != nullptr &&
           block->host != 0 && !block->translates(op.src, op.dst);
  }

  // A `declare target link` variable has a reference on the device, which was never allocated. The
  // runtime sets it to the variable's storage. A region's other copies to such addresses are of
  // `declare target` variables.
  [[nodiscard]] bool is_link_reference(const DataOp& op, const DeviceBlock* block,
                                       std::uint32_t argument) const {
    if (op.bytes != kPointerSize || block != nullptr) return false;
    return references_.contains(op.src) ||
           (op.region && argument == 0 && global_at(op.src) == nullptr);
  }

  // Copies for the runtime's own code on a device, which LLVM reports from version 23 on: the
  // environments of an image and of a launch. They lie in no allocation, and neither a map clause
  // nor a call asked for them. This is certain only where clauses and calls are recorded. From that
  // version on the host is reported as omp_initial_device.
  [[nodiscard]] bool is_environment(const DataOp& op, const OpExtra& extra,
                                    const DeviceBlock* block, std::uint32_t argument) const {
    if (!extra.from_initial_device || block != nullptr ||
        trace_.recording.names != Recording::Names::kOn || global_at(op.src) != nullptr) {
      return false;
    }
    if (!op.region) {
      return extra.api_call == spool::CallId::kNone &&
             (!op.site || decoded_.site_extras[op.site.value].entry < spool::Entry::kMemcpy);
    }
    return items_of(op) != nullptr && argument == 0 && piece_at(op, op.src) == nullptr;
  }

  // Whether an operation is about a Fortran array's descriptor and nothing else.
  [[nodiscard]] bool is_descriptor(const DataOp& op, std::uint64_t host,
                                   std::uint64_t bytes) const {
    const std::uint32_t list = list_of(op);
    return list != kNoList && host != 0 &&
           std::ranges::any_of(descriptors_[list], [&](const Descriptor& descriptor) {
             return descriptor.holds(host, bytes);
           });
  }

  // The bytes of an operation's storage that begins at `host`. An allocation may hold padding
  // besides the item.
  [[nodiscard]] std::uint64_t item_bytes(const DataOp& op, std::uint32_t argument,
                                         std::uint64_t host) const {
    if (argument == 0) return op.bytes;
    const MapItem& item = (*items_of(op))[argument - 1];
    return item.begin == host ? std::min(op.bytes, item.bytes) : op.bytes;
  }

  [[nodiscard]] Index<Module> module_at(std::uint64_t address) const {
    const auto after = places_.upper_bound(address);
    if (after == places_.begin()) return {};
    const std::uint32_t module = std::prev(after)->second;
    return address < decoded_.module_ranges[module].end ? Index<Module>{module} : Index<Module>{};
  }

  [[nodiscard]] const Global* global_at(std::uint64_t host) const {
    const std::uint32_t owner = module_at(host).value;
    auto at = globals_.upper_bound({owner, host});
    if (at == globals_.begin()) return nullptr;
    --at;
    const auto [module, address] = at->first;
    return module == owner && host - address < at->second.bytes ? &at->second : nullptr;
  }

  // The site runs: its module lies in its range now, and storage of an earlier one is gone.
  void place_module_of(Index<Site> site) {
    const Index<Module> module = site ? trace_.sites[site.value].module : Index<Module>{};
    if (!module || is_placed_[module.value]) return;
    place(module.value);
    const auto [begin, end] = decoded_.module_ranges[module.value];
    storage_.forget(begin, end);
  }

  void place(std::uint32_t module) {
    is_placed_[module] = true;
    const auto [begin, end] = decoded_.module_ranges[module];
    if (begin >= end) return;  // a damaged record
    auto at = places_.upper_bound(begin);
    if (at != places_.begin() && decoded_.module_ranges[std::prev(at)->second].end > begin) --at;
    while (at != places_.end() && at->first < end) {
      is_placed_[at->second] = false;
      at = places_.erase(at);
    }
    places_[begin] = module;
  }

  void add_global(const OffloadSymbol& symbol) {
    if (symbol.size == 0) return;
    if (symbol.name.ends_with("_decl_tgt_ref_ptr")) {
      references_.insert(symbol.address);
      return;
    }
    const ModuleRange own =
        symbol.module ? decoded_.module_ranges[symbol.module.value] : ModuleRange{};
    // A program that is not position-independent may hold a library's variable.
    const bool is_own = symbol.address >= own.begin && symbol.address < own.end;
    const Index<Module> owner = is_own ? symbol.module : module_at(symbol.address);
    Global& global = globals_[{owner.value, symbol.address}];
    global = {symbol.address, symbol.size, {}};
    global.name.base = global.name.expression = demangle(symbol.name);
  }

  // A list's items are bound when the first region that used it has ended. Its own operations have
  // then shown which storage is used, and later ones cannot have put other storage there yet.
  void bind_lists_before(Nanoseconds time) {
    while (next_list_ < list_order_.size()) {
      const std::uint32_t user = list_order_[next_list_];
      const Region& region = trace_.regions[user];
      if (region.end > time) return;
      ++next_list_;
      if (region.site) bind_list(region.map_list, user);
    }
  }

  void bind_list(std::uint32_t list, std::uint32_t user) {
    const Region& region = trace_.regions[user];
    place_module_of(region.site);
    auto& items = trace_.map_lists[list];
    const std::vector<Descriptor>& descriptors = descriptors_[list];
    const auto describing = [&](const MapItem& item) {
      return std::ranges::find_if(descriptors, [&](const Descriptor& descriptor) {
        return descriptor.holds(item.begin, item.bytes);
      });
    };
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (describing(items[i]) == descriptors.end()) {
        bind_item(items[i], user, i + 1);
      } else {
        items[i].name = name_of(region.site, i + 1).expression;
      }
    }
    mark_attached(items);
    for (MapItem& item : items) item.by_mapper = is_by_mapper(item, user);
    for (MapItem& item : items) {
      const auto descriptor = describing(item);
      if (descriptor != descriptors.end()) item.variable = items[descriptor->data].variable;
    }
  }

  // Whether a mapper made components of an item in this region.
  [[nodiscard]] bool is_by_mapper(const MapItem& item, std::uint32_t region) const {
    if (!holds_addresses(item)) return false;
    const auto first =
        std::ranges::lower_bound(pieces_, std::pair(region, item.begin), {}, region_and_begin);
    return first != pieces_.end() && first->region.value == region &&
           first->begin - item.begin < item.bytes;
  }

  // From LLVM 22 on a pointer's target has no bit for this. An item of its own attaches the
  // pointer, if the pointer is present.
  void mark_attached(std::vector<MapItem>& items) {
    for (const MapItem& attach : items) {
      if ((attach.type & kMapAttach) == 0) continue;
      for (MapItem& item : items) {
        const bool is_it = item.begin == attach.begin && (item.type & kMapAttach) == 0;
        if (is_it) item.attached_to = attach.base;
      }
      const bool is_there =
          storage_.is_present(attach.base) || std::ranges::any_of(items, [&](const MapItem& item) {
            return (item.type & kMapAttach) == 0 && attach.base - item.begin < item.bytes;
          });
      if (!is_there) continue;
      for (MapItem& item : items) {
        if (item.begin == attach.begin && (item.type & kMapAttach) == 0) {
          item.type |= kMapPointerAndObject;
        }
      }
    }
  }

  void bind_item(MapItem& item, std::uint32_t user, std::uint32_t argument) {
    const Region& region = trace_.regions[user];
    const ItemName& name = name_of(region.site, argument);
    item.name = name.expression;
    if ((item.type & (kMapLiteral | kMapAttach)) != 0) return;
    const std::uint64_t begin = (item.type & kMapNonContiguous) != 0 ? item.base : item.begin;
    if (begin == 0) return;
    const bool only_refers =
        item.bytes == 0 || (item.type & (kMapPrivate | kMapNonContiguous)) != 0;
    if (!only_refers) {
      StorageReference how;
      how.name = &name;
      how.site = region.site;
      how.argument = argument;
      how.since = region.begin;
      how.is_part = struct_item(item) != 0;
      how.path = region.path;
      how.holder = activations_.of_region(user, begin);
      item.variable = touch(begin, item.bytes, how, region.end).variable;
      return;
    }
    item.variable = storage_.find(begin);
    const auto packed = firstprivate_.find(region.site.value);
    if (!item.variable && (item.type & kMapPrivate) != 0 && packed != firstprivate_.end()) {
      item.variable = packed->second;
    }
  }

  DecodedTrace& decoded_;
  Index<DataOp> current_;  // the operation that is processed
  Trace& trace_;
  DeviceMemory memory_;
  bool is_asked_for_ = false;            // some memory is (DeviceBlock::asked_for)
  std::set<Index<DataOp>> host_memory_;  // allocations that are the host's
  calls::CallOrder order_;
  calls::Activations activations_;
  calls::SourceCalls source_calls_;
  Storage storage_;
  std::vector<std::vector<ItemName>> names_;          // parallel to sites
  std::vector<std::vector<Descriptor>> descriptors_;  // parallel to map lists
  std::vector<ItemName> mapper_names_;
  std::vector<MapperPiece> pieces_;                               // by region, then begin
  mutable std::unordered_map<std::uint32_t, ItemIndex> indexes_;  // by list, as they are asked for
  // By the module that they lie in, and their address.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Global> globals_;
  std::unordered_set<std::uint64_t> references_;                     // of `declare target link`
  std::unordered_map<std::uint32_t, Index<Variable>> firstprivate_;  // by site
  std::vector<std::uint32_t> list_order_;  // regions that use a list first, by their end
  std::size_t next_list_ = 0;
  std::map<std::uint64_t, std::uint32_t> places_;  // modules that lie in memory now, by their begin
  std::vector<bool> is_placed_;                    // whether a module is among them
};

}  // namespace

void attribute(DecodedTrace& decoded) { Replay(decoded).run(); }

}  // namespace ompdm::trace
