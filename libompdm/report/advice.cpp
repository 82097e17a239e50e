#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "ompdm/report.h"
#include "report/edit_words.h"
#include "report/evidence/words.h"
#include "report/fortran_wording.h"
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
using analysis::RunVerdict;
using analysis::Unless;

/// The inserted directive that notes_of() is about; null if there is none.
const Edit* first_insertion(const Finding& finding) {
  const auto first = std::ranges::find_if(finding.edits, [](const Edit& edit) {
    return edit.kind == EditKind::kInsert && !edit.clauses.empty();
  });
  return first == finding.edits.end() ? nullptr : &*first;
}

/// Whether a directive for the first or last use of data may be written outside of the function
/// that the uses are in, where a parameter or global of it may be called otherwise.
bool may_be_elsewhere(const Edit& edit, const EditData& data) {
  using Of = analysis::Anchor::Of;
  const bool is_of_uses = edit.anchor.of == Of::kStay || edit.anchor.of == Of::kUses;
  return is_of_uses && !edit.in_scope && data.local_line == 0 && data.named_at.function != "main";
}

/// What inserted directives name, and is not what it is called where they are written: lines that
/// belong to the first of them.
std::string notes_of(const Finding& finding) {
  std::vector<std::string> functions;
  std::set<std::string> known;
  std::set<std::uint32_t> inserted;
  const Edit* first = first_insertion(finding);
  for (const Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.clauses.empty()) continue;
    const std::string here = function_of(edit);
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        inserted.insert(number);
        const EditData& data = finding.data[number];
        const std::string& function = data.named_at.function;
        const bool is_foreign = !data.expression.empty() && !is_of_this(data) &&
                                (function != here || may_be_elsewhere(edit, data));
        if (is_foreign && !function.empty() && known.insert(function).second) {
          functions.push_back(function);
        }
      }
    }
  }
  if (first == nullptr) return {};
  std::string text;
  if (!functions.empty()) {
    text += fmt::format(
        "these are the names and sizes that {} {}: write those that the same data has at this "
        "place\n",
        spoken_list(functions), functions.size() == 1 ? "uses" : "use");
  }
  std::map<std::string, std::size_t> rows_of_name;
  bool of_object = false;
  bool nameless = false;
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    ++rows_of_name[data.expression];
    of_object = of_object || !data.objects.empty();
    nameless = nameless || data.expression.empty();
  }
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    if (data.pieces.size() < 2 || data.expression.empty() || first->devices.size() > 1) continue;
    std::vector<std::string> sizes;
    for (const std::uint64_t bytes : data.pieces) {
      const std::string size = spoken_size(bytes);
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
      constexpr std::size_t kFew = 4;
      if (sizes.size() > kFew) break;
    }
    constexpr std::size_t kFew = 4;
    text += fmt::format(
        "{}{} is {} pieces of memory{}: write all this for each, from when it is allocated until "
        "it is freed\n",
        data.expression,
        rows_of_name[data.expression] > 1 ? " in " + data.named_at.function : std::string(),
        data.pieces.size(), sizes.size() > kFew ? "" : fmt::format(" ({})", spoken_list(sizes)));
  }
  const int line = first->anchor.places.empty() ? 0 : first->anchor.places.front().line;
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    if (data.varies && !data.pieces.empty()) {
      text += fmt::format("{} was less at times: name all of it ({})\n", data.expression,
                          spoken_size(*std::ranges::max_element(data.pieces)));
    }
    if (data.strays && data.pieces.size() == 1 && data.named_at.line > 0) {
      text += fmt::format("{} stood for other data at times: write what it stood for at {}\n",
                          data.expression, place_text(data.named_at));
    }
    const bool is_later =
        line > 0 && data.scope_line > line && data.named_at.function == function_of(*first);
    if (is_later) {
      text += fmt::format("{} has names that are only declared by line {}: write their values\n",
                          data.expression, data.scope_line);
    }
  }
  if (first->devices.size() > 1) {
    std::vector<std::string> devices;
    for (const std::int32_t device : first->devices) devices.push_back(std::to_string(device));
    text += fmt::format(
        "d is the device: write all this for each of {}, with the data that this device works on\n",
        spoken_list(devices));
  }
  if (of_object) {
    Edit update = *first;
    update.directive = Directive::kTargetUpdate;
    text += "other members that the host or a kernel changes meanwhile need " +
            directive_text(update) + " too\n";
  }
  if (nameless) text += "compile with -g: then the data has its names here\n";
  return text;
}

/// What would make the edits wrong, and what to do then: a line each.
std::vector<std::string> unless_lines(const Finding& finding) {
  const auto has = [&](Unless one) {
    return std::ranges::find(finding.unless, one) != finding.unless.end();
  };
  const bool is_one = finding.data.size() == 1;
  const char* it = is_one ? "it" : "them";
  std::vector<std::string> lines;
  std::vector<std::string> cases;
  if (has(Unless::kHostChanges)) {
    cases.push_back(
        fmt::format("the host, or what another device brings back, changes {} in between", it));
  }
  if (has(Unless::kKernelChanges))
    cases.push_back(fmt::format("a kernel changes {} in between", it));
  if (has(Unless::kKernelUses)) cases.push_back(fmt::format("a kernel uses {}", it));
  if (has(Unless::kHostWantsRestore)) {
    cases.push_back(fmt::format("the host changes its own copy and wants {} restored", it));
  }
  if (!cases.empty()) {
    lines.push_back(fmt::format("leave it as it is where {}", fmt::join(cases, ", or ")));
  }
  if (has(Unless::kMadeAnew)) {
    lines.push_back(
        fmt::format("if the program allocates {} anew each time, or only later: allocate it once, "
                    "before all this",
                    is_one ? "this data" : "any of this data"));
  }
  if (has(Unless::kNoPass)) {
    lines.emplace_back(
        "if a loop in between may have no pass: let the clause send (to, tofrom), or what comes "
        "back "
        "after it has never been filled");
  }
  return lines;
}

