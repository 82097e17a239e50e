// How far the statements of a source go.
#include <algorithm>
#include <cctype>

#include "code_text.h"

namespace ompdm::e2e {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::size_t CodeText::skip_blanks(std::size_t at) const {
  while (at < code_.size() && is_space(code_[at])) ++at;
  return at;
}

std::string_view CodeText::word_at(std::size_t at) const {
  std::size_t end = at;
  while (end < code_.size() && is_word(code_[end])) ++end;
  return std::string_view(code_).substr(at, end - at);
}

/// Behind the bracket that closes this one.
std::size_t CodeText::closing(std::size_t opening) const {
  int depth = 0;
  for (std::size_t at = opening; at < code_.size(); ++at) {
    const char c = code_[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) return at + 1;
  }
  return code_.size();
}

std::size_t CodeText::end_of_statement(std::size_t at) const {
  at = skip_blanks(at);
  if (at >= code_.size()) return code_.size();
  if (code_[at] == '{') return closing(at);
  const std::string_view word = word_at(at);
  std::size_t next = skip_blanks(at + word.size());
  if (word == "if" || word == "for" || word == "while" || word == "switch") {
    const std::size_t open = code_.find('(', next);
    if (open == std::string::npos) return code_.size();
    const std::size_t end = end_of_statement(closing(open));
    const std::size_t other = skip_blanks(end);
    return word == "if" && word_at(other) == "else" ? end_of_statement(other + 4) : end;
  }
  if (word == "do") {
    const std::size_t end = code_.find(';', end_of_statement(next));
    return std::min(end, code_.size() - 1) + 1;
  }
  if (word == "try") {
    std::size_t end = closing(next);
    while (word_at(skip_blanks(end)) == "catch") {
      end = end_of_statement(closing(code_.find('(', end)));
    }
    return end;
  }
  const bool is_label =
      !word.empty() && next + 1 < code_.size() && code_[next] == ':' && code_[next + 1] != ':';
  if (is_label) return end_of_statement(next + 1);
  while (at < code_.size() && code_[at] != ';' && code_[at] != '}') {
    const bool opens = code_[at] == '(' || code_[at] == '[' || code_[at] == '{';
    at = opens ? closing(at) : at + 1;
  }
  return std::min(at + 1, code_.size());
}

const PragmaLine* CodeText::governing_before(std::size_t at) const {
  for (const PragmaLine& pragma : pragmas_) {
    if (!pragma.governs || pragma.extent.end > at) continue;
    const std::size_t next = skip_blanks(pragma.extent.end);
    // Pragmas in between are blanks too.
    if (next < at) continue;
    const bool is_next = std::ranges::none_of(pragmas_, [&](const PragmaLine& other) {
      return other.extent.begin > pragma.extent.begin && other.extent.begin < at;
    });
    if (is_next) return &pragma;
  }
  return nullptr;
}

std::optional<Extent> CodeText::loop_at(int number) const {
  Extent wanted = line(number);
  // A worksharing loop may be told at the line of its pragma.
  const PragmaLine* worksharing = pragma_at(number);
  if (worksharing != nullptr && worksharing->governs) {
    const std::size_t begin = skip_blanks(worksharing->extent.end);
    wanted = {begin, begin + 1};
  }
  std::vector<Extent> loops;
  for (std::size_t at = 0; at < wanted.end; ++at) {
    if (!is_word(code_[at]) || (at > 0 && is_word(code_[at - 1]))) continue;
    const std::string_view word = word_at(at);
    if (word != "for" && word != "while") continue;
    const std::size_t open = skip_blanks(at + word.size());
    if (open >= code_.size() || code_[open] != '(') continue;
    const std::size_t end = closing(open);
    // The end of a `do` is not a loop's head.
    const bool is_end =
        word == "while" && code_[std::min(skip_blanks(end), code_.size() - 1)] == ';';
    if (end > wanted.begin && !is_end) loops.push_back({at, end_of_statement(at)});
  }
  if (loops.size() != 1) return std::nullopt;
  Extent loop = loops.front();
  for (const PragmaLine* pragma = governing_before(loop.begin); pragma != nullptr;
       pragma = governing_before(loop.begin)) {
    loop.begin = pragma->extent.begin;
  }
  return loop;
}

Extent CodeText::statement_of(const PragmaLine& pragma) const {
  if (!pragma.governs) return pragma.extent;
  return {pragma.extent.begin, end_of_statement(pragma.extent.end)};
}

Extent CodeText::statement_at(int number) const {
  if (const PragmaLine* pragma = pragma_at(number)) return statement_of(*pragma);
  const std::size_t begin = skip_blanks(line(number).begin);
  return {begin, end_of_statement(begin)};
}

std::optional<Extent> CodeText::statement_with(std::string_view text) const {
  const std::size_t at = text_.find(text);
  if (at == std::string::npos) return std::nullopt;
  return statement_at(line_of(at));
}

bool CodeText::is_in_block(std::size_t statement) const {
  if (governing_before(statement) != nullptr) return false;
  std::size_t at = statement;
  while (at > 0 && is_space(code_[at - 1])) --at;
  return at == 0 || std::string_view(";{}:").find(code_[at - 1]) != std::string_view::npos;
}

/// Whether a brace is that of a function, and not of a namespace or type.
bool CodeText::opens_function(std::size_t brace) const {
  std::size_t begin = brace;
  while (begin > 0 && std::string_view(";{}").find(code_[begin - 1]) == std::string_view::npos) {
    --begin;
  }
  const Extent head = {begin, brace};
  for (const char* word : {"namespace", "class", "struct", "union", "enum"}) {
    // A function may return one: then it has parameters.
    if (has_word(head, word))
      return code_.substr(begin, brace - begin).find('(') != std::string::npos;
  }
  return !has_word(head, "extern");
}

Extent CodeText::function_around(std::size_t at) const {
  for (std::size_t brace = code_.find('{'); brace < at; brace = code_.find('{', brace + 1)) {
    const std::size_t end = closing(brace);
    if (end > at && opens_function(brace)) return {brace + 1, end - 1};
  }
  return {0, text_.size()};
}

/// Of a bracket that opens a lambda's captures, the end of its body; else of the bracket.
std::size_t CodeText::end_of_lambda(std::size_t opening) const {
  std::size_t before = opening;
  while (before > 0 && is_space(code_[before - 1])) --before;
  const std::size_t end = closing(opening);
  const char last = before == 0 ? ';' : code_[before - 1];
  if (is_word(last) || last == ')' || last == ']') return end;
  std::size_t body = skip_blanks(end);
  if (body < code_.size() && code_[body] == '(') body = skip_blanks(closing(body));
  return body < code_.size() && code_[body] == '{' ? closing(body) : end;
}

std::vector<Extent> CodeText::returns_in(Extent extent) const {
  std::vector<Extent> found;
  for (std::size_t at = extent.begin; at < extent.end; ++at) {
    if (code_[at] == '[') at = end_of_lambda(at) - 1;
    if (!is_word(code_[at]) || is_word(code_[at - 1]) || word_at(at) != "return") continue;
    found.push_back({at, end_of_statement(at)});
  }
  return found;
}

}  // namespace ompdm::e2e
