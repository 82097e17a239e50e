#include "scopes.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "insertions.h"
#include "messages.h"
#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// The calls by the host in code. Called functions are not entered.
class Calls : public CodeVisitor {
 public:
  bool enters(const Stmt& statement) override { return !is_region(statement); }
  void visit(const Stmt& at) override {
    if (const Stmt* code = hidden_code_of(at)) hidden = code;
    if (const auto* call = dyn_cast<CallExpr>(&at)) all.insert(call);
    const auto* argument = dyn_cast<clang::CXXDefaultArgExpr>(&at);
    if (argument != nullptr) walk(argument->getExpr());
  }

  std::set<const CallExpr*> all;
  const Stmt* hidden = nullptr;
};

/// Whether a call hands over a function, which the callee may call.
bool hands_function(const CallExpr& call) {
  for (const Expr* argument : call.arguments()) {
    const clang::QualType type = argument->IgnoreParenImpCasts()->getType();
    const auto* record = type->getAsCXXRecordDecl();
    if (type->isFunctionType() || type->isFunctionPointerType() ||
        (record != nullptr && record->isLambda())) {
      return true;
    }
  }
  return false;
}

class Scopes {
 public:
  explicit Scopes(const Program& program) : program_(program) {}

  void add(const Stmt& code, const VarDecl& data, const FunctionDecl* function) {
    if (!known_.emplace(function, &data).second) return;
    std::vector<Mention> mentions = mentions_on_host(program_, code, data);
    // Each function may use a global variable.
    if (data.hasGlobalStorage()) add_calls(code, data, mentions);
    for (const Mention& one : mentions) {
      if (function != nullptr && one.use == Use::kPointer) {
        program_.refuse(*one.at,
                        "{} is set again, or gets another name, in {}(), which the loop calls",
                        data.getNameAsString(), function->getNameAsString());
      }
      for (const clang::ParmVarDecl* parameter : one.handed_to) {
        const auto* callee = cast<FunctionDecl>(parameter->getDeclContext());
        add(*callee->getBody(), *parameter, callee);
      }
    }
    all.push_back({&code, &data, function, std::move(mentions)});
  }

  std::vector<Scope> all;

 private:
  void add_calls(const Stmt& code, const VarDecl& data, std::vector<Mention>& mentions) {
    each_call(code, data, [&](const CallExpr& call, const FunctionDecl& called) {
      if (offloads(*called.getBody())) {
        add(*called.getBody(), data, &called);
      } else {
        std::set<const FunctionDecl*> known;
        mentions.push_back({&call, use_in(called, data, known), {}, {}});
      }
    });
  }

  /// Calls take(call, function) for each call by the host of a function whose body is seen.
  template <class Take>
  void each_call(const Stmt& code, const VarDecl& data, const Take& take) const {
    Calls calls;
    calls.walk(&code);
    if (calls.hidden != nullptr) {
      program_.refuse(*calls.hidden, "what runs here without a call may use {}, which is global",
                      data.getNameAsString());
    }
    for (const CallExpr* call : calls.all) {
      const FunctionDecl* called = body_of(*call, data);
      if (called != nullptr) take(*call, *called);
    }
  }

  /// The body that a call runs. Null for functions of the system.
  const FunctionDecl* body_of(const CallExpr& call, const VarDecl& data) const {
    const std::string name = data.getNameAsString();
    const FunctionDecl* called = call.getDirectCallee();
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(called);
    if (called == nullptr || (method != nullptr && method->isVirtual()) || hands_function(call)) {
      program_.refuse(call, "what is called by pointer may use {}, which is global", name);
    }
    const FunctionDecl* defined = seen_callee_of(&call);
    if (defined == nullptr && !is_of_system(called)) {
      program_.refuse(call, "{}(), whose body is not seen, may use {}, which is global",
                      called->getNameAsString(), name);
    }
    return defined;
  }

  /// The use of data by a function without regions, and by functions that it calls.
  Use use_in(const FunctionDecl& function, const VarDecl& data,
             std::set<const FunctionDecl*>& known) const {
    Use use = Use::kNone;
    if (!known.insert(&function).second) return use;
    for (const Mention& one : mentions_on_host(program_, *function.getBody(), data)) {
      if (one.use == Use::kUnknown || one.use == Use::kPointer) {
        program_.refuse(*one.at, "{} {}", data.getNameAsString(),
                        one.why.empty() ? "is set here" : one.why);
      }
      use = both(use, one.use);
    }
    each_call(*function.getBody(), data, [&](const CallExpr&, const FunctionDecl& called) {
      use = both(use, use_in(called, data, known));
    });
    return use;
  }

