#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "ompdm/analysis.h"
#include "ompdm/comparison.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

namespace {

const Module* program_of(const Analysis& one) {
  const auto is_program = [&](const Module& module) { return module.path == one.process.program; };
  const auto at = std::ranges::find_if(one.modules, is_program);
  return at != one.modules.end() ? &*at : nullptr;
}

/// Build ids by the names of the modules that have one.
std::map<std::string, std::string> builds_of(const Analysis& one) {
  std::map<std::string, std::string> builds;
  for (const Module& module : one.modules) {
    if (!module.build_id.empty()) builds.emplace(last_name(module.path), module.build_id);
  }
  return builds;
}

/// One item of one edit at one place. Figures and conditions of the edit are no part of it.
struct EditTerm {
  EditKind kind = EditKind::kInsert;
  Anchor::Side side = Anchor::Side::kAt;
  Anchor::Of of = Anchor::Of::kDirective;
  SourcePlace place;
  Directive directive = Directive::kTarget;
  std::string clause;  ///< its kind; empty where the edit has none
  std::string item;    ///< as the clause has it; empty: the program has no names
  std::vector<std::int32_t> devices;
  EditWhen when = EditWhen::kAlways;
  bool after_taskwait = false;
  auto operator<=>(const EditTerm&) const = default;
};

/// An edit without clauses is of all the finding's data.
std::vector<EditClause> clauses_of(const Finding& finding, const Edit& edit) {
  if (!edit.clauses.empty()) return edit.clauses;
  EditClause all;
  for (std::uint32_t i = 0; i < finding.data.size(); ++i) all.data.push_back(i);
  return {all};
}

void add_terms(const Finding& finding, const Edit& edit, EditTerm term, std::set<EditTerm>& terms) {
  for (const EditClause& clause : clauses_of(finding, edit)) {
    term.clause = clause.kind;
    term.item.clear();
    if (clause.data.empty()) terms.insert(term);
    for (const std::uint32_t number : clause.data) {
      term.item = finding.data[number].expression;
      terms.insert(term);
    }
  }
}

/// The items of the finding's edits, or if it has none, of Finding::withheld_edits.
std::set<EditTerm> terms_of(const Finding& finding) {
  std::set<EditTerm> terms;
  for (const Edit& edit : finding.edits.empty() ? finding.withheld_edits : finding.edits) {
    EditTerm term{edit.kind,    edit.anchor.side, edit.anchor.of,     {}, edit.directive, {}, {},
                  edit.devices, edit.when,        edit.after_taskwait};
    if (edit.anchor.places.empty()) add_terms(finding, edit, term, terms);
    for (const SourcePlace& place : edit.anchor.places) {
      term.place = place;
      add_terms(finding, edit, term, terms);
    }
  }
  return terms;
}

using Terms = std::set<EditTerm>;

/// A run's findings, those below threshold last, with their edits before any is withdrawn.
struct Run {
  explicit Run(const Analysis& of) : analysis(of) {
    for (const auto* some : {&of.findings, &of.too_small}) {
      for (const Finding& finding : *some) {
        findings.push_back(&finding);
        terms.push_back(terms_of(finding));
        all_terms.insert(terms.back().begin(), terms.back().end());
      }
    }
  }

