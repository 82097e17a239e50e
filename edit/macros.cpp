#include "macros.h"

#include <clang/Lex/MacroInfo.h>

#include <algorithm>

#include "names.h"

namespace ompdm::edit {

const clang::MacroDirective* Macros::last_of(const std::string& name) const {
  const clang::IdentifierInfo* word = preprocessor_.getIdentifierInfo(name);
  return preprocessor_.getLocalMacroDirectiveHistory(word);
}

bool Macros::is_redefined(const std::string& name) const {
  int definitions = 0;
  for (const auto* one = last_of(name); one != nullptr; one = one->getPrevious()) {
    if (one->getKind() == clang::MacroDirective::MD_Define) ++definitions;
  }
  return definitions > 1;
}

std::optional<std::string> Macros::value_at(const std::string& name,
                                            clang::SourceLocation place) const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::MacroDirective* at = last_of(name);
  const auto is_behind = [&](const clang::MacroDirective& one) {
    return sources.isBeforeInTranslationUnit(place, one.getLocation());
  };
  while (at != nullptr && is_behind(*at)) at = at->getPrevious();
  const auto* made = llvm::dyn_cast_or_null<clang::DefMacroDirective>(at);
  if (made == nullptr || is_redefined(name)) return std::nullopt;
  const clang::MacroInfo& info = *made->getInfo();
  if (info.isFunctionLike() || info.isBuiltinMacro()) return std::nullopt;
  std::string text;
  for (const clang::Token& token : info.tokens()) {
    if (!text.empty() && token.hasLeadingSpace()) text += ' ';
    text += preprocessor_.getSpelling(token);
  }
  return text;
}

std::string Macros::expanded(const std::string& expression, clang::SourceLocation place) const {
  constexpr int kDeepest = 8;
  return expanded(expression, place, kDeepest);
}

std::string Macros::expanded(const std::string& expression, clang::SourceLocation place,
                             int depth) const {
  std::string text;
  for (const auto& [word, is_name] : words_of(expression)) {
    const auto value = is_name && depth > 0 ? value_at(word, place) : std::nullopt;
    text += value ? expanded(*value, place, depth - 1) : word;
  }
  return text;
}

}  // namespace ompdm::edit
