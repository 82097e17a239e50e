#include "pairs.h"

#include <clang/AST/OpenMPClause.h>

#include <algorithm>

#include "answer.h"
#include "names.h"
#include "source_text.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

/// Statements that may leave a block before its end.
class Jumps : public WrittenCode<Jumps> {
 public:
  bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
  bool VisitStmt(clang::Stmt* statement) {
    any = any || llvm::isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt,
                           clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt,
                           clang::SwitchCase, clang::CXXThrowExpr>(statement);
    return true;
  }
  bool any = false;
};

bool is_enter(const clang::OMPExecutableDirective& directive) {
  return directive.getDirectiveKind() == llvm::omp::OMPD_target_enter_data;
}

class Pairs {
 public:
  Pairs(const Program& program, const clang::OMPExecutableDirective& directive)
      : program_(program), directive_(directive) {}

  void expect(const std::vector<const clang::OMPExecutableDirective*>& all,
              const clang::VarDecl& data) const {
    const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(directive_));
    if (block == nullptr) refuse();
    for (const clang::Stmt* statement : block->body()) {
      if (llvm::isa<clang::SwitchCase, clang::LabelStmt>(statement)) refuse();
    }
    // Those of the block, in order: one of each kind by turns, an exit last.
    std::vector<const clang::OMPExecutableDirective*> here;
    std::vector<const clang::Stmt*> between;
    for (const clang::Stmt* statement : block->body()) {
      const auto* one = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
      const bool is_one = one != nullptr && std::ranges::find(all, one) != all.end();
      if (is_one) {
        if (is_enter(*one) == (here.size() % 2 == 1)) refuse();
        if (!here.empty() && !is_enter(*one)) expect_same_condition(*here.back(), *one, *block);
        if (!here.empty() && !is_enter(*one)) expect_same_items(*here.back(), *one, data);
        here.push_back(one);
      } else if (here.size() % 2 == 1) {
        Jumps jumps;
        jumps.TraverseStmt(const_cast<clang::Stmt*>(statement));
        if (jumps.any) refuse();
      }
    }
    if (here.empty() || here.size() % 2 == 1) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw Refusal("the run did not reach this directive, and which one belongs to it does not show",
                  place_of(program_.context(), directive_));
  }

  [[nodiscard]] std::string text_of(const clang::Expr& expression) const {
    const SourceText text(program_.context(), expression.getBeginLoc());
    return text.between(expression.getBeginLoc(), expression.getEndLoc());
  }

  [[nodiscard]] std::string condition_of(const clang::OMPExecutableDirective& one) const {
    const auto* clause = one.getSingleClause<clang::OMPIfClause>();
    return clause == nullptr ? std::string() : text_of(written(*clause->getCondition()));
  }

  void expect_same_condition(const clang::OMPExecutableDirective& enter,
                             const clang::OMPExecutableDirective& exit,
                             const clang::CompoundStmt& block) const {
    const std::string condition = condition_of(enter);
    if (condition != condition_of(exit)) refuse();
    const auto* clause = enter.getSingleClause<clang::OMPIfClause>();
    if (clause != nullptr && !only_names(written(*clause->getCondition()))) refuse();
    const Names names(program_, block);
    for (const std::string& name : names_in(condition)) names.expect_unchanged(name);
  }

  [[nodiscard]] std::vector<std::string> items_of(const clang::OMPExecutableDirective& one,
                                                  const clang::VarDecl& data) const {
    std::vector<std::string> items;
    for (const auto* clause : one.getClausesOfKind<clang::OMPMapClause>()) {
      for (const clang::Expr* item : clause->varlists()) {
        if (root_variable(*item) == &data) items.push_back(text_of(*item));
      }
    }
    std::ranges::sort(items);
    return items;
  }

  /// One of more would begin twice what ends once.
  void expect_same_items(const clang::OMPExecutableDirective& enter,
                         const clang::OMPExecutableDirective& exit,
                         const clang::VarDecl& data) const {
    if (items_of(enter, data).size() != items_of(exit, data).size()) refuse();
  }

  const Program& program_;
  const clang::OMPExecutableDirective& directive_;
};

}  // namespace

void expect_pair(const Program& program, const clang::OMPExecutableDirective& directive,
                 const std::vector<const clang::OMPExecutableDirective*>& all,
                 const clang::VarDecl& data) {
  Pairs(program, directive).expect(all, data);
}

}  // namespace ompdm::edit
