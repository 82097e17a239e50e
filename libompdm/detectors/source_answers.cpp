#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "detectors/findings.h"

namespace ompdm::analysis {
namespace {

using Answer = HostUse::Answer;

SourceLine line_of(const SourcePlace& place) { return {place.file, place.line}; }

std::vector<SourceLine> lines_of(const std::vector<SourcePlace>& places) {
  std::set<SourceLine> lines;
  for (const SourcePlace& place : places) {
    if (!place.file.empty() && place.line > 0) lines.insert(line_of(place));
  }
  return {lines.begin(), lines.end()};
}

/// Where the data of a finding was sent, or copied back, before.
std::vector<SourcePlace> places_before(const Facts& facts) {
  return std::visit(
      [](const auto& some) {
        if constexpr (requires { some.before; }) {
          return some.before;
        } else {
          return std::vector<SourcePlace>();
        }
      },
      facts);
}

/// Where the data's device memory was deleted.
std::vector<SourcePlace> places_after(const Facts& facts) {
  return std::visit(
      [](const auto& some) {
        if constexpr (requires { some.ends; }) {
          return some.ends;
        } else {
          return std::vector<SourcePlace>();
        }
      },
      facts);
}

/// Data as the directive of a finding names it.
std::vector<EditData> data_of(const Finding& finding) {
  if (!finding.data.empty()) return finding.data;
  return std::visit(
      [&](const auto& some) {
        std::vector<EditData> all;
        if constexpr (requires {
                        some.same.equal;
                        some.items;
                      }) {
          for (const std::string& item : some.items) {
            EditData& data = all.emplace_back();
            data.expression = item;
            data.named_at = {finding.file, finding.line, {}, 0};
          }
        }
        return all;
      },
      finding.facts);
}

/// The conditions of a finding, and those that concern it even if it has no edits.
std::vector<Unless> conditions_of(const Finding& finding) {
  std::vector<Unless> all = finding.unless;
  const auto add = [&](Unless one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  };
  const bool is_resend = std::holds_alternative<facts::Resends>(finding.facts);
  const bool is_copy_back = std::holds_alternative<facts::UnmodifiedCopyBack>(finding.facts) ||
                            std::holds_alternative<facts::RepeatedCopyBack>(finding.facts);
  if (finding.edits.empty() && is_resend) add(Unless::kHostChanges);
  if (finding.edits.empty() && is_copy_back) {
    add(Unless::kKernelChanges);
    add(Unless::kHostWantsRestore);
  }
  return all;
}

/// Whether kernels of another run may write data that kernels of this run only read. Each region is
/// known by its own names, which may stand for other data in another run. The copy back of a
/// region's own clause concerns that region alone.
bool rests_on_kernels(const Finding& finding) {
  if (std::holds_alternative<facts::UnmodifiedCopyBack>(finding.facts)) {
    return std::ranges::any_of(
        finding.edits, [](const Edit& edit) { return edit.directive != Directive::kTarget; });
  }
  const auto* sent = std::get_if<facts::Resends>(&finding.facts);
  const bool was_there =
      sent != nullptr && sent->how == facts::Resends::How::kWasSent && !sent->is_mapped_again;
  return was_there || std::holds_alternative<facts::RepeatedCopyBack>(finding.facts);
}

/// Whether a directive is redundant because of another one before it, which the program may leave
/// out.
bool needs_one_before(const Finding& finding, const HostStretch& stretch) {
  return stretch.kind == HostStretch::Kind::kWay && !places_before(finding.facts).empty() &&
         std::ranges::none_of(stretch.places, [&](const SourceLine& place) {
           return std::ranges::find(stretch.from, place) != stretch.from.end();
         });
}

/// Whether the condition refutes the finding if it comes true.
bool is_refuting(Unless condition) {
  return condition == Unless::kHostChanges || condition == Unless::kKernelChanges ||
         condition == Unless::kHostWantsRestore;
}

/// From the first to the last of all directives that a finding names.
HostStretch span_of(const Finding& finding) {
  std::vector<SourcePlace> places = places_before(finding.facts);
  places.push_back({finding.file, finding.line, {}, 0});
  for (const EditData& data : finding.data) places.push_back(data.named_at);
  for (const Edit& edit : finding.edits) {
    const Anchor::Of of = edit.anchor.of;
    if (of != Anchor::Of::kDirective && of != Anchor::Of::kResidency) continue;
    places.insert(places.end(), edit.anchor.places.begin(), edit.anchor.places.end());
  }
  const auto* resends = std::get_if<facts::Resends>(&finding.facts);
  const bool is_of_calls = resends != nullptr && !resends->comes_round;
  if (resends != nullptr && resends->is_made_anew) {
    return {HostStretch::Kind::kLifetime, lines_of(places), {}, false};
  }
  return {HostStretch::Kind::kSpan, lines_of(places), {}, !is_of_calls};
}

/// The code that runs during a finding's residency on a device; none: its lines are not known.
std::optional<HostStretch> stretch_of(const Finding& finding) {
  using Of = Anchor::Of;
  for (const Edit& edit : finding.edits) {
    const Anchor& anchor = edit.anchor;
    if (anchor.of == Of::kLoop && !anchor.unplaced) {
      const std::vector<SourceLine> lines = lines_of(anchor.places);
      if (lines.empty()) return std::nullopt;
      return HostStretch{HostStretch::Kind::kLoop, {lines.front()}, {}, anchor.all_entries};
    }
    if (anchor.of == Of::kLoop || anchor.of == Of::kCalls || anchor.of == Of::kResidency) {
      return span_of(finding);
    }
  }
  const std::vector<SourceLine> at = lines_of({{finding.file, finding.line, {}, 0}});
  std::vector<SourcePlace> places = places_before(finding.facts);
  for (const Edit& edit : finding.edits) {
    // A clause that is to send the data instead begins the code, too.
    const bool is_elsewhere = edit.kind == EditKind::kReplace && !places.empty();
    if (!is_elsewhere) continue;
    for (const SourcePlace& place : edit.anchor.places) {
      if (place.file != finding.file || place.line != finding.line) places.push_back(place);
    }
  }
  const std::vector<SourceLine> before = lines_of(places);
  const std::vector<SourceLine> ends = lines_of(places_after(finding.facts));
  if (at.empty() || before.empty() == ends.empty()) return std::nullopt;
  const bool is_begin = before.empty();
  const bool comes_back = std::holds_alternative<facts::UnmodifiedCopyBack>(finding.facts) ||
                          std::holds_alternative<facts::RepeatedCopyBack>(finding.facts);
  return HostStretch{HostStretch::Kind::kWay, is_begin ? ends : at, is_begin ? at : before, false,
                     is_begin || comes_back};
}

/// Whether edits leave out copies of an item back to the host: then the host must not read it.
bool comes_back(const Finding& finding, std::uint32_t data) {
  return std::ranges::any_of(finding.edits, [&](const Edit& edit) {
    return std::ranges::any_of(edit.clauses, [&](const EditClause& clause) {
      return clause.kind.find("from") != std::string::npos &&
             std::ranges::find(clause.data, data) != clause.data.end();
    });
  });
}

/// The one of two that says more against the edits.
const HostUse& worse(const HostUse& one, const HostUse& other) {
  const auto weight = [](const HostUse& use) {
    return use.answer == Answer::kYes ? 2 : use.answer == Answer::kUnknown ? 1 : 0;
  };
  return weight(other) > weight(one) ? other : one;
}

/// Turns an answer on storage that is made again to kUnknown: its data may not be the same.
HostUse unless_same(HostUse renewed) {
  if (renewed.answer == Answer::kYes) renewed.why = "makes the storage again";
  renewed.answer = Answer::kUnknown;
  return renewed;
}

/// The answer of a fact to a condition, for the data of one item.
HostUse use_against(const Finding& finding, std::uint32_t data, Unless condition,
                    const HostFact& fact) {
  switch (condition) {
    case Unless::kHostUses:
      return comes_back(finding, data) ? worse(fact.written, fact.read) : fact.written;
    case Unless::kHostChanges:
    case Unless::kHostWantsRestore:
      // Storage that is made again has another content.
      return fact.renewed.answer == Answer::kNo ? fact.written
                                                : worse(fact.written, unless_same(fact.renewed));
    case Unless::kMadeAgain:
      return fact.renewed;
    case Unless::kKernelChanges:
      return fact.kernel_written;
    case Unless::kKernelUses:
      return worse(fact.kernel_written, fact.kernel_read);
    case Unless::kNoIteration:
      return fact.stretch.kind == HostStretch::Kind::kWay ? fact.again : fact.no_iteration;
    case Unless::kNoneBefore:  // kWay only
      return fact.no_iteration;
  }
  return {};
}

/// Facts of a finding's items, by position in Finding::data.
using FactsOfItems = std::map<std::uint32_t, const HostFact*>;

/// The answer to a condition: that of the item which says most against the edits.
SourceAnswer answer_to(const Finding& finding, const std::vector<EditData>& data, Unless condition,
                       const FactsOfItems& facts) {
  SourceAnswer answer{condition, Answer::kNo, {}, {}, {}};
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    const auto known = facts.find(i);
    const HostUse use =
        known == facts.end() ? HostUse() : use_against(finding, i, condition, *known->second);
    const auto weight = [](Answer one) {
      return one == Answer::kYes ? 2 : one == Answer::kNo ? 0 : 1;
    };
    if (use.answer == Answer::kNo || weight(use.answer) < weight(answer.answer)) continue;
    if (use.answer != answer.answer) {
      answer = {condition, use.answer, use.at, use.why, {}};
      names.clear();
    }
    names.insert(base_of(data[i].expression));
    if (use.answer != Answer::kYes) continue;
    const HostFact& fact = *known->second;
    answer.reads |= comes_back(finding, i) && fact.read.answer == Answer::kYes;
    answer.writes |= fact.written.answer == Answer::kYes;
  }
  answer.data.assign(names.begin(), names.end());
  return answer;
}

/// Whether the source resolves a caveat, if the host does nothing that the conditions say.
bool is_settled(const Caveat& caveat) {
  switch (caveat.kind) {
    case Caveat::Kind::kNotCompared:
    case Caveat::Kind::kFewCompared:
    case Caveat::Kind::kHalfUnbacked:
    case Caveat::Kind::kBlocksCompared:
    case Caveat::Kind::kHostChanges:
    case Caveat::Kind::kMadeAgain:
    case Caveat::Kind::kMakesMemory:
    case Caveat::Kind::kSameMadeAgain:
    case Caveat::Kind::kSameWritten:
    case Caveat::Kind::kHostChanged:
    case Caveat::Kind::kScratchCopies:
      return true;
    default:
      return false;
  }
}

/// Whether most of the redundant bytes were sent just after the host had written them, as it does
/// each time. Updates there may send as much.
bool updates_may_send_as_much(const Trace& trace, const Candidate& candidate,
                              const FactsOfItems& facts) {
  std::set<SourceLine> next;
  for (const auto& [data, fact] : facts) {
    if (fact->written.answer != Answer::kYes || !fact->written.always) continue;
    // The regions are not known: one may be in code that the sources do not show.
    if (fact->written.beside.empty()) return true;
    next.insert(fact->written.beside.begin(), fact->written.beside.end());
  }
  if (next.empty()) return false;
  std::uint64_t sent = 0;
  for (const std::uint32_t number : candidate.ops) {
    const DataOp& op = trace.ops.common(number);
    if (op.kind != OpKind::kHtoD || !op.site) continue;
    const Site& site = trace.sites[op.site.value];
    // Data that another directive than a region's sends is for the regions after it.
    const bool is_for_next =
        site.directive != Directive::kTarget || next.contains({site.file, site.line});
    if (is_for_next) sent += op.bytes;
  }
  return 2 * sent > candidate.finding.wasted_bytes;
}

/// Whether directives of several functions allocated the storage. Then it is several arrays, one at
/// the former address of another.
bool is_of_functions(const Finding& finding) {
  const auto* facts = std::get_if<facts::RepeatedAllocation>(&finding.facts);
  if (facts == nullptr || facts->by.empty()) return false;
  return std::ranges::any_of(facts->by, [&](const SourcePlace& place) {
    return place.function != facts->by.front().function;
  });
}

/// Whether no kernel ran on the devices that data was on.
bool has_no_kernels(const Finding& finding) {
  const auto* facts = std::get_if<facts::UnusedAllocation>(&finding.facts);
  return facts != nullptr && facts->has_no_kernels;
}

/// Sends data before a loop that is copied back after it. The loop may have no iteration that sets
/// the data; then the host's content is copied back. For each entry, one saved transfer of the data
/// no longer counts as saved.
void send_what_may_stay_unset(const Trace& trace, Candidate& candidate) {
  Finding& finding = candidate.finding;
  const auto inserts = [](const Edit& edit, Directive directive) {
    return edit.kind == EditKind::kInsert && edit.directive == directive;
  };
  std::set<std::uint32_t> returned;
  for (const Edit& edit : finding.edits) {
    if (!inserts(edit, Directive::kTargetExitData)) continue;
    for (const EditClause& clause : edit.clauses) {
      if (clause.kind == "from") returned.insert(clause.data.begin(), clause.data.end());
    }
  }
  std::set<std::uint32_t> sent;
  for (Edit& edit : finding.edits) {
    if (!inserts(edit, Directive::kTargetEnterData)) continue;
    std::vector<std::uint32_t> of_edit;
    for (EditClause& clause : edit.clauses) {
      if (clause.kind != "alloc") continue;
      const auto stays = std::ranges::stable_partition(
          clause.data, [&](std::uint32_t one) { return !returned.contains(one); });
      of_edit.insert(of_edit.end(), stays.begin(), stays.end());
      clause.data.erase(stays.begin(), stays.end());
    }
    if (of_edit.empty()) continue;
    std::erase_if(edit.clauses, [](const EditClause& clause) { return clause.data.empty(); });
    const auto to = std::ranges::find(edit.clauses, "to", &EditClause::kind);
    if (to == edit.clauses.end()) {
      edit.clauses.push_back({"to", of_edit});
    } else {
      to->data.insert(to->data.end(), of_edit.begin(), of_edit.end());
    }
    sent.insert(of_edit.begin(), of_edit.end());
  }
  std::erase(finding.unless, Unless::kNoIteration);
  std::erase_if(finding.answers, [](const SourceAnswer& answer) {
    return answer.condition == Unless::kNoIteration;
  });
  const auto* loop = std::get_if<facts::PerIterationMapping>(&finding.facts);
  for (const std::uint32_t one : sent) {
    for (const std::uint64_t bytes : finding.data[one].pieces) {
      for (std::uint64_t entry = 0; entry < (loop == nullptr ? 1 : loop->entries); ++entry) {
        const auto spent = std::ranges::find_if(candidate.ops, [&](std::uint32_t op) {
          const DataOp& spared = trace.ops.common(op);
          return spared.kind == OpKind::kDtoH && spared.bytes == bytes;
        });
        if (spent == candidate.ops.end()) break;
        std::erase_if(candidate.depends_on,
                      [&](const Dependence& its) { return its.op == *spent; });
        candidate.ops.erase(spent);
      }
    }
  }
  if (!sent.empty()) sum_up(candidate, trace);
}

bool take_answers(const Trace& trace, Candidate& candidate,
                  std::vector<SourceQuestion>& questions) {
  Finding& finding = candidate.finding;
  std::vector<Unless> conditions = conditions_of(finding);
  if (rests_on_kernels(finding) &&
      std::ranges::find(conditions, Unless::kKernelChanges) == conditions.end()) {
    conditions.push_back(Unless::kKernelChanges);
  }
  if (conditions.empty()) return true;
  const std::optional<HostStretch> stretch = stretch_of(finding);
  if (!stretch) return true;
  const std::vector<EditData> all = data_of(finding);
  FactsOfItems facts;
  SourceQuestion open{*stretch, {}};
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const NamedItem item{all[i].expression, line_of(all[i].named_at)};
    const auto known = std::ranges::find_if(trace.host_facts, [&](const HostFact& fact) {
      return fact.item == item && fact.stretch == *stretch;
    });
    if (known != trace.host_facts.end()) {
      facts[i] = &*known;
    } else if (!item.expression.empty() && item.named_at.line > 0) {
      open.items.push_back(item);
    }
  }
  if (!open.items.empty()) questions.push_back(std::move(open));
  if (facts.empty()) return true;
  if (needs_one_before(finding, *stretch)) {
    conditions.push_back(Unless::kNoneBefore);
    finding.unless.push_back(Unless::kNoneBefore);
  }
  // Conditions that the run left open may be open without edits, too. Only those of edits were
  // recorded before.
  if (rests_on_kernels(finding)) finding.unless = conditions;
  for (const Unless condition : conditions) {
    // Kernels that use the data ran on other devices.
    const bool is_elsewhere =
        condition == Unless::kKernelUses && has_no_kernels(finding) && !trace.launches.empty();
    finding.answers.push_back(is_elsewhere ? SourceAnswer{condition, Answer::kNo, {}, {}, {}}
                                           : answer_to(finding, all, condition, facts));
  }
  std::ranges::stable_sort(finding.answers, {},
                           [](const SourceAnswer& answer) { return answer.answer == Answer::kNo; });
  // During a residency all uses are of the new content. The program may use an old one now.
  const bool is_mapped_in_loop = stretch->kind == HostStretch::Kind::kLoop &&
                                 std::holds_alternative<facts::PerIterationMapping>(finding.facts);
  const auto may_be_old = [](const auto& fact) { return fact.second->may_be_old(); };
  if (is_mapped_in_loop && std::ranges::any_of(facts, may_be_old)) {
    finding.withheld_edits = std::exchange(finding.edits, {});
    candidate.withheld_unless = std::exchange(finding.unless, {});
    finding.remarks.clear();
    candidate.residencies.clear();
    candidate.add_caveat(Caveat::Kind::kOldCopy);
    return true;
  }
  const auto is_no = [&](Unless condition) {
    return std::ranges::any_of(finding.answers, [&](const SourceAnswer& answer) {
      return answer.condition == condition && answer.answer == Answer::kNo;
    });
  };
  std::erase_if(finding.unless, is_no);
  if (is_no(Unless::kMadeAgain)) {
    std::erase_if(finding.caveats, [](const Caveat& caveat) {
      return caveat.kind == Caveat::Kind::kMadeAgain || caveat.kind == Caveat::Kind::kMakesMemory;
    });
  }
  if (is_no(Unless::kHostUses) || is_no(Unless::kHostChanges)) {
    std::erase_if(finding.edits, [](const Edit& edit) {
      return edit.kind == EditKind::kInsert &&
             (edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged);
    });
    candidate.host_copy_stale = false;
  }
  const auto is_written = [](const auto& fact) {
    return fact.second->written.answer == Answer::kYes;
  };
  // Data that the host writes meanwhile has to be sent, even if it was equal in this run.
  const bool is_sent_anew = std::holds_alternative<facts::Resends>(finding.facts) &&
                            facts.size() == all.size() && std::ranges::all_of(facts, is_written);
  const bool is_refuted =
      is_sent_anew || std::ranges::any_of(finding.answers, [&](const SourceAnswer& answer) {
        const bool is_chance = answer.condition == Unless::kMadeAgain && is_of_functions(finding);
        return answer.answer == Answer::kYes && (is_refuting(answer.condition) || is_chance);
      });
  if (is_refuted) return false;
  const auto is_open = [&](const SourceAnswer& answer) {
    return answer.condition == Unless::kNoIteration && answer.answer != Answer::kNo;
  };
  const bool is_of_clause = std::holds_alternative<facts::UnusedTransfer>(finding.facts);
  if (!is_of_clause && std::ranges::any_of(finding.answers, is_open)) {
    send_what_may_stay_unset(trace, candidate);
  }
  // Data that the host writes each time has to be sent to the next region. A write in a branch that
  // the run executed would have changed the sent content.
  const bool is_always_written = updates_may_send_as_much(trace, candidate, facts);
  // Where the host needs the data meanwhile, the edits are right only with updates.
  const bool is_used = std::ranges::any_of(finding.answers, [](const SourceAnswer& answer) {
    return answer.answer == Answer::kYes && answer.condition == Unless::kHostUses;
  });
  const bool has_update = std::ranges::any_of(finding.edits, [](const Edit& edit) {
    return edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged;
  });
  const bool is_once = std::ranges::any_of(
      facts, [](const auto& fact) { return fact.second->again.answer == Answer::kNo; });
  if (is_once) {
    std::erase_if(finding.caveats,
                  [](const Caveat& caveat) { return caveat.kind == Caveat::Kind::kOtherEntries; });
  }
  auto* mapped = std::get_if<facts::PerIterationMapping>(&finding.facts);
  if (mapped != nullptr && mapped->entries_at_least) {
    mapped->entries_at_least = !is_once;
    mapped->entered_unseen = std::ranges::any_of(
        facts, [](const auto& fact) { return fact.second->again.answer == Answer::kYes; });
  }
  // Reads by the host that take place each time count as needed already, if the data is mapped in a
  // loop.
  const bool is_always_read =
      !std::holds_alternative<facts::PerIterationMapping>(finding.facts) &&
      std::ranges::any_of(facts, [](const auto& fact) { return fact.second->read.always; });
  const bool is_used_always = is_always_written || is_always_read;
  const bool is_changed = std::ranges::any_of(facts, is_written);
  const bool is_settled_but_for_branches =
      is_used && has_update && !is_used_always &&
      std::ranges::all_of(finding.answers, [](const SourceAnswer& one) {
        return one.answer == Answer::kNo || one.condition == Unless::kHostUses;
      });
  if (is_settled_but_for_branches) {
    std::erase_if(finding.caveats, [&](const Caveat& caveat) {
      const bool is_of_contents =
          caveat.kind == Caveat::Kind::kNotCompared || caveat.kind == Caveat::Kind::kFewCompared;
      const bool is_of_others =
          caveat.kind == Caveat::Kind::kOthersMap && candidate.others_bring_back;
      return is_of_others || (is_settled(caveat) && !(is_changed && is_of_contents));
    });
  }
  if (is_used && (!has_update || is_always_written))
    candidate.add_caveat(Caveat::Kind::kHostChanges);
  if (is_settled_but_for_branches && finding.caveats.empty()) {
    finding.confidence = Confidence::kLikely;
  }
  // That a transfer before it may be left out says nothing of executions that have the transfer.
  const bool is_idle = std::ranges::all_of(finding.answers, [](const SourceAnswer& one) {
    return one.answer == Answer::kNo || one.condition == Unless::kNoneBefore;
  });
  if (is_idle) {
    std::erase_if(finding.caveats, is_settled);
    // Data that neither side changes is the same, whatever directive maps it in between.
    const bool is_constant = std::ranges::all_of(facts, [](const auto& fact) {
      return fact.second->kernel_written.answer == Answer::kNo &&
             fact.second->written.answer == Answer::kNo;
    });
    if ((is_constant || candidate.others_bring_back) && facts.size() == all.size()) {
      std::erase_if(finding.caveats,
                    [](const Caveat& caveat) { return caveat.kind == Caveat::Kind::kOthersMap; });
    }
    const bool is_all = finding.caveats.empty() && finding.unless.empty();
    const bool has_condition = std::ranges::any_of(
        finding.edits, [](const Edit& edit) { return edit.when == EditWhen::kKernelChanged; });
    if (finding.caveats.empty()) finding.confidence = Confidence::kLikely;
    // Whether a "first time" or a "last time" comes at all, the source does not show.
    const bool is_around_code = std::ranges::none_of(
        finding.edits, [](const Edit& edit) { return edit.anchor.of == Anchor::Of::kResidency; });
    if (is_all && !finding.edits.empty() && !has_condition && is_around_code) {
      finding.confidence = Confidence::kProven;
    }
  }
  return true;
}

