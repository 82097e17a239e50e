// Mappings of a trace: each time that host memory was on a device, with the clause item that mapped
// it and its transfers. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// The items that a region's clauses name; empty where these are not known.
const std::vector<MapItem>& items_of(const Trace& trace, const Region& region);

/// One time that host memory was on a device.
struct Mapping {
  std::int32_t device = -1;
  std::uint64_t host = 0;     ///< address of its storage; 0: it has none (omp_target_alloc)
  std::uint32_t storage = 0;  ///< which storage that is (DataOp::storage)
  /// Equal for all mappings of one piece of storage on one device: same address, bytes and storage.
  /// Numbers are in the order of device, host, storage, bytes. Each allocation by the API is a
  /// piece of its own.
  std::uint32_t piece = 0;
  /// The group of pieces that share names with this one. Pieces that one directive called by the
  /// same name are in one group. Groups that have a piece in common are one group.
  std::uint32_t alias = 0;
  std::uint64_t address = 0;  ///< on the device
  std::uint64_t bytes = 0;
  Index<Variable> variable;
  Index<DataOp> alloc;
  Index<DataOp> remove = {};  ///< none: no delete was seen
  Index<Site> site;           ///< of the directive that allocated it
  Nanoseconds begin = 0;      ///< of its allocation
  Nanoseconds end = 0;        ///< of its delete; the process's where none was seen
  /// The named item that it was allocated for; nullptr: there is none.
  const MapItem* item = nullptr;
  bool sent = false;        ///< some of it was sent from the host,
  bool returned = false;    ///< and some was copied back
  bool replaced = false;    ///< no delete was seen, yet the address was allocated again
  bool on_device = false;   ///< a copy between devices, or a memset, read or wrote it
  bool is_pointee = false;  ///< a mapped pointer points to it, a struct's member for example
  /// The program has its device address: by use_device_ptr or use_device_addr, by
  /// omp_get_mapped_ptr, or to copy to it by the API.
  bool handed_out = false;
  /// The pointer that its section is of (`x` of `x[h:n]`): a kernel that has this pointer can use
  /// the section. Equal to `host` if there is no such pointer.
  std::uint64_t base = 0;
  /// A kernel's own copy (firstprivate): made for one region, and used by it.
  bool is_private = false;
  /// A `target update` transferred it, and no recorded operation allocated it. It is a `declare
  /// target` variable, or memory that the program associated. `alloc` is the first transfer.
  bool is_static = false;
};

/// No position in Mappings::rows().
inline constexpr std::uint32_t kNoMapping = Index<Mapping>::kNone;

/// Host storage: its address, bytes, and which storage that is.
using StoragePiece = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
inline StoragePiece storage_of(const Mapping& row) { return {row.host, row.bytes, row.storage}; }

/// All mappings of a trace.
class Mappings {
 public:
  /// The trace has to outlive this.
  explicit Mappings(const Trace& trace);

  /// In the order of their allocations.
  [[nodiscard]] const std::vector<Mapping>& rows() const { return rows_; }

  /// Positions in rows() of each piece's mappings, by Mapping::piece, in order of time.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> by_piece() const;

  /// Positions in Trace::ops of the copies between host and this mapping, in order of their begin;
  /// the runtime's own left out.
  [[nodiscard]] std::span<const std::uint32_t> transfers(std::size_t mapping) const;

  /// The mapping of a transfer (position in Trace::ops); Index<Mapping>::kNone if it is of none.
  [[nodiscard]] std::uint32_t of(std::uint32_t op) const { return mapping_of_op_[op]; }

  /// The first item of a region's map list that is this storage; nullptr: there is none.
  /// `is_named`: only items that have a name.
  [[nodiscard]] const MapItem* item_of(Index<Region> region, std::uint64_t begin,
                                       std::uint64_t bytes, bool is_named) const;

 private:
  void replay(const Trace& trace);
  void number_pieces();
  void group_by_name();
  void mark_ways_around(const Trace& trace);

  const Trace& trace_;
  std::vector<std::vector<std::uint32_t>> order_;  // of each list, by begin, bytes and position
  std::vector<Mapping> rows_;
  std::uint32_t pieces_ = 0;
  std::vector<std::uint32_t> mapping_of_op_;  // transfers only, kNone for the others
  std::vector<std::uint32_t> first_;          // by mapping, in transfers_; one more at the end
  std::vector<std::uint32_t> transfers_;
};

/// The item as its clause has it: "u[0:n*n]". If the compiler passed no names: its size and
/// address, which are not for code.
std::string expression_of(const Trace& trace, const Mapping& mapping);

/// The item of a transfer (position in Trace::ops) as the directive that made the transfer has it.
/// A mapping has the name that its storage had at the allocation. Programs swap pointers, so the
/// names may differ.
std::string expression_at(const Trace& trace, const Mappings& mappings, std::uint32_t op);

/// Whether the compiler passed a name for this data.
bool has_name(const Trace& trace, const Mapping& mapping);

/// The base name: "u" of "u[0:n*n]"; without a name as nameless() has it.
std::string name_of(const Trace& trace, const Mapping& mapping);

/// Whether a directive has map clauses.
bool maps_data(Directive directive);

/// Whether a map clause made this transfer, and would not make it if the data were present.
bool comes_of_mapping(const Trace& trace, const DataOp& op);

/// Whether events of the program, or items of their map lists, may be missing. Then the absence of
/// events proves nothing.
bool has_lost_events(const Trace& trace);

/// Whether the runtime reported all kernel launches.
bool knows_launches(const Trace& trace);

}  // namespace ompdm::analysis
