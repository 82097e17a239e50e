#include "residence_checks.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <string>

#include "flow.h"
#include "messages.h"
#include "names.h"
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
                   const std::vector<Scope>& scopes) {
  Memory memory(program, code);
  const bool has_some =
      memory.is_allocated(data) ||
      std::ranges::any_of(scopes, [&](const Scope& scope) { return memory.is_mapped(scope); });
  if (has_some) return;
  program.refuse(code, "{} is mapped under conditions alone, and may have no memory otherwise",
                 data.getNameAsString());
}

namespace {

/// "omp_get_thread_num() == 1".
bool asks_for_one_thread(const clang::Expr& condition) {
  const auto* binary = dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (binary == nullptr || binary->getOpcode() != clang::BO_EQ) return false;
  const auto is_number = [](const clang::Expr& side) {
    return isa<clang::IntegerLiteral>(side.IgnoreParenImpCasts());
  };
  const auto is_asked = [](const clang::Expr& side) {
    const clang::FunctionDecl* called = callee_of(side.IgnoreParenImpCasts());
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
  const auto* construct = dyn_cast<Directive>(&statement);
  if (construct == nullptr) return false;
  const auto kind = construct->getDirectiveKind();
  return kind == llvm::omp::OMPD_single || kind == llvm::omp::OMPD_master ||
         kind == llvm::omp::OMPD_masked;
}

/// Whether all places in a construct that name a variable, and directives that map it, are in one
/// statement.
bool is_named_in_alone(const Program& program, const clang::Stmt& construct,
                       const clang::VarDecl& data, const clang::Stmt& alone) {
  bool is_alone = true;
  each_statement(&construct, [&](const clang::Stmt& at) {
    const auto* directive = dyn_cast<Directive>(&at);
    if (is_name_of(at, data) || (directive != nullptr && maps(*directive, data))) {
      is_alone = is_alone && program.is_within(at, alone);
    }
  });
  return is_alone;
}

/// A call or an object that starts a thread of the host's.
bool starts_thread(const clang::Stmt& at) {
  static const std::set<std::string> kStarts = {"pthread_create", "thrd_create", "std::async"};
  static const std::set<std::string> kThreads = {"std::thread", "std::jthread"};
  if (const clang::FunctionDecl* called = callee_of(&at)) {
    return kStarts.contains(called->getQualifiedNameAsString());
  }
  const auto* made = dyn_cast<clang::CXXConstructExpr>(&at);
  return made != nullptr &&
         kThreads.contains(made->getConstructor()->getParent()->getQualifiedNameAsString());
}

/// Where several threads run at once, of which one may come to the code by a call: a construct, or
/// what starts a thread; null of none.
const clang::Stmt* threads_elsewhere(const Program& program, const clang::Stmt& code) {
  const clang::Stmt* start = nullptr;
  for (const clang::FunctionDecl* function : program.functions()) {
    each_statement(function->getBody(), [&](const clang::Stmt& at) {
      if (starts_thread(at)) start = &at;
    });
    for (const auto* construct : program.directives_in(*function->getBody())) {
      const bool is_host = clang::isOpenMPParallelDirective(construct->getDirectiveKind()) &&
                           !runs_on_device(*construct);
      if (is_host && !program.is_within(code, *construct) && program.leads_to(*construct, code)) {
        return construct;
      }
    }
  }
  return start;
}

}  // namespace

void expect_no_other_thread(const Program& program, const clang::Stmt& code,
                            const std::vector<const clang::VarDecl*>& data) {
  const clang::SourceManager& sources = program.context().getSourceManager();
  const OwnStorage own(program, code, {data.begin(), data.end()});
  for (const clang::VarDecl* one : data) {
    if (own.is_private(*one) && !one->hasGlobalStorage()) continue;
    if (const clang::Stmt* elsewhere = threads_elsewhere(program, code)) {
      program.refuse(*elsewhere, "threads that begin here may share {}", one->getNameAsString());
    }
  }
  const clang::Stmt* alone = nullptr;  // what one thread runs
  const clang::Stmt* child = &code;
  for (const clang::Stmt* at = &code; at != nullptr; child = at, at = program.parent_of(*at)) {
    if (is_of_one_thread(*at, child)) {
      alone = at;
      continue;
    }
    const auto* construct = dyn_cast<Directive>(at);
    const bool is_data =
        construct != nullptr && construct->getDirectiveKind() == llvm::omp::OMPD_target_data;
    if (construct == nullptr || is_data) continue;
    for (const clang::VarDecl* one : data) {
      const bool is_shared = one->hasGlobalStorage() || !own.is_private(*one);
      const bool is_declared_inside =
          sources.isBeforeInTranslationUnit(construct->getBeginLoc(), one->getLocation());
      if (!is_shared && is_declared_inside) continue;
      if (is_shared || alone == nullptr || !is_named_in_alone(program, *construct, *one, *alone)) {
        program.refuse(*construct, "the threads of this construct share {}",
                       one->getNameAsString());
      }
    }
  }
}

namespace {

/// Statements that may leave a block before its end.
class Jumps : public CodeVisitor {
 public:
  bool enters(const clang::Stmt& at) override { return !isa<clang::LambdaExpr>(at); }
  void visit(const clang::Stmt& at) override {
    any =
        any ||
        isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt,
            clang::IndirectGotoStmt, clang::LabelStmt, clang::SwitchCase, clang::CXXThrowExpr>(at);
  }
  bool any = false;
};

bool is_enter(const Directive& directive) {
  return directive.getDirectiveKind() == llvm::omp::OMPD_target_enter_data;
}

class Pairs {
 public:
  Pairs(const Program& program, const Directive& directive)
      : program_(program), directive_(directive) {}

