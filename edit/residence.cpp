#include "residence.h"

#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "arguments.h"
#include "clauses.h"
#include "distinct.h"
#include "host_uses.h"
#include "loop_place.h"
#include "names.h"
#include "pairs.h"
#include "permutation.h"
#include "regions.h"
#include "scopes.h"
#include "source_text.h"
#include "stay.h"
#include "used_behind.h"

namespace ompdm::edit {
namespace {

/// A scope, and what its directives do.
struct Used {
  Scope scope;
  DeviceUses uses;
};

class Residence {
 public:
  /// Around that code: a loop, or a span.
  Residence(const Program& program, const Stay& stay, const Request& request,
            const clang::Stmt& code)
      : program_(program), stay_(stay), request_(request), loop_(&code) {}

  void add_to(Plan& plan) {
    if (stay_.begin.front()->devices.size() > 1) {
      refuse(*loop_, "the data is on several devices");
    }
    expect_room_around(program_, *loop_);
    find_data();
    write(plan);
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  /// Every name that is to be written, and what it is; all have to mean the same before the loop.
  void find_data() {
    Names names(program_, *loop_);
    std::vector<const Edit*> all = stay_.begin;
    all.insert(all.end(), stay_.end.begin(), stay_.end.end());
    for (const Edit* edit : all) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          const std::string expression = in_terms_of(program_, *loop_, item);
          const std::string root = root_of(expression);
          const clang::VarDecl* variable = names.expect_before(root);
          const bool is_plain =
              variable->getType()->isPointerType() || variable->getType()->isArrayType();
          if (!is_plain) refuse(*loop_, fmt::format("{} is no pointer and no array", root));
          data_.emplace(root, variable);
          // An extent that changes would be another one at the end.
          names.expect_plain(expression);
          expressions_.emplace(root, expression);
        }
      }
    }
    const bool any_global =
        std::ranges::any_of(data_, [](const auto& one) { return one.second->hasGlobalStorage(); });
    expect_no_other_way_out(program_, *loop_, any_global);
    look_at_uses();
  }

  void look_at_uses() {
    std::vector<const clang::VarDecl*> variables;
    for (const auto& [root, variable] : data_) variables.push_back(variable);
    std::vector<Mention> set;
    std::map<const clang::VarDecl*, std::vector<Used>> used;
    for (const clang::VarDecl* variable : variables) {
      for (Scope& scope : scopes_of(program_, *loop_, *variable)) {
        if (scope.function == nullptr) {
          std::ranges::copy_if(scope.mentions, std::back_inserter(set),
                               [](const Mention& one) { return one.use == Use::kPointer; });
        }
        const auto known = names_in_scope(scope, variables);
        DeviceUses uses = device_uses(program_, scope, known, device_number());
        expect_counted(uses, *scope.data);
        expect_nothing_else_meant(scope, uses);
        is_later_ = is_later_ || uses.is_later;
        used[variable].push_back({std::move(scope), std::move(uses)});
      }
    }
    expect_distinct(program_, *loop_, variables);
    const auto swapped = exchanged(program_, *loop_, variables, set);
    expect_alike(swapped);
    const auto is_written = [&](const clang::VarDecl* variable) {
      return std::ranges::any_of(used.at(variable),
                                 [](const Used& one) { return one.uses.writes; });
    };
    // What is exchanged is written if any of it is.
    const bool any = std::ranges::any_of(swapped, is_written);
    for (const auto& [variable, scopes] : used) {
      const bool is_swapped = std::ranges::find(swapped, variable) != swapped.end();
      const bool is_changed = is_swapped ? any : is_written(variable);
      if (is_changed) written_.insert(variable->getNameAsString());
      for (const Used& one : scopes) {
        if (one.uses.sends) sent_.insert(variable->getNameAsString());
        add_updates(one, *variable, is_changed);
      }
    }
  }

  /// What stays on the device, by its names in a scope.
  static std::vector<const clang::VarDecl*> names_in_scope(
      const Scope& scope, const std::vector<const clang::VarDecl*>& variables) {
    if (scope.function == nullptr || scope.data->hasGlobalStorage()) return variables;
    return {scope.data};
  }

  [[nodiscard]] int device_number() const {
    const std::vector<int>& devices = stay_.begin.front()->devices;
    return devices.empty() ? 0 : devices.front();
  }

  /// Of what the run reached its events tell whether it comes in pairs.
  void expect_counted(const DeviceUses& uses, const clang::VarDecl& data) const {
    for (const clang::OMPExecutableDirective* one : uses.counted) {
      const bool is_known = std::ranges::find(stay_.kept, one) != stay_.kept.end();
      if (!is_known) expect_pair(program_, *one, uses.counted, data);
    }
  }

