#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "detectors/edits.h"

namespace ompdm::analysis {
namespace {

using Answer = HostUse::Answer;

/// Updates in a loop of storage that is present before the loop, and after it. They are of one
/// piece, or of several that the same items name since the loop swaps their pointers.
struct UpdatedData {
  /// Positions in Trace::ops, by entry and piece (Mapping::piece).
  std::map<std::pair<const EnclosingEntry*, std::uint32_t>, std::vector<std::uint32_t>> entries;
  std::map<NamedItem, Index<Site>> items;  ///< as clauses name it
  std::set<std::int32_t> devices;
  bool is_plain = true;  ///< each update moved the whole piece
};

/// By row of the loop.
using UpdatedInLoops = std::map<std::size_t, std::vector<UpdatedData>>;

/// Joins rows that have an item in common.
void join_named_alike(std::vector<UpdatedData>& all) {
  for (std::size_t i = 0; i < all.size();) {
    UpdatedData& one = all[i];
    const auto alike = std::find_if(
        all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), [&](const UpdatedData& other) {
          return std::ranges::any_of(other.items,
                                     [&](const auto& it) { return one.items.contains(it.first); });
        });
    if (alike == all.end()) {
      ++i;
      continue;
    }
    one.entries.merge(alike->entries);
    one.items.merge(alike->items);
    one.devices.merge(alike->devices);
    one.is_plain = one.is_plain && alike->is_plain;
    all.erase(alike);
  }
}

UpdatedInLoops updated_in_loops(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::size_t, std::map<std::uint32_t, UpdatedData>> pieces;  // by row and piece
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool is_update = is_transfer(op.kind) && !op.internal && op.site &&
                           trace.sites[op.site.value].directive == Directive::kTargetUpdate;
    const std::uint32_t number = is_update ? evidence.mappings.of(i) : kNoOp;
    if (number == kNoOp) continue;
    const Mapping& mapping = evidence.mapping(number);
    const Site& site = trace.sites[op.site.value];
    const EnclosingEntry* entry = evidence.entry_around(i);
    for (; entry != nullptr; entry = entry->parent) {
      if (mapping.begin >= entry->begin || mapping.end <= entry->end) break;
      UpdatedData& piece = pieces[entry->loop][mapping.piece];
      const std::string item = expression_at(trace, evidence.mappings, i);
      piece.is_plain = piece.is_plain && op.bytes == mapping.bytes && op.bytes > kRidesAlong &&
                       !mapping.replaced && !mapping.is_static && !item.empty() && site.line > 0;
      piece.entries[{entry, mapping.piece}].push_back(i);
      piece.items.emplace(NamedItem{item, {site.file, site.line}}, op.site);
      piece.devices.insert(mapping.device);
    }
  }
  UpdatedInLoops all;
  for (auto& [row, of_row] : pieces) {
    std::vector<UpdatedData>& list = all[row];
    for (auto& [number, piece] : of_row) list.push_back(std::move(piece));
    join_named_alike(list);
  }
  return all;
}

/// The items of the data as one function names them: the function that has names for most of it.
std::vector<std::pair<std::string, Index<Site>>> named_together(const Trace& trace,
                                                                const UpdatedData& data) {
  std::map<std::string, std::map<std::string, Index<Site>>> functions;
  for (const auto& [item, site] : data.items) {
    functions[trace.sites[site.value].function].emplace(item.expression, site);
  }
  const auto most = std::ranges::max_element(
      functions, {}, [](const auto& function) { return function.second.size(); });
  return {most->second.begin(), most->second.end()};
}

/// The source's answer on each item, by its directive; empty: some item has no answer.
using FactsAt = std::map<SourceLine, const HostFact*>;

FactsAt facts_of(const Trace& trace, const HostStretch& stretch, const UpdatedData& piece) {
  FactsAt facts;
  for (const auto& [item, site] : piece.items) {
    const auto found = std::ranges::find_if(trace.host_facts, [&](const HostFact& fact) {
      return fact.stretch == stretch && fact.item == item;
    });
    if (found == trace.host_facts.end()) return {};
    facts[item.named_at] = &*found;
  }
  return facts;
}

/// The answer on the item of an operation's directive.
const HostFact& fact_at(const Trace& trace, const FactsAt& known, std::uint32_t op) {
  const Site& site = trace.sites[trace.ops.common(op).site.value];
  return *known.at({site.file, site.line});
}

/// Whether no old copy is used, the storage is not made again, and all uses by the host are known.
bool is_certain(const FactsAt& facts) {
  return std::ranges::all_of(facts, [](const auto& one) {
    const HostFact& fact = *one.second;
    return fact.stale.answer == Answer::kNo && fact.renewed.answer == Answer::kNo &&
           fact.read.answer != Answer::kUnknown && fact.written.answer != Answer::kUnknown;
  });
}

