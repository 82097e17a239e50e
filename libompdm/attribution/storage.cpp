#include "attribution/storage.h"

#include <algorithm>

#include "spool_reader/draft.h"

namespace ompdm::trace {

namespace {

// The piece that holds the address, null if none does.
auto* piece_at(auto& pieces, std::uint64_t address) {
  const auto after = pieces.upper_bound(address);
  auto* piece = after == pieces.begin() ? nullptr : &std::prev(after)->second;
  return piece != nullptr && address < piece->end ? piece : nullptr;
}

void set_name(Variable& variable, const ItemName& name) {
  variable.name = name.base;
  variable.expression = name.expression;
  variable.file = name.file;
  variable.line = name.line;
}

// `*p` and `p[0:n]` are two spellings of what p points to.
bool is_dereferenced(const std::string& name, const std::string& pointer) {
  return name.starts_with('*') && name.compare(1, std::string::npos, pointer) == 0;
}

// "s.b", "s->b", "s[i]", Fortran's "s%b" and "s(i)" are parts of "s", and no other names for it.
bool is_part_of(const std::string& name, const std::string& whole) {
  if (!name.starts_with(whole) || name.size() == whole.size()) return false;
  const char next = name[whole.size()];
  return next == '.' || next == '[' || next == '%' || next == '(' ||
         name.compare(whole.size(), 2, "->") == 0;
}

// Whether a reference is to a whole object of the directive's function: by its name alone.
bool is_whole(const StorageReference& reference) {
  return reference.holder.path == reference.path && !reference.name->base.empty() &&
         reference.name->expression == reference.name->base && reference.name->base.front() != '*';
}

bool is_allocation(const StorageReference& reference) {
  return reference.op != nullptr && reference.op->kind == OpKind::kAlloc;
}

// Whether a clause asks for device memory alone, without a copy.
bool is_scratch(const StorageReference& reference) {
  return is_allocation(reference) && (reference.op->map_type & (kMapTo | kMapFrom)) == 0;
}

}  // namespace

Storage::Pieces::iterator Storage::first_overlap(std::uint64_t begin, std::uint64_t end) {
  auto at = pieces_.upper_bound(begin);
  if (at != pieces_.begin() && std::prev(at)->second.end > begin) --at;
  return at != pieces_.end() && at->first < end ? at : pieces_.end();
}

Index<Variable> Storage::find(std::uint64_t address) const {
  const Piece* piece = piece_at(pieces_, address);
  return piece != nullptr ? piece->variable : Index<Variable>{};
}

bool Storage::is_named(Index<Variable> index, const std::string& name) const {
  const std::string& known = variables_[index.value].name;
  return known == name || is_dereferenced(name, known) || is_dereferenced(known, name);
}

bool Storage::is_called(Index<Variable> index, const std::string& name) const {
  return is_named(index, name) || (!called_.empty() && called_.contains({index.value, name}));
}

// Within one call of a function its variables keep their storage, under any name. But variables of
// functions that were inlined into it, or of other blocks, share one place in turn: an object that
// is named as a whole is declared in the directive's scope, or above.
bool Storage::same_in_frame(const Piece& piece, const StorageReference& reference) const {
  const bool same_name = is_called(piece.variable, reference.name->base);
  const bool related = calls_.are_related(piece.holder.path, reference.holder.path);
  if (!piece.is_whole && !is_whole(reference)) return same_name || related;
  if (piece.is_whole && is_whole(reference) && !same_name) return false;
  return related && !calls_.in_other_inlined_call(piece.holder.path, reference.holder.path);
}

// Whether the directive of an allocation then sends the content that the storage had last.
bool Storage::sends_content_of(const Piece& piece, const StorageReference& reference) const {
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
bool Storage::same_storage(const Pieces::value_type& at, std::uint64_t begin, std::uint64_t end,
                           const StorageReference& reference) const {
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

// Whether a local variable lies in the place of another one, of a call that has returned, which was
// left on a device.
bool Storage::is_of_other_call(const Piece& piece, const StorageReference& reference) const {
  return piece.holder.path && reference.holder.path &&
         piece.holder.activation != reference.holder.activation &&
         !is_named(piece.variable, reference.name->base);
}

// Whether another name for a piece is an alias: it is for the piece's begin, and the mapping has
// not ended.
bool Storage::is_alias(const Pieces::value_type& at, std::uint64_t begin,
                       const StorageReference& reference) const {
  const auto& [first, piece] = at;
  if (begin != first || (piece.is_over && piece.touched < reference.since)) return false;
  return !is_of_other_call(piece, reference);
}

// The variable of a piece from now on. A mapping has the name in its own clause: memory that is
// freed and allocated again, and pointers that are swapped, have another name each time.
Index<Variable> Storage::variable_now(const Piece& piece, std::uint64_t begin,
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

Index<Variable> Storage::variable_of(const StorageReference& reference, std::uint64_t begin) {
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
  const auto [at, is_new] = clauses_.emplace(clause, static_cast<std::uint32_t>(variables_.size()));
  if (is_new) {
    variable.address = begin;
    variable.pieces = 0;
    variables_.push_back(std::move(variable));
  }
  if (counted_.insert({at->second, begin}).second) ++variables_[at->second].pieces;
  return {at->second};
}

void Storage::refer_again(Index<Variable> index, std::uint64_t bytes,
                          const StorageReference& reference, bool is_alias, bool is_present) {
  Variable& variable = variables_[index.value];
  // Instances of a template share a clause, and so a row, and their data need not be of one size.
  // A clause may name a part of data that is present already.
  if (!is_present && variable.bytes != 0 && bytes != variable.bytes &&
      reference.name->base == variable.name) {
    const std::uint64_t least = variable.least_bytes != 0 ? variable.least_bytes : variable.bytes;
    variable.least_bytes = std::min(least, bytes);
  }
  variable.bytes = std::max(variable.bytes, bytes);
  const std::string& name = reference.name->base;
  if (name.empty() || is_named(index, name)) return;
  if (variable.name.empty()) {
    return set_name(variable, *reference.name);
  }
  if (reference.is_part || is_part_of(name, variable.name)) return;
  called_.emplace(index.value, name);
  if (is_alias && aliases_.emplace(index.value, name).second) variable.aliases.push_back(name);
}

ResolvedStorage Storage::touch(std::uint64_t begin, std::uint64_t bytes,
                               const StorageReference& reference, Nanoseconds time) {
  std::uint64_t end = begin + std::max<std::uint64_t>(bytes, 1);
  if (end < begin) end = ~std::uint64_t{0};  // a damaged record
  Piece merged;
  merged.end = end;
  merged.touched = time;
  merged.path = reference.path;
  merged.holder = reference.holder;
  merged.is_whole = is_whole(reference);
  merged.is_scratch = is_scratch(reference);
  std::uint64_t first = begin;
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

void Storage::acquire(std::uint64_t address) {
  Piece* piece = piece_at(pieces_, address);
  if (piece == nullptr) return;
  ++piece->present;
  piece->is_over = false;
}

void Storage::release(std::uint64_t address, Nanoseconds time) {
  Piece* piece = piece_at(pieces_, address);
  if (piece == nullptr) return;
  if (piece->present > 0 && --piece->present == 0) piece->is_over = true;
  piece->touched = std::max(piece->touched, time);
}

bool Storage::is_present(std::uint64_t address) const {
  const Piece* piece = piece_at(pieces_, address);
  return piece != nullptr && piece->present > 0;
}

void Storage::note_content(std::uint64_t address, Index<DataOp> transfer) {
  const std::uint64_t bytes = ops_.common(transfer.value).bytes;
  const auto at = first_overlap(address, address + std::max<std::uint64_t>(bytes, 1));
  if (at == pieces_.end()) return;
  at->second.is_scratch = false;
  if (at->first == address && at->second.end - address == bytes) {
    at->second.content = transfer;
  }
}

void Storage::forget(std::uint64_t begin, std::uint64_t end) {
  auto at = first_overlap(begin, end);
  while (at != pieces_.end() && at->first < end) at = pieces_.erase(at);
}

}  // namespace ompdm::trace
