#include "regions.h"

#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer.h"
#include "clause_items.h"
#include "names.h"
#include "source_text.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Directives of a scope, but those in regions that run on a device.
class Directives : public WrittenCode<Directives> {
 public:
  bool dataTraverseStmtPre(clang::Stmt* statement) {
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
      : program_(program), scope_(scope), data_(*scope.data), all_(all), device_(device) {}

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
  const Scope& scope_;
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
