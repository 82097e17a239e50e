#include "arguments.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "answer.h"
#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

class Terms {
 public:
  Terms(const Program& program, const clang::Stmt& loop)
      : program_(program), loop_(loop), home_(program.function_of(loop)) {}

  /// All that an expression of a function's may stand for in the loop.
  void add(const std::string& expression, const clang::FunctionDecl& function) {
    if (&function == home_) {
      found.insert(expression);
      return;
    }
    if (!open_.insert(&function).second) return;
    for (const clang::CallExpr* call : calls_of(function)) {
      add(replaced(expression, function, *call), *program_.function_of(*call));
    }
    open_.erase(&function);
  }

  /// What a function would write for an expression of the loop's.
  [[nodiscard]] std::set<std::string> written_in(const clang::ParmVarDecl& parameter,
                                                 const std::string& expression) {
    const auto& function = *llvm::cast<clang::FunctionDecl>(parameter.getDeclContext());
    std::set<std::string> all;
    if (!open_.insert(&function).second) return all;
    for (const clang::CallExpr* call : calls_of(function)) {
      const clang::VarDecl* argument = argument_of(*call, parameter);
      const auto* outer = llvm::dyn_cast_or_null<clang::ParmVarDecl>(argument);
      const bool is_home = program_.function_of(*call) == home_;
      std::set<std::string> here = {expression};
      if (!is_home)
        here = outer == nullptr ? std::set<std::string>() : written_in(*outer, expression);
      for (const std::string& one : here) {
        // The function may be called with other data, too, which is another call's.
        const bool is_it = argument != nullptr && argument->getNameAsString() == root_of(one);
        if (is_it) all.insert(handed(one, function, *call));
      }
    }
    open_.erase(&function);
    return all;
  }

  std::set<std::string> found;

 private:
  /// Calls that the loop leads to.
  [[nodiscard]] std::vector<const clang::CallExpr*> calls_of(
      const clang::FunctionDecl& function) const {
    std::vector<const clang::CallExpr*> calls = program_.calls_of(function);
    std::erase_if(calls, [&](const clang::CallExpr* call) {
      const clang::FunctionDecl* caller = program_.function_of(*call);
      return caller == nullptr || !program_.leads_to(loop_, *call) ||
             (caller == home_ && !program_.is_within(*call, loop_));
    });
    return calls;
  }

  static const clang::VarDecl* argument_of(const clang::CallExpr& call,
                                           const clang::ParmVarDecl& parameter) {
    const unsigned number = parameter.getFunctionScopeIndex();
    if (number >= call.getNumArgs()) return nullptr;
    const auto* name =
        llvm::dyn_cast<clang::DeclRefExpr>(call.getArg(number)->IgnoreParenImpCasts());
    return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  }

  /// With the parameters for the names that a call hands over; empty where one is not.
  static std::string handed(const std::string& expression, const clang::FunctionDecl& function,
                            const clang::CallExpr& call) {
    std::string text;
    for (const auto& [word, is_name] : words_of(expression)) {
      const auto all = function.parameters();
      const auto parameter =
          std::ranges::find_if(all, [&, name = word](const clang::ParmVarDecl* one) {
            const clang::VarDecl* argument = argument_of(call, *one);
            return argument != nullptr && argument->getNameAsString() == name;
          });
      if (is_name && parameter == all.end()) return {};
      text += is_name ? (*parameter)->getNameAsString() : word;
    }
    return text;
  }

  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  [[nodiscard]] std::string replaced(const std::string& expression,
                                     const clang::FunctionDecl& function,
                                     const clang::CallExpr& call) const {
    std::string text;
    bool is_root = !root_of(expression).empty();  // of the first word
    for (const auto& [word, is_name] : words_of(expression)) {
      text += is_name ? argument_for(word, is_root, function, call) : word;
      is_root = false;
    }
    return text;
  }

  [[nodiscard]] std::string argument_for(const std::string& name, bool is_root,
                                         const clang::FunctionDecl& function,
                                         const clang::CallExpr& call) const {
    for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i) {
      if (function.getParamDecl(i)->getNameAsString() != name) continue;
      const clang::Expr& argument = *call.getArg(i)->IgnoreParenImpCasts();
      const auto* named = llvm::dyn_cast<clang::DeclRefExpr>(&argument);
      // What the function sets it to is not what it is handed.
      if (!is_root) Names(program_, *function.getBody()).expect_unchanged(name);
      if (named != nullptr) return named->getDecl()->getNameAsString();
      if (is_root) {
        refuse(call, fmt::format("what {} is in {}() has no name of its own here", name,
                                 function.getNameAsString()));
      }
      const SourceText text(program_.context(), argument.getBeginLoc());
      const std::string words = text.between(argument.getBeginLoc(), argument.getEndLoc());
      return std::ranges::all_of(words, is_of_name) ? words : '(' + words + ')';
    }
    const clang::VarDecl* variable = variable_named(*function.getBody(), name);
    if (variable != nullptr && variable->isLocalVarDecl()) {
      refuse(call, fmt::format("{} is a variable of {}() alone", name, function.getNameAsString()));
    }
    return name;
  }

  const Program& program_;
  const clang::Stmt& loop_;
  const clang::FunctionDecl* home_;
  std::set<const clang::FunctionDecl*> open_;
};

}  // namespace

std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop, const Item& item) {
  const auto here = program.directives_at(item.named_at);
  const clang::FunctionDecl* function = here.empty() ? nullptr : program.function_of(*here.front());
  if (function == nullptr || !function->hasBody()) return {item.expression};
  auto terms = terms_of(program, loop, *function, item.expression);
  if (terms.empty()) terms.insert(item.expression);
  return terms;
}

std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop,
                               const clang::FunctionDecl& function, const std::string& expression) {
  Terms terms(program, loop);
  terms.add(expression, function);
  return std::move(terms.found);
}

std::string in_terms_of(const Program& program, const clang::Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression) {
  const auto all = Terms(program, loop).written_in(parameter, expression);
  return all.size() == 1 ? *all.begin() : std::string();
}

}  // namespace ompdm::edit
