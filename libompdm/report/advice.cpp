#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ompdm/report.h"
#include "report/fortran_wording.h"
#include "report/pragma.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditClause;
using analysis::EditData;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using analysis::Unless;
using Side = Anchor::Side;

std::string places_text(const std::vector<analysis::SourcePlace>& places) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const analysis::SourcePlace& place : places) {
    std::string text = place_text(place);
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return texts.empty() ? "that place" : spoken_list(texts);
}

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
    text += fmt::format("{}map({}: {})", text.empty() ? "" : " ", clause.kind, clause_list(items));
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
  return fmt::format("{} at {}", text, places_text(edit.anchor.places));
}

/// "before the loop at heat.cpp:54, in solve".
std::string around_loop(const Edit& edit) {
  const bool is_loop = edit.anchor.of == Anchor::Of::kLoop;
  switch (edit.anchor.side) {
    case Side::kWithin:
    case Side::kAt:
      return is_loop ? "in the loop" : "between these calls";
    case Side::kAfter:
      return is_loop ? "after the loop" : "after these calls";
    case Side::kBefore:
      break;
  }
  const analysis::SourcePlace& place = edit.anchor.places.front();
  if (place.file.empty()) return "before " + edit.anchor.words;
  return fmt::format("before {} at {}{}", is_loop ? "the loop" : "the calls repeated",
                     place_text(place), place.function.empty() ? "" : ", in " + place.function);
}

std::string where_of(const Edit& edit) {
  const Anchor& anchor = edit.anchor;
  switch (anchor.of) {
    case Anchor::Of::kLoop:
    case Anchor::Of::kCalls:
      return around_loop(edit);
    case Anchor::Of::kUses:
      return anchor.side == Side::kBefore ? "before its first use" : "after its last use";
    case Anchor::Of::kStay:
      if (anchor.side == Side::kWithin) return "in between";
      return fmt::format(anchor.side == Side::kBefore ? fmt::runtime("before {} for the first time")
                                                      : fmt::runtime("after {} for the last time"),
                         places_text(anchor.places));
    case Anchor::Of::kDirective:
      break;
  }
  constexpr const char* kSides[] = {"at", "before", "within", "after"};
  return fmt::format("{} {}", kSides[static_cast<std::size_t>(anchor.side)],
                     places_text(anchor.places));
}

std::size_t count_of(const Edit& edit) {
  std::size_t count = 0;
  for (const EditClause& clause : edit.clauses) count += clause.data.size();
  return count;
}

/// What has to be said before an inserted directive; `goes_on` with that of the edit before it.
std::string lead_of(const Edit& edit, bool is_first_condition, bool goes_on) {
  const bool is_one = count_of(edit) == 1;
  const char* alone = is_one ? "" : ", for that one alone";
  switch (edit.when) {
    case EditWhen::kEachTime:
      return fmt::format("each time {}{}, unless its if() is false", where_of(edit),
                         edit.devices.size() == 1 && edit.devices.front() != 0
                             ? fmt::format(" on device {}", edit.devices.front())
                             : std::string());
    case EditWhen::kHostUses:
    case EditWhen::kHostChanged: {
      const bool uses = edit.when == EditWhen::kHostUses;
      return fmt::format(
          "{}, wherever the host {}{} {}, {} that{}", where_of(edit),
          is_first_condition ? "(or a target region whose if() is false) " : "",
          uses ? "reads or changes" : "has changed", is_one ? "this" : "one of these",
          uses || edit.anchor.of == Anchor::Of::kDirective ? "before" : "after", alone);
    }
    case EditWhen::kKernelChanged:
      if (goes_on) return fmt::format("and after that directive's end{}", alone);
      return fmt::format(
          "if a kernel of {} changes what the map(to:) or map(alloc:) there names (or "
          "omp_target_memcpy does), {} that directive{}",
          places_text(edit.anchor.places),
          edit.anchor.side == Side::kBefore ? "before" : "after the end of", alone);
    default:
      break;
  }
  return where_of(edit) +
         (edit.after_taskwait ? ", and after the taskwait for what is nowait there" : "");
}

std::string insert_text(const Finding& finding, const Edit& edit, const std::string& lead) {
  if (edit.directive == Directive::kApi) return lead + ", call omp_target_free\n";
  const Pragmas pragmas(finding);
  std::string text;
  const std::string words = pragmas.in_words(edit);
  if (!words.empty()) text += fmt::format("{}, {}\n", lead, words);
  const std::string plain = pragmas.plain(edit);
  if (!plain.empty()) text += fmt::format("{}, write\n  {}\n", lead, plain);
  const std::string own = pragmas.of_this(edit);
  if (own.empty()) return text;
  // An update stands beside a directive that names the object's members already.
  const bool is_update = edit.directive == Directive::kTargetUpdate;
  return text + fmt::format("{}{}, write\n  {}\n", lead,
                            is_update ? "" : ", in a member function called once for each object",
                            own);
}

