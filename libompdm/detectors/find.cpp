#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>

#include "analysis/device_clock.h"
#include "clauses/clause_effects.h"
#include "detectors/conflicts.h"
#include "detectors/edits.h"

namespace ompdm::analysis {
namespace {

/// Sums of operations that cost a device time or memory.
struct Cost {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;  ///< that they moved
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;

  /// Adds an operation. The runtime's own operations are left out. A delete belongs to its
  /// allocation.
  void add(const DataOp& op) {
    if (op.internal) return;
    if (is_transfer(op.kind)) {
      ++transfers;
      bytes += op.bytes;
    } else if (op.kind == OpKind::kAlloc) {
      ++allocations;
      allocated_bytes += op.bytes;
    }
  }
};

Cost cost_of(const Trace& trace) {
  Cost cost;
  for (const DataOp& op : trace.ops) cost.add(op);
  return cost;
}

/// Whether a candidate saves a hundredth of the bytes that were transferred, or that were
/// allocated. Or it saves ten transfers or ten allocations, and a thousandth of all. (A GPU takes
/// some ten to some hundred microseconds for each.) A candidate without operations is significant.
bool is_significant(const Trace& trace, const Cost& all, const Candidate& candidate) {
  if (candidate.ops.empty()) return true;
  Cost cost;
  for (const std::uint32_t op : candidate.ops) cost.add(trace.ops[op]);
  const auto is_share = [](std::uint64_t bytes, std::uint64_t of) {
    return bytes > 0 && 100 * bytes >= of;
  };
  const auto are_many = [](std::uint64_t count, std::uint64_t of) {
    return count >= 10 && 1000 * count >= of;
  };
  return is_share(cost.bytes, all.bytes) || is_share(cost.allocated_bytes, all.allocated_bytes) ||
         are_many(cost.transfers, all.transfers) || are_many(cost.allocations, all.allocations);
}

/// What candidates would save besides the operations in `removed`, each operation once.
Withheld withheld_of(const Trace& trace, const std::vector<Candidate>& candidates,
                     const Removed& removed) {
  Withheld withheld;
  Cost cost;
  Removed counted = removed;
  for (const Candidate& candidate : candidates) {
    bool is_new = false;
    for (const std::uint32_t op : candidate.ops) {
      if (counted[op]) continue;
      counted[op] = true;
      is_new = true;
      cost.add(trace.ops[op]);
    }
    if (is_new) ++withheld.findings;
  }
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool is_small = is_transfer(op.kind) && !op.internal && op.bytes <= kRidesAlong;
    if (is_small && !counted[i]) ++withheld.small_transfers;
  }
  withheld.transfers = cost.transfers;
  withheld.bytes = cost.bytes;
  withheld.allocations = cost.allocations;
  return withheld;
}

/// Why it is not known whether such a kernel changed the data; none: it is known.
std::optional<Doubt::Reason> reason_of(Writer writer) {
  switch (writer) {
    case Writer::kByAddress:
      return Doubt::Reason::kDeviceAddress;
    case Writer::kByPointer:
      return Doubt::Reason::kMappedPointer;
    case Writer::kByGlobal:
      return Doubt::Reason::kDeclareTargetPointer;
    case Writer::kByTable:
      return Doubt::Reason::kPointerTable;
    case Writer::kUnnamed:
      return Doubt::Reason::kUnnamedData;
    default:
      return std::nullopt;
  }
}

/// Doubts in the order of their reasons. Operations in `removed` are left out. Of data that a
/// candidate keeps on the device, the remaining transfers are needed.
std::vector<Doubt> doubts_of(const Evidence& evidence, const Removed& removed,
                             const std::vector<Candidate>& reported) {
  if (!evidence.contents.known()) return {};
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  std::set<std::pair<std::int32_t, std::uint32_t>> kept;  // device, storage
  for (const Candidate& candidate : reported) {
    for (const Residency& residency : candidate.residencies)
      kept.emplace(residency.device, residency.storage);
  }
  std::map<Doubt::Reason, Doubt> doubts;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (removed[i] || !is_transfer(ops.common(i).kind) || !is_judged(evidence, i)) continue;
    const Earlier& before = evidence.contents.before(i);
    if (!before.tells_same()) continue;
    const bool is_return = ops.common(i).kind == OpKind::kDtoH;
    // A copy back may have restored the host's data.
    const bool is_there = before.kept() && !is_return;
    const Mapping& row = evidence.mapping(evidence.contents.mapping_of(i));
    if (is_there && kept.contains({row.device, row.storage})) continue;
    const std::optional<Doubt::Reason> reason =
        is_there ? Doubt::Reason::kNoChangeKnown : reason_of(before.writer);
    if (!reason) continue;
    // A copy back of what was sent is judged by its contents, whoever may write it.
    if (is_return && ops.common(before.op).kind != OpKind::kDtoH) continue;
    Doubt& doubt = doubts[*reason];
    doubt.reason = *reason;
    ++doubt.transfers;
    doubt.bytes += ops.common(i).bytes;
  }
  std::vector<Doubt> list;
  for (const auto& [reason, doubt] : doubts) list.push_back(doubt);
  return list;
}

