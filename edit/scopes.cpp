#include "scopes.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "messages.h"
#include "names.h"
#include "program.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// What the host calls in code, not further.
class Calls : public HiddenCode {
 public:
  bool dataTraverseStmtPre(clang::Stmt* statement) override {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
    return directive == nullptr || !runs_on_device(*directive);
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    all.insert(call);
    return true;
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* argument) override {
    return TraverseStmt(argument->getExpr());
  }

  std::set<const clang::CallExpr*> all;
};

/// Whether it hands a function to another, which may call it.
bool hands_function(const clang::CallExpr& call) {
  for (const clang::Expr* argument : call.arguments()) {
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

  void add(const clang::Stmt& code, const clang::VarDecl& data,
           const clang::FunctionDecl* function) {
    if (!known_.emplace(function, &data).second) return;
    std::vector<Mention> mentions = mentions_on_host(program_, code, data);
    // Every function may use what is global.
    if (data.hasGlobalStorage()) add_calls(code, data, mentions);
    for (const Mention& one : mentions) {
      if (function != nullptr && one.use == Use::kPointer) {
        refuse(*one.at,
               fmt::format("{} is set anew, or gets another name, in {}(), which the loop calls",
                           data.getNameAsString(), function->getNameAsString()));
      }
      for (const clang::ParmVarDecl* parameter : one.handed_to) {
        const auto* callee = llvm::cast<clang::FunctionDecl>(parameter->getDeclContext());
        add(*callee->getBody(), *parameter, callee);
      }
    }
    all.push_back({&code, &data, function, std::move(mentions)});
  }

  std::vector<Scope> all;

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void add_calls(const clang::Stmt& code, const clang::VarDecl& data,
                 std::vector<Mention>& mentions) {
    Calls calls;
    calls.TraverseStmt(const_cast<clang::Stmt*>(&code));
    expect_nothing_hidden(calls, data);
    for (const clang::CallExpr* call : calls.all) {
      const clang::FunctionDecl* called = body_of(*call, data);
      if (called == nullptr) continue;
      if (offloads(*called->getBody())) {
        add(*called->getBody(), data, called);
      } else {
        std::set<const clang::FunctionDecl*> known;
        mentions.push_back({call, use_in(*called, data, known), {}, {}});
      }
    }
  }

  /// Null of what the system has.
  const clang::FunctionDecl* body_of(const clang::CallExpr& call,
                                     const clang::VarDecl& data) const {
    const std::string name = data.getNameAsString();
    const clang::FunctionDecl* called = call.getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
    if (called == nullptr || (method != nullptr && method->isVirtual()) || hands_function(call)) {
      refuse(call, fmt::format("what is called by pointer may use {}, which is global", name));
    }
    if (called->hasBody(defined)) return defined;
    const clang::SourceManager& sources = program_.context().getSourceManager();
    const bool is_system =
        called->getBuiltinID() != 0 || sources.isInSystemHeader(called->getLocation());
    if (!is_system) {
      refuse(call, fmt::format("{}(), whose body is not seen, may use {}, which is global",
                               called->getNameAsString(), name));
    }
    return nullptr;
  }

  /// Of a function without regions, and of those that it calls.
  Use use_in(const clang::FunctionDecl& function, const clang::VarDecl& data,
             std::set<const clang::FunctionDecl*>& known) {
    Use use = Use::kNone;
    if (!known.insert(&function).second) return use;
    for (const Mention& one : mentions_on_host(program_, *function.getBody(), data)) {
      if (one.use == Use::kUnknown || one.use == Use::kPointer) {
        refuse(*one.at, fmt::format("{} {}", data.getNameAsString(),
                                    one.why.empty() ? "is set here" : one.why));
      }
      use = both(use, one.use);
    }
    Calls calls;
    calls.TraverseStmt(function.getBody());
    expect_nothing_hidden(calls, data);
    for (const clang::CallExpr* call : calls.all) {
      const clang::FunctionDecl* called = body_of(*call, data);
      if (called != nullptr) use = both(use, use_in(*called, data, known));
    }
    return use;
  }

  void expect_nothing_hidden(const Calls& calls, const clang::VarDecl& data) const {
    if (calls.hidden == nullptr) return;
    refuse(*calls.hidden, fmt::format("what runs here without a call may use {}, which is global",
                                      data.getNameAsString()));
  }

  const Program& program_;
  std::set<std::pair<const clang::FunctionDecl*, const clang::VarDecl*>> known_;
};

/// Every place of the translation unit that names a function.
class References : public WrittenCode {
 public:
  explicit References(const clang::FunctionDecl& function) : function_(function) {}

  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (name->getDecl()->getCanonicalDecl() == function_.getCanonicalDecl()) all.insert(name);
    return true;
  }
  std::set<const clang::DeclRefExpr*> all;

 private:
  const clang::FunctionDecl& function_;
};

