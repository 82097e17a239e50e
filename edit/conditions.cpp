#include "conditions.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "names.h"

namespace ompdm::edit {
namespace {

constexpr std::size_t kMostKnown = 3;

/// The variables in a condition. None: it has other parts than numbers, or references, which code
/// may set by other names.
std::optional<std::set<const clang::Decl*>> numbers_in(const Expr& condition) {
  bool is_it = true;
  std::set<const clang::Decl*> variables;
  each_statement(&condition, [&](const Stmt& one) {
    const auto* name = dyn_cast<clang::DeclRefExpr>(&one);
    const auto* variable = name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
    const bool is_number = variable != nullptr && variable->getType()->isArithmeticType() &&
                           !variable->getType().isVolatileQualified();
    const bool is_part = isa<clang::BinaryOperator, clang::ParenExpr, clang::ImplicitCastExpr,
                             clang::IntegerLiteral, clang::CXXBoolLiteralExpr>(one);
    is_it = is_it && (is_number || is_part);
    if (is_number) variables.insert(variable->getCanonicalDecl());
  });
  return is_it ? std::optional(variables) : std::nullopt;
}

/// The text of a condition without blanks, or of its opposite. The condition consists of
/// comparisons by == and != that are joined by one kind of operator. Both give the same text, and
/// the second value says whether it is the opposite's.
std::pair<std::string, bool> canonical(const std::string& text) {
  std::string opposite = text;
  bool has_and = false;
  bool has_or = false;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    if (two == "==") opposite[at] = '!';
    if (two == "!=") opposite[at] = '=';
    if (two == "&&") opposite[at] = opposite[at + 1] = '|';
    if (two == "||") opposite[at] = opposite[at + 1] = '&';
    has_and = has_and || two == "&&";
    has_or = has_or || two == "||";
    if (two == "==" || two == "!=" || two == "&&" || two == "||") {
      ++at;
    } else if (std::string_view("!<>=?&|(").find(text[at]) != std::string_view::npos) {
      return {text, false};
    }
  }
  const auto count = [&](const char* part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += 2) ++found;
    return found;
  };
  const bool is_each_compared = count("==") + count("!=") == count("&&") + count("||") + 1;
  if ((has_and && has_or) || !is_each_compared || text <= opposite) return {text, false};
  return {opposite, true};
}

}  // namespace

void forget(KnownConditions& known, const Access& access) {
  const auto* variable = dyn_cast_or_null<const VarDecl*>(access.path.root);
  std::erase_if(known, [&](const Condition& one) {
    return access.path.root.isNull() || (variable != nullptr && one.variables.contains(variable));
  });
}

void forget(KnownConditions& known, const Directive& directive) {
  std::set<const clang::Decl*> named;
  for (const MapItem& item : mapped_items(directive)) {
    if (item.variable != nullptr) named.insert(item.variable->getCanonicalDecl());
  }
  for (const auto* clause : directive.getClausesOfKind<clang::OMPFromClause>()) {
    for (const Expr* item : clause->varlists()) {
      if (const VarDecl* variable = root_variable(*item))
        named.insert(variable->getCanonicalDecl());
    }
  }
  std::erase_if(known, [&](const Condition& one) {
    return std::ranges::any_of(
        one.variables, [&](const clang::Decl* variable) { return named.contains(variable); });
  });
}

ConditionAt::ConditionAt(const Step& step, const Directive& directive) {
  const Expr* condition = device_condition(directive);
  if (condition != nullptr) ask(step, *condition, "");
}

ConditionAt::ConditionAt(const Step& step, const Expr& expression, int value) {
  ask(step, expression, fmt::format("=={}", value));
}

void ConditionAt::ask(const Step& step, const Expr& expression, const std::string& compared) {
  is_open_ = true;
  condition_.call = step.call;
  std::string text = text_of(*step.context(), expression);
  std::erase_if(text, [](char one) { return one == ' ' || one == '\n'; });
  std::tie(condition_.text, is_opposite_) = canonical(text + compared);
  const auto variables = numbers_in(expression);
  is_of_numbers_ = variables.has_value();
  if (variables) condition_.variables = *variables;
}

std::optional<KnownConditions> ConditionAt::answered(bool held,
                                                     const KnownConditions& before) const {
  if (!is_open_) return held ? std::optional(before) : std::nullopt;
  if (!is_of_numbers_) return before;
  const bool asked = held != is_opposite_;
  const auto known =
      std::ranges::find_if(before, [&](const Condition& one) { return one.is_as(condition_); });
  if (known != before.end()) {
    return known->held == asked ? std::optional(before) : std::nullopt;
  }
  KnownConditions after = before;
  if (after.size() == kMostKnown) after.erase(after.begin());
  after.push_back(condition_);
  after.back().held = asked;
  return after;
}

}  // namespace ompdm::edit
