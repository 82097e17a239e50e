#include "trail_code.h"

#include <algorithm>
#include <optional>
#include <set>

#include "outer_names.h"

namespace ompdm::edit {
namespace {

using StepKind = Step::Kind;

std::vector<const FunctionDecl*> functions_with_directives(const WholeProgram& program) {
  std::vector<const FunctionDecl*> all;
  for (const Program* unit : program.units()) {
    for (const FunctionDecl* function : unit->functions()) {
      if (function->isDependentContext()) continue;
      const auto directives = all_in<Directive>(function->getBody());
      const bool is_one = std::ranges::any_of(directives, [](const Directive* one) {
        return runs_on_device(*one) ||
               clang::isOpenMPTargetDataManagementDirective(one->getDirectiveKind());
      });
      if (is_one) all.push_back(function);
    }
  }
  return all;
}

/// Finds the code that a finding is about.
class CodeSearch {
 public:
  CodeSearch(const TrailOfAll& all, const Finding& finding) : all_(all), trail_(all.trail) {
    for (const Edit& edit : finding.edits) {
      const bool is_loop = is_around(edit) && edit.of != "stay";
      if (is_loop && loop_.line == 0)
        loop_ = edit.inside.line > 0 ? edit.inside : edit.places.at(0);
      const bool leads = edit.kind == "keep" || (edit.kind == "remove" && !edit.places.empty());
      if (!leads) continue;
      for (const Program* unit : all.program.units()) {
        for (const Place& place : edit.places) {
          for (const Directive* one : unit->directives_at(place)) directives_.insert(one);
        }
      }
    }
  }

  [[nodiscard]] Code found() const {
    if (directives_.empty())
      throw Refusal("none of its directives is in a source that is read", {});
    return loop_.line > 0 ? loop() : statements();
  }

 private:
  [[nodiscard]] Code loop() const {
    Code best;
    std::size_t most = 0;
    for (const Program* unit : all_.program.units()) {
      for (const Stmt* one : unit->loops_at(loop_)) {
        Code code{unit, one, {}, nullptr, {}};
        std::set<const Stmt*> held;
        for (const LoopSpan& span : all_.loops.all()) {
          if (span.loop != one) continue;
          const std::set<const Stmt*> here = directives_in(span);
          if (here.empty()) continue;
          held.insert(here.begin(), here.end());
          code.instances.push_back({span, trail_.steps[span.begin].call});
        }
        if (held.size() <= most) continue;
        most = held.size();
        best = std::move(code);
      }
    }
    if (best.unit == nullptr) {
      throw Refusal("no for, while or do begins here that leads to its directives", loop_);
    }
    return best;
  }

  [[nodiscard]] std::set<const Stmt*> directives_in(const Span& span) const {
    std::set<const Stmt*> here;
    for (std::uint32_t i = span.begin; i < span.end; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind == StepKind::kDirective && directives_.contains(step.at)) here.insert(step.at);
    }
    return here;
  }

  /// The statements from the first to the last that lead to the directives, in the innermost
  /// function that leads to all of them.
  [[nodiscard]] Code statements() const {
    std::map<std::uint32_t, std::set<const Stmt*>> led_to;  // by call
    std::map<std::uint32_t, std::vector<std::uint32_t>> steps;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kDirective || !directives_.contains(step.at)) continue;
      for (std::uint32_t call = step.call;; call = trail_.callers[call]) {
        led_to[call].insert(step.at);
        steps[call].push_back(i);
        if (call == 0) break;
      }
    }
    std::size_t most = 0;
    for (const auto& [call, held] : led_to) most = std::max(most, held.size());
    // An inner call has a higher number than the call around it.
    for (auto at = led_to.rbegin(); at != led_to.rend(); ++at) {
      if (at->second.size() == most) return in_call(at->first, steps.at(at->first));
    }
    throw Refusal("its directives are not reached", {});
  }

  [[nodiscard]] Code in_call(std::uint32_t call, const std::vector<std::uint32_t>& steps) const {
    Code code;
    std::vector<const Stmt*> parts;
    for (const std::uint32_t step : steps) {
      const Stmt* part = statement_in(step, call);
      if (part == nullptr) throw Refusal("the calls of its directives are not known", {});
      parts.push_back(part);
    }
    const FunctionDecl* function = nullptr;
    for (const Program* unit : all_.program.units()) {
      const FunctionDecl* its = unit->function_of(*parts.front());
      if (its == nullptr) continue;
      function = its;
      code.unit = unit;
    }
    if (code.unit == nullptr) throw Refusal("the source of its function is not known", {});
    const auto holds_all = [&](const Stmt& block) {
      return std::ranges::all_of(
          parts, [&](const Stmt* one) { return code.unit->is_within(*one, block); });
    };
    for (const Stmt* at = parts.front(); at != nullptr; at = code.unit->parent_of(*at)) {
      const auto* block = dyn_cast<clang::CompoundStmt>(at);
      if (block == nullptr || !holds_all(*block)) continue;
      code.block = block;
      break;
    }
    if (code.block == nullptr)
      code.unit->refuse(*parts.front(), "no block leads to its directives");
    for (const Stmt* one : code.block->body()) code.statements.push_back(one);
    const auto leads = [&](const Stmt* statement) {
      return std::ranges::any_of(
          parts, [&](const Stmt* one) { return code.unit->is_within(*one, *statement); });
    };
    code.statements.erase(code.statements.begin(), std::ranges::find_if(code.statements, leads));
    while (!leads(code.statements.back())) code.statements.pop_back();
    const bool is_alone = code.statements.size() == 1 && isa<Directive>(code.statements.front());
    if (is_alone) {
      code.unit->refuse(*code.statements.front(),
                        "this directive alone uses the data: around it as much is copied");
    }
    add_instances(function, code);
    return code;
  }

  void add_instances(const FunctionDecl* function, Code& code) const {
    for (std::uint32_t call = 0; call < trail_.callers.size(); ++call) {
      const bool is_it =
          call == 0 ? trail_.called.size() == 1 || function == nullptr || function->isMain()
                    : trail_.called[call] == function->getCanonicalDecl();
      if (!is_it) continue;
      std::optional<Span> span;
      for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
        const Stmt* part = all_.loops.is_in_call(i, call) ? statement_in(i, call) : nullptr;
        const bool is_within =
            part != nullptr && std::ranges::any_of(code.statements, [&](const Stmt* one) {
              return code.unit->is_within(*part, *one);
            });
        if (!is_within) continue;
        if (!span) span = Span{i, i + 1};
        span->end = i + 1;
      }
      if (span) code.instances.push_back({*span, call});
    }
  }

  /// The statement of a call's function that leads to a step, directly or by calls. Null: none.
  [[nodiscard]] const Stmt* statement_in(std::uint32_t step, std::uint32_t call) const {
    const Stmt* at = trail_.steps[step].at;
    for (std::uint32_t in = trail_.steps[step].call; in != call; in = trail_.callers[in]) {
      if (in == 0) return nullptr;
      at = trail_.calls[in];
    }
    return at;
  }

  const TrailOfAll& all_;
  const Trail& trail_;
  Place loop_;
  std::set<const Stmt*> directives_;
};

}  // namespace

TrailOfAll::TrailOfAll(const WholeProgram& whole)
    : program(whole),
      motions(motions_of(whole, asked, true)),
      trail(walk_.of_program(whole, asked, functions_with_directives(whole))),
      loops(trail) {}

Code code_of(const TrailOfAll& all, const Finding& finding) {
  return CodeSearch(all, finding).found();
}

}  // namespace ompdm::edit
