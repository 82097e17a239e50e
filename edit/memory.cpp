#include "memory.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer.h"
#include "clause_items.h"
#include "own_storage.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Statements that may pass by what stands behind them, and choices between values.
class Branches : public WrittenCode<Branches> {
 public:
  bool VisitStmt(clang::Stmt* statement) {
    if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement)) {
      jumps.push_back(statement);
    }
    has_choice = has_choice || isa<clang::ConditionalOperator>(statement);
    return true;
  }
  std::vector<const clang::Stmt*> jumps;
  bool has_choice = false;
};

/// Whether a statement decides if a part of it is run.
bool decides(const clang::Stmt& statement, const clang::Stmt* part) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) return part != branch->getCond();
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&statement)) {
    return part != choice->getCond();
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    return binary->isLogicalOp() && part == binary->getRHS();
  }
  if (body_of_loop(statement) == part) return !isa<clang::DoStmt>(statement);
  return isa<clang::SwitchStmt, clang::LambdaExpr, clang::CXXCatchStmt>(statement);
}

class Memory {
 public:
  Memory(const Program& program, const clang::Stmt& code) : program_(program), code_(code) {}

  /// Whether a run that comes to the end of `outer` has come by `inner`; of a loop, of a run that
  /// makes a pass.
  [[nodiscard]] bool is_certain(const clang::Stmt& inner, const clang::Stmt& outer) const {
    const clang::Stmt* child = &inner;
    while (child != &outer) {
      const clang::Stmt* at = program_.parent_of(*child);
      if (at == nullptr || (at != &outer && decides(*at, child))) return false;
      child = at;
    }
    Branches branches;
    branches.TraverseStmt(const_cast<clang::Stmt*>(&outer));
    const clang::SourceManager& sources = program_.context().getSourceManager();
    return std::ranges::none_of(branches.jumps, [&](const clang::Stmt* jump) {
      return sources.isBeforeInTranslationUnit(jump->getBeginLoc(), inner.getBeginLoc());
    });
  }

  [[nodiscard]] bool is_called(const clang::FunctionDecl& function) {
    if (!open_.insert(&function).second) return false;
    const auto calls = program_.calls_of(function);
    const bool found = std::ranges::any_of(calls, [&](const clang::CallExpr* call) {
      if (program_.is_within(*call, code_)) return is_certain(*call, code_);
      const clang::FunctionDecl* caller = program_.function_of(*call);
      return caller != nullptr && caller != program_.function_of(code_) && caller->hasBody() &&
             is_certain(*call, *caller->getBody()) && is_called(*caller);
    });
    open_.erase(&function);
    return found;
  }

  [[nodiscard]] bool is_mapped(const Scope& scope) {
    const bool is_reached = scope.function == nullptr || is_called(*scope.function);
    return is_reached &&
           std::ranges::any_of(program_.directives_in(*scope.code), [&](const auto* directive) {
             return maps(*directive, *scope.data) && program_.is_within(*directive, *scope.code) &&
                    is_certain(*directive, *scope.code);
           });
  }

  /// An array, or a pointer that is set to memory of one size before the code.
  [[nodiscard]] bool is_allocated(const clang::VarDecl& data) const {
    if (data.getType()->isArrayType()) return !isa<clang::ParmVarDecl>(data);
    const clang::FunctionDecl* function = function_of(data);
    if (function == nullptr || !function->hasBody() || isa<clang::ParmVarDecl>(data)) return false;
    bool is_set = false;
    for (const clang::Expr* value : values_of(data, *function->getBody())) {
      if (is_null(*value)) continue;
      Branches branches;
      branches.TraverseStmt(const_cast<clang::Expr*>(value));
      if (!is_allocation(value)) continue;  // of what it is exchanged with
      if (branches.has_choice || !is_certain_before(*value, *function->getBody())) return false;
      is_set = true;
    }
    return is_set;
  }

 private:
  static bool is_null(const clang::Expr& value) {
    const clang::Expr* plain = value.IgnoreParenCasts();
    return isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral>(plain);
  }

  /// Whether all that decides of a statement decides of the code, too: "if (on) { u = malloc(n);
  /// for (...)".
  [[nodiscard]] bool is_certain_before(const clang::Stmt& value, const clang::Stmt& body) const {
    const clang::Stmt* child = &value;
    while (child != &body) {
      const clang::Stmt* at = program_.parent_of(*child);
      if (at == nullptr || program_.is_within(code_, *child)) return at != nullptr;
      if (decides(*at, child)) return program_.is_within(code_, *child);
      child = at;
    }
    return true;
  }

  const Program& program_;
  const clang::Stmt& code_;
  std::set<const clang::FunctionDecl*> open_;
};

}  // namespace

void expect_memory(const Program& program, const clang::Stmt& code, const clang::VarDecl& data,
                   const std::vector<const Scope*>& scopes) {
  Memory memory(program, code);
  const bool has_some =
      memory.is_allocated(data) ||
      std::ranges::any_of(scopes, [&](const Scope* scope) { return memory.is_mapped(*scope); });
  if (has_some) return;
  throw Refusal(fmt::format("{} is mapped under conditions alone, and may have no memory otherwise",
                            data.getNameAsString()),
                place_of(program.context(), code));
}

}  // namespace ompdm::edit
