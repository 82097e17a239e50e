// Paths to data, each from a declaration on.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/PointerUnion.h>

#include <set>
#include <span>
#include <vector>

#include "source_text.h"

namespace ompdm::edit {

/// Memory that an expression allocates. Different calls that led to it make different memory.
struct alignas(8) Allocation {
  const Expr* by = nullptr;
  std::vector<const Expr*> calls;  ///< outermost first
  bool is_of_library = false;      ///< the expression is in a library's code
};

/// A path to data, from a declaration by members and by pointers that are followed. All elements of
/// an array, or of a pointer's data, have one path: `s->u[i]` is s, null, u, null.
struct Path {
  /// A variable, or the class that `this` points to. In code that is walked also an expression that
  /// makes a value, or memory.
  using Root = llvm::PointerUnion<const VarDecl*, const clang::CXXRecordDecl*, const Expr*,
                                  const Allocation*>;

  Root root = nullptr;                         ///< null: none
  std::vector<const clang::FieldDecl*> steps;  ///< null: a pointer is followed

  bool operator==(const Path&) const = default;
  bool operator<(const Path& other) const {
    return root != other.root ? root < other.root : steps < other.steps;
  }

  [[nodiscard]] Path with(const clang::FieldDecl* step) const;
  [[nodiscard]] Path with(std::span<const clang::FieldDecl* const> more) const;
  [[nodiscard]] bool is_through_pointer() const;
  [[nodiscard]] bool begins_with(const Path& other) const;
  /// Whether both are the same, or one is a member that is stored in the other.
  [[nodiscard]] bool is_same_storage(const Path& other) const;
};

/// The possible places of an object, or of a pointer's data: one of these paths.
struct Places {
  std::set<Path> paths;
  bool is_any = false;  ///< it may be any place

  void add(const Places& other) {
    paths.insert(other.paths.begin(), other.paths.end());
    is_any = is_any || other.is_any;
  }
  [[nodiscard]] bool is_empty() const { return paths.empty() && !is_any; }
};

/// Whether the longer path goes on from the shorter one by a pointer.
bool is_below(const Path& longer, const Path& shorter);

/// Whether values of a type hold, or may hold, pointers.
bool holds_pointers(clang::QualType type);

}  // namespace ompdm::edit
