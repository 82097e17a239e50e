#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <string_view>
#include <tuple>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

/// Redundant transfers of the mappings of one piece of storage, in one entry into a loop.
struct RedundantTransfers {
  std::vector<std::uint32_t> ops;
  std::vector<Dependence> depends_on;
  facts::PerIterationMapping facts;  ///< counts of the transfers
  std::uint64_t bytes = 0;
  std::uint64_t backed_bytes =
      0;  ///< that contents show to be needless, of some or of all iterations
  std::uint64_t last_in_full = 0;  ///< which of `facts.same.equal` was the last compared in full
  std::uint64_t examined = 0;      ///< of `ops`: their content was compared
  std::uint64_t unread = 0;        ///< copies back that are redundant unless the host reads them

  /// Whether more than a quarter of the comparisons differ.
  [[nodiscard]] bool host_changes() const {
    return 4 * (facts.compared - facts.same.equal) > facts.compared;
  }

  /// Adds the redundant transfers of another piece or entry.
  void add(const RedundantTransfers& more) {
    ops.insert(ops.end(), more.ops.begin(), more.ops.end());
    depends_on.insert(depends_on.end(), more.depends_on.begin(), more.depends_on.end());
    facts.sent += more.facts.sent;
    facts.sent_enough += more.facts.sent_enough;
    facts.returned += more.facts.returned;
    facts.returned_enough += more.facts.returned_enough;
    facts.compared += more.facts.compared;
    facts.same.equal += more.facts.same.equal;
    facts.same.in_full += more.facts.same.in_full;
    backed_bytes += more.backed_bytes;
    examined += more.examined;
    unread += more.unread;
  }
};

/// Compares the content that each iteration sent with the device's content before.
void compare_contents(const Evidence& evidence, const std::vector<std::uint32_t>& group,
                      RedundantTransfers& redundant) {
  if (!evidence.contents.known()) return;
  facts::PerIterationMapping& facts = redundant.facts;
  for (std::size_t i = 1; i < group.size(); ++i) {
    for (const std::uint32_t op : evidence.transfers(group[i])) {
      if (!evidence.is_send(op)) continue;
      const Earlier& before = evidence.contents.before(op);
      if (before.same == Same::kNo) ++facts.compared;
      if (!before.tells_same()) continue;
      ++facts.compared;
      ++facts.same.equal;
      if (before.same != Same::kYes) continue;
      ++facts.same.in_full;
      redundant.last_in_full = facts.same.equal;
    }
  }
}

/// Whether the host reads data in a loop, as the source says.
enum class HostReads : std::uint8_t { kUnknown, kYes, kNo };

/// The redundant transfers of mappings (positions in Evidence::mappings) in the order of the
/// iterations. `read`: with kYes, the regions whose results the host reads; empty: it may read any.
RedundantTransfers redundant_of(const Evidence& evidence, const std::vector<std::uint32_t>& group,
                                HostReads reads, const std::vector<SourceLine>& read = {}) {
  using OffsetPiece = std::pair<std::uint64_t, std::uint64_t>;  // offset, bytes
  std::map<OffsetPiece, std::uint32_t> arrived;
  std::map<OffsetPiece, std::uint32_t> returned;
  // Pieces that were sent since they were copied back: with another content, or with the same.
  std::set<OffsetPiece> replaced;
  std::set<OffsetPiece> resent;
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  RedundantTransfers redundant;
  compare_contents(evidence, group, redundant);
  const bool never_changes = redundant.facts.same.equal > 0 && !redundant.host_changes();
  const auto drop = [&](std::uint32_t op, std::uint32_t because_of, bool is_examined,
                        bool is_backed) {
    redundant.ops.push_back(op);
    redundant.depends_on.push_back({op, because_of});
    redundant.bytes += ops.common(op).bytes;
    if (is_examined) ++redundant.examined;
    if (is_backed) redundant.backed_bytes += ops.common(op).bytes;
  };
  const bool is_sent = std::ranges::any_of(
      group, [&](std::uint32_t number) { return evidence.mapping(number).sent; });
  // A copy back is redundant before the loop's end if the next iteration sends the data again, and
  // nothing shows that the host changed it. It is not known whether the host read it.
  const auto is_result = [&](std::uint32_t op) {
    const Index<Site> at = ops.common(op).site;
    if (reads != HostReads::kYes || read.empty() || !at) return reads == HostReads::kYes;
    const Site& site = evidence.trace.sites[at.value];
    return std::ranges::find(read, SourceLine{site.file, site.line}) != read.end();
  };
  const bool may_drop_returns = reads == HostReads::kNo || (is_sent && !redundant.host_changes());
  for (const std::uint32_t number : group) {
    const Mapping& mapping = evidence.mapping(number);
    for (const std::uint32_t i : evidence.transfers(number)) {
      const DataOp& op = ops[i];
      if (!comes_of_mapping(evidence.trace, op)) continue;
      if (op.kind == OpKind::kHtoD) {
        ++redundant.facts.sent;
        const OffsetPiece piece(op.dst - mapping.address, op.bytes);
        const auto [first, is_first] = arrived.try_emplace(piece, i);
        const bool knows = evidence.contents.known();
        const bool is_same = knows && evidence.contents.before(i).tells_same();
        const bool is_news = knows && evidence.contents.before(i).same == Same::kNo;
        if (is_news) replaced.insert(piece);
        if (is_same) resent.insert(piece);
        if (!is_first && !is_news && (is_same || !redundant.host_changes())) {
          drop(i, first->second, is_same, is_same || never_changes);
        } else {
          ++redundant.facts.sent_enough;
        }
      } else {
        ++redundant.facts.returned;
        const OffsetPiece piece(op.src - mapping.address, op.bytes);
        const auto [at, is_first] = returned.try_emplace(piece, i);
        // A copy back of the sent content is redundant, whatever the host reads. (If the host also
        // changes the data, map(to:) is the only remedy: unmodified_copy_back.) If the host then
        // sent another content, it may have read the copied data before.
        const bool was_replaced = replaced.erase(piece) > 0;
        const bool was_resent = resent.erase(piece) > 0;
        const bool is_read = !is_first && is_result(at->second);
        const bool drops_returns = may_drop_returns && !is_read;
        const bool no_news = !is_first && !is_read && !redundant.host_changes() &&
                             evidence.contents.known() &&
                             evidence.contents.sent_before(at->second).tells_same();
        const bool is_again = was_resent && !is_read;
        if (!is_first && !was_replaced && (drops_returns || is_again || no_news)) {
          const bool is_known = no_news || reads == HostReads::kNo;
          drop(at->second, i, is_known, is_known);
          if (!is_known) ++redundant.unread;
        } else {
          ++redundant.facts.returned_enough;
        }
        at->second = i;
      }
    }
  }
  if (redundant.bytes == 0) return redundant;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Mapping& mapping = evidence.mapping(group[i]);
    if (i > 0) redundant.ops.push_back(mapping.alloc.value);
    if (i + 1 < group.size()) redundant.ops.push_back(mapping.remove.value);
  }
  return redundant;
}

