#include "first_use.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>

#include <algorithm>
#include <optional>

#include "distinct.h"
#include "facts.h"
#include "known_functions.h"
#include "names.h"
#include "ways.h"

namespace ompdm::edit {
namespace {

using Kind = Step::Kind;

/// Looks at the steps behind one directive.
class FirstUse {
 public:
  FirstUse(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
           const AskedItem& asked)
      : program_(program), trail_(trail), loops_(loops), asked_(asked) {}

  /// Whether a region reads the data first. `end` gets the position behind the last step that was
  /// looked at.
  [[nodiscard]] HostUse behind(std::uint32_t step, std::uint32_t& end) const {
    const Step& begin = trail_.steps[step];
    const auto& directive = *cast<Directive>(begin.at);
    const std::optional<MapItem> item = item_of(directive);
    if (!item) return open(begin, "it is not named there");
    for (std::uint32_t i = step + 1; i < trail_.steps.size(); ++i) {
      const Step& at = trail_.steps[i];
      end = i + 1;
      // The section's bounds, or the pointer, are different from here on.
      if (at.kind == Kind::kAccess && sets(at, *item)) {
        return open(at, "changes a name in its section");
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
      if (unit == nullptr || is_used_by_another_name(i, step, *item->variable) ||
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

  /// The item of a variable with the name that is asked for.
  [[nodiscard]] std::optional<MapItem> item_of(const Directive& directive) const {
    const std::string root = asked_.expression.substr(0, asked_.expression.find('['));
    std::optional<MapItem> found;
    for (const MapItem& one : mapped_items(directive, true)) {
      if (one.variable == nullptr || one.variable->getNameAsString() != root) continue;
      // The code may read one of two parts of an array.
      if (found) return std::nullopt;
      found = one;
    }
    return found;
  }

  /// The first call between two directives that may run code of the program. Functions of the
  /// system that run no such code do not count. Null: there is none.
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
      if (called == nullptr || !runs_no_other_code(*called)) return call;
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

  /// Whether a region, at a step, may use the data by another variable than the directive at
  /// `begin`.
  [[nodiscard]] bool is_used_by_another_name(std::uint32_t region, std::uint32_t begin,
                                             const VarDecl& data) const {
    const auto naming = std::ranges::find_if(trail_.namings, [&](const Naming& one) {
      return one.step == begin && one.item == asked_.number;
    });
    const auto& directive = *cast<Directive>(trail_.steps[region].at);
    if (naming == trail_.namings.end() || naming->places.is_any || naming->places.paths.empty()) {
      return may_use(directive, data, true);
    }
    for (std::uint32_t i = region + 1; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind == Kind::kDirectiveEnd && step.at == &directive) return false;
      if (step.kind != Kind::kAccess || !step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      const bool may_be = std::ranges::any_of(
          naming->places.paths, [&](const Path& path) { return trail_.may_be_of(access, path); });
      if (may_be && (step.at == nullptr || !names(*step.at, data))) return true;
    }
    return true;
  }

  /// Whether a region may use the data, by its own name or by another. `as_other`: only by another
  /// name, of which nothing is known.
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

  /// Whether a directive is a `target data` without this item.
  static bool is_block_of_others(const Directive& directive, const VarDecl& data) {
    return has_own_code(directive) && !maps(directive, data);
  }

  /// Whether both directives are for one device: the default device, or the same number.
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

  /// Whether a region is always executed after the directive, as a whole and before anything else.
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
  const AskedItem& asked_;
};

/// The state of the host's copy of data on an execution path.
struct BroughtBack {
  bool is_there = false;   ///< it holds values that a directive has copied back
  bool is_other = false;   ///< a variable of the item was set since then
  std::uint32_t call = 0;  ///< of the directive
  bool operator==(const BroughtBack&) const = default;
  auto operator<=>(const BroughtBack&) const = default;
};

/// Follows data that directives copy back, until the host overwrites it.
class FirstOnHost : public WaysThrough<BroughtBack> {
 public:
  FirstOnHost(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
              const BackItem& item)
      : WaysThrough(trail, loops), program_(program), item_(item) {
    for (const Naming& naming : trail.namings) namings_.insert({naming.step, &naming});
  }

  BackUse use() {
    if (!trail_.lost.empty() || trail_.main_end == 0 || item_.data.is_any) return BackUse::kRead;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      const bool is_its = step.kind == Kind::kDirective && item_.directives.contains(step.at);
      if (!is_its) {
        if (step.is_late && uses(step)) return BackUse::kRead;
        continue;
      }
      const auto& directive = *cast<Directive>(step.at);
      const bool is_plain = i < trail_.main_end && !step.is_late &&
                            !directive.hasClausesOfKind<clang::OMPNowaitClause>() &&
                            !directive.hasClausesOfKind<clang::OMPDependClause>();
      if (!is_plain) return BackUse::kRead;
    }
    const Ways behind = run(0, trail_.main_end, {{}});
    if (is_read_) return BackUse::kRead;
    return is_left_ || is_any_there(behind) ? BackUse::kLeft : BackUse::kOverwritten;
  }

 private:
  std::uint32_t take(std::uint32_t number, std::uint32_t end, Ways& ways) override {
    const Step& step = trail_.steps[number];
    if (step.kind == Kind::kDirective) {
      const auto& directive = *cast<Directive>(step.at);
      if (may_send(number, end, directive) && is_any_there(ways)) is_read_ = true;
      const bool is_its = item_.directives.contains(step.at);
      if (is_its && !has_own_code(directive)) bring_back(step, ways);
      return number;
    }
    if (step.kind == Kind::kDirectiveEnd && item_.directives.contains(step.at)) {
      bring_back(step, ways);
      return number;
    }
    if (step.on_device) return number;
    if (step.kind == Kind::kJump && goes_anywhere(step) && is_any_there(ways)) is_read_ = true;
    if (step.kind == Kind::kGone && uses(step)) {
      is_left_ = is_left_ || is_any_there(ways);
      ways = {{}};
    }
    if (step.kind != Kind::kAccess) return number;
    const Access& access = trail_.accesses[step.access];
    if (uses(step) && access.use != Use::kWrite && is_any_there(ways)) is_read_ = true;
    if (access.use != Use::kRead && sets(access)) {
      Ways after;
      for (BroughtBack one : ways) {
        one.is_other = one.is_there;
        after.insert(one);
      }
      ways = std::move(after);
    }
    return number;
  }

  Ways take_loop(const LoopSpan& loop, Ways ways) override {
    Ways behind = through(loop, ways);
    if (!is_any_there(ways) || !overwrites_all_in(loop)) return behind;
    Ways after;
    for (BroughtBack one : behind) {
      const bool is_gone = !one.is_other && one.call == trail_.steps[loop.begin].call;
      after.insert(is_gone ? BroughtBack{} : one);
    }
    return after;
  }

  void bring_back(const Step& step, Ways& ways) const {
    const BroughtBack now{true, false, step.call};
    const bool is_always = device_condition(*cast<Directive>(step.at)) == nullptr;
    if (is_always) ways.clear();
    ways.insert(now);
  }

  static bool is_any_there(const Ways& ways) {
    return std::ranges::any_of(ways, &BroughtBack::is_there);
  }

  [[nodiscard]] bool uses(const Step& step) const {
    const bool has_access =
        step.kind == Kind::kAccess || step.kind == Kind::kMade || step.kind == Kind::kGone;
    return has_access && std::ranges::any_of(item_.data.paths, [&](const Path& path) {
             return trail_.may_be_of(trail_.accesses[step.access], path);
           });
  }

  [[nodiscard]] bool is_of_data(const Places& places) const {
    return places.is_any || std::ranges::any_of(places.paths, [&](const Path& path) {
             return item_.data.paths.contains(path);
           });
  }

  /// Whether a directive may send the data to a device. The directive, or a region's code, names
  /// the data. And no clause of the region excludes a transfer to the device.
  [[nodiscard]] bool may_send(std::uint32_t number, std::uint32_t end,
                              const Directive& directive) const {
    const auto [first, last] = namings_.equal_range(number);
    const bool names_it =
        std::any_of(first, last, [&](const auto& one) { return is_of_data(one.second->places); });
    bool may_name_it = names_it;
    if (runs_on_device(directive)) {
      for (std::uint32_t i = number + 1; i < end && !may_name_it; ++i) {
        const Step& step = trail_.steps[i];
        if (step.kind == Kind::kDirectiveEnd && step.at == &directive) break;
        may_name_it = step.on_device && uses(step);
      }
    } else if (!mapped_items(directive).empty() ||
               directive.hasClausesOfKind<clang::OMPToClause>()) {
      // Not all items of other directives are looked for.
      may_name_it = may_name_it || first == last;
    }
    if (!may_name_it) return false;
    if (directive.getDirectiveKind() == llvm::omp::OMPD_target_exit_data) return false;
    const bool is_update = directive.getDirectiveKind() == llvm::omp::OMPD_target_update;
    if (is_update) return directive.hasClausesOfKind<clang::OMPToClause>();
    const std::vector<MapItem> items = mapped_items(directive, true);
    return items.empty() || std::ranges::any_of(items, [](const MapItem& one) {
             return one.clause == nullptr || (one.clause->getMapType() != clang::OMPC_MAP_from &&
                                              one.clause->getMapType() != clang::OMPC_MAP_alloc);
           });
  }

  /// Whether the access sets a variable of the item's section, or its pointer.
  [[nodiscard]] bool sets(const Access& access) const {
    if (access.reach == Access::Reach::kBelow) return false;
    return std::ranges::any_of(item_.items, [&](const Expr* item) {
      return std::ranges::any_of(all_in<clang::DeclRefExpr>(item), [&](const auto* name) {
        const auto* variable = dyn_cast<VarDecl>(name->getDecl());
        return variable != nullptr && !variable->getType()->isArrayType() &&
               trail_.may_be_of(access, {variable->getCanonicalDecl(), {}});
      });
    });
  }

  /// Whether a loop of the host overwrites all that the clause of each directive names, and reads
  /// none.
  [[nodiscard]] bool overwrites_all_in(const LoopSpan& loop) const {
    const auto* counted = dyn_cast<clang::ForStmt>(loop.loop);
    const auto unit = std::ranges::find_if(program_.units(), [&](const Program* one) {
      return &one->context() == trail_.steps[loop.begin].context();
    });
    if (counted == nullptr || unit == program_.units().end() || item_.items.empty()) return false;
    bool has_any = false;
    for (std::uint32_t i = loop.begin; i < loop.end; ++i) {
      const Step& step = trail_.steps[i];
      if (!uses(step)) continue;
      has_any = true;
      const bool is_write = step.kind == Kind::kAccess && !step.on_device && !step.is_late &&
                            trail_.accesses[step.access].use == Use::kWrite;
      if (!is_write) return false;
    }
    return has_any && std::ranges::all_of(item_.items, [&](const Expr* item) {
             const VarDecl* array = root_variable(*item);
             return array != nullptr && overwrites_all(**unit, *counted, *array, *item);
           });
  }

  const WholeProgram& program_;
  const BackItem& item_;
  std::multimap<std::uint32_t, const Naming*> namings_;  // by step
  bool is_read_ = false;
  bool is_left_ = false;  // it may exist until its memory is freed
};

}  // namespace

HostUse read_first(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
                   const std::set<const Stmt*>& directives, const AskedItem& item,
                   std::vector<Span>& rests_on) {
  const FirstUse first(program, trail, loops, item);
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

BackItem back_item(const Trail& trail, const std::set<const Stmt*>& directives,
                   std::uint32_t number, const std::string& expression) {
  BackItem item;
  item.directives = directives;
  for (const Naming& naming : trail.namings) {
    if (naming.item == number && directives.contains(trail.steps[naming.step].at)) {
      item.data.add(naming.places);
    }
  }
  const std::string name = expression.substr(0, expression.find('['));
  const auto add = [&](const Expr* one) {
    const VarDecl* root = one == nullptr ? nullptr : root_variable(*one);
    if (root != nullptr && root->getNameAsString() == name) item.items.insert(one);
  };
  for (const Stmt* one : directives) {
    const auto& directive = *cast<Directive>(one);
    for (const MapItem& mapped : mapped_items(directive, true)) add(mapped.item);
    for (const auto* clause : directive.getClausesOfKind<clang::OMPFromClause>()) {
      for (const Expr* named : clause->varlists()) add(named);
    }
  }
  return item;
}

BackUse use_of_brought_back(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const BackItem& item) {
  return FirstOnHost(program, trail, loops, item).use();
}

}  // namespace ompdm::edit
