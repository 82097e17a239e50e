#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "ompdm/report.h"
#include "report/edit_words.h"
#include "report/evidence.h"
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

/// Whether data is a member of what `this` points to: all functions of its class call it the same.
bool is_of_this(const EditData& data) {
  return !data.objects.empty() && data.objects.front() == "this[0:1]";
}

/// " (80.0 KB and 160 KB)": of a name's pieces of memory; empty where these have many sizes.
std::string sizes_of(const EditData& data) {
  constexpr std::size_t kFew = 4;
  std::vector<std::string> sizes;
  for (const std::uint64_t bytes : data.pieces) {
    std::string size = spoken_size(bytes);
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(std::move(size));
    if (sizes.size() > kFew) return {};
  }
  return fmt::format(" ({})", spoken_list(sizes));
}

/// Whether a directive for the first or last use of data may be written outside of the function
/// that the uses are in, where a parameter or global of it may be called otherwise.
bool may_be_elsewhere(const Edit& edit, const EditData& data) {
  using Of = analysis::Anchor::Of;
  const bool is_of_uses = edit.anchor.of == Of::kStay || edit.anchor.of == Of::kUses;
  return is_of_uses && !edit.in_scope && data.local_line == 0 && data.named_at.function != "main";
}

/// "these names and sizes are those of work, which main calls at main.cpp:11: write those of main".
std::string whose_names(const Edit& edit, const std::vector<std::string>& functions) {
  const std::string of = "these names and sizes are those of " + spoken_list(functions);
  if (edit.calls.empty()) return of + ": write those that the same data has at this place";
  const std::string& here = edit.calls.front().function;
  if (functions.size() == 1) {
    return fmt::format("{}, which {} calls at {}: write those of {}", of, here,
                       places_text(edit.calls), here);
  }
  return fmt::format("{}: write those that {} has at its calls, {}", of, here,
                     places_text(edit.calls));
}

/// What there is to know of names in insertions that are told in words: lines that belong to the
/// first of these.
std::vector<std::string> notes_of(const Finding& finding, const Edit& first) {
  std::vector<std::string> functions;
  std::set<std::string> known;
  std::set<std::uint32_t> inserted;
  std::map<std::string, std::set<std::string>> locals;  ///< by a function that is called from here
  std::set<std::uint32_t> with_objects;
  for (const Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.clauses.empty()) continue;
    const std::string here = function_of(edit);
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        inserted.insert(number);
        // What ends a mapping ends its part of the object, too: a release more would end another's.
        if (clause.kind != "delete") with_objects.insert(number);
        const EditData& data = finding.data[number];
        const std::string& function = data.named_at.function;
        const bool is_foreign = !data.expression.empty() && !is_of_this(data) &&
                                (function != here || may_be_elsewhere(edit, data));
        if (!is_foreign || function.empty()) continue;
        if (data.local_line > 0 && function != here) {
          locals[function].insert(data.expression.substr(0, data.expression.find('[')));
        } else if (known.insert(function).second) {
          functions.push_back(function);
        }
      }
    }
  }
  std::vector<std::string> lines;
  if (!functions.empty()) lines.push_back(whose_names(first, functions));
  for (const auto& [function, names] : locals) {
    const bool is_one = names.size() == 1;
    lines.push_back(fmt::format(
        "{} {} declared in {}: {} memory has to be there, and have a name, at this place, too",
        spoken_list({names.begin(), names.end()}), is_one ? "is" : "are", function,
        is_one ? "its" : "their"));
  }
  std::map<std::string, std::size_t> rows_of_name;
  std::vector<std::string> objects;
  bool of_this = false;
  bool nameless = false;
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    ++rows_of_name[data.expression];
    for (const std::string& object : data.objects) {
      const bool is_new = std::ranges::find(objects, object) == objects.end();
      if (is_new && with_objects.contains(number)) objects.push_back(object);
    }
    of_this = of_this || is_of_this(data);
    nameless = nameless || data.expression.empty();
  }
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    if (data.pieces.size() < 2 || data.in_turn || data.expression.empty()) continue;
    if (first.devices.size() > 1) continue;
    lines.push_back(fmt::format(
        "{}{} is {} pieces of memory{}: write all this for each, from when it is allocated until "
        "it is freed",
        data.expression,
        rows_of_name[data.expression] > 1 ? " in " + data.named_at.function : std::string(),
        data.pieces.size(), sizes_of(data)));
  }
  const bool is_at_loop = first.anchor.of == analysis::Anchor::Of::kLoop;
  const int line = first.anchor.places.empty() ? 0 : first.anchor.places.front().line;
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    if (data.varies && !data.pieces.empty()) {
      lines.push_back(fmt::format("{} was less at times: name all of it ({})", data.expression,
                                  spoken_size(*std::ranges::max_element(data.pieces))));
    }
    if (data.strays && data.pieces.size() == 1 && data.named_at.line > 0) {
      lines.push_back(
          fmt::format("{} stood for other data at times, which is not meant", data.expression));
    }
    if (data.expression.empty() || data.named_at.function != function_of(first)) continue;
    if (line > 0 && data.local_line > line) {
      lines.push_back(
          fmt::format("{} is only declared at line {}: name the same data as it is "
                      "called here",
                      data.expression, data.local_line));
    } else if (line > 0 && data.scope_line > line) {
      lines.push_back(
          fmt::format("{} has names that are only declared by line {}: write their values",
                      data.expression, data.scope_line));
    } else if (is_at_loop && line > 0 && data.scope_line == 0 && data.objects.empty()) {
      lines.push_back(fmt::format(
          "names in {} may be other variables here, or none: write the values that they "
          "have at {}",
          data.expression, place_text(data.named_at)));
    }
  }
  if (first.devices.size() > 1) {
    lines.push_back(
        fmt::format("write all this for each of {}, with the data that this device works on",
                    devices_text(first.devices)));
  }
  if (!objects.empty()) {
    lines.push_back(fmt::format(
        "map {} with {} members, before them by map(to:), and after them by map(release:){}",
        spoken_list(objects), objects.size() == 1 ? "its" : "their",
        of_this ? ", in a member function that is called once for each object" : ""));
    lines.emplace_back(
        "other members that the host or a kernel changes meanwhile need a target update, too");
  }
  if (nameless) lines.emplace_back("compile with -g: then the data has its names here");
  return lines;
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
  if (may_be_made_anew(finding)) {
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
      "data{}",
      spoken_list(all),
      none_shows        ? "no recording shows"
      : all.size() == 1 ? "was not seen in this run"
                        : "were not seen in this run",
      none_shows ? ""
      : is_taken ? " in one that takes both ways"
                 : " in another; record one that takes this branch");
}