class Callers {
 public:
  Callers(const Program& program, const clang::Stmt& loop) : program_(program), loop_(loop) {}

  void expect(const clang::FunctionDecl& function) {
    if (!known_.insert(&function).second) return;
    const std::string name = function.getNameAsString();
    if (!program_.is_called_here_alone(function)) {
      refuse(*function.getBody(),
             fmt::format("{}() would have to be changed, which other files may call: it is not "
                         "static, or stands in a header",
                         name));
    }
    References references(function);
    references.TraverseDecl(program_.context().getTranslationUnitDecl());
    for (const clang::DeclRefExpr* one : references.all) {
      const clang::Stmt* parent = program_.parent_of(*one);
      const auto* decays = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
      const clang::Stmt* call = decays == nullptr ? nullptr : program_.parent_of(*decays);
      const bool is_call = llvm::isa_and_nonnull<clang::CallExpr>(call) &&
                           llvm::cast<clang::CallExpr>(call)->getCallee() == decays;
      if (!is_call) refuse(*one, fmt::format("{}() is not only called here", name));
      if (is_on_device(*one)) refuse(*one, fmt::format("{}() is called on the device, too", name));
      if (program_.is_within(*one, loop_)) continue;
      const clang::FunctionDecl* caller = program_.function_of(*one);
      if (caller == nullptr || caller == program_.function_of(loop_)) {
        refuse(*one, fmt::format("{}() is called outside of the loop, too", name));
      }
      expect(*caller);
    }
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  [[nodiscard]] bool is_on_device(const clang::Stmt& statement) const {
    for (const clang::Stmt* at = &statement; at != nullptr; at = program_.parent_of(*at)) {
      const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(at);
      if (directive != nullptr && runs_on_device(*directive)) return true;
    }
    return false;
  }

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

std::vector<Scope> scopes_of(const Program& program, const clang::Stmt& loop,
                             const clang::VarDecl& data) {
  Scopes scopes(program);
  scopes.add(loop, data, nullptr);
  return std::move(scopes.all);
}

void expect_called_here_alone(const Program& program, const clang::Stmt& loop,
                              const clang::FunctionDecl& function) {
  Callers(program, loop).expect(function);
}

namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Directives of a scope, but those in regions that run on a device.
class Directives : public WrittenCode {
 public:
  bool dataTraverseStmtPre(clang::Stmt* statement) override {
    const auto* directive = dyn_cast<clang::OMPExecutableDirective>(statement);
    if (directive == nullptr) return true;
    all.insert(directive);
    return !runs_on_device(*directive);
  }
  std::set<const clang::OMPExecutableDirective*> all;
};

class Uses {
 public:
  Uses(const Program& program, const Scope& scope, const std::vector<const clang::VarDecl*>& all,
       int device)
      : program_(program), data_(*scope.data), all_(all), device_(device) {}

  void add(const clang::OMPExecutableDirective& directive) {
    expect_no_address(directive);
    add_items(directive);
    const auto kind = directive.getDirectiveKind();
    if (runs_on_device(directive)) {
      add_region(directive);
    } else if (kind == llvm::omp::OMPD_target_update) {
      add_update(directive);
    } else if (clang::isOpenMPTargetDataManagementDirective(kind)) {
      if (!is_named(directive)) return;
      note_what_is_dropped(directive);
      found.around.push_back(&directive);
      expect_at_once(directive);
      expect_plain(directive);
      if (kind != llvm::omp::OMPD_target_data) found.counted.push_back(&directive);
    }
  }

  DeviceUses found;

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void expect_no_address(const clang::OMPExecutableDirective& directive) const {
    const bool is_given = lists<clang::OMPUseDevicePtrClause>(directive, data_) ||
                          lists<clang::OMPUseDeviceAddrClause>(directive, data_) ||
                          lists<clang::OMPIsDevicePtrClause>(directive, data_) ||
                          lists<clang::OMPHasDeviceAddrClause>(directive, data_);
    if (is_given) {
      refuse(directive, fmt::format("the device address of {} is asked for here", name()));
    }
  }

  [[nodiscard]] std::string name() const { return data_.getNameAsString(); }

  [[nodiscard]] bool is_named(const clang::OMPExecutableDirective& directive) const {
    return lists<clang::OMPMapClause>(directive, data_);
  }

  void add_items(const clang::OMPExecutableDirective& directive) {
    for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
      for (const clang::Expr* item : clause->varlists()) {
        if (root_variable(*item) != &data_) continue;
        const bool sends = clause->getMapType() == clang::OMPC_MAP_to ||
                           clause->getMapType() == clang::OMPC_MAP_tofrom;
        found.sends = found.sends || sends;
        if (clause->isImplicit()) continue;
        const Item one{text_of(*item), place_of(program_.context(), directive)};
        found.items.push_back(one);
      }
    }
  }

  [[nodiscard]] std::string text_of(const clang::Expr& expression) const {
    const SourceText text(program_.context(), expression.getBeginLoc());
    return text.between(expression.getBeginLoc(), expression.getEndLoc());
  }

  void expect_at_once(const clang::OMPExecutableDirective& directive) const {
    if (directive.hasClausesOfKind<clang::OMPNowaitClause>()) {
      refuse(directive, "this directive is nowait");
    }
  }

  void expect_same_device(const clang::OMPExecutableDirective& directive) const {
    const auto* clause = directive.getSingleClause<clang::OMPDeviceClause>();
    // Without one it is the default device, the first as a rule.
    bool is_same = clause == nullptr && device_ == 0;
    if (clause != nullptr) {
      const auto number = written(*clause->getDevice()).getIntegerConstantExpr(program_.context());
      is_same = number && number->getExtValue() == device_;
    }
    if (!is_same) refuse(directive, "this directive may use another device");
  }

  /// What runs elsewhere, or copies in any case, needs more than is written here.
  void expect_plain(const clang::OMPExecutableDirective& directive) const {
    expect_same_device(directive);
    for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
      const bool copies = std::ranges::any_of(clause->getMapTypeModifiers(), [](auto modifier) {
        return modifier == clang::OMPC_MAP_MODIFIER_always;
      });
      if (copies) refuse(directive, "this directive copies always");
      if (clause->getMapType() == clang::OMPC_MAP_delete) {
        refuse(directive, "this directive deletes what is on the device");
      }
    }
  }

