#include "residence.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "distinct.h"
#include "elements.h"
#include "facts.h"
#include "flow.h"
#include "insertions.h"
#include "messages.h"
#include "names.h"
#include "scopes.h"
#include "source_text.h"
#include "storage.h"

namespace ompdm::edit {
namespace {

/// The statement beside which an update for a use is written. Null: none.
const Stmt* statement_of(const Program& program, const Stmt& loop, const Stmt& mention) {
  if (!program.is_within(mention, loop)) return nullptr;
  return place_of_update(program, mention, &loop, nullptr, offloads);
}

/// Whether a read stands in the condition of a branch, before its arms run.
bool is_asked_first(const Program& program, const Stmt& statement, const Mention& mention) {
  const auto* branch = dyn_cast<clang::IfStmt>(&statement);
  return branch != nullptr && mention.use == Use::kRead && branch->getCond() != nullptr &&
         program.is_within(*mention.at, *branch->getCond()) && !offloads(*branch->getCond());
}

/// Why no update beside a statement is possible. Empty: one is.
std::string in_the_way(const Program& program, const Stmt& code, const Stmt* statement,
                       const Mention& mention) {
  if (statement == nullptr) return "where no directive can stand";
  if (const auto* construct = host_construct_around(program, *mention.at, &code)) {
    const auto kind = construct->getDirectiveKind();
    if (clang::isOpenMPTaskingDirective(kind) ||
        construct->hasClausesOfKind<clang::OMPNowaitClause>()) {
      return "in a task, at a time of its own";
    }
  }
  if (offloads(*statement) && !is_asked_first(program, *statement, mention)) {
    return "in a statement that runs regions on a device, too";
  }
  return {};
}

/// Whether a statement only sets one element, and is the use.
bool is_assigned_by(const Stmt& statement, const Mention& mention) {
  const auto* assignment = dyn_cast<clang::BinaryOperator>(&statement);
  return mention.use == Use::kWrite && mention.at == assignment && assignment != nullptr &&
         assignment->getOpcode() == clang::BO_Assign &&
         isa<clang::ArraySubscriptExpr>(assignment->getLHS()->IgnoreParens());
}

/// Updates of single elements in place of `updates`, which transfer all of the data. None: the host
/// uses other parts, too, or too many elements.
std::vector<Update> updates_of_elements(const Program& program, const Stmt& loop,
                                        const VarDecl& data, const std::vector<Mention>& mentions,
                                        const std::vector<Update>& updates) {
  constexpr std::size_t kMost = 4;
  std::vector<Update> all;
  for (const Update& update : updates) {
    for (const Mention& mention : mentions) {
      const bool is_use =
          mention.use == Use::kRead || mention.use == Use::kWrite || mention.use == Use::kChange;
      if (!is_use || statement_of(program, loop, *mention.at) != update.statement) continue;
      const auto elements = elements_of(program, *update.statement, data, *mention.at);
      if (elements.empty()) return {};
      const bool is_needed =
          update.from ? !is_assigned_by(*update.statement, mention) : mention.use != Use::kRead;
      for (const std::string& item : elements) {
        const bool is_known = std::ranges::any_of(all, [&](const Update& other) {
          return other.statement == update.statement && other.from == update.from &&
                 other.item == item;
        });
        if (!is_needed || is_known) continue;
        all.push_back(update);
        all.back().item = item;
        all.back().is_of_element = true;
      }
    }
  }
  return all.size() > kMost ? std::vector<Update>() : all;
}

/// The updates that are needed where a loop's host code uses data that is kept on the device.
/// `mentions`: the uses of `data` in the loop. `device_writes`: a region in the loop may write it.
/// Throws Refusal where a use is unknown, or where no directive can stand.
std::vector<Update> updates_in(const Program& program, const Stmt& loop, const VarDecl& data,
                               const std::vector<Mention>& mentions, bool device_writes) {
  std::vector<Update> updates;
  const std::string name = data.getNameAsString();
  for (const Mention& mention : mentions) {
    const bool is_none = mention.use == Use::kNone || mention.use == Use::kPointer;
    if (is_none || mention.use == Use::kHanded) continue;
    if (mention.use == Use::kUnknown) program.refuse(*mention.at, "{} {}", name, mention.why);
    if (mention.use == Use::kRead && !device_writes) continue;
    const Stmt* statement = statement_of(program, loop, *mention.at);
    const std::string why = in_the_way(program, loop, statement, mention);
    if (!why.empty()) program.refuse(*mention.at, "the host uses {} {}", name, why);
    // A write is mostly of a part: the rest has to be copied to the host before.
    const auto add = [&](bool from) {
      const auto is_same = [&](const Update& one) {
        return one.statement == statement && one.data == &data && one.from == from;
      };
      if (std::ranges::none_of(updates, is_same)) updates.push_back({statement, &data, from});
    };
    if (device_writes) add(true);
    if (mention.use == Use::kRead) continue;
    if (isa<clang::ReturnStmt>(statement)) {
      program.refuse(*mention.at, "{} is changed by what is returned", name);
    }
    expect_end_is_reached(program, *statement);
    add(false);
  }
  std::vector<Update> elements = updates_of_elements(program, loop, data, mentions, updates);
  return elements.empty() ? updates : elements;
}

class Merger {
 public:
  Merger(const Program& program, const Stmt& code) : program_(program), code_(code) {}

