// A translation unit's loops and directives, by where they stand, and which code has to do with
// devices. Of clang's syntax tree.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Frontend/ASTUnit.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "messages.h"
#include "source_text.h"

namespace ompdm::edit {

using Directive = clang::OMPExecutableDirective;

/// The translation unit of a request, as it is compiled. Null where it does not compile: `errors`
/// has what the compiler said.
std::unique_ptr<clang::ASTUnit> parsed_unit(const Request& request,
                                            std::vector<std::string>& errors);

class Program {
 public:
  /// Both must outlive this.
  Program(clang::ASTUnit& unit, const Request& request);

  [[nodiscard]] clang::ASTContext& context() const { return context_; }
  /// Throws Refusal because of a statement, for a reason that fmt::format() makes.
  template <class... Values>
  [[noreturn]] void refuse(const Stmt& at, fmt::format_string<const Values&...> why,
                           const Values&... values) const {
    throw Refusal(fmt::format(why, values...), place_of(context_, at));
  }

  /// The directives whose pragma begins in that line, as deep as they stand.
  [[nodiscard]] std::vector<const Directive*> directives_at(const Place& place) const;
  /// The loops whose heads hold that line; where there is none those around it.
  [[nodiscard]] std::vector<const Stmt*> loops_at(const Place& place) const;
  /// The loop whose head holds that line, and that leads to directives at all of the places; of a
  /// template one of those that it was made into. Throws Refusal if there are several; null if
  /// there is none.
  [[nodiscard]] const Stmt* loop_at(const Place& place, const std::vector<Place>& holding) const;
  /// Functions with bodies that are not of the system's headers.
  [[nodiscard]] const std::vector<const FunctionDecl*>& functions() const { return functions_; }
  /// Whether it was parsed with the options of its build: else macros may have other values.
  [[nodiscard]] bool knows_options() const { return !request_->compiled; }
  [[nodiscard]] Macros macros() const { return Macros(*preprocessor_); }
  [[nodiscard]] const clang::Preprocessor& preprocessor() const { return *preprocessor_; }
  /// Whether only sources that are seen may call a function.
  [[nodiscard]] bool is_called_here_alone(const FunctionDecl& function) const;
  /// `target data`, `target enter data` and `target exit data`.
  [[nodiscard]] std::vector<const Directive*> data_directives() const;
  /// In code, and in what is called from there.
  [[nodiscard]] std::vector<const Directive*> directives_in(const Stmt& code) const;
  /// Calls of a function in this translation unit.
  [[nodiscard]] std::vector<const CallExpr*> calls_of(const FunctionDecl& function) const;
  /// The same, in which some statements of a block are those of another one in it.
  [[nodiscard]] Program with_span(const Stmt& span, const Stmt& block) const;
  /// Loops of the same text: those that a template was made into.
  [[nodiscard]] std::vector<const Stmt*> alike(const Stmt& loop) const;
  [[nodiscard]] const Stmt* parent_of(const Stmt& statement) const;
  /// Whether `inner` is `outer`, or in it.
  [[nodiscard]] bool is_within(const Stmt& inner, const Stmt& outer) const;
  /// Whether `inner` is in `outer`, or in a function that is called from there.
  [[nodiscard]] bool leads_to(const Stmt& outer, const Stmt& inner) const;
  /// The function whose body holds it; null of none.
  [[nodiscard]] const FunctionDecl* function_of(const Stmt& statement) const;

 private:
  using Calls = std::map<const FunctionDecl*, std::vector<const CallExpr*>>;
  [[nodiscard]] const Stmt* written_parent_of(const Stmt& statement) const;
  [[nodiscard]] bool holds_all(const Stmt& loop, const std::vector<Place>& places) const;
  [[nodiscard]] bool is_head(const Stmt& loop, const Place& place) const;
  [[nodiscard]] const Stmt* innermost_around(const Place& place,
                                             const std::vector<Place>& holding) const;

  clang::ASTContext& context_;
  const clang::Preprocessor* preprocessor_;
  const Request* request_;
  std::vector<const Directive*> directives_;
  std::vector<const Stmt*> loops_;
  std::vector<const FunctionDecl*> functions_;
  const Stmt* span_ = nullptr;            // see with_span()
  const Stmt* block_ = nullptr;           // that it is in
  mutable std::shared_ptr<Calls> calls_;  ///< by the function, once they are looked for
  /// Functions that code leads to, by the code; filled as they are asked for.
  std::shared_ptr<std::map<const Stmt*, std::set<const FunctionDecl*>>> bodies_ =
      std::make_shared<std::map<const Stmt*, std::set<const FunctionDecl*>>>();
};

/// The function that a call names; null of what is no call, or of a call by pointer.
const FunctionDecl* callee_of(const Stmt* call);

/// The same with its body; null where that is not seen.
const FunctionDecl* seen_callee_of(const Stmt* call);

/// Whether a function is the compiler's or of a header of the system; null is not.
bool is_of_system(const FunctionDecl* function);
bool is_in_system_header(const clang::Decl& declaration);

/// The variable that an expression, casts aside, is the name of; null of none.
const VarDecl* variable_of(const Expr* expression);

/// What a call hands over for a parameter of the function; null of what is missing.
const Expr* argument_for(const CallExpr& call, const clang::ParmVarDecl& parameter);

/// The body of a for, while, do or range-based for; null of what is none of them.
const Stmt* body_of_loop(const Stmt& statement);

/// The function that a variable is declared in, be it in a construct's body; null of none.
const FunctionDecl* function_of(const VarDecl& variable);

/// Whether its associated statement runs on a device.
bool runs_on_device(const Directive& directive);

/// Whether a directive has code: a region, or `target data`.
bool has_own_code(const Directive& directive);

/// Whether a statement is a directive that runs on a device.
bool is_region(const Stmt& statement);

/// The condition of a directive's if() clause that leaves the device alone where it does not hold;
/// null: none. One for `parallel` or `simd` does not.
const Expr* device_condition(const Directive& directive);

/// Whether the host goes on while a directive is at work: it is nowait, and the next statement of
/// its block that is no nowait region, too, is no `taskwait`.
bool runs_beside(const Program& program, const Directive& directive);

/// The region that a statement is in; null of what the host runs.
const Directive* region_around(const Program& program, const Stmt& statement);

/// Whether code holds directives for devices, or waits for those that run by themselves, or calls
/// functions that do, as far as they are seen.
bool offloads(const Stmt& code);

}  // namespace ompdm::edit
