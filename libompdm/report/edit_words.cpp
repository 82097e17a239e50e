#include "report/edit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/advice.h"
#include "report/edit_lead.h"
#include "report/pragma.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Edit;
using analysis::EditClause;
using analysis::EditData;
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

/// "the target update to(a) at heat.cpp:9".
std::string directive_there(const Finding& finding, const Edit& edit) {
  std::string text = fmt::format("the {}", analysis::directive_name(edit.directive));
  const std::vector<std::string> items = expressions_of(finding, edit);
  if (!items.empty() && edit.directive == Directive::kTargetUpdate) {
    text += fmt::format(" {}({})", edit.clauses.front().kind, clause_list(items));
  }
  return fmt::format("{} at {}", text, these_places(edit.anchor.places));
}

/// An expression without the blanks that it can do without: a sentence is not broken in it.
std::string unbroken(const std::string& expression) {
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string text;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const bool is_needed = at > 0 && at + 1 < expression.size() && is_of_word(expression[at - 1]) &&
                           is_of_word(expression[at + 1]);
    if (expression[at] != ' ' || is_needed) text += expression[at];
  }
  return text;
}

/// Whose name this is: a function, or a directive that stands before the loop of the edit, so that
/// it may be in another function of the same name; empty: it is the place's own.
std::string owner_of(const EditData& data, const Edit& edit) {
  const analysis::SourcePlace& named_at = data.named_at;
  if (named_at.function != function_of(edit)) return named_at.function;
  if (edit.anchor.of != analysis::Anchor::Of::kLoop || edit.anchor.places.empty()) return {};
  const analysis::SourcePlace& loop = edit.anchor.places.front();
  const bool is_behind = named_at.file == loop.file && named_at.line >= loop.line;
  return loop.line == 0 || is_behind ? std::string() : place_text(named_at);
}

/// "what solve calls u[0:n] and v[0:n]", "the 786 KB that heat.cpp:9 maps".
std::string data_words(const Finding& finding, const EditClause& clause, const Edit& edit) {
  std::vector<std::string> parts;
  std::vector<std::string> owners;
  std::map<std::string, std::vector<std::string>> names;
  // In alphabetical order, as a finding's title has them.
  std::vector<std::uint32_t> numbers = clause.data;
  std::ranges::stable_sort(numbers, {}, [&](std::uint32_t number) {
    return std::string_view(finding.data[number].expression);
  });
  for (const std::uint32_t number : numbers) {
    const EditData& data = finding.data[number];
    if (!data.expression.empty()) {
      const std::string owner = owner_of(data, edit);
      if (!names.contains(owner)) owners.push_back(owner);
      names[owner].push_back(unbroken(data.expression));
    } else if (!data.pieces.empty()) {
      parts.push_back(fmt::format(
          "the {} that {} maps", spoken_size(data.pieces.front()),
          data.named_at == analysis::SourcePlace() ? "a directive" : place_text(data.named_at)));
    }
  }
  for (const std::string& owner : owners) {
    const std::string list = spoken_list(names[owner]);
    parts.push_back(owner.empty() ? list : fmt::format("what {} calls {}", owner, list));
  }
  return spoken_list(parts);
}

/// "a target enter data on device 2".
std::string directive_words(const Edit& edit) {
  std::string text = fmt::format("a {}", analysis::directive_name(edit.directive));
  if (edit.devices.size() > 1) {
    text += fmt::format(" on each of {}", devices_text(edit.devices));
  } else if (!edit.devices.empty() && edit.devices.front() != 0) {
    text += " on " + devices_text(edit.devices);
  }
  return text;
}

