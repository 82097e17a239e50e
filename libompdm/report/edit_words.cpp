#include "report/edit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "report/pragma.h"
#include "report/units.h"

namespace ompdm::report {

std::string loop_text(const analysis::facts::LoopPlace& loop) {
  if (loop.place.file.empty()) return {};
  const std::string& function = loop.place.function;
  return fmt::format("{} {}{}", loop.is_calls ? "the calls repeated at" : "the loop at",
                     place_text(loop.place), function.empty() ? "" : " in " + function);
}

std::string loop_text(const analysis::UnplacedLoop& loop) {
  const std::string name = loop.innermost ? "the innermost loop" : "the loop";
  const std::string places = places_text(loop.runs);
  const std::string runs = fmt::format("{} that runs {}", name, places);
  const std::string& function = loop.in.function;
  if (function.empty()) return runs + " (it may be in a calling function)";
  const std::string called = spoken_list(loop.called);
  if (loop.recurses) {
    const analysis::SourcePlace& from = loop.caller;
    return fmt::format("the call of {}{}, which calls itself", function,
                       from.function.empty() || from.line == 0
                           ? std::string()
                           : fmt::format(" at {} in {}", place_text(from), from.function));
  }
  if (loop.is_there) {
    const std::string& path = loop.in.file;
    const std::string where =
        path.empty() ? function
                     : fmt::format("{} ({})", function, path.substr(path.rfind('/') + 1));
    if (called.empty()) return fmt::format("{} in {} that runs {}", name, where, places);
    return fmt::format("{} in {} that calls {}, which {} {}", name, where, called,
                       loop.called.size() == 1 ? "runs" : "run", places);
  }
  const std::string inside =
      called.empty() ? function : fmt::format("{}, which calls {}", function, called);
  const analysis::SourcePlace& caller = loop.caller;
  if (caller.function.empty()) return fmt::format("{} (in {}, or in what calls it)", runs, inside);
  return fmt::format("{} (in {}, or in {}, which calls {}{})", runs, inside, caller.function,
                     function,
                     !caller.file.empty() && caller.line > 0 ? " at " + place_text(caller) : "");
}

std::vector<std::string> by_order_sentences(Analyses analyses) {
  using Why = analysis::ByOrder::Why;
  std::vector<std::string> lines;
  for (const analysis::Analysis& one : analyses) {
    for (const analysis::Iteration& row : one.iterations) {
      const analysis::ByOrder& by_order = row.by_order;
      if (by_order.why == Why::kNot) continue;
      const std::string why =
          by_order.why == Why::kNoCalls ? "it is not known which calls led to some directives"
          : by_order.function.empty()
              ? "code that led to directives cannot be followed"
              : fmt::format("the code of {} cannot be followed", by_order.function);
      const std::string line = "(by order): " + why;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

namespace {

/// As places_text(); "that place" if there are none.
std::string these_places(const std::vector<analysis::SourcePlace>& places);

/// Whether an edit takes one of so much data at a time that a list of it is none to copy.
bool is_long_choice(const analysis::Edit& edit);

/// What an edit takes one at a time: "u", "one of u, v and o (in blur)"; "one of these" where that
/// is all of much data, or has no name.
std::string choice_of(const analysis::Finding& finding, const analysis::Edit& edit);

/// Where an inserted directive goes, and on what it depends. `choice`: what it takes, one at a time
/// ("one of u and v"). `goes_on`: it belongs to the one before it.
std::string lead_of(const analysis::Edit& edit, const std::string& choice = {},
                    bool goes_on = false);

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
      const std::string which = is_long_choice(edit) ? fmt::format(" ({})", choice) : std::string();
      // Where a mapping ends that only sent, what a kernel had changed in it was dropped.
      return before ? fmt::format(
                          "if a kernel changes what a map(to:) or map(alloc:) of its own "
                          "directive names, at {}, a change that was dropped so far: before "
                          "that{}{}",
                          places, alone, which)
                    : fmt::format(
                          "if a kernel (or omp_target_memcpy) changes what a map(to:) or "
                          "map(alloc:) that ends at {} "
                          "names, a change that was dropped so far: after that{}{}",
                          places, alone, which);
    }
    default:
      break;
  }
  return where_of(edit) +
         (edit.after_taskwait ? ", and after the taskwait for what is nowait there" : "");
}

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
  const char* instead = edit.directive == Directive::kTargetExitData
                            ? " instead of map(from:)"
                            : " instead of the map clause that is there";
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