/// Whether the source says that the host does not use the data meanwhile.
bool is_unused(const Finding& finding) {
  return std::ranges::any_of(finding.answers, [](const SourceAnswer& answer) {
    return answer.condition == Unless::kHostUses && answer.answer == Answer::kNo;
  });
}

}  // namespace

bool take_source_answers(const Trace& trace, Candidate& candidate,
                         std::vector<SourceQuestion>& questions) {
  Finding& finding = candidate.finding;
  if (finding.withheld_edits.empty()) return take_answers(trace, candidate, questions);
  // The source also shows code that the run did not execute. What directives there need shows when
  // the edits are written.
  finding.edits = std::move(finding.withheld_edits);
  finding.unless = std::move(candidate.withheld_unless);
  const bool holds = take_answers(trace, candidate, questions);
  if (finding.confidence == Confidence::kProven) finding.confidence = Confidence::kLikely;
  if (!finding.edits.empty()) finding.withheld_edits = std::exchange(finding.edits, {});
  finding.unless.clear();
  return holds;
}

bool is_left_unread(const Trace& trace, Candidate candidate) {
  if (candidate.unread.empty() || trace.host_facts.empty()) return false;
  std::vector<SourceQuestion> not_asked;
  take_source_answers(trace, candidate, not_asked);
  return is_unused(candidate.finding);
}

void take_unread(const Trace& trace, Candidate& candidate, Removed& removed) {
  Finding& finding = candidate.finding;
  auto* facts = std::get_if<facts::Resends>(&finding.facts);
  if (facts == nullptr || !is_unused(finding)) return;
  for (const Dependence& one : candidate.unread) {
    if (removed[one.op]) continue;
    removed[one.op] = true;
    candidate.ops.push_back(one.op);
    candidate.depends_on.push_back(one);
    ++facts->unread;
  }
  if (facts->unread > 0) sum_up(candidate, trace);
}

}  // namespace ompdm::analysis