/// Whether the host uses only single elements of the data, so that updates of all of it are
/// redundant. Transfers below kWorthUpdating bytes take about as long as that of an element. (PCIe
/// has a latency of some 10 us, and a bandwidth of 6 GB/s or more.)
bool uses_elements(const HostFact& fact, std::uint64_t bytes) {
  constexpr std::uint64_t kWorthUpdating = 1U << 16U;
  const auto is_no_more = [](const HostUse& use) {
    return use.answer == Answer::kNo || use.of_elements;
  };
  return bytes >= kWorthUpdating && (fact.read.of_elements || fact.written.of_elements) &&
         is_no_more(fact.read) && is_no_more(fact.written);
}

/// The use of the first fact whose answer is kYes; if there is none, that of the first fact.
const HostUse& use_of(const FactsAt& facts, HostUse HostFact::* use) {
  const auto found = std::ranges::find_if(
      facts, [&](const auto& one) { return (one.second->*use).answer == Answer::kYes; });
  return (found == facts.end() ? facts.begin() : found)->second->*use;
}

/// Whether all facts have this flag.
bool are(const FactsAt& facts, bool HostFact::* is_it) {
  return std::ranges::all_of(facts, [&](const auto& one) { return one.second->*is_it; });
}

/// Adds the redundant transfers of updates in one entry into the loop. A transfer to the device is
/// redundant if the device had its content. A copy back is redundant if the host reads the data at
/// most in a branch before the next copy back. If the host uses a few elements only, both are
/// redundant.
void add_entry(const Evidence& evidence, const std::vector<std::uint32_t>& ops,
               const FactsAt& known, facts::PerIterationMapping& facts, Candidate& candidate) {
  const Trace& trace = evidence.trace;
  const auto drop = [&](std::uint32_t op) {
    candidate.ops.push_back(op);
    candidate.depends_on.push_back({op, kNoOp});
    candidate.finding.count += 1;
  };
  bool is_first = !are(known, &HostFact::sent_before);
  std::uint32_t returned = kNoOp;
  bool is_news = false;  // the host sent new content since
  for (const std::uint32_t i : ops) {
    const HostFact& fact = fact_at(trace, known, i);
    const bool is_of_elements = uses_elements(fact, trace.ops.common(i).bytes);
    facts.of_elements = facts.of_elements || is_of_elements;
    if (evidence.is_send(i)) {
      ++facts.sent;
      const bool knows = evidence.contents.known();
      const bool is_same = knows && evidence.contents.before(i).tells_same();
      if (knows && evidence.contents.before(i).same == Same::kNo) is_news = true;
      if (!is_first && knows) ++facts.compared;
      // Data that the host writes each time must be sent each time, even if it was equal in this
      // run.
      if (!is_first && is_same && !fact.written.always) {
        ++facts.same.equal;
        if (evidence.contents.before(i).same == Same::kYes) ++facts.same.in_full;
        ++candidate.finding.examined;
        drop(i);
      } else if (!is_first && is_of_elements) {
        drop(i);
      } else {
        ++facts.sent_enough;
      }
      is_first = false;
      continue;
    }
    ++facts.returned;
    ++facts.returned_enough;
    // If the host sent new content since, it may have read the copied data before.
    const HostFact* before = returned == kNoOp ? nullptr : &fact_at(trace, known, returned);
    if (before != nullptr && (is_of_elements || (!is_news && !before->read.always))) {
      drop(returned);
      --facts.returned_enough;
      const bool is_read = !is_of_elements && before->read.answer == Answer::kYes;
      facts.may_be_read = facts.may_be_read || is_read;
    }
    returned = i;
    is_news = false;
  }
  if (returned == kNoOp || !are(known, &HostFact::left_old)) return;
  drop(returned);
  --facts.returned_enough;
}

