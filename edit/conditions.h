// Conditions of if() clauses, and what is known of them on a way through the code.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trail.h"

namespace ompdm::edit {

/// A condition that was asked, and whether it held.
struct Condition {
  std::string text;
  std::uint32_t call = 0;                       ///< of the function that it was asked in
  std::set<const clang::Decl*> variables = {};  ///< that it is made of
  bool held = false;

  [[nodiscard]] bool is_as(const Condition& other) const {
    return text == other.text && call == other.call && variables == other.variables;
  }

  auto operator<=>(const Condition&) const = default;
};

/// The last ones that were asked.
using KnownConditions = std::vector<Condition>;

/// What was asked is open again where a variable of it is set.
void forget(KnownConditions& known, const Access& access);
/// And where a directive may bring it back: its clauses name it.
void forget(KnownConditions& known, const Directive& directive);

/// A condition at a step.
class ConditionAt {
 public:
  /// Of the if() clause that chooses the device, if the directive has one.
  ConditionAt(const Step& step, const Directive& directive);
  /// Whether an expression of the step's has that value.
  ConditionAt(const Step& step, const Expr& expression, int value);

  /// Whether there is a condition at all.
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Whether nothing but numbers is asked for, so that two answers can be told to be the same.
  [[nodiscard]] bool is_of_numbers() const { return is_of_numbers_; }
  /// What is known behind that answer; none: it cannot be the answer here.
  [[nodiscard]] std::optional<KnownConditions> answered(bool held,
                                                        const KnownConditions& before) const;

  /// Calls take(state, held) for each way, once for each answer that there may be.
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
