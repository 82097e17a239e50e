#include "loop_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <string_view>

#include "ompdm/report.h"
#include "source_lines.h"

namespace ompdm::cli {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditKind;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// A line without its comments; one that is in the middle of a comment is taken for empty.
std::string code_of(const std::string& line) {
  std::string code = line.substr(0, line.find("//"));
  for (std::size_t at = 0; (at = code.find("/*")) != std::string::npos;) {
    const std::size_t end = code.find("*/", at);
    code.erase(at, end == std::string::npos ? std::string::npos : end + 2 - at);
  }
  const std::string_view text = trimmed(code);
  return text.starts_with('*') && !text.ends_with(';') ? std::string() : std::string(text);
}

/// Whether a statement may stand before the one that begins in a line: another has ended there, or
/// a block has begun.
bool may_stand_before(const std::vector<std::string>& lines, std::size_t line) {
  while (line-- > 0) {
    const std::string code = code_of(lines[line]);
    if (code.empty()) continue;
    if (code.starts_with('#')) return !code.starts_with("#pragma") && !code.ends_with('\\');
    return code.ends_with(';') || code.ends_with('{') || code.ends_with('}');
  }
  return false;
}

/// The last line of the loop that begins in a line; the last of all where its end is not found.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t loop, std::size_t least) {
  int parentheses = 0;
  int braces = 0;
  for (std::size_t line = loop; line < lines.size(); ++line) {
    const std::string code = code_of(lines[line]);
    if (code.starts_with('#')) continue;
    for (const char c : code) {
      if (c == '(') ++parentheses;
      if (c == ')') --parentheses;
      if (c == '{') ++braces;
      if (c == '}') --braces;
      const bool is_end = (c == '}' || c == ';') && braces <= 0 && parentheses <= 0;
      if (is_end && line >= least) return line;
    }
  }
  return lines.size() - 1;
}

/// Whether code declares the name, gives it another value, or hands out its address.
bool sets(const std::string& code, const std::string& name, bool is_fortran) {
  const std::string set =
      is_fortran
          ? fmt::format(R"(\b{}\s*=>?[^=])", name)
          : fmt::format(R"(\b{0}\s*(=[^=]|[-+*/%&|^]=|<<=|>>=|\+\+|--)|(\+\+|--)\s*{0}\b|)"
                        R"([(,=]\s*&\s*{0}\b(?!\s*[\[.(-])|)"
                        R"(\b(?!return\b|else\b|case\b|goto\b|delete\b)\w+[\s*&]+{0}\s*(;|\{{|\()|)"
                        R"(>\s*[&*]*\s*{0}\s*(\{{|\())",
                        name);
  const auto how = is_fortran ? std::regex::ECMAScript | std::regex::icase : std::regex::ECMAScript;
  return std::regex_search(code, std::regex(set, how));
}

/// The identifiers of an expression, but for fields: "u", "n" of "u[0:n]".
std::set<std::string> names_in(const std::string& expression) {
  static const std::regex kName(R"([A-Za-z_]\w*)");
  std::set<std::string> names;
  for (std::sregex_iterator at(expression.begin(), expression.end(), kName), end; at != end; ++at) {
    names.insert(at->str());
  }
  return names;
}

bool fits(const SourceLines& sources, const analysis::Finding& finding, const Edit& edit) {
  const analysis::SourcePlace& loop = edit.anchor.places.front();
  const std::vector<std::string>& lines = sources.of(loop.file);
  std::vector<int> directives;
  std::set<std::string> names;
  for (const analysis::EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const analysis::EditData& data = finding.data[number];
      directives.push_back(data.named_at.line);
      names.merge(names_in(data.expression));
    }
  }
  return fits_around(lines, loop.line, directives, names, report::is_fortran_source(loop.file));
}

}  // namespace

bool fits_around(const std::vector<std::string>& lines, int loop,
                 const std::vector<int>& directives, const std::set<std::string>& names,
                 bool is_fortran) {
  static const std::regex kLoop(R"(^(for|while|do)\b.*)");
  static const std::regex kFortranLoop(R"(^(\w+\s*:\s*)?do\b.*)", std::regex::icase);
  if (loop < 1 || static_cast<std::size_t>(loop) > lines.size() || directives.empty()) return false;
  const auto head = static_cast<std::size_t>(loop) - 1;
  const auto last = static_cast<std::size_t>(std::ranges::max(directives)) - 1;
  if (std::ranges::min(directives) < loop || last >= lines.size()) return false;
  const std::string first = is_fortran ? std::string(trimmed(lines[head])) : code_of(lines[head]);
  if (!std::regex_match(first, is_fortran ? kFortranLoop : kLoop)) return false;
  if (!is_fortran && !may_stand_before(lines, head)) return false;
  const std::size_t end = is_fortran ? last : end_of(lines, head, last);
  if (!is_fortran && end == lines.size() - 1 && trimmed(lines[end]) != "}") return false;
  for (std::size_t line = head; line <= end; ++line) {
    const std::string code = is_fortran ? lines[line] : code_of(lines[line]);
    if (code.starts_with('#')) continue;
    const auto is_set = [&](const std::string& name) { return sets(code, name, is_fortran); };
    if (std::ranges::any_of(names, is_set)) return false;
  }
  return true;
}

void settle_begins_of_loops(Trace& trace) {
  static const std::regex kFor(R"(^(#\s*pragma\s+omp\b.*\b)?for\b.*)");
  static const std::regex kWord(R"(\b(for|while|do)\b)", std::regex::icase);
  const SourceLines sources(trace);
  for (CodeLoop& loop : trace.loops) {
    const std::vector<std::string>& lines = sources.of(loop.file);
    const auto line = static_cast<std::size_t>(std::max(loop.line, 0));
    if (loop.unrolled || line == 0 || line > lines.size()) continue;
    const std::string code = code_of(lines[line - 1]);
    if (std::regex_match(code, kFor)) loop.begin_unknown = false;
    if (!std::regex_search(code, kWord)) loop.begin_unknown = true;
  }
}

void keep_code_that_fits(analysis::Analysis& analysis) {
  const SourceLines sources(analysis);
  for (analysis::Finding& finding : analysis.findings) {
    for (Edit& edit : finding.edits) {
      const bool is_code =
          edit.kind == EditKind::kInsert && edit.in_scope && edit.anchor.of == Anchor::Of::kLoop;
      if (is_code && !fits(sources, finding, edit)) edit.in_scope = false;
    }
  }
}

}  // namespace ompdm::cli
