// The replay that attribution is: its state, and what each operation does to it. Included by
// attribution.cpp and map_binding.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/draft.h"
#include "trace/item_index.h"
#include "trace/live_memory.h"
#include "trace/map_items.h"
#include "trace/offload_names.h"
#include "trace/storage.h"

namespace ompdm::trace {

/// Replays the operations of a draft in the order in which they took effect.
class Replay {
 public:
  explicit Replay(Draft& draft);
  void run();

 private:
  // A `declare target` variable.
  struct Global {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    ItemName name;  // for where a directive has none
  };

  void process(DataOp& op, const OpNote& note);
  void allocate(DataOp& op, const OpNote& note);
  void copy_to_device(DataOp& op, const OpNote& note);
  void copy_to_host(DataOp& op, const OpNote& note);
  void copy_on_devices(DataOp& op);
  void free(DataOp& op, const OpNote& note);
  void associate(DataOp& op, const OpNote& note);
  void disassociate(DataOp& op);

  [[nodiscard]] const std::vector<MapItem>* items_of(const DataOp& op) const;
  // The index of the operation's list; null where it is short, and looked through as quickly.
  [[nodiscard]] const ItemIndex* index_of(const DataOp& op) const;
  // 1 + position of the item that an operation is about; 0 if none is.
  [[nodiscard]] std::uint32_t argument_of(const DataOp& op, const OpNote& note,
                                          std::uint64_t host) const;
  // What a mapper added to the operation's region at this address; null if nothing.
  [[nodiscard]] const MapperPiece* piece_at(const DataOp& op, std::uint64_t host) const;
  [[nodiscard]] std::uint32_t map_type_of(const DataOp& op, std::uint32_t argument,
                                          std::uint64_t host) const;
  // `host` begins the storage.
  [[nodiscard]] Mention mention(const DataOp& op, std::uint32_t argument, std::uint64_t host) const;
  [[nodiscard]] const ItemName& name_of(Index<Site> site, std::size_t argument) const;
  Meant touch(const DataOp& op, const OpNote& note, std::uint64_t host);
  Index<Variable> firstprivate(const DataOp& op);
  [[nodiscard]] bool is_packed_arguments(const DataOp& op, std::uint32_t argument) const;
  [[nodiscard]] bool is_pointer_attach(const DataOp& op, const DeviceBlock* block,
                                       std::uint32_t argument) const;
  [[nodiscard]] bool is_link_reference(const DataOp& op, const DeviceBlock* block,
                                       std::uint32_t argument) const;
  [[nodiscard]] bool is_environment(const DataOp& op, const OpNote& note, const DeviceBlock* block,
                                    std::uint32_t argument) const;
  // Whether an operation is about a Fortran array's descriptor and nothing else.
  [[nodiscard]] bool is_descriptor(const DataOp& op, std::uint64_t host, std::uint64_t bytes) const;
  // How much host storage an operation is about that begins at `host`.
  [[nodiscard]] std::uint64_t item_bytes(const DataOp& op, std::uint32_t argument,
                                         std::uint64_t host) const;
  [[nodiscard]] Index<Module> module_at(std::uint64_t address) const;
  [[nodiscard]] const Global* global_at(std::uint64_t host) const;

  // From now on the site's module lies in its place.
  void settle(Index<Site> site);
  void place(std::uint32_t module);
  void add_global(const OffloadSymbol& symbol);

  void bind_lists_before(Nanoseconds time);
  void bind_list(std::uint32_t list, std::uint32_t user);
  // Whether a mapper made components of an item in this region.
  [[nodiscard]] bool is_by_mapper(const MapItem& item, std::uint32_t region) const;
  void mark_attached(std::vector<MapItem>& items) const;
  void bind_item(MapItem& item, std::uint32_t user, std::uint32_t argument);

  Draft& draft_;
  Index<DataOp> current_;  // the operation that is processed
  Trace& trace_;
  LiveMemory memory_;
  calls::CallOrder order_;
  calls::Activations activations_;
  calls::SourceCalls source_calls_;
  Storage storage_;
  std::vector<std::vector<ItemName>> names_;          // beside sites
  std::vector<std::vector<Descriptor>> descriptors_;  // beside map lists
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
  std::vector<bool> settled_;                      // whether a module is among them
};

}  // namespace ompdm::trace