/// Whether some transfer of no candidate is needed only if a kernel changed data that it may write.
bool do_kernels_decide(const Evidence& evidence, const Removed& removed) {
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  if (!evidence.contents.known()) return false;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (removed[i] || !is_transfer(ops.common(i).kind) || !is_judged(evidence, i)) continue;
    for (const Earlier* before :
         {&evidence.contents.before(i), &evidence.contents.sent_before(i)}) {
      const bool is_open = before->writer == Writer::kNamed || before->writer == Writer::kScratch;
      const bool is_same = before->same == Same::kYes || before->same == Same::kLikely;
      if (before->op != kNoOp && is_open && is_same) return true;
    }
  }
  return false;
}

/// Rows of the loops that hold all residencies of a candidate. If there are none: rows of the loops
/// around its operations.
std::set<std::size_t> loops_of(const Evidence& evidence, const Candidate& candidate) {
  std::set<std::size_t> loops;
  const auto add = [&](const EnclosingEntry* entry) {
    if (entry != nullptr) loops.insert(entry->loop);
    return entry != nullptr;
  };
  if (candidate.ops.empty()) return loops;
  const std::uint32_t thread = asker_of(evidence.trace, candidate.ops.front()).thread;
  const bool is_within =
      !candidate.residencies.empty() &&
      std::ranges::all_of(candidate.residencies, [&](const Residency& residency) {
        return add(evidence.enclosing.innermost(thread, residency.from, residency.to));
      });
  if (is_within) return loops;
  // Operations of one region are in the same loops.
  Index<Region> latest;
  for (const std::uint32_t op : candidate.ops) {
    const Index<Region> region = evidence.trace.ops.region_of(op);
    if (region && region == latest) continue;
    latest = region;
    add(evidence.entry_around(op));
  }
  return loops;
}

/// Fills in the directives and loops of a candidate's finding, as rows, and its variables, as
/// positions in Trace::variables.
void refer(const Evidence& evidence, Candidate& candidate) {
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  Finding& finding = candidate.finding;
  std::set<std::size_t> directives;
  std::set<std::size_t> variables;
  for (const std::uint32_t op : candidate.ops) {
    const std::uint32_t row = evidence.row_of_op(op);
    if (row != kNoDirective) directives.insert(row);
    if (const Index<Variable> variable = ops.common(op).variable) variables.insert(variable.value);
  }
  const std::vector<DirectiveRow>& rows = evidence.directives.rows;
  for (std::size_t row = 0; row < rows.size() && !finding.file.empty(); ++row) {
    const bool is_there = rows[row].line == finding.line && rows[row].file == finding.file;
    if (is_there && finding.line != 0) directives.insert(row);
  }
  for (EditData& data : finding.data) {
    // An item that was named by its clause alone.
    const std::string name = data.variables.empty() ? base_of(data.expression) : std::string();
    for (const std::size_t number : variables) {
      const Variable& variable = evidence.trace.variables[number];
      const auto& aliases = variable.aliases;
      const bool is_it = !name.empty() && (variable.name == name ||
                                           std::ranges::find(aliases, name) != aliases.end());
      if (is_it) data.variables.push_back(number);
    }
    variables.insert(data.variables.begin(), data.variables.end());
  }
  finding.directives = listed(directives);
  finding.variables = listed(variables);
  finding.loops = listed(loops_of(evidence, candidate));
}

