#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What inserted directives name, and is not what it is called where they are written.
std::string notes_of(const Finding& finding) {
  std::vector<std::string> functions;
  std::set<std::string> known;
  std::set<std::uint32_t> inserted;
  const Edit* first = nullptr;
  for (const Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.clauses.empty()) continue;
    if (first == nullptr) first = &edit;
    const std::string here = function_of(edit);
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        inserted.insert(number);
        const EditData& data = finding.data[number];
        const std::string& function = data.named_at.function;
        const bool is_foreign = !data.expression.empty() && !is_of_this(data) && function != here;
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
        "names and sizes are those in {}: write what the same data is called where you write "
        "this\n",
        spoken_list(functions));
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
        "{}{} stands for {} pieces of storage{}: write this for each, from when it is made "
        "until it is freed\n",
        data.expression,
        rows_of_name[data.expression] > 1 ? " in " + data.named_at.function : std::string(),
        data.pieces.size(), sizes.size() > kFew ? "" : fmt::format(" ({})", spoken_list(sizes)));
  }
  const int line = first->anchor.places.empty() ? 0 : first->anchor.places.front().line;
  for (const std::uint32_t number : inserted) {
    const EditData& data = finding.data[number];
    if (data.varies && !data.pieces.empty()) {
      text += fmt::format("{} stood for less of it at times: name all of it ({})\n",
                          data.expression, spoken_size(*std::ranges::max_element(data.pieces)));
    }
    if (data.strays && data.pieces.size() == 1 && data.named_at.line > 0) {
      text += fmt::format("{} stood for other data at times: write what it stood for at {}\n",
                          data.expression, place_text(data.named_at));
    }
    const bool is_later =
        line > 0 && data.scope_line > line && data.named_at.function == function_of(*first);
    if (is_later) {
      text += fmt::format("{} has names that are not known before line {}: write their values\n",
                          data.expression, data.scope_line);
    }
  }
  if (first->devices.size() > 1) {
    std::vector<std::string> devices;
    for (const std::int32_t device : first->devices) devices.push_back(std::to_string(device));
    text += fmt::format(
        "d is the device: write this for each of {}, with the data that this device works on\n",
        spoken_list(devices));
  }
  if (of_object) {
    Edit update = *first;
    update.directive = Directive::kTargetUpdate;
    text += "other members that the host or a kernel changes meanwhile must cross with " +
            directive_text(update) + " too\n";
  }
  if (nameless) text += "compiled with -g, the program tells the names of its data\n";
  return text;
}

std::string unless_text(const Finding& finding) {
  const auto has = [&](Unless one) {
    return std::ranges::find(finding.unless, one) != finding.unless.end();
  };
  const bool is_one = finding.data.size() == 1;
  const char* it = is_one ? "it" : "them";
  std::string text;
  const bool kernel = has(Unless::kKernelChanges);
  std::vector<std::string> cases;
  if (kernel) cases.push_back(fmt::format("a kernel changes {} in between", it));
  if (has(Unless::kKernelUses)) cases.push_back(fmt::format("a kernel uses {}", it));
  if (has(Unless::kHostWantsRestore)) {
    cases.push_back(fmt::format("the host changes its own copy and wants {} restored", it));
  }
  if (!cases.empty()) {
    text += fmt::format("it stays needed where {}\n", fmt::join(cases, ", or "));
  }
  if (has(Unless::kMadeAnew)) {
    text +=
        "if the program makes any of these anew each time, or only later, make it once, before "
        "all this\n";
  }
  if (has(Unless::kNoPass)) {
    text +=
        "if the loop may have no pass, write to instead of alloc: what comes back after it has not "
        "been filled then\n";
  }
  return text;
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

std::string advice_text(const Finding& finding) {
  std::string text = notes_of(finding);
  bool has_condition = false;
  const Edit* before = nullptr;
  for (const Edit& edit : finding.edits) {
    const bool goes_on = before != nullptr && edit.when == EditWhen::kKernelChanged &&
                         before->when == EditWhen::kKernelChanged && before->kind == edit.kind;
    const bool of_host = edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged;
    text += edit_text(finding, edit, lead_of(edit, !has_condition, goes_on));
    has_condition = has_condition || of_host;
    if (is_last_of_data(edit)) {
      text += "write release instead of from for what the host does not read from then on\n";
    }
    before = &edit;
  }
  text += unless_text(finding);
  text += unreached_text(finding);
  for (const std::string& remark : remarks_of(finding)) text += remark + '\n';
  if (text.ends_with('\n')) text.pop_back();
  return is_fortran_source(finding.file) ? in_fortran(finding.file, std::move(text)) : text;
}

}  // namespace ompdm::report
