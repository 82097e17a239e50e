#include "memory.h"

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer.h"
#include "certain.h"
#include "clause_items.h"
#include "own_storage.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

class Memory {
 public:
  Memory(const Program& program, const clang::Stmt& code) : program_(program), code_(code) {}

  [[nodiscard]] bool is_called(const clang::FunctionDecl& function) {
    if (!open_.insert(&function).second) return false;
    const auto calls = program_.calls_of(function);
    const bool found = std::ranges::any_of(calls, [&](const clang::CallExpr* call) {
      if (program_.is_within(*call, code_)) return is_certain(program_, *call, code_);
      const clang::FunctionDecl* caller = program_.function_of(*call);
      return caller != nullptr && caller != program_.function_of(code_) && caller->hasBody() &&
             is_certain(program_, *call, *caller->getBody()) && is_called(*caller);
    });
    open_.erase(&function);
    return found;
  }

  [[nodiscard]] bool is_mapped(const Scope& scope) {
    const bool is_reached = scope.function == nullptr || is_called(*scope.function);
    return is_reached &&
           std::ranges::any_of(program_.directives_in(*scope.code), [&](const auto* directive) {
             return maps(*directive, *scope.data) && program_.is_within(*directive, *scope.code) &&
                    is_certain(program_, *directive, *scope.code);
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
      if (!is_allocation(value)) continue;  // of what it is exchanged with
      if (has_choice(*value) || !is_certain_before(*value, *function->getBody())) return false;
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