  /// What the program's own data directives mean for the host goes with them: what it reads or
  /// writes while they hold, and what they drop.
  void expect_nothing_else_meant(const Scope& scope, const DeviceUses& uses) const {
    const std::string name = scope.data->getNameAsString();
    if (uses.drops != nullptr && uses.writes) {
      refuse(*uses.drops, fmt::format("behind this directive the host has the {} of before", name));
    }
    for (const Mention& one : scope.mentions) {
      const bool is_used =
          one.use == Use::kRead || one.use == Use::kWrite || one.use == Use::kChange;
      if (is_used && uses.idle.empty() && holds_any(uses, *one.at)) {
        refuse(*one.at, fmt::format("the host may mean the {} of before here", name));
      }
    }
    if (!uses.idle.empty()) expect_mapped_here_alone(*uses.idle.front(), *scope.data);
  }

  /// Whether a directive of the program's own holds the data on the device at a statement.
  [[nodiscard]] bool holds_any(const DeviceUses& uses, const clang::Stmt& statement) const {
    return std::ranges::any_of(uses.around, [&](const clang::OMPExecutableDirective* one) {
      if (one->getDirectiveKind() == llvm::omp::OMPD_target_data) {
        return program_.is_within(statement, *one);
      }
      // Between an enter and an exit, as far as their block shows.
      const clang::Stmt* block = program_.parent_of(*one);
      const clang::SourceManager& sources = program_.context().getSourceManager();
      return one->getDirectiveKind() == llvm::omp::OMPD_target_enter_data && block != nullptr &&
             program_.is_within(statement, *block) &&
             sources.isBeforeInTranslationUnit(one->getBeginLoc(), statement.getBeginLoc()) &&
             std::ranges::none_of(uses.around, [&](const clang::OMPExecutableDirective* exit) {
               return exit->getDirectiveKind() == llvm::omp::OMPD_target_exit_data &&
                      sources.isBeforeInTranslationUnit(one->getBeginLoc(), exit->getBeginLoc()) &&
                      sources.isBeforeInTranslationUnit(exit->getBeginLoc(),
                                                        statement.getBeginLoc());
             });
    });
  }

