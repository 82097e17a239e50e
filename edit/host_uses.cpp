#include "host_uses.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "answer.h"
#include "loop_place.h"
#include "names.h"
#include "offloading.h"
#include "regions.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// Whether a statement sets nothing that an expression names.
bool stays_the_same(const Program& program, const clang::Stmt& statement,
                    const std::string& expression) {
  const Names known(program, statement);
  try {
    for (const std::string& name : names_in(expression)) known.expect_unchanged(name);
  } catch (const Refusal&) {
    return false;
  }
  return true;
}

/// A construct of the host's that the mention is in, the outermost one; null of none.
const clang::OMPExecutableDirective* construct_around(const Program& program,
                                                      const clang::Stmt& code,
                                                      const clang::Stmt& mention) {
  const clang::OMPExecutableDirective* found = nullptr;
  for (const clang::Stmt* at = &mention; at != nullptr && at != &code;
       at = program.parent_of(*at)) {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(at);
    const bool is_data =
        directive != nullptr && directive->getDirectiveKind() == llvm::omp::OMPD_target_data;
    if (directive != nullptr && !is_data) found = directive;
  }
  return found;
}

/// The statement that an update goes beside: it stands in a block, and is as far out as loops that
/// leave the device alone allow. Branches are not left: what they do not reach needs no update.
/// Threads of a team come together at its construct's end.
const clang::Stmt* statement_of(const Program& program, const clang::Stmt& loop,
                                const clang::Stmt& mention) {
  const clang::OMPExecutableDirective* construct = construct_around(program, loop, mention);
  const clang::Stmt* found = nullptr;
  const clang::Stmt* at = construct == nullptr ? &mention : construct;
  while (at != &loop) {
    const clang::Stmt* parent = program.parent_of(*at);
    if (parent == nullptr) return nullptr;
    if (llvm::isa<clang::CompoundStmt>(parent)) {
      const bool is_first = found == nullptr;
      const bool goes_further = !is_first && body_of_loop(*at) != nullptr && !offloads(*at);
      if (is_first || goes_further) found = at;
      if (!is_first && !goes_further) return found;
    } else if (found != nullptr && body_of_loop(*parent) == nullptr) {
      return found;
    }
    at = parent;
  }
  return found;
}

/// Whether a read stands in the condition of a branch, before all that the branch does.
bool is_asked_first(const Program& program, const clang::Stmt& statement, const Mention& mention) {
  const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  return branch != nullptr && mention.use == Use::kRead && branch->getCond() != nullptr &&
         program.is_within(*mention.at, *branch->getCond()) && !offloads(*branch->getCond());
}

/// Why no update beside that statement would do; empty: one does.
std::string in_the_way(const Program& program, const clang::Stmt& code,
                       const clang::Stmt* statement, const Mention& mention) {
  if (statement == nullptr || llvm::isa<clang::SwitchCase, clang::LabelStmt>(statement)) {
    return "where no directive can stand: put braces around it";
  }
  if (const auto* construct = construct_around(program, code, *mention.at)) {
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

/// Under which conditions of branches without braces a mention in the statement is reached; empty:
/// in any case, or asking them again may change something, or tell something else.
std::string condition_of(const Program& program, const clang::Stmt& statement,
                         const clang::Stmt& mention, const clang::VarDecl& data) {
  std::vector<std::string> all;
  const clang::Stmt* child = &mention;
  for (const clang::Stmt* at = &mention; at != nullptr && child != &statement;
       child = at, at = program.parent_of(*at)) {
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(at);
    const bool is_taken = branch != nullptr && child == branch->getThen();
    if (branch == nullptr || (!is_taken && child != branch->getElse())) continue;
    const clang::Expr* condition = branch->getCond();
    if (condition == nullptr || branch->getConditionVariable() != nullptr ||
        condition->HasSideEffects(program.context()) || !only_names(*condition) ||
        condition->getBeginLoc().isMacroID() || condition->getEndLoc().isMacroID()) {
      continue;
    }
    const SourceText text(program.context(), condition->getBeginLoc());
    const std::string words = text.between(condition->getBeginLoc(), condition->getEndLoc());
    if (!stays_the_same(program, statement, words)) continue;
    all.push_back(is_taken ? words : fmt::format("!({})", words));
  }
  if (all.size() < 2) return all.empty() ? std::string() : all.front();
  return fmt::format("({})", fmt::join(all, ") && ("));
}

}  // namespace

std::vector<Update> updates_in(const Program& program, const clang::Stmt& loop,
                               const clang::VarDecl& data, const std::vector<Mention>& mentions,
                               bool device_writes) {
  std::vector<Update> updates;
  const std::string name = data.getNameAsString();
  for (const Mention& mention : mentions) {
    const bool is_none = mention.use == Use::kNone || mention.use == Use::kPointer;
    if (is_none || mention.use == Use::kHanded) continue;
    const Place place = place_of(program.context(), *mention.at);
    if (mention.use == Use::kUnknown) throw Refusal(fmt::format("{} {}", name, mention.why), place);
    if (mention.use == Use::kRead && !device_writes) continue;
    const clang::Stmt* statement = statement_of(program, loop, *mention.at);
    const std::string why = in_the_way(program, loop, statement, mention);
    if (!why.empty()) throw Refusal(fmt::format("the host uses {} {}", name, why), place);
    // What is written is mostly a part: the rest has to be there before.
    const std::string condition = condition_of(program, *statement, *mention.at, data);
    const auto add = [&](bool from) {
      const auto is_same = [&](const Update& one) {
        return one.statement == statement && one.data == &data && one.from == from;
      };
      const auto is_known = [&](const Update& one) {
        return is_same(one) && (one.condition.empty() || one.condition == condition);
      };
      if (std::ranges::any_of(updates, is_known)) return;
      if (condition.empty()) std::erase_if(updates, is_same);
      updates.push_back({statement, &data, from, {}, condition});
    };
    if (device_writes) add(true);
    if (mention.use == Use::kRead) continue;
    if (llvm::isa<clang::ReturnStmt>(statement)) {
      throw Refusal(fmt::format("{} is changed by what is returned", name), place);
    }
    expect_end_is_reached(program, *statement);
    add(false);
  }
  return updates;
}

}  // namespace ompdm::edit
