// Which parts of the program's files the meaning of code depends on.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <set>
#include <string>
#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Code or a declaration, without those parts of it that are reached by themselves.
struct Part {
  clang::SourceRange range;
  std::vector<clang::SourceRange> without;
};

struct Reached {
  std::vector<Part> parts;
  bool depends_on_numbers = false;  ///< a template's argument is a number
  std::set<std::string> made_of;    ///< names of templates that the code itself was made of
  bool is_whole = true;             ///< false: the code leads to more than is looked at
};

/// Whether a file is the program's, rather than the system's or the compiler's. Clang takes folders
/// of -idirafter for the system's.
bool is_of_program(llvm::StringRef path);
bool is_of_program(const clang::SourceManager& sources, clang::FileID file);

/// Code, of a directive with its statement, functions that it leads to, and the declarations of
/// what these name.
Reached reached_by(const Program& program, const Stmt& code);

}  // namespace ompdm::edit
