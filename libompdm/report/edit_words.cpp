#include "report/edit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/advice.h"
#include "report/loop_words.h"
#include "report/pragma.h"

namespace ompdm::report {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditClause;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using Side = Anchor::Side;

/// The kind of a clause that is no map clause.
constexpr std::string_view kFirstprivate = "firstprivate";

std::string these_places(const std::vector<analysis::SourcePlace>& places) {
  return places.empty() ? "that place" : places_text(places);
}

std::vector<std::string> expressions_of(const Finding& finding, const Edit& edit) {
  std::vector<std::string> items;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
  }
  return items;
}

/// "map(to: a) map(alloc: b)"; "firstprivate(n)".
std::string clauses_text(const Finding& finding, const Edit& edit) {
  std::string text;
  for (const EditClause& clause : edit.clauses) {
    std::vector<std::string> items;
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
    if (items.empty()) continue;
    if (!text.empty()) text += ' ';
    text += clause.kind == kFirstprivate
                ? fmt::format("{}({})", kFirstprivate, clause_list(items))
                : fmt::format("map({}: {})", clause.kind, clause_list(items));
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

/// "before the loop at heat.cpp:54, in solve".
std::string around_loop(const Edit& edit) {
  const bool is_loop = edit.anchor.of == Anchor::Of::kLoop;
  switch (edit.anchor.side) {
    case Side::kWithin:
    case Side::kAt:
      return is_loop ? "in the loop" : "between these calls";
    case Side::kAfter:
      return is_loop ? "after the loop, however it is left" : "after these calls";
    case Side::kBefore:
      break;
  }
  return "before " +
         (edit.anchor.unplaced
              ? loop_text(*edit.anchor.unplaced)
              : loop_text(analysis::facts::LoopPlace{edit.anchor.places.front(), !is_loop}));
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
                         these_places(anchor.places));
    case Anchor::Of::kDirective:
      break;
  }
  constexpr const char* kSides[] = {"at", "before", "within", "after"};
  return fmt::format("{} {}", kSides[static_cast<std::size_t>(anchor.side)],
                     these_places(anchor.places));
}

std::size_t count_of(const Edit& edit) {
  std::size_t count = 0;
  for (const EditClause& clause : edit.clauses) count += clause.data.size();
  return count;
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
                       these_places(edit.anchor.places));
  }
  std::string text = "drop " + directive_there(finding, edit);
  if (edit.when == EditWhen::kNothingThere)
    text += ": it found nothing there so far, and now would";
  if (edit.when == EditWhen::kKernelFollows) {
    text += ", or move it to just before the kernel that reads it";
  }
  return text + '\n';
}

std::string leave_out_text(const Finding& finding, const Edit& edit) {
  const std::vector<std::string> items = expressions_of(finding, edit);
  const bool was_idle = edit.when == EditWhen::kNothingThere;
  return fmt::format("at {}, leave {} out of the clauses{}\n", these_places(edit.anchor.places),
                     spoken_list(items),
                     !was_idle           ? ", or the directive if it names nothing else"
                     : items.size() == 1 ? ": it was not there so far, and now would be"
                                         : ": they were not there so far, and now would be");
}

std::string guard_text(const Finding& finding, const Edit& edit) {
  const std::string places = these_places(edit.anchor.places);
  const bool is_call = edit.directive == Directive::kApi;
  switch (edit.when) {
    case EditWhen::kNothingThere:
      if (!edit.clauses.empty()) {
        return fmt::format(
            "at {}, leave {} out of the clauses where that was not there so far ({} of {} "
            "instances): it now would be\n",
            places, spoken_list(expressions_of(finding, edit)), edit.instances, edit.of);
      }
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
      "reach {} only where, since the device had it last, the host's copy has changed (by the "
      "host, "
      "or by what another device brought back) or a kernel has changed what must be restored{}\n",
      directive_there(finding, edit),
      edit.instances == edit.of ? "; drop it if neither ever happens" : "");
}

std::string replace_text(const Finding& finding, const Edit& edit) {
  const std::string places = these_places(edit.anchor.places);
  const std::string clauses = clauses_text(finding, edit);
  if (clauses.empty()) {
    return fmt::format("at {}, write map(release:) instead of map(delete:) for these\n", places);
  }
  if (edit.clauses.front().kind == kFirstprivate) {
    return fmt::format(
        "at {}, write {} instead of map(...), or no clause: scalars are firstprivate by default\n",
        places, clauses);
  }
  return fmt::format(
      "at {}, write {}{}\n", places, clauses,
      edit.directive == Directive::kTargetExitData ? " instead of map(from: ...)" : "");
}

}  // namespace

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
      return fmt::format("{}, wherever the host {}{}, {} that{}", where_of(edit),
                         is_first_condition ? "(or a target region whose if() is false) " : "",
                         fmt::format(uses ? fmt::runtime("reads {} or changes a part of it")
                                          : fmt::runtime("has changed {}"),
                                     is_one ? "this" : "one of these"),
                         uses || edit.anchor.of == Anchor::Of::kDirective ? "before" : "after",
                         alone);
    }
    case EditWhen::kKernelChanged: {
      const std::string places = these_places(edit.anchor.places);
      if (goes_on) return fmt::format("and after the end of {}{}", places, alone);
      const bool before = edit.anchor.side == Side::kBefore;
      return fmt::format(
          "if a kernel (or omp_target_memcpy) changes what a map(to:) or map(alloc:) {} {} names, "
          "{} "
          "that{}",
          before ? "at" : "that ends at", places, before ? "before" : "after", alone);
    }
    default:
      break;
  }
  return where_of(edit) +
         (edit.after_taskwait ? ", and after the taskwait for what is nowait there" : "");
}

std::string edit_text(const Finding& finding, const Edit& edit, const std::string& lead) {
  switch (edit.kind) {
    case EditKind::kInsert:
      return insert_text(finding, edit, lead);
    case EditKind::kReplace:
      return replace_text(finding, edit);
    case EditKind::kLeaveOut:
      return leave_out_text(finding, edit);
    case EditKind::kRemove:
      return remove_text(finding, edit);
    case EditKind::kGuard:
      return guard_text(finding, edit);
    case EditKind::kKeep:
      if (edit.clauses.empty()) break;
      return fmt::format(
          "at {}, leave the map clauses as they are: they then allocate nothing, and copy all the "
          "same (always)\n",
          these_places(edit.anchor.places));
  }
  return fmt::format(
      "at {}, leave the map clauses as they are: they then find the data present and move "
      "nothing\n",
      these_places(edit.anchor.places));
}

}  // namespace ompdm::report