  /// Where another directive may have mapped the data, updates do not only what the stay does.
  void expect_mapped_here_alone(const clang::OMPExecutableDirective& update,
                                const clang::VarDecl& data) const {
    for (const clang::OMPExecutableDirective* one : program_.data_directives()) {
      if (program_.leads_to(*loop_, *one)) continue;
      const bool is_elsewhere = program_.function_of(*one) != program_.function_of(*loop_);
      if (maps(*one, data) || is_elsewhere) {
        refuse(update, "this update may be for data that is mapped outside, too");
      }
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
    updates_.insert(updates_.end(), here.begin(), here.end());
    idle_.insert(used.uses.idle.begin(), used.uses.idle.end());
    const bool is_changed = !here.empty() || !used.uses.idle.empty();
    if (is_changed && scope.function != nullptr) {
      expect_called_here_alone(program_, *loop_, *scope.function);
    }
  }

  /// How a clause names all of the data in a scope.
  [[nodiscard]] std::string item_in(const Used& used, const clang::VarDecl& variable) const {
    const Scope& scope = used.scope;
    const std::string& own = expressions_.at(variable.getNameAsString());
    if (scope.function == nullptr) return own;
    std::set<std::string> items;
    for (const Item& item : used.uses.items) {
      // All of what stays, by its name there.
      if (without_blanks(in_terms_of(program_, *loop_, item)) == without_blanks(own)) {
        items.insert(item.expression);
      }
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
  void expect_alike(const std::vector<const clang::VarDecl*>& swapped) const {
    std::set<std::string> extents;
    for (const auto* one : swapped) {
      const std::string root = one->getNameAsString();
      extents.insert(expressions_.at(root).substr(root.size()));
    }
    if (extents.size() > 1) refuse(*loop_, "what the loop exchanges has several extents");
  }

  static std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
  }

  [[nodiscard]] std::string device() const {
    return device_number() == 0 ? std::string() : fmt::format(" device({})", device_number());
  }

  /// What was not changed, or filled first, in the run that was recorded, may be in another one.
  [[nodiscard]] std::string kind_of(const std::string& kind, const std::string& root) const {
    if (kind == "release" && written_.contains(root)) return "from";
    const bool asks = sent_.contains(root) && !is_filled_first(root);
    return kind == "alloc" && asks ? "to" : kind;
  }

  /// Whether statements of a block begin with a region that asks for nothing of the data.
  [[nodiscard]] bool is_filled_first(const std::string& root) const {
    const clang::VarDecl& data = *data_.at(root);
    const auto* span = llvm::dyn_cast<clang::CompoundStmt>(loop_);
    if (span == nullptr) return false;
    for (const clang::Stmt* statement : span->body()) {
      const auto* region = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
      if (region == nullptr && !names(*statement, data)) continue;
      if (region != nullptr && !names(*region, data)) continue;
      return region != nullptr && runs_on_device(*region) && only_brings_back(*region, data);
    }
    return false;
  }

  [[nodiscard]] std::string pragma(const std::vector<const Edit*>& edits, Plan* plan) const {
    std::map<std::string, std::vector<std::string>> items;  // by kind
    std::vector<Clause> clauses;
    for (const Edit* edit : edits) {
      clauses.insert(clauses.end(), edit->clauses.begin(), edit->clauses.end());
    }
    for (const Clause& clause : clauses) {
      for (const Item& item : clause.items) {
        const std::string expression = in_terms_of(program_, *loop_, item);
        const std::string root = root_of(expression);
        std::string kind = kind_of(clause.kind, root);
        const bool stays =
            kind == "from" && std::ranges::find(request_.released, root) != request_.released.end();
        if (stays) kind = "release";
        items[kind].push_back(expression);
        const bool may_stay =
            plan != nullptr && kind == "from" && !is_used_behind(program_, *loop_, *data_.at(root));
        if (may_stay) plan->returned.push_back(root);
      }
    }
    std::string text = "#pragma omp " + edits.front()->directive + device();
    for (auto& [kind, all] : items) {
      // A template's instantiations name the same.
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
      text += fmt::format(" map({}: {})", kind, fmt::join(all, ", "));
    }
    return text;
  }

  /// Directives begin in the first column where the program's own do.
  [[nodiscard]] std::string indentation(const SourceText& text, unsigned offset) const {
    const unsigned own = text.offset_of(stay_.kept.front()->getBeginLoc());
    return text.indentation(own).empty() ? std::string() : text.indentation(offset);
  }

  void write(Plan& plan) const {
    const SourceText text(program_.context(), loop_->getBeginLoc());
    const unsigned begin = text.offset_of(loop_->getBeginLoc());
    const std::string indent = indentation(text, begin);
    std::vector<std::string> before = {indent + pragma(stay_.begin, nullptr)};
    std::vector<std::string> behind = {indent + pragma(stay_.end, &plan)};
    if (is_later_) {
      for (auto* lines : {&before, &behind}) {
        lines->insert(lines->begin(), indent + "#pragma omp taskwait");
      }
    }
    plan.replacements.push_back(text.lines_before(begin, before));
    for (const std::string& root : request_.released) {
      if (!request_.spoil || !data_.contains(root)) continue;
      behind.push_back(spoiling(expressions_.at(root)));
    }
    for (const Update& update : updates_) write(update, plan);
    // Behind an update of the last statement.
    plan.replacements.push_back(text.lines_after(end_of_statement(text, *loop_), behind));
    plan.updates = updates_.size();
    for (const clang::OMPExecutableDirective* update : idle_) {
      const Place place = place_of(program_.context(), *update);
      remove_directive(program_, *update, place, plan);
      plan.settled.push_back(place);
    }
  }

  void write(const Update& update, Plan& plan) const {
    const SourceText text(program_.context(), update.statement->getBeginLoc());
    const unsigned at = text.offset_of(update.statement->getBeginLoc());
    const unsigned end = end_of_statement(text, *update.statement);
    if (!text.begins_line(at) || !text.ends_line(end)) {
      refuse(*update.statement, "the host uses the data in a line that holds other code");
    }
    const std::string line = fmt::format(
        "{}#pragma omp target update{} {}({}){}", indentation(text, at), device(),
        update.from ? "from" : "to", update.item,
        update.condition.empty() ? std::string() : fmt::format(" if({})", update.condition));
    const Replacement made =
        update.from ? text.lines_before(at, {line}) : text.lines_after(end, {line});
    const auto is_it = [&](const Replacement& one) {
      return one.file == made.file && one.offset == made.offset && one.text == made.text;
    };
    // One function may be called with several of the data.
    if (std::ranges::none_of(plan.replacements, is_it)) plan.replacements.push_back(made);
  }

  const Program& program_;
  const Stay& stay_;
  const Request& request_;
  const clang::Stmt* loop_;
  std::map<std::string, const clang::VarDecl*> data_;  // by name
  std::map<std::string, std::string> expressions_;
  bool is_later_ = false;          // a region in the loop is
  std::set<std::string> written_;  // by a kernel
  std::set<std::string> sent_;     // a clause asks for what the host has
  std::vector<Update> updates_;
  std::set<const clang::OMPExecutableDirective*> idle_;
};

void add(const Plan& made, Plan& plan) {
  plan.replacements.insert(plan.replacements.end(), made.replacements.begin(),
                           made.replacements.end());
  plan.settled.insert(plan.settled.end(), made.settled.begin(), made.settled.end());
  plan.returned.insert(plan.returned.end(), made.returned.begin(), made.returned.end());
  plan.updates += made.updates;
}

}  // namespace

void plan_residence(const Program& program, const Finding& finding, const Request& request,
                    Plan& plan) {
  const Stay stay = stay_of(program, finding);
  if (stay.begin.empty()) return;
  if (stay.kept.empty()) {
    plan.found = false;
  } else if (stay.is_of_loop) {
    const clang::Stmt& loop = loop_of(program, stay);
    for (const clang::Stmt* one : program.alike(loop)) {
      Plan made;
      Residence(program, stay, request, *one).add_to(made);
      if (one != &loop && made.replacements != plan.replacements) {
        throw Refusal("what the template is made into here differs",
                      place_of(program.context(), loop));
      }
      if (one == &loop) add(made, plan);
    }
  } else {
    const Spanned spanned = span_of(program, stay);
    Residence(spanned.program, stay, request, *spanned.span).add_to(plan);
  }
}

}  // namespace ompdm::edit