  const Program& program_;
  std::set<std::pair<const FunctionDecl*, const VarDecl*>> known_;
};

class Callers {
 public:
  Callers(const Program& program, const Stmt& loop) : program_(program), loop_(loop) {}

  void expect(const FunctionDecl& function) {
    if (!known_.insert(&function).second) return;
    const std::string name = function.getNameAsString();
    if (!program_.is_called_here_alone(function)) {
      program_.refuse(*function.getBody(),
                      "{}() would have to be changed, which other files may call: it is not "
                      "static, or stands in a header",
                      name);
    }
    // All places of the translation unit that name the function.
    std::set<const clang::DeclRefExpr*> references;
    const auto* unit = program_.context().getTranslationUnitDecl();
    for (const auto* one : all_in<clang::DeclRefExpr>(unit)) {
      const auto* named = one->getDecl()->getCanonicalDecl();
      if (named == function.getCanonicalDecl()) references.insert(one);
    }
    for (const clang::DeclRefExpr* one : references) {
      const Stmt* parent = program_.parent_of(*one);
      const auto* decays = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
      const Stmt* call = decays == nullptr ? nullptr : program_.parent_of(*decays);
      const bool is_call =
          isa_and_nonnull<CallExpr>(call) && cast<CallExpr>(call)->getCallee() == decays;
      if (!is_call) program_.refuse(*one, "{}() is not only called here", name);
      if (region_around(program_, *one) != nullptr) {
        program_.refuse(*one, "{}() is called on the device, too", name);
      }
      if (program_.is_within(*one, loop_)) continue;
      const FunctionDecl* caller = program_.function_of(*one);
      if (caller == nullptr || caller == program_.function_of(loop_)) {
        program_.refuse(*one, "{}() is called outside of the loop, too", name);
      }
      expect(*caller);
    }
  }

 private:
  const Program& program_;
  const Stmt& loop_;
  std::set<const FunctionDecl*> known_;
};

}  // namespace

std::vector<Scope> scopes_of(const Program& program, const Stmt& loop, const VarDecl& data) {
  Scopes scopes(program);
  scopes.add(loop, data, nullptr);
  return std::move(scopes.all);
}

void expect_called_here_alone(const Program& program, const Stmt& loop,
                              const FunctionDecl& function) {
  Callers(program, loop).expect(function);
}

namespace {

/// Directives of a scope, without those in regions that run on a device.
class Directives : public CodeVisitor {
 public:
  bool enters(const Stmt& statement) override {
    const auto* directive = dyn_cast<Directive>(&statement);
    if (directive != nullptr && known_.insert(directive).second) all.push_back(directive);
    return !is_region(statement);
  }
  std::vector<const Directive*> all;  ///< each once, in the order of the source

 private:
  std::set<const Directive*> known_;
};

class Uses {
 public:
  Uses(const Program& program, const Scope& scope, const std::vector<const VarDecl*>& all,
       int device)
      : program_(program), data_(*scope.data), all_(all), device_(device) {}

  void add(const Directive& directive) {
    expect_no_address(directive);
    add_items(directive);
    const auto kind = directive.getDirectiveKind();
    if (runs_on_device(directive)) {
      add_region(directive);
    } else if (kind == llvm::omp::OMPD_target_update) {
      add_update(directive);
    } else if (clang::isOpenMPTargetDataManagementDirective(kind)) {
      if (!maps(directive, data_)) return;
      note_what_is_dropped(directive);
      found.around.push_back(&directive);
      expect_at_once(directive);
      expect_plain(directive);
      if (kind != llvm::omp::OMPD_target_data) found.counted.push_back(&directive);
    }
  }

  DeviceUses found;

 private:
  void expect_no_address(const Directive& directive) const {
    const bool is_given = lists<clang::OMPUseDevicePtrClause>(directive, data_) ||
                          lists<clang::OMPUseDeviceAddrClause>(directive, data_) ||
                          lists<clang::OMPIsDevicePtrClause>(directive, data_) ||
                          lists<clang::OMPHasDeviceAddrClause>(directive, data_);
    if (is_given) {
      program_.refuse(directive, "the device address of {} is asked for here", name());
    }
  }

  [[nodiscard]] std::string name() const { return data_.getNameAsString(); }