/// Whether one recorded entry into a loop may be several, which the recording does not show.
bool may_be_several(const Trace& trace, const Loop& loop) {
  // An unrolled loop may have been several loops, one in the other.
  return loop.entries_at_least || (loop.code && trace.loops[loop.code.value].unrolled);
}

/// The residency of a piece from the begin of the first of its mappings to the end of the last.
Residency residency_of(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  const Trace& trace = evidence.trace;
  const Mapping& first = evidence.mapping(mappings.front());
  const Mapping& last = evidence.mapping(mappings.back());
  return residency_of(first, trace.ops.end_of(first.alloc.value),
                      last.remove ? trace.ops.begin_of(last.remove.value) : trace.process.wall);
}

/// The other mappings of data during residencies around loops.
class LoopPresence {
 public:
  explicit LoopPresence(const Evidence& evidence) : evidence_(evidence) {}

  /// The other mappings of a piece during its residency around an entry. `mappings` are those of
  /// the entry's iterations, in their order (positions in Evidence::mappings). If the entry may be
  /// several, the residency lasts only from the first to the last of these. If several entries were
  /// found from the order of events, the code between them may be in the program's loop: then its
  /// mappings count, too.
  OtherMappings others(const EnclosingEntry& entry, const std::vector<std::uint32_t>& mappings) {
    const Loop& loop = evidence_.loops.rows[entry.loop];
    const Mapping& piece = evidence_.mapping(mappings.front());
    const bool is_own = may_be_several(evidence_.trace, loop);
    const Residency residency =
        is_own ? residency_of(evidence_, mappings) : residency_of(piece, entry.begin, entry.end);
    const OtherMappings others =
        evidence_.presence.others(piece, residency.from, residency.to, mappings.size());
    if (loop.spans.size() == 1 || loop.code) return others;
    const auto [at, is_new] = between_.try_emplace({entry.loop, piece.piece});
    if (is_new) {
      const Nanoseconds end = std::ranges::max(loop.spans, {}, &LoopEntry::end).end;
      at->second = evidence_.presence.others(piece, loop.begin, end, 0);
    } else {
      at->second.mappings.clear();  // returned once
    }
    OtherMappings between = at->second;
    between.any = others.any;
    return between;
  }

 private:
  const Evidence& evidence_;
  std::map<std::pair<std::size_t, std::uint32_t>, OtherMappings> between_;  // by loop and piece
};

/// The residency of one piece of storage around one entry into a loop, and the transfers that it
/// saves.
struct LoopResidency {
  const EnclosingEntry* entry = nullptr;
  std::uint32_t alias = 0;              ///< Mapping::alias
  bool strays = false;                  ///< its name also stood for other memory
  std::vector<std::uint32_t> mappings;  ///< positions in Evidence::mappings, in their order
  RedundantTransfers redundant;
  OtherMappings others;

  [[nodiscard]] bool can_stay() const { return others.allow_to_keep(redundant.facts.returned > 0); }
};

/// Residencies of pieces that share names, and the residencies in inner loops that these replace.
struct Choice {
  std::vector<LoopResidency> residencies;
  std::vector<Choice> inner;
};

/// Pieces that share names, in one entry into a loop.
struct Node {
  std::map<std::uint32_t, std::vector<std::uint32_t>> mappings;  // by piece
  std::vector<Choice> choices;
  std::uint64_t bytes = 0;         // that `choices` save
  std::uint64_t backed_bytes = 0;  // of these: contents show it
};

/// Whether a clause names a variable of the program by itself: an array section, or an object that
/// is larger than a scalar. False for members, and for objects whose members are mapped, too.
bool is_named_object(const MapItem* item, std::uint64_t bytes) {
  constexpr std::uint64_t kScalar = 8;
  if (item == nullptr || item->by_mapper || (item->type & kMapImplicit) != 0) return false;
  // Of an object whose members are mapped, the whole is only allocated.
  if (item->aggregate && (item->type & (kMapTo | kMapFrom)) == 0) return false;
  const std::string_view name = item->name;
  if (name.starts_with("this") || name.find_first_of(".>") != std::string_view::npos) return false;
  return bytes > kScalar || name.find('[') != std::string_view::npos;
}