using CodeLoops = std::set<std::uint32_t>;  // positions in Trace::loops

/// Adds the loops that a call path leads through.
void add_loops_of(const Trace& trace, Index<CallPath> path, CodeLoops& loops) {
  for (; path; path = trace.call_paths[path.value].caller) {
    Index<CodeLoop> loop = trace.call_places[trace.call_paths[path.value].place.value].loop;
    for (; loop; loop = trace.loops[loop.value].parent) loops.insert(loop.value);
  }
}

/// Loops that the run went through while the candidate's data was there, though its own directives
/// are in none of them.
CodeLoops loops_meanwhile(const Trace& trace, const Candidate& candidate) {
  CodeLoops loops;
  if (candidate.spans.empty()) return loops;
  CodeLoops own;
  for (const std::uint32_t op : candidate.ops) {
    const Index<Region> region = trace.ops.region_of(op);
    add_loops_of(trace,
                 region ? trace.regions.common(region.value).path : trace.ops.common(op).path, own);
  }
  Spans<Nanoseconds> spans;
  for (const auto& [from, to] : candidate.spans) spans.add(from, to);
  std::set<std::uint32_t> paths;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Index<CallPath> path = trace.regions.common(i).path;
    const bool is_new = path && !paths.contains(path.value);
    if (!is_new || !spans.overlap(trace.regions.begin_of(i), trace.regions.end_of(i))) continue;
    paths.insert(path.value);
    add_loops_of(trace, path, loops);
  }
  std::erase_if(loops, [&](std::uint32_t loop) { return own.contains(loop); });
  return loops;
}

/// Withdraws the edits of a candidate (to Finding::withheld_edits) if the code of a loop leads to
/// unexecuted directives, and adds these to the finding. On another input they may use the data, or
/// change it. Such a loop has the candidate's operations in its iterations, or ran during the
/// candidate's spans.
void withhold_edits(const Evidence& evidence, Candidate& candidate) {
  const Trace& trace = evidence.trace;
  Finding& finding = candidate.finding;
  const bool any = std::ranges::any_of(
      trace.loops, [](const CodeLoop& loop) { return !loop.unreached.empty(); });
  const bool has_edits = !finding.edits.empty() || !finding.withheld_edits.empty();
  if (!any || !has_edits || candidate.stands_alone) return;
  std::set<UnreachedDirective> unreached;
  const auto add = [&](std::uint32_t code) {
    const std::vector<UnreachedDirective>& rows = trace.loops[code].unreached;
    unreached.insert(rows.begin(), rows.end());
  };
  for (const std::size_t row : loops_of(evidence, candidate)) {
    const Loop& loop = evidence.loops.rows[row];
    for (const Index<CodeLoop> code : loops_around(trace, evidence.loops, loop)) add(code.value);
    if (loop.code) add(loop.code.value);
  }
  for (const std::uint32_t code : loops_meanwhile(trace, candidate)) add(code);
  if (unreached.empty()) return;
  finding.unreached = listed(unreached);
  candidate.residencies.clear();
  if (finding.edits.empty()) return;
  finding.withheld_edits = std::exchange(finding.edits, {});
  candidate.withheld_unless = std::exchange(finding.unless, {});
}

}  // namespace