  /// One update in place of two. None where both are needed.
  [[nodiscard]] std::optional<Update> one_of(const Update& earlier, const Update& later) const {
    if (earlier.from != later.from) return std::nullopt;
    if (earlier.is_of_element && later.is_of_element) return of_elements(earlier, later);
    if (earlier.item != later.item) return std::nullopt;
    if (!later.from) return is_sent_by(earlier, later) ? std::optional(later) : std::nullopt;
    if (earlier.condition.empty() && is_quiet(*earlier.statement, *later.statement)) {
      return earlier;
    }
    // An unconditional update can stand a little earlier.
    if (!later.condition.empty()) return std::nullopt;
    const auto* block = block_of(*later.statement);
    const Stmt* first = block == nullptr ? nullptr : child_of(*block, *earlier.statement);
    if (first == nullptr || room_around(program_, *first) == Room::kNone) return std::nullopt;
    if (!is_quiet(*first, *later.statement)) return std::nullopt;
    Update moved = later;
    moved.statement = first;
    return moved;
  }

 private:
  /// One update in place of two of single elements. The index has to be a number: another index may
  /// mean another element there. Only updates to the host are merged. Behind an update to the
  /// device the element may be copied back.
  [[nodiscard]] std::optional<Update> of_elements(const Update& earlier,
                                                  const Update& later) const {
    const bool is_one = later.from && earlier.item == later.item &&
                        names_in(later.item).size() == 1 && earlier.condition.empty() &&
                        is_quiet(*earlier.statement, *later.statement);
    return is_one ? std::optional(earlier) : std::nullopt;
  }

  static bool is_entered(const Stmt* statement) {
    return isa<clang::LabelStmt, clang::SwitchCase>(statement);
  }

  /// Whether a later update always follows an earlier one, and sends the same data.
  [[nodiscard]] bool is_sent_by(const Update& earlier, const Update& later) const {
    const auto* block = block_of(*earlier.statement);
    const bool are_beside = block != nullptr && block == block_of(*later.statement);
    if (!later.condition.empty() || !are_beside || offloads(*later.statement) ||
        !is_quiet(*earlier.statement, *later.statement)) {
      return false;
    }
    try {
      bool is_between = false;
      for (const Stmt* one : block->body()) {
        if (is_between) expect_end_is_reached(program_, *one);
        if (one == earlier.statement) is_between = true;
        if (one == later.statement) break;
      }
    } catch (const Refusal&) {
      return false;
    }
    return true;
  }

  [[nodiscard]] const clang::CompoundStmt* block_of(const Stmt& statement) const {
    const Stmt* parent = &statement == &code_ ? nullptr : program_.parent_of(statement);
    return dyn_cast_or_null<clang::CompoundStmt>(parent);
  }

  /// The statement of a block that holds `inner`. Null: none.
  [[nodiscard]] const Stmt* child_of(const clang::CompoundStmt& block, const Stmt& inner) const {
    const auto at = std::find_if(block.body_begin(), block.body_end(),
                                 [&](const auto* one) { return program_.is_within(inner, *one); });
    return at == block.body_end() ? nullptr : *at;
  }

