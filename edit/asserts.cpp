#include "asserts.h"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include "source_text.h"

namespace ompdm::edit {

std::string leads_elsewhere(const std::string& pointer, const std::string& item) {
  const std::size_t open = item.find('[');
  if (open == std::string::npos) {
    return fmt::format(
        "(const char*){0} < (const char*)&{1} || (const char*){0} >= (const char*)(&{1} + 1)",
        pointer, item);
  }
  const std::size_t colon = item.find(':', open);
  const bool is_plain = colon != std::string::npos && item.find("][", open) == std::string::npos &&
                        item.ends_with(']') && item.find(':', colon + 1) == std::string::npos;
  if (!is_plain) return {};
  const std::string base = item.substr(0, open);
  const std::string first = item.substr(open + 1, colon - open - 1);
  const std::string count = item.substr(colon + 1, item.size() - colon - 2);
  const bool is_zero = first.empty() || first == "0";
  const std::string begin = is_zero ? base : fmt::format("({} + ({}))", base, first);
  return fmt::format(
      "(const char*){0} < (const char*){1} || (const char*){0} >= (const char*)({1} + ({2}))",
      pointer, begin, count);
}

void add_assert_header(const Program& program, const Stmt& code,
                       std::vector<Replacement>& replacements) {
  const clang::ASTContext& context = program.context();
  const auto name = context.Idents.find("assert");
  if (name != context.Idents.end() && name->second->hasMacroDefinition()) return;
  // The include goes before the declaration at the file's outermost level that has the code. So it
  // is under the same conditionals.
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::SourceLocation at = sources.getFileLoc(code.getBeginLoc());
  const clang::FileID file = sources.getFileID(at);
  clang::SourceLocation begin = sources.getLocForStartOfFile(file);
  for (const clang::Decl* one : context.getTranslationUnitDecl()->decls()) {
    const clang::SourceLocation from = sources.getFileLoc(one->getBeginLoc());
    const clang::SourceLocation to = sources.getFileLoc(one->getEndLoc());
    if (from.isInvalid() || sources.getFileID(from) != file) continue;
    const bool holds =
        !sources.isBeforeInTranslationUnit(at, from) && !sources.isBeforeInTranslationUnit(to, at);
    if (holds) begin = from;
  }
  const SourceText text(context, begin);
  const unsigned offset = text.line_begin(text.offset_of(begin));
  const bool is_cpp = context.getLangOpts().CPlusPlus;
  replacements.push_back(
      {text.file(), offset, 0, fmt::format("#include <{}>\n", is_cpp ? "cassert" : "assert.h")});
}

}  // namespace ompdm::edit