bool is_candidate(const Trace& trace, const Mapping& mapping) {
  if (mapping.host == 0 || !mapping.remove) return false;
  if (mapping.bytes <= kRidesAlong && !is_named_object(mapping.item, mapping.bytes)) return false;
  const DataOp& alloc = trace.ops.common(mapping.alloc.value);
  return (alloc.map_type & kMapPrivate) == 0 && comes_of_mapping(trace, alloc);
}

/// The entry into the innermost loop around a mapping that one thread begins and ends; null: there
/// is none.
const EnclosingEntry* entry_of(const Evidence& evidence, const Mapping& mapping) {
  const Asker begins = asker_of(evidence.trace, mapping.alloc.value);
  const Asker ends = asker_of(evidence.trace, mapping.remove.value);
  if (begins.thread != ends.thread) return nullptr;
  return evidence.enclosing.innermost(begins.thread, begins.time, mapping.end);
}

/// Whether all copies back had the content that was sent. The host likely reads small data, a sum
/// or a flag, in the loop. So small data is kept only if this is true.
bool brings_no_news(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  return std::ranges::all_of(mappings, [&](std::uint32_t number) {
    const auto transfers = evidence.transfers(number);
    return std::ranges::all_of(transfers, [&](std::uint32_t op) {
      return evidence.is_send(op) ||
             (evidence.contents.known() && evidence.contents.sent_before(op).tells_same());
    });
  });
}

/// Whether a fact of the source on a mapping's data in a loop meets a condition.
template <class Says>
bool has_fact(const Evidence& evidence, const Loop& loop, const Mapping& mapping, Says&& says) {
  const Trace& trace = evidence.trace;
  if (trace.host_facts.empty() || !mapping.site || !has_name(trace, mapping)) return false;
  const SourcePlace around = source_place(trace, loop);
  const SourcePlace named = source_place(trace.sites[mapping.site.value]);
  const NamedItem item{expression_of(trace, mapping), {named.file, named.line}};
  return std::ranges::any_of(trace.host_facts, [&](const HostFact& fact) {
    const HostStretch& stretch = fact.stretch;
    const auto stands_at = [&](const SourcePlace& place) {
      return std::ranges::find(stretch.places, SourceLine{place.file, place.line}) !=
             stretch.places.end();
    };
    // The code around a directive holds all loops around it.
    const bool is_it = (stretch.kind == HostStretch::Kind::kLoop && stands_at(around)) ||
                       (stretch.kind == HostStretch::Kind::kSpan && stands_at(named));
    return is_it && fact.item == item && says(fact);
  });
}

/// Whether the source shows that the host neither reads nor writes a mapping's data in a loop.
bool is_left_alone(const Evidence& evidence, const Loop& loop, const Mapping& mapping) {
  return has_fact(evidence, loop, mapping, [](const HostFact& fact) {
    return fact.read.answer == HostUse::Answer::kNo && fact.written.answer == HostUse::Answer::kNo;
  });
}

/// Whether the source shows that the program may use an old copy of a mapping's data in a loop.
/// During a residency this would be the new copy.
bool may_be_old(const Evidence& evidence, const Loop& loop, const Mapping& mapping) {
  return has_fact(evidence, loop, mapping, [](const HostFact& fact) {
    return fact.stretch.kind == HostStretch::Kind::kLoop && fact.may_be_old();
  });
}

/// Whether each iteration of a loop declares the name of a mapping's data.
bool is_declared_in(const Evidence& evidence, const Loop& loop, const Mapping& mapping) {
  const SourcePlace around = source_place(evidence.trace, loop);
  if (around.line == 0 || mapping.item == nullptr || !mapping.site) return false;
  const std::string function = evidence.trace.sites[mapping.site.value].function;
  return template_name(function) == template_name(around.function) &&
         mapping.item->local_line > around.line;
}

/// Whether the source shows that each iteration of a loop allocates a mapping's data.
bool is_allocated_anew(const Evidence& evidence, const Loop& loop, const Mapping& mapping) {
  const bool is_renewed = has_fact(evidence, loop, mapping, [](const HostFact& fact) {
    return fact.renewed.answer == HostUse::Answer::kYes;
  });
  if (is_renewed || !is_declared_in(evidence, loop, mapping)) return is_renewed;
  const HostFact* rest = fact_of_rest(evidence.trace, mapping);
  return rest != nullptr && rest->renewed.answer == HostUse::Answer::kYes &&
         rest->renewed.at.line == mapping.item->local_line;
}

/// Whether the loop's code cannot keep the data, since each call of another function makes it.
bool is_made_by_calls(const Evidence& evidence, const Loop& loop, const Mapping& mapping) {
  const Trace& trace = evidence.trace;
  const std::string function = source_place(trace, loop).function;
  return mapping.item != nullptr && mapping.item->automatic && mapping.site && !function.empty() &&
         template_name(function) != template_name(trace.sites[mapping.site.value].function);
}