  /// Whether `first` always runs before `last`, and no code between them uses a device. `first` is
  /// a statement of a block, `last` is in the block, at any depth.
  [[nodiscard]] bool is_quiet(const Stmt& first, const Stmt& last) const {
    const auto* block = block_of(first);
    const Stmt* end = block == nullptr ? nullptr : child_of(*block, last);
    if (end == nullptr) return false;
    const auto from = std::find(block->body_begin(), block->body_end(), &first);
    const auto to = std::find(from, block->body_end(), end);
    if (to == block->body_end()) return false;  // `last` comes before `first`
    if (std::any_of(from + 1, to + 1, is_entered)) return false;
    if (std::any_of(from, to, [](const Stmt* one) { return offloads(*one); })) return false;
    // No part of `end` before `last` may use a device.
    return end == &last || !offloads(*end);
  }

  const Program& program_;
  const Stmt& code_;
};

/// Merges `updates` of one scope's code and of one of the data. An update is redundant where
/// another one copies the same data back, and no device code between them may change it. The
/// remaining update may run earlier, or more often. It copies back only data that one of them
/// copies back in the same iteration, unless the code is left in between.
std::vector<Update> merged(const Program& program, const Stmt& code, std::vector<Update> updates) {
  const Merger merger(program, code);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    for (std::size_t j = 0; j < updates.size(); ++j) {
      const auto one = i == j ? std::nullopt : merger.one_of(updates[i], updates[j]);
      if (!one) continue;
      updates[i] = *one;
      updates.erase(updates.begin() + static_cast<std::ptrdiff_t>(j));
      return merged(program, code, std::move(updates));
    }
  }
  return updates;
}

/// How often an update in code is executed, by the branches and loops around it.
struct Frequency {
  using Branch = std::pair<const Stmt*, const Stmt*>;  // a statement, and its arm
  bool from = false;
  bool is_of_part = false;  ///< it transfers a part: an update of all data does not replace it
  std::set<Branch> branches = {};
  std::set<const Stmt*> loops = {};

  [[nodiscard]] bool is_at_most(const Frequency& other) const {
    return std::ranges::includes(branches, other.branches) &&
           std::ranges::includes(other.loops, loops);
  }
  [[nodiscard]] bool is_as(const Frequency& other) const {
    return branches == other.branches && loops == other.loops;
  }
};

bool may_leave(const Stmt& statement) {
  if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement)) {
    return true;
  }
  return std::ranges::any_of(statement.children(), [](const Stmt* child) {
    return child != nullptr && may_leave(*child);
  });
}

/// Whether a condition is mostly true, by its form: a comparison of integers by != or by order.
/// `is_then` false: whether its opposite is.
bool holds_mostly(const Expr& any, bool is_then) {
  const auto* condition = dyn_cast<clang::BinaryOperator>(any.IgnoreParenImpCasts());
  if (condition == nullptr) return false;
  if (condition->isLogicalOp()) {
    const bool needs_both = (condition->getOpcode() == clang::BO_LAnd) == is_then;
    const bool one = holds_mostly(*condition->getLHS(), is_then);
    const bool other = holds_mostly(*condition->getRHS(), is_then);
    return needs_both ? one && other : one || other;
  }
  const bool is_of_integers = condition->getLHS()->getType()->isIntegerType() &&
                              condition->getRHS()->getType()->isIntegerType();
  if (condition->getOpcode() == clang::BO_EQ) return is_of_integers && !is_then;
  return is_of_integers && is_then && condition->isComparisonOp();
}

/// Whether an arm of a branch is assumed to run nearly always.
bool is_taken_mostly(const Frequency::Branch& branch) {
  const auto* condition = dyn_cast<clang::IfStmt>(branch.first);
  return condition != nullptr && branch.second != nullptr && branch.second != branch.first &&
         holds_mostly(*condition->getCond(), branch.second == condition->getThen());
}

/// The frequency of a statement in the code, or in a function with one call.
Frequency frequency_of(const Program& program, const Stmt& code, const Stmt& statement) {
  Frequency found;
  const Stmt* child = &statement;
  while (child != &code) {
    const Stmt* parent = program.parent_of(*child);
    if (parent == nullptr) {
      const FunctionDecl* function = program.function_of(*child);
      const auto calls =
          function == nullptr ? std::vector<const CallExpr*>() : program.calls_of(*function);
      if (calls.size() != 1) {
        found.branches.insert({child, child});  // the callers are not told apart
        break;
      }
      child = calls.front();
      continue;
    }
    const auto* branch = dyn_cast<clang::IfStmt>(parent);
    if (branch != nullptr ? child != branch->getCond()
                          : isa<clang::SwitchStmt, clang::SwitchCase>(parent)) {
      found.branches.insert({parent, child});
    }
    if (const auto* block = dyn_cast<clang::CompoundStmt>(parent)) {
      for (const Stmt* one : block->body()) {
        if (one == child) break;
        if (may_leave(*one)) found.branches.insert({one, one});
      }
    }
    if (parent != &code && body_of_loop(*parent) == child) found.loops.insert(parent);
    child = parent;
  }
  // A condition that never changes in the code may be true or false.
  std::erase_if(found.branches, [&](const Frequency::Branch& branch) {
    const auto* condition = dyn_cast<clang::IfStmt>(branch.first);
    return is_taken_mostly(branch) &&
           !stays_the_same(program, code, text_of(program.context(), *condition->getCond()));
  });
  return found;
}

