#include "certain.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <vector>

#include "written_code.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Statements that may pass by what stands behind them, and choices between values.
class Branches : public WrittenCode<Branches> {
 public:
  bool VisitStmt(clang::Stmt* statement) {
    if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement)) {
      jumps.push_back(statement);
    }
    has_choice = has_choice || isa<clang::ConditionalOperator>(statement);
    return true;
  }
  std::vector<const clang::Stmt*> jumps;
  bool has_choice = false;
};

}  // namespace

bool decides(const clang::Stmt& statement, const clang::Stmt* part) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) return part != branch->getCond();
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&statement)) {
    return part != choice->getCond();
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    return binary->isLogicalOp() && part == binary->getRHS();
  }
  if (body_of_loop(statement) == part) return !isa<clang::DoStmt>(statement);
  return isa<clang::SwitchStmt, clang::LambdaExpr, clang::CXXCatchStmt>(statement);
}

bool is_certain(const Program& program, const clang::Stmt& inner, const clang::Stmt& outer) {
  const clang::Stmt* child = &inner;
  while (child != &outer) {
    const clang::Stmt* at = program.parent_of(*child);
    if (at == nullptr || (at != &outer && decides(*at, child))) return false;
    child = at;
  }
  Branches branches;
  branches.TraverseStmt(const_cast<clang::Stmt*>(&outer));
  const clang::SourceManager& sources = program.context().getSourceManager();
  return std::ranges::none_of(branches.jumps, [&](const clang::Stmt* jump) {
    return sources.isBeforeInTranslationUnit(jump->getBeginLoc(), inner.getBeginLoc());
  });
}

bool has_choice(const clang::Expr& expression) {
  Branches branches;
  branches.TraverseStmt(const_cast<clang::Expr*>(&expression));
  return branches.has_choice;
}

}  // namespace ompdm::edit
