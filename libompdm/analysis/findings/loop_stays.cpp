#include "analysis/findings/loop_stays.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/findings/loop_presence.h"
#include "analysis/findings/names.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// Stays of what has names in common, and those in inner loops that they take the place of.
struct Choice {
  std::vector<LoopStay> stays;
  std::vector<Choice> inner;
};

/// What has names in common, in one entry into a loop.
struct Node {
  std::map<std::uint32_t, std::vector<std::uint32_t>> mappings;  // by piece
  std::vector<Choice> choices;
  std::uint64_t bytes = 0;         // that these spare,
  std::uint64_t backed_bytes = 0;  // and contents show it
};

/// Whether a clause names a variable of the program by itself, as an array section, or as an object
/// that is larger than a scalar; no member, and no object that its members go over with.
bool is_named_object(const MapItem* item, std::uint64_t bytes) {
  constexpr std::uint64_t kScalar = 8;
  if (item == nullptr || item->by_mapper || (item->type & kMapImplicit) != 0) return false;
  const std::string_view name = item->name;
  if (name.starts_with("this") || name.find_first_of(".>") != std::string_view::npos) return false;
  return bytes > kScalar || name.find('[') != std::string_view::npos;
}

bool is_candidate(const Trace& trace, const Mapping& mapping) {
  if (mapping.host == 0 || !mapping.remove) return false;
  if (mapping.bytes <= kRidesAlong && !is_named_object(mapping.item, mapping.bytes)) return false;
  const DataOp& alloc = trace.ops.common(mapping.alloc.value);
  if ((alloc.map_type & kMapPrivate) != 0 || !comes_of_mapping(trace, alloc)) return false;
  return asker_of(trace, mapping.alloc.value).thread ==
         asker_of(trace, mapping.remove.value).thread;
}

/// Whether all that came back was what had been sent. The host likely reads what is small, a sum or
/// a flag, in the loop: none of it is kept unless it brings no news.
bool brings_no_news(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  return std::ranges::all_of(mappings, [&](std::uint32_t number) {
    const auto transfers = evidence.mappings.transfers(number);
    return std::ranges::all_of(transfers, [&](std::uint32_t op) {
      return evidence.trace.ops.common(op).kind == OpKind::kHtoD ||
             (evidence.contents.known() && evidence.contents.sent_before(op).tells_same());
    });
  });
}

void choose(const Evidence& evidence, std::uint32_t number, std::uint32_t alias, Node& node) {
  const EnclosingEntry& entry = evidence.enclosing.entries()[number];
  const bool any_number = may_be_several(evidence.trace, evidence.loops.rows[entry.loop]);
  Choice choice;
  std::uint64_t bytes = 0;
  std::uint64_t backed_bytes = 0;
  for (auto& [piece, mappings] : node.mappings) {
    std::ranges::sort(mappings);
    // Where the entry may be several, what each maps is a part of the passes.
    const bool in_most = 2 * mappings.size() + 1 >= entry.passes || any_number;
    if (mappings.size() < 2 || !in_most) continue;
    const bool is_small = evidence.mappings.rows()[mappings.front()].bytes <= kRidesAlong;
    if (is_small && !brings_no_news(evidence, mappings)) continue;
    Surplus surplus = surplus_of(evidence, mappings);
    if (surplus.bytes == 0) continue;
    bytes += surplus.bytes;
    backed_bytes += surplus.backed_bytes;
    choice.stays.push_back({number, alias, false, mappings, std::move(surplus), {}});
  }
  const bool is_shown = backed_bytes * 10 > node.backed_bytes * 11;
  if (bytes <= node.bytes || (node.bytes > 0 && !is_shown)) return;
  node.bytes = bytes;
  node.backed_bytes = backed_bytes;
  choice.inner = std::move(node.choices);
  node.choices.clear();
  node.choices.push_back(std::move(choice));
}

