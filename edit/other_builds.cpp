#include "other_builds.h"

#include <clang/Lex/PreprocessingRecord.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>

#include "conditionals.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// Lines of a file, both ends included.
struct Lines {
  clang::FileID file;
  int begin = 0;
  int end = 0;
};

/// The functions of a unit that hold any of the places.
std::vector<Lines> functions_with(const Program& unit, const std::vector<Place>& places) {
  const clang::SourceManager& sources = unit.context().getSourceManager();
  std::vector<Lines> all;
  for (const FunctionDecl* function : unit.functions()) {
    const Spot begin = spot_of(unit.context(), function->getBeginLoc());
    const Spot end = spot_of(unit.context(), function->getEndLoc());
    const bool holds = std::ranges::any_of(places, [&](const Place& one) {
      return begin.line <= one.line && one.line <= end.line && is_same_file(begin.file, one.file);
    });
    if (!holds) continue;
    all.push_back({sources.getFileID(sources.getExpansionLoc(function->getBeginLoc())), begin.line,
                   end.line});
  }
  return all;
}

}  // namespace

std::optional<LeftOutUse> left_out_use(const WholeProgram& program,
                                       const std::vector<Place>& places,
                                       const std::set<std::string>& names) {
  for (const Program* unit : program.units()) {
    const clang::PreprocessingRecord* record = unit->preprocessor().getPreprocessingRecord();
    if (record == nullptr) continue;
    const std::vector<Lines> functions = functions_with(*unit, places);
    if (functions.empty()) continue;
    const clang::SourceManager& sources = unit->context().getSourceManager();
    for (const clang::SourceRange& range :
         const_cast<clang::PreprocessingRecord*>(record)->getSkippedRanges()) {
      const clang::FileID file = sources.getFileID(range.getBegin());
      const auto line = static_cast<int>(sources.getSpellingLineNumber(range.getBegin()));
      const bool is_there = std::ranges::any_of(functions, [&](const Lines& one) {
        return one.file == file && one.begin <= line && line <= one.end;
      });
      if (!is_there) continue;
      const auto used =
          names_in(sources, file, sources.getFileOffset(range.getBegin()),
                   sources.getFileOffset(range.getEnd()), unit->context().getLangOpts());
      const auto use =
          std::ranges::find_if(used, [&](const NameAt& one) { return names.contains(one.name); });
      if (use == used.end()) continue;
      const Spot at = spot_of(unit->context(), sources.getComposedLoc(file, use->offset));
      return LeftOutUse{use->name, {at.file, at.line}};
    }
  }
  return std::nullopt;
}

}  // namespace ompdm::edit
