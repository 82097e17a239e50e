// What of a C or C++ source is code, and how far its statements and pragmas go: as much of the
// language as it takes to change directives by hand. Knows comments, literals (raw ones too),
// preprocessor lines and lines that go on with a backslash; no macros.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::e2e {

/// A part of a text, from its first character to behind its last.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
  auto operator<=>(const Extent&) const = default;
};

/// A `#pragma`, with the lines that it goes on in.
struct PragmaLine {
  Extent extent;
  std::string text;  ///< in one line, without comments: "omp target map(to : a[0 : n])"
  /// It belongs to the statement that follows, and does not stand for itself as an update does.
  bool governs = false;
};

class CodeText {
 public:
  explicit CodeText(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The line, from 1, that a character is in.
  [[nodiscard]] int line_of(std::size_t at) const;
  /// Of a line; empty behind the last one.
  [[nodiscard]] Extent line(int number) const;

  /// The pragma that a line is part of; null: none.
  [[nodiscard]] const PragmaLine* pragma_at(int line) const;

  /// The loop whose head, "for (...)" or "while (...)", a line is part of, with the pragmas that
  /// belong to it. None where the line has no such head, or several.
  [[nodiscard]] std::optional<Extent> loop_at(int line) const;
  /// The pragma with the statement that it belongs to; by itself where it stands for itself.
  [[nodiscard]] Extent statement_of(const PragmaLine& pragma) const;
  /// The statement that begins in a line.
  [[nodiscard]] Extent statement_at(int line) const;
  /// That of the first line with this text; none where it is not there.
  [[nodiscard]] std::optional<Extent> statement_with(std::string_view text) const;
  /// What the function around it has between its braces; all of the text where there is none.
  [[nodiscard]] Extent function_around(std::size_t at) const;
  /// The `return` statements by which a function is left there; not those of lambdas.
  [[nodiscard]] std::vector<Extent> returns_in(Extent extent) const;
  /// Whether the word stands there in code.
  [[nodiscard]] bool has_word(Extent extent, std::string_view word) const;
  /// Whether another statement can stand before this one without braces around both.
  [[nodiscard]] bool is_in_block(std::size_t statement) const;

 private:
  void mask();
  void find_lines();
  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const;
  [[nodiscard]] std::size_t closing(std::size_t opening) const;
  [[nodiscard]] std::string_view word_at(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_statement(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_lambda(std::size_t opening) const;
  [[nodiscard]] bool opens_function(std::size_t brace) const;
  [[nodiscard]] const PragmaLine* governing_before(std::size_t at) const;

  std::string text_;
  std::string code_;                ///< as long, with all that is no code as blanks
  std::vector<std::size_t> lines_;  ///< where each begins
  std::vector<PragmaLine> pragmas_;
};

}  // namespace ompdm::e2e
