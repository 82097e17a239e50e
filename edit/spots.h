// Where things are written: files, lines and offsets of clang's locations.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <string>

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

}  // namespace ompdm::edit
