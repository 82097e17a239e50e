// Directives beside statements: where they can stand, and the line breaks and braces that they need
// there.
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
  kBraces,  ///< with braces: it is all that a branch, a loop or `target data` does, or a label's
  kBlock,   ///< it is a statement of a block
};
Room room_around(const Program& program, const Stmt& statement);

/// Throws Refusal where no directive can stand around a statement, or where it is left by a way
/// that passes by what stands behind it.
void expect_room_around(const Program& program, const Stmt& statement);

using LeavesHost = llvm::function_ref<bool(const Stmt&)>;

/// The statement that an update for a use by the host goes beside: the outermost loop around the
/// use that leaves the device alone, else the innermost statement that has room. It is within
/// `code`, and no further out than a statement of `block`, of those that are not null. A use in
/// constructs of the host counts as their whole: threads of a team come together at its end. Null:
/// no statement there has room. `leaves_host` says whether a statement runs anything on a device.
const Stmt* place_of_update(const Program& program, const Stmt& use, const Stmt* code,
                            const Stmt* block, LeavesHost leaves_host);

/// The outermost construct of the host around a use, within `code`; null of none. `target data` is
/// no such construct.
const clang::OMPExecutableDirective* host_construct_around(const Program& program, const Stmt& use,
                                                           const Stmt* code);

/// Lines to be written beside statements, in the order in which they are added: those before a
/// statement below each other, and so those behind it.
class Insertions {
 public:
  /// `text`: without indentation. `is_indented`: as far as the statement.
  void add_before(const Program& program, const Stmt& statement, const std::string& text,
                  bool is_indented = true);
  void add_behind(const Program& program, const Stmt& statement, const std::string& text,
                  bool is_indented = true);

  /// As replacements of the sources' text: lines of their own where a statement has them, else with
  /// line breaks around them.
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