std::optional<Prediction> predict(const Trace& trace, std::span<const Candidate> candidates) {
  if (!has_transfers(trace.recording)) return std::nullopt;
  Removed gone(trace.ops.size());
  Removed carried(trace.ops.size());  // gone, but another carries its bytes
  for (const Candidate& candidate : candidates) {
    if (candidate.spares_none) continue;
    for (const std::uint32_t op : candidate.ops) {
      gone[op] = true;
      carried[op] = candidate.carries_all;
    }
  }
  // Time is saved only where nothing else ran on a device meanwhile.
  UnionLength before;
  UnionLength after;
  Prediction prediction;
  prediction.at_most = std::ranges::any_of(candidates, [](const Candidate& candidate) {
    const auto* loop = std::get_if<facts::PerIterationMapping>(&candidate.finding.facts);
    return candidate.host_copy_stale || (loop != nullptr && loop->entered_unseen);
  });
  bool is_known = true;
  const auto take_op = [&](std::size_t i) {
    const DataOp& op = trace.ops.common(i);
    const Interval time{trace.ops.begin_of(i), trace.ops.end_of(i)};
    const bool crosses = is_transfer(op.kind) && !op.internal;
    is_known = is_known && !(crosses && op.clock == Clock::kEnqueue);
    before.add(time);
    if (gone[i]) {
      if (crosses) ++prediction.spared_transfers;
      if (crosses && !carried[i]) prediction.spared_bytes += op.bytes;
      return;
    }
    after.add(time);
    if (crosses) prediction.transfer += time.end - time.begin;
  };
  const auto take_launch = [&](std::size_t i) {
    const Interval time{trace.launches.begin_of(i), trace.launches.end_of(i)};
    before.add(time);
    after.add(time);
  };
  walk_by_begin(trace, take_op, take_launch);
  if (!is_known) return std::nullopt;
  prediction.wall = program_wall_of(trace) - (before.length() - after.length());
  return prediction;
}

namespace {

/// Marks the candidates' operations in `removed`; `only_sends`: only transfers to a device.
void mark(const Trace& trace, const std::vector<Candidate>& candidates, Removed& removed,
          bool only_sends = false) {
  for (const Candidate& candidate : candidates) {
    for (const std::uint32_t op : candidate.ops) {
      if (!only_sends || trace.ops.common(op).kind == OpKind::kHtoD) removed[op] = true;
    }
  }
}

/// Whether an edit has one name for two pieces of data: nobody could tell them apart.
bool names_twice(const Edit& edit, const std::vector<EditData>& data) {
  std::set<std::pair<std::string, std::string>> known;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const EditData& item = data[number];
      if (item.expression.empty()) continue;
      if (!known.emplace(item.expression, item.named_at.function).second) return true;
    }
  }
  return false;
}

void clear_edits(Finding& finding) {
  finding.edits.clear();
  finding.unless.clear();
}

/// Candidates that the source refutes: their patterns and operations.
using RefutedBefore = std::set<std::pair<std::string, std::vector<std::uint32_t>>>;

/// Candidates made so far.
struct Candidates {
  Candidates(const Trace& of, const RefutedBefore& without) : trace(of), refuted_before(without) {}

  const Trace& trace;
  const RefutedBefore& refuted_before;
  Cost all = cost_of(trace);
  std::vector<Candidate> reported = {};  ///< the significant ones
  std::vector<Candidate> withheld = {};  ///< the others
  std::vector<Candidate> refuted = {};   ///< of either kind

  /// Returns the significant candidates that the source does not refute, and keeps the others.
  std::vector<Candidate> sifted(std::vector<Candidate> candidates) {
    std::vector<Candidate> significant;
    for (Candidate& candidate : candidates) {
      if (refuted_before.contains({candidate.finding.pattern, candidate.ops})) continue;
      const bool is_one = is_significant(trace, all, candidate);
      (candidate.is_refuted ? refuted
       : is_one             ? significant
                            : withheld)
          .push_back(std::move(candidate));
    }
    return significant;
  }

  void append(std::vector<Candidate> candidates) {
    std::ranges::move(sifted(std::move(candidates)), std::back_inserter(reported));
  }
};

}  // namespace

// The list of detectors: declared here, and called in detect().
Detector per_iteration_mapping, host_fallback, unused_allocation, unused_transfer,
    redundant_resends, unmodified_copy_back, repeated_copy_back, overwritten_transfer,
    unread_copy_back, repeated_allocation, mapped_scalars, mapper_walk, small_transfers,
    serial_kernel, pageable_transfer, no_overlap, device_leak, partial_update;

