// The way to data, from a declaration on.
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

/// Memory that an expression makes, told apart by the calls that led to it.
struct alignas(8) Allocation {
  const Expr* by = nullptr;
  std::vector<const Expr*> calls;  ///< outermost first
  bool is_of_library = false;      ///< the expression is in a library's code
};

/// The way to data: from a declaration by members, and by pointers that are followed. Elements of
/// an array, and of what a pointer leads to, are not told apart: `s->u[i]` is s, null, u, null.
struct Path {
  /// A variable, or the class that `this` points to; in code that is walked also an expression that
  /// makes a value, and memory.
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
  /// Whether one is the other, or a member of it that is stored in it.
  [[nodiscard]] bool is_same_storage(const Path& other) const;
};

/// Where something is, or what a pointer leads to: one of several.
struct Places {
  std::set<Path> paths;
  bool is_any = false;  ///< of what is not known

  void add(const Places& other) {
    paths.insert(other.paths.begin(), other.paths.end());
    is_any = is_any || other.is_any;
  }
  [[nodiscard]] bool is_empty() const { return paths.empty() && !is_any; }
};

/// Whether the longer of two paths goes from the shorter one by a pointer.
bool is_below(const Path& longer, const Path& shorter);

/// Whether values of a type hold pointers, or may.
bool holds_pointers(clang::QualType type);

}  // namespace ompdm::edit