/// "a target enter data with map(to:) for what solve calls u[0:n]": an insertion without code.
std::string insertion_words(const Finding& finding, const Edit& edit) {
  const bool is_update = edit.directive == Directive::kTargetUpdate;
  std::vector<std::string> parts;
  for (const EditClause& clause : edit.clauses) {
    std::string kind =
        fmt::format(is_update ? fmt::runtime("{}()") : fmt::runtime("map({}:)"), clause.kind);
    // Of a condition its sentence names the data.
    if (!is_condition(edit)) kind += " for " + data_words(finding, clause, edit);
    parts.push_back(std::move(kind));
  }
  return fmt::format("{} with {}", directive_words(edit), spoken_list(parts));
}

std::vector<AdviceLine> insert_advice(const Finding& finding, const Edit& edit,
                                      const std::string& lead) {
  if (edit.directive == Directive::kApi) return {{lead + ", call omp_target_free"}};
  std::vector<std::string> code = code_of(finding, edit);
  if (code.empty()) return {{fmt::format("{}: {}", lead, insertion_words(finding, edit))}};
  std::vector<AdviceLine> lines = {{lead + ':'}};
  for (std::string& one : code) lines.push_back({std::move(one), true});
  return lines;
}

std::string remove_text(const Finding& finding, const Edit& edit) {
  std::string text = "remove " + directive_there(finding, edit);
  if (edit.when == EditWhen::kNothingThere)
    text += ": it found nothing on the device so far, and now would";
  return text;
}

std::string leave_out_text(const Finding& finding, const Edit& edit) {
  const std::vector<std::string> items = expressions_of(finding, edit);
  const bool was_idle = edit.when == EditWhen::kNothingThere;
  return fmt::format(
      "at {}, leave {} out of the clauses{}", these_places(edit.anchor.places), spoken_list(items),
      !was_idle           ? ", or the directive if it names nothing else"
      : items.size() == 1 ? ": it was not on the device so far, and now would be"
                          : ": they were not on the device so far, and now would be");
}

/// "map(to:) for a and map(alloc:) for b".
std::string clauses_in_words(const Finding& finding, const Edit& edit) {
  std::vector<std::string> parts;
  for (const EditClause& clause : edit.clauses) {
    std::vector<std::string> items;
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
    parts.push_back(fmt::format("map({}:) for {}", clause.kind, spoken_list(items)));
  }
  return spoken_list(parts);
}

std::vector<AdviceLine> replace_advice(const Finding& finding, const Edit& edit) {
  const std::string places = these_places(edit.anchor.places);
  if (count_of(edit) == 0) {
    return {{fmt::format("at {}, write map(release:) instead of map(delete:) for these", places)}};
  }
  const char* instead =
      edit.directive == Directive::kTargetExitData ? " instead of map(from:)" : "";
  std::vector<AdviceLine> lines;
  std::vector<std::string> code = code_of(finding, edit);
  if (code.empty()) {
    lines.push_back(
        {fmt::format("at {}, write {}{}", places, clauses_in_words(finding, edit), instead)});
  } else {
    lines.push_back({fmt::format("at {}, write{}:", places, instead)});
    for (std::string& one : code) lines.push_back({std::move(one), true});
  }
  return lines;
}

std::string keep_text(const Edit& edit) {
  return fmt::format("leave the map clauses at {} as they are: they then {}",
                     these_places(edit.anchor.places),
                     edit.clauses.empty() ? "find this data present and do not move it"
                                          : "allocate nothing, and copy all the same (always)");
}

}  // namespace

std::vector<AdviceLine> edit_advice(const Finding& finding, const Edit& edit, bool goes_on) {
  switch (edit.kind) {
    case EditKind::kInsert:
      return insert_advice(finding, edit, lead_of(edit, choice_of(finding, edit), goes_on));
    case EditKind::kReplace:
      return replace_advice(finding, edit);
    case EditKind::kLeaveOut:
      return {{leave_out_text(finding, edit)}};
    case EditKind::kRemove:
      return {{remove_text(finding, edit)}};
    case EditKind::kKeep:
      break;
  }
  return {{keep_text(edit)}};
}

}  // namespace ompdm::report
