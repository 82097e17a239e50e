// What storage a name leads to: its own alone, or one of several among which a loop exchanges its
// pointers, as time loops do.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "pointer_uses.h"
#include "program.h"

namespace ompdm::edit {

/// Whether a value is memory of its own: what malloc, new and the like return, or none yet.
bool is_allocation(const clang::Expr* value);

/// What a variable is set to in code, where it is declared there and by assignments.
std::vector<const clang::Expr*> values_of(const clang::VarDecl& variable, const clang::Stmt& code);

/// Of a local object, whether only values of its members are read and set, and it leads nowhere.
bool is_never_pointed_to(const Program& program, const clang::VarDecl& object);

/// Asked around a loop, in which the pointers of `data` may be exchanged with each other.
class OwnStorage {
 public:
  OwnStorage(const Program& program, const clang::Stmt& loop, std::set<const clang::VarDecl*> data)
      : program_(program), loop_(loop), data_(std::move(data)) {}

  /// Whether nothing but its name leads to it: it is an array, or only ever holds memory that was
  /// allocated for it, and its value goes nowhere else.
  [[nodiscard]] bool is_private(const clang::VarDecl& variable) const;
  /// Whether code that is not seen may have kept a pointer to it.
  [[nodiscard]] bool is_known_elsewhere(const clang::VarDecl& variable) const;
  /// Those that may name a variable: its own, or all.
  [[nodiscard]] std::vector<const clang::FunctionDecl*> functions_of(
      const clang::VarDecl& variable) const;

 private:
  [[nodiscard]] bool escapes(const clang::Stmt& code, const clang::VarDecl& variable,
                             int depth) const;
  [[nodiscard]] bool escapes_by(const Mention& one, const clang::VarDecl& variable,
                                int depth) const;
  /// Whether the loop names a pointer to a part of it that is declared before the loop.
  [[nodiscard]] bool names_part(const clang::VarDecl& variable) const;
  [[nodiscard]] bool is_filled_by(const clang::Stmt& address) const;

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<const clang::VarDecl*> data_;
  bool trusts_unseen_ = true;  ///< what is not seen uses what it is handed, and forgets it
};

/// "to = from" of two variables; null of what is something else.
struct Assignment {
  const clang::VarDecl* to = nullptr;
  const clang::VarDecl* from = nullptr;
};
Assignment assignment_of(const clang::Stmt& statement);

/// Other pointers that a loop sets to a variable's value, or it to theirs.
std::set<const clang::VarDecl*> partners_of(const Program& program, const clang::Stmt& loop,
                                            const clang::VarDecl& variable);

/// `set` are the places in the loop where the variables, or others to them, are set. Returns which
/// variables are exchanged; throws Refusal unless that is all that is done to them.
std::vector<const clang::VarDecl*> exchanged(const Program& program, const clang::Stmt& loop,
                                             const std::vector<const clang::VarDecl*>& variables,
                                             const std::vector<Mention>& set);

}  // namespace ompdm::edit
