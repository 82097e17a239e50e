#include "first_use.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>

#include <algorithm>
#include <optional>

#include "distinct.h"
#include "facts.h"
#include "known_functions.h"
#include "names.h"

namespace ompdm::edit {
namespace {

using Kind = Step::Kind;

/// Looks behind one directive.
class FirstUse {
 public:
  FirstUse(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
           const std::string& expression)
      : program_(program), trail_(trail), loops_(loops), expression_(expression) {}

  /// `end`: behind the last step that was looked at.
  [[nodiscard]] HostUse behind(std::uint32_t step, std::uint32_t& end) const {
    const Step& begin = trail_.steps[step];
    const auto& directive = *cast<Directive>(begin.at);
    const std::optional<MapItem> item = item_of(directive);
    if (!item) return open(begin, "it is not named there");
    for (std::uint32_t i = step + 1; i < trail_.steps.size(); ++i) {
      const Step& at = trail_.steps[i];
      end = i + 1;
      // Its bounds, or the pointer, are others then.
      if (at.kind == Kind::kAccess && sets(at, *item)) {
        return open(at, "changes what its section is made of");
      }
      if (at.kind != Kind::kDirective) continue;
      const auto& next = *cast<Directive>(at.at);
      const bool is_region = runs_on_device(next);
      if (is_region && !may_use(next, *item->variable, false)) continue;
      if (!is_region) {
        if (is_block_of_others(next, *item->variable)) continue;
        return open(at, "may use it");
      }
      if (at.function != begin.function || !is_certain(i, step)) return open(at, "may be left out");
      if (const Expr* call = call_between(directive, next)) {
        return {"unknown", "may run other code", place_of(*at.context(), *call), false};
      }
      const Program* unit = unit_of(at);
      if (unit == nullptr || may_use(next, *item->variable, true) ||
          !overwrites_all(*unit, next, *item->variable, *item->item)) {
        return {"yes", {}, place_of(*at.context(), *at.at), false};
      }
      return {};
    }
    return open(begin, "no region overwrites it");
  }

 private:
  static HostUse open(const Step& step, const char* why) {
    HostUse use{"unknown", why, std::nullopt, false};
    if (step.at != nullptr && step.context() != nullptr) {
      use.at = place_of(*step.context(), *step.at);
    }
    return use;
  }

  /// The item of that name, by a variable.
  [[nodiscard]] std::optional<MapItem> item_of(const Directive& directive) const {
    const std::string root = expression_.substr(0, expression_.find('['));
    std::optional<MapItem> found;
    for (const MapItem& one : mapped_items(directive, true)) {
      if (one.variable == nullptr || one.variable->getNameAsString() != root) continue;
      // Of two parts of an array one may be read.
      if (found) return std::nullopt;
      found = one;
    }
    return found;
  }

  /// The first call behind the one directive and before the other, but for functions of C's library
  /// that run no code of the program; null: there is none.
  [[nodiscard]] const Expr* call_between(const Directive& begin, const Directive& region) const {
    const FunctionDecl* function = nullptr;
    for (const Program* unit : program_.units()) {
      if (function == nullptr) function = unit->function_of(region);
    }
    if (function == nullptr || !function->hasBody()) return nullptr;
    const clang::SourceManager& sources = function->getASTContext().getSourceManager();
    for (const Expr* call : all_in<Expr>(function->getBody())) {
      if (!isa<CallExpr, clang::CXXConstructExpr, clang::CXXNewExpr, clang::CXXDeleteExpr>(call)) {
        continue;
      }
      const clang::SourceLocation at = sources.getExpansionLoc(call->getBeginLoc());
      const bool is_between =
          sources.isBeforeInTranslationUnit(sources.getExpansionLoc(begin.getBeginLoc()), at) &&
          sources.isBeforeInTranslationUnit(at, sources.getExpansionLoc(region.getBeginLoc()));
      if (!is_between || is_in_region(*call)) continue;
      const FunctionDecl* called = callee_of(call);
      const bool is_harmless = called != nullptr && called->isExternC() && is_of_system(called) &&
                               known_function(*called) != nullptr;
      if (!is_harmless) return call;
    }
    return nullptr;
  }

