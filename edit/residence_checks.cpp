#include "residence_checks.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "flow.h"
#include "messages.h"
#include "names.h"
#include "scopes.h"
#include "source_text.h"
#include "storage.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

class Memory {
 public:
  Memory(const Program& program, const clang::Stmt& code) : program_(program), code_(code) {}

  [[nodiscard]] bool is_called(const clang::FunctionDecl& function) {
    if (!open_.insert(&function).second) return false;
    const auto calls = program_.calls_of(function);
    const bool found = std::ranges::any_of(calls, [&](const clang::CallExpr* call) {
      if (program_.is_within(*call, code_)) return is_certain(program_, *call, code_);
      const clang::FunctionDecl* caller = program_.function_of(*call);
      return caller != nullptr && caller != program_.function_of(code_) && caller->hasBody() &&
             is_certain(program_, *call, *caller->getBody()) && is_called(*caller);
    });
    open_.erase(&function);
    return found;
  }

  [[nodiscard]] bool is_mapped(const Scope& scope) {
    const bool is_reached = scope.function == nullptr || is_called(*scope.function);
    return is_reached &&
           std::ranges::any_of(program_.directives_in(*scope.code), [&](const auto* directive) {
             return maps(*directive, *scope.data) && program_.is_within(*directive, *scope.code) &&
                    is_certain(program_, *directive, *scope.code);
           });
  }

  /// An array, or a pointer that is set to memory of one size before the code.
  [[nodiscard]] bool is_allocated(const clang::VarDecl& data) const {
    if (data.getType()->isArrayType()) return !isa<clang::ParmVarDecl>(data);
    const clang::FunctionDecl* function = function_of(data);
    if (function == nullptr || !function->hasBody() || isa<clang::ParmVarDecl>(data)) return false;
    bool is_set = false;
    for (const clang::Expr* value : values_of(data, *function->getBody())) {
      if (is_null(*value)) continue;
      if (!is_allocation(value)) continue;  // of what it is exchanged with
      if (has_choice(*value) || !is_certain_before(*value, *function->getBody())) return false;
      is_set = true;
    }
    return is_set;
  }

 private:
  static bool is_null(const clang::Expr& value) {
    const clang::Expr* plain = value.IgnoreParenCasts();
    return isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral>(plain);
  }

  /// Whether all that decides of a statement decides of the code, too: "if (on) { u = malloc(n);
  /// for (...)".
  [[nodiscard]] bool is_certain_before(const clang::Stmt& value, const clang::Stmt& body) const {
    const clang::Stmt* child = &value;
    while (child != &body) {
      const clang::Stmt* at = program_.parent_of(*child);
      if (at == nullptr || program_.is_within(code_, *child)) return at != nullptr;
      if (decides(*at, child)) return program_.is_within(code_, *child);
      child = at;
    }
    return true;
  }

  const Program& program_;
  const clang::Stmt& code_;
  std::set<const clang::FunctionDecl*> open_;
};

}  // namespace

void expect_memory(const Program& program, const clang::Stmt& code, const clang::VarDecl& data,
                   const std::vector<const Scope*>& scopes) {
  Memory memory(program, code);
  const bool has_some =
      memory.is_allocated(data) ||
      std::ranges::any_of(scopes, [&](const Scope* scope) { return memory.is_mapped(*scope); });
  if (has_some) return;
  throw Refusal(fmt::format("{} is mapped under conditions alone, and may have no memory otherwise",
                            data.getNameAsString()),
                place_of(program.context(), code));
}

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
class Named : public WrittenCode {
 public:
  explicit Named(const clang::VarDecl& data) : data_(data) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (name->getDecl()->getCanonicalDecl() == data_.getCanonicalDecl()) all.push_back(name);
    return true;
  }
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) override {
    if (maps(*directive, data_)) all.push_back(directive);
    return true;
  }
  std::vector<const clang::Stmt*> all;

 private:
  const clang::VarDecl& data_;
};

