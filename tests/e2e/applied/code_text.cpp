#include "code_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "pragmas/directive.h"

namespace ompdm::e2e {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Walks over a text and says where code is something else.
class Masker {
 public:
  explicit Masker(const std::string& text) : text_(text), code_(text) {}

  /// With comments and literals as blanks.
  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (c == '/' && next == '/') {
        blank_to(end_of_line(at_));
      } else if (c == '/' && next == '*') {
        blank_to(behind("*/", at_ + 2));
      } else if (c == '"') {
        is_raw() ? blank_to(end_of_raw()) : blank_to(end_of_literal('"'));
      } else if (c == '\'' && !separates_digits()) {
        blank_to(end_of_literal('\''));
      } else {
        ++at_;
      }
    }
    return std::move(code_);
  }

 private:
  [[nodiscard]] std::size_t behind(const std::string& what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string::npos ? text_.size() : found + what.size();
  }

  /// Of what a backslash carries on, the last one's.
  [[nodiscard]] std::size_t end_of_line(std::size_t from) const {
    std::size_t end = std::min(text_.find('\n', from), text_.size());
    while (end < text_.size() && text_[end - 1] == '\\') {
      end = std::min(text_.find('\n', end + 1), text_.size());
    }
    return end;
  }

  [[nodiscard]] bool is_raw() const { return at_ > 0 && text_[at_ - 1] == 'R'; }

  [[nodiscard]] std::size_t end_of_raw() const {
    const std::size_t open = text_.find('(', at_);
    return behind(')' + text_.substr(at_ + 1, open - at_ - 1) + '"', open);
  }

  [[nodiscard]] std::size_t end_of_literal(char quote) const {
    std::size_t at = at_ + 1;
    while (at < text_.size() && text_[at] != quote) at += text_[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text_.size());
  }

  /// As in 1'000, and not in u8'a'.
  [[nodiscard]] bool separates_digits() const {
    std::size_t begin = at_;
    while (begin > 0 && (is_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (code_[at_] != '\n') code_[at_] = ' ';
    }
  }

  const std::string& text_;
  std::string code_;
  std::size_t at_ = 0;
};

bool begins_with(const std::string& text, std::initializer_list<const char*> beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* one) { return text.starts_with(one); });
}

bool governs(const std::string& pragma) {
  if (begins_with(pragma, {"clang loop", "unroll", "nounroll", "GCC ivdep", "GCC unroll"})) {
    return true;
  }
  return pragma.starts_with("omp ") && !pragmas::stands_alone(pragma);
}

/// "omp target map(...)" of a pragma with its hash, continuations and blanked comments.
std::string in_one_line(std::string code) {
  std::string line;
  for (const char c : code.substr(code.find("pragma") + 6)) {
    const bool is_blank = is_space(c) || c == '\\';
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    line += is_blank ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

CodeText::CodeText(std::string text) : text_(std::move(text)) {
  find_lines();
  mask();
}

void CodeText::find_lines() {
  lines_.push_back(0);
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (text_[at] == '\n') lines_.push_back(at + 1);
  }
}

void CodeText::mask() {
  code_ = Masker(text_).run();
  // Of the original text a line goes on behind a backslash, even where that is in a comment.
  for (std::size_t number = 1; number <= lines_.size(); ++number) {
    const std::size_t begin = skip_blanks(lines_[number - 1]);
    if (begin >= code_.size() || code_[begin] != '#') continue;
    if (begin >= line(static_cast<int>(number)).end) continue;
    std::size_t last = number;
    while (last < lines_.size() && lines_[last] >= 2 && text_[lines_[last] - 2] == '\\') ++last;
    const Extent extent = {begin, line(static_cast<int>(last)).end};
    const std::string code = code_.substr(begin, extent.end - begin);
    const std::size_t word = code.find_first_not_of(" \t", 1);
    if (word != std::string::npos && code.compare(word, 6, "pragma") == 0) {
      const std::string text = in_one_line(code);
      pragmas_.push_back({extent, text, governs(text)});
    }
    for (std::size_t at = begin; at < extent.end; ++at) {
      if (code_[at] != '\n') code_[at] = ' ';
    }
    number = last;
  }
}

int CodeText::line_of(std::size_t at) const {
  return static_cast<int>(std::ranges::upper_bound(lines_, at) - lines_.begin());
}

Extent CodeText::line(int number) const {
  const auto index = static_cast<std::size_t>(number);
  if (number < 1 || index > lines_.size()) return {text_.size(), text_.size()};
  return {lines_[index - 1], index < lines_.size() ? lines_[index] - 1 : text_.size()};
}

const PragmaLine* CodeText::pragma_at(int number) const {
  const Extent wanted = line(number);
  for (const PragmaLine& pragma : pragmas_) {
    if (pragma.extent.begin <= wanted.end && wanted.begin < pragma.extent.end) return &pragma;
  }
  return nullptr;
}

bool CodeText::has_word(Extent extent, std::string_view word) const {
  for (std::size_t at = code_.find(word, extent.begin); at < extent.end;
       at = code_.find(word, at + 1)) {
    if (word_at(at) == word && (at == 0 || !is_word(code_[at - 1]))) return true;
  }
  return false;
}

// How far the statements of a source go.

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