/// "the target update at heat.cpp:70", "the target region at heat.cpp:56 on the host, by its if()".
std::string unreached_words(const UnreachedDirective& one) {
  const analysis::SourcePlace place{one.place.file, one.place.line, one.place.function, 0};
  const std::string what = one.directive == Directive::kApi ? "call"
                           : one.directive == Directive::kTarget
                               ? "target region"
                               : std::string(analysis::directive_name(one.directive));
  return fmt::format("the {} at {}{}", what, place_text(place),
                     one.on_host ? " on the host, by its if()" : "");
}

/// Why there is no edit.
std::string unreached_text(const Finding& finding) {
  if (finding.unreached.empty()) return {};
  std::vector<std::string> all;
  for (const UnreachedDirective& each : finding.unreached) all.push_back(unreached_words(each));
  const bool none_shows = std::ranges::all_of(finding.unreached, &UnreachedDirective::on_host);
  // A run that takes the other way alone has been recorded already.
  const bool is_taken =
      std::ranges::find(finding.runs, RunVerdict::kOtherWork) != finding.runs.end();
  return fmt::format(
      "no edit is given: the loop's code also leads to {}, which {}, and may use or change this "
      "data{}\n",
      spoken_list(all),
      none_shows        ? "no recording shows"
      : all.size() == 1 ? "was not seen in this run"
                        : "were not seen in this run",
      none_shows ? ""
      : is_taken ? " in one that takes both ways"
                 : " in another; record one that takes this branch");
}

bool is_for_host(const Edit& edit) {
  return edit.kind == EditKind::kInsert &&
         (edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged);
}

bool is_last_of_data(const Edit& edit) {
  return edit.kind == EditKind::kInsert && edit.directive == Directive::kTargetExitData &&
         std::ranges::any_of(edit.clauses,
                             [](const EditClause& clause) { return clause.kind == "from"; });
}

}  // namespace

std::string place_text(const analysis::SourcePlace& place) {
  if (!place.file.empty() && place.line > 0) {
    return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
  }
  if (place.function.empty()) return fmt::format("{:#x} in the program", place.address);
  return place.line > 0 ? fmt::format("{} line {}", place.function, place.line) : place.function;
}

std::string places_text(const std::vector<analysis::SourcePlace>& places) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const analysis::SourcePlace& place : places) {
    std::string text = place_text(place);
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return spoken_list(texts);
}

std::string devices_text(const std::vector<std::int32_t>& devices) {
  std::vector<std::string> texts;
  for (const std::int32_t device : devices) texts.push_back(std::to_string(device));
  return (texts.size() == 1 ? "device " : "devices ") + spoken_list(texts);
}

std::string clause_list(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string spoken_list(const std::vector<std::string>& items) {
  if (items.size() < 2) return items.empty() ? std::string() : items.front();
  return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

std::vector<AdviceStep> advice_steps(const Finding& finding) {
  std::vector<AdviceStep> steps;
  std::vector<AdviceStep> checks;
  bool has_condition = false;
  const Edit* before = nullptr;
  const Edit* first = first_insertion(finding);
  for (const Edit& edit : finding.edits) {
    const bool goes_on = before != nullptr && edit.when == EditWhen::kKernelChanged &&
                         before->when == EditWhen::kKernelChanged && before->kind == edit.kind;
    std::string text = edit_text(finding, edit, goes_on);
    if (&edit == first) text += notes_of(finding);
    if (is_for_host(edit)) {
      if (!has_condition) text += "a target region whose if() is false runs on the host, too\n";
      has_condition = true;
    }
    if (is_last_of_data(edit)) {
      text += "write release instead of from for what the host does not read from then on\n";
    }
    if (goes_on && !checks.empty()) {
      checks.back().text += text;
    } else {
      const bool is_check = is_for_host(edit) || (edit.kind == EditKind::kInsert &&
                                                  edit.when == EditWhen::kKernelChanged);
      (is_check ? checks : steps).push_back({is_check, std::move(text)});
    }
    before = &edit;
  }
  for (std::string& line : unless_lines(finding)) checks.push_back({true, std::move(line)});
  if (std::string text = unreached_text(finding); !text.empty()) {
    steps.push_back({false, std::move(text)});
  }
  for (std::string& remark : remarks_of(finding)) {
    (finding.edits.empty() ? steps : checks).push_back({!finding.edits.empty(), std::move(remark)});
  }
  std::ranges::move(checks, std::back_inserter(steps));
  for (AdviceStep& step : steps) {
    if (step.text.ends_with('\n')) step.text.pop_back();
    if (is_fortran_source(finding.file)) {
      step.text = in_fortran(finding.file, std::move(step.text));
    }
  }
  return steps;
}

std::string advice_text(const Finding& finding) {
  std::string text;
  for (const AdviceStep& step : advice_steps(finding)) {
    text += (text.empty() ? "" : "\n") + step.text;
  }
  return text;
}

}  // namespace ompdm::report