namespace {

/// Runs the detectors in their order.
void detect(const Evidence& evidence, Candidates& candidates, Conflicts& conflicts) {
  const Trace& trace = evidence.trace;
  // An operation that a candidate already names with its remedy is not reported again as repeated
  // or small.
  Removed removed(trace.ops.size());
  candidates.append(per_iteration_mapping(evidence, removed));
  mark(trace, candidates.reported, removed);
  candidates.append(host_fallback(evidence, removed));
  // Transfers to memory that no kernel could have seen belong to the finding on that memory.
  std::vector<Candidate> unused = candidates.sifted(unused_allocation(evidence, removed));
  Removed sent_unused(trace.ops.size());
  mark(trace, unused, sent_unused, true);
  candidates.append(unused_transfer(evidence, sent_unused));
  mark(trace, candidates.reported, removed);
  mark(trace, unused, removed, true);
  candidates.append(redundant_resends(evidence, removed));
  candidates.append(unmodified_copy_back(evidence, removed));
  candidates.append(repeated_copy_back(evidence, removed));
  candidates.append(overwritten_transfer(evidence, removed));
  candidates.append(unread_copy_back(evidence, removed));
  std::ranges::move(unused, std::back_inserter(candidates.reported));
  candidates.reported = conflicts.resolve(std::move(candidates.reported));
  removed.assign(trace.ops.size(), false);
  mark(trace, candidates.reported, removed);
  candidates.append(conflicts.resolve(candidates.sifted(repeated_allocation(evidence, removed))));
  mark(trace, candidates.reported, removed);
  candidates.append(mapped_scalars(evidence, removed));
  mark(trace, candidates.reported, removed);
  // A mapper walk saves host time and no operation: significance by operations does not apply.
  std::ranges::move(mapper_walk(evidence, removed), std::back_inserter(candidates.reported));
  mark(trace, candidates.reported, removed);
  candidates.append(small_transfers(evidence, removed));
  candidates.append(serial_kernel(evidence, removed));
  candidates.append(pageable_transfer(evidence, removed));
  candidates.append(no_overlap(evidence, removed));
  // In a part of a run, memory that is freed later on is no leak.
  mark(trace, candidates.reported, removed);
  if (trace.recording.detail == Recording::Detail::kEvents)
    candidates.append(device_leak(evidence, removed));
  candidates.append(partial_update(evidence, removed));
}

/// Fills in the rows that a candidate is about, and withdraws edits that cannot be made.
void finish(const Evidence& evidence, Candidate& candidate) {
  const Trace& trace = evidence.trace;
  Finding& finding = candidate.finding;
  refer(evidence, candidate);
  withhold_edits(evidence, candidate);
  const bool is_unclear = std::ranges::any_of(
      finding.edits, [&](const Edit& edit) { return names_twice(edit, finding.data); });
  if (is_unclear) clear_edits(finding);
  tell_calls(trace, evidence.loops, finding);
  const bool has_missing = trace.truncated || std::ranges::any_of(trace.losses, is_of_events);
  const bool is_told_in_part = trace.recording.detail != Recording::Detail::kEvents;
  if (has_missing) candidate.add_caveat(Caveat::Kind::kRestLost);
  // Data that no kernel of this part used may be needed by kernels of another.
  if ((has_missing || is_told_in_part) && finding.pattern.starts_with("unused_")) {
    clear_edits(finding);
  }
  // Fallbacks are known of the whole run, unless the trace is only a part of it.
  const bool is_part = trace.recording.detail == Recording::Detail::kPart;
  if (is_told_in_part && (is_part || finding.pattern != "host_fallback")) {
    candidate.add_caveat(is_part ? Caveat::Kind::kRestNotHere : Caveat::Kind::kRestCounted);
  }
}

/// Whether a candidate for a loop saves a tenth more bytes than the candidates that share
/// operations with it. Then it replaces these. False if one of these shares less than half of its
/// operations.
bool takes_place_of(const Candidate& candidate, std::vector<Candidate>& others) {
  const std::set<std::uint32_t> own(candidate.ops.begin(), candidate.ops.end());
  const auto is_own = [&](std::uint32_t op) { return own.contains(op); };
  std::uint64_t known = 0;
  for (const Candidate& other : others) {
    if (!std::ranges::any_of(other.ops, is_own)) continue;
    const auto common = static_cast<std::size_t>(std::ranges::count_if(other.ops, is_own));
    if (2 * common < other.ops.size()) return false;
    known += other.finding.wasted_bytes;
  }
  if (10 * candidate.finding.wasted_bytes <= 11 * known) return false;
  std::erase_if(others,
                [&](const Candidate& other) { return std::ranges::any_of(other.ops, is_own); });
  return true;
}

/// Removes the candidates that the source refutes, and returns them. The program needs the items of
/// their edits, which are added to `needed`. Other candidates with edits of these items are
/// removed, too.
std::vector<Candidate> take_refuted(const Trace& trace, std::vector<Candidate>& reported,
                                    std::set<ItemAt>& needed,
                                    std::vector<SourceQuestion>& questions) {
  std::vector<Candidate> refuted;
  std::erase_if(reported, [&](Candidate& candidate) {
    if (take_source_answers(trace, candidate, questions)) return false;
    for (const Edit& edit : candidate.finding.edits) {
      needed.merge(edited_items(candidate.finding, edit));
    }
    refuted.push_back(std::move(candidate));
    return true;
  });
  std::erase_if(reported, [&](Candidate& candidate) {
    const bool is_against = std::ranges::any_of(candidate.finding.edits, [&](const Edit& edit) {
      return share_one(edited_items(candidate.finding, edit), needed);
    });
    if (is_against) refuted.push_back(std::move(candidate));
    return is_against;
  });
  return refuted;
}

}  // namespace