  [[nodiscard]] bool is_in_region(const Stmt& code) const {
    for (const Program* unit : program_.units()) {
      for (const Stmt* at = unit->parent_of(code); at != nullptr; at = unit->parent_of(*at)) {
        const auto* directive = dyn_cast<Directive>(at);
        if (directive != nullptr && runs_on_device(*directive)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool sets(const Step& step, const MapItem& item) const {
    const Access& access = trail_.accesses[step.access];
    if (access.use == Use::kRead) return false;
    const auto names_set = [&](const VarDecl& variable) {
      return trail_.may_be_of(access, {variable.getCanonicalDecl(), {}}) &&
             access.reach != Access::Reach::kBelow;
    };
    const auto all = all_in<clang::DeclRefExpr>(item.item);
    return std::ranges::any_of(all, [&](const clang::DeclRefExpr* name) {
      const auto* variable = dyn_cast<VarDecl>(name->getDecl());
      return variable != nullptr && !variable->getType()->isArrayType() && names_set(*variable);
    });
  }

  /// Whether a region may come by the data: by its name, or another's; `as_other`: by another's
  /// alone, of which nothing is known.
  [[nodiscard]] bool may_use(const Directive& region, const VarDecl& data, bool as_other) const {
    const Stmt& code = *region.getAssociatedStmt();
    const Program* unit = nullptr;
    for (const Program* one : program_.units()) {
      if (&one->context() == &data.getASTContext()) unit = one;
    }
    if (!as_other && (maps(region, data) || !edit::names_of(&code, data).empty())) return true;
    const bool has_device_names = region.hasClausesOfKind<clang::OMPIsDevicePtrClause>() ||
                                  region.hasClausesOfKind<clang::OMPHasDeviceAddrClause>();
    if (has_device_names || !all_in<clang::CXXThisExpr>(&code).empty()) return true;
    return std::ranges::any_of(all_in<clang::DeclRefExpr>(&code), [&](const auto* name) {
      if (isa<FunctionDecl>(name->getDecl())) {
        const bool is_known = name->getDecl()->getASTContext().getSourceManager().isInSystemHeader(
            name->getDecl()->getLocation());
        return data.hasGlobalStorage() && !is_known;
      }
      const auto* other = dyn_cast<VarDecl>(name->getDecl());
      if (other == nullptr || other->getCanonicalDecl() == data.getCanonicalDecl()) return false;
      const clang::QualType type = other->getType();
      if (type->isRecordType() || (type->isReferenceType() && !is_declared_in(*other, code))) {
        return true;
      }
      return type->isAnyPointerType() && !is_declared_in(*other, code) &&
             (unit == nullptr || may_be_same(*unit, code, *other, data));
    });
  }

  static bool is_declared_in(const VarDecl& variable, const Stmt& code) {
    const clang::SourceManager& sources = variable.getASTContext().getSourceManager();
    const clang::SourceLocation at = variable.getLocation();
    return !sources.isBeforeInTranslationUnit(at, code.getBeginLoc()) &&
           sources.isBeforeInTranslationUnit(at, code.getEndLoc());
  }

  /// A `target data` without this item, whose code follows.
  static bool is_block_of_others(const Directive& directive, const VarDecl& data) {
    return has_own_code(directive) && !maps(directive, data);
  }

  /// Whether both are for the same device: the default, or one of the same number.
  [[nodiscard]] static bool is_for_device_of(const Directive& region, const Directive& begin,
                                             const clang::ASTContext& context) {
    const auto number = [&](const Directive& one) -> std::optional<long long> {
      const auto* clause = one.getSingleClause<clang::OMPDeviceClause>();
      if (clause == nullptr) return -1;
      clang::Expr::EvalResult value;
      if (!written(*clause->getDevice()).EvaluateAsInt(value, context)) return std::nullopt;
      return value.Val.getInt().getExtValue();
    };
    const auto one = number(region);
    return one && one == number(begin);
  }

  /// Whether a region is come by whenever the directive is, and as a whole before anything else.
  [[nodiscard]] bool is_certain(std::uint32_t region, std::uint32_t from) const {
    const auto& directive = *cast<Directive>(trail_.steps[region].at);
    const bool is_plain = device_condition(directive) == nullptr &&
                          !directive.hasClausesOfKind<clang::OMPNowaitClause>() &&
                          !directive.hasClausesOfKind<clang::OMPDependClause>() &&
                          is_for_device_of(directive, *cast<Directive>(trail_.steps[from].at),
                                           *trail_.steps[region].context());
    if (!is_plain || trail_.steps[region].is_late) return false;
    const std::uint32_t outside = trail_.steps[from].branch;
    for (std::uint32_t at = trail_.steps[region].branch; at != outside; at = trail_.branches[at]) {
      if (at == 0 || !loops_.is_body(at)) return false;
    }
    const bool may_leave = std::any_of(
        trail_.steps.begin() + from, trail_.steps.begin() + region, [&](const Step& one) {
          return one.kind == Kind::kJump && one.function == trail_.steps[from].function;
        });
    return !may_leave && std::ranges::all_of(loops_.all(), [&](const LoopSpan& loop) {
      const bool is_between = loop.begin > from && loop.holds(region);
      return !is_between || (!isa<Directive>(loop.loop) && loops_.has_iterations(loop));
    });
  }

  [[nodiscard]] const Program* unit_of(const Step& step) const {
    for (const Program* unit : program_.units()) {
      if (&unit->context() == step.context()) return unit;
    }
    return nullptr;
  }

  const WholeProgram& program_;
  const Trail& trail_;
  const TrailLoops& loops_;
  const std::string& expression_;
};

}  // namespace

HostUse read_first(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
                   const std::set<const Stmt*>& directives, const std::string& expression,
                   std::vector<Span>& rests_on) {
  const FirstUse first(program, trail, loops, expression);
  HostUse use{"unknown", "the directive is not reached", std::nullopt, false};
  bool is_reached = false;
  for (std::uint32_t i = 0; i < trail.steps.size(); ++i) {
    const Step& step = trail.steps[i];
    if (step.kind != Kind::kDirective || !directives.contains(step.at)) continue;
    if (!trail.lost.empty()) return {"unknown", trail.lost, std::nullopt, false};
    Span span{i, i};
    HostUse one = first.behind(i, span.end);
    rests_on.push_back(span);
    if (!is_reached || one.use != "no") use = std::move(one);
    is_reached = true;
    if (use.use != "no") return use;
  }
  return use;
}

}  // namespace ompdm::edit
