#include "trail_loops.h"

#include <clang/AST/Expr.h>
#include <clang/AST/StmtOpenMP.h>

#include "names.h"

namespace ompdm::edit {
namespace {

using Kind = Step::Kind;

/// The loops of a trail, outer loops first.
std::vector<LoopSpan> loops_of(const Trail& trail) {
  std::vector<LoopSpan> all;
  std::vector<std::size_t> open;
  for (std::uint32_t i = 0; i < trail.steps.size(); ++i) {
    const Step& step = trail.steps[i];
    if (step.kind == Kind::kLoop) {
      open.push_back(all.size());
      all.push_back({{i, static_cast<std::uint32_t>(trail.steps.size())}, step.at});
    } else if (step.kind == Kind::kLoopEnd && !open.empty()) {
      all[open.back()].end = i + 1;
      open.pop_back();
    }
  }
  return all;
}

}  // namespace

TrailLoops::TrailLoops(const Trail& trail) : trail_(trail), loops_(loops_of(trail)) {
  for (const LoopSpan& loop : loops_) {
    if (loop.end < loop.begin + 3) continue;
    const std::uint32_t outside = trail.steps[loop.begin].branch;
    std::uint32_t body = trail.steps[loop.end - 2].branch;
    while (body != outside && body != 0 && trail.branches[body] != outside) {
      body = trail.branches[body];
    }
    if (body != outside) bodies_.insert(body);
  }
}

bool TrailLoops::is_under(std::uint32_t branch, std::uint32_t of) const {
  while (branch != of && branch != 0) branch = trail_.branches[branch];
  return branch == of;
}

bool TrailLoops::has_iterations(const LoopSpan& span) const {
  if (isa<clang::DoStmt>(span.loop)) return true;
  const clang::ASTContext* context = trail_.steps[span.begin].context();
  if (context == nullptr) return false;
  const Expr* condition = nullptr;
  if (const auto* loop = dyn_cast<clang::ForStmt>(span.loop)) condition = loop->getCond();
  if (const auto* loop = dyn_cast<clang::WhileStmt>(span.loop)) condition = loop->getCond();
  constexpr int kDeepest = 8;
  return condition != nullptr &&
         value_of(*condition, span.begin, *context, kDeepest).value_or(0) != 0;
}

bool TrailLoops::is_in_call(std::uint32_t step, std::uint32_t call) const {
  std::uint32_t at = trail_.steps[step].call;
  while (at != call && at != 0) at = trail_.callers[at];
  return at == call;
}

bool TrailLoops::is_in_each(std::uint32_t step, const Span& loop) const {
  // The body of a loop depends on the loop's own condition.
  std::uint32_t body = trail_.steps[loop.begin].branch;
  for (std::uint32_t at = trail_.steps[step].branch; at != body; at = trail_.branches[at]) {
    if (trail_.branches[at] == body) {
      const bool is_body = std::all_of(
          trail_.steps.begin() + loop.begin, trail_.steps.begin() + step,
          [&](const Step& one) { return one.branch == body || is_under(one.branch, at); });
      if (!is_body) return false;
      body = at;
      if (trail_.steps[step].branch != at) return false;
      break;
    }
    if (at == 0) return false;
  }
  return !may_be_jumped(loop.begin, step);
}

bool TrailLoops::may_be_jumped(std::uint32_t from, std::uint32_t step) const {
  return std::any_of(
      trail_.steps.begin() + from, trail_.steps.begin() + step,
      [&](const Step& one) { return one.kind == Kind::kJump && is_in_call(step, one.call); });
}

const LoopSpan* TrailLoops::innermost_around(std::uint32_t step) const {
  const LoopSpan* inner = nullptr;
  for (const LoopSpan& loop : loops_) {  // outer loops first
    if (loop.holds(step)) inner = &loop;
  }
  return inner;
}

bool TrailLoops::is_as_often(std::uint32_t branch, std::uint32_t other) const {
  for (; !is_under(other, branch); branch = trail_.branches[branch]) {
    if (branch == 0 || !is_body(branch)) return false;
  }
  return true;
}

bool TrailLoops::is_run_in_each(std::uint32_t step, const LoopSpan& loop) const {
  const LoopSpan* inner = &loop;
  for (const LoopSpan& one : loops_) {  // outer loops first
    if (one.begin > inner->begin && one.end <= inner->end && one.holds(step) &&
        !isa<Directive>(one.loop)) {
      if (!is_in_each(one.begin, *inner)) return false;
      inner = &one;
    }
  }
  const bool is_left = may_be_jumped(inner->begin, step);
  return !is_left && is_in_each(step, *inner);
}

/// The value of an expression before a step, if it is the same in every run.
std::optional<double> TrailLoops::value_of(const Expr& any, std::uint32_t before,
                                           const clang::ASTContext& context, int depth) const {
  const Expr& expression = *any.IgnoreParenImpCasts();
  if (depth == 0 || expression.isValueDependent()) return std::nullopt;
  clang::Expr::EvalResult result;
  if (expression.EvaluateAsRValue(result, context) && !result.HasSideEffects) {
    if (result.Val.isInt()) return result.Val.getInt().roundToDouble();
    if (result.Val.isFloat()) return result.Val.getFloat().convertToDouble();
  }
  if (const VarDecl* variable = variable_of(&expression)) {
    return value_of(*variable, before, context, depth - 1);
  }
  const auto* binary = dyn_cast<clang::BinaryOperator>(&expression);
  if (binary == nullptr) return std::nullopt;
  const std::optional<double> left = value_of(*binary->getLHS(), before, context, depth - 1);
  const std::optional<double> right = value_of(*binary->getRHS(), before, context, depth - 1);
  if (!left || !right) return std::nullopt;
  switch (binary->getOpcode()) {
    case clang::BO_LT:
      return *left < *right;
    case clang::BO_LE:
      return *left <= *right;
    case clang::BO_GT:
      return *left > *right;
    case clang::BO_GE:
      return *left >= *right;
    case clang::BO_EQ:
      return *left == *right;
    case clang::BO_NE:
      return *left != *right;
    case clang::BO_LAnd:
      return *left != 0 && *right != 0;
    case clang::BO_LOr:
      return *left != 0 || *right != 0;
    case clang::BO_Add:
      return *left + *right;
    case clang::BO_Sub:
      return *left - *right;
    case clang::BO_Mul:
      return *left * *right;
    default:
      return std::nullopt;
  }
}

/// The value of a variable: the last value that it was set to, or its initial value.
std::optional<double> TrailLoops::value_of(const VarDecl& variable, std::uint32_t before,
                                           const clang::ASTContext& context, int depth) const {
  const Path path{variable.getCanonicalDecl(), {}};
  for (std::uint32_t i = before; i-- > 0;) {
    const Step& step = trail_.steps[i];
    const bool has_access = step.kind == Kind::kAccess || step.kind == Kind::kMade;
    if (!has_access || step.on_device) continue;
    const Access& access = trail_.accesses[step.access];
    const bool reads = access.use == Use::kRead;
    if (reads || !trail_.may_be_of(access, path)) continue;
    // An assignment in a branch may not have run.
    if (!is_under(trail_.steps[before].branch, step.branch) || step.is_late) return std::nullopt;
    if (step.kind == Kind::kMade) {
      if (variable.getInit() == nullptr) return std::nullopt;
      return value_of(*variable.getInit(), i, context, depth);
    }
    const auto* set = dyn_cast_or_null<clang::BinaryOperator>(step.at);
    const bool is_plain = set != nullptr && set->getOpcode() == clang::BO_Assign &&
                          variable_of(set->getLHS()) == &variable;
    return is_plain ? value_of(*set->getRHS(), i, context, depth) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ompdm::edit