/// Merges updates in both arms of a branch: together they run as often as the branch.
std::vector<Frequency> joined(std::vector<Frequency> all) {
  for (auto one = all.begin(); one != all.end(); ++one) {
    for (const Frequency::Branch& branch : one->branches) {
      const auto* condition = dyn_cast<clang::IfStmt>(branch.first);
      if (condition == nullptr || branch.second != condition->getThen()) continue;
      Frequency whole = *one;
      whole.branches.erase(branch);
      Frequency other = whole;
      other.branches.insert({condition, condition->getElse()});
      const auto beside = std::find_if(all.begin(), all.end(), [&](const Frequency& candidate) {
        return candidate.from == other.from && candidate.is_as(other);
      });
      if (beside == all.end()) continue;
      *one = std::move(whole);
      all.erase(beside);
      return joined(std::move(all));
    }
  }
  return all;
}

/// The transfers of data by an update: `from` of each.
std::vector<bool> ways_of_update(const Directive& update, const VarDecl& data) {
  const auto names_data = [&](const auto* clause) {
    return llvm::any_of(clause->varlists(),
                        [&](const Expr* item) { return root_variable(*item) == &data; });
  };
  std::vector<bool> ways;
  if (llvm::any_of(update.getClausesOfKind<clang::OMPToClause>(), names_data)) {
    ways.push_back(false);
  }
  if (llvm::any_of(update.getClausesOfKind<clang::OMPFromClause>(), names_data)) {
    ways.push_back(true);
  }
  return ways;
}

/// The transfers of data by a directive that maps it: `from` of each.
std::vector<bool> ways_of_mapping(const Directive& directive, const VarDecl& data) {
  const auto kind = directive.getDirectiveKind();
  std::vector<bool> ways;
  for (const MapItem& item : mapped_items(directive, data)) {
    const auto type = item.clause->getMapType();
    const bool is_both = type == clang::OMPC_MAP_tofrom || type == clang::OMPC_MAP_unknown;
    if ((is_both || type == clang::OMPC_MAP_to) && kind != llvm::omp::OMPD_target_exit_data) {
      ways.push_back(false);
    }
    if ((is_both || type == clang::OMPC_MAP_from) && kind != llvm::omp::OMPD_target_enter_data) {
      ways.push_back(true);
    }
  }
  return ways;
}

/// Whether the written updates transfer data less often than the removed transfers, by branches and
/// loops. Where `by_branches` is not set, an update in a branch is assumed to run seldom, unless
/// its condition is mostly true.
bool spares(std::vector<Frequency> gone, std::vector<Frequency> written, bool by_branches) {
  int fewer = 0;
  std::size_t deepest = 0;
  for (const Frequency& one : gone) deepest = std::max(deepest, one.loops.size());
  std::vector<Frequency> more;
  for (Frequency& often : joined(std::move(written))) {
    const auto replaced = std::ranges::find_if(gone, [&](const Frequency& one) {
      return one.from == often.from && !one.is_of_part && often.is_at_most(one);
    });
    if (replaced == gone.end()) {
      more.push_back(std::move(often));
      continue;
    }
    if (!often.is_as(*replaced)) ++fewer;
    gone.erase(replaced);
  }
  for (const Frequency& often : more) {
    const auto other = std::ranges::find_if(
        gone, [&](const Frequency& one) { return !one.is_of_part && often.is_at_most(one); });
    if (other != gone.end()) {
      gone.erase(other);
      continue;
    }
    const bool is_seldom = std::ranges::any_of(
        often.branches, [](const Frequency::Branch& one) { return one.second != nullptr; });
    if (!is_seldom || often.loops.size() > deepest) return false;
    // Another update that runs less often than the transfer it replaces compensates for it.
    if (by_branches && --fewer < 0) return false;
  }
  return fewer > 0 || !gone.empty();
}

