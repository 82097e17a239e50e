#include "threads.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <set>
#include <string>

#include "answer.h"
#include "clause_items.h"
#include "own_storage.h"
#include "regions.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;

/// "omp_get_thread_num() == 1".
bool asks_for_one_thread(const clang::Expr& condition) {
  const auto* binary = dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (binary == nullptr || binary->getOpcode() != clang::BO_EQ) return false;
  const auto is_number = [](const clang::Expr& side) {
    return llvm::isa<clang::IntegerLiteral>(side.IgnoreParenImpCasts());
  };
  const auto is_asked = [](const clang::Expr& side) {
    const auto* call = dyn_cast<clang::CallExpr>(side.IgnoreParenImpCasts());
    const clang::FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
    return called != nullptr && called->getNameAsString() == "omp_get_thread_num";
  };
  const clang::Expr& left = *binary->getLHS();
  const clang::Expr& right = *binary->getRHS();
  return (is_asked(left) && is_number(right)) || (is_number(left) && is_asked(right));
}

/// Whether one thread of a team alone runs the code below a statement.
bool is_of_one_thread(const clang::Stmt& statement, const clang::Stmt* child) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) {
    return child == branch->getThen() && asks_for_one_thread(*branch->getCond());
  }
  const auto* construct = dyn_cast<clang::OMPExecutableDirective>(&statement);
  if (construct == nullptr) return false;
  const auto kind = construct->getDirectiveKind();
  return kind == llvm::omp::OMPD_single || kind == llvm::omp::OMPD_master ||
         kind == llvm::omp::OMPD_masked;
}

/// Places in code that name a variable, and directives that map it.
class Named : public clang::RecursiveASTVisitor<Named> {
 public:
  explicit Named(const clang::VarDecl& data) : data_(data) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() == data_.getCanonicalDecl()) all.push_back(name);
    return true;
  }
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
    if (maps(*directive, data_)) all.push_back(directive);
    return true;
  }
  /// What the compiler adds says nothing.
  bool TraverseOMPClause(clang::OMPClause*) { return true; }
  bool TraverseCapturedStmt(clang::CapturedStmt* region) {
    return TraverseStmt(region->getCapturedStmt());
  }
  std::vector<const clang::Stmt*> all;

 private:
  const clang::VarDecl& data_;
};

/// Calls and objects that start threads of the host's, anywhere in the sources.
class Starts : public WrittenCode<Starts> {
 public:
  bool VisitCallExpr(clang::CallExpr* call) {
    static const std::set<std::string> kStarts = {"pthread_create", "thrd_create", "std::async"};
    const clang::FunctionDecl* called = call->getDirectCallee();
    const bool starts = called != nullptr && kStarts.contains(called->getQualifiedNameAsString());
    if (starts) found = call;
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    static const std::set<std::string> kThreads = {"std::thread", "std::jthread"};
    if (kThreads.contains(made->getConstructor()->getParent()->getQualifiedNameAsString())) {
      found = made;
    }
    return true;
  }
  const clang::Stmt* found = nullptr;
};

/// Where several threads run at once, of which one may come to the code by a call: a construct, or
/// what starts a thread; null of none.
const clang::Stmt* threads_elsewhere(const Program& program, const clang::Stmt& code) {
  Starts starts;
  for (const clang::FunctionDecl* function : program.functions()) {
    starts.TraverseStmt(function->getBody());
    for (const auto* construct : program.directives_in(*function->getBody())) {
      const bool is_host = clang::isOpenMPParallelDirective(construct->getDirectiveKind()) &&
                           !runs_on_device(*construct);
      if (is_host && !program.is_within(code, *construct) && program.leads_to(*construct, code)) {
        return construct;
      }
    }
  }
  return starts.found;
}

}  // namespace

void expect_no_other_thread(const Program& program, const clang::Stmt& code,
                            const std::vector<const clang::VarDecl*>& data) {
  const clang::SourceManager& sources = program.context().getSourceManager();
  const OwnStorage own(program, code, {data.begin(), data.end()});
  for (const clang::VarDecl* one : data) {
    if (own.is_private(*one) && !one->hasGlobalStorage()) continue;
    if (const clang::Stmt* elsewhere = threads_elsewhere(program, code)) {
      throw Refusal(fmt::format("threads that begin here may share {}", one->getNameAsString()),
                    place_of(program.context(), *elsewhere));
    }
  }
  const clang::Stmt* alone = nullptr;  // what one thread runs
  const clang::Stmt* child = &code;
  for (const clang::Stmt* at = &code; at != nullptr; child = at, at = program.parent_of(*at)) {
    if (is_of_one_thread(*at, child)) {
      alone = at;
      continue;
    }
    const auto* construct = dyn_cast<clang::OMPExecutableDirective>(at);
    const bool is_data =
        construct != nullptr && construct->getDirectiveKind() == llvm::omp::OMPD_target_data;
    if (construct == nullptr || is_data) continue;
    for (const clang::VarDecl* one : data) {
      if (one->hasGlobalStorage() || !own.is_private(*one)) {
        throw Refusal(fmt::format("the threads of this construct share {}", one->getNameAsString()),
                      place_of(program.context(), *construct));
      }
      if (sources.isBeforeInTranslationUnit(construct->getBeginLoc(), one->getLocation())) continue;
      Named named(*one);
      named.TraverseStmt(const_cast<clang::OMPExecutableDirective*>(construct));
      const bool is_alone =
          alone != nullptr && std::ranges::all_of(named.all, [&](const clang::Stmt* name) {
            return program.is_within(*name, *alone);
          });
      if (!is_alone) {
        throw Refusal(fmt::format("the threads of this construct share {}", one->getNameAsString()),
                      place_of(program.context(), *construct));
      }
    }
  }
}

}  // namespace ompdm::edit
