#include "report/edit_lead.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
using analysis::EditData;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using Side = Anchor::Side;

/// "before the loop at heat.cpp:54 in solve".
std::string around_loop(const Edit& edit) {
  const bool is_loop = edit.anchor.of == Anchor::Of::kLoop;
  switch (edit.anchor.side) {
    case Side::kWithin:
    case Side::kAt:
      return is_loop ? "in the loop" : "between these calls";
    case Side::kAfter:
      if (edit.anchor.all_entries) return "after the loop is left for the last time";
      return is_loop ? "after the loop, however it is left" : "after these calls";
    case Side::kBefore:
      break;
  }
  const std::string loop =
      edit.anchor.unplaced
          ? loop_text(*edit.anchor.unplaced)
          : loop_text(analysis::facts::LoopPlace{edit.anchor.places.front(), !is_loop});
  return "before " + loop +
         (edit.anchor.all_entries ? " is entered for the first time" : std::string());
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

/// "delv", of "delv[0:n]".
std::string bare_name(const std::string& expression) {
  return expression.substr(0, expression.find('['));
}

}  // namespace

std::string these_places(const std::vector<analysis::SourcePlace>& places) {
  return places.empty() ? "that place" : places_text(places);
}

bool is_long_choice(const Edit& edit) { return is_condition(edit) && count_of(edit) > kMostListed; }

std::string choice_of(const Finding& finding, const Edit& edit) {
  std::map<std::string, std::size_t> uses;
  for (const EditData& data : finding.data) ++uses[bare_name(data.expression)];
  std::vector<std::string> names;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const EditData& data = finding.data[number];
      const std::string name = bare_name(data.expression);
      if (name.empty()) return count_of(edit) == 1 ? "this" : "one of these";
      names.push_back(uses[name] > 1 ? fmt::format("{} (in {})", name, data.named_at.function)
                                     : name);
    }
  }
  if (names.size() == 1) return names.front();
  std::ranges::sort(names);
  const bool is_all = names.size() == finding.data.size();
  return "one of " + (is_all && is_long_choice(edit) ? "these" : spoken_list(names));
}

std::string lead_of(const Edit& edit, const std::string& choice, bool goes_on) {
  const bool is_one = count_of(edit) == 1;
  const std::string alone = is_one ? "" : ", for that one only";
  switch (edit.when) {
    case EditWhen::kEachTime:
      return fmt::format("each time {}{}, unless its if() is false", where_of(edit),
                         edit.devices.size() == 1 && edit.devices.front() != 0
                             ? fmt::format(" on device {}", edit.devices.front())
                             : std::string());
    case EditWhen::kHostUses:
      return fmt::format(
          "where the host reads {} {}, or changes a part of it, after a kernel wrote it: before "
          "that{}",
          choice, where_of(edit), alone);
    case EditWhen::kHostChanged:
      return edit.anchor.of == Anchor::Of::kDirective
                 ? fmt::format("{}, where the host has changed {}{}", where_of(edit), choice, alone)
                 : fmt::format("where the host has changed {} {}: after that{}", choice,
                               where_of(edit), alone);
    case EditWhen::kKernelChanged: {
      const std::string places = these_places(edit.anchor.places);
      if (goes_on) return fmt::format("and after the end of {}{}", places, alone);
      const bool before = edit.anchor.side == Side::kBefore;
      return fmt::format(
          "if a kernel (or omp_target_memcpy) changes what a map(to:) or map(alloc:) {} {} names: "
          "{} that{}{}",
          before ? "at" : "that ends at", places, before ? "before" : "after", alone,
          is_long_choice(edit) ? fmt::format(" ({})", choice) : std::string());
    }
    default:
      break;
  }
  return where_of(edit) +
         (edit.after_taskwait ? ", and after the taskwait for what is nowait there" : "");
}

}  // namespace ompdm::report