void choose(const Evidence& evidence, const EnclosingEntry& entry, std::uint32_t alias,
            Node& node) {
  const bool any_number = may_be_several(evidence.trace, evidence.loops.rows[entry.loop]);
  Choice choice;
  std::uint64_t bytes = 0;
  std::uint64_t backed_bytes = 0;
  for (auto& [piece, mappings] : node.mappings) {
    std::ranges::sort(mappings);
    // If the entry may be several, each of them has mappings in a part of the iterations only.
    const bool in_most = 2 * mappings.size() + 1 >= entry.iterations || any_number;
    if (mappings.size() < 2 || !in_most) continue;
    const bool is_small = evidence.mapping(mappings.front()).bytes <= kRidesAlong;
    if (is_small && !brings_no_news(evidence, mappings)) continue;
    const Loop& loop = evidence.loops.rows[entry.loop];
    const Mapping& first = evidence.mapping(mappings.front());
    if (is_made_by_calls(evidence, loop, first)) continue;
    // A loop within this one can still keep the data.
    if (is_allocated_anew(evidence, loop, first)) continue;
    if (!node.choices.empty() && may_be_old(evidence, loop, first)) continue;
    if (!node.choices.empty() && is_declared_in(evidence, loop, first)) continue;
    const auto is_its = [&](std::uint32_t one) { return is_spoilt(evidence, one); };
    if (std::ranges::any_of(mappings, is_its)) continue;
    const HostReads reads =
        is_left_alone(evidence, loop, first) ? HostReads::kNo : HostReads::kUnknown;
    RedundantTransfers redundant = redundant_of(evidence, mappings, reads);
    if (redundant.bytes == 0) continue;
    bytes += redundant.bytes;
    backed_bytes += redundant.backed_bytes;
    choice.residencies.push_back({&entry, alias, false, mappings, std::move(redundant), {}});
  }
  const bool is_shown = backed_bytes * 10 > node.backed_bytes * 11;
  if (bytes <= node.bytes || (node.bytes > 0 && !is_shown)) return;
  node.bytes = bytes;
  node.backed_bytes = backed_bytes;
  choice.inner = std::move(node.choices);
  node.choices.clear();
  node.choices.push_back(std::move(choice));
}

/// Takes the residencies that other mappings allow. If these do not allow all of a choice, takes
/// those of inner loops.
void take(const Evidence& evidence, LoopPresence& presence, std::vector<Choice> choices,
          std::vector<LoopResidency>& taken) {
  for (Choice& choice : choices) {
    bool allowed = true;
    for (LoopResidency& residency : choice.residencies) {
      residency.others = presence.others(*residency.entry, residency.mappings);
      allowed = allowed && residency.can_stay();
    }
    if (allowed || choice.inner.empty()) {
      for (LoopResidency& residency : choice.residencies) {
        if (residency.can_stay()) taken.push_back(std::move(residency));
      }
    } else {
      take(evidence, presence, std::move(choice.inner), taken);
    }
  }
}

/// Removes residencies that some other entry into the same loop does not allow, even if that entry
/// saves nothing: the edits apply to all entries.
void leave_out_refused(const Evidence& evidence, LoopPresence& presence,
                       std::vector<LoopResidency>& taken) {
  using LoopGroup = std::pair<std::size_t, std::uint32_t>;  // loop, group of names
  std::set<LoopGroup> kept;
  std::set<std::pair<const EnclosingEntry*, std::uint32_t>> known;  // entry, group of names
  for (const LoopResidency& residency : taken) {
    kept.emplace(residency.entry->loop, residency.alias);
    known.emplace(residency.entry, residency.alias);
  }
  std::set<LoopGroup> refused;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size() && !kept.empty(); ++i) {
    if (!is_candidate(evidence.trace, rows[i])) continue;
    const std::uint32_t alias = rows[i].alias;
    const EnclosingEntry* at = entry_of(evidence, rows[i]);
    for (; at != nullptr; at = at->parent) {
      const LoopGroup group(at->loop, alias);
      if (!kept.contains(group) || !known.emplace(at, alias).second) continue;
      if (!presence.others(*at, {i}).allow_to_keep(false)) refused.insert(group);
    }
  }
  std::erase_if(taken, [&](const LoopResidency& residency) {
    return refused.contains({residency.entry->loop, residency.alias});
  });
}

