#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "detectors/edits.h"

namespace ompdm::analysis {
namespace {

using Answer = HostUse::Answer;

/// Updates in a loop of one piece of storage, which is on the device all the while.
struct UpdatedPiece {
  std::map<const EnclosingEntry*, std::vector<std::uint32_t>> entries;  ///< positions in Trace::ops
  std::map<NamedItem, Index<Site>> items;                               ///< as clauses name it
  std::set<std::int32_t> devices;
  bool is_plain = true;  ///< each of them moved all of it
};

using PieceInLoop = std::pair<std::size_t, std::uint32_t>;  // row of the loop, Mapping::piece

std::map<PieceInLoop, UpdatedPiece> updated_pieces(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<PieceInLoop, UpdatedPiece> pieces;
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
      UpdatedPiece& piece = pieces[{entry->loop, mapping.piece}];
      const std::string item = expression_at(trace, evidence.mappings, i);
      piece.is_plain = piece.is_plain && op.bytes == mapping.bytes && op.bytes > kRidesAlong &&
                       !is_of_deferred_task(trace, i) && !mapping.replaced && !mapping.is_static &&
                       !item.empty() && site.line > 0;
      piece.entries[entry].push_back(i);
      piece.items.emplace(NamedItem{item, {site.file, site.line}}, op.site);
      piece.devices.insert(mapping.device);
    }
  }
  return pieces;
}

/// What the source says of each item, by its directive; empty: it was not asked of all.
using FactsAt = std::map<SourceLine, const HostFact*>;

FactsAt facts_of(const Trace& trace, const HostStretch& stretch, const UpdatedPiece& piece) {
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

/// That of the directive of an operation.
const HostFact& fact_at(const Trace& trace, const FactsAt& known, std::uint32_t op) {
  const Site& site = trace.sites[trace.ops.common(op).site.value];
  return *known.at({site.file, site.line});
}

/// Whether both copies are kept the same, and all uses by the host are known.
bool is_certain(const FactsAt& facts) {
  return std::ranges::all_of(facts, [](const auto& one) {
    const HostFact& fact = *one.second;
    return fact.stale.answer == Answer::kNo && fact.renewed.answer == Answer::kNo &&
           fact.read.answer != Answer::kUnknown && fact.written.answer != Answer::kUnknown;
  });
}

/// Whether the host uses single elements of data alone, which makes updates of all of it needless.
/// A transfer below kWorthUpdating takes about as long as that of an element: the latency of PCIe
/// is some 10 us, its bandwidth 6 GB/s or more.
bool uses_elements(const HostFact& fact, std::uint64_t bytes) {
  constexpr std::uint64_t kWorthUpdating = 1U << 16U;
  const auto is_no_more = [](const HostUse& use) {
    return use.answer == Answer::kNo || use.of_elements;
  };
  return bytes >= kWorthUpdating && (fact.read.of_elements || fact.written.of_elements) &&
         is_no_more(fact.read) && is_no_more(fact.written);
}

/// Whether the source says so of all of them.
bool are(const FactsAt& facts, bool HostFact::* is_it) {
  return std::ranges::all_of(facts, [&](const auto& one) { return one.second->*is_it; });
}

/// Adds what updates of one entry into the loop move needlessly: what went over as the device had
/// it, and what came back though the host looks at it in a branch at most, before it came again;
/// and all of it where the host uses a few elements.
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
  bool is_news = false;  // what the host sent since
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
      // What the host writes each time goes over each time, whatever it was in this run.
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
    // What the host sent instead of it, it may have read before.
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

Edit edit_of(Directive directive, EditKind kind, Anchor anchor, EditWhen when, const char* clause,
             std::uint32_t data) {
  Edit edit;
  edit.kind = kind;
  edit.anchor = std::move(anchor);
  edit.directive = directive;
  edit.when = when;
  edit.clauses = {{clause, {data}}};
  return edit;
}

}  // namespace

