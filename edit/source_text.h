// The text of source files: where things are written by file, line and offset, the lines around,
// what a macro stands for. What is written into a file looks like what is around it.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <string>
#include <vector>

#include "answer.h"
#include "request.h"

namespace ompdm::edit {

/// Where something is written. Of what a macro makes `in_macro` is set, and the line is that of its
/// use.
struct Spot {
  std::string file;
  int line = 0;
  unsigned offset = 0;
  bool in_macro = false;
};

Spot spot_of(const clang::ASTContext& context, clang::SourceLocation location);

/// "u is read at solver.cpp:12": the line of a statement, for a refusal.
Place place_of(const clang::ASTContext& context, const clang::Stmt& statement);

/// One file under two names is one.
bool is_same_file(const std::string& one, const std::string& other);

class SourceText {
 public:
  /// The file that holds the location. The context must outlive this.
  SourceText(const clang::ASTContext& context, clang::SourceLocation location);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// What is written from one token on to the end of another, as it stands.
  [[nodiscard]] std::string between(clang::SourceLocation begin, clang::SourceLocation end) const;
  [[nodiscard]] unsigned offset_of(clang::SourceLocation location) const;
  /// Behind the token that begins there.
  [[nodiscard]] unsigned end_of(clang::SourceLocation location) const;
  [[nodiscard]] unsigned line_begin(unsigned offset) const;
  /// Behind the line's end.
  [[nodiscard]] unsigned next_line(unsigned offset) const;
  /// Where a directive's text ends, whose lines may go on.
  [[nodiscard]] unsigned pragma_end(unsigned offset) const;
  /// What a line begins with: blanks and tabs.
  [[nodiscard]] std::string indentation(unsigned offset) const;
  /// Whether nothing but blanks stands before it in its line; and behind it.
  [[nodiscard]] bool begins_line(unsigned offset) const;
  [[nodiscard]] bool ends_line(unsigned offset) const;
  /// Whether its line is a preprocessor's: of a directive that _Pragma makes it is not.
  [[nodiscard]] bool is_pragma(unsigned offset) const;
  /// Behind a semicolon, if one is next.
  [[nodiscard]] unsigned past_semicolon(unsigned offset) const;
  /// "\n" or "\r\n".
  [[nodiscard]] const char* newline() const { return newline_; }

  /// Lines of their own before the one that holds `offset`.
  [[nodiscard]] Replacement lines_before(unsigned offset,
                                         const std::vector<std::string>& lines) const;
  /// Lines of their own behind the one that holds `offset`.
  [[nodiscard]] Replacement lines_after(unsigned offset,
                                        const std::vector<std::string>& lines) const;

 private:
  const clang::ASTContext& context_;
  std::string file_;
  llvm::StringRef text_;
  const char* newline_ = "\n";
};

/// Behind a statement, and the semicolon that ends it.
unsigned end_of_statement(const SourceText& text, const clang::Stmt& statement);

class Macros {
 public:
  explicit Macros(const clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  /// Whether a name is a macro that means one thing here and another there.
  [[nodiscard]] bool is_redefined(const std::string& name) const;
  /// What is written for a macro without arguments that is defined at that place; none of other
  /// names, and of those that are redefined.
  [[nodiscard]] std::optional<std::string> value_at(const std::string& name,
                                                    clang::SourceLocation place) const;
  /// An expression with their values for those that are defined at that place, and for theirs.
  [[nodiscard]] std::string expanded(const std::string& expression,
                                     clang::SourceLocation place) const;

 private:
  [[nodiscard]] std::string expanded(const std::string& expression, clang::SourceLocation place,
                                     int depth) const;
  [[nodiscard]] const clang::MacroDirective* last_of(const std::string& name) const;

  const clang::Preprocessor& preprocessor_;
};

}  // namespace ompdm::edit
