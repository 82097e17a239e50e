// Storage that data operations stand for: memory of one address may be several in turn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
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
#include "spool_reader/draft.h"
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
  bool internal = false;         ///< as the allocation's DataOp::internal
  Index<DataOp> asked_for = {};  ///< the allocation, if the program asked for it by name

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
                        Nanoseconds time) {
    std::uint64_t end = begin + std::max<std::uint64_t>(bytes, 1);
    if (end < begin) end = ~std::uint64_t{0};  // a damaged record
    auto at = first_overlap(begin, end);
    if (at != pieces_.end() && at->first <= begin && at->second.end >= end &&
        same_storage(*at, begin, end, reference)) {
      Piece& known = at->second;
      const Index<Variable> variable = variable_now(known, begin, reference);
      const bool alias = is_alias(*at, begin, reference);
      known.touched = time;
      if (reference.path) known.path = reference.path;
      if (!is_of_other_call(known, reference)) {
        if (reference.holder.path) known.holder = reference.holder;
        known.is_whole = is_whole(reference);
      }
      if (is_allocation(reference)) known.is_scratch = is_scratch(reference);
      refer_again(variable, bytes, reference, alias, known.present > 0);
      if (begin == at->first) known.variable = variable;
      return {variable, known.storage};
    }
    Piece merged{.end = end,
                 .touched = time,
                 .path = reference.path,
                 .holder = reference.holder,
                 .is_whole = is_whole(reference),
                 .is_scratch = is_scratch(reference)};
    std::uint64_t first = begin;
    bool alias = false;
    while (at != pieces_.end() && at->first < end) {
      if (!merged.variable && same_storage(*at, begin, end, reference)) {
        merged.variable = variable_now(at->second, begin, reference);
        merged.storage = at->second.storage;
        merged.present = at->second.present;
        merged.is_over = at->second.is_over;
        merged.content = at->second.content;
        merged.end = std::max(merged.end, at->second.end);
        alias = is_alias(*at, begin, reference);
        first = std::min(first, at->first);
      }
      at = pieces_.erase(at);
    }
    if (!merged.variable) merged.variable = variable_of(reference, begin);
    if (merged.storage == 0) merged.storage = ++last_storage_;
    refer_again(merged.variable, bytes, reference, alias, merged.present > 0);
    pieces_[first] = merged;
    return {merged.variable, merged.storage};
  }

  /// The variable of the piece that holds the address, none if there is none.
  [[nodiscard]] Index<Variable> find(std::uint64_t address) {
    const Piece* piece = piece_at(address);
    return piece != nullptr ? piece->variable : Index<Variable>{};
  }

  /// The piece at `address` is present on one device more.
  void acquire(std::uint64_t address) {
    Piece* piece = piece_at(address);
    if (piece == nullptr) return;
    ++piece->present;
    piece->is_over = false;
  }

  /// And on one device less.
  void release(std::uint64_t address, Nanoseconds time) {
    Piece* piece = piece_at(address);
    if (piece == nullptr) return;
    if (piece->present > 0) {
      --piece->present;
      piece->is_over = piece->is_over || piece->present == 0;
    }
    piece->touched = std::max(piece->touched, time);
  }

  [[nodiscard]] bool is_present(std::uint64_t address) {
    const Piece* piece = piece_at(address);
    return piece != nullptr && piece->present > 0;
  }

  /// A transfer took its bytes from `address` on the host, or left them there.
  void note_content(std::uint64_t address, Index<DataOp> transfer) {
    const std::uint64_t bytes = ops_.common(transfer.value).bytes;
    const auto at = first_overlap(address, address + std::max<std::uint64_t>(bytes, 1));
    if (at == pieces_.end()) return;
    at->second.is_scratch = false;
    if (at->first == address && at->second.end - address == bytes) at->second.content = transfer;
  }

  /// Storage there is gone for good: a library was closed.
  void forget(std::uint64_t begin, std::uint64_t end) {
    auto at = first_overlap(begin, end);
    while (at != pieces_.end() && at->first < end) at = pieces_.erase(at);
  }

 private:
  struct Piece {
    std::uint64_t end = 0;
    Index<Variable> variable = {};
    std::uint32_t storage = 0;
    std::uint32_t present = 0;  // on how many devices
    bool is_over = false;       // it was on a device, and is on none
    Nanoseconds touched = 0;
    Index<CallPath> path = {};   // of the last reference
    calls::Holder holder = {};   // as that has it
    bool is_whole = false;       // that was to a whole object of that function
    bool is_scratch = false;     // only allocated on a device, and not copied since
    Index<DataOp> content = {};  // the last transfer of all of it
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by begin, disjoint
  // Base name, file, line; for nameless items those of the site, and the argument's position.
  using Clause = std::tuple<std::string, std::string, int, std::uint32_t, std::uint64_t>;

  [[nodiscard]] Pieces::iterator first_overlap(std::uint64_t begin, std::uint64_t end) {
    auto at = pieces_.upper_bound(begin);
    if (at != pieces_.begin() && std::prev(at)->second.end > begin) --at;
    return at != pieces_.end() && at->first < end ? at : pieces_.end();
  }

  // Whether this is the variable's own name.
  [[nodiscard]] bool is_named(Index<Variable> index, const std::string& name) const {
    const std::string& known = variables_[index.value].name;
    return known == name || is_dereferenced(name, known) || is_dereferenced(known, name);
  }

  // The same, or one by which its storage was known at any time.
  [[nodiscard]] bool is_called(Index<Variable> index, const std::string& name) const {
    return is_named(index, name) || (!called_.empty() && called_.contains({index.value, name}));
  }

  // Within one call of a function its variables keep their storage, under any name. But variables
  // of functions that were inlined into it, or of other blocks, may use one address in turn. An
  // object that is named as a whole is declared in the directive's scope, or above.
  [[nodiscard]] bool same_in_frame(const Piece& piece, const StorageReference& reference) const {
    const bool same_name = is_called(piece.variable, reference.name->base);
    const bool related = calls_.are_related(piece.holder.path, reference.holder.path);
    if (!piece.is_whole && !is_whole(reference)) return same_name || related;
    if (piece.is_whole && is_whole(reference) && !same_name) return false;
    return related && !calls_.in_other_inlined_call(piece.holder.path, reference.holder.path);
  }

  // Whether the directive of an allocation then sends the content that the storage had last.
  [[nodiscard]] bool sends_content_of(const Piece& piece, const StorageReference& reference) const {
    if (!piece.content || reference.op == nullptr) return false;
    const DataOp& content = ops_[piece.content.value];
    for (std::size_t i = reference.at.value; i < ops_.size(); ++i) {
      if (ops_.region_of(i) != reference.op->region) break;
      if (ops_.common(i).kind != OpKind::kHtoD || ops_.common(i).src != reference.op->src) continue;
      const DataOp& op = ops_[i];
      if (op.bytes != content.bytes || op.trivial) return false;
      if (op.hash != 0 && content.hash != 0) return op.hash == content.hash;
      return op.fingerprint != 0 && op.fingerprint == content.fingerprint;
    }
    return false;
  }

  // Whether a reference is to the storage that was there before, and not to newer storage in its
  // place.
  [[nodiscard]] bool same_storage(const Pieces::value_type& at, std::uint64_t begin,
                                  std::uint64_t end, const StorageReference& reference) const {
    const Piece& piece = at.second;
    if (piece.present > 0 || piece.touched >= reference.since) return true;
    if (piece.holder.path && reference.holder.path) {
      return piece.holder.activation == reference.holder.activation &&
             same_in_frame(piece, reference);
    }
    const Variable& variable = variables_[piece.variable.value];
    if (reference.name->base.empty() || variable.name.empty()) {
      // Without names the extent decides: the same, or a part of it.
      return begin >= at.first && end <= piece.end;
    }
    // Another declaration on another path is other storage, unless the content is the same. So is
    // another extent: the former was freed. Storage that is handed on, or swapped, has two names.
    const bool same_extent = begin == at.first && end == piece.end;
    const bool same_name = is_called(piece.variable, reference.name->base);
    if (!same_extent && !same_name) return false;
    // Storage that is not copied has no content to hand on, or to take over, under another name.
    if (!same_name && (piece.is_scratch || is_scratch(reference))) return false;
    return (same_extent && same_name) || calls_.are_related(piece.path, reference.path) ||
           (same_extent && sends_content_of(piece, reference));
  }

  // Whether a local variable lies in the place of another one, of a call that has returned, which
  // was left on a device.
  [[nodiscard]] bool is_of_other_call(const Piece& piece, const StorageReference& reference) const {
    return piece.holder.path && reference.holder.path &&
           piece.holder.activation != reference.holder.activation &&
           !is_named(piece.variable, reference.name->base);
  }

  // Whether another name for a piece is an alias: it is for the piece's begin, and the mapping has
  // not ended.
  [[nodiscard]] bool is_alias(const Pieces::value_type& at, std::uint64_t begin,
                              const StorageReference& reference) const {
    const auto& [first, piece] = at;
    if (begin != first || (piece.is_over && piece.touched < reference.since)) return false;
    return !is_of_other_call(piece, reference);
  }

  // The variable of a piece from now on. A mapping has the name in its own clause. Memory that is
  // freed and allocated again, and pointers that are swapped, have another name each time.
  Index<Variable> variable_now(const Piece& piece, std::uint64_t begin,
                               const StorageReference& reference) {
    const std::string& name = reference.name->base;
    const std::string& known = variables_[piece.variable.value].name;
    const bool begins_mapping = is_allocation(reference) && piece.present == 0;
    const bool is_same =
        name.empty() || known.empty() || is_named(piece.variable, name) || is_part_of(name, known);
    if (!begins_mapping || is_same) return piece.variable;
    called_.emplace(piece.variable.value, name);
    std::string before = known;
    const Index<Variable> variable = variable_of(reference, begin);
    called_.emplace(variable.value, std::move(before));
    return variable;
  }

  Index<Variable> variable_of(const StorageReference& reference, std::uint64_t begin) {
    Variable variable;
    set_name(variable, *reference.name);
    Clause clause{variable.name, variable.file, variable.line, 0, 0};
    if (variable.name.empty()) {
      if (reference.site) {
        variable.file = sites_[reference.site.value].file;
        variable.line = sites_[reference.site.value].line;
      }
      // A nameless piece is identified by its site and argument, else by its address.
      const bool is_argument = reference.argument != 0 && reference.site;
      clause = {"", "", 0, is_argument ? reference.argument : 0,
                is_argument ? reference.site.value : begin};
    }
    const auto [at, is_new] =
        clauses_.emplace(clause, static_cast<std::uint32_t>(variables_.size()));
    if (is_new) {
      variable.address = begin;
      variable.pieces = 0;
      variables_.push_back(std::move(variable));
    }
    if (counted_.insert({at->second, begin}).second) ++variables_[at->second].pieces;
    return {at->second};
  }

  void refer_again(Index<Variable> index, std::uint64_t bytes, const StorageReference& reference,
                   bool is_alias, bool is_present) {
    Variable& variable = variables_[index.value];
    // Instantiations of a template share a clause, and so a row. Their data need not be of one
    // size. A clause may name a part of data that is present already.
    if (!is_present && variable.bytes != 0 && bytes != variable.bytes &&
        reference.name->base == variable.name) {
      const std::uint64_t least = variable.least_bytes != 0 ? variable.least_bytes : variable.bytes;
      variable.least_bytes = std::min(least, bytes);
    }
    variable.bytes = std::max(variable.bytes, bytes);
    const std::string& name = reference.name->base;
    if (name.empty() || is_named(index, name)) return;
    if (variable.name.empty()) return set_name(variable, *reference.name);
    if (reference.is_part || is_part_of(name, variable.name)) return;
    called_.emplace(index.value, name);
    if (is_alias && aliases_.emplace(index.value, name).second) variable.aliases.push_back(name);
  }

  // The piece that holds the address, null if none does.
  [[nodiscard]] Piece* piece_at(std::uint64_t address) {
    const auto after = pieces_.upper_bound(address);
    if (after == pieces_.begin() || address >= std::prev(after)->second.end) return nullptr;
    return &std::prev(after)->second;
  }

  static void set_name(Variable& variable, const ItemName& name) {
    variable.name = name.base;
    variable.expression = name.expression;
    variable.file = name.file;
    variable.line = name.line;
  }

  // `*p` and `p[0:n]` are two spellings of what p points to.
  static bool is_dereferenced(const std::string& name, const std::string& pointer) {
    return name.starts_with('*') && name.compare(1, std::string::npos, pointer) == 0;
  }

  // "s.b", "s->b", "s[i]", Fortran's "s%b" and "s(i)" are parts of "s", and no other names for it.
  static bool is_part_of(const std::string& name, const std::string& whole) {
    if (!name.starts_with(whole) || name.size() == whole.size()) return false;
    const char next = name[whole.size()];
    return next == '.' || next == '[' || next == '%' || next == '(' ||
           name.compare(whole.size(), 2, "->") == 0;
  }

  // Whether a reference is to a whole object of the directive's function: by its name alone.
  static bool is_whole(const StorageReference& reference) {
    return reference.holder.path == reference.path && !reference.name->base.empty() &&
           reference.name->expression == reference.name->base &&
           reference.name->base.front() != '*';
  }

  static bool is_allocation(const StorageReference& reference) {
    return reference.op != nullptr && reference.op->kind == OpKind::kAlloc;
  }

  // Whether a clause asks for device memory alone, without a copy.
  static bool is_scratch(const StorageReference& reference) {
    return is_allocation(reference) && (reference.op->map_type & (kMapTo | kMapFrom)) == 0;
  }

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