/// Marks residencies whose name also stood for memory at other addresses, which is not kept. The
/// name of an item counts at its directive, in iterations of the loop. The name of a local variable
/// counts at all directives of its function, since edits before and after the loop would use it,
/// too.
class Strays {
 public:
  Strays(const Evidence& evidence, std::vector<LoopResidency>& taken)
      : evidence_(evidence), trace_(evidence.trace), taken_(taken) {
    const std::vector<Mapping>& rows = evidence.mappings.rows();
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      const LoopResidency& residency = taken[i];
      Addresses& hosts = hosts_[{loop_of(i), residency.alias}];
      Addresses& bases = bases_[residency.alias];
      for (const std::uint32_t mapping : residency.mappings) {
        hosts.insert(rows[mapping].host);
        bases.insert(rows[mapping].base);
      }
      const Mapping& first = rows[residency.mappings.front()];
      if (first.item == nullptr || !first.site) continue;
      by_item_[{first.site.value, first.item->name}].emplace_back(i, &hosts);
      if (first.item->local_line == 0) continue;
      by_local_[local_of(first.site, *first.item)].emplace_back(i, &bases);
    }
  }

  void note() {
    const auto others =
        trace_.regions.of_shapes([&](const Region& region) { return items_elsewhere(region); });
    for (std::size_t i = 0; i < trace_.regions.size(); ++i) {
      const std::vector<std::uint32_t>& residencies = others[trace_.regions.shape_of(i)];
      if (!residencies.empty()) note_in_loops(trace_.regions[i], residencies);
    }
  }

 private:
  using Addresses = std::set<std::uint64_t>;
  using Local = std::tuple<std::string_view, int, std::string>;           // function, line, name
  using Named = std::vector<std::pair<std::uint32_t, const Addresses*>>;  // residency, addresses

  [[nodiscard]] std::size_t loop_of(std::uint32_t residency) const {
    return taken_[residency].entry->loop;
  }

  [[nodiscard]] Local local_of(Index<Site> site, const MapItem& item) const {
    return {trace_.sites[site.value].function, item.local_line, base_of(item.name)};
  }

  /// The residencies whose items name other memory in regions of this kind.
  std::vector<std::uint32_t> items_elsewhere(const Region& region) {
    std::vector<std::uint32_t> residencies;
    if (!region.site) return residencies;
    const auto each = [this](const auto& names, const auto& name, std::uint64_t address,
                             auto take) {
      const auto at = names.find(name);
      if (at == names.end()) return;
      for (const auto& [residency, kept] : at->second) {
        // All pieces that one name stands for in turn are kept.
        const bool stays_too = std::ranges::any_of(at->second, [&](const auto& other) {
          return loop_of(other.first) == loop_of(residency) && other.second->contains(address);
        });
        if (!stays_too) take(residency);
      }
    };
    for (const MapItem& item : items_of(trace_, region)) {
      if ((item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      each(by_item_, std::pair(region.site.value, std::string_view(item.name)), item.begin,
           [&](std::uint32_t residency) { residencies.push_back(residency); });
      if (item.local_line == 0) continue;
      each(by_local_, local_of(region.site, item), item.base,
           [&](std::uint32_t residency) { taken_[residency].strays = true; });
    }
    return residencies;
  }

  void note_in_loops(const Region& region, const std::vector<std::uint32_t>& residencies) {
    const EnclosingEntry* at =
        evidence_.enclosing.innermost(region.asker(), region.asked(), region.end);
    for (; at != nullptr; at = at->parent) {
      for (const std::uint32_t residency : residencies) {
        if (loop_of(residency) == at->loop) taken_[residency].strays = true;
      }
    }
  }

  const Evidence& evidence_;
  const Trace& trace_;
  std::vector<LoopResidency>& taken_;
  std::map<std::pair<std::size_t, std::uint32_t>, Addresses> hosts_;  // by loop, group of names
  std::map<std::uint32_t, Addresses> bases_;                          // by group of names
  std::map<std::pair<std::uint32_t, std::string_view>, Named> by_item_;
  std::map<Local, Named> by_local_;
};

/// The entry into a loop that each mapping belongs to. The threads of a team may map data while the
/// first thread is in a loop: these mappings belong to that loop. The other threads have only an
/// inner part of the loop, or none of it. Data that remains around the first thread's loop is
/// present for them, too.
class EntryOfMapping {
 public:
  /// `candidates`: positions in Evidence::mappings.
  EntryOfMapping(const Evidence& evidence, const std::vector<std::uint32_t>& candidates)
      : evidence_(evidence) {
    for (const std::uint32_t number : candidates) {
      const Mapping& row = evidence.mapping(number);
      if (entry_of(evidence, row) == nullptr) continue;
      threads_[by_directive(row)].insert(asker_of(evidence.trace, row.alloc.value).thread);
    }
  }

  /// Null: the mapping belongs to none. Another thread's entry is taken if that thread's loops hold
  /// all loops of the mapping's thread, and have mappings of the same piece by the same directive.
  [[nodiscard]] const EnclosingEntry* operator()(const Mapping& row) const {
    const EnclosingEntry* own = entry_of(evidence_, row);
    const auto threads = threads_.find(by_directive(row));
    if (threads == threads_.end()) return own;
    const Asker begins = asker_of(evidence_.trace, row.alloc.value);
    for (const std::uint32_t thread : threads->second) {
      if (own != nullptr && thread == begins.thread) continue;
      const EnclosingEntry* entry = evidence_.enclosing.innermost(thread, begins.time, row.end);
      if (entry == nullptr) continue;
      if (own == nullptr || holds(outermost(*entry), outermost(*own))) return entry;
    }
    return own;
  }

 private:
  using ByDirective = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // names, piece, row

  [[nodiscard]] ByDirective by_directive(const Mapping& row) const {
    return {row.alias, row.piece, row_of(evidence_.directives, row.site)};
  }

  static const EnclosingEntry& outermost(const EnclosingEntry& entry) {
    return entry.parent == nullptr ? entry : outermost(*entry.parent);
  }

  static bool holds(const EnclosingEntry& outer, const EnclosingEntry& inner) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
  }

  const Evidence& evidence_;
  std::map<ByDirective, std::set<std::uint32_t>> threads_;
};

