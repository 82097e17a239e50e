#include <algorithm>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

/// Adds the edit of the directive that makes these copies (positions in Trace::ops) of these items.
/// `is_sent`: its clause also sends the items. `in_all`: each of its copies was redundant. No edit
/// is made of a call, nor of an update that makes needed copies, too: an edit cannot separate
/// these.
void add_edit_of_copy_back(const Evidence& evidence, const std::vector<std::uint32_t>& copies,
                           const std::vector<std::string>& items, bool is_sent, Finding& finding,
                           bool in_all = true) {
  const Index<Site> at = evidence.trace.ops.common(copies.front()).site;
  if (!at) return;
  const Site& site = evidence.trace.sites[at.value];
  const bool is_update = site.directive == Directive::kTargetUpdate;
  if ((is_update && !in_all) || (!is_update && !maps_data(site.directive))) return;
  const bool is_end = site.directive == Directive::kTargetExitData;
  const EditKind kind = is_update ? EditKind::kRemove : EditKind::kReplace;
  const char* clause = is_update ? "from" : is_end ? "release" : is_sent ? "to" : "alloc";
  std::set<std::string> copied;  // items with `always`: copied even if present
  for (const std::uint32_t op : copies) {
    if (!is_sent || is_update || is_end) break;
    if ((evidence.trace.ops.common(op).map_type & kMapAlways) == 0) continue;
    copied.insert(expression_at(evidence.trace, evidence.mappings, op));
  }
  std::vector<std::string> plain;
  std::vector<std::string> always;
  for (const std::string& item : items) (copied.contains(item) ? always : plain).push_back(item);
  Edit edit = edit_at(finding, kind, site, clause, plain);
  if (!always.empty()) {
    edit.clauses.push_back({"always, to", add_items(finding, always, site)});
  }
  finding.edits.push_back(std::move(edit));
}

/// Whether the data was copied back unchanged only once, just after an update had sent it. The last
/// iteration of a loop may end so in this run, and otherwise in another.
bool is_chance(const Evidence& evidence, const ItemTransfers& transfers) {
  if (transfers.same.size() != 1) return false;
  const std::uint32_t sent = transfers.same.front().earlier;
  return is_of(evidence.trace, evidence.trace.ops.common(sent).site, Directive::kTargetUpdate);
}

/// The first statement that writes one of these items in the directive's own region. For other
/// directives that map data: in any region that knows the data by the same name. Line 0: not known.
SourceLine writing_line(const Trace& trace, Index<Site> at, const std::vector<std::string>& items) {
  if (!at) return {};
  const Site& site = trace.sites[at.value];
  SourceLine elsewhere;
  for (const SourceFact& fact : trace.source_facts) {
    const bool is_it =
        fact.use == SourceUse::kWritten &&
        std::ranges::any_of(items, [&](const auto& item) { return base_of(item) == fact.name; });
    if (!is_it) continue;
    if (fact.file == site.file && fact.line == site.line) return fact.used_at;
    if (elsewhere.line == 0) elsewhere = fact.used_at;
  }
  return maps_data(site.directive) && site.directive != Directive::kTarget ? elsewhere
                                                                           : SourceLine();
}

/// The refuted candidate of data that was copied back unchanged in this run, though the source of
/// its kernel writes it.
Candidate refuted(const Evidence& evidence, ContentCandidate& group) {
  const Index<Site> site = evidence.trace.ops.common(group.pairs.front().op).site;
  const std::vector<std::string> items = group.expressions;
  Candidate candidate = group.finish(evidence, "unmodified_copy_back");
  candidate.finding.facts = facts::UnmodifiedCopyBack{.items = items, .same = group.same};
  candidate.finding.answers = {{Unless::kKernelChanges,
                                HostUse::Answer::kYes,
                                writing_line(evidence.trace, site, items),
                                {},
                                items}};
  candidate.is_refuted = true;
  return candidate;
}

}  // namespace