using Variable = const VarDecl*;

/// Looks at all uses of the data, in the code and in functions that it calls.
class Looker {
 public:
  Looker(const Program& program, const Stmt& code, const Stay& stay, KeptData data)
      : program_(program), code_(code), stay_(stay) {
    found_.data = std::move(data);
    for (const auto& [name, kept] : found_.data) variables_.push_back(kept.variable);
  }

  Residence look() {
    const std::vector<int>& devices = stay_.first().devices;
    if (devices.size() > 1) program_.refuse(code_, "the data is on several devices");
    found_.device = devices.empty() ? 0 : devices.front();
    expect_room_around(program_, code_);
    expect_no_other_thread(program_, code_, variables_);
    const bool any_global =
        std::ranges::any_of(variables_, [](const Variable one) { return one->hasGlobalStorage(); });
    expect_no_other_way_out(program_, code_, any_global);
    for (const Variable variable : variables_) find_uses(*variable);
    if (!stay_.is_there) {  // data that is present has memory
      for (const auto& [name, kept] : found_.data) {
        expect_memory(program_, code_, *kept.variable, kept.expression, used_.at(kept.variable));
      }
      find_condition();
    }
    // Of data that may be equal, or is exchanged, all is written if any is.
    std::set<Variable> alike = expect_distinct(program_, code_, variables_);
    const auto swapped = exchanged(program_, code_, variables_, set_);
    expect_alike(swapped);
    alike.insert(swapped.begin(), swapped.end());
    const bool any = std::ranges::any_of(alike, [&](const Variable one) { return writes(*one); });
    for (const Variable variable : variables_) {
      add(*variable, alike.contains(variable) ? any : writes(*variable));
    }
    // Data that is exchanged is looked at by all of its names.
    if (!swapped.empty()) expect_fewer({swapped.begin(), swapped.end()});
    for (const Variable variable : variables_) {
      if (!llvm::is_contained(swapped, variable)) expect_fewer({variable});
    }
    return std::move(found_);
  }

 private:
  /// Finds a condition under which no directive uses the device in any iteration: then the data
  /// need not be mapped.
  void find_condition() {
    std::set<std::string> conditions;
    for (const auto& [variable, scopes] : used_) {
      for (const Scope& scope : scopes) {
        for (const Directive* one : program_.directives_in(*scope.code)) {
          if (mapped_items(*one, *scope.data).empty()) continue;
          const Expr* condition = device_condition(*one);
          if (condition == nullptr || scope.function != nullptr || names_inside(*condition)) return;
          conditions.insert(text_of(program_.context(), *condition));
        }
      }
    }
    if (conditions.size() != 1) return;
    const std::string& condition = *conditions.begin();
    if (stays_the_same(program_, code_, condition)) found_.condition = condition;
  }

  /// Whether an expression uses a name that the code declares.
  [[nodiscard]] bool names_inside(const Expr& expression) const {
    const clang::SourceManager& sources = program_.context().getSourceManager();
    return std::ranges::any_of(
        all_in<clang::DeclRefExpr>(&expression), [&](const clang::DeclRefExpr* one) {
          const clang::SourceLocation at = one->getDecl()->getLocation();
          return !sources.isBeforeInTranslationUnit(at, code_.getBeginLoc()) &&
                 sources.isBeforeInTranslationUnit(at, code_.getEndLoc());
        });
  }

  void find_uses(const VarDecl& variable) {
    for (Scope& scope : scopes_of(program_, code_, variable)) {
      if (scope.function == nullptr) {
        std::ranges::copy_if(scope.mentions, std::back_inserter(set_),
                             [](const Mention& one) { return one.use == Use::kPointer; });
      }
      scope.uses = device_uses(program_, scope, names_in(scope), found_.device);
      const DeviceUses& uses = scope.uses;
      expect_counted(uses, *scope.data);
      expect_within(uses, variable);
      expect_nothing_else_meant(program_, scope);
      if (!uses.idle.empty() && !stay_.is_there) {
        expect_mapped_here_alone(program_, code_, *uses.idle.front(), variables_);
      }
      found_.is_later = found_.is_later || !uses.later.empty();
      used_[&variable].push_back(std::move(scope));
    }
  }