/// Those that the rest of what is mapped allows.
void take(const Evidence& evidence, LoopPresence& presence, std::vector<Choice> choices,
          std::vector<LoopStay>& taken) {
  for (Choice& choice : choices) {
    bool allowed = true;
    for (LoopStay& stay : choice.stays) {
      stay.others = presence.others(evidence.enclosing.entries()[stay.entry], stay.mappings);
      allowed = allowed && stay.others.allow_to_keep(stay.surplus.returned > 0);
    }
    if (allowed || choice.inner.empty()) {
      for (LoopStay& stay : choice.stays) {
        if (stay.others.allow_to_keep(stay.surplus.returned > 0)) taken.push_back(std::move(stay));
      }
    } else {
      take(evidence, presence, std::move(choice.inner), taken);
    }
  }
}

/// Leaves out what some entry into the loop forbids that spares nothing itself: the edits would be
/// made for all entries.
void leave_out_refused(const Evidence& evidence, LoopPresence& presence,
                       std::vector<LoopStay>& taken) {
  using LoopGroup = std::pair<std::size_t, std::uint32_t>;  // loop, group of names
  const std::vector<EnclosingEntry>& entries = evidence.enclosing.entries();
  std::set<LoopGroup> kept;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // entry, group of names
  for (const LoopStay& stay : taken) {
    kept.emplace(entries[stay.entry].loop, stay.alias);
    known.emplace(stay.entry, stay.alias);
  }
  std::set<LoopGroup> refused;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size() && !kept.empty(); ++i) {
    if (!is_candidate(evidence.trace, rows[i])) continue;
    const std::uint32_t alias = evidence.aliases.of(i);
    const Asker asked = asker_of(evidence.trace, rows[i].alloc.value);
    std::uint32_t at = evidence.enclosing.innermost(
        asked.thread, asked.time, evidence.trace.ops.end_of(rows[i].remove.value));
    for (; at != EnclosingEntry::kNoEntry; at = entries[at].parent) {
      const LoopGroup group(entries[at].loop, alias);
      if (!kept.contains(group) || !known.emplace(at, alias).second) continue;
      if (!presence.others(entries[at], {i}).allow_to_keep(false)) refused.insert(group);
    }
  }
  std::erase_if(taken, [&](const LoopStay& stay) {
    return refused.contains({entries[stay.entry].loop, stay.alias});
  });
}

