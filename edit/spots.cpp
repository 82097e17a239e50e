#include "spots.h"

#include <clang/Basic/SourceManager.h>

#include <filesystem>

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

}  // namespace ompdm::edit
