#include "permutation.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "answer.h"

namespace ompdm::edit {
namespace {

using clang::dyn_cast;
using Variable = const clang::VarDecl*;

Variable named_by(const clang::Expr* expression) {
  const auto* name = expression == nullptr
                         ? nullptr
                         : dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
  return name == nullptr ? nullptr : dyn_cast<clang::VarDecl>(name->getDecl());
}

class Exchange {
 public:
  Exchange(const Program& program, const clang::Stmt& loop, const std::vector<Variable>& variables)
      : program_(program), loop_(loop), variables_(variables.begin(), variables.end()) {}

  void add(const clang::Stmt& at) {
    if (const auto* call = dyn_cast<clang::CallExpr>(&at)) return add_swap(*call);
    const Assignment made = assignment_of(at);
    if (made.to == nullptr || made.from == nullptr) {
      refuse(at, "a pointer to the data is set here");
    }
    const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(at));
    if (block == nullptr) refuse(at, "a pointer to the data is set here in a branch");
    blocks_.insert(block);
  }

  std::vector<Variable> result() {
    for (const clang::CompoundStmt* block : blocks_) add_block(*block);
    return {exchanged_.begin(), exchanged_.end()};
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void add_swap(const clang::CallExpr& call) {
    for (const clang::Expr* argument : call.arguments()) {
      const Variable variable = named_by(argument);
      if (!variables_.contains(variable)) {
        refuse(call, "a pointer to the data is exchanged here with one of other data");
      }
      exchanged_.insert(variable);
    }
  }

  /// Assignments in a row: what each variable has at the end.
  void add_block(const clang::CompoundStmt& block) {
    std::map<Variable, Variable> has;
    const auto value = [&](Variable of) { return has.contains(of) ? has.at(of) : of; };
    const clang::Stmt* last = nullptr;
    bool is_over = false;
    for (const clang::Stmt* statement : block.body()) {
      const Assignment made = assignment_of(*statement);
      const bool is_part = made.to != nullptr && made.from != nullptr &&
                           (variables_.contains(made.to) || variables_.contains(value(made.from)));
      if (!is_part) {
        is_over = last != nullptr;
        continue;
      }
      if (is_over)
        refuse(*statement, "pointers to the data are set here and elsewhere in the loop");
      last = statement;
      has[made.to] = value(made.from);
      if (!variables_.contains(made.to)) expect_temporary(*made.to, block);
    }
    std::set<Variable> values;
    for (const auto& [variable, holds] : has) {
      if (!variables_.contains(variable)) continue;
      const bool is_one_of_them = variables_.contains(holds) && values.insert(holds).second;
      if (!is_one_of_them || !has.contains(holds)) {
        refuse(*last,
               fmt::format("{} points to other data from here on", variable->getNameAsString()));
      }
      exchanged_.insert(variable);
    }
  }

  /// The third one of an exchange is nothing else in the loop.
  void expect_temporary(const clang::VarDecl& variable, const clang::CompoundStmt& block) const {
    for (const Mention& mention : mentions_on_host(program_, loop_, variable)) {
      const bool is_here =
          mention.use == Use::kPointer && program_.parent_of(*mention.at) == &block;
      if (!is_here) {
        refuse(*mention.at,
               fmt::format("{} is another name of the data", variable.getNameAsString()));
      }
    }
  }

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<Variable> variables_;
  std::set<Variable> exchanged_;
  std::set<const clang::CompoundStmt*> blocks_;
};

}  // namespace

Assignment assignment_of(const clang::Stmt& statement) {
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->getOpcode() == clang::BO_Assign) {
      return {named_by(binary->getLHS()), named_by(binary->getRHS())};
    }
  }
  if (const auto* declared = dyn_cast<clang::DeclStmt>(&statement)) {
    if (declared->isSingleDecl()) {
      const auto* variable = dyn_cast<clang::VarDecl>(declared->getSingleDecl());
      if (variable != nullptr) return {variable, named_by(variable->getInit())};
    }
  }
  return {};
}

std::set<const clang::VarDecl*> partners_of(const Program& program, const clang::Stmt& loop,
                                            const clang::VarDecl& variable) {
  std::set<Variable> all;
  std::vector<Variable> open = {&variable};
  // By way of a third one, too.
  while (!open.empty()) {
    const Variable one = open.back();
    open.pop_back();
    for (const Mention& mention : mentions_on_host(program, loop, *one)) {
      if (mention.use != Use::kPointer) continue;
      std::vector<Variable> others;
      if (const auto* call = dyn_cast<clang::CallExpr>(mention.at)) {
        for (const clang::Expr* argument : call->arguments()) others.push_back(named_by(argument));
      } else {
        const Assignment made = assignment_of(*mention.at);
        others = {made.to, made.from};
      }
      for (const Variable other : others) {
        if (other != nullptr && other != &variable && all.insert(other).second) {
          open.push_back(other);
        }
      }
    }
  }
  return all;
}

std::vector<const clang::VarDecl*> exchanged(const Program& program, const clang::Stmt& loop,
                                             const std::vector<const clang::VarDecl*>& variables,
                                             const std::vector<Mention>& set) {
  Exchange exchange(program, loop, variables);
  for (const Mention& mention : set) exchange.add(*mention.at);
  return exchange.result();
}

}  // namespace ompdm::edit
