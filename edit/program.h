// A translation unit's loops and directives, by where they stand, and which code has to do with
// devices. Of clang's syntax tree.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Frontend/ASTUnit.h>
#include <fmt/format.h>

#include <vector>

#include "messages.h"
#include "source_text.h"

namespace ompdm::edit {

using Directive = clang::OMPExecutableDirective;

class Program {
 public:
  /// Both must outlive this.
  Program(clang::ASTUnit& unit, const Request& request);

  [[nodiscard]] clang::ASTContext& context() const { return context_; }
  /// Throws Refusal because of a statement, for a reason that fmt::format() makes.
  template <class... Values>
  [[noreturn]] void refuse(const clang::Stmt& at, fmt::format_string<const Values&...> why,
                           const Values&... values) const {
    throw Refusal(fmt::format(why, values...), place_of(context_, at));
  }

  /// The directives whose pragma begins in that line, as deep as they stand.
  [[nodiscard]] std::vector<const Directive*> directives_at(const Place& place) const;
  /// The loop whose head holds that line, and that leads to directives at all of the places; of a
  /// template one of those that it was made into. Throws Refusal if there are several; null if
  /// there is none.
  [[nodiscard]] const clang::Stmt* loop_at(const Place& place,
                                           const std::vector<Place>& holding) const;
  /// Functions with bodies that are not of the system's headers.
  [[nodiscard]] const std::vector<const clang::FunctionDecl*>& functions() const {
    return functions_;
  }
  [[nodiscard]] Macros macros() const { return Macros(*preprocessor_); }
  /// Whether only sources that are seen may call a function.
  [[nodiscard]] bool is_called_here_alone(const clang::FunctionDecl& function) const;
  /// `target data`, `target enter data` and `target exit data`.
  [[nodiscard]] std::vector<const Directive*> data_directives() const;
  /// In code, and in what is called from there.
  [[nodiscard]] std::vector<const Directive*> directives_in(const clang::Stmt& code) const;
  /// Calls of a function in this translation unit.
  [[nodiscard]] std::vector<const clang::CallExpr*> calls_of(
      const clang::FunctionDecl& function) const;
  /// The same, in which some statements of a block are those of another one in it.
  [[nodiscard]] Program with_span(const clang::Stmt& span, const clang::Stmt& block) const;
  /// Loops of the same text: those that a template was made into.
  [[nodiscard]] std::vector<const clang::Stmt*> alike(const clang::Stmt& loop) const;
  [[nodiscard]] const clang::Stmt* parent_of(const clang::Stmt& statement) const;
  /// Whether `inner` is `outer`, or in it.
  [[nodiscard]] bool is_within(const clang::Stmt& inner, const clang::Stmt& outer) const;
  /// Whether `inner` is in `outer`, or in a function that is called from there.
  [[nodiscard]] bool leads_to(const clang::Stmt& outer, const clang::Stmt& inner) const;
  /// The function whose body holds it; null of none.
  [[nodiscard]] const clang::FunctionDecl* function_of(const clang::Stmt& statement) const;

 private:
  [[nodiscard]] const clang::Stmt* written_parent_of(const clang::Stmt& statement) const;
  [[nodiscard]] bool holds_all(const clang::Stmt& loop, const std::vector<Place>& places) const;
  [[nodiscard]] const clang::Stmt* innermost_around(const Place& place,
                                                    const std::vector<Place>& holding) const;

  clang::ASTContext& context_;
  const clang::Preprocessor* preprocessor_;
  const Request* request_;
  std::vector<const Directive*> directives_;
  std::vector<const clang::Stmt*> loops_;
  std::vector<const clang::FunctionDecl*> functions_;
  const clang::Stmt* span_ = nullptr;   // see with_span()
  const clang::Stmt* block_ = nullptr;  // that it is in
};

/// The function that a call names; null of what is no call, or of a call by pointer.
const clang::FunctionDecl* callee_of(const clang::Stmt* call);

/// The same with its body; null where that is not seen.
const clang::FunctionDecl* seen_callee_of(const clang::Stmt* call);

/// Whether a function is the compiler's or of a header of the system; null is not.
bool is_of_system(const clang::FunctionDecl* function);
bool is_in_system_header(const clang::Decl& declaration);

/// The variable that an expression, casts aside, is the name of; null of none.
const clang::VarDecl* variable_of(const clang::Expr* expression);

/// What a call hands over for a parameter of the function; null of what is missing.
const clang::Expr* argument_for(const clang::CallExpr& call, const clang::ParmVarDecl& parameter);

/// The body of a for, while, do or range-based for; null of what is none of them.
const clang::Stmt* body_of_loop(const clang::Stmt& statement);

/// The function that a variable is declared in, be it in a construct's body; null of none.
const clang::FunctionDecl* function_of(const clang::VarDecl& variable);

/// Whether its associated statement runs on a device.
bool runs_on_device(const Directive& directive);

/// Whether a statement is a directive that runs on a device.
bool is_region(const clang::Stmt& statement);

/// The region that a statement is in; null of what the host runs.
const Directive* region_around(const Program& program, const clang::Stmt& statement);

/// Whether code holds directives for devices, or waits for those that run by themselves, or calls
/// functions that do, as far as they are seen.
bool offloads(const clang::Stmt& code);

}  // namespace ompdm::edit
