// The storage that a name leads to. It may be the name's own, or one of several pieces whose
// pointers a loop exchanges, as time loops do. And whether the storage has memory, and which other
// code may use or map it. OpenMP 5.2, sections 5.8.6, 10.1 and 11.1.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "pointer_uses.h"
#include "program.h"
#include "scopes.h"

namespace ompdm::edit {

/// Whether a value is memory of its own, as the result of malloc or new, or a null pointer. Null,
/// for no value, counts as such.
bool is_allocation(const Expr* value);

/// The values that a variable gets in code, by its declaration and by assignments.
std::vector<const Expr*> values_of(const VarDecl& variable, const Stmt& code);

/// Whether no pointer leads to a local object: code reads and sets only values of its members, and
/// these are numbers.
bool is_never_pointed_to(const Program& program, const VarDecl& object);

/// Storage of variables around a loop, in which the pointers of `data` may be exchanged.
class OwnStorage {
 public:
  OwnStorage(const Program& program, const Stmt& loop, std::set<const VarDecl*> data)
      : program_(program), loop_(loop), data_(std::move(data)) {}

  /// Whether only the variable's name leads to its storage. The variable is an array, or its only
  /// values are memory that was allocated for it. No other variable gets its value.
  [[nodiscard]] bool is_private(const VarDecl& variable) const;
  /// Whether code that is not seen may have kept a pointer to the storage.
  [[nodiscard]] bool is_known_elsewhere(const VarDecl& variable) const;
  /// The functions that may name a variable: its own, or all.
  [[nodiscard]] std::vector<const FunctionDecl*> functions_of(const VarDecl& variable) const;

 private:
  [[nodiscard]] bool escapes(const Stmt& code, const VarDecl& variable, int depth) const;
  [[nodiscard]] bool escapes_by(const Mention& one, const VarDecl& variable, int depth) const;
  /// Whether the loop uses a pointer to a part of the storage that is declared before the loop.
  [[nodiscard]] bool names_part(const VarDecl& variable) const;
  [[nodiscard]] bool is_filled_by(const Stmt& address) const;

  const Program& program_;
  const Stmt& loop_;
  std::set<const VarDecl*> data_;
  bool trusts_unseen_ = true;  ///< code that is not seen uses its arguments only until it returns
};

/// "to = from" of two variables. Null: another form.
struct Assignment {
  const VarDecl* to = nullptr;
  const VarDecl* from = nullptr;
};
Assignment assignment_of(const Stmt& statement);

/// Other pointers that a loop sets to a variable's value, or whose value the variable gets.
std::set<const VarDecl*> partners_of(const Program& program, const Stmt& loop,
                                     const VarDecl& variable);

/// The variables that a loop exchanges. `set`: the places in the loop where the variables, or other
/// pointers to their data, are set. Throws Refusal unless these are exchanges.
std::vector<const VarDecl*> exchanged(const Program& program, const Stmt& loop,
                                      const std::vector<const VarDecl*>& variables,
                                      const std::vector<Mention>& set);

/// Throws Refusal where another input may leave the data without memory. Data has memory where it
/// is allocated on every execution path before the code, with the extent of `item`. It also has
/// memory where a directive in the code maps it on every path. `scopes`: all code that knows the
/// data.
void expect_memory(const Program& program, const Stmt& code, const VarDecl& data,
                   const std::string& item, const std::vector<Scope>& scopes);

/// Throws Refusal where another thread of a construct around the code may use the data. A variable
/// that is declared in the construct, and used by its name alone, belongs to one thread. Data that
/// only one thread's statement names in the construct is not shared either.
void expect_no_other_thread(const Program& program, const Stmt& code,
                            const std::vector<const VarDecl*>& data);

/// Throws Refusal where a directive outside of the code may map the data. An update of it may then
/// have effects that the code does not need. `data`: the names that the data may have around the
/// code.
void expect_mapped_here_alone(const Program& program, const Stmt& code, const Directive& update,
                              const std::vector<const VarDecl*>& data);

}  // namespace ompdm::edit