/// Updates that move the same data in each iteration of a loop around which it is on the device,
/// where the source shows that few of them are needed: pattern per_iteration_update. Without the
/// source there is none: it alone tells where the host uses the data. Adds to `questions` what was
/// not asked yet.
std::vector<Candidate> looped_updates(const Evidence& evidence,
                                      std::vector<SourceQuestion>& questions) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !evidence.contents.known()) return {};
  std::vector<Candidate> candidates;
  for (const auto& [at, piece] : updated_pieces(evidence)) {
    const Loop& row = evidence.loops.rows[at.first];
    if (!piece.is_plain || piece.devices.size() != 1 || row.iterations < 2) continue;
    UniqueSites sites;
    for (const auto& [item, site] : piece.items) sites.add(site);
    const Anchor around = loop_anchor(trace, row, sites.all());
    const SourcePlace& place = around.places.front();
    const bool is_placed =
        around.of == Anchor::Of::kLoop && !around.unplaced && place.line > 0 && !place.file.empty();
    if (!is_placed) continue;
    const HostStretch stretch{
        HostStretch::Kind::kResident, {{place.file, place.line}}, {}, false, false};
    const FactsAt known = facts_of(trace, stretch, piece);
    if (known.empty()) {
      SourceQuestion question{stretch, {}};
      for (const auto& [item, site] : piece.items) question.items.push_back(item);
      questions.push_back(std::move(question));
      continue;
    }
    if (!is_certain(known)) continue;
    const HostFact* fact = known.begin()->second;  // of the same data
    Candidate candidate;
    Finding& finding = candidate.finding;
    facts::PerIterationMapping facts;
    facts.by_updates = true;
    for (const auto& [entry, ops] : piece.entries) {
      add_entry(evidence, ops, known, facts, candidate);
    }
    if (candidate.ops.empty()) continue;
    analysis::place(candidate, "per_iteration_update", trace,
                    trace.ops.common(candidate.ops.front()).site);
    candidate.stands_alone = true;
    candidate.host_copy_stale = facts.may_be_read || facts.of_elements;
    const auto& [item, site] = *piece.items.begin();
    const std::vector<std::uint32_t> data =
        add_items(finding, {item.expression}, trace.sites[site.value]);
    facts.names = {base_of(item.expression)};
    facts.devices = listed(piece.devices);
    facts.loop = place_of_loop(trace, row);
    facts.iterations = row.iterations;
    facts.iterations_at_least = row.at_least;
    facts.entries = row.entries;
    facts.entries_at_least = row.entries_at_least;
    finding.facts = facts;
    const std::uint64_t count = finding.count;
    sum_up(candidate, trace);
    describe(candidate, count, Confidence::kLikely, facts.names);
    const auto insert = [&](Anchor::Side side, EditWhen when, const char* clause) {
      Edit edit = edit_of(Directive::kTargetUpdate, EditKind::kInsert, beside(around, side), when,
                          clause, data.front());
      edit.devices = facts.devices;
      finding.edits.push_back(std::move(edit));
    };
    const bool needs_send = facts.sent > 0 && !are(known, &HostFact::sent_before);
    const bool needs_return = facts.returned > 0 && !are(known, &HostFact::left_old);
    if (needs_send) insert(Anchor::Side::kBefore, EditWhen::kAlways, "to");
    if (needs_return) insert(Anchor::Side::kAfter, EditWhen::kAlways, "from");
    const bool is_written = fact->written.answer == Answer::kYes;
    const bool is_read = fact->read.answer == Answer::kYes;
    if (is_read && facts.returned > 0) insert(Anchor::Side::kWithin, EditWhen::kHostUses, "from");
    if (is_written) insert(Anchor::Side::kWithin, EditWhen::kHostChanged, "to");
    finding.edits.push_back(edit_of(Directive::kTargetUpdate, EditKind::kRemove,
                                    anchor_at(trace, sites.all()), EditWhen::kAlways, "",
                                    data.front()));
    const HostUse& use = is_read ? fact->read : fact->written;
    finding.answers = {{Unless::kHostUses,
                        is_read || is_written ? Answer::kYes : Answer::kNo,
                        use.at,
                        {},
                        facts.names}};
    candidates.push_back(std::move(candidate));
  }
  // Of nested loops the one that spares most; the inner one of equals.
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