  /// Data on the device cannot grow: a directive that the run did not execute may not name more of
  /// it.
  void expect_within(const DeviceUses& uses, const VarDecl& variable) const {
    const std::string name = variable.getNameAsString();
    for (const Item& item : uses.items) {
      const auto here = program_.directives_at(item.named_at);
      const bool is_reached = std::ranges::any_of(
          here, [&](const Directive* one) { return llvm::is_contained(stay_.kept, one); });
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

  [[nodiscard]] bool writes(const VarDecl& variable) const {
    return std::ranges::any_of(used_.at(&variable),
                               [](const Scope& one) { return one.uses.writes; });
  }

  /// The data that is kept on the device, by its names in a scope.
  [[nodiscard]] std::vector<Variable> names_in(const Scope& scope) const {
    if (scope.function == nullptr || scope.data->hasGlobalStorage()) return variables_;
    return {scope.data};
  }

  /// Directives that the run executed come in pairs, as the events show. Others have to do so by
  /// the source.
  void expect_counted(const DeviceUses& uses, const VarDecl& data) const {
    for (const Directive* one : uses.counted) {
      if (!llvm::is_contained(stay_.kept, one)) {
        expect_pair(program_, *one, uses.counted, data);
      }
    }
  }

  void add(const VarDecl& variable, bool is_written) {
    const std::string name = variable.getNameAsString();
    if (is_written) found_.written.insert(name);
    for (const Scope& one : used_.at(&variable)) {
      if (one.uses.sends) found_.sent.insert(name);
      add_updates(one, variable, is_written);
    }
    for (const Scope& one : used_.at(&variable)) {
      for (const Directive* region : one.uses.later) expect_waited(*region);
    }
  }

  void expect_fewer(const std::vector<Variable>& variables) const {
    std::vector<Frequency> gone;
    std::vector<Frequency> written;
    const Stmt* first = nullptr;
    for (const Variable variable : variables) {
      std::set<const Stmt*> decided;  // regions that the host runs in all iterations, or in none
      for (const Scope& scope : used_.at(variable)) {
        for (const MayStay& one : scope.uses.may_stay) {
          // Statements of a block may run with either value of the condition.
          const bool is_of_all = stay_.is_of_loop || !found_.condition.empty();
          if (is_of_all && is_decided(scope, one)) decided.insert(one.region);
        }
      }
      add_gone(*variable, decided, gone);
      // Around a loop, the transfers at its begin and end run once. Around statements they run as
      // often as these.
      if (!stay_.is_of_loop && !stay_.is_there) {
        const std::string name = variable->getNameAsString();
        const Kept& kept = found_.data.at(name);
        if (kept.begin == "to" || found_.sent.contains(name)) written.emplace_back().from = false;
        if (kept.end == "from" || found_.written.contains(name)) written.emplace_back().from = true;
        if (!written.empty()) first = &code_;
      }
      std::size_t deepest = 0;
      for (const Frequency& one : gone) deepest = std::max(deepest, one.loops.size());
      for (const Update& one : found_.updates) {
        const bool is_its = std::ranges::any_of(
            used_.at(variable), [&](const Scope& scope) { return scope.data == one.data; });
        if (!is_its || (one.is_of_region && decided.contains(one.statement))) continue;
        if (one.is_of_element) {  // costs next to nothing, except in a deeper loop of the host
          const std::size_t loops = frequency_of(program_, code_, *one.statement).loops.size();
          if (loops > deepest) {
            throw Vain(fmt::format("updates of {} would be needed at each of many elements",
                                   variable->getNameAsString()),
                       place_of(program_.context(), *one.statement));
          }
          continue;
        }
        if (first == nullptr) first = one.statement;
        Frequency& often = written.emplace_back(frequency_of(program_, code_, *one.statement));
        often.from = one.from;
        if (!one.condition.empty()) often.branches.insert({one.statement, nullptr});
      }
    }
    if (first == nullptr || spares(std::move(gone), std::move(written), stay_.is_there)) return;
    const char* where = stay_.is_of_loop ? "updates of {} would be needed where the host uses it"
                                         : "copies of {} would be needed";
    throw Vain("as many " + fmt::format(fmt::runtime(where), variables.front()->getNameAsString()),
               place_of(program_.context(), *first));
  }

  /// Adds the transfers that the patch removes.
  void add_gone(const VarDecl& variable, const std::set<const Stmt*>& decided,
                std::vector<Frequency>& gone) const {
    const auto add = [&](const Directive& directive, const std::vector<bool>& ways,
                         bool is_of_part = false) {
      Frequency often = frequency_of(program_, code_, directive);
      const bool has_condition = device_condition(directive) != nullptr;
      if (has_condition && !decided.contains(&directive)) {
        often.branches.insert({&directive, &directive});
      }
      often.is_of_part = is_of_part;
      for (const bool from : ways) {
        often.from = from;
        gone.push_back(often);
      }
    };
    for (const Scope& scope : used_.at(&variable)) {
      for (const Directive* one : scope.uses.idle) {
        add(*one, ways_of_update(*one, *scope.data), is_of_part(*one, scope, variable));
      }
      if (stay_.is_there) continue;
      for (const Directive* one : program_.directives_in(*scope.code)) {
        const bool is_update = one->getDirectiveKind() == llvm::omp::OMPD_target_update;
        if (is_update || is_in_block(*one, scope)) continue;
        add(*one, ways_of_mapping(*one, *scope.data));
      }
    }
  }

  /// Whether a directive stands in a `target data` with the data, which is present then.
  [[nodiscard]] bool is_in_block(const Directive& directive, const Scope& scope) const {
    for (const Stmt* at = &directive; at != scope.code;) {
      at = program_.parent_of(*at);
      if (at == nullptr) return false;
      const auto* block = dyn_cast<clang::OMPTargetDataDirective>(at);
      const bool is_its = block != nullptr && device_condition(*block) == nullptr &&
                          !mapped_items(*block, *scope.data).empty();
      if (is_its) return true;
    }
    return false;
  }

  /// Whether an update transfers only a part of the data, by its items.
  [[nodiscard]] bool is_of_part(const Directive& update, const Scope& scope,
                                const VarDecl& variable) const {
    const std::string& all = found_.data.at(variable.getNameAsString()).expression;
    const auto is_all = [&](const Expr* item) {
      if (root_variable(*item) != scope.data) return false;
      const Item one{text_of(program_.context(), *item), place_of(program_.context(), update)};
      try {
        return std::ranges::any_of(terms_of(program_, code_, one), [&](const std::string& term) {
          return are_same_extents(program_, code_, term, all);
        });
      } catch (const Refusal&) {
        return false;  // it has no name around the code
      }
    };
    const auto any = [&](const auto* clause) { return llvm::any_of(clause->varlists(), is_all); };
    return llvm::none_of(update.getClausesOfKind<clang::OMPToClause>(), any) &&
           llvm::none_of(update.getClausesOfKind<clang::OMPFromClause>(), any);
  }

  [[nodiscard]] bool is_decided(const Scope& scope, const MayStay& region) const {
    if (scope.function == nullptr) return stays_the_same(program_, code_, region.condition);
    if (!stays_the_same(program_, *scope.code, region.condition)) return false;
    for (const std::string& name : edit::names_in(region.condition)) {
      const auto parameter = llvm::find_if(scope.function->parameters(), [&](const auto* one) {
        return one->getNameAsString() == name;
      });
      if (parameter == scope.function->param_end()) return false;
      for (const CallExpr* call : program_.calls_of(*scope.function)) {
        if (!program_.is_within(*call, code_)) continue;
        const Expr* handed = argument_for(*call, **parameter);
        if (handed == nullptr) return false;
        const std::string text = text_of(program_.context(), *handed);
        if (!stays_the_same(program_, code_, text)) return false;
      }
    }
    return true;
  }

  void add_updates(const Scope& scope, const VarDecl& variable, bool is_written) {
    std::vector<Update> here =
        updates_in(program_, *scope.code, *scope.data, scope.mentions, is_written);
    for (const MayStay& one : scope.uses.may_stay) {
      if (!found_.condition.empty()) break;
      const std::string condition = fmt::format("!({})", one.condition);
      if (is_written) here.push_back({one.region, scope.data, true, one.item, condition, true});
      if (one.writes) here.push_back({one.region, scope.data, false, one.item, condition, true});
    }
    for (Update& update : here) {
      if (update.item.empty()) update.item = item_in(scope, variable);
    }
    // Merging comes first: behind a statement that overwrites all data the host's copy is the
    // newest.
    here = merged(program_, *scope.code, std::move(here));
    std::erase_if(here, [&](const Update& one) { return is_overwritten(scope, one); });
    found_.updates.insert(found_.updates.end(), here.begin(), here.end());
    found_.idle.insert(scope.uses.idle.begin(), scope.uses.idle.end());
    const bool is_changed = !here.empty() || !scope.uses.idle.empty();
    if (is_changed && scope.function != nullptr) expect_for_these_alone(scope);
  }

  /// Whether the host overwrites all data that an update before its loop would copy back.
  [[nodiscard]] bool is_overwritten(const Scope& scope, const Update& update) const {
    const auto* loop = dyn_cast<clang::ForStmt>(update.statement);
    if (!update.from || update.is_of_region || loop == nullptr) return false;
    const auto covers = [&](const MapItem& one) {
      return one.item != nullptr && text_of(program_.context(), *one.item) == update.item &&
             overwrites_all(program_, *loop, *scope.data, *one.item);
    };
    return std::ranges::any_of(program_.directives_in(*scope.code), [&](const Directive* one) {
      return std::ranges::any_of(mapped_items(*one, *scope.data), covers);
    });
  }

  /// Throws Refusal where a region may still run at an update of its data.
  void expect_waited(const Directive& region) const {
    const clang::SourceManager& sources = program_.context().getSourceManager();
    const auto is_before = [&](const Stmt& one, const Stmt& other) {
      return sources.isBeforeInTranslationUnit(one.getBeginLoc(), other.getBeginLoc());
    };
    for (const Update& update : found_.updates) {
      const Stmt& statement = *update.statement;
      const bool is_again = !is_before(region, statement);  // of the iteration before
      const bool is_waited =
          std::ranges::any_of(program_.directives_in(code_), [&](const Directive* wait) {
            const bool is_between = is_again
                                        ? is_before(region, *wait) || is_before(*wait, statement)
                                        : is_before(region, *wait) && is_before(*wait, statement);
            return wait->getDirectiveKind() == llvm::omp::OMPD_taskwait && is_between &&
                   program_.is_within(*wait, code_) && is_certain(program_, *wait, code_);
          });
      if (!is_waited)
        program_.refuse(statement, "a region that is nowait may still be at work here");
    }
  }

  /// A directive that is written into a function has to be for kept data at each of its calls.
  void expect_for_these_alone(const Scope& scope) const {
    expect_called_here_alone(program_, code_, *scope.function);
    const std::string name = scope.data->getNameAsString();
    for (const std::string& one : terms_of(program_, code_, *scope.function, name)) {
      if (found_.data.contains(one)) continue;
      program_.refuse(*scope.code, "{}() would have to be changed, which is called with {}, too",
                      scope.function->getNameAsString(), one);
    }
  }

  /// The list item for all of the data in a scope.
  [[nodiscard]] std::string item_in(const Scope& scope, const VarDecl& variable) const {
    const std::string& own = found_.data.at(variable.getNameAsString()).expression;
    if (scope.function == nullptr) return own;
    std::set<std::string> items;
    for (const Item& item : scope.uses.items) {
      const auto terms = terms_of(program_, code_, item);
      const bool is_all = std::ranges::any_of(terms, [&](const std::string& one) {
        return are_same_extents(program_, code_, one, own);
      });
      if (is_all) items.insert(item.expression);
    }
    const auto* parameter = dyn_cast<clang::ParmVarDecl>(scope.data);
    if (items.empty() && parameter != nullptr) {
      const std::string item = in_terms_of(program_, code_, *parameter, own);
      if (!item.empty()) items.insert(item);
    }
    if (items.size() != 1) {
      program_.refuse(*scope.code, "how much of {} the host uses in {}() no clause says",
                      scope.data->getNameAsString(), scope.function->getNameAsString());
    }
    Names(program_, *scope.code).expect_plain(*items.begin());
    return *items.begin();
  }

  /// Throws Refusal where data that is exchanged has different extents.
  void expect_alike(const std::vector<Variable>& swapped) const {
    const auto extent_of = [&](const Variable one) {
      const std::string name = one->getNameAsString();
      return found_.data.at(name).expression.substr(name.size());
    };
    for (const Variable one : swapped) {
      if (are_same_extents(program_, code_, extent_of(one), extent_of(swapped.front()))) continue;
      program_.refuse(code_, "what the loop exchanges has several extents");
    }
  }

  const Program& program_;
  const Stmt& code_;
  const Stay& stay_;
  std::vector<Variable> variables_;
  std::vector<Mention> set_;  // where a pointer to the data is set
  std::map<Variable, std::vector<Scope>> used_;
  Residence found_;
};

}  // namespace

Residence residence_of(const Program& program, const Stmt& code, const Stay& stay,
                       const std::vector<Item>& items) {
  return Looker(program, code, stay, kept_data(program, code, stay, items)).look();
}

}  // namespace ompdm::edit