/// The residencies around loops, sorted by entry. Of nested loops the innermost is taken: the
/// closer a residency is to the iterations, the less host code could need the data meanwhile. An
/// outer loop replaces it if contents show that it saves a tenth more. All pieces that one name
/// stands for in turn remain around the same loop.
std::vector<LoopResidency> loop_residencies(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  // Entries come before those within them, so that the last is handled first.
  std::map<std::pair<const EnclosingEntry*, std::uint32_t>, Node, std::greater<>>
      open;  // and group
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (is_candidate(trace, rows[i])) candidates.push_back(i);
  }
  const EntryOfMapping entry_of_mapping(evidence, candidates);
  for (const std::uint32_t i : candidates) {
    const EnclosingEntry* entry = entry_of_mapping(rows[i]);
    if (entry != nullptr) open[{entry, rows[i].alias}].mappings[rows[i].piece].push_back(i);
  }
  std::vector<LoopResidency> taken;
  LoopPresence presence(evidence);
  while (!open.empty()) {
    auto first = open.extract(open.begin());
    const auto [entry, alias] = first.key();
    Node& node = first.mapped();
    choose(evidence, *entry, alias, node);
    if (entry->parent == nullptr) {
      take(evidence, presence, std::move(node.choices), taken);
      continue;
    }
    Node& outer = open[{entry->parent, alias}];
    outer.mappings.merge(node.mappings);
    for (const auto& [piece, mappings] : node.mappings) {  // pieces that it has already
      std::vector<std::uint32_t>& all = outer.mappings[piece];
      all.insert(all.end(), mappings.begin(), mappings.end());
    }
    std::ranges::move(node.choices, std::back_inserter(outer.choices));
    outer.bytes += node.bytes;
    outer.backed_bytes += node.backed_bytes;
  }
  leave_out_refused(evidence, presence, taken);
  Strays(evidence, taken).note();
  std::ranges::sort(taken, {}, [&](const LoopResidency& residency) {
    return std::pair(residency.entry, rows[residency.mappings.front()].piece);
  });
  return taken;
}

/// The redundant transfers of a loop, over its entries and variables.
struct LoopCandidate : RedundantTransfers {
  Candidate candidate;
  KeptData kept;
  std::vector<std::uint32_t> data_of_residency;     ///< by residency: its number in `kept`
  UniqueSites sites;                                ///< of their directives
  std::map<std::uint32_t, std::uint64_t> bytes_at;  ///< by site
  std::map<std::uint32_t, Comparisons> equal;       ///< by number of the data
  std::uint64_t pieces = 0;  ///< whose first transfer of an entry has none before it
  bool with_others = false;  ///< other directives map the same in between
  /// Some of them, or of the loop's own, do not copy back what kernels may have written.
  bool others_drop = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> counted_on;  ///< site, number of the data
  bool others_are_made = false;  ///< the data that the loop makes again is in another candidate
  /// By number of the data: the pieces of it that each entry has.
  std::map<std::uint32_t, std::map<const EnclosingEntry*, std::set<std::uint32_t>>> pieces_in;
  std::set<std::uint32_t> rare;  ///< numbers of the data of which a piece is in few iterations only
};

void add_residency(const Evidence& evidence, const LoopResidency& residency, LoopCandidate& loop) {
  const Trace& trace = evidence.trace;
  const auto& [entry, alias, strays, group, redundant, others] = residency;
  const facts::PerIterationMapping& facts = redundant.facts;
  const std::uint32_t data =
      loop.kept.add(evidence, group.front(), facts.sent > 0, facts.returned > 0, others,
                    residency_of(evidence, group), loop.candidate);
  loop.kept.aliases[alias].insert(data);
  if (strays) loop.kept.straying.insert(data);
  loop.pieces_in[data][entry].insert(evidence.mapping(group.front()).piece);
  if (2 * group.size() + 1 < entry->iterations) loop.rare.insert(data);
  loop.data_of_residency.push_back(data);
  loop.with_others = loop.with_others || others.any;
  const auto drops = [&](std::uint32_t number) {
    const Mapping& row = evidence.mapping(number);
    return !row.returned && evidence.kernels.writer_of(row, row.begin, row.end) > Writer::kReader;
  };
  loop.others_drop = loop.others_drop || std::ranges::any_of(others.mappings, drops);
  for (const std::uint32_t number : group) {
    loop.sites.add(evidence.mapping(number).site);
    loop.sites.add(trace.ops.common(evidence.mapping(number).remove.value).site);
    loop.kept.add_directives(evidence, number, data);
    for (const std::uint32_t op : evidence.transfers(number)) {
      const std::uint32_t site = trace.ops.common(op).site.value;
      const bool is_new = loop.counted_on.emplace(site, data).second;
      if (is_new) loop.candidate.needed.push_back(op);
    }
  }
  for (const std::uint32_t i : redundant.ops) {
    const DataOp& op = trace.ops.common(i);
    if (!is_transfer(op.kind)) continue;
    ++loop.candidate.finding.count;
    loop.bytes_at[op.site.value] += op.bytes;
  }
  loop.add(redundant);
  if (facts.sent > 0) ++loop.pieces;
  if (facts.same.equal > 0) loop.equal[data].add(facts.same.equal, redundant.last_in_full);
}

/// Whether iterations use several pieces of some data in turn, each in few iterations only.
bool takes_turns(const LoopCandidate& loop) {
  return std::ranges::any_of(loop.rare, [&](std::uint32_t data) {
    return std::ranges::any_of(loop.pieces_in.at(data),
                               [](const auto& entry) { return entry.second.size() > 1; });
  });
}

/// The anchor at which the data would be kept: the loop, or an outer loop that the recording cannot
/// tell from it.
Anchor place_around(const Evidence& evidence, const Loop& row, const LoopCandidate& loop) {
  const Trace& trace = evidence.trace;
  Anchor around = loop_anchor(trace, row, loop.sites.all());
  for (const Index<CodeLoop> outer : loops_around(trace, evidence.loops, row)) {
    const CodeLoop& code = trace.loops[outer.value];
    const SourcePlace place{code.file, code.line, without_signature(code.function), 0};
    const bool makes_again = code.makes_memory == MakesMemory::kItself;
    if (makes_again || !loop.kept.data.declared_in(place).empty()) break;
    around.places.front() = place;
  }
  around.all_entries = row.entries_at_least && around.of == Anchor::Of::kLoop &&
                       around.places.front() == source_place(trace, row) && takes_turns(loop);
  return around;
}

