#include "insertions.h"

#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>

#include <algorithm>
#include <tuple>

#include "flow.h"

namespace ompdm::edit {

namespace {

bool is_label(const Stmt& statement) { return isa<clang::LabelStmt, clang::SwitchCase>(statement); }

/// Whether a statement is the whole body of a branch, a loop, a label or `target data`.
bool is_body(const Stmt& parent, const Stmt& statement) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&parent)) {
    return branch->getThen() == &statement || branch->getElse() == &statement;
  }
  if (const auto* label = dyn_cast<clang::LabelStmt>(&parent))
    return label->getSubStmt() == &statement;
  if (const auto* label = dyn_cast<clang::SwitchCase>(&parent))
    return label->getSubStmt() == &statement;
  const auto* data = dyn_cast<clang::OMPTargetDataDirective>(&parent);
  return body_of_loop(parent) == &statement ||
         (data != nullptr && data->hasAssociatedStmt() && data->getRawStmt() == &statement);
}

/// Whether a span (see kept_data.h) has a label: a jump to the label skips the statements before
/// it.
bool is_jumped_into(const Stmt& statement) {
  const auto* block = dyn_cast<clang::CompoundStmt>(&statement);
  return block != nullptr && std::ranges::any_of(block->body(), [](const Stmt* one) {
           return one != nullptr && is_label(*one);
         });
}

}  // namespace

Room room_around(const Program& program, const Stmt& statement) {
  if (statement.getBeginLoc().isMacroID() || statement.getEndLoc().isMacroID()) return Room::kNone;
  if (is_label(statement)) return Room::kNone;
  const Stmt* parent = program.parent_of(statement);
  if (isa_and_nonnull<clang::CompoundStmt>(parent)) return Room::kBlock;
  const bool is_in_body =
      parent != nullptr && !isa<clang::CompoundStmt, clang::DeclStmt>(statement);
  return is_in_body && is_body(*parent, statement) ? Room::kBraces : Room::kNone;
}

void expect_room_around(const Program& program, const Stmt& statement) {
  if (statement.getBeginLoc().isMacroID() || statement.getEndLoc().isMacroID()) {
    program.refuse(statement, "this comes from a macro");
  }
  if (is_jumped_into(statement)) program.refuse(statement, "a label stands in the way");
  if (room_around(program, statement) == Room::kNone) {
    program.refuse(statement, "no directive can stand around this");
  }
  expect_end_is_reached(program, statement);
}

const Directive* host_construct_around(const Program& program, const Stmt& use, const Stmt* code) {
  const Directive* found = nullptr;
  for (const Stmt* at = &use; at != nullptr && at != code; at = program.parent_of(*at)) {
    const auto* directive = dyn_cast<Directive>(at);
    const bool is_data = directive != nullptr && clang::isOpenMPTargetDataManagementDirective(
                                                     directive->getDirectiveKind());
    if (directive != nullptr && !is_data) found = directive;
  }
  return found;
}

const Stmt* place_of_update(const Program& program, const Stmt& use, const Stmt* code,
                            const Stmt* block, LeavesHost leaves_host) {
  const Directive* construct = host_construct_around(program, use, code);
  const Stmt* found = nullptr;
  const Stmt* at = construct == nullptr ? &use : construct;
  while (at != nullptr && at != code) {
    const bool is_further = found != nullptr;
    if (is_further && leaves_host(*at)) break;
    const bool is_wanted = !is_further || body_of_loop(*at) != nullptr;
    if (is_wanted && room_around(program, *at) != Room::kNone) found = at;
    const Stmt* parent = program.parent_of(*at);
    if (block != nullptr && parent == block) break;
    at = parent;
  }
  return found;
}

Insertions::Lines& Insertions::lines_of(const Program& program, const Stmt& statement) {
  SourceText text(program.context(), statement.getBeginLoc());
  const unsigned begin = text.offset_of(statement.getBeginLoc());
  const unsigned end = end_of_statement(text, statement);
  const auto known = std::ranges::find_if(all_, [&](const Lines& one) {
    return one.begin == begin && one.end == end && one.text.file() == text.file();
  });
  if (known != all_.end()) return *known;
  Braces braces;
  if (room_around(program, statement) == Room::kBraces) {
    const Stmt& around = *program.parent_of(statement);
    braces = text.indentation(text.offset_of(around.getBeginLoc()));
  }
  return all_.emplace_back(Lines{text, begin, end, braces, {}, {}});
}

namespace {

std::string indented(const SourceText& text, unsigned offset, const std::string& line,
                     bool is_indented) {
  return is_indented ? text.indentation(offset) + line : line;
}

void add_once(std::vector<std::string>& lines, std::string line) {
  // One function may be called with several of the data, which gives the same line.
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

}  // namespace

void Insertions::add_before(const Program& program, const Stmt& statement, const std::string& text,
                            bool is_indented) {
  Lines& at = lines_of(program, statement);
  add_once(at.before, indented(at.text, at.begin, text, is_indented));
}

void Insertions::add_behind(const Program& program, const Stmt& statement, const std::string& text,
                            bool is_indented) {
  Lines& at = lines_of(program, statement);
  add_once(at.behind, indented(at.text, at.begin, text, is_indented));
}

void Insertions::write(std::vector<Replacement>& replacements) const {
  std::vector<const Lines*> all;
  for (const Lines& one : all_) all.push_back(&one);
  // Where several statements begin together, the outer one's lines come first. Where several end
  // together, the inner one's lines come first.
  std::ranges::stable_sort(all, {}, [](const Lines* one) {
    return std::tuple(one->text.file(), one->begin, ~one->end);
  });
  for (const Lines* one : all) {
    if (!one->before.empty() || one->braces) {
      replacements.push_back(one->text.lines_before(one->begin, one->before, one->braces));
    }
  }
  std::ranges::reverse(all);
  for (const Lines* one : all) {
    if (!one->behind.empty() || one->braces) {
      replacements.push_back(one->text.lines_behind(one->end, one->behind, one->braces));
    }
  }
}

}  // namespace ompdm::edit
