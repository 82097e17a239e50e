// The largest index by which a region uses an array in every run, where numbers alone determine it.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Analysis/Analyses/ExprMutationAnalyzer.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "conditionals.h"
#include "facts.h"
#include "names.h"

namespace ompdm::edit {
namespace {

/// The values of a loop's counter, both ends included.
struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// A sum of variables times numbers, plus a number.
struct Linear {
  std::map<const VarDecl*, std::int64_t> factors;
  std::int64_t number = 0;
};

/// No program uses a larger index, and products of two such numbers do not overflow.
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

const VarDecl* variable_in(const Expr& any) {
  const auto* name = dyn_cast<clang::DeclRefExpr>(any.IgnoreParenImpCasts());
  return name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
}

/// Finds numbers that options of the build may decide. They come from macros that options define,
/// or that are defined under a condition (`#ifndef N`).
class FixedNumbers {
 public:
  explicit FixedNumbers(const Program& program)
      : program_(program), sources_(program.context().getSourceManager()) {}

  /// Whether an expression has the same value under all options.
  bool are_fixed(const Expr& number) { return is_fixed(number, kDeepest); }

 private:
  static constexpr int kDeepest = 8;

  bool is_fixed(const Stmt& at, int depth) {
    if (depth == 0 || !is_fixed(at.getBeginLoc()) || !is_fixed(at.getEndLoc())) return false;
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&at)) {
      const auto* variable = dyn_cast<VarDecl>(name->getDecl());
      const auto* constant = dyn_cast<clang::EnumConstantDecl>(name->getDecl());
      const Expr* value = variable != nullptr   ? variable->getAnyInitializer()
                          : constant != nullptr ? constant->getInitExpr()
                                                : nullptr;
      if (value != nullptr && !is_fixed(*value, depth - 1)) return false;
    }
    return std::ranges::all_of(at.children(), [&](const Stmt* child) {
      return child == nullptr || is_fixed(*child, depth);
    });
  }

  bool is_fixed(clang::SourceLocation at) {
    for (; at.isMacroID(); at = sources_.getImmediateMacroCallerLoc(at)) {
      const clang::SourceLocation written = sources_.getSpellingLoc(at);
      if (!sources_.isInSystemHeader(written) && is_under_condition(written)) return false;
    }
    return true;
  }

  bool is_under_condition(clang::SourceLocation written) {
    const auto [file, offset] = sources_.getDecomposedLoc(written);
    if (!sources_.getFileEntryRefForID(file)) return true;  // an option defines it
    const auto [at, is_new] = texts_.try_emplace(file);
    if (is_new) at->second = file_text(sources_, file, program_.context().getLangOpts());
    return std::ranges::any_of(at->second.conditionals, [&, here = offset](const Conditional& one) {
      return !one.is_guard && one.begin < here && here < one.end;
    });
  }

  const Program& program_;
  const clang::SourceManager& sources_;
  std::map<clang::FileID, FileText> texts_;
};

/// Visits the code that each iteration of the region's loops evaluates. Code behind a condition or
/// a jump, and bodies of other functions, are left out.
class Indices : public clang::RecursiveASTVisitor<Indices> {
 public:
  Indices(const Program& program, const VarDecl& array)
      : program_(program), context_(program.context()), array_(array), fixed_(program) {}

  [[nodiscard]] const std::optional<LargestIndex>& largest() const { return largest_; }

