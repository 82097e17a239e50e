// Directives beside statements: where they can stand, and the line breaks and braces they need.
#pragma once

#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"
#include "program.h"
#include "source_text.h"

namespace ompdm::edit {

/// Whether a directive can stand beside a statement.
enum class Room {
  kNone,    ///< in a macro, in a construct's own code, before a label
  kBraces,  ///< with braces: the statement is the body of a branch, a loop, a label or `target
            ///< data`
  kBlock,   ///< it is a statement of a block
};
Room room_around(const Program& program, const Stmt& statement);

/// Throws Refusal where no directive can stand around a statement, or where a jump out of the
/// statement may skip the code behind it.
void expect_room_around(const Program& program, const Stmt& statement);

using LeavesHost = llvm::function_ref<bool(const Stmt&)>;

/// The statement beside which an update for a use by the host is written. It is the outermost loop
/// around the use that executes nothing on a device. Without such a loop it is the innermost
/// statement that has room. It lies within `code`, and no further out than a statement of `block`,
/// where these are not null. A use in a construct of the host counts as a use by the whole
/// construct: threads of a team synchronize at its end. Null: no statement has room. `leaves_host`
/// says whether a statement runs anything on a device.
const Stmt* place_of_update(const Program& program, const Stmt& use, const Stmt* code,
                            const Stmt* block, LeavesHost leaves_host);

/// The outermost construct of the host around a use, within `code`. Null: none. `target data` is no
/// such construct.
const clang::OMPExecutableDirective* host_construct_around(const Program& program, const Stmt& use,
                                                           const Stmt* code);

/// Lines to be written beside statements, in the order in which they are added. The order holds for
/// lines before a statement and for lines behind it.
class Insertions {
 public:
  /// `text` has no indentation. `is_indented`: it is indented like the statement.
  void add_before(const Program& program, const Stmt& statement, const std::string& text,
                  bool is_indented = true);
  void add_behind(const Program& program, const Stmt& statement, const std::string& text,
                  bool is_indented = true);

  /// Adds the lines as replacements of the sources' text. They are lines of their own where the
  /// statement has its lines alone. Otherwise line breaks are put around them.
  void write(std::vector<Replacement>& replacements) const;

 private:
  struct Lines {
    SourceText text;
    unsigned begin;  ///< of the statement
    unsigned end;    ///< behind it
    Braces braces;
    std::vector<std::string> before;
    std::vector<std::string> behind;
  };
  Lines& lines_of(const Program& program, const Stmt& statement);

  std::vector<Lines> all_;
};

}  // namespace ompdm::edit
