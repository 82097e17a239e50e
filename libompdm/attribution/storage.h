// Storage that data operations stand for: memory of one address may be several in turn.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/call_order.h"
#include "model/live_memory.h"
#include "ompdm/trace.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

/// A piece of device memory in use.
struct DeviceBlock {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;  ///< the host storage it was made for; 0: none (omp_target_alloc)
  Index<Variable> variable;
  Index<Site> site;
  std::uint32_t map_type = 0;
  bool internal = false;  ///< as the allocation's DataOp::internal

  /// Whether host and device address are at the same offset, as they are in every copy of mapped
  /// storage. A struct of which only members are mapped may be padded to its alignment in front.
  [[nodiscard]] bool translates(std::uint64_t host_address, std::uint64_t device_address) const {
    constexpr std::uint64_t kLargestPadding = 32;
    return host != 0 && (device_address - begin) - (host_address - host) < kLargestPadding;
  }
};

/// The blocks of all devices.
class DeviceMemory {
 public:
  LiveMemory<DeviceBlock> allocations;

  /// `block` hides the allocation that it lies in until its host storage is disassociated.
  void associate(std::int32_t device, const DeviceBlock& block) {
    associations_.allocate(device, block.begin, block);
    associated_[{device, block.host}] = block.begin;
  }
  std::optional<DeviceBlock> disassociate(std::int32_t device, std::uint64_t host) {
    const auto address = associated_.extract({device, host});
    return address.empty() ? std::nullopt : associations_.release(device, address.mapped());
  }
  /// The block that holds an address; null if none does. Valid until the next change.
  [[nodiscard]] const DeviceBlock* find(std::int32_t device, std::uint64_t address) const {
    const DeviceBlock* associated = associations_.find(device, address);
    return associated != nullptr ? associated : allocations.find(device, address);
  }

 private:
  LiveMemory<DeviceBlock> associations_;
  // The device address of a host address.
  std::map<std::pair<std::int32_t, std::uint64_t>, std::uint64_t> associated_;
};

/// A directive's reference to a piece of storage.
struct StorageReference {
  const ItemName* name = nullptr;  ///< empty base: the runtime gave none
  Index<Site> site;                ///< stands in for the file and line of a name that is not known
  std::uint32_t argument = 0;      ///< 1 + position in the site's list; identifies nameless items
  Nanoseconds since = 0;           ///< begin of the region: storage that it used itself is the same
  bool is_part = false;        ///< a member that is mapped with its struct: no other name for it
  Index<CallPath> path;        ///< of the directive
  calls::Holder holder;        ///< whose frame the storage lies in
  const DataOp* op = nullptr;  ///< the operation on the storage, as far as it is known
  Index<DataOp> at;            ///< its position
};

/// The storage that a reference is to.
struct ResolvedStorage {
  Index<Variable> variable;
  std::uint32_t storage = 0;  ///< equal for references to the same storage, from 1
};

class Storage {
 public:
  /// New rows go to the trace's variables; its sites give a file and line to those without a name.
  Storage(Trace& trace, calls::SourceCalls& calls)
      : variables_(trace.variables), sites_(trace.sites), ops_(trace.ops), calls_(calls) {}

  /// The storage, known or new, of a piece that is being mapped or copied at `time`.
  ResolvedStorage touch(std::uint64_t begin, std::uint64_t bytes, const StorageReference& reference,
                        Nanoseconds time);
  /// The variable of the piece that holds the address, none if there is none.
  [[nodiscard]] Index<Variable> find(std::uint64_t address) const;
  /// The piece at `address` is present on one device more (or less).
  void acquire(std::uint64_t address);
  void release(std::uint64_t address, Nanoseconds time);
  [[nodiscard]] bool is_present(std::uint64_t address) const;
  /// A transfer took its bytes from `address` on the host, or left them there.
  void note_content(std::uint64_t address, Index<DataOp> transfer);
  /// Storage there is gone for good: a library was closed.
  void forget(std::uint64_t begin, std::uint64_t end);

 private:
  struct Piece {
    std::uint64_t end = 0;
    Index<Variable> variable;
    std::uint32_t storage = 0;
    std::uint32_t present = 0;  // on how many devices
    bool is_over = false;       // it was on a device, and is on none
    Nanoseconds touched = 0;
    Index<CallPath> path;     // of the last reference
    calls::Holder holder;     // as that has it
    bool is_whole = false;    // that was to a whole object of that function
    bool is_scratch = false;  // only allocated on a device, and not copied since
    Index<DataOp> content;    // the last transfer of all of it
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by begin, disjoint
  // Base name, file, line; for nameless items those of the site, and the argument's position.
  using Clause = std::tuple<std::string, std::string, int, std::uint32_t, std::uint64_t>;

  [[nodiscard]] Pieces::iterator first_overlap(std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] bool same_storage(const Pieces::value_type& piece, std::uint64_t begin,
                                  std::uint64_t end, const StorageReference& reference) const;
  [[nodiscard]] bool sends_content_of(const Piece& piece, const StorageReference& reference) const;
  [[nodiscard]] bool same_in_frame(const Piece& piece, const StorageReference& reference) const;
  [[nodiscard]] bool is_of_other_call(const Piece& piece, const StorageReference& reference) const;
  [[nodiscard]] bool is_alias(const Pieces::value_type& piece, std::uint64_t begin,
                              const StorageReference& reference) const;
  Index<Variable> variable_of(const StorageReference& reference, std::uint64_t begin);
  Index<Variable> variable_now(const Piece& piece, std::uint64_t begin,
                               const StorageReference& reference);
  /// Whether this is the variable's own name, or one by which its storage was known at any time.
  [[nodiscard]] bool is_named(Index<Variable> variable, const std::string& name) const;
  [[nodiscard]] bool is_called(Index<Variable> variable, const std::string& name) const;
  void refer_again(Index<Variable> variable, std::uint64_t bytes, const StorageReference& reference,
                   bool is_alias, bool is_present);

  std::vector<Variable>& variables_;
  const std::vector<Site>& sites_;
  const DedupColumn<DataOp>& ops_;
  calls::SourceCalls& calls_;
  std::uint32_t last_storage_ = 0;
  Pieces pieces_;
  std::map<Clause, std::uint32_t> clauses_;
  std::set<std::pair<std::uint32_t, std::string>> aliases_;    // of each variable, as in its row
  std::set<std::pair<std::uint32_t, std::string>> called_;     // all other names of its storage
  std::set<std::pair<std::uint32_t, std::uint64_t>> counted_;  // variable, begin of a piece
};

}  // namespace ompdm::trace
