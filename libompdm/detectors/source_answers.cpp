#include <algorithm>
#include <map>
#include <optional>
#include <set>

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

/// Where the data of a finding was sent, or came back, before.
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

/// The code that runs while a finding's data is to stay on a device; none where no line tells it.
std::optional<HostStretch> stretch_of(const Finding& finding) {
  using Of = Anchor::Of;
  for (const Edit& edit : finding.edits) {
    const Anchor& anchor = edit.anchor;
    if (anchor.of == Of::kLoop && !anchor.unplaced) {
      const std::vector<SourceLine> lines = lines_of(anchor.places);
      if (lines.empty()) return std::nullopt;
      return HostStretch{HostStretch::Kind::kLoop, {lines.front()}, {}, anchor.all_entries};
    }
    if (anchor.of == Of::kLoop || anchor.of == Of::kCalls) {
      // Directives of the iterations: the loop, or the calls, lead from one to the next.
      std::set<SourceLine> named;
      for (const EditData& data : finding.data) named.insert(line_of(data.named_at));
      return HostStretch{HostStretch::Kind::kSpan, {named.begin(), named.end()}, {}, false};
    }
    if (anchor.of == Of::kResidency) {
      const std::vector<SourceLine> lines = lines_of(anchor.places);
      if (lines.empty()) return std::nullopt;
      return HostStretch{HostStretch::Kind::kSpan, lines, {}, false};
    }
  }
  const std::vector<SourceLine> before = lines_of(places_before(finding.facts));
  const std::vector<SourceLine> at = lines_of(finding.edits.front().anchor.places);
  if (before.empty() || at.empty()) return std::nullopt;
  return HostStretch{HostStretch::Kind::kWay, at, before, false};
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

/// What facts say of a condition with one item's data.
HostUse use_against(const Finding& finding, std::uint32_t data, Unless condition,
                    const HostFact& fact) {
  switch (condition) {
    case Unless::kHostUses:
      return comes_back(finding, data) ? worse(fact.written, fact.read) : fact.written;
    case Unless::kHostChanges:
    case Unless::kHostWantsRestore:
      return fact.written;
    case Unless::kMadeAgain:
      return fact.renewed;
    case Unless::kKernelChanges:
      return fact.kernel_written;
    case Unless::kKernelUses:
      return worse(fact.kernel_written, fact.kernel_read);
    case Unless::kNoIteration:
      return {};
  }
  return {};
}

bool is_asked(Unless condition) { return condition != Unless::kNoIteration; }

/// Facts of a finding's items, by position in Finding::data.
using FactsOfItems = std::map<std::uint32_t, const HostFact*>;

/// The answer to a condition: that of the item which says most against the edits.
SourceAnswer answer_to(const Finding& finding, Unless condition, const FactsOfItems& facts) {
  SourceAnswer answer{condition, Answer::kNo, {}, {}, {}};
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < finding.data.size(); ++i) {
    const auto known = facts.find(i);
    const HostUse use =
        known == facts.end() ? HostUse() : use_against(finding, i, condition, *known->second);
    if (use.answer == Answer::kNo) continue;
    if (use.answer == Answer::kYes && answer.answer != Answer::kYes) names.clear();
    if (use.answer == Answer::kYes || answer.answer == Answer::kNo) {
      if (answer.answer != use.answer) {
        answer.answer = use.answer;
        answer.at = use.at;
        answer.why = use.why;
      }
    }
    if (use.answer == answer.answer) names.insert(base_of(finding.data[i].expression));
  }
  answer.data.assign(names.begin(), names.end());
  return answer;
}

/// Caveats on what the source is certain of, where the host does none of what the conditions say.
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

}  // namespace

void take_source_answers(const Trace& trace, Candidate& candidate,
                         std::vector<SourceQuestion>& questions) {
  Finding& finding = candidate.finding;
  if (finding.edits.empty() || std::ranges::none_of(finding.unless, is_asked)) return;
  const std::optional<HostStretch> stretch = stretch_of(finding);
  if (!stretch) return;
  FactsOfItems facts;
  SourceQuestion open{*stretch, {}};
  for (std::uint32_t i = 0; i < finding.data.size(); ++i) {
    const EditData& data = finding.data[i];
    const NamedItem item{data.expression, line_of(data.named_at)};
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
  if (facts.empty()) return;
  std::vector<Unless> left;
  std::vector<SourceAnswer> settled;
  for (const Unless condition : finding.unless) {
    if (!is_asked(condition)) {
      left.push_back(condition);
      continue;
    }
    SourceAnswer answer = answer_to(finding, condition, facts);
    if (answer.answer == Answer::kNo) {
      settled.push_back(std::move(answer));
    } else {
      left.push_back(condition);
      finding.answers.push_back(std::move(answer));
    }
  }
  finding.unless = std::move(left);
  std::ranges::move(settled, std::back_inserter(finding.answers));
  const auto is_away = [&](Unless condition) {
    return std::ranges::any_of(finding.answers, [&](const SourceAnswer& answer) {
      return answer.condition == condition && answer.answer == Answer::kNo;
    });
  };
  const bool is_untouched = is_away(Unless::kHostUses) || is_away(Unless::kHostChanges);
  if (is_untouched) {
    std::erase_if(finding.edits, [](const Edit& edit) {
      return edit.kind == EditKind::kInsert &&
             (edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged);
    });
    candidate.host_copy_stale = false;
  }
  if (std::ranges::any_of(finding.unless, is_asked)) return;
  std::erase_if(finding.caveats, is_settled);
  if (finding.caveats.empty() && finding.unless.empty()) finding.confidence = Confidence::kProven;
}

}  // namespace ompdm::analysis
