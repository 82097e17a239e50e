#include "report/pragma.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "report/advice.h"

namespace ompdm::report {

namespace {

std::string ending_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  std::string ending(dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

bool is_fixed_form(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f", "for", "ftn", "fpp", "f77"};
  return std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

bool is_fortran_source(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f90", "f95", "f03", "f08", "f18"};
  return is_fixed_form(file) || std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

std::string in_fortran(std::string text) {
  replace_all(text, "#pragma omp ", "!$omp ");
  replace_all(text, "target teams distribute parallel for", "target teams distribute parallel do");
  return text;
}

namespace {

using analysis::Edit;
using analysis::EditClause;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;

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

/// Each expression once, in alphabetical order.
std::vector<std::string> items_of(const Finding& finding, const EditClause& clause) {
  std::set<std::string> items;
  for (const std::uint32_t number : clause.data) items.insert(finding.data[number].expression);
  return {items.begin(), items.end()};
}

std::string clauses_text(const Finding& finding, const Edit& edit) {
  std::string text;
  for (const EditClause& clause : edit.clauses) {
    if (clause.data.empty()) continue;
    text += (text.empty() ? "" : " ") + clause_text(edit, clause.kind, items_of(finding, clause));
  }
  return text;
}

}  // namespace

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

std::size_t count_of(const Edit& edit) {
  std::size_t count = 0;
  for (const EditClause& clause : edit.clauses) count += clause.data.size();
  return count;
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

}  // namespace ompdm::report
