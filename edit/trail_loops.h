// Loops of a trail, and what is certain of their iterations.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "trail.h"

namespace ompdm::edit {

/// Steps from `begin` until before `end`.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool holds(std::uint32_t step) const { return begin <= step && step < end; }
  [[nodiscard]] bool holds(const Span& other) const {
    return begin <= other.begin && other.end <= end;
  }
};

struct LoopSpan : Span {
  const Stmt* loop = nullptr;
};

class TrailLoops {
 public:
  explicit TrailLoops(const Trail& trail);

  /// All loops, outer loops first.
  [[nodiscard]] const std::vector<LoopSpan>& all() const { return loops_; }
  /// Whether a branch is another branch, or is in it.
  [[nodiscard]] bool is_under(std::uint32_t branch, std::uint32_t of) const;
  /// Whether a branch is the body of a loop.
  [[nodiscard]] bool is_body(std::uint32_t branch) const { return bodies_.contains(branch); }
  /// Whether a loop has an iteration in every run: its condition is true for the constants that its
  /// variables have before the loop.
  [[nodiscard]] bool has_iterations(const LoopSpan& loop) const;

  [[nodiscard]] bool is_in_call(std::uint32_t step, std::uint32_t call) const;
  /// Whether a step is run in each iteration of a loop that holds it.
  [[nodiscard]] bool is_in_each(std::uint32_t step, const Span& loop) const;
  /// Whether a jump before a later step may skip the step. The jump is then in a function that has
  /// not returned before the step.
  [[nodiscard]] bool may_be_jumped(std::uint32_t from, std::uint32_t step) const;
  /// The innermost loop around a step. Null: there is none.
  [[nodiscard]] const LoopSpan* innermost_around(std::uint32_t step) const;
  [[nodiscard]] bool is_as_often(std::uint32_t branch, std::uint32_t other) const;
  /// Whether each iteration of a loop executes a step, be it in inner loops.
  [[nodiscard]] bool is_run_in_each(std::uint32_t step, const LoopSpan& loop) const;

 private:
  [[nodiscard]] std::optional<double> value_of(const Expr& any, std::uint32_t before,
                                               const clang::ASTContext& context, int depth) const;
  [[nodiscard]] std::optional<double> value_of(const VarDecl& variable, std::uint32_t before,
                                               const clang::ASTContext& context, int depth) const;

  const Trail& trail_;
  std::vector<LoopSpan> loops_;
  std::set<std::uint32_t> bodies_;
};

}  // namespace ompdm::edit
