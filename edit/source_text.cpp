#include "source_text.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

#include <algorithm>
#include <filesystem>

#include "names.h"
#include "program.h"

namespace ompdm::edit {
Spot spot_of(const clang::ASTContext& context, clang::SourceLocation location) {
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  const clang::PresumedLoc presumed = sources.getPresumedLoc(at, false);
  Spot spot;
  spot.in_macro = location.isMacroID();
  if (presumed.isInvalid()) return spot;
  spot.file = presumed.getFilename();
  spot.line = static_cast<int>(presumed.getLine());
  spot.offset = sources.getFileOffset(at);
  return spot;
}

Place place_of(const clang::ASTContext& context, const clang::Stmt& statement) {
  const Spot spot = spot_of(context, statement.getBeginLoc());
  return {spot.file, spot.line};
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code failed;
  return std::filesystem::equivalent(one, other, failed) && !failed;
}

SourceText::SourceText(const clang::ASTContext& context, clang::SourceLocation location)
    : context_(context) {
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::FileID id = sources.getFileID(sources.getExpansionLoc(location));
  const auto entry = sources.getFileEntryRefForID(id);
  file_ = entry ? entry->getFileEntry().tryGetRealPathName().str() : std::string();
  text_ = sources.getBufferData(id);
  if (text_.contains("\r\n")) newline_ = "\r\n";
}

unsigned SourceText::offset_of(clang::SourceLocation location) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  return sources.getFileOffset(sources.getExpansionLoc(location));
}

unsigned SourceText::end_of(clang::SourceLocation location) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  return sources.getFileOffset(at) +
         clang::Lexer::MeasureTokenLength(at, sources, context_.getLangOpts());
}

std::string SourceText::between(clang::SourceLocation begin, clang::SourceLocation end) const {
  const unsigned from = offset_of(begin);
  const unsigned to = end_of(end);
  return to > from ? text_.substr(from, to - from).str() : std::string();
}

unsigned SourceText::line_begin(unsigned offset) const {
  const std::size_t before = text_.substr(0, offset).rfind('\n');
  return before == llvm::StringRef::npos ? 0 : static_cast<unsigned>(before + 1);
}

unsigned SourceText::next_line(unsigned offset) const {
  const std::size_t end = text_.find('\n', offset);
  return static_cast<unsigned>(end == llvm::StringRef::npos ? text_.size() : end + 1);
}

unsigned SourceText::pragma_end(unsigned offset) const {
  for (unsigned line = offset;;) {
    unsigned end = next_line(line);
    while (end > line && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
    const bool goes_on = end > line && text_[end - 1] == '\\';
    if (goes_on && next_line(line) < text_.size()) {
      line = next_line(line);
      continue;
    }
    // A comment behind it is none of it.
    const llvm::StringRef last = text_.substr(line, end - line);
    const std::size_t comment = std::min(last.find("//"), last.find("/*"));
    if (comment != llvm::StringRef::npos) end = line + static_cast<unsigned>(comment);
    while (end > line && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
    return end;
  }
}

std::string SourceText::indentation(unsigned offset) const {
  const llvm::StringRef line = text_.substr(line_begin(offset));
  return line.substr(0, line.find_first_not_of(" \t")).str();
}

bool SourceText::begins_line(unsigned offset) const {
  const unsigned begin = line_begin(offset);
  return text_.substr(begin, offset - begin).find_first_not_of(" \t") == llvm::StringRef::npos;
}

bool SourceText::ends_line(unsigned offset) const {
  const llvm::StringRef rest = text_.substr(offset, next_line(offset) - offset).trim(" \t\r\n");
  return rest.empty() || rest.starts_with("//");
}

Replacement SourceText::lines_before(unsigned offset, const std::vector<std::string>& lines) const {
  Replacement made{file_, line_begin(offset), 0, {}};
  for (const std::string& line : lines) made.text += line + newline_;
  return made;
}

Replacement SourceText::lines_after(unsigned offset, const std::vector<std::string>& lines) const {
  Replacement made{file_, next_line(offset), 0, {}, true};
  for (const std::string& line : lines) made.text += line + newline_;
  return made;
}

bool SourceText::is_pragma(unsigned offset) const {
  return text_.substr(line_begin(offset)).ltrim(" \t").starts_with("#");
}

unsigned SourceText::past_semicolon(unsigned offset) const {
  const std::size_t next = text_.find_first_not_of(" \t\r\n", offset);
  const bool is_one = next != llvm::StringRef::npos && text_[next] == ';';
  return is_one ? static_cast<unsigned>(next + 1) : offset;
}

namespace {

/// The statement that a statement ends with: a branch's, a loop's body, what a directive is of.
const clang::Stmt& last_part(const clang::Stmt& statement) {
  const clang::Stmt* part = nullptr;
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(&statement)) {
    if (directive->hasAssociatedStmt()) part = directive->getRawStmt();
  } else if (const auto* captured = llvm::dyn_cast<clang::CapturedStmt>(&statement)) {
    part = captured->getCapturedStmt();
  } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    part = branch->getElse() != nullptr ? branch->getElse() : branch->getThen();
  } else if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    // Of a span (see kept_data.h), which has no braces of its own.
    const bool is_span =
        !block->body_empty() && block->getLBracLoc() == block->body_front()->getBeginLoc();
    if (is_span) part = block->body_back();
  } else if (!llvm::isa<clang::DoStmt>(statement)) {
    part = body_of_loop(statement);
  }
  return part == nullptr ? statement : last_part(*part);
}

}  // namespace

unsigned end_of_statement(const SourceText& text, const clang::Stmt& statement) {
  const clang::Stmt& last = last_part(statement);
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(&last)) {
    return text.pragma_end(text.offset_of(directive->getBeginLoc()));
  }
  const unsigned end = text.end_of(last.getEndLoc());
  return llvm::isa<clang::CompoundStmt>(last) ? end : text.past_semicolon(end);
}

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