/// Tells of each stay whether its name stood for memory of other addresses, which does not stay: an
/// item at its directive, in passes of the loop; a local variable at any directive of its function,
/// since edits before and after the loop would name it, too.
class Strays {
 public:
  Strays(const Evidence& evidence, std::vector<LoopStay>& taken)
      : evidence_(evidence), trace_(evidence.trace), taken_(taken) {
    const std::vector<Mapping>& rows = evidence.mappings.rows();
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      const LoopStay& stay = taken[i];
      Addresses& hosts = hosts_[{loop_of(i), stay.alias}];
      Addresses& bases = bases_[stay.alias];
      for (const std::uint32_t mapping : stay.mappings) {
        hosts.insert(rows[mapping].host);
        bases.insert(rows[mapping].base);
      }
      const Mapping& first = rows[stay.mappings.front()];
      const Index<Site> site = trace_.ops.common(first.alloc.value).site;
      if (first.item == nullptr || !site) continue;
      by_item_[{site.value, first.item->name}].emplace_back(i, &hosts);
      if (first.item->local_line == 0) continue;
      by_local_[local_of(site, *first.item)].emplace_back(i, &bases);
    }
  }

  void note() {
    const auto others =
        trace_.regions.of_shapes([&](const Region& region) { return items_elsewhere(region); });
    const auto has_none = [](const auto& stays) { return stays.empty(); };
    if (std::ranges::all_of(others, has_none)) return;
    for (std::size_t i = 0; i < trace_.regions.size(); ++i) {
      const std::vector<std::uint32_t>& stays = others[trace_.regions.shape_of(i)];
      if (!stays.empty()) note_in_loops(trace_.regions[i], stays);
    }
  }

 private:
  using Addresses = std::set<std::uint64_t>;
  using Local = std::tuple<std::string_view, int, std::string>;           // function, line, name
  using Named = std::vector<std::pair<std::uint32_t, const Addresses*>>;  // stay, what stays

  [[nodiscard]] std::size_t loop_of(std::uint32_t stay) const {
    return evidence_.enclosing.entries()[taken_[stay].entry].loop;
  }

  [[nodiscard]] Local local_of(Index<Site> site, const MapItem& item) const {
    return {trace_.sites[site.value].function, item.local_line, base_of(item.name)};
  }

  /// The stays whose items name other memory in regions of this kind.
  std::vector<std::uint32_t> items_elsewhere(const Region& region) {
    std::vector<std::uint32_t> stays;
    if (!region.site || region.map_list >= trace_.map_lists.size()) return stays;
    const auto each = [](const auto& names, const auto& name, std::uint64_t address, auto take) {
      const auto at = names.find(name);
      if (at == names.end()) return;
      for (const auto& [stay, kept] : at->second) {
        if (!kept->contains(address)) take(stay);
      }
    };
    for (const MapItem& item : trace_.map_lists[region.map_list]) {
      if ((item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      each(by_item_, std::pair(region.site.value, std::string_view(item.name)), item.begin,
           [&](std::uint32_t stay) { stays.push_back(stay); });
      if (item.local_line == 0) continue;
      each(by_local_, local_of(region.site, item), item.base,
           [&](std::uint32_t stay) { taken_[stay].strays = true; });
    }
    return stays;
  }

  void note_in_loops(const Region& region, const std::vector<std::uint32_t>& stays) {
    const std::vector<EnclosingEntry>& entries = evidence_.enclosing.entries();
    std::uint32_t at = evidence_.enclosing.innermost(region.asker(), region.asked(), region.end);
    for (; at != EnclosingEntry::kNoEntry; at = entries[at].parent) {
      for (const std::uint32_t stay : stays) {
        if (loop_of(stay) == entries[at].loop) taken_[stay].strays = true;
      }
    }
  }

  const Evidence& evidence_;
  const Trace& trace_;
  std::vector<LoopStay>& taken_;
  std::map<std::pair<std::size_t, std::uint32_t>, Addresses> hosts_;  // by loop, group of names
  std::map<std::uint32_t, Addresses> bases_;                          // by group of names
  std::map<std::pair<std::uint32_t, std::string_view>, Named> by_item_;
  std::map<Local, Named> by_local_;
};

}  // namespace

std::vector<LoopStay> loop_stays(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  // Entries come before those that they hold: the last is done first.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Node, std::greater<>> open;  // and group
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Mapping& row = rows[i];
    if (!is_candidate(trace, row)) continue;
    const Asker asked = asker_of(trace, row.alloc.value);
    const std::uint32_t entry =
        evidence.enclosing.innermost(asked.thread, asked.time, trace.ops.end_of(row.remove.value));
    if (entry == EnclosingEntry::kNoEntry) continue;
    open[{entry, evidence.aliases.of(i)}].mappings[row.piece].push_back(i);
  }
  std::vector<LoopStay> taken;
  LoopPresence presence(evidence);
  while (!open.empty()) {
    auto first = open.extract(open.begin());
    const auto [entry, alias] = first.key();
    Node& node = first.mapped();
    choose(evidence, entry, alias, node);
    const std::uint32_t parent = evidence.enclosing.entries()[entry].parent;
    if (parent == EnclosingEntry::kNoEntry) {
      take(evidence, presence, std::move(node.choices), taken);
      continue;
    }
    Node& outer = open[{parent, alias}];
    outer.mappings.merge(node.mappings);
    for (const auto& [piece, mappings] : node.mappings) {  // those that it has already
      std::vector<std::uint32_t>& all = outer.mappings[piece];
      all.insert(all.end(), mappings.begin(), mappings.end());
    }
    std::ranges::move(node.choices, std::back_inserter(outer.choices));
    outer.bytes += node.bytes;
    outer.backed_bytes += node.backed_bytes;
  }
  leave_out_refused(evidence, presence, taken);
  Strays(evidence, taken).note();
  std::ranges::sort(taken, {}, [&](const LoopStay& stay) {
    return std::pair(stay.entry, rows[stay.mappings.front()].piece);
  });
  return taken;
}

}  // namespace ompdm::analysis
