#include "parts.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "answer.h"
#include "derived.h"
#include "pointer_uses.h"

namespace ompdm::edit {
namespace {

using clang::dyn_cast;
using Variable = const clang::VarDecl*;
using Roots = std::set<const clang::Decl*>;

/// A pointer, and those that its values before the loop are made of.
Roots roots_of(const Program& program, const clang::Stmt& loop, const OwnStorage& own,
               const clang::VarDecl& pointer) {
  Roots roots;
  std::vector<Variable> open = {&pointer};
  // What one function gives, memory of their own apart, may be parts of one piece.
  const auto add_giver = [&](const clang::Expr& value) {
    const auto* call = dyn_cast<clang::CallExpr>(value.IgnoreParenCasts());
    const clang::FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
    if (called != nullptr && !is_allocation(&value)) roots.insert(called->getCanonicalDecl());
  };
  const auto add = [&](const clang::Expr* value) {
    if (value == nullptr) return;
    add_giver(*value);
    const Variable base = base_variable(*value);
    if (base != nullptr) open.push_back(base->getCanonicalDecl());
  };
  while (!open.empty()) {
    const Variable at = open.back();
    open.pop_back();
    if (!roots.insert(at).second) continue;
    for (const clang::FunctionDecl* function : own.functions_of(*at)) {
      for (const clang::Expr* value : values_of(*at, *function->getBody())) {
        if (!program.is_within(*value, loop)) add(value);
      }
    }
    const auto* parameter = dyn_cast<clang::ParmVarDecl>(at);
    const auto* function =
        parameter == nullptr ? nullptr : dyn_cast<clang::FunctionDecl>(at->getDeclContext());
    if (function == nullptr) continue;
    const unsigned number = parameter->getFunctionScopeIndex();
    for (const clang::CallExpr* call : program.calls_of(*function)) {
      if (number < call->getNumArgs()) add(call->getArg(number));
    }
  }
  return roots;
}

}  // namespace

void expect_own_indexes(const Program& program, const clang::Stmt& loop, const OwnStorage& own,
                        const clang::VarDecl& one, const clang::VarDecl& other) {
  Roots common;
  const Roots left = roots_of(program, loop, own, one);
  std::ranges::set_intersection(left, roots_of(program, loop, own, other),
                                std::inserter(common, common.end()));
  if (common.empty()) return;
  for (const Variable each : {&one, &other}) {
    for (const Mention& use : mentions_on_host(program, loop, *each)) {
      if (use.use == Use::kNone || use.use == Use::kPointer) continue;
      throw Refusal(fmt::format("{} and {} are parts of one piece of memory, of which the host may "
                                "use one by the other's name",
                                one.getNameAsString(), other.getNameAsString()),
                    place_of(program.context(), *use.at));
    }
  }
}

}  // namespace ompdm::edit
