#include "detectors/findings.h"

#include <algorithm>

namespace ompdm::analysis {

void place(Candidate& candidate, const char* pattern, const Trace& trace, Index<Site> site) {
  candidate.finding.pattern = pattern;
  if (!site) return;
  candidate.finding.file = trace.sites[site.value].file;
  candidate.finding.line = trace.sites[site.value].line;
}

bool is_deferred(const Trace& trace, std::uint32_t op) {
  const Index<Region> region = trace.ops.region_of(op);
  return region && trace.regions.common(region.value).nowait;
}

bool is_of_deferred_task(const Trace& trace, std::uint32_t op) {
  const Index<Site> site = trace.ops.common(op).site;
  return is_deferred(trace, op) && site && trace.sites[site.value].directive != Directive::kTarget;
}

bool is_spoilt(const Evidence& evidence, std::uint32_t number) {
  const Mapping& mapping = evidence.mapping(number);
  const DataOp& alloc = evidence.trace.ops[mapping.alloc.value];
  const bool is_returned = std::ranges::any_of(
      evidence.transfers(number), [&](std::uint32_t op) { return !evidence.is_send(op); });
  return mapping.host != 0 && !is_returned && comes_of_mapping(evidence.trace, alloc) &&
         evidence.kernels.writer_of(mapping, mapping.begin, mapping.end) == Writer::kWriter;
}

const HostFact* fact_of_rest(const Trace& trace, const Mapping& mapping) {
  if (!mapping.site || !has_name(trace, mapping)) return nullptr;
  const SourcePlace named = source_place(trace.sites[mapping.site.value]);
  const NamedItem item{expression_of(trace, mapping), {named.file, named.line}};
  const auto fact = std::ranges::find_if(trace.host_facts, [&](const HostFact& one) {
    return one.stretch.kind == HostStretch::Kind::kRest && one.item == item;
  });
  return fact == trace.host_facts.end() ? nullptr : &*fact;
}

void describe(Candidate& candidate, std::uint64_t count, Confidence confidence,
              const std::vector<std::string>& names) {
  Finding& finding = candidate.finding;
  finding.variable = clause_list(names);
  finding.count = finding.examined = finding.of = count;
  finding.confidence = confidence;
}

void sum_up(Candidate& candidate, const Trace& trace) {
  std::ranges::sort(candidate.ops);
  candidate.finding.wasted_time = 0;
  candidate.finding.wasted_bytes = 0;
  candidate.finding.transfers = 0;
  for (const std::uint32_t i : candidate.ops) {
    const DataOp& op = trace.ops[i];
    candidate.finding.wasted_time += op.end - op.begin;
    if (is_transfer(op.kind) && !op.internal && !candidate.carries_all) {
      candidate.finding.wasted_bytes += op.bytes;
      ++candidate.finding.transfers;
    }
    if (op.clock == Clock::kEnqueue) candidate.finding.timed = false;
    if (!is_transfer(op.kind)) candidate.finding.with_allocations = true;
  }
}

void ItemTransfers::add(std::uint32_t op, const Earlier& earlier) {
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

/// Whether comparisons of all bytes cover enough of the transfers of each piece of storage.
bool are_backed(const Evidence& evidence, std::vector<ItemTransfers::Pair> pairs) {
  std::ranges::sort(pairs, {}, &ItemTransfers::Pair::op);
  std::map<std::uint32_t, Comparisons> pieces;
  for (const ItemTransfers::Pair& pair : pairs) {
    if (pair.how == Same::kUnknown) continue;
    const std::uint32_t mapping = evidence.contents.mapping_of(pair.op);
    pieces[evidence.mapping(mapping).piece].add(1, pair.how == Same::kYes ? 1 : 0);
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

void ContentCandidate::take(const Evidence& evidence, const std::string& expression,
                            const ItemTransfers& transfers, const Removed& removed) {
  if (transfers.same.empty()) return;
  std::vector<ItemTransfers::Pair> needless = transfers.same;
  constexpr std::uint64_t kNowAndThen = 10;
  if (kNowAndThen * transfers.different <= transfers.same.size()) {
    needless.insert(needless.end(), transfers.unknown.begin(), transfers.unknown.end());
  }
  const std::size_t all = needless.size();
  std::erase_if(needless, [&](const ItemTransfers::Pair& pair) { return removed[pair.op]; });
  if (needless.size() * 2 <= all) return;
  const Trace& trace = evidence.trace;
  const Mapping& mapping = evidence.mapping(evidence.contents.mapping_of(needless.front().op));
  const std::string name = has_name(trace, mapping) ? base_of(expression) : name_of(trace, mapping);
  names.add(name.empty() ? expression : name);
  expressions.push_back(expression);
  for (const ItemTransfers::Pair& pair : needless) candidate.ops.push_back(pair.op);
  pairs.insert(pairs.end(), needless.begin(), needless.end());
  Finding& finding = candidate.finding;
  finding.examined += transfers.same.size() + transfers.different;
  finding.of += transfers.same.size() + transfers.different + transfers.unknown.size();
  same.equal += transfers.same.size();
  same.in_full += transfers.in_full;
}

void ContentCandidate::join(const ContentCandidate& other) {
  for (const std::string& name : other.names.all()) names.add(name);
  for (const std::string& expression : other.expressions) add_once(expressions, expression);
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  std::ranges::sort(pairs, {}, &ItemTransfers::Pair::op);
  candidate.ops.insert(candidate.ops.end(), other.candidate.ops.begin(), other.candidate.ops.end());
  candidate.finding.examined += other.candidate.finding.examined;
  candidate.finding.of += other.candidate.finding.of;
  same.equal += other.same.equal;
  same.in_full += other.same.in_full;
}

Candidate ContentCandidate::finish(const Evidence& evidence, const char* pattern) {
  const Trace& trace = evidence.trace;
  Finding& finding = candidate.finding;
  place(candidate, pattern, trace, trace.ops.common(pairs.front().op).site);
  finding.variable = clause_list(names.all());
  finding.count = pairs.size();
  for (const ItemTransfers::Pair& pair : pairs) {
    candidate.spans.emplace_back(trace.ops.begin_of(pair.earlier), trace.ops.end_of(pair.op));
  }
  finding.confidence = Confidence::kLikely;
  if (finding.examined < std::min(finding.of, kEnoughSamples)) {
    candidate.add_caveat(Caveat::Kind::kFewCompared);
  }
  if (!are_backed(evidence, pairs)) candidate.add_caveat(Caveat::Kind::kBlocksCompared);
  sum_up(candidate, trace);
  return std::move(candidate);
}

}  // namespace ompdm::analysis