  const Analysis& analysis;
  std::vector<const Finding*> findings;
  std::vector<Terms> terms;  ///< by finding
  Terms all_terms;
};

/// Whether a directive's row is at that place.
bool is_at(const DirectiveRow& row, const SourcePlace& place) {
  if (place.line > 0) return row.line == place.line && row.file == place.file;
  return row.line == 0 && place.address != 0 && row.address == place.address;
}

/// Executions of the directives at that place.
std::uint64_t instances_at(const Analysis& run, const SourcePlace& place) {
  std::uint64_t count = 0;
  for (const DirectiveRow& row : run.directives) {
    if (is_at(row, place)) count += row.count;
  }
  return count;
}

bool is_of_directives(Anchor::Of of) { return of != Anchor::Of::kLoop && of != Anchor::Of::kCalls; }

/// The places of the finding's directives; empty: it is about the whole program.
std::set<SourcePlace> places_of(const Analysis& own, const Finding& finding) {
  std::set<SourcePlace> places;
  for (const std::size_t row : finding.directives) {
    const DirectiveRow& at = own.directives[row];
    if (at.line > 0 || at.address != 0) places.insert({at.file, at.line, {}, at.address});
  }
  if (finding.line > 0) places.insert({finding.file, finding.line, {}, 0});
  return places;
}

/// The largest number of executions that a run has at one of these places.
std::uint64_t most_instances(const Analysis& run, const std::set<SourcePlace>& places) {
  std::uint64_t most = 0;
  for (const SourcePlace& place : places) most = std::max(most, instances_at(run, place));
  return most;
}

bool looks_at_contents(const Analysis& run) {
  return !run.recording.hashing.empty() && run.recording.hashing != "off";
}

/// Whether a run executes a loop at which edits stand.
bool passes_edits(const Analysis& run, const Terms& edits) {
  return std::ranges::any_of(edits, [&](const EditTerm& term) {
    return !is_of_directives(term.of) && term.place.line > 0 &&
           std::ranges::any_of(run.loops, [&](const LoopRow& loop) {
             return loop.line == term.place.line && loop.file == term.place.file;
           });
  });
}

/// Whether `run` executed directives that `own` did not. Neither run shows whether these allow
/// edits that rest on `own`.
bool does_other_work(const Analysis& run, const Analysis& own) {
  return std::ranges::any_of(run.directives, [&](const DirectiveRow& row) {
    const bool has_place = row.line > 0 || row.address != 0;
    return has_place && instances_at(own, {row.file, row.line, {}, row.address}) == 0;
  });
}

/// Whether a run would show the finding. If its events are aggregated in part, only kernels that
/// ran on the host are known.
bool was_looked_for(const Finding& finding, const Analysis& run) {
  return is_recorded_whole(run) || finding.pattern == "host_fallback";
}

/// The verdict of a run on a finding that it does not have.
RunVerdict without_it(const Analysis& own, const Finding& finding, const Terms& edits,
                      const Analysis& other) {
  const std::set<SourcePlace> places = places_of(own, finding);
  const std::uint64_t there = most_instances(other, places);
  const bool is_reached = places.empty() ? has_target_events(other) : there > 0;
  if (!is_reached && !passes_edits(other, edits)) {
    return RunVerdict::kUnreached;
  }
  const bool tells_less = !knows_transfers(other) || lacks_events(other) ||
                          !was_looked_for(finding, other) ||
                          (looks_at_contents(own) && !looks_at_contents(other));
  // A repetition in one run cannot be judged by fewer than two executions in another.
  const bool repeats_less = !is_reached || (there == 1 && most_instances(own, places) > 1);
  if (!tells_less && !repeats_less) return RunVerdict::kNeeded;
  return !edits.empty() && does_other_work(other, own) ? RunVerdict::kOtherWork
                                                       : RunVerdict::kUnrecorded;
}

bool share_terms(const Terms& some, const Terms& others) {
  return std::ranges::any_of(some, [&](const EditTerm& term) { return others.contains(term); });
}

/// Whether `run` lacks an edit because it did not execute the edit's directive.
bool is_excused(const EditTerm& term, const Analysis& run) {
  return is_of_directives(term.of) && instances_at(run, term.place) == 0;
}

/// Whether an edit of another run may be missing in `run`. The edit leaves a directive as it is, or
/// it depends on a kernel's changes of the data. In the second case `run` has that kernel, and
/// knows that no such edit is needed.
bool is_spared(const EditTerm& term, const Analysis& run) {
  return term.kind == EditKind::kKeep ||
         (term.when == EditWhen::kKernelChanged && instances_at(run, term.place) > 0);
}

/// Whether edits only keep memory on the device, and leave all transfers as they are.
bool keeps_only(const Terms& terms) {
  bool keeps = false;
  for (const EditTerm& term : terms) {
    keeps = keeps || term.kind == EditKind::kKeep;
    const bool is_bound = term.kind == EditKind::kInsert && term.when == EditWhen::kAlways;
    if (is_bound && term.clause != "alloc" && term.clause != "release") return false;
    if (!is_bound && term.kind != EditKind::kKeep && term.when != EditWhen::kEachTime) return false;
  }
  return keeps;
}

/// Whether `theirs` keeps the same data present at the same directives. It may leave out transfers
/// that `mine` leaves in.
bool keep_the_same(const Terms& mine, const Terms& theirs) {
  return std::ranges::all_of(mine, [&](const EditTerm& term) {
    return term.kind != EditKind::kKeep || theirs.contains(term);
  });
}

/// The verdict of `other` on the edits of a finding, by its own findings on the same data.
RunVerdict of_edits(const Terms& mine, const Run& own, const Run& other, const Finding& finding) {
  Terms theirs;
  for (std::size_t i = 0; i < other.terms.size(); ++i) {
    const Finding& row = *other.findings[i];
    if (row.id != finding.id && !share_terms(mine, other.terms[i])) continue;
    theirs.insert(other.terms[i].begin(), other.terms[i].end());
  }
  if (keeps_only(mine) && keep_the_same(mine, theirs)) return RunVerdict::kHolds;
  std::set<std::string> items;
  for (const EditTerm& term : mine) items.insert(term.item);
  const bool lacks_some = std::ranges::any_of(theirs, [&](const EditTerm& term) {
    return items.contains(term.item) && !own.all_terms.contains(term) &&
           !is_spared(term, own.analysis);
  });
  const bool has_more = std::ranges::any_of(mine, [&](const EditTerm& term) {
    return !theirs.contains(term) && !is_excused(term, other.analysis);
  });
  if (lacks_some) return RunVerdict::kOtherEdits;
  if (!has_more) return RunVerdict::kHolds;
  return was_looked_for(finding, other.analysis) ? RunVerdict::kOtherEdits
                                                 : RunVerdict::kUnrecorded;
}

RunVerdict verdict_of(const Run& own, std::size_t at, const Run& other) {
  const Finding& finding = *own.findings[at];
  const Terms& mine = own.terms[at];
  const bool is_there =
      std::ranges::any_of(other.findings,
                          [&](const Finding* row) { return row->id == finding.id; }) ||
      share_terms(mine, other.all_terms);
  if (!is_there) {
    return without_it(own.analysis, finding, mine, other.analysis);
  }
  return mine.empty() ? RunVerdict::kHolds : of_edits(mine, own, other, finding);
}

void withdraw_edits(Finding& finding) {
  if (finding.edits.empty()) return;
  finding.edits.clear();
  finding.unless.clear();
  finding.remarks.clear();
  finding.memory_bytes = 0;
}

/// Whether a caveat speaks against a finding. (Others say that there is little evidence for it.)
bool is_objection(const Caveat& caveat) {
  switch (caveat.kind) {
    case Caveat::Kind::kNotCompared:
    case Caveat::Kind::kFewCompared:
    case Caveat::Kind::kHalfUnbacked:
    case Caveat::Kind::kBlocksCompared:
    case Caveat::Kind::kPinnedUnmeasured:
    case Caveat::Kind::kRestLost:
      return false;
    default:
      return true;
  }
}

/// The objections of other runs that have the finding, too.
std::vector<Caveat> objections_to(const Run& own, std::size_t at, const std::vector<Run>& all) {
  std::vector<Caveat> objections;
  for (const Run& other : all) {
    for (const Finding* row : other.findings) {
      if (&other.analysis == &own.analysis || row->id != own.findings[at]->id) continue;
      std::ranges::copy_if(row->caveats, std::back_inserter(objections), is_objection);
    }
  }
  return objections;
}

void object(const std::vector<Caveat>& objections, Finding& finding) {
  for (const Caveat& one : objections) {
    const bool is_known = std::ranges::any_of(
        finding.caveats, [&](const Caveat& known) { return known.kind == one.kind; });
    if (!is_known) finding.caveats.push_back(one);
    finding.confidence = Confidence::kPossible;
  }
}

void take(std::vector<RunVerdict> verdicts, Finding& finding) {
  const auto any = [&](RunVerdict verdict) {
    return std::ranges::find(verdicts, verdict) != verdicts.end();
  };
  if (std::ranges::any_of(verdicts, speaks_against_edits)) withdraw_edits(finding);
  if (any(RunVerdict::kUnrecorded) && !finding.edits.empty()) {
    finding.confidence = Confidence::kPossible;
  }
  finding.runs = std::move(verdicts);
}

/// Fills in which runs have each finding on a data clause: one run is enough for it to hold.
void agree_on_clauses(std::span<Analysis> runs) {
  const auto has_id = [](const auto& rows, const std::string& id) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.id == id; });
  };
  const auto verdict = [&](const Analysis& own, const Finding& finding, const Analysis& other) {
    if (has_id(other.mapping, finding.id)) return RunVerdict::kHolds;
    const bool is_reached = std::ranges::any_of(finding.directives, [&](std::size_t row) {
      return has_id(other.directives, own.directives[row].id);
    });
    if (is_reached) return RunVerdict::kNeeded;
    return other.clause_checks.is_part ? RunVerdict::kUnrecorded : RunVerdict::kUnreached;
  };
  for (Analysis& own : runs) {
    for (Finding& finding : own.mapping) {
      std::vector<RunVerdict> verdicts;
      for (const Analysis& other : runs) verdicts.push_back(verdict(own, finding, other));
      finding.runs = std::move(verdicts);
    }
  }
}

}  // namespace