/// Calls and objects that start threads of the host's, anywhere in the sources.
class Starts : public WrittenCode {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    static const std::set<std::string> kStarts = {"pthread_create", "thrd_create", "std::async"};
    const clang::FunctionDecl* called = call->getDirectCallee();
    const bool starts = called != nullptr && kStarts.contains(called->getQualifiedNameAsString());
    if (starts) found = call;
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
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

namespace {

/// Statements that may leave a block before its end.
class Jumps : public WrittenCode {
 public:
  bool TraverseLambdaExpr(clang::LambdaExpr*) override { return true; }
  bool VisitStmt(clang::Stmt* statement) override {
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

namespace {

using Directive = clang::OMPExecutableDirective;

[[noreturn]] void refuse(const Program& program, const clang::Stmt& at, const std::string& why) {
  throw Refusal(why, place_of(program.context(), at));
}

/// Whether a directive of the program's own holds the data on the device at a statement.
bool holds_any(const Program& program, const DeviceUses& uses, const clang::Stmt& statement) {
  const clang::SourceManager& sources = program.context().getSourceManager();
  return std::ranges::any_of(uses.around, [&](const Directive* one) {
    if (one->getDirectiveKind() == llvm::omp::OMPD_target_data) {
      return program.is_within(statement, *one);
    }
    // Between an enter and an exit, as far as their block shows.
    const clang::Stmt* block = program.parent_of(*one);
    return one->getDirectiveKind() == llvm::omp::OMPD_target_enter_data && block != nullptr &&
           program.is_within(statement, *block) &&
           sources.isBeforeInTranslationUnit(one->getBeginLoc(), statement.getBeginLoc()) &&
           std::ranges::none_of(uses.around, [&](const Directive* exit) {
             return exit->getDirectiveKind() == llvm::omp::OMPD_target_exit_data &&
                    sources.isBeforeInTranslationUnit(one->getBeginLoc(), exit->getBeginLoc()) &&
                    sources.isBeforeInTranslationUnit(exit->getBeginLoc(), statement.getBeginLoc());
           });
  });
}

/// Every name that storage of its own is handed on by: those of called functions.
class HandedOn {
 public:
  explicit HandedOn(const Program& program) : program_(program) {}

  void add(const clang::FunctionDecl& function, const clang::VarDecl& data) {
    if (!function.hasBody() || !names.emplace(&function, &data).second) return;
    for (const Mention& one : mentions_on_host(program_, *function.getBody(), data)) {
      is_unseen = is_unseen || (one.use == Use::kUnknown && may_map(*one.at));
      for (const clang::ParmVarDecl* parameter : one.handed_to) {
        add(*llvm::cast<clang::FunctionDecl>(parameter->getDeclContext()), *parameter);
      }
    }
  }

  std::set<std::pair<const clang::FunctionDecl*, const clang::VarDecl*>> names;
  bool is_unseen = false;  ///< to a function whose body is not seen, too

 private:
  /// A function of the program's that is not seen.
  [[nodiscard]] bool may_map(const clang::Stmt& use) const {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&use);
    if (call == nullptr) return false;
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::SourceManager& sources = program_.context().getSourceManager();
    return called == nullptr || (called->getBuiltinID() == 0 && !called->hasBody() &&
                                 !sources.isInSystemHeader(called->getLocation()));
  }

  const Program& program_;
};

}  // namespace

void expect_nothing_else_meant(const Program& program, const Scope& scope, const DeviceUses& uses) {
  const std::string name = scope.data->getNameAsString();
  if (uses.drops != nullptr && uses.writes) {
    refuse(program, *uses.drops,
           fmt::format("behind this directive the host has the {} of before", name));
  }
  for (const Mention& one : scope.mentions) {
    const bool is_used = one.use == Use::kRead || one.use == Use::kWrite || one.use == Use::kChange;
    if (is_used && uses.idle.empty() && holds_any(program, uses, *one.at)) {
      refuse(program, *one.at, fmt::format("the host may mean the {} of before here", name));
    }
  }
}

void expect_mapped_here_alone(const Program& program, const clang::Stmt& code,
                              const Directive& update,
                              const std::vector<const clang::VarDecl*>& data) {
  const clang::FunctionDecl* home = program.function_of(code);
  const OwnStorage own(program, code, {data.begin(), data.end()});
  // Of storage that only its names lead to, all that may map it is seen.
  const bool is_seen = home != nullptr && std::ranges::all_of(data, [&](const auto* one) {
                         return !one->hasGlobalStorage() && own.is_private(*one);
                       });
  HandedOn handed(program);
  for (const clang::VarDecl* one : data) {
    if (is_seen) handed.add(*home, *one);
  }
  if (handed.is_unseen) {
    refuse(program, update, "this update may be for data that is mapped where it is not seen");
  }
  const auto is_mapped_by = [&](const Directive& one) {
    const clang::FunctionDecl* function = program.function_of(one);
    if (!is_seen && function != home) return true;
    if (!is_seen) return std::ranges::any_of(data, [&](const auto* it) { return maps(one, *it); });
    return std::ranges::any_of(handed.names, [&](const auto& name) {
      return name.first == function && maps(one, *name.second);
    });
  };
  for (const Directive* one : program.data_directives()) {
    if (program.leads_to(code, *one) || !is_mapped_by(*one)) continue;
    refuse(program, update, "this update may be for data that is mapped outside, too");
  }
}

}  // namespace ompdm::edit
