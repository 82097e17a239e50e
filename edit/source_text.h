// The text of source files by offset: lines, their indentation and how they end. What is written
// into a file looks like what is around it.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

#include "answer.h"

namespace ompdm::edit {

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

}  // namespace ompdm::edit