namespace {

/// Drops findings on data that no kernel used because nothing set its pointer on the device.
void drop_what_lacks_its_pointer(const std::vector<Finding>& mapping,
                                 std::vector<Candidate>& reported) {
  std::set<std::string> names;
  for (const Finding& finding : mapping) {
    const auto& effect = std::get<facts::ClauseEffect>(finding.facts);
    if (effect.is_attached) continue;
    for (const std::string& item : effect.pointers) names.insert(base_of(item));
  }
  if (names.empty()) return;
  std::erase_if(reported, [&](const Candidate& candidate) {
    const Finding& finding = candidate.finding;
    const bool is_unused = std::holds_alternative<facts::UnusedTransfer>(finding.facts) ||
                           std::holds_alternative<facts::UnusedAllocation>(finding.facts);
    return is_unused && std::ranges::any_of(finding.data, [&](const EditData& data) {
             return names.contains(base_of(data.expression));
           });
  });
}

/// The edits of a leak end a mapping that no directive ended. Lets them copy back the item if a
/// kernel's results would be lost.
void copy_back_what_is_lost(const std::vector<Finding>& mapping, std::vector<Candidate>& reported) {
  for (const Finding& lost : mapping) {
    const auto& effect = std::get<facts::ClauseEffect>(lost.facts);
    if (!effect.is_left) continue;
    for (Candidate& candidate : reported) {
      Finding& leak = candidate.finding;
      const auto* facts = std::get_if<facts::DeviceLeak>(&leak.facts);
      if (facts == nullptr || facts->place != effect.place || leak.edits.empty()) continue;
      std::vector<std::uint32_t> returned;
      std::vector<EditClause>& clauses = leak.edits.front().clauses;
      for (EditClause& clause : clauses) {
        std::erase_if(clause.data, [&](std::uint32_t one) {
          const bool is_it = leak.data[one].expression == effect.item;
          if (is_it) returned.push_back(one);
          return is_it;
        });
      }
      std::erase_if(clauses, [](const EditClause& clause) { return clause.data.empty(); });
      if (!returned.empty()) clauses.insert(clauses.begin(), {"from", std::move(returned)});
    }
  }
}

}  // namespace