  void add_items(const Directive& directive) {
    for (const MapItem& one : mapped_items(directive, data_)) {
      const auto type = one.clause->getMapType();
      found.sends = found.sends || type == clang::OMPC_MAP_to || type == clang::OMPC_MAP_tofrom;
      if (one.clause->isImplicit()) continue;
      found.items.push_back({text(*one.item), place_of(program_.context(), directive)});
    }
  }

  [[nodiscard]] std::string text(const Expr& expression) const {
    return text_of(program_.context(), expression);
  }

  void expect_at_once(const Directive& directive) const {
    if (runs_beside(program_, directive)) {
      program_.refuse(directive, "this directive is nowait");
    }
  }

  void expect_same_device(const Directive& directive) const {
    const auto* clause = directive.getSingleClause<clang::OMPDeviceClause>();
    // Without the clause it is the default device, which is mostly the first.
    bool is_same = clause == nullptr && device_ == 0;
    if (clause != nullptr) {
      const auto number = written(*clause->getDevice()).getIntegerConstantExpr(program_.context());
      is_same = number && number->getExtValue() == device_;
    }
    if (!is_same) program_.refuse(directive, "this directive may use another device");
  }

  /// Throws Refusal for a directive that may be for another device, or whose map type copies always
  /// or deletes.
  void expect_plain(const Directive& directive) const {
    expect_same_device(directive);
    for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
      const bool copies = std::ranges::any_of(clause->getMapTypeModifiers(), [](auto modifier) {
        return modifier == clang::OMPC_MAP_MODIFIER_always;
      });
      if (copies) program_.refuse(directive, "this directive copies always");
      if (clause->getMapType() == clang::OMPC_MAP_delete) {
        program_.refuse(directive, "this directive deletes what is on the device");
      }
    }
  }

  /// Notes a directive that does not copy the data back: behind it the host has its old values.
  void note_what_is_dropped(const Directive& directive) {
    if (directive.getDirectiveKind() == llvm::omp::OMPD_target_enter_data) return;
    const bool is_exit = directive.getDirectiveKind() == llvm::omp::OMPD_target_exit_data;
    for (const MapItem& one : mapped_items(directive, data_)) {
      const auto type = one.clause->getMapType();
      const bool brings = type == clang::OMPC_MAP_from || type == clang::OMPC_MAP_tofrom ||
                          (!is_exit && type == clang::OMPC_MAP_unknown);
      if (!brings) found.drops = &directive;
    }
  }

  void add_region(const Directive& region) {
    const bool is_private = lists<clang::OMPFirstprivateClause>(region, data_, kWritten) ||
                            lists<clang::OMPPrivateClause>(region, data_, kWritten);
    if (is_private) program_.refuse(region, "{} is private to this region", name());
    bool is_used = maps(region, data_);
    bool writes = false;
    if (region.hasAssociatedStmt()) {
      for (const Mention& one : mentions_on_device(program_, *region.getAssociatedStmt(), data_)) {
        is_used = true;
        if (one.use == Use::kUnknown || one.use == Use::kPointer) {
          program_.refuse(*one.at, "in this kernel {} {}", name(),
                          one.why.empty() ? "is set" : one.why);
        }
        writes = writes || one.use == Use::kWrite || one.use == Use::kChange;
      }
    }
    if (!is_used) return;
    expect_plain(region);
    const auto only_sends = [](const MapItem& one) {
      const auto type = one.clause->getMapType();
      return type == clang::OMPC_MAP_to || type == clang::OMPC_MAP_alloc;
    };
    if (writes && std::ranges::any_of(mapped_items(region, data_), only_sends)) {
      program_.refuse(region, "a kernel changes {}, which its clause only sends", name());
    }
    found.writes = found.writes || writes;
    if (runs_beside(program_, region)) found.later.push_back(&region);
    add_if(region, writes);
  }

  void add_if(const Directive& region, bool writes) {
    const Expr* condition = device_condition(region);
    if (condition == nullptr) return;
    // The condition is evaluated again before and behind the region.
    if (condition->HasSideEffects(program_.context()) || !only_names(*condition)) {
      program_.refuse(region,
                      "asking this directive's if() again may change or tell something else");
    }
    expect_unmapped(*condition, region);
    // An update behind the region needs the host's changes by then.
    if (writes && region.hasClausesOfKind<clang::OMPNowaitClause>()) {
      program_.refuse(region, "this directive is nowait");
    }
    const auto items = mapped_items(region, data_, kWritten);
    const std::string item = items.empty() ? std::string() : text(*items.back().item);
    if (room_around(program_, region) == Room::kNone) {
      program_.refuse(region, "no directive can stand around this");
    }
    found.may_stay.push_back({&region, text(*condition), item, writes});
  }