SameProgram same_program(const Analysis& one, const Analysis& other) {
  const std::map<std::string, std::string> mine = builds_of(one);
  const std::map<std::string, std::string> theirs = builds_of(other);
  const Module* program = program_of(one);
  const Module* its_program = program_of(other);
  const bool has_ids = program != nullptr && its_program != nullptr && !program->build_id.empty() &&
                       !its_program->build_id.empty();
  // A copy of the program under another name is the same program.
  const bool is_same = has_ids && program->build_id == its_program->build_id;
  const bool has_name = last_name(one.process.program) == last_name(other.process.program);
  if (!is_same && !has_name) return SameProgram::kOtherProgram;
  for (const auto& [name, build] : mine) {
    const auto same = theirs.find(name);
    if (same != theirs.end() && same->second != build) return SameProgram::kOtherBuild;
  }
  return is_same ? SameProgram::kYes : SameProgram::kByName;
}

void agree(std::span<Analysis> runs) {
  const std::vector<Run> all(runs.begin(), runs.end());
  std::vector<std::vector<std::vector<RunVerdict>>> verdicts(runs.size());
  std::vector<std::vector<std::vector<Caveat>>> objections(runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t at = 0; at < runs[run].findings.size(); ++at) {
      std::vector<RunVerdict>& row = verdicts[run].emplace_back();
      objections[run].push_back(objections_to(all[run], at, all));
      for (const Run& other : all) {
        const bool is_own = &other.analysis == &runs[run];
        row.push_back(is_own ? RunVerdict::kHolds : verdict_of(all[run], at, other));
      }
    }
  }
  agree_on_clauses(runs);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    runs[run].run = run + 1;
    for (std::size_t at = 0; at < runs[run].findings.size(); ++at) {
      take(std::move(verdicts[run][at]), runs[run].findings[at]);
      object(objections[run][at], runs[run].findings[at]);
    }
  }
}

}  // namespace ompdm::analysis
