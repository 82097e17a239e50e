#include "report/edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "ompdm/report.h"
#include "report/source_names.h"
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
using analysis::SourcePlace;

std::string ending_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  std::string ending(dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

/// Whether a source of Fortran is in fixed form, by its ending.
bool is_fixed_form(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f", "for", "ftn", "fpp", "f77"};
  return std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

/// The parts that a line may end behind: a clause, or an item of one with its comma.
std::vector<std::string> parts_of(const std::string& code) {
  std::vector<std::string> parts;
  const std::size_t end_of_name = code.rfind(' ', code.find('('));
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ' ' || at == 0) continue;
    const bool after_item = depth == 1 && code[at - 1] == ',';
    const bool after_clause = depth == 0 && code[at - 1] == ')';
    if (!after_item && !after_clause && at != end_of_name) continue;
    parts.push_back(code.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(code.substr(begin));
  return parts;
}

/// How a line goes on in the next.
struct Continuation {
  std::string behind;  ///< the line
  std::string before;  ///< the next
  std::size_t widest;  ///< that a line of the language may be
};

Continuation continuation_of(std::string_view file) {
  constexpr std::size_t kFreeForm = 132;  // Fortran 2008, 3.3.2.1
  constexpr std::size_t kFixedForm = 72;  // 3.3.3.1: what is behind is not read
  if (!is_fortran_source(file)) return {" \\", "    ", std::string::npos};
  if (is_fixed_form(file)) return {"", "!$omp& ", kFixedForm};
  return {" &", "!$omp   ", kFreeForm};
}

std::string clause_list(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

/// "map(to: a, b)", "to(a, b)".
std::string clause_text(const Edit& edit, const std::string& kind,
                        const std::vector<std::string>& items) {
  return edit.directive == Directive::kTargetUpdate
             ? fmt::format("{}({})", kind, clause_list(items))
             : fmt::format("map({}: {})", kind, clause_list(items));
}

std::string directive_text(const Edit& edit) {
  std::string text = fmt::format("#pragma omp {}", analysis::directive_name(edit.directive));
  if (!edit.devices.empty() && edit.devices.front() != 0) {
    text += fmt::format(" device({})", edit.devices.front());
  }
  return text;
}

/// In the order of the clause.
std::vector<std::string> expressions_of(const Finding& finding, const EditClause& clause) {
  std::vector<std::string> items;
  for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
  return items;
}

std::vector<std::string> expressions_of(const Finding& finding, const Edit& edit) {
  std::vector<std::string> items;
  for (const EditClause& clause : edit.clauses) {
    std::ranges::move(expressions_of(finding, clause), std::back_inserter(items));
  }
  return items;
}

/// Each expression once, in alphabetical order.
std::vector<std::string> items_of(const Finding& finding, const EditClause& clause) {
  std::vector<std::string> items = expressions_of(finding, clause);
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  return items;
}

std::string clauses_text(const Finding& finding, const Edit& edit) {
  std::string text;
  for (const EditClause& clause : edit.clauses) {
    if (clause.data.empty()) continue;
    text += (text.empty() ? "" : " ") + clause_text(edit, clause.kind, items_of(finding, clause));
  }
  return text;
}

/// How many items the clauses of an edit have.
std::size_t count_of(const Edit& edit) {
  std::size_t count = 0;
  for (const EditClause& clause : edit.clauses) count += clause.data.size();
  return count;
}

/// As places_text(); "that place" if there are none.
std::string these_places(const std::vector<SourcePlace>& places) {
  return places.empty() ? "that place" : places_text(places);
}

/// "before the loop at heat.cpp:54 in solve".
std::string around_loop(const Edit& edit) {
  const bool is_loop = edit.anchor.of == Anchor::Of::kLoop;
  const bool all_entries = edit.anchor.all_entries;
  if (edit.anchor.side == Anchor::Side::kAfter) {
    if (all_entries) return "after the loop is left for the last time";
    return is_loop ? "after the loop, however it is left" : "after these calls";
  }
  if (edit.anchor.side != Anchor::Side::kBefore) {
    return is_loop ? "in the loop" : "between these calls";
  }
  const std::string loop =
      edit.anchor.unplaced
          ? loop_text(*edit.anchor.unplaced)
          : loop_text(analysis::facts::LoopPlace{edit.anchor.places.front(), !is_loop});
  return fmt::format("before {}{}", loop, all_entries ? " is entered for the first time" : "");
}

/// "before the loop at heat.cpp:54 in solve", "after heat.cpp:60 for the last time".
std::string where_of(const Edit& edit) {
  using Of = Anchor::Of;
  const Anchor& anchor = edit.anchor;
  const bool is_before = anchor.side == Anchor::Side::kBefore;
  if (anchor.of == Of::kLoop || anchor.of == Of::kCalls) return around_loop(edit);
  if (anchor.of == Of::kUses) return is_before ? "before its first use" : "after its last use";
  if (anchor.of == Of::kResidency) {
    if (anchor.side == Anchor::Side::kWithin) return "in between";
    if (anchor.in_each_lifetime) {
      return fmt::format("{} {}, for the {} time in each lifetime of the data",
                         is_before ? "before" : "after", these_places(anchor.places),
                         is_before ? "first" : "last");
    }
    return fmt::format("{} {} for the {} time", is_before ? "before" : "after",
                       these_places(anchor.places), is_before ? "first" : "last");
  }
  constexpr const char* kSides[] = {"at", "before", "within", "after"};
  return fmt::format("{} {}", kSides[static_cast<std::size_t>(anchor.side)],
                     these_places(anchor.places));
}

/// "delv", of "delv[0:n]".
std::string bare_name(const std::string& expression) {
  return expression.substr(0, expression.find('['));
}

/// Whether an edit is a condition of more items than are listed.
bool is_long_choice(const Edit& edit) { return is_condition(edit) && count_of(edit) > kMostListed; }

/// What a condition takes one at a time: "u", "one of u, v and o (in blur)"; "one of these" where
/// that is all of much data, or has no name.
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

/// Where an inserted directive goes, and on what that depends.
std::string lead_of(const Finding& finding, const Edit& edit, bool goes_on) {
  const std::string alone = count_of(edit) == 1 ? "" : ", for that one only";
  const std::string where = edit.when == EditWhen::kKernelChanged ? "" : where_of(edit);
  switch (edit.when) {
    case EditWhen::kEachTime:
      return fmt::format("each time {}{}, unless its if() is false", where,
                         edit.devices.size() == 1 && edit.devices.front() != 0
                             ? fmt::format(" on device {}", edit.devices.front())
                             : std::string());
    case EditWhen::kHostUses:
      return fmt::format(
          "where the host reads {} {}, or changes a part of it, after a kernel wrote it: before "
          "that{}",
          choice_of(finding, edit), where, alone);
    case EditWhen::kHostChanged:
      return edit.anchor.of == Anchor::Of::kDirective
                 ? fmt::format("{}, where the host has changed {}{}", where,
                               choice_of(finding, edit), alone)
                 : fmt::format("where the host has changed {} {}: after that{}",
                               choice_of(finding, edit), where, alone);
    case EditWhen::kKernelChanged: {
      const std::string places = these_places(edit.anchor.places);
      if (goes_on) return fmt::format("and after the end of {}{}", places, alone);
      const std::string which =
          is_long_choice(edit) ? fmt::format(" ({})", choice_of(finding, edit)) : std::string();
      // Where a mapping ends that only sent, what a kernel had changed in it was dropped.
      return edit.anchor.side == Anchor::Side::kBefore
                 ? fmt::format(
                       "if a kernel at {} changes data of its own map(to:) or map(alloc:), which "
                       "was dropped so far: before that{}{}",
                       places, alone, which)
                 : fmt::format(
                       "if a kernel or omp_target_memcpy changes data of a map(to:) or map(alloc:) "
                       "that ends at {}, which was dropped so far: after that{}{}",
                       places, alone, which);
    }
    default:
      break;
  }
  return where + (edit.after_taskwait ? ", and after the taskwait for nowait regions there" : "");
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

/// Whose name this is. It is a function's, or that of a directive before the edit's loop, which may
/// be in another function of the same name. Empty: the name is known at the place.
std::string owner_of(const EditData& data, const Edit& edit) {
  const SourcePlace& named_at = data.named_at;
  if (named_at.function != function_of(edit)) return named_at.function;
  if (edit.anchor.of != Anchor::Of::kLoop || edit.anchor.places.empty()) return {};
  const SourcePlace& loop = edit.anchor.places.front();
  const bool is_behind = named_at.file == loop.file && named_at.line >= loop.line;
  return loop.line == 0 || is_behind ? std::string() : place_text(named_at);
}

/// "the data that solve calls u[0:n] and v[0:n]", "the 786 KB that heat.cpp:9 maps".
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
      parts.push_back(
          fmt::format("the {} that {} maps", spoken_size(data.pieces.front()),
                      data.named_at == SourcePlace() ? "a directive" : place_text(data.named_at)));
    }
  }
  for (const std::string& owner : owners) {
    const std::string list = spoken_list(names[owner]);
    parts.push_back(owner.empty() ? list : fmt::format("the data that {} calls {}", owner, list));
  }
  return spoken_list(parts);
}

/// An insertion without code: "a target enter data on device 2 with map(to:) for the data that
/// solve calls u[0:n]".
std::string insertion_words(const Finding& finding, const Edit& edit) {
  const bool is_update = edit.directive == Directive::kTargetUpdate;
  std::vector<std::string> parts;
  for (const EditClause& clause : edit.clauses) {
    std::string kind = clause.kind;
    kind = is_update ? kind + "()" : fmt::format("map({}:)", kind);
    // The sentence of a condition names the data itself.
    if (!is_condition(edit)) kind += " for " + data_words(finding, clause, edit);
    parts.push_back(std::move(kind));
  }
  std::string device;
  if (edit.devices.size() > 1) {
    device = fmt::format(" on each of {}", devices_text(edit.devices));
  } else if (!edit.devices.empty() && edit.devices.front() != 0) {
    device = " on " + devices_text(edit.devices);
  }
  return fmt::format("a {}{} with {}", analysis::directive_name(edit.directive), device,
                     spoken_list(parts));
}

/// A sentence with its code beneath it.
std::vector<AdviceLine> with_code(std::string sentence, std::vector<std::string> code) {
  std::vector<AdviceLine> lines = {{std::move(sentence)}};
  for (std::string& line : code) lines.push_back({std::move(line), true});
  return lines;
}

std::vector<AdviceLine> insert_advice(const Finding& finding, const Edit& edit, bool goes_on) {
  const std::string lead = lead_of(finding, edit, goes_on);
  if (edit.directive == Directive::kApi) return {{lead + ", call omp_target_free"}};
  std::vector<std::string> code = code_of(finding, edit);
  if (code.empty()) return {{fmt::format("{}: {}", lead, insertion_words(finding, edit))}};
  return with_code(lead + ':', std::move(code));
}

/// "remove the target update to(a) at heat.cpp:9".
std::string remove_text(const Finding& finding, const Edit& edit) {
  std::string text = fmt::format("remove the {}", analysis::directive_name(edit.directive));
  const std::vector<std::string> items = expressions_of(finding, edit);
  if (!items.empty() && edit.directive == Directive::kTargetUpdate) {
    text += fmt::format(" {}({})", edit.clauses.front().kind, clause_list(items));
  }
  return fmt::format("{} at {}{}", text, these_places(edit.anchor.places),
                     edit.when == EditWhen::kNothingThere
                         ? ": it found nothing on the device so far, and now would"
                         : "");
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

std::vector<AdviceLine> replace_advice(const Finding& finding, const Edit& edit) {
  const std::string places = these_places(edit.anchor.places);
  if (count_of(edit) == 0) {
    return {{fmt::format("at {}, write map(release:) instead of map(delete:) for these", places)}};
  }
  std::vector<std::string> code = code_of(finding, edit);
  if (!code.empty()) {
    return with_code(
        fmt::format("at {}, write for these, and leave other items as they are:", places),
        std::move(code));
  }
  std::vector<std::string> clauses;
  for (const EditClause& clause : edit.clauses) {
    clauses.push_back(
        fmt::format("map({}:) for {}", clause.kind, spoken_list(expressions_of(finding, clause))));
  }
  return {{fmt::format("at {}, write {}, and leave other items as they are", places,
                       spoken_list(clauses))}};
}

std::string keep_text(const Edit& edit) {
  return fmt::format("leave the map clauses at {} as they are: they then {}",
                     these_places(edit.anchor.places),
                     edit.clauses.empty() ? "find this data present and do not move it"
                                          : "allocate nothing, and copy all the same (always)");
}

}  // namespace

bool is_fortran_source(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f90", "f95", "f03", "f08", "f18"};
  return is_fixed_form(file) || std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

std::string in_fortran(std::string text) {
  replace_all(text, "#pragma omp ", "!$omp ");
  replace_all(text, "target teams distribute parallel for", "target teams distribute parallel do");
  return text;
}

std::string function_of(const Edit& edit) {
  if (edit.anchor.places.empty()) return {};
  const std::string& function = edit.anchor.places.front().function;
  const bool is_one = std::ranges::all_of(
      edit.anchor.places, [&](const auto& place) { return place.function == function; });
  return is_one ? function : std::string();
}

bool is_condition(const Edit& edit) {
  return edit.kind == EditKind::kInsert &&
         (edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged ||
          edit.when == EditWhen::kKernelChanged);
}

std::vector<std::string> code_of(const Finding& finding, const Edit& edit) {
  if (!edit.in_scope || count_of(edit) == 0) return {};
  // A part of the edits by itself may change what the program does.
  const auto is_in_words = [](const Edit& one) { return !one.in_scope && !is_condition(one); };
  if (std::ranges::any_of(finding.edits, is_in_words)) return {};
  if (edit.kind == EditKind::kReplace) return {clauses_text(finding, edit)};
  if (edit.kind != EditKind::kInsert) return {};
  if (!is_condition(edit)) return {directive_text(edit) + ' ' + clauses_text(finding, edit)};
  std::vector<std::string> code;
  if (count_of(edit) > kMostListed) return code;
  for (const EditClause& clause : edit.clauses) {
    for (const std::string& item : items_of(finding, clause)) {
      code.push_back(directive_text(edit) + ' ' + clause_text(edit, clause.kind, {item}));
    }
  }
  return code;
}

std::vector<std::string> set_code(const std::string& code, std::string_view file,
                                  std::size_t width) {
  const std::string text = is_fortran_source(file) ? in_fortran(code) : code;
  const Continuation go_on = continuation_of(file);
  const std::size_t widest = std::min(width, go_on.widest);
  if (text.size() <= widest) return {text};
  std::vector<std::string> lines;
  for (const std::string& part : parts_of(text)) {
    const bool fits =
        !lines.empty() && lines.back().size() + 1 + part.size() + go_on.behind.size() <= widest;
    if (fits) {
      lines.back() += ' ' + part;
    } else {
      lines.push_back((lines.empty() ? "" : go_on.before) + part);
    }
  }
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) lines[i] += go_on.behind;
  return lines;
}

std::vector<AdviceLine> edit_advice(const Finding& finding, const Edit& edit, bool goes_on) {
  if (edit.kind == EditKind::kInsert) return insert_advice(finding, edit, goes_on);
  if (edit.kind == EditKind::kReplace) return replace_advice(finding, edit);
  if (edit.kind == EditKind::kLeaveOut) return {{leave_out_text(finding, edit)}};
  return {{edit.kind == EditKind::kRemove ? remove_text(finding, edit) : keep_text(edit)}};
}

}  // namespace ompdm::report