  /// Behind it the host has what it had, whatever kernels did.
  void note_what_is_dropped(const clang::OMPExecutableDirective& directive) {
    if (directive.getDirectiveKind() == llvm::omp::OMPD_target_enter_data) return;
    const bool is_exit = directive.getDirectiveKind() == llvm::omp::OMPD_target_exit_data;
    for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
      const auto type = clause->getMapType();
      const bool brings = type == clang::OMPC_MAP_from || type == clang::OMPC_MAP_tofrom ||
                          (!is_exit && type == clang::OMPC_MAP_unknown);
      for (const clang::Expr* item : clause->varlists()) {
        if (!brings && root_variable(*item) == &data_) found.drops = &directive;
      }
    }
  }

  void add_region(const clang::OMPExecutableDirective& region) {
    const bool is_private = lists<clang::OMPFirstprivateClause>(region, data_, kWritten) ||
                            lists<clang::OMPPrivateClause>(region, data_, kWritten);
    if (is_private) refuse(region, fmt::format("{} is private to this region", name()));
    bool is_used = is_named(region);
    bool writes = false;
    if (region.hasAssociatedStmt()) {
      for (const Mention& one : mentions_on_device(program_, *region.getAssociatedStmt(), data_)) {
        is_used = true;
        if (one.use == Use::kUnknown || one.use == Use::kPointer) {
          refuse(*one.at,
                 fmt::format("in this kernel {} {}", name(), one.why.empty() ? "is set" : one.why));
        }
        writes = writes || one.use == Use::kWrite || one.use == Use::kChange;
      }
    }
    if (!is_used) return;
    expect_plain(region);
    if (writes && only_sends(region)) {
      refuse(region, fmt::format("a kernel changes {}, which its clause only sends", name()));
    }
    found.writes = found.writes || writes;
    if (region.hasClausesOfKind<clang::OMPNowaitClause>()) found.later.push_back(&region);
    add_if(region, writes);
  }

  [[nodiscard]] bool only_sends(const clang::OMPExecutableDirective& region) const {
    for (const auto* clause : region.getClausesOfKind<clang::OMPMapClause>()) {
      const bool sends = clause->getMapType() == clang::OMPC_MAP_to ||
                         clause->getMapType() == clang::OMPC_MAP_alloc;
      for (const clang::Expr* item : clause->varlists()) {
        if (sends && root_variable(*item) == &data_) return true;
      }
    }
    return false;
  }

  void add_if(const clang::OMPExecutableDirective& region, bool writes) {
    for (const auto* clause : region.getClausesOfKind<clang::OMPIfClause>()) {
      const auto modifier = clause->getNameModifier();
      if (modifier != llvm::omp::OMPD_unknown && modifier != llvm::omp::OMPD_target) continue;
      const clang::Expr& condition = written(*clause->getCondition());
      if (condition.HasSideEffects(program_.context()) || !is_plain(condition)) {
        refuse(region, "asking this directive's if() again may change or tell something else");
      }
      expect_unmapped(condition, region);
      // Behind it stands what the host has changed by then.
      if (writes) expect_at_once(region);
      std::string item;
      for (const auto* map : region.getClausesOfKind<clang::OMPMapClause>()) {
        for (const clang::Expr* one : map->varlists()) {
          if (!map->isImplicit() && root_variable(*one) == &data_) item = text_of(*one);
        }
      }
      const clang::Stmt* parent = program_.parent_of(region);
      if (parent == nullptr || !llvm::isa<clang::CompoundStmt>(parent)) {
        refuse(region, "this directive stands in no block: put braces around it");
      }
      found.may_stay.push_back({&region, text_of(condition), item, writes});
    }
  }

  /// Of names and numbers, none of which the region sets.
  [[nodiscard]] bool is_plain(const clang::Expr& condition) const { return only_names(condition); }

  /// It is asked before and behind the region.
  void expect_unmapped(const clang::Expr& condition,
                       const clang::OMPExecutableDirective& region) const {
    const std::vector<std::string> words = names_in(text_of(condition));
    for (const auto* clause : region.getClausesOfKind<clang::OMPMapClause>()) {
      for (const clang::Expr* item : clause->varlists()) {
        const clang::VarDecl* variable = root_variable(*item);
        if (clause->isImplicit() || variable == nullptr) continue;
        if (std::ranges::find(words, variable->getNameAsString()) != words.end()) {
          refuse(region, "this region may change what its if() asks");
        }
      }
    }
  }

  /// Removed where it concerns nothing else, and left where it only brings back.
  void add_update(const clang::OMPExecutableDirective& update) {
    const bool sends = lists<clang::OMPToClause>(update, data_);
    if (!sends && !lists<clang::OMPFromClause>(update, data_)) return;
    expect_at_once(update);
    expect_same_device(update);
    if (update.hasClausesOfKind<clang::OMPDependClause>()) {
      refuse(update, "this directive waits for others, or others for it");
    }
    if (concerns_only_these<clang::OMPToClause>(update) &&
        concerns_only_these<clang::OMPFromClause>(update)) {
      found.idle.push_back(&update);
    } else if (sends) {
      refuse(update, fmt::format("this directive sends {} and more", name()));
    }
  }

  template <class Clause>
  bool concerns_only_these(const clang::OMPExecutableDirective& update) const {
    for (const auto* clause : update.getClausesOfKind<Clause>()) {
      for (const clang::Expr* item : clause->varlists()) {
        if (std::ranges::find(all_, root_variable(*item)) == all_.end()) return false;
      }
    }
    return true;
  }

  const Program& program_;
  const clang::VarDecl& data_;
  const std::vector<const clang::VarDecl*>& all_;
  int device_;
};

}  // namespace

DeviceUses device_uses(const Program& program, const Scope& scope,
                       const std::vector<const clang::VarDecl*>& all, int device) {
  Directives directives;
  directives.TraverseStmt(const_cast<clang::Stmt*>(scope.code));
  Uses uses(program, scope, all, device);
  for (const clang::OMPExecutableDirective* one : directives.all) uses.add(*one);
  return std::move(uses.found);
}

}  // namespace ompdm::edit
