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
    const std::string root = root_of(expression);
    for (std::size_t at = 0; at < expression.size();) {
      const std::string word = word_at(expression, at);
      text += word.empty() ? expression.substr(at, 1)
                           : argument_for(word, word == root && at == 0, function, call);
      at += std::max<std::size_t>(word.size(), 1);
    }
    return text;
  }

  static std::string word_at(const std::string& text, std::size_t at) {
    const std::vector<std::string> words = names_in(text.substr(at));
    return !words.empty() && text.compare(at, words.front().size(), words.front()) == 0
               ? words.front()
               : std::string();
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
      return '(' + text.between(argument.getBeginLoc(), argument.getEndLoc()) + ')';
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

std::string in_terms_of(const Program& program, const clang::Stmt& loop, const Item& item) {
  const auto here = program.directives_at(item.named_at);
  const clang::FunctionDecl* function = here.empty() ? nullptr : program.function_of(*here.front());
  if (function == nullptr || !function->hasBody()) return item.expression;
  Terms terms(program, loop);
  terms.add(item.expression, *function);
  if (terms.found.size() > 1) {
    throw Refusal(fmt::format("{} stands for several data here", item.expression),
                  place_of(program.context(), loop));
  }
  return terms.found.empty() ? item.expression : *terms.found.begin();
}

}  // namespace ompdm::edit