/// A remark's lines.
std::vector<AdviceLine> sentences_of(const std::string& remark) {
  std::vector<AdviceLine> lines;
  for (std::size_t begin = 0; begin <= remark.size();) {
    const std::size_t end = std::min(remark.find('\n', begin), remark.size());
    lines.push_back({remark.substr(begin, end - begin)});
    begin = end + 1;
  }
  return lines;
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

/// Whether an expression is a variable of C or C++, and no memory that one points to.
bool is_variable(const EditData& data) {
  return !data.expression.empty() && std::ranges::all_of(data.expression, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':';
  });
}

}  // namespace

bool may_be_made_anew(const Finding& finding) {
  const bool has = std::ranges::find(finding.unless, Unless::kMadeAnew) != finding.unless.end();
  // Fortran's arrays may be allocatable, or pointers.
  return has && (is_fortran_source(finding.file) || finding.data.empty() ||
                 !std::ranges::all_of(finding.data, is_variable));
}

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
    std::vector<AdviceLine> lines = edit_advice(finding, edit, goes_on);
    if (&edit == first && code_of(finding, edit).empty()) {
      for (std::string& note : notes_of(finding, edit)) lines.push_back({std::move(note)});
    }
    if (is_for_host(edit)) {
      if (!has_condition) {
        lines.push_back({"a target region whose if() is false runs on the host, too"});
      }
      has_condition = true;
    }
    if (is_last_of_data(edit)) {
      lines.push_back(
          {"write release instead of from for what the host does not read from then on"});
    }
    if (goes_on && !checks.empty()) {
      std::ranges::move(lines, std::back_inserter(checks.back().lines));
    } else {
      const bool is_check = is_condition(edit);
      (is_check ? checks : steps).push_back({is_check, std::move(lines), &edit});
    }
    before = &edit;
  }
  for (std::string& line : unless_lines(finding)) checks.push_back({true, {{std::move(line)}}});
  if (std::string text = unreached_text(finding); !text.empty()) {
    steps.push_back({false, {{std::move(text)}}});
  }
  for (const std::string& remark : remarks_of(finding)) {
    (finding.edits.empty() ? steps : checks)
        .push_back({!finding.edits.empty(), sentences_of(remark)});
  }
  std::ranges::move(checks, std::back_inserter(steps));
  if (is_fortran_source(finding.file)) {
    for (AdviceStep& step : steps) {
      for (AdviceLine& line : step.lines) line.text = in_fortran(std::move(line.text));
    }
  }
  return steps;
}

std::string advice_text(const Finding& finding) {
  constexpr std::size_t kWidest = 88;
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  for (const AdviceStep& step : advice_steps(finding)) {
    for (const AdviceLine& line : step.lines) {
      if (!line.is_code) {
        add(line.text);
        continue;
      }
      for (const std::string& part : set_code(line.text, finding.file, kWidest)) add("  " + part);
    }
  }
  return text;
}

}  // namespace ompdm::report
