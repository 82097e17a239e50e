// A translation unit's loops and directives, by their places, and the code that executes something
// on devices. All of it is found in clang's syntax tree.
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

/// Parses the translation unit of a request as it is compiled. Null where it does not compile:
/// `errors` gets the compiler's messages.
std::unique_ptr<clang::ASTUnit> parsed_unit(const Request& request,
                                            std::vector<std::string>& errors);

class Program {
 public:
  /// Both must outlive this.
  Program(clang::ASTUnit& unit, const Request& request);

  [[nodiscard]] clang::ASTContext& context() const { return context_; }
  /// Throws Refusal for a statement, with a reason that fmt::format() makes.
  template <class... Values>
  [[noreturn]] void refuse(const Stmt& at, fmt::format_string<const Values&...> why,
                           const Values&... values) const {
    throw Refusal(fmt::format(why, values...), place_of(context_, at));
  }

  /// The directives whose pragma begins in that line, at any depth.
  [[nodiscard]] std::vector<const Directive*> directives_at(const Place& place) const;
  /// The loops whose heads hold that line. Where there is none: all loops around the line.
  [[nodiscard]] std::vector<const Stmt*> loops_at(const Place& place) const;
  /// The loop whose head holds that line, and that leads to directives at all of the places. Of a
  /// template this is the loop of one instantiation. Throws Refusal if there are several. Null:
  /// there is none.
  [[nodiscard]] const Stmt* loop_at(const Place& place, const std::vector<Place>& holding) const;
  /// Functions with bodies, without those of the system's headers.
  [[nodiscard]] const std::vector<const FunctionDecl*>& functions() const { return functions_; }
  /// Whether the unit was parsed with the options of its build. Otherwise macros may have other
  /// values.
  [[nodiscard]] bool knows_options() const { return !request_->compiled; }
  [[nodiscard]] Macros macros() const { return Macros(*preprocessor_); }
  [[nodiscard]] const clang::Preprocessor& preprocessor() const { return *preprocessor_; }
  /// Whether all calls of a function are in sources that are seen.
  [[nodiscard]] bool is_called_here_alone(const FunctionDecl& function) const;
  /// `target data`, `target enter data` and `target exit data`.
  [[nodiscard]] std::vector<const Directive*> data_directives() const;
  /// Directives in code, and in functions that it calls.
  [[nodiscard]] std::vector<const Directive*> directives_in(const Stmt& code) const;
  /// Calls of a function in this translation unit.
  [[nodiscard]] std::vector<const CallExpr*> calls_of(const FunctionDecl& function) const;
  /// The same program, in which `span`, a statement made of some statements of `block`, is their
  /// parent.
  [[nodiscard]] Program with_span(const Stmt& span, const Stmt& block) const;
  /// Loops at the same place in the source: those of all instantiations of a template.
  [[nodiscard]] std::vector<const Stmt*> alike(const Stmt& loop) const;
  [[nodiscard]] const Stmt* parent_of(const Stmt& statement) const;
  /// Whether `inner` is `outer`, or in it.
  [[nodiscard]] bool is_within(const Stmt& inner, const Stmt& outer) const;
  /// Whether `inner` is in `outer`, or in a function that is called from there.
  [[nodiscard]] bool leads_to(const Stmt& outer, const Stmt& inner) const;
  /// The function whose body holds the statement. Null: none.
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
  const Stmt* block_ = nullptr;           // the block of the span's statements
  mutable std::shared_ptr<Calls> calls_;  ///< by function; null until they are first needed
  /// Functions that code leads to, by the code. Filled at each query.
  std::shared_ptr<std::map<const Stmt*, std::set<const FunctionDecl*>>> bodies_ =
      std::make_shared<std::map<const Stmt*, std::set<const FunctionDecl*>>>();
};

/// The function that a call names. Null: it is no call, or a call by pointer.
const FunctionDecl* callee_of(const Stmt* call);

/// The same function with its body. Null: its body is not seen.
const FunctionDecl* seen_callee_of(const Stmt* call);

/// Whether a function is the compiler's or of a header of the system. False for null.
bool is_of_system(const FunctionDecl* function);
bool is_in_system_header(const clang::Decl& declaration);

/// The variable that an expression names, casts left out. Null: none.
const VarDecl* variable_of(const Expr* expression);

/// The argument of a call for a parameter of the function. Null: there is none.
const Expr* argument_for(const CallExpr& call, const clang::ParmVarDecl& parameter);

/// The body of a for, while, do or range-based for. Null: another statement.
const Stmt* body_of_loop(const Stmt& statement);

/// The function that declares a variable, be it in a construct's body. Null: none.
const FunctionDecl* function_of(const VarDecl& variable);

/// Whether a directive's associated statement runs on a device.
bool runs_on_device(const Directive& directive);

/// Whether a directive has code: a region, or `target data`.
bool has_own_code(const Directive& directive);

/// Whether a statement is a directive that runs on a device.
bool is_region(const Stmt& statement);

/// The condition of a directive's if() clause that keeps the directive from the device where it is
/// false. Null: there is none. An if() clause for `parallel` or `simd` is no such clause.
const Expr* device_condition(const Directive& directive);

/// Whether the host runs on while a directive executes. The directive is `nowait`, and the next
/// statement of its block that is no nowait region is no `taskwait`.
bool runs_beside(const Program& program, const Directive& directive);

/// The region that a statement is in. Null: the host runs the statement.
const Directive* region_around(const Program& program, const Stmt& statement);

/// Whether code has directives for devices, or waits for tasks, or calls functions that do.
/// Functions count as far as their bodies are seen.
bool offloads(const Stmt& code);

}  // namespace ompdm::edit
