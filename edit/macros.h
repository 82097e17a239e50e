// Macros as names: what one stands for at a place. Of the preprocessor's history, at the end of a
// translation unit.
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <string>

namespace ompdm::edit {

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
