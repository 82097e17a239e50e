#include "asserts.h"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>

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
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::FileID file = sources.getFileID(sources.getFileLoc(code.getBeginLoc()));
  std::optional<clang::SourceLocation> first;  // that includes something
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    const clang::SourceLocation at = entry.getFile().getIncludeLoc();
    if (at.isInvalid() || sources.getFileID(at) != file) continue;
    if (!first || sources.isBeforeInTranslationUnit(at, *first)) first = at;
  }
  const SourceText text(context, sources.getLocForStartOfFile(file));
  const unsigned offset = first ? text.line_begin(text.offset_of(*first)) : 0;
  const bool is_cpp = context.getLangOpts().CPlusPlus;
  replacements.push_back(
      {text.file(), offset, 0, fmt::format("#include <{}>\n", is_cpp ? "cassert" : "assert.h")});
}

}  // namespace ompdm::edit
