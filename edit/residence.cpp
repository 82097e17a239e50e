#include "residence.h"

#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>

#include "answer.h"
#include "arguments.h"
#include "certain.h"
#include "distinct.h"
#include "loop_place.h"
#include "memory.h"
#include "merged_updates.h"
#include "names.h"
#include "own_directives.h"
#include "pairs.h"
#include "permutation.h"
#include "regions.h"
#include "scopes.h"
#include "threads.h"

namespace ompdm::edit {
namespace {

using Variable = const clang::VarDecl*;

/// A scope, and what its directives do.
struct Used {
  Scope scope;
  DeviceUses uses;
};

/// Looks at all that uses the data, in the code and in what that calls.
class Looker {
 public:
  Looker(const Program& program, const clang::Stmt& code, const Stay& stay, KeptData data)
      : program_(program), code_(code), stay_(stay) {
    found_.data = std::move(data);
    for (const auto& [name, kept] : found_.data) variables_.push_back(kept.variable);
  }

  Residence look() {
    const std::vector<int>& devices = stay_.begin.front()->devices;
    if (devices.size() > 1) refuse(code_, "the data is on several devices");
    found_.device = devices.empty() ? 0 : devices.front();
    expect_room_around(program_, code_);
    expect_no_other_thread(program_, code_, variables_);
    const bool any_global =
        std::ranges::any_of(variables_, [](const Variable one) { return one->hasGlobalStorage(); });
    expect_no_other_way_out(program_, code_, any_global);
    for (const Variable variable : variables_) find_uses(*variable);
    for (const Variable variable : variables_) {
      std::vector<const Scope*> scopes;
      for (const Used& one : used_.at(variable)) scopes.push_back(&one.scope);
      expect_memory(program_, code_, *variable, scopes);
    }
    // What may be one, or is exchanged, is written if any of it is.
    std::set<Variable> alike = expect_distinct(program_, code_, variables_);
    const auto swapped = exchanged(program_, code_, variables_, set_);
    expect_alike(swapped);
    alike.insert(swapped.begin(), swapped.end());
    const bool any = std::ranges::any_of(alike, [&](const Variable one) { return writes(*one); });
    for (const Variable variable : variables_) {
      add(*variable, alike.contains(variable) ? any : writes(*variable));
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void find_uses(const clang::VarDecl& variable) {
    for (Scope& scope : scopes_of(program_, code_, variable)) {
      if (scope.function == nullptr) {
        std::ranges::copy_if(scope.mentions, std::back_inserter(set_),
                             [](const Mention& one) { return one.use == Use::kPointer; });
      }
      DeviceUses uses = device_uses(program_, scope, names_in(scope), found_.device);
      expect_counted(uses, *scope.data);
      expect_within(uses, variable);
      expect_nothing_else_meant(program_, scope, uses);
      if (!uses.idle.empty()) {
        expect_mapped_here_alone(program_, code_, *uses.idle.front(), variables_);
      }
      found_.is_later = found_.is_later || !uses.later.empty();
      used_[&variable].push_back({std::move(scope), std::move(uses)});
    }
  }

  /// What is on the device cannot grow: a directive that the run did not reach may name no more.
  void expect_within(const DeviceUses& uses, const clang::VarDecl& variable) const {
    const std::string name = variable.getNameAsString();
    for (const Item& item : uses.items) {
      const auto here = program_.directives_at(item.named_at);
      const bool is_reached = std::ranges::any_of(here, [&](const auto* one) {
        return std::ranges::find(stay_.kept, one) != stay_.kept.end();
      });
      if (is_reached) continue;
      for (const std::string& one : terms_of(program_, code_, item)) {
        if (root_of(one) != name || one == name) continue;
        if (are_same_extents(program_, code_, one, found_.data.at(name).expression)) continue;
        throw Refusal(fmt::format("the run did not reach this, and {} may be more than what stays",
                                  item.expression),
                      item.named_at);
      }
    }
  }

  [[nodiscard]] bool writes(const clang::VarDecl& variable) const {
    return std::ranges::any_of(used_.at(&variable),
                               [](const Used& one) { return one.uses.writes; });
  }

  /// What stays on the device, by its names in a scope.
  [[nodiscard]] std::vector<Variable> names_in(const Scope& scope) const {
    if (scope.function == nullptr || scope.data->hasGlobalStorage()) return variables_;
    return {scope.data};
  }

  /// Of what the run reached its events tell whether it comes in pairs.
  void expect_counted(const DeviceUses& uses, const clang::VarDecl& data) const {
    for (const clang::OMPExecutableDirective* one : uses.counted) {
      const bool is_known = std::ranges::find(stay_.kept, one) != stay_.kept.end();
      if (!is_known) expect_pair(program_, *one, uses.counted, data);
    }
  }

  void add(const clang::VarDecl& variable, bool is_written) {
    const std::string name = variable.getNameAsString();
    if (is_written) found_.written.insert(name);
    for (const Used& one : used_.at(&variable)) {
      if (one.uses.sends) found_.sent.insert(name);
      add_updates(one, variable, is_written);
    }
    for (const Used& one : used_.at(&variable)) {
      for (const clang::OMPExecutableDirective* region : one.uses.later) expect_waited(*region);
    }
  }

  void add_updates(const Used& used, const clang::VarDecl& variable, bool is_written) {
    const Scope& scope = used.scope;
    std::vector<Update> here =
        updates_in(program_, *scope.code, *scope.data, scope.mentions, is_written);
    for (const MayStay& one : used.uses.may_stay) {
      const std::string condition = fmt::format("!({})", one.condition);
      if (is_written) here.push_back({one.region, scope.data, true, one.item, condition});
      if (one.writes) here.push_back({one.region, scope.data, false, one.item, condition});
    }
    for (Update& update : here) {
      if (update.item.empty()) update.item = item_in(used, variable);
    }
    here = merged(program_, *scope.code, std::move(here));
    found_.updates.insert(found_.updates.end(), here.begin(), here.end());
    found_.idle.insert(used.uses.idle.begin(), used.uses.idle.end());
    const bool is_changed = !here.empty() || !used.uses.idle.empty();
    if (is_changed && scope.function != nullptr) expect_for_these_alone(scope);
  }

  /// What an update brings or takes a region must not be at work on.
  void expect_waited(const clang::OMPExecutableDirective& region) const {
    const clang::SourceManager& sources = program_.context().getSourceManager();
    const auto is_before = [&](const clang::Stmt& one, const clang::Stmt& other) {
      return sources.isBeforeInTranslationUnit(one.getBeginLoc(), other.getBeginLoc());
    };
    for (const Update& update : found_.updates) {
      const clang::Stmt& statement = *update.statement;
      const bool is_again = !is_before(region, statement);  // of the pass before
      const bool is_waited = std::ranges::any_of(
          program_.directives_in(code_), [&](const clang::OMPExecutableDirective* wait) {
            const bool is_between = is_again
                                        ? is_before(region, *wait) || is_before(*wait, statement)
                                        : is_before(region, *wait) && is_before(*wait, statement);
            return wait->getDirectiveKind() == llvm::omp::OMPD_taskwait && is_between &&
                   program_.is_within(*wait, code_) && is_certain(program_, *wait, code_);
          });
      if (!is_waited) refuse(statement, "a region that is nowait may still be at work here");
    }
  }

  /// What is written into a function is for data that stays, whoever calls it.
  void expect_for_these_alone(const Scope& scope) const {
    expect_called_here_alone(program_, code_, *scope.function);
    const std::string name = scope.data->getNameAsString();
    for (const std::string& one : terms_of(program_, code_, *scope.function, name)) {
      if (found_.data.contains(one)) continue;
      refuse(*scope.code, fmt::format("{}() would have to be changed, which is called with {}, too",
                                      scope.function->getNameAsString(), one));
    }
  }

  /// How a clause names all of the data in a scope.
  [[nodiscard]] std::string item_in(const Used& used, const clang::VarDecl& variable) const {
    const Scope& scope = used.scope;
    const std::string& own = found_.data.at(variable.getNameAsString()).expression;
    if (scope.function == nullptr) return own;
    std::set<std::string> items;
    for (const Item& item : used.uses.items) {
      const auto terms = terms_of(program_, code_, item);
      const bool is_all = std::ranges::any_of(terms, [&](const std::string& one) {
        return are_same_extents(program_, code_, one, own);
      });
      if (is_all) items.insert(item.expression);
    }
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(scope.data);
    if (items.empty() && parameter != nullptr) {
      const std::string item = in_terms_of(program_, code_, *parameter, own);
      if (!item.empty()) items.insert(item);
    }
    if (items.size() != 1) {
      refuse(*scope.code,
             fmt::format("how much of {} the host uses in {}() no clause says",
                         scope.data->getNameAsString(), scope.function->getNameAsString()));
    }
    Names(program_, *scope.code).expect_plain(*items.begin());
    return *items.begin();
  }

  /// What is exchanged has one extent.
  void expect_alike(const std::vector<Variable>& swapped) const {
    const auto extent_of = [&](const Variable one) {
      const std::string name = one->getNameAsString();
      return found_.data.at(name).expression.substr(name.size());
    };
    for (const Variable one : swapped) {
      if (are_same_extents(program_, code_, extent_of(one), extent_of(swapped.front()))) continue;
      refuse(code_, "what the loop exchanges has several extents");
    }
  }

  const Program& program_;
  const clang::Stmt& code_;
  const Stay& stay_;
  std::vector<Variable> variables_;
  std::vector<Mention> set_;  // where a pointer to the data is
  std::map<Variable, std::vector<Used>> used_;
  Residence found_;
};

}  // namespace

Residence residence_of(const Program& program, const clang::Stmt& code, const Stay& stay,
                       const std::vector<Item>& items) {
  return Looker(program, code, stay, kept_data(program, code, stay, items)).look();
}

}  // namespace ompdm::edit
