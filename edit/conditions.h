// Conditions of if() clauses, and what is known of them on an execution path.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trail.h"

namespace ompdm::edit {

/// A condition that was evaluated, and whether it held.
struct Condition {
  std::string text;
  std::uint32_t call = 0;                       ///< of the function that evaluated it
  std::set<const clang::Decl*> variables = {};  ///< variables in the condition
  bool held = false;

  [[nodiscard]] bool is_as(const Condition& other) const {
    return text == other.text && call == other.call && variables == other.variables;
  }

  auto operator<=>(const Condition&) const = default;
};

/// The conditions that were evaluated last.
using KnownConditions = std::vector<Condition>;

/// Forgets the conditions with a variable that the access sets.
void forget(KnownConditions& known, const Access& access);
/// Forgets the conditions with a variable that a clause of the directive names: it may be copied
/// back.
void forget(KnownConditions& known, const Directive& directive);

/// A condition at a step.
class ConditionAt {
 public:
  /// The condition of the if() clause that chooses the device, if the directive has such a clause.
  ConditionAt(const Step& step, const Directive& directive);
  /// The condition that an expression of the step has that value.
  ConditionAt(const Step& step, const Expr& expression, int value);

  /// Whether there is a condition at all.
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Whether the condition is made of numbers alone, so that two evaluations can be compared.
  [[nodiscard]] bool is_of_numbers() const { return is_of_numbers_; }
  /// The conditions known after that answer. Nullopt: the answer contradicts them.
  [[nodiscard]] std::optional<KnownConditions> answered(bool held,
                                                        const KnownConditions& before) const;

  /// Calls take(state, held) for each execution path and each answer that is possible on it.
  template <class Ways, class Take>
  void each(Ways& ways, Take&& take) const {
    Ways after;
    for (const auto& one : ways) {
      for (const bool held : {true, false}) {
        std::optional<KnownConditions> known = answered(held, one.known);
        if (!known) continue;
        auto next = one;
        next.known = std::move(*known);
        take(next, held);
        after.insert(std::move(next));
      }
    }
    ways = std::move(after);
  }

 private:
  void ask(const Step& step, const Expr& expression, const std::string& compared);

  Condition condition_;
  bool is_open_ = false;
  bool is_of_numbers_ = false;
  bool is_opposite_ = false;  ///< of `condition_`
};

}  // namespace ompdm::edit
