// The accesses of code to data, found by one walk through its statements. Each access has the path
// from a declaration to the data. Pointers and references of the code, parameters of functions
// whose bodies are seen, and captures of lambdas stand for their data. Where the data of an access
// is not certain, the access counts for all data that it may be of. So the absence of a read or a
// write is certain.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "paths.h"
#include "pointer_uses.h"
#include "program.h"

namespace ompdm::edit {

struct Access {
  /// Which part of the data is accessed.
  enum class Reach : std::uint8_t {
    kPath,      ///< what the path leads to
    kDeep,      ///< that, and all that pointers in it lead to
    kBelow,     ///< only what pointers in it lead to
    kDeclared,  ///< all `declare target` data: the path is empty
    kEscaped,   ///< data that code which is not seen may know: the path is empty
    kAny        ///< any data: the path is empty
  };

  Path path;
  Use use = Use::kNone;  ///< kRead, kWrite, kChange of a compound assignment, kUnknown
  Reach reach = Reach::kPath;
  bool is_step = false;      ///< a pointer is read, to follow it
  const Stmt* at = nullptr;  ///< the statement
  std::string why;           ///< of kUnknown: "is handed to f(), whose body is not seen"
  Path by = {};              ///< of kAny: what the followed pointer leads to, by its name

  /// Whether it may be an access of the data that a path leads to. For kEscaped see
  /// Trail::may_be_of().
  [[nodiscard]] bool may_be_of(const Path& data) const;
};

struct Accesses {
  std::vector<Access> all;  ///< in the order of the walk, of data that is declared outside of it
  std::set<Path> reduced;   ///< named by reduction clauses
  std::set<const clang::FieldDecl*> by_this;  ///< members that are written as `this->x`
};

/// The accesses of a region, or of another directive with code.
Accesses accesses_in(const Directive& region);

/// The paths that an item of a clause leads to: several where the item stands for one of them.
/// Memory that the item itself allocates has no path.
std::set<Path> paths_of(const Expr& item);

}  // namespace ompdm::edit