  void expect_unmapped(const Expr& condition, const Directive& region) const {
    if (may_set_global_of(region, condition)) {
      program_.refuse(region, "this region may change what its if() asks");
    }
    const std::vector<std::string> words = names_in(text(condition));
    for (const MapItem& one : mapped_items(region, kWritten)) {
      if (one.variable == nullptr) continue;
      if (llvm::is_contained(words, one.variable->getNameAsString())) {
        program_.refuse(region, "this region may change what its if() asks");
      }
    }
  }

  /// Notes an update as redundant where it names only kept data. An update with other data is left
  /// where it only copies back.
  void add_update(const Directive& update) {
    const bool sends = lists<clang::OMPToClause>(update, data_);
    if (!sends && !lists<clang::OMPFromClause>(update, data_)) return;
    expect_at_once(update);
    expect_same_device(update);
    if (update.hasClausesOfKind<clang::OMPDependClause>()) {
      program_.refuse(update, "this directive waits for others, or others for it");
    }
    const Expr* condition = device_condition(update);
    if (condition != nullptr && condition->HasSideEffects(program_.context())) {
      program_.refuse(update, "asking this directive's if() does something besides");
    }
    if (concerns_only_these<clang::OMPToClause>(update) &&
        concerns_only_these<clang::OMPFromClause>(update)) {
      found.idle.push_back(&update);
    } else if (sends) {
      program_.refuse(update, "this directive sends {} and more", name());
    }
  }

  template <class Clause>
  bool concerns_only_these(const Directive& update) const {
    for (const auto* clause : update.getClausesOfKind<Clause>()) {
      for (const Expr* item : clause->varlists()) {
        if (!llvm::is_contained(all_, root_variable(*item))) return false;
      }
    }
    return true;
  }

  const Program& program_;
  const VarDecl& data_;
  const std::vector<const VarDecl*>& all_;
  int device_;
};

}  // namespace

DeviceUses device_uses(const Program& program, const Scope& scope,
                       const std::vector<const VarDecl*>& all, int device) {
  Directives directives;
  directives.walk(scope.code);
  Uses uses(program, scope, all, device);
  for (const Directive* one : directives.all) uses.add(*one);
  return std::move(uses.found);
}

namespace {

/// Statements that may leave a block before its end.
class Jumps : public CodeVisitor {
 public:
  bool enters(const Stmt& at) override { return !isa<clang::LambdaExpr>(at); }
  void visit(const Stmt& at) override {
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

  void expect(const std::vector<const Directive*>& all, const VarDecl& data) const {
    const auto* block = dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(directive_));
    if (block == nullptr) refuse();
    for (const Stmt* statement : block->body()) {
      if (isa<clang::SwitchCase, clang::LabelStmt>(statement)) refuse();
    }
    // The directives of the block, in order: an enter and an exit take turns, and an exit is last.
    std::vector<const Directive*> here;
    std::vector<const Stmt*> between;
    for (const Stmt* statement : block->body()) {
      const auto* one = dyn_cast<Directive>(statement);
      const bool is_one = one != nullptr && std::ranges::find(all, one) != all.end();
      if (is_one) {
        if (is_enter(*one) == (here.size() % 2 == 1)) refuse();
        if (!here.empty() && !is_enter(*one)) {
          expect_same_condition(*here.back(), *one, *block);
          // With more items, one directive would begin several mappings, and the other end one.
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
                 const std::vector<const Directive*>& all, const VarDecl& data) {
  Pairs(program, directive).expect(all, data);
}

namespace {

/// Whether a directive of the program maps the data at a statement.
bool holds_any(const Program& program, const DeviceUses& uses, const Stmt& statement) {
  const clang::SourceManager& sources = program.context().getSourceManager();
  return std::ranges::any_of(uses.around, [&](const Directive* one) {
    if (one->getDirectiveKind() == llvm::omp::OMPD_target_data) {
      return program.is_within(statement, *one);
    }
    // The statement is between an enter and an exit, as far as their block shows.
    const Stmt* block = program.parent_of(*one);
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

}  // namespace ompdm::edit
