#include "report/edit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/advice.h"
#include "report/edit_lead.h"
#include "report/pragma.h"

namespace ompdm::report {
namespace {

using analysis::Edit;
using analysis::EditClause;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;

std::vector<std::string> expressions_of(const Finding& finding, const Edit& edit) {
  std::vector<std::string> items;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
  }
  return items;
}

/// "map(to: a) map(alloc: b)".
std::string clauses_text(const Finding& finding, const Edit& edit) {
  std::string text;
  for (const EditClause& clause : edit.clauses) {
    std::vector<std::string> items;
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
    if (items.empty()) continue;
    if (!text.empty()) text += ' ';
    text += fmt::format("map({}: {})", clause.kind, clause_list(items));
  }
  return text;
}

/// "#pragma omp target update to(a) at heat.cpp:9".
std::string directive_there(const Finding& finding, const Edit& edit) {
  std::string text = fmt::format("#pragma omp {}", analysis::directive_name(edit.directive));
  const std::vector<std::string> items = expressions_of(finding, edit);
  if (!items.empty() && edit.directive == Directive::kTargetUpdate) {
    text += fmt::format(" {}({})", edit.clauses.front().kind, clause_list(items));
  }
  return fmt::format("{} at {}", text, these_places(edit.anchor.places));
}

std::string insert_text(const Finding& finding, const Edit& edit, const std::string& lead) {
  if (edit.directive == Directive::kApi) return lead + ", call omp_target_free\n";
  constexpr std::size_t kWidest = 88;  // of code that stands within a list
  const Pragmas pragmas(finding, kWidest);
  std::string text;
  const std::string words = pragmas.in_words(edit);
  if (!words.empty()) text += fmt::format("{}: {}\n", lead, words);
  const std::string plain = is_long_choice(edit) ? fmt::format("{} {}(...)", directive_text(edit),
                                                               edit.clauses.front().kind)
                                                 : pragmas.plain(edit);
  if (!plain.empty()) text += fmt::format("{}:\n  {}\n", lead, plain);
  const std::string own = pragmas.of_this(edit);
  if (own.empty()) return text;
  // An update stands beside a directive that names the object's members already.
  const bool is_update = edit.directive == Directive::kTargetUpdate;
  return text + fmt::format("{}{}:\n  {}\n", lead,
                            is_update ? "" : ", in a member function called once for each object",
                            own);
}

std::string remove_text(const Finding& finding, const Edit& edit) {
  std::string text = "remove " + directive_there(finding, edit);
  if (edit.when == EditWhen::kNothingThere)
    text += ": it found nothing on the device so far, and now would";
  return text + '\n';
}

std::string leave_out_text(const Finding& finding, const Edit& edit) {
  const std::vector<std::string> items = expressions_of(finding, edit);
  const bool was_idle = edit.when == EditWhen::kNothingThere;
  return fmt::format("at {}, leave {} out of the clauses{}\n", these_places(edit.anchor.places),
                     spoken_list(items),
                     !was_idle ? ", or the directive if it names nothing else"
                     : items.size() == 1
                         ? ": it was not on the device so far, and now would be"
                         : ": they were not on the device so far, and now would be");
}

std::string replace_text(const Finding& finding, const Edit& edit) {
  const std::string places = these_places(edit.anchor.places);
  const std::string clauses = clauses_text(finding, edit);
  if (clauses.empty()) {
    return fmt::format("at {}, write map(release: ...) instead of map(delete: ...) for these\n",
                       places);
  }
  return fmt::format(
      "at {}, write {}{}\n", places, clauses,
      edit.directive == Directive::kTargetExitData ? " instead of map(from: ...)" : "");
}

}  // namespace

std::string edit_text(const Finding& finding, const Edit& edit, bool goes_on) {
  switch (edit.kind) {
    case EditKind::kInsert:
      return insert_text(finding, edit, lead_of(edit, choice_of(finding, edit), goes_on));
    case EditKind::kReplace:
      return replace_text(finding, edit);
    case EditKind::kLeaveOut:
      return leave_out_text(finding, edit);
    case EditKind::kRemove:
      return remove_text(finding, edit);
    case EditKind::kKeep:
      if (edit.clauses.empty()) break;
      return fmt::format(
          "leave the map clauses at {} as they are: they then allocate nothing, and copy all the "
          "same (always)\n",
          these_places(edit.anchor.places));
  }
  return fmt::format(
      "leave the map clauses at {} as they are: they then find the data present and move "
      "nothing\n",
      these_places(edit.anchor.places));
}

}  // namespace ompdm::report
