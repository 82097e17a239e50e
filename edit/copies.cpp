#include "copies.h"

#include <clang/AST/Expr.h>

#include <algorithm>
#include <string_view>

#include "names.h"

namespace ompdm::edit {

void Copy::make_old(const NameSet& written) {
  const bool are_known = !written.empty() && (is_new || !old.empty());
  if (is_new || !are_known) old.clear();
  if (are_known) old.insert(written.begin(), written.end());
  is_new = false;
}

void Copy::make_new(const std::optional<DataName>& name) {
  if (is_new || !name || old.erase(*name) == 0) return;
  is_new = old.empty();
}

bool Copy::is_new_by(const NameSet& used) const {
  if (is_new || old.empty() || used.empty()) return is_new;
  return std::ranges::none_of(used, [&](const DataName& one) { return old.contains(one); });
}

void Copy::rename(const Renaming& made, bool is_saved) {
  if (old.empty()) return;
  const bool has_from = made.from && old.contains(*made.from);
  const bool has_it = old.contains(made.name);
  if (made.is_exchange && made.from) {
    if (has_from == has_it) return;
    old.erase(has_from ? *made.from : made.name);
    old.insert(has_from ? made.name : *made.from);
    return;
  }
  // What no name is left for may be any of it.
  if (has_it && !is_saved) return old.clear();
  old.erase(made.name);
  if (has_from) old.insert(made.name);
}

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

}  // namespace ompdm::edit
