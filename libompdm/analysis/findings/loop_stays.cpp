#include "analysis/findings/loop_stays.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/findings/loop_presence.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// Device, address, storage and bytes.
using Piece = std::tuple<std::int32_t, std::uint64_t, std::uint32_t, std::uint64_t>;

/// A stay, and those in inner loops that it takes the place of.
struct Choice {
  LoopStay stay;
  std::vector<Choice> inner;
};

/// Of one piece in one entry into a loop.
struct Node {
  std::vector<std::uint32_t> mappings;
  std::vector<Choice> choices;
  std::uint64_t bytes = 0;         // that these spare,
  std::uint64_t backed_bytes = 0;  // and contents show it
};

bool is_candidate(const Trace& trace, const Mapping& mapping) {
  if (mapping.host == 0 || !mapping.remove || mapping.bytes <= kRidesAlong) return false;
  const DataOp& alloc = trace.ops[mapping.alloc.value];
  const DataOp& remove = trace.ops[mapping.remove.value];
  return asker_of(trace, alloc).thread == asker_of(trace, remove).thread &&
         (alloc.map_type & kMapPrivate) == 0 && comes_of_mapping(trace, alloc);
}

void choose(const Evidence& evidence, std::uint32_t number, Node& node) {
  const EnclosingEntry& entry = evidence.enclosing.entries()[number];
  std::ranges::sort(node.mappings);
  // Where the entry may be several, what each maps is a part of the passes.
  const bool in_most = 2 * node.mappings.size() + 1 >= entry.passes ||
                       may_be_several(evidence.trace, evidence.loops.rows[entry.loop]);
  if (node.mappings.size() < 2 || !in_most) return;
  Surplus surplus = surplus_of(evidence, node.mappings);
  const bool is_shown = surplus.backed_bytes * 10 > node.backed_bytes * 11;
  if (surplus.bytes <= node.bytes || (node.bytes > 0 && !is_shown)) return;
  node.bytes = surplus.bytes;
  node.backed_bytes = surplus.backed_bytes;
  Choice choice{{number, node.mappings, std::move(surplus), {}}, std::move(node.choices)};
  node.choices.clear();
  node.choices.push_back(std::move(choice));
}

/// Those that the rest of what is mapped allows.
void take(const Evidence& evidence, LoopPresence& presence, std::vector<Choice> choices,
          std::vector<LoopStay>& taken) {
  for (Choice& choice : choices) {
    LoopStay& stay = choice.stay;
    stay.others = presence.others(evidence.enclosing.entries()[stay.entry], stay.mappings);
    if (stay.others.allow_to_keep(stay.surplus.returned > 0)) {
      taken.push_back(std::move(stay));
    } else {
      take(evidence, presence, std::move(choice.inner), taken);
    }
  }
}

}  // namespace

std::vector<LoopStay> loop_stays(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  // Entries come before those that they hold: the last is done first.
  std::map<std::pair<std::uint32_t, Piece>, Node, std::greater<>> open;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Mapping& row = rows[i];
    if (!is_candidate(trace, row)) continue;
    const Asker asked = asker_of(trace, trace.ops[row.alloc.value]);
    const std::uint32_t entry =
        evidence.enclosing.innermost(asked.thread, asked.time, trace.ops.end_of(row.remove.value));
    if (entry == EnclosingEntry::kNoEntry) continue;
    open[{entry, Piece(row.device, row.host, row.storage, row.bytes)}].mappings.push_back(i);
  }
  std::vector<LoopStay> taken;
  LoopPresence presence(evidence);
  while (!open.empty()) {
    auto first = open.extract(open.begin());
    const auto [entry, piece] = first.key();
    Node& node = first.mapped();
    choose(evidence, entry, node);
    const std::uint32_t parent = evidence.enclosing.entries()[entry].parent;
    if (parent == EnclosingEntry::kNoEntry) {
      take(evidence, presence, std::move(node.choices), taken);
      continue;
    }
    Node& outer = open[{parent, piece}];
    outer.mappings.insert(outer.mappings.end(), node.mappings.begin(), node.mappings.end());
    std::ranges::move(node.choices, std::back_inserter(outer.choices));
    outer.bytes += node.bytes;
    outer.backed_bytes += node.backed_bytes;
  }
  std::ranges::sort(taken, {}, [&](const LoopStay& stay) {
    const Mapping& row = rows[stay.mappings.front()];
    return std::tuple(stay.entry, row.device, row.host, row.storage, row.bytes);
  });
  return taken;
}

}  // namespace ompdm::analysis
