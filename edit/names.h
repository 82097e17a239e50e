// The names in an item of a clause, their meaning around a loop, and the clauses of a directive
// that name a variable.
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

/// "u" of "u[0:n * n]". Empty where the expression does not begin with a plain name: a member does
/// not.
std::string root_of(const std::string& expression);

/// Whether a letter may stand in an identifier or a number.
bool is_of_name(char letter);

/// An expression's words and the letters between them, in order. The second value says whether the
/// first is an identifier.
std::vector<std::pair<std::string, bool>> words_of(const std::string& expression);

/// All identifiers of an expression.
std::vector<std::string> names_in(const std::string& expression);

/// A statement for the host that overwrites all of "u[0:n * n]" with other bytes.
std::string spoiling(const std::string& expression);

/// The variable of an item of a clause. Null: the item is a member.
const VarDecl* root_variable(const Expr& item);

/// "u" of "u[0:n]" and of "this->u[0:n]", "s->u" of "s -> u[0:n]".
std::string bare_name(llvm::StringRef text);

/// Whether an item of a clause, sections left out, has the name of an expression. The item's name
/// is as the source or as clang writes it. `u[0:n]` and `this->u[0:m]` have the same name.
bool is_called(const clang::ASTContext& context, const Expr& item, const std::string& expression);

/// Whether a statement is the name of a variable.
bool is_name_of(const Stmt& at, const VarDecl& variable);

/// The expressions in code, clauses left out, that name a variable.
std::vector<const clang::DeclRefExpr*> names_of(const Stmt* code, const VarDecl& variable);

/// The only variable of that name in code. Null where there is none, or where there are several.
const VarDecl* variable_named(const Stmt& code, const std::string& name);

/// Whether an expression is made of numbers, and of names of variables that hold numbers.
bool only_names(const Expr& expression);

/// A clause's expression as it is written. Clang computes some expressions before the directive.
const Expr& written(const Expr& expression);

/// The initial value of an integer variable, as it is written: `rows * columns`. None where it has
/// other parts than names and numbers, or where the variable is set again.
std::optional<std::string> made_of(const Program& program, const VarDecl& variable);

class Names {
 public:
  Names(const Program& program, const Stmt& loop) : program_(program), loop_(loop) {}

  /// The variable that a name means in the loop and before it. A name that only functions use has
  /// to be a global variable. Throws Refusal where there is no such variable, or several.
  [[nodiscard]] const VarDecl* expect_before(const std::string& name) const;
  /// Throws Refusal where expect_before() does, or where the loop may set the variable. Names that
  /// are no variables are constants.
  void expect_unchanged(const std::string& name) const;
  /// Throws Refusal where an extent is made of more than such names, or where evaluating it again
  /// may change something.
  void expect_plain(const std::string& extent) const;
  /// An expression with the values of macros and of variables that are set only once. Such a value
  /// is a number, or the initial value as it is written.
  [[nodiscard]] std::string with_constants(const std::string& expression) const;

 private:
  [[nodiscard]] std::optional<std::string> value_of(const VarDecl& variable) const;
  void expect_not_declared_within(const std::string& name) const;
  [[nodiscard]] const VarDecl* find(const std::string& name) const;
  [[nodiscard]] const VarDecl* find_global(const std::string& name) const;

  const Program& program_;
  const Stmt& loop_;
};

/// Whether a statement sets no variable of an expression.
bool stays_the_same(const Program& program, const Stmt& statement, const std::string& expression);

/// For `is_written`: only clauses that the source has. The compiler adds clauses, as for each
/// pointer that no clause of a region names.
inline constexpr bool kWritten = true;

/// An item of a directive's map clause.
struct MapItem {
  const clang::OMPMapClause* clause = nullptr;
  const Expr* item = nullptr;
  const VarDecl* variable = nullptr;  ///< see root_variable()
};

/// All items of a directive's map clauses, in order. With `data`: the items of that variable.
std::vector<MapItem> mapped_items(const Directive& directive, bool is_written = false);
std::vector<MapItem> mapped_items(const Directive& directive, const VarDecl& data,
                                  bool is_written = false);

/// Whether clauses of this kind name the data.
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

/// Whether code names the data, clauses included.
bool names(const Stmt& code, const VarDecl& data);

/// Whether a region always runs on a device, and maps the data only as `from` or `alloc`.
bool only_brings_back(const Directive& region, const VarDecl& data);

/// Whether a region's own code, or a function that it calls, may set a global variable of an
/// expression. Where the host runs the region, that is the host's variable.
bool may_set_global_of(const Directive& region, const Expr& expression);

}  // namespace ompdm::edit