/// Names of data that the loop may make again. If nothing makes memory there are none: pointers
/// that are set again are then copies of others.
std::vector<std::string> made_within(const Evidence& evidence, const Loop& row,
                                     const Anchor& around, const LoopCandidate& loop) {
  if (makes_memory(evidence.trace, row) == MakesMemory::kNo) return {};
  const SourcePlace& place = around.places.front();
  return loop.kept.data.made_within(
      place.line > 0 ? place : body_place(evidence.trace, evidence.directives, row));
}

/// The candidate of a loop; none if there is too little evidence.
std::optional<Candidate> finished(const Evidence& evidence, const Loop& row, LoopCandidate& loop) {
  const Trace& trace = evidence.trace;
  const Anchor around = place_around(evidence, row, loop);
  const MakesMemory makes = makes_memory(trace, row);
  const std::vector<std::string> made = made_within(evidence, row, around, loop);
  // In a loop of three iterations, two transfers may have the content of the one before.
  constexpr std::uint64_t kFewest = 3;
  const std::uint64_t fewest = std::clamp<std::uint64_t>(loop.facts.sent, 2, kFewest + 1) - 1;
  if (!made.empty() && loop.facts.same.equal < fewest) return std::nullopt;
  loop.kept.complete(trace);
  const auto heaviest =
      std::ranges::max_element(loop.bytes_at, {}, [](const auto& site) { return site.second; });
  const Index<Site> site{heaviest->first};
  Candidate candidate = std::move(loop.candidate);
  candidate.ops = std::move(loop.ops);
  candidate.depends_on = std::move(loop.depends_on);
  candidate.host_copy_stale = loop.unread > 0;
  place(candidate, "per_iteration_mapping", trace, site);
  sum_up(candidate, trace);
  Finding& finding = candidate.finding;
  describe(candidate, finding.count, Confidence::kLikely, loop.kept.data.names());
  finding.examined = loop.examined;
  // Contents have to show that at least half of the bytes are redundant.
  const bool is_backed = 2 * loop.backed_bytes >= finding.wasted_bytes;
  const facts::SameContents& same = loop.facts.same;
  const bool is_shown =
      same.equal >= std::min(loop.facts.sent - loop.facts.sent_enough, kEnoughSamples);
  if (!evidence.contents.known()) {
    candidate.add_caveat(Caveat::Kind::kNotCompared);
  } else if (!is_shown) {
    candidate.add_caveat(Caveat::Kind::kFewCompared);
  } else if (!is_backed) {
    candidate.add_caveat(Caveat::Kind::kHalfUnbacked);
  }
  const bool are_backed =
      std::ranges::all_of(loop.equal, [](const auto& one) { return one.second.are_backed(); });
  if (!are_backed) candidate.add_caveat(Caveat::Kind::kBlocksCompared);
  if (loop.with_others) candidate.add_caveat(Caveat::Kind::kOthersMap);
  candidate.others_bring_back = !loop.others_drop;
  if (!loop.kept.straying.empty()) {
    candidate.add_caveat(Caveat::Kind::kNamesStray, loop.kept.data.names(loop.kept.straying));
  }
  constexpr std::uint64_t kOften = 4;
  if (kOften * (loop.facts.compared - same.equal) > loop.facts.compared) {
    candidate.add_caveat(Caveat::Kind::kHostChanges);
  }
  // If the loop was entered again with other data, contents differ. Nine of ten comparisons have to
  // be equal.
  constexpr std::uint64_t kMostly = 10;
  if (row.entries_at_least && kMostly * same.equal < (kMostly - 1) * loop.facts.compared) {
    candidate.add_caveat(Caveat::Kind::kOtherEntries);
  }
  if (!made.empty()) {
    candidate.add_caveat(Caveat::Kind::kMadeAgain, made);
  } else if (makes == MakesMemory::kItself && !loop.others_are_made) {
    candidate.add_caveat(Caveat::Kind::kMakesMemory);
  }
  const SourcePlace& place = around.places.front();
  const std::vector<std::string> declared = loop.kept.data.declared_in(place);
  facts::PerIterationMapping& facts = loop.facts;
  facts.names = loop.kept.data.names();
  facts.devices = listed(loop.kept.data.devices());
  facts.loop = place_of_loop(trace, row);
  facts.iterations = row.iterations;
  facts.iterations_at_least = row.at_least;
  facts.entries = row.entries;
  facts.entries_at_least = row.entries_at_least;
  facts.enough_at_most = facts.compared > 0 && facts.compared + loop.pieces < facts.sent;
  facts.may_be_read = loop.unread > 0;
  if (around.unplaced && around.unplaced->recurses) loop.facts.loop.is_calls = true;
  finding.facts = loop.facts;
  finding.data = loop.kept.data.rows();
  for (const std::uint32_t one : loop.kept.straying) finding.data[one].strays = true;
  for (const auto& [one, entries] : loop.pieces_in) {
    finding.data[one].in_turn =
        std::ranges::all_of(entries, [](const auto& entry) { return entry.second.size() == 1; });
  }
  finding.edits = loop.kept.edits(trace, around);
  finding.unless = {Unless::kHostUses, Unless::kMadeAgain};
  if (loop.kept.returns_what_is_made()) finding.unless.push_back(Unless::kNoIteration);
  if (same.equal > 0 && same.equal == loop.facts.compared && same.equal == same.in_full &&
      !loop.with_others) {
    finding.remarks = {{Remark::Kind::kWentAsItHadBeen}};
  }
  if (!declared.empty()) tell_to_make_once(declared, place, around.all_entries, candidate);
  loop.kept.withdraw_edits(candidate);
  return candidate;
}