std::vector<std::uint32_t> find_redundant(const Trace& trace, const DirectiveTable& directives,
                                          const LoopTable& loops, Analysis& analysis) {
  const Evidence evidence{trace, directives, loops};
  RefutedBefore refuted_before;
  std::vector<Candidate> refuted;
  std::set<ItemAt> needed;
  std::unique_ptr<Candidates> found;
  std::unique_ptr<Conflicts> conflicts;
  // A candidate that the source refutes may have displaced others.
  constexpr int kMostRounds = 4;
  for (int round = 1; round <= kMostRounds; ++round) {
    found = std::make_unique<Candidates>(trace, refuted_before);
    conflicts = std::make_unique<Conflicts>(evidence);
    detect(evidence, *found, *conflicts);
    for (Candidate& candidate : found->reported) finish(evidence, candidate);
    analysis.source_questions.clear();
    std::vector<Candidate> more =
        take_refuted(trace, found->reported, needed, analysis.source_questions);
    if (more.empty()) break;
    for (Candidate& candidate : more) {
      refuted_before.emplace(candidate.finding.pattern, candidate.ops);
      refuted.push_back(std::move(candidate));
    }
  }
  Candidates& candidates = *found;
  for (Candidate& candidate : candidates.refuted) {
    refer(evidence, candidate);
    refuted.push_back(std::move(candidate));
  }
  Removed removed(trace.ops.size());
  mark(trace, candidates.reported, removed);
  for (Candidate& candidate : candidates.reported) take_unread(trace, candidate, removed);
  for (Candidate& candidate :
       candidates.sifted(looped_updates(evidence, analysis.source_questions))) {
    if (!takes_place_of(candidate, candidates.reported)) continue;
    refer(evidence, candidate);
    for (const std::uint32_t op : candidate.ops) removed[op] = true;
    candidates.reported.push_back(std::move(candidate));
  }
  for (Candidate& candidate : refuted) {
    // Edits that are wrong at one directive may be right around the loop.
    const bool is_spared =
        std::ranges::any_of(candidate.ops, [&](std::uint32_t op) { return removed[op]; });
    if (!is_spared) analysis.refuted.push_back(std::move(candidate.finding));
  }
  identify(analysis.refuted);
  ask_one_way(evidence, removed, analysis.source_questions);
  check_clauses(evidence, analysis);
  drop_what_lacks_its_pointer(analysis.mapping, candidates.reported);
  copy_back_what_is_lost(analysis.mapping, candidates.reported);
  candidates.withheld = conflicts->resolve(std::move(candidates.withheld));
  analysis.withheld = withheld_of(trace, candidates.withheld, removed);
  mark(trace, candidates.withheld, removed);
  for (Candidate& candidate : candidates.withheld) {
    refer(evidence, candidate);
    withhold_edits(evidence, candidate);
    analysis.too_small.push_back(std::move(candidate.finding));
  }
  identify(analysis.too_small);
  analysis.doubts = doubts_of(evidence, removed, candidates.reported);
  analysis.sources_asked = !trace.source_facts.empty() || !trace.host_facts.empty();
  analysis.kernels_decide = do_kernels_decide(evidence, removed);
  sort_rows(candidates.reported, [](const Candidate& candidate) {
    return candidate.finding.confidence == Confidence::kPossible;
  });
  const std::span<const Candidate> all(candidates.reported);
  const auto sure =
      static_cast<std::size_t>(std::ranges::count_if(all, [](const Candidate& candidate) {
        return candidate.finding.confidence != Confidence::kPossible;
      }));
  analysis.prediction = predict(trace, all.first(sure));
  const bool any_possible = std::ranges::any_of(
      all.subspan(sure), [](const Candidate& candidate) { return !candidate.ops.empty(); });
  if (any_possible) analysis.possible_prediction = predict(trace, all);
  std::vector<std::uint32_t> finding_of_op(trace.ops.size(), Picture::kNone);
  const auto by_time = stable_order(candidates.reported, [](const Candidate& candidate) {
    // A leak costs nothing but memory.
    return std::tuple(candidate.finding.pattern == "device_leak", -candidate.finding.wasted_time,
                      candidate.ops.empty());
  });
  for (const std::size_t i : by_time) {
    for (const std::uint32_t op : candidates.reported[i].ops) {
      std::uint32_t& of = finding_of_op[op];
      of = std::min(of, static_cast<std::uint32_t>(analysis.findings.size()));
    }
    Finding& finding = analysis.findings.emplace_back(std::move(candidates.reported[i].finding));
    // A fact of this run is certain; an edit, for another run, is not.
    if (!finding.edits.empty() && finding.confidence == Confidence::kCertain) {
      finding.confidence = Confidence::kLikely;
    }
    finding.memory_bytes = memory_of(candidates.reported[i].residencies);
  }
  identify(analysis.findings);
  return finding_of_op;
}

}  // namespace ompdm::analysis
