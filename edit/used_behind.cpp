#include "used_behind.h"

#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include "pointer_uses.h"

namespace ompdm::edit {

bool is_used_behind(const Program& program, const clang::Stmt& loop,
                    const clang::VarDecl& variable) {
  const clang::FunctionDecl* function = program.function_of(loop);
  // Whoever knows a global variable may use it.
  if (function == nullptr || !function->hasBody() || variable.hasGlobalStorage()) return true;
  const clang::Stmt* outermost = &loop;
  for (const clang::Stmt* at = &loop; at != nullptr; at = program.parent_of(*at)) {
    if (body_of_loop(*at) != nullptr) outermost = at;
  }
  const clang::SourceManager& sources = program.context().getSourceManager();
  for (const Mention& one : mentions_on_host(program, *function->getBody(), variable)) {
    const bool is_behind =
        sources.isBeforeInTranslationUnit(loop.getEndLoc(), one.at->getBeginLoc());
    const bool is_again = outermost != &loop && program.is_within(*one.at, *outermost) &&
                          !program.is_within(*one.at, loop);
    // Memory that is given back is read by nobody.
    const auto* call = llvm::dyn_cast<clang::CallExpr>(one.at);
    const clang::FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
    const bool is_freed = called != nullptr && called->getNameAsString() == "free";
    if ((is_behind || is_again) && !is_freed) return true;
  }
  return false;
}

}  // namespace ompdm::edit