/// Fills in the facts and edits of a candidate whose operations are known.
void tell(const Evidence& evidence, const UpdatedData& data, const FactsAt& known,
          const Anchor& around, facts::PerIterationMapping facts, Candidate& candidate) {
  const Trace& trace = evidence.trace;
  Finding& finding = candidate.finding;
  place(candidate, "per_iteration_update", trace, trace.ops.common(candidate.ops.front()).site);
  candidate.stands_alone = true;
  candidate.host_copy_stale = facts.may_be_read || facts.of_elements;
  std::vector<std::uint32_t> items;
  UniqueTexts names;
  for (const auto& [expression, site] : named_together(trace, data)) {
    const auto added = add_items(finding, {expression}, trace.sites[site.value]);
    items.insert(items.end(), added.begin(), added.end());
    names.add(base_of(expression));
  }
  facts.by_updates = true;
  facts.names = names.all();
  facts.devices = listed(data.devices);
  const bool needs_send = facts.sent > 0 && !are(known, &HostFact::sent_before);
  const bool needs_return = facts.returned > 0 && !are(known, &HostFact::left_old);
  const HostUse& read = use_of(known, &HostFact::read);
  const HostUse& written = use_of(known, &HostFact::written);
  const bool is_read = read.answer == Answer::kYes;
  const bool is_written = written.answer == Answer::kYes;
  const auto edit_of = [&](EditKind kind, Anchor anchor, EditWhen when, const char* clause) {
    Edit& edit = finding.edits.emplace_back();
    edit.kind = kind;
    edit.anchor = std::move(anchor);
    edit.directive = Directive::kTargetUpdate;
    edit.when = when;
    edit.clauses = {{clause, items}};
    if (kind == EditKind::kInsert) edit.devices = facts.devices;
  };
  const auto insert = [&](Anchor::Side side, EditWhen when, const char* clause) {
    edit_of(EditKind::kInsert, beside(around, side), when, clause);
  };
  if (needs_send) insert(Anchor::Side::kBefore, EditWhen::kAlways, "to");
  if (needs_return) insert(Anchor::Side::kAfter, EditWhen::kAlways, "from");
  if (is_read && facts.returned > 0) insert(Anchor::Side::kWithin, EditWhen::kHostUses, "from");
  if (is_written) insert(Anchor::Side::kWithin, EditWhen::kHostChanged, "to");
  UniqueSites sites;
  for (const auto& [item, site] : data.items) sites.add(site);
  edit_of(EditKind::kRemove, anchor_at(trace, sites.all()), EditWhen::kAlways, "");
  finding.answers = {{Unless::kHostUses,
                      is_read || is_written ? Answer::kYes : Answer::kNo,
                      (is_read ? read : written).at,
                      {},
                      facts.names}};
  finding.facts = facts;
  const std::uint64_t count = finding.count;
  sum_up(candidate, trace);
  describe(candidate, count, Confidence::kLikely, facts.names);
}

}  // namespace

/// Updates that move the same data in each iteration of a loop. The data is present before and
/// after the loop, and the source shows that few of the updates are needed. The pattern is
/// per_iteration_update. There is none without the source, which alone shows where the host uses
/// the data. Adds unanswered questions to `questions`.
std::vector<Candidate> looped_updates(const Evidence& evidence,
                                      std::vector<SourceQuestion>& questions) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !evidence.contents.known()) return {};
  std::vector<Candidate> candidates;
  for (const auto& [number, list] : updated_in_loops(evidence)) {
    const Loop& row = evidence.loops.rows[number];
    for (const UpdatedData& data : list) {
      if (!data.is_plain || data.devices.size() != 1 || row.iterations < 2) continue;
      UniqueSites sites;
      for (const auto& [item, site] : data.items) sites.add(site);
      const Anchor around = loop_anchor(trace, row, sites.all());
      const SourcePlace& place = around.places.front();
      const bool is_placed = around.of == Anchor::Of::kLoop && !around.unplaced && place.line > 0 &&
                             !place.file.empty();
      if (!is_placed) continue;
      const HostStretch stretch{
          HostStretch::Kind::kResident, {{place.file, place.line}}, {}, false, false};
      const FactsAt known = facts_of(trace, stretch, data);
      if (known.empty()) {
        SourceQuestion question{stretch, {}};
        for (const auto& [item, site] : data.items) question.items.push_back(item);
        questions.push_back(std::move(question));
        continue;
      }
      if (!is_certain(known)) continue;
      Candidate candidate;
      facts::PerIterationMapping facts;
      for (const auto& [entry, ops] : data.entries) {
        add_entry(evidence, ops, known, facts, candidate);
      }
      if (candidate.ops.empty()) continue;
      facts.loop = place_of_loop(trace, row);
      facts.iterations = row.iterations;
      facts.iterations_at_least = row.at_least;
      facts.entries = row.entries;
      facts.entries_at_least = row.entries_at_least;
      tell(evidence, data, known, around, std::move(facts), candidate);
      candidates.push_back(std::move(candidate));
    }
  }
  // Of nested loops the one that saves most bytes remains; of equals the inner one.
  std::ranges::stable_sort(candidates, std::ranges::greater(),
                           [](const Candidate& one) { return one.finding.wasted_bytes; });
  Removed taken(trace.ops.size());
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const bool is_taken =
        std::ranges::any_of(candidate.ops, [&](std::uint32_t op) { return taken[op]; });
    if (!is_taken) {
      for (const std::uint32_t op : candidate.ops) taken[op] = true;
    }
    return is_taken;
  });
  return candidates;
}

}  // namespace ompdm::analysis
