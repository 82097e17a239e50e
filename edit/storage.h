// What storage a name leads to: its own alone, or one of several among which a loop exchanges its
// pointers, as time loops do; whether it has memory, and who else may use or map it. OpenMP 5.2,
// sections 5.8.6, 10.1 and 11.1.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "pointer_uses.h"
#include "program.h"
#include "scopes.h"

namespace ompdm::edit {

/// Whether a value is memory of its own: what malloc, new and the like return, or none yet.
bool is_allocation(const Expr* value);

/// What a variable is set to in code, where it is declared there and by assignments.
std::vector<const Expr*> values_of(const VarDecl& variable, const Stmt& code);

/// Of a local object, whether only values of its members are read and set, and it leads nowhere.
bool is_never_pointed_to(const Program& program, const VarDecl& object);

/// Asked around a loop, in which the pointers of `data` may be exchanged with each other.
class OwnStorage {
 public:
  OwnStorage(const Program& program, const Stmt& loop, std::set<const VarDecl*> data)
      : program_(program), loop_(loop), data_(std::move(data)) {}

  /// Whether nothing but its name leads to it: it is an array, or only ever holds memory that was
  /// allocated for it, and its value goes nowhere else.
  [[nodiscard]] bool is_private(const VarDecl& variable) const;
  /// Whether code that is not seen may have kept a pointer to it.
  [[nodiscard]] bool is_known_elsewhere(const VarDecl& variable) const;
  /// Those that may name a variable: its own, or all.
  [[nodiscard]] std::vector<const FunctionDecl*> functions_of(const VarDecl& variable) const;

 private:
  [[nodiscard]] bool escapes(const Stmt& code, const VarDecl& variable, int depth) const;
  [[nodiscard]] bool escapes_by(const Mention& one, const VarDecl& variable, int depth) const;
  /// Whether the loop names a pointer to a part of it that is declared before the loop.
  [[nodiscard]] bool names_part(const VarDecl& variable) const;
  [[nodiscard]] bool is_filled_by(const Stmt& address) const;

  const Program& program_;
  const Stmt& loop_;
  std::set<const VarDecl*> data_;
  bool trusts_unseen_ = true;  ///< what is not seen uses what it is handed, and forgets it
};

/// "to = from" of two variables; null of what is something else.
struct Assignment {
  const VarDecl* to = nullptr;
  const VarDecl* from = nullptr;
};
Assignment assignment_of(const Stmt& statement);

/// Other pointers that a loop sets to a variable's value, or it to theirs.
std::set<const VarDecl*> partners_of(const Program& program, const Stmt& loop,
                                     const VarDecl& variable);

/// `set` are the places in the loop where the variables, or others to them, are set. Returns which
/// variables are exchanged; throws Refusal unless that is all that is done to them.
std::vector<const VarDecl*> exchanged(const Program& program, const Stmt& loop,
                                      const std::vector<const VarDecl*>& variables,
                                      const std::vector<Mention>& set);

/// Throws Refusal where another input may leave the data without memory: it is not allocated for
/// certain before the code with the extent that `item` has, and no directive in the code maps it
/// for certain. `scopes` are all that knows it.
void expect_memory(const Program& program, const Stmt& code, const VarDecl& data,
                   const std::string& item, const std::vector<Scope>& scopes);

/// Throws Refusal where a thread of a construct around the code may use the data beside it. What is
/// declared in the construct, and reached by its name alone, each thread has for itself; what one
/// thread alone runs, and nothing else in the construct names, no other uses.
void expect_no_other_thread(const Program& program, const Stmt& code,
                            const std::vector<const VarDecl*>& data);

/// Throws Refusal where a directive outside of the code may hold the data, so that an update of it
/// does not only what the code needs. `data` are the names around the code that it may have there.
void expect_mapped_here_alone(const Program& program, const Stmt& code, const Directive& update,
                              const std::vector<const VarDecl*>& data);

}  // namespace ompdm::edit
