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

}  // namespace ompdm::e2e