  void expect(const std::vector<const Directive*>& all, const clang::VarDecl& data) const {
    const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(directive_));
    if (block == nullptr) refuse();
    for (const clang::Stmt* statement : block->body()) {
      if (isa<clang::SwitchCase, clang::LabelStmt>(statement)) refuse();
    }
    // Those of the block, in order: one of each kind by turns, an exit last.
    std::vector<const Directive*> here;
    std::vector<const clang::Stmt*> between;
    for (const clang::Stmt* statement : block->body()) {
      const auto* one = dyn_cast<Directive>(statement);
      const bool is_one = one != nullptr && std::ranges::find(all, one) != all.end();
      if (is_one) {
        if (is_enter(*one) == (here.size() % 2 == 1)) refuse();
        if (!here.empty() && !is_enter(*one)) {
          expect_same_condition(*here.back(), *one, *block);
          // One of more would begin twice what ends once.
          const std::size_t items = mapped_items(*here.back(), data).size();
          if (items != mapped_items(*one, data).size()) refuse();
        }
        here.push_back(one);
      } else if (here.size() % 2 == 1) {
        Jumps jumps;
        jumps.walk(statement);
        if (jumps.any) refuse();
      }
    }
    if (here.empty() || here.size() % 2 == 1) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    program_.refuse(
        directive_,
        "the run did not reach this directive, and which one belongs to it does not show");
  }

  [[nodiscard]] std::string condition_of(const Directive& one) const {
    const auto* clause = one.getSingleClause<clang::OMPIfClause>();
    return clause == nullptr ? std::string()
                             : text_of(program_.context(), written(*clause->getCondition()));
  }

  void expect_same_condition(const Directive& enter, const Directive& exit,
                             const clang::CompoundStmt& block) const {
    const std::string condition = condition_of(enter);
    if (condition != condition_of(exit)) refuse();
    const auto* clause = enter.getSingleClause<clang::OMPIfClause>();
    if (clause != nullptr && !only_names(written(*clause->getCondition()))) refuse();
    const Names names(program_, block);
    for (const std::string& name : names_in(condition)) names.expect_unchanged(name);
  }

  const Program& program_;
  const Directive& directive_;
};

}  // namespace

void expect_pair(const Program& program, const Directive& directive,
                 const std::vector<const Directive*>& all, const clang::VarDecl& data) {
  Pairs(program, directive).expect(all, data);
}

namespace {

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
  /// Whether a use is a call of a function of the program's that is not seen.
  [[nodiscard]] bool may_map(const clang::Stmt& use) const {
    const clang::FunctionDecl* called = callee_of(&use);
    return isa<clang::CallExpr>(use) && !is_of_system(called) && seen_callee_of(&use) == nullptr;
  }

  const Program& program_;
};

}  // namespace

void expect_nothing_else_meant(const Program& program, const Scope& scope) {
  const DeviceUses& uses = scope.uses;
  const std::string name = scope.data->getNameAsString();
  if (uses.drops != nullptr && uses.writes) {
    program.refuse(*uses.drops, "behind this directive the host has the {} of before", name);
  }
  for (const Mention& one : scope.mentions) {
    const bool is_used = one.use == Use::kRead || one.use == Use::kWrite || one.use == Use::kChange;
    if (is_used && uses.idle.empty() && holds_any(program, uses, *one.at)) {
      program.refuse(*one.at, "the host may mean the {} of before here", name);
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
    program.refuse(update, "this update may be for data that is mapped where it is not seen");
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
    program.refuse(update, "this update may be for data that is mapped outside, too");
  }
}

}  // namespace ompdm::edit
