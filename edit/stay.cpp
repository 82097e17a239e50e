#include "stay.h"

#include <clang/AST/Stmt.h>
#include <fmt/format.h>

#include <algorithm>

#include "answer.h"

namespace ompdm::edit {
namespace {

using llvm::dyn_cast;

class Spans {
 public:
  Spans(const Program& program, const Stay& stay) : program_(program), stay_(stay) {}

  /// The innermost block below a statement that leads to all directives; null of none.
  const clang::CompoundStmt* block_in(const clang::Stmt& statement) const {
    const clang::CompoundStmt* found = nullptr;
    const clang::Stmt* at = &statement;
    while (at != nullptr) {
      if (const auto* block = dyn_cast<clang::CompoundStmt>(at)) found = block;
      const clang::Stmt* inner = nullptr;
      for (const clang::Stmt* child : at->children()) {
        if (child != nullptr && leads_to_all(*child)) inner = child;
      }
      // A region's body is no place for directives that move data.
      const auto* directive = dyn_cast<clang::OMPExecutableDirective>(at);
      at = directive != nullptr && runs_on_device(*directive) ? nullptr : inner;
    }
    return found;
  }

  /// Functions that lead to all, and call none that does.
  std::vector<const clang::FunctionDecl*> innermost_functions() const {
    std::vector<const clang::FunctionDecl*> all;
    for (const clang::FunctionDecl* function : program_.functions()) {
      if (leads_to_all(*function->getBody())) all.push_back(function);
    }
    std::vector<const clang::FunctionDecl*> innermost;
    for (const clang::FunctionDecl* one : all) {
      const bool is_outer = std::ranges::any_of(all, [&](const clang::FunctionDecl* other) {
        return other != one && program_.leads_to(*one->getBody(), *other->getBody());
      });
      if (!is_outer) innermost.push_back(one);
    }
    return innermost;
  }

  [[nodiscard]] bool leads_to_any(const clang::Stmt& statement) const {
    return std::ranges::any_of(stay_.kept,
                               [&](const auto* one) { return program_.leads_to(statement, *one); });
  }

 private:
  [[nodiscard]] bool leads_to_all(const clang::Stmt& statement) const {
    return std::ranges::all_of(stay_.kept,
                               [&](const auto* one) { return program_.leads_to(statement, *one); });
  }

  const Program& program_;
  const Stay& stay_;
};

}  // namespace

Stay stay_of(const Program& program, const Finding& finding) {
  Stay stay;
  Place missing;
  for (const Edit& edit : finding.edits) {
    if (edit.kind == "keep") {
      for (const Place& place : edit.places) {
        const auto here = program.directives_at(place);
        stay.kept.insert(stay.kept.end(), here.begin(), here.end());
        stay.kept_places.push_back(place);
        if (here.empty()) missing = place;
      }
    }
    if (!is_around(edit) || edit.when != "always") continue;
    (edit.side == "before" ? stay.begin : stay.end).push_back(&edit);
    stay.is_of_loop = edit.of != "stay";
  }
  if (stay.begin.empty() != stay.end.empty()) {
    throw Refusal("the data enters or leaves the device elsewhere", {});
  }
  if (!stay.begin.empty() && !stay.kept.empty() && missing.line > 0) {
    throw Refusal("this directive is compiled elsewhere", missing);
  }
  return stay;
}

const clang::Stmt& loop_of(const Program& program, const Stay& stay) {
  const Place& place = stay.begin.front()->places.at(0);
  const clang::Stmt* loop = program.loop_at(place, stay.kept_places);
  if (loop == nullptr) {
    throw Refusal(
        "no for, while or do begins here that leads to all of its directives, as far as functions "
        "are "
        "seen",
        place);
  }
  return *loop;
}

Spanned span_of(const Program& program, const Stay& stay) {
  const Spans spans(program, stay);
  const auto functions = spans.innermost_functions();
  const Place& place = stay.kept_places.front();
  if (functions.size() != 1) {
    throw Refusal(functions.empty() ? "no function leads to all of its directives"
                                    : "several functions lead to its directives",
                  place);
  }
  const clang::CompoundStmt* block = spans.block_in(*functions.front()->getBody());
  std::vector<clang::Stmt*> statements(block->body_begin(), block->body_end());
  const auto leads = [&](const clang::Stmt* one) { return spans.leads_to_any(*one); };
  statements.erase(statements.begin(), std::ranges::find_if(statements, leads));
  while (!statements.empty() && !leads(statements.back())) statements.pop_back();
  if (statements.empty()) throw Refusal("no block leads to its directives", place);
  const bool is_alone =
      statements.size() == 1 && llvm::isa<clang::OMPExecutableDirective>(statements.front());
  if (is_alone)
    throw Refusal(
        "nothing in this function repeats this directive: around it alone nothing is spared",
        place);
  clang::Stmt* span = clang::CompoundStmt::Create(
      program.context(), statements, clang::FPOptionsOverride(), statements.front()->getBeginLoc(),
      statements.back()->getEndLoc());
  return {program.with_span(*span, *block), span};
}

}  // namespace ompdm::edit
