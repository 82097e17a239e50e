#include "own_directives.h"

#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer.h"
#include "clause_items.h"
#include "own_storage.h"

namespace ompdm::edit {
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
