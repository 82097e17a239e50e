// The names in an item of a clause, what they mean around a loop, and which clauses of a directive
// name a variable.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtOpenMP.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace ompdm::edit {

/// "u" of "u[0:n * n]"; empty of what does not begin with a name alone, as members do.
std::string root_of(const std::string& expression);

/// Whether identifiers and numbers have such letters.
bool is_of_name(char letter);

/// An expression's words and the letters between them, in order; whether each is an identifier.
std::vector<std::pair<std::string, bool>> words_of(const std::string& expression);

/// All identifiers of an expression.
std::vector<std::string> names_in(const std::string& expression);

/// A statement that writes other bytes over all of "u[0:n * n]" on the host.
std::string spoiling(const std::string& expression);

/// The variable that an item of a clause is a section of; null of a member.
const VarDecl* root_variable(const Expr& item);

/// "u" of "u[0:n]" and of "this->u[0:n]", "s->u" of "s -> u[0:n]".
std::string bare_name(llvm::StringRef text);

/// Whether an item of a clause, sections aside, is called as an expression has it: as it is
/// written, or as clang writes it. `u[0:n]` and `this->u[0:m]` are called the same.
bool is_called(const clang::ASTContext& context, const Expr& item, const std::string& expression);

/// Whether a statement is the name of a variable.
bool is_name_of(const Stmt& at, const VarDecl& variable);

/// Places in code, clauses aside, that name a variable.
std::vector<const clang::DeclRefExpr*> names_of(const Stmt* code, const VarDecl& variable);

/// The only variable of that name in code; null where there is none, or are several.
const VarDecl* variable_named(const Stmt& code, const std::string& name);

/// Whether an expression is made of numbers and of names of variables that hold them.
bool only_names(const Expr& expression);

/// A clause's expression as it is written: clang computes some before the directive.
const Expr& written(const Expr& expression);

/// What an integer variable is made of, as it is written, if these are names and numbers and it is
/// never set again: `rows * columns`. None of others.
std::optional<std::string> made_of(const Program& program, const VarDecl& variable);

class Names {
 public:
  Names(const Program& program, const Stmt& loop) : program_(program), loop_(loop) {}

  /// What a name means in the loop, if that is one variable, and the same before the loop; of one
  /// that only functions name what it means there, if that is global. Throws Refusal otherwise.
  [[nodiscard]] const VarDecl* expect_before(const std::string& name) const;
  /// The same, of what the loop does not set either. Names of no variable are constants.
  void expect_unchanged(const std::string& name) const;
  /// Of an extent, that it is made of such names, and asking it again changes nothing.
  void expect_plain(const std::string& extent) const;
  /// An expression with the values of macros, and of names that are set once and for all: numbers,
  /// or what they were made of.
  [[nodiscard]] std::string with_constants(const std::string& expression) const;

 private:
  [[nodiscard]] std::optional<std::string> value_of(const VarDecl& variable) const;
  void expect_not_declared_within(const std::string& name) const;
  [[nodiscard]] const VarDecl* find(const std::string& name) const;
  [[nodiscard]] const VarDecl* find_global(const std::string& name) const;

  const Program& program_;
  const Stmt& loop_;
};

/// Whether a statement sets nothing that an expression names.
bool stays_the_same(const Program& program, const Stmt& statement, const std::string& expression);

/// Of clauses that the program has, without those that the compiler adds: it gives a region the
/// value of each pointer that no clause names.
inline constexpr bool kWritten = true;

/// An item of a directive's map clause.
struct MapItem {
  const clang::OMPMapClause* clause = nullptr;
  const Expr* item = nullptr;
  const VarDecl* variable = nullptr;  ///< see root_variable()
};

/// All items of a directive's map clauses, in order; those of one variable.
std::vector<MapItem> mapped_items(const Directive& directive, bool is_written = false);
std::vector<MapItem> mapped_items(const Directive& directive, const VarDecl& data,
                                  bool is_written = false);

/// Whether clauses of a kind name the data.
template <class Clause>
bool lists(const Directive& directive, const VarDecl& data, bool is_written = false) {
  for (const auto* clause : directive.getClausesOfKind<Clause>()) {
    if (is_written && clause->isImplicit()) continue;
    for (const Expr* item : clause->varlists()) {
      const VarDecl* variable = root_variable(*item);
      if (variable != nullptr && variable->getCanonicalDecl() == data.getCanonicalDecl()) {
        return true;
      }
    }
  }
  return false;
}

/// Whether a directive's map clauses name the data.
bool maps(const Directive& directive, const VarDecl& data);

/// Whether code has the data's name in it, clauses included.
bool names(const Stmt& code, const VarDecl& data);

/// Whether a region in any case runs on a device and maps the data `from` or `alloc`, no way else.
bool only_brings_back(const Directive& region, const VarDecl& data);

/// Whether a region's own code, or functions that it calls, may set a variable of an expression
/// that lives as long as the program: where the host runs the region, that is the host's variable.
bool may_set_global_of(const Directive& region, const Expr& expression);

}  // namespace ompdm::edit