  bool TraverseForStmt(clang::ForStmt* loop) {
    const VarDecl* variable = nullptr;
    const std::optional<Range> range = range_of(*loop, variable);
    if (!range || has_jumps(*loop->getBody())) return true;
    ranges_[variable] = *range;
    TraverseStmt(loop->getBody());
    ranges_.erase(variable);
    return true;
  }
  bool TraverseIfStmt(clang::IfStmt* choice) { return TraverseStmt(choice->getCond()); }
  bool TraverseConditionalOperator(clang::ConditionalOperator* choice) {
    return TraverseStmt(choice->getCond());
  }
  bool TraverseWhileStmt(clang::WhileStmt* /*loop*/) { return true; }
  bool TraverseDoStmt(clang::DoStmt* /*loop*/) { return true; }
  bool TraverseSwitchStmt(clang::SwitchStmt* /*choice*/) { return true; }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* /*loop*/) { return true; }
  bool TraverseLambdaExpr(clang::LambdaExpr* /*lambda*/) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* /*size*/) { return true; }
  bool TraverseBinaryOperator(clang::BinaryOperator* operation) {
    if (operation->isLogicalOp()) return TraverseStmt(operation->getLHS());
    if (operation->isAssignmentOp()) written_ = operation->getLHS()->IgnoreParens();
    return RecursiveASTVisitor::TraverseBinaryOperator(operation);
  }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* element) {
    if (variable_in(*element->getBase()) != &array_) return true;
    const std::optional<Linear> index = linear_of(*element->getIdx());
    if (!index) return true;
    std::int64_t most = index->number;
    for (const auto& [variable, factor] : index->factors) {
      const Range& range = ranges_.at(variable);
      most += factor > 0 ? factor * range.most : factor * range.least;
    }
    if (most < 0 || most > kMost || (largest_ && most <= largest_->index)) return true;
    largest_ = LargestIndex{most, written_ == element, place_of(context_, *element)};
    return true;
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> number_of(const Expr& any) {
    Expr::EvalResult result;
    if (any.isValueDependent() || !any.EvaluateAsInt(result, context_)) return std::nullopt;
    if (!program_.knows_options() && !fixed_.are_fixed(any)) return std::nullopt;
    const std::optional<std::int64_t> value = result.Val.getInt().tryExtValue();
    return value && *value <= kMost && *value >= -kMost ? value : std::nullopt;
  }

  /// The range of a loop that counts up from a number to a number, and has an iteration.
  [[nodiscard]] std::optional<Range> range_of(const clang::ForStmt& loop,
                                              const VarDecl*& variable) {
    std::optional<std::int64_t> first;
    if (const auto* declared = dyn_cast_or_null<clang::DeclStmt>(loop.getInit())) {
      variable = declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl()) : nullptr;
      if (variable != nullptr && variable->getInit() != nullptr) {
        first = number_of(*variable->getInit());
      }
    } else if (const auto* set = dyn_cast_or_null<clang::BinaryOperator>(loop.getInit())) {
      variable = set->getOpcode() == clang::BO_Assign ? variable_in(*set->getLHS()) : nullptr;
      first = number_of(*set->getRHS());
    }
    const auto* condition = dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
    if (variable == nullptr || !first || condition == nullptr) return std::nullopt;
    const bool is_below = condition->getOpcode() == clang::BO_LT;
    const bool is_up_to = condition->getOpcode() == clang::BO_LE;
    if ((!is_below && !is_up_to) || variable_in(*condition->getLHS()) != variable) {
      return std::nullopt;
    }
    const std::optional<std::int64_t> end = number_of(*condition->getRHS());
    const auto* step = dyn_cast_or_null<clang::UnaryOperator>(loop.getInc());
    const bool counts =
        step != nullptr && step->isIncrementOp() && variable_in(*step->getSubExpr()) == variable;
    if (!end || !counts || is_changed(*loop.getBody(), *variable)) return std::nullopt;
    const Range range{*first, is_below ? *end - 1 : *end};
    return range.least <= range.most ? std::optional(range) : std::nullopt;
  }

  [[nodiscard]] bool is_changed(const Stmt& body, const VarDecl& variable) const {
    clang::ExprMutationAnalyzer changes(body, const_cast<clang::ASTContext&>(context_));
    return changes.isMutated(&variable);
  }

  static bool has_jumps(const Stmt& code) {
    if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt,
            clang::CXXThrowExpr>(code)) {
      return true;
    }
    return std::ranges::any_of(
        code.children(), [](const Stmt* child) { return child != nullptr && has_jumps(*child); });
  }

  [[nodiscard]] std::optional<Linear> linear_of(const Expr& any) {
    const Expr& at = *any.IgnoreParenImpCasts();
    if (const std::optional<std::int64_t> number = number_of(at)) return Linear{{}, *number};
    if (const VarDecl* variable = variable_in(at)) {
      return ranges_.contains(variable) ? std::optional(Linear{{{variable, 1}}, 0}) : std::nullopt;
    }
    const auto* operation = dyn_cast<clang::BinaryOperator>(&at);
    if (operation == nullptr) return std::nullopt;
    std::optional<Linear> left = linear_of(*operation->getLHS());
    const std::optional<Linear> right = linear_of(*operation->getRHS());
    if (!left || !right) return std::nullopt;
    if (operation->getOpcode() == clang::BO_Mul) {
      if (left->factors.empty()) return times(*right, left->number);
      return right->factors.empty() ? times(*left, right->number) : std::nullopt;
    }
    const bool is_sum = operation->getOpcode() == clang::BO_Add;
    if (!is_sum && operation->getOpcode() != clang::BO_Sub) return std::nullopt;
    const std::int64_t sign = is_sum ? 1 : -1;
    for (const auto& [variable, factor] : right->factors) left->factors[variable] += sign * factor;
    left->number += sign * right->number;
    return left;
  }

  static std::optional<Linear> times(Linear sum, std::int64_t by) {
    for (auto& [variable, factor] : sum.factors) {
      if (std::abs(factor) > kMost) return std::nullopt;
      factor *= by;
    }
    if (std::abs(sum.number) > kMost) return std::nullopt;
    sum.number *= by;
    return sum;
  }

  const Program& program_;
  const clang::ASTContext& context_;
  const VarDecl& array_;
  FixedNumbers fixed_;
  std::map<const VarDecl*, Range> ranges_;
  const Expr* written_ = nullptr;
  std::optional<LargestIndex> largest_;
};

}  // namespace

std::optional<LargestIndex> largest_index(const Program& program, const Directive& region,
                                          const VarDecl& array) {
  Stmt& code = const_cast<Stmt&>(*region.getInnermostCapturedStmt()->getCapturedStmt());
  clang::ExprMutationAnalyzer changes(code, program.context());
  const bool is_set = array.getType()->isAnyPointerType() && changes.isMutated(&array);
  if (is_set) return std::nullopt;
  Indices indices(program, array);
  indices.TraverseStmt(&code);
  return indices.largest();
}

}  // namespace ompdm::edit
