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
    for (const clang::CallExpr* call : program_.calls_of(function)) {
      const clang::FunctionDecl* caller = program_.function_of(*call);
      if (caller == nullptr || !program_.leads_to(loop_, *call)) continue;
      if (caller == home_ && !program_.is_within(*call, loop_)) continue;
      add(replaced(expression, function, *call), *caller);
    }
    open_.erase(&function);
  }

  std::set<std::string> found;

 private:
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
    if (variable != nullptr && variable->isLocalVarDecl() && !variable->hasGlobalStorage()) {
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

}  // namespace ompdm::edit
