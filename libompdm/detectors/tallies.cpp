#include "detectors/tallies.h"

#include <algorithm>
#include <set>

#include "analysis/map_types.h"

namespace ompdm::analysis {
void Tally::add(std::uint32_t op, const Earlier& earlier) {
  if (earlier.op == kNoOp) {
    ++other;
  } else if (earlier.same == Same::kNo) {
    ++different;
  } else if (earlier.same == Same::kUnknown) {
    unknown.push_back({op, earlier.op, Same::kUnknown});
  } else if (!earlier.trivial) {
    same.push_back({op, earlier.op, earlier.same});
    if (earlier.same == Same::kYes) ++in_full;
  }
}

namespace {

/// Whether of each piece of storage comparisons of all bytes reach far enough.
bool are_backed(const Evidence& evidence, std::vector<Tally::Pair> pairs) {
  std::ranges::sort(pairs, {}, &Tally::Pair::op);
  std::map<std::uint32_t, Comparisons> pieces;
  for (const Tally::Pair& pair : pairs) {
    if (pair.how == Same::kUnknown) continue;
    const std::uint32_t mapping = evidence.contents.mapping_of(pair.op);
    pieces[evidence.mappings.rows()[mapping].piece].add(1, pair.how == Same::kYes ? 1 : 0);
  }
  return std::ranges::all_of(pieces, [](const auto& one) { return one.second.are_backed(); });
}

}  // namespace

bool is_judged(const Evidence& evidence, std::uint32_t op) {
  return evidence.contents.mapping_of(op) != kNoOp &&
         evidence.trace.ops.common(op).bytes > kRidesAlong &&
         !is_of_deferred_task(evidence.trace, op);
}

Clause clause_of(const Evidence& evidence, std::uint32_t op) {
  return {row_of(evidence.directives, evidence.trace.ops.common(op).site),
          expression_at(evidence.trace, evidence.mappings, op)};
}

Tally& tally_of(Tallies& tallies, const Evidence& evidence, std::uint32_t op) {
  const auto [row, expression] = clause_of(evidence, op);
  return tallies[row][expression];
}

void ContentClaim::take(const Evidence& evidence, const std::string& expression, const Tally& tally,
                        const Claimed& claimed) {
  if (tally.same.empty()) return;
  std::vector<Tally::Pair> needless = tally.same;
  constexpr std::uint64_t kNowAndThen = 10;
  if (kNowAndThen * tally.different <= tally.same.size()) {
    needless.insert(needless.end(), tally.unknown.begin(), tally.unknown.end());
  }
  const std::size_t all = needless.size();
  std::erase_if(needless, [&](const Tally::Pair& pair) { return claimed[pair.op]; });
  if (needless.size() * 2 <= all) return;
  const Trace& trace = evidence.trace;
  const Mapping& mapping =
      evidence.mappings.rows()[evidence.contents.mapping_of(needless.front().op)];
  const std::string name = has_name(trace, mapping) ? base_of(expression) : name_of(trace, mapping);
  names.add(name.empty() ? expression : name);
  expressions.push_back(expression);
  for (const Tally::Pair& pair : needless) claim.ops.push_back(pair.op);
  pairs.insert(pairs.end(), needless.begin(), needless.end());
  Finding& finding = claim.finding;
  finding.examined += tally.same.size() + tally.different;
  finding.of += tally.same.size() + tally.different + tally.unknown.size();
  same.equal += tally.same.size();
  same.in_full += tally.in_full;
}

void ContentClaim::join(const ContentClaim& other) {
  for (const std::string& name : other.names.all()) names.add(name);
  for (const std::string& expression : other.expressions) add_once(expressions, expression);
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  std::ranges::sort(pairs, {}, &Tally::Pair::op);
  claim.ops.insert(claim.ops.end(), other.claim.ops.begin(), other.claim.ops.end());
  claim.finding.examined += other.claim.finding.examined;
  claim.finding.of += other.claim.finding.of;
  same.equal += other.same.equal;
  same.in_full += other.same.in_full;
}

Claim ContentClaim::finish(const Evidence& evidence, const char* pattern) {
  const Trace& trace = evidence.trace;
  Finding& finding = claim.finding;
  place(claim, pattern, trace, trace.ops.common(pairs.front().op).site);
  finding.variable = clause_list(names.all());
  finding.count = pairs.size();
  for (const Tally::Pair& pair : pairs) {
    claim.spans.emplace_back(trace.ops.begin_of(pair.earlier), trace.ops.end_of(pair.op));
  }
  finding.confidence = Confidence::kLikely;
  if (finding.examined < std::min(finding.of, kEnoughSamples)) {
    claim.add_caveat(Caveat::Kind::kFewCompared);
  }
  if (!are_backed(evidence, pairs)) claim.add_caveat(Caveat::Kind::kBlocksCompared);
  sum_up(claim, trace);
  return std::move(claim);
}

namespace {

/// Compares what each pass sent with what the device had of it before.
void compare_contents(const Evidence& evidence, const std::vector<std::uint32_t>& group,
                      Surplus& surplus) {
  if (!evidence.contents.known()) return;
  for (std::size_t i = 1; i < group.size(); ++i) {
    for (const std::uint32_t op : evidence.mappings.transfers(group[i])) {
      if (evidence.trace.ops.common(op).kind != OpKind::kHtoD) continue;
      const Earlier& before = evidence.contents.before(op);
      if (before.same == Same::kNo) ++surplus.compared;
      if (!before.tells_same()) continue;
      ++surplus.compared;
      ++surplus.equal;
      if (before.same != Same::kYes) continue;
      ++surplus.equal_in_full;
      surplus.last_in_full = surplus.equal;
    }
  }
}

/// Whether what came back need not have come before the loop's end: the next pass sends the data
/// again, and nothing shows that the host had changed it. Whether it has read it does not show.
bool need_not_return(const Surplus& surplus, bool is_sent) {
  return is_sent && !surplus.host_changes();
}

}  // namespace

bool maps_data(Directive directive) {
  return directive == Directive::kTarget || directive == Directive::kTargetData ||
         directive == Directive::kTargetEnterData || directive == Directive::kTargetExitData;
}

bool comes_of_mapping(const Trace& trace, const DataOp& op) {
  const Index<Site> site = op.site;
  return site && maps_data(trace.sites[site.value].directive) && (op.map_type & kMapAlways) == 0;
}

Surplus surplus_of(const Evidence& evidence, const std::vector<std::uint32_t>& group) {
  using OffsetPiece = std::pair<std::uint64_t, std::uint64_t>;  // offset, bytes
  std::map<OffsetPiece, std::uint32_t> arrived;
  std::map<OffsetPiece, std::uint32_t> returned;
  // What was sent of a piece since it was returned: another content, or the one that it had.
  std::set<OffsetPiece> replaced;
  std::set<OffsetPiece> resent;
  const Runs<DataOp>& ops = evidence.trace.ops;
  Surplus surplus;
  compare_contents(evidence, group, surplus);
  const bool never_changes = surplus.equal > 0 && !surplus.host_changes();
  const auto drop = [&](std::uint32_t op, std::uint32_t because_of, bool is_examined,
                        bool is_backed) {
    surplus.ops.push_back(op);
    surplus.rests.push_back({op, because_of});
    surplus.bytes += ops.common(op).bytes;
    if (is_examined) ++surplus.examined;
    if (is_backed) surplus.backed_bytes += ops.common(op).bytes;
  };
  const bool is_sent = std::ranges::any_of(group, [&](std::uint32_t number) {
    return std::ranges::any_of(evidence.mappings.transfers(number), [&](std::uint32_t op) {
      return ops.common(op).kind == OpKind::kHtoD;
    });
  });
  const bool drops_returns = need_not_return(surplus, is_sent);
  for (const std::uint32_t number : group) {
    const Mapping& mapping = evidence.mappings.rows()[number];
    for (const std::uint32_t i : evidence.mappings.transfers(number)) {
      const DataOp& op = ops[i];
      if (!comes_of_mapping(evidence.trace, op)) continue;
      if (op.kind == OpKind::kHtoD) {
        ++surplus.sent;
        const OffsetPiece piece(op.dst - mapping.address, op.bytes);
        const auto [first, is_first] = arrived.try_emplace(piece, i);
        const bool knows = evidence.contents.known();
        const bool is_same = knows && evidence.contents.before(i).tells_same();
        const bool is_news = knows && evidence.contents.before(i).same == Same::kNo;
        if (is_news) replaced.insert(piece);
        if (is_same) resent.insert(piece);
        if (!is_first && !is_news && (is_same || !surplus.host_changes())) {
          drop(i, first->second, is_same, is_same || never_changes);
        } else {
          ++surplus.sent_enough;
        }
      } else {
        ++surplus.returned;
        const OffsetPiece piece(op.src - mapping.address, op.bytes);
        const auto [at, is_first] = returned.try_emplace(piece, i);
        // What came back as it had been sent told the host nothing, whatever it reads. (Where it
        // also changes the data, map(to:) is all there is to say: unmodified_copy_back.)
        // What the host sent instead of it, it may have read before.
        const bool was_replaced = replaced.erase(piece) > 0;
        const bool was_resent = resent.erase(piece) > 0;
        const bool no_news = !is_first && !surplus.host_changes() && evidence.contents.known() &&
                             evidence.contents.sent_before(at->second).tells_same();
        if (!is_first && !was_replaced && (drops_returns || was_resent || no_news)) {
          drop(at->second, i, no_news, no_news);
          if (!no_news) ++surplus.unread;
        } else {
          ++surplus.returned_enough;
        }
        at->second = i;
      }
    }
  }
  if (surplus.bytes == 0) return surplus;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Mapping& mapping = evidence.mappings.rows()[group[i]];
    if (i > 0) surplus.ops.push_back(mapping.alloc.value);
    if (i + 1 < group.size()) surplus.ops.push_back(mapping.remove.value);
  }
  return surplus;
}

}  // namespace ompdm::analysis
