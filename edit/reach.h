// The parts of the program's files that the meaning of code depends on.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <set>
#include <string>
#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Code or a declaration, without its parts that are parts of their own.
struct Part {
  clang::SourceRange range;
  std::vector<clang::SourceRange> without;
};

struct Reached {
  std::vector<Part> parts;
  bool depends_on_numbers = false;  ///< an argument of a template is a number
  std::set<std::string> made_of;    ///< names of the templates that the code itself was
                                    ///< instantiated from
  bool is_whole = true;             ///< false: the code leads to more code than is looked at
};

/// Whether a file is the program's, and not the system's or the compiler's. Clang counts folders of
/// -idirafter as the system's.
bool is_of_program(llvm::StringRef path);
bool is_of_program(const clang::SourceManager& sources, clang::FileID file);

/// The parts that code depends on. They are the code, of a directive with its statement, functions
/// that it leads to, and the declarations of the names in these.
Reached reached_by(const Program& program, const Stmt& code);

}  // namespace ompdm::edit