std::string remove_text(const Finding& finding, const Edit& edit) {
  if (edit.directive == Directive::kApi) {
    return fmt::format("drop this allocation at {}, or make it where a kernel needs it\n",
                       places_text(edit.anchor.places));
  }
  std::string text = "drop " + directive_there(finding, edit);
  if (edit.when == EditWhen::kNothingThere)
    text += ": it found nothing there so far, and now would";
  if (edit.when == EditWhen::kKernelFollows) {
    text += ", or move it to just before the kernel that reads it";
  }
  return text + '\n';
}

std::string guard_text(const Finding& finding, const Edit& edit) {
  const std::string places = places_text(edit.anchor.places);
  const bool is_call = edit.directive == Directive::kApi;
  switch (edit.when) {
    case EditWhen::kNothingThere:
      return fmt::format(
          "where {} found nothing there so far ({} of {} instances), do not reach it: it now "
          "would\n",
          directive_there(finding, edit), edit.instances, edit.of);
    case EditWhen::kKernelFollows:
      if (is_call) return fmt::format("copy at {} only what a kernel will read\n", places);
      return fmt::format(
          "{} is needed at {} in {} of {} transfers: leave it out where no kernel "
          "follows\n",
          spoken_list(expressions_of(finding, edit)), places, edit.of - edit.instances, edit.of);
    case EditWhen::kKernelChanged:
      if (is_call)
        return fmt::format("copy back at {} only what a kernel may have changed\n", places);
      return fmt::format("reach {} only after a kernel that may have changed the data\n",
                         directive_there(finding, edit));
    case EditWhen::kHostUses:
      return fmt::format("reach {} only where the host reads what it brings\n",
                         directive_there(finding, edit));
    default:
      break;
  }
  if (is_call) return fmt::format("copy at {} only after the host has changed the data\n", places);
  return fmt::format(
      "reach {} only after the host's copy has changed, by the host or by what another device "
      "brought back, or where a kernel has changed what must be restored{}\n",
      directive_there(finding, edit),
      edit.instances == edit.of ? "; drop it if neither ever happens" : "");
}

std::string replace_text(const Finding& finding, const Edit& edit) {
  const std::string places = places_text(edit.anchor.places);
  const std::string clauses = clauses_text(finding, edit);
  if (clauses.empty()) {
    return fmt::format("at {}, write map(release:) instead of map(delete:) for these\n", places);
  }
  return fmt::format(
      "at {}, write {}{}\n", places, clauses,
      edit.directive == Directive::kTargetExitData ? " instead of map(from: ...)" : "");
}

std::string edit_text(const Finding& finding, const Edit& edit, const std::string& lead) {
  switch (edit.kind) {
    case EditKind::kInsert:
      return insert_text(finding, edit, lead);
    case EditKind::kReplace:
      return replace_text(finding, edit);
    case EditKind::kLeaveOut:
      return fmt::format(
          "at {}, leave {} out of the map clauses, or the directive if it maps nothing else\n",
          places_text(edit.anchor.places), spoken_list(expressions_of(finding, edit)));
    case EditKind::kRemove:
      return remove_text(finding, edit);
    case EditKind::kGuard:
      return guard_text(finding, edit);
    case EditKind::kKeep:
      if (edit.clauses.empty()) break;
      return fmt::format(
          "at {}, leave the map clauses as they are: they then allocate nothing, and copy all the "
          "same (always)\n",
          places_text(edit.anchor.places));
  }
  return fmt::format(
      "at {}, leave the map clauses as they are: they then find the data present and move "
      "nothing\n",
      places_text(edit.anchor.places));
}

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
  if (kernel || has(Unless::kHostWantsRestore)) {
    text += "it stays needed where, in another run, ";
    if (kernel) text += fmt::format("a kernel changes {} in between", it);
    if (has(Unless::kHostWantsRestore)) {
      text += fmt::format("{}the host changes its own copy and wants {} restored",
                          kernel ? ", or " : "", it);
    }
    text += '\n';
  }
  if (has(Unless::kMadeAnew)) {
    text +=
        "if the program makes any of these anew each time, or only later, make it once, before "
        "all this\n";
  }
  return text;
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
  for (const std::string& remark : finding.remarks) text += remark + '\n';
  if (text.ends_with('\n')) text.pop_back();
  return is_fortran_source(finding.file) ? in_fortran(finding.file, std::move(text)) : text;
}

}  // namespace ompdm::report