/// Data that every execution of a directive copied back as it had been sent. The confidence is
/// kPossible, since a kernel may write the values that were there. It is higher if by the source
/// kernels only read the data.
std::vector<Candidate> unmodified_copy_back(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  TransfersByItem by_item;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kDtoH || !is_judged(evidence, i)) continue;
    by_item[clause_of(evidence, i)].add(i, evidence.contents.sent_before(i));
  }
  std::map<std::uint32_t, ContentCandidate> groups;  // by directive row
  // The same, of data that a kernel's source writes
  std::map<std::uint32_t, ContentCandidate> written;
  for (const auto& [clause, transfers] : by_item) {
    const auto writer_of = [&](const ItemTransfers::Pair& pair) {
      return evidence.contents.sent_before(pair.op).writer;
    };
    const auto is_another_matter = [&](const ItemTransfers::Pair& pair) {
      const bool by_one_clause =
          trace.ops.common(pair.op).site == trace.ops.common(pair.earlier).site;
      // Another finding removes data that no kernel could have seen from its clause.
      return writer_of(pair) == Writer::kNone && by_one_clause && removed[pair.earlier];
    };
    if (std::ranges::any_of(transfers.same, is_another_matter)) continue;
    // An edit of a clause holds for all its executions: one copy back of new content rules it out.
    if (transfers.different > 0 || transfers.other > 0 || is_chance(evidence, transfers)) continue;
    // On other input, a kernel that writes the data changes its values.
    const bool is_written = std::ranges::any_of(
        transfers.same, [&](const auto& pair) { return writer_of(pair) == Writer::kWriter; });
    (is_written ? written : groups)[clause.first].take(evidence, clause.second, transfers, removed);
  }
  std::vector<Candidate> candidates;
  for (auto& [row, group] : written) {
    if (!group.empty()) candidates.push_back(refuted(evidence, group));
  }
  for (auto& [row, group] : groups) {
    if (group.empty()) continue;
    UniqueSites before;
    const bool is_only_read = std::ranges::all_of(group.pairs, [&](const auto& pair) {
      return evidence.contents.sent_before(pair.op).writer == Writer::kReader;
    });
    for (const ItemTransfers::Pair& pair : group.pairs) {
      before.add(trace.ops.common(pair.earlier).site);
      // The content is the one that the host sent. So the transfer to the device must take place,
      // unless kernels only read the data.
      group.candidate.depends_on.push_back({pair.op, Index<DataOp>::kNone});
      if (!is_only_read) group.candidate.sends.push_back(pair.earlier);
    }
    const Index<Site> site = trace.ops.common(group.pairs.front().op).site;
    Candidate candidate = group.finish(evidence, "unmodified_copy_back");
    // A kernel may have written the same values: in place, or once more.
    if (!is_only_read) candidate.add_caveat(Caveat::Kind::kSameWritten);
    candidate.finding.facts =
        facts::UnmodifiedCopyBack{.items = group.expressions,
                                  .same = group.same,
                                  .before = source_places(trace, before.all()),
                                  .is_only_read = is_only_read};
    add_edit_of_copy_back(evidence, candidate.ops, group.expressions, true, candidate.finding);
    candidate.stands_alone = is_of(trace, site, Directive::kTarget);
    // During a region of its own the host has no time to change anything.
    if (!candidate.finding.edits.empty()) {
      if (!is_only_read) candidate.finding.unless = {Unless::kKernelChanges};
      if (!candidate.stands_alone) candidate.finding.unless.push_back(Unless::kHostWantsRestore);
    }
    // Data that no kernel changes is copied back unchanged, compared or not.
    if (is_only_read && candidate.stands_alone && !candidate.finding.edits.empty()) {
      candidate.finding.caveats.clear();
      candidate.finding.confidence = Confidence::kProven;
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

namespace {

/// When each directive copied data back to each host address.
class Returns {
 public:
  void add(const DataOp& op) { times_[{op.site.value, op.dst}].push_back(op.begin); }

  /// The number of copies back in [from, to] by the directive of this one, to the same host
  /// address.
  [[nodiscard]] std::uint64_t like(const DataOp& op, Nanoseconds from, Nanoseconds to) const {
    const std::vector<Nanoseconds>& times = times_.at({op.site.value, op.dst});
    return static_cast<std::uint64_t>(std::ranges::upper_bound(times, to) -
                                      std::ranges::lower_bound(times, from));
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Nanoseconds>> times_;
};

/// Whether a copy repeats one that an earlier loop makes in some iterations only. In another run
/// the last iteration may not make it.
bool is_chance(const Evidence& evidence, const Returns& returns, const ItemTransfers::Pair& pair) {
  const Trace& trace = evidence.trace;
  const DataOp& op = trace.ops[pair.op];
  const DataOp& earlier = trace.ops[pair.earlier];
  const EnclosingEntry* entry = evidence.entry_around(pair.earlier);
  for (; entry != nullptr && entry->end <= op.begin; entry = entry->parent) {
    if (returns.like(earlier, entry->begin, entry->end) < entry->iterations) return true;
  }
  return false;
}

struct CopyBackGroup {
  ContentCandidate content;
  UniqueSites before;     ///< where the data had been copied back before
  std::uint64_t all = 0;  ///< transfers of these items by this directive
  bool is_sent = false;   ///< its clause sends, too
  bool scratch = false;   ///< kernels had map(to:) copies of it in between
};

MappedPiece host_piece(const DataOp& op) { return {op.dst, op.bytes, op.dst}; }

/// Whether a transfer to the host copied content that is there since the transfer before it.
/// `writes`: the last transfer that wrote each piece of the host's memory. (Two devices may copy
/// back to one address.)
bool is_repeated(const Evidence& evidence, Latest& writes, std::uint32_t i) {
  const Earlier& before = evidence.contents.before(i);
  const Latest::Entry* last = writes.find(host_piece(evidence.trace.ops[i]));
  return last != nullptr && last->op == before.op && before.op != Index<DataOp>::kNone &&
         before.kept() && (before.same == Same::kLikely || before.same == Same::kYes) &&
         evidence.trace.ops.common(before.op).kind == OpKind::kDtoH &&
         evidence.contents.mapping_of(before.op) == evidence.contents.mapping_of(i);
}

Candidate finished(const Evidence& evidence, CopyBackGroup& group) {
  const Trace& trace = evidence.trace;
  bool is_only_read = true;
  for (const ItemTransfers::Pair& pair : group.content.pairs) {
    group.content.candidate.depends_on.push_back({pair.op, pair.earlier});
    const Writer writer = evidence.contents.before(pair.op).writer;
    group.scratch = group.scratch || writer == Writer::kScratch;
    is_only_read = is_only_read && writer == Writer::kReader;
    group.before.add(trace.ops.common(pair.earlier).site);
  }
  const bool in_all = group.content.pairs.size() == group.all;
  const std::vector<std::string> expressions = group.content.expressions;
  Candidate candidate = group.content.finish(evidence, "unmodified_copy_back");
  Finding& finding = candidate.finding;
  candidate.add_caveat(Caveat::Kind::kHostChanged, expressions);
  finding.facts = facts::RepeatedCopyBack{.items = expressions,
                                          .before = source_places(trace, group.before.all()),
                                          .same = group.content.same,
                                          .is_scratch = group.scratch,
                                          .all = group.all};
  add_edit_of_copy_back(evidence, candidate.ops, expressions, group.is_sent, finding, in_all);
  if (!finding.edits.empty()) {
    if (!is_only_read) finding.unless.push_back(Unless::kKernelChanges);
    finding.unless.push_back(Unless::kHostWantsRestore);
  }
  return candidate;
}

}  // namespace

/// Data that was copied back with the content of the copy back before it. Nothing could have
/// changed the device's copy in between. The pattern is unmodified_copy_back, too. The host may
/// have changed its own copy meanwhile, and want it restored: this cannot be seen.
std::vector<Candidate> repeated_copy_back(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  Latest writes;
  Returns returns;
  TransfersByItem by_item;
  std::map<Clause, std::uint64_t> returned;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    if (op.kind != OpKind::kDtoH) continue;
    returns.add(op);
    if (is_judged(evidence, i)) {
      ++returned[clause_of(evidence, i)];
      // Data that was copied back as it had been sent belongs to unmodified_copy_back().
      const bool as_sent = evidence.contents.sent_before(i).tells_same();
      if (!as_sent && is_repeated(evidence, writes, i)) {
        Earlier before = evidence.contents.before(i);
        before.trivial = false;  // the device kept it: zeros are as good as any
        by_item[clause_of(evidence, i)].add(i, before);
      }
    }
    writes.set(host_piece(op), i, kNoOp);
  }
  std::map<std::uint32_t, CopyBackGroup> groups;  // by directive row
  for (const auto& [clause, transfers] : by_item) {
    // An edit of a clause holds for all its executions: one copy back of new content rules it out.
    const DataOp& op = trace.ops[transfers.same.front().op];
    const bool by_update = is_of(trace, op.site, Directive::kTargetUpdate);
    const std::uint64_t all = returned[clause];
    const bool may_bring_news = transfers.same.size() < all ||
                                (all == 1 && is_chance(evidence, returns, transfers.same.front()));
    if (!by_update && may_bring_news) continue;
    CopyBackGroup& group = groups[clause.first];
    const std::size_t before = group.content.pairs.size();
    group.content.take(evidence, clause.second, transfers, removed);
    if (group.content.pairs.size() == before) continue;
    group.all += all;
    group.is_sent = group.is_sent || (op.map_type & kMapTo) != 0;
  }
  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    if (!group.content.empty()) candidates.push_back(finished(evidence, group));
  }
  return candidates;
}

}  // namespace ompdm::analysis