using Residencies = std::vector<const LoopResidency*>;

LoopCandidate candidate_of(const Evidence& evidence, const Residencies& residencies) {
  LoopCandidate loop;
  for (const LoopResidency* residency : residencies) add_residency(evidence, *residency, loop);
  return loop;
}

/// The source's answer on the host's use of data around the loop; null: there is none.
const HostFact* host_fact(const Evidence& evidence, const Anchor& around, const EditData& data) {
  const SourcePlace& place = around.places.front();
  if (around.of != Anchor::Of::kLoop || around.unplaced || place.line == 0) return nullptr;
  const HostStretch stretch{
      HostStretch::Kind::kLoop, {{place.file, place.line}}, {}, around.all_entries};
  const NamedItem item{data.expression, {data.named_at.file, data.named_at.line}};
  const auto& facts = evidence.trace.host_facts;
  const auto found = std::ranges::find_if(
      facts, [&](const HostFact& fact) { return fact.item == item && fact.stretch == stretch; });
  return found == facts.end() ? nullptr : &*found;
}

/// Separates the data of a loop into candidates, so that a doubt of one does not concern the
/// others:
/// - data without doubts,
/// - data that the host uses in the loop,
/// - data of which an old copy may be used,
/// - data that may be other memory in each iteration.
/// Members of objects have to remain together: then there is one candidate.
std::vector<LoopCandidate> by_doubt(const Evidence& evidence, const Loop& row,
                                    const Residencies& all) {
  LoopCandidate whole = candidate_of(evidence, all);
  const std::vector<EditData> data = whole.kept.data.rows();
  const bool any_member =
      std::ranges::any_of(data, [](const EditData& one) { return !one.objects.empty(); });
  const Anchor around = place_around(evidence, row, whole);
  const std::vector<std::string> made = made_within(evidence, row, around, whole);
  std::set<std::uint32_t> doubtful;  // aliases
  std::set<std::uint32_t> used;      // aliases
  std::set<std::uint32_t> stale;     // aliases
  // By alias: the regions whose results the host reads.
  std::map<std::uint32_t, std::vector<SourceLine>> read;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint32_t number = whole.data_of_residency[i];
    const HostFact* fact = host_fact(evidence, around, data[number]);
    const bool is_remade =
        fact != nullptr ? fact->renewed.answer == HostUse::Answer::kYes
                        : std::ranges::find(made, base_of(data[number].expression)) != made.end();
    if (is_remade || whole.kept.straying.contains(number)) doubtful.insert(all[i]->alias);
    if (fact == nullptr) continue;
    if (fact->may_be_old()) stale.insert(all[i]->alias);
    const bool is_back = all[i]->redundant.facts.returned > 0;
    const bool is_read = is_back && fact->read.answer == HostUse::Answer::kYes;
    // The run may not have executed a read in a branch.
    if (is_read && fact->read.always) {
      std::vector<SourceLine>& regions = read[all[i]->alias];
      regions.insert(regions.end(), fact->read.beside.begin(), fact->read.beside.end());
    }
    if (is_read || fact->written.answer == HostUse::Answer::kYes) used.insert(all[i]->alias);
  }
  std::vector<LoopCandidate> candidates;
  // Data that the host reads in the loop has to be copied back in the loop.
  std::deque<LoopResidency> needed;
  Residencies sure;
  Residencies host;
  Residencies old;
  Residencies others;
  for (const LoopResidency* residency : all) {
    if (read.contains(residency->alias)) {
      LoopResidency copy = *residency;
      copy.redundant =
          redundant_of(evidence, copy.mappings, HostReads::kYes, read.at(residency->alias));
      if (copy.redundant.bytes == 0) continue;
      residency = &needed.emplace_back(std::move(copy));
    }
    const bool is_doubtful = doubtful.contains(residency->alias);
    const bool is_used = used.contains(residency->alias);
    const bool is_stale = stale.contains(residency->alias);
    (is_doubtful ? others : is_stale ? old : is_used ? host : sure).push_back(residency);
  }
  if (any_member) {
    Residencies together;
    for (const Residencies* some : {&sure, &host, &old, &others}) {
      together.insert(together.end(), some->begin(), some->end());
    }
    if (!together.empty()) candidates.push_back(candidate_of(evidence, together));
    return candidates;
  }
  for (const Residencies* some : {&sure, &host, &old, &others}) {
    if (some->empty()) continue;
    candidates.push_back(candidate_of(evidence, *some));
    candidates.back().others_are_made = some != &others && !others.empty() && !made.empty();
  }
  return candidates;
}

}  // namespace

/// The iterations of a loop map the same data in and out, where once before and once after the loop
/// would do. Up to four candidates a loop (by_doubt).
std::vector<Candidate> per_iteration_mapping(const Evidence& evidence, const Removed& /*removed*/) {
  const std::vector<LoopResidency> residencies = loop_residencies(evidence);
  std::map<std::size_t, Residencies> loops;
  for (const LoopResidency& residency : residencies) {
    loops[residency.entry->loop].push_back(&residency);
  }
  std::vector<Candidate> candidates;
  for (const auto& [number, all] : loops) {
    const Loop& row = evidence.loops.rows[number];
    for (LoopCandidate& loop : by_doubt(evidence, row, all)) {
      std::optional<Candidate> candidate = finished(evidence, row, loop);
      if (candidate) candidates.push_back(std::move(*candidate));
    }
  }
  return candidates;
}

}  // namespace ompdm::analysis
