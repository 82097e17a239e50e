#include "other_names.h"

#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer.h"
#include "permutation.h"
#include "pointer_uses.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using Variables = std::set<const clang::VarDecl*>;

/// Variables that an expression names and that may lead to data.
class Sources : public WrittenCode<Sources> {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr) return true;
    const clang::QualType type = variable->getType().getNonReferenceType();
    if (!type->isArithmeticType() && !type->isEnumeralType()) all.insert(variable);
    return true;
  }
  Variables all;
};

class OtherNames {
 public:
  OtherNames(const Program& program, const clang::Stmt& loop, Variables data)
      : program_(program), loop_(loop), data_(std::move(data)) {}

  void look_at(const clang::VarDecl& variable) {
    if (const clang::Expr* init = variable.getInit()) look_at_sources(*init, variable);
    const clang::FunctionDecl* function = program_.function_of(loop_);
    if (function == nullptr || !function->hasBody()) return;
    for (const Mention& one : mentions_on_host(program_, *function->getBody(), variable)) {
      if (program_.is_within(*one.at, loop_)) continue;
      if (one.use == Use::kPointer) look_at(one, variable);
      // What is handed to a function is no name that the loop could use.
      if (one.use == Use::kUnknown && !llvm::isa<clang::CallExpr>(one.at) && is_before(*one.at)) {
        refuse(*one.at, fmt::format("{} {}", variable.getNameAsString(), one.why));
      }
    }
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  [[nodiscard]] bool is_before(const clang::Stmt& statement) const {
    return program_.context().getSourceManager().isBeforeInTranslationUnit(statement.getBeginLoc(),
                                                                           loop_.getBeginLoc());
  }

  void look_at(const Mention& set, const clang::VarDecl& variable) const {
    const Assignment made = assignment_of(*set.at);
    if (made.to == &variable) {
      if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(set.at)) {
        look_at_sources(*binary->getRHS(), variable);
      }
    } else if (made.to != nullptr) {
      expect_unused(*made.to, variable);
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(set.at)) {
      const auto* left = llvm::dyn_cast<clang::DeclRefExpr>(binary->getLHS()->IgnoreParenCasts());
      const bool is_own = left != nullptr && left->getDecl() == &variable;
      if (!is_own) {
        refuse(*set.at, fmt::format("{} is stored elsewhere", variable.getNameAsString()));
      }
      look_at_sources(*binary->getRHS(), variable);
    }
  }

  void look_at_sources(const clang::Expr& from, const clang::VarDecl& variable) const {
    Sources sources;
    sources.TraverseStmt(const_cast<clang::Expr*>(&from));
    for (const clang::VarDecl* one : sources.all) {
      if (one != &variable) expect_unused(*one, variable);
    }
  }

  void expect_unused(const clang::VarDecl& other, const clang::VarDecl& variable) const {
    if (data_.contains(&other)) return;
    for (const Mention& one : mentions_on_host(program_, loop_, other)) {
      refuse(*one.at, fmt::format("{} may be another name of {}", other.getNameAsString(),
                                  variable.getNameAsString()));
    }
  }

  const Program& program_;
  const clang::Stmt& loop_;
  Variables data_;
};

}  // namespace

bool is_used_behind(const Program& program, const clang::Stmt& loop,
                    const clang::VarDecl& variable) {
  const clang::FunctionDecl* function = program.function_of(loop);
  // Whoever knows a global variable may use it.
  if (function == nullptr || !function->hasBody() || variable.hasGlobalStorage()) return true;
  const clang::Stmt* outermost = &loop;
  for (const clang::Stmt* at = &loop; at != nullptr; at = program.parent_of(*at)) {
    if (body_of_loop(*at) != nullptr) outermost = at;
  }
  const clang::SourceManager& sources = program.context().getSourceManager();
  for (const Mention& one : mentions_on_host(program, *function->getBody(), variable)) {
    const bool is_behind =
        sources.isBeforeInTranslationUnit(loop.getEndLoc(), one.at->getBeginLoc());
    const bool is_again = outermost != &loop && program.is_within(*one.at, *outermost) &&
                          !program.is_within(*one.at, loop);
    // Memory that is given back is read by nobody.
    const auto* call = llvm::dyn_cast<clang::CallExpr>(one.at);
    const clang::FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
    const bool is_freed = called != nullptr && called->getNameAsString() == "free";
    if ((is_behind || is_again) && !is_freed) return true;
  }
  return false;
}

void expect_no_other_names(const Program& program, const clang::Stmt& loop,
                           const std::vector<const clang::VarDecl*>& data) {
  OtherNames names(program, loop, Variables(data.begin(), data.end()));
  for (const clang::VarDecl* variable : data) names.look_at(*variable);
}

}  // namespace ompdm::edit
