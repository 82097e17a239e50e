#include "flow.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <vector>

#include "messages.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Statements that may pass by what stands behind them, and choices between values.
class Branches : public WrittenCode {
 public:
  bool VisitStmt(clang::Stmt* statement) override {
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

namespace {

class UnseenCalls : public WrittenCode {
 public:
  explicit UnseenCalls(const clang::SourceManager& sources) : sources_(sources) {}

  bool dataTraverseStmtPre(clang::Stmt* statement) override {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
    return found == nullptr && (directive == nullptr || !runs_on_device(*directive));
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const bool is_system = called != nullptr && (called->getBuiltinID() != 0 ||
                                                 sources_.isInSystemHeader(called->getLocation()));
    if (is_system || found != nullptr) return true;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
    const bool is_open = method != nullptr && method->isVirtual();
    if (called == nullptr || is_open || !called->hasBody(defined)) {
      found = call;
    } else if (known_.insert(defined).second) {
      TraverseStmt(defined->getBody());
    }
    return true;
  }

  const clang::CallExpr* found = nullptr;

 private:
  const clang::SourceManager& sources_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

const clang::CallExpr* unseen_call_in(const Program& program, const clang::Stmt& code) {
  UnseenCalls calls(program.context().getSourceManager());
  calls.TraverseStmt(const_cast<clang::Stmt*>(&code));
  return calls.found;
}

namespace {

/// What leaves a loop in a way that passes by what stands behind it.
class Exits : public WrittenCode {
 public:
  /// Loops and switches have ends of their own.
  bool TraverseForStmt(clang::ForStmt* at) override {
    return within([&] { return WrittenCode::TraverseForStmt(at); });
  }
  bool TraverseWhileStmt(clang::WhileStmt* at) override {
    return within([&] { return WrittenCode::TraverseWhileStmt(at); });
  }
  bool TraverseDoStmt(clang::DoStmt* at) override {
    return within([&] { return WrittenCode::TraverseDoStmt(at); });
  }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* at) override {
    return within([&] { return WrittenCode::TraverseCXXForRangeStmt(at); });
  }
  bool TraverseSwitchStmt(clang::SwitchStmt* at) override {
    return within([&] { return WrittenCode::TraverseSwitchStmt(at); });
  }
  bool VisitBreakStmt(clang::BreakStmt* at) override {
    return depth_ > 0 || found(at, "leaves the block by break");
  }
  bool VisitContinueStmt(clang::ContinueStmt* at) override {
    return depth_ > 0 || found(at, "leaves the block by continue");
  }
  bool VisitLabelStmt(clang::LabelStmt* at) override { return found(at, "may be jumped to"); }
  bool VisitSwitchCase(clang::SwitchCase* at) override {
    return depth_ > 0 || found(at, "may be jumped to");
  }
  bool TraverseLambdaExpr(clang::LambdaExpr*) override { return true; }
  bool VisitReturnStmt(clang::ReturnStmt* at) override { return found(at, "leaves it by return"); }
  bool VisitGotoStmt(clang::GotoStmt* at) override { return found(at, "holds a goto"); }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt* at) override {
    return found(at, "holds a goto");
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* at) override {
    return found(at, "may leave it by throw");
  }
  bool VisitCoreturnStmt(clang::CoreturnStmt* at) override {
    return found(at, "is of a coroutine");
  }

  const clang::Stmt* way_out = nullptr;
  std::string why;

 private:
  template <class Traverse>
  bool within(const Traverse& traverse) {
    ++depth_;
    const bool goes_on = traverse();
    --depth_;
    return goes_on;
  }

  bool found(const clang::Stmt* statement, const char* what) {
    way_out = statement;
    why = what;
    return false;
  }

  int depth_ = 0;
};

[[noreturn]] void refuse(const Program& program, const clang::Stmt& at, const std::string& why) {
  throw Refusal(why, place_of(program.context(), at));
}

/// A loop of its own lines in a block, by one thread.
void expect_plain_place(const Program& program, const clang::Stmt& loop) {
  const Spot begin = spot_of(program.context(), loop.getBeginLoc());
  const Spot end = spot_of(program.context(), loop.getEndLoc());
  const SourceText text(program.context(), loop.getBeginLoc());
  if (begin.in_macro || end.in_macro) refuse(program, loop, "this comes from a macro");
  const clang::Stmt* parent = program.parent_of(loop);
  if (parent == nullptr || !llvm::isa<clang::CompoundStmt>(parent)) {
    refuse(program, loop, "this stands in no block of its own: put braces around it");
  }
  const bool is_alone =
      text.begins_line(begin.offset) && text.ends_line(end_of_statement(text, loop));
  if (!is_alone) refuse(program, loop, "this shares a line with other code");
}

void expect_only_way_out(const Program& program, const clang::Stmt& loop) {
  Exits exits;
  exits.TraverseStmt(const_cast<clang::Stmt*>(&loop));
  if (exits.way_out != nullptr) refuse(program, *exits.way_out, "this statement " + exits.why);
}

/// What functions that are called do to leave their callers.
class OtherExits : public WrittenCode {
 public:
  explicit OtherExits(const clang::SourceManager& sources) : sources_(sources) {}

  bool VisitCXXThrowExpr(clang::CXXThrowExpr* statement) override {
    thrown = statement;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    if (called == nullptr) return true;
    const std::string name = called->getNameAsString();
    // The handler of a signal may be the program's own.
    if (name.ends_with("longjmp") || name == "raise") thrown = call;
    if (name == "omp_set_default_device") moved = call;
    if (name == "exit" || name == "quick_exit") ended = call;
    const bool is_own =
        called->hasBody(defined) && !sources_.isInSystemHeader(defined->getLocation());
    return !is_own || !known_.insert(defined).second || TraverseStmt(defined->getBody());
  }

  const clang::Stmt* thrown = nullptr;
  const clang::Stmt* ended = nullptr;
  const clang::Stmt* moved = nullptr;

 private:
  const clang::SourceManager& sources_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

void expect_no_other_way_out(const Program& program, const clang::Stmt& loop, bool is_global) {
  OtherExits exits(program.context().getSourceManager());
  exits.TraverseStmt(const_cast<clang::Stmt*>(&loop));
  if (exits.thrown != nullptr) refuse(program, *exits.thrown, "this may leave it by a jump");
  if (exits.moved != nullptr) refuse(program, *exits.moved, "this chooses another device");
  if (exits.ended != nullptr && is_global) {
    refuse(program, *exits.ended, "this ends the program, and what is global may be read then");
  }
}

void expect_end_is_reached(const Program& program, const clang::Stmt& statement) {
  expect_only_way_out(program, statement);
}

void expect_room_around(const Program& program, const clang::Stmt& loop) {
  expect_plain_place(program, loop);
  expect_only_way_out(program, loop);
}

}  // namespace ompdm::edit
