#include "trail_residence.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "copies.h"
#include "data_uses.h"
#include "flow.h"
#include "names.h"
#include "outer_names.h"
#include "ways.h"

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

/// One time that the code is run.
struct Instance {
  Span span;
  std::uint32_t call = 0;  ///< of the function that the code is in
};

struct Code {
  const Program* unit = nullptr;
  const Stmt* loop = nullptr;           ///< null: statements
  std::vector<const Stmt*> statements;  ///< of `block`, in order
  const clang::CompoundStmt* block = nullptr;
  std::vector<Instance> instances;
};

/// Finds the code that a finding speaks of.
class CodeSearch {
 public:
  CodeSearch(const TrailOfAll& all, const Finding& finding) : all_(all), trail_(all.trail) {
    for (const Edit& edit : finding.edits) {
      const bool is_loop = is_around(edit) && edit.of != "stay";
      if (is_loop && loop_.line == 0)
        loop_ = edit.inside.line > 0 ? edit.inside : edit.places.at(0);
      const bool leads = edit.kind == "keep" || (edit.kind == "remove" && edit.places.size() > 0);
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

  /// From the first to the last statement that leads to the directives, of the innermost function
  /// that leads to all of them.
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
    // A call has a higher number than the one that it is in.
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
      if (part == nullptr) throw Refusal("its directives are called in a way that is not seen", {});
      parts.push_back(part);
    }
    const FunctionDecl* function = nullptr;
    for (const Program* unit : all_.program.units()) {
      const FunctionDecl* its = unit->function_of(*parts.front());
      if (its == nullptr) continue;
      function = its;
      code.unit = unit;
    }
    if (code.unit == nullptr) throw Refusal("its function is not seen", {});
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
      code.unit->refuse(*code.statements.front(), "around this directive alone nothing is spared");
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

  /// The statement of a call's function that a step is of, be it by calls in it; null of none.
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

/// Data that is to be kept: one piece of storage, or several whose pointers are exchanged.
struct Datum {
  std::vector<OuterItem> names;        ///< in the names of the code
  const Expr* own = nullptr;           ///< an item of the code's own function that is it
  std::vector<Item> asked;             ///< of the finding
  std::vector<std::set<Path>> paths;   ///< by instance
  std::vector<const Naming*> namings;  ///< in the code

  /// "u[0:n], v[0:n]".
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const OuterItem& one : names) all += (all.empty() ? "" : ", ") + one.text;
    return all;
  }
};

/// An update that is to be written, of one datum.
using HostPlace = std::pair<const Stmt*, std::uint32_t>;

/// What is known on a way through the code.
struct State {
  bool host_is_old = false;
  const Stmt* to_send = nullptr;  ///< the host's statement whose changes the device lacks
  int present = 0;                ///< mappings by the program's own directives
  bool wrote = false;             ///< a kernel did, since `present` was 0

  auto operator<=>(const State&) const = default;
};

/// Where updates of one datum go.
struct UpdatePlaces {
  struct One {
    const Program* unit = nullptr;
    std::string item;
    std::string condition;
    bool from = false;
    bool to = false;
  };
  std::map<const Stmt*, One> all;
  bool is_written = false;  ///< by a kernel
  bool returns = false;     ///< the host's copy is old at the end
};

/// Statements that lead to a device.
class Offloading {
 public:
  Offloading(const TrailOfAll& all, const Span& span) {
    const Trail& trail = all.trail;
    for (std::uint32_t i = span.begin; i < span.end; ++i) {
      const Step& step = trail.steps[i];
      if (step.kind != StepKind::kDirective) continue;
      const Stmt* at = step.at;
      for (std::uint32_t call = step.call;; call = trail.callers[call]) {
        const FunctionDecl* function = call == 0 ? nullptr : trail.called[call];
        const FunctionDecl* defined =
            function == nullptr ? nullptr : all.program.definition_of(*function);
        const Program* unit =
            call == 0
                ? unit_of(all.program, trail.steps[i].context())
                : (defined == nullptr ? nullptr : unit_of(all.program, &defined->getASTContext()));
        for (const Program* one : all.program.units()) {
          if (unit != nullptr && one != unit && call != 0) continue;
          for (const Stmt* around = at; around != nullptr && statements_.insert(around).second;) {
            around = one->parent_of(*around);
          }
        }
        if (call == 0) break;
        at = trail.calls[call];
        if (at == nullptr) break;
      }
    }
  }

  [[nodiscard]] bool holds(const Stmt& statement) const { return statements_.contains(&statement); }

 private:
  std::set<const Stmt*> statements_;
};

/// Steps that may be of some data, though no source shows it.
struct Doubtful {
  std::map<Path, std::uint32_t> pointers;  ///< what they lead to, and the first step that follows
  std::set<std::uint32_t> unseen;          ///< code that is not seen may use the data there
  /// Where data is allocated that the code may be come to without.
  std::map<std::string, std::uint32_t> allocated;
  /// Items whose bounds are set there.
  std::map<std::string, std::uint32_t> bounds;
};

/// Goes all ways through the code, and finds where copies of one datum have to be made the same.
class Flow : public WaysThrough<State> {
 public:
  Flow(const TrailOfAll& all, const Code& code, const Instance& instance, const Datum& datum,
       const std::set<Path>& paths, bool is_there, const std::set<const Directive*>& idle,
       const Offloading& offloading, UpdatePlaces& places, Doubtful& doubtful)
      : WaysThrough(all.trail, all.loops),
        all_(all),
        code_(code),
        instance_(instance),
        datum_(datum),
        paths_(paths),
        is_there_(is_there),
        idle_(idle),
        offloading_(offloading),
        places_(places),
        doubtful_(doubtful) {
    for (const Naming& naming : trail_.namings) {
      if (instance.span.holds(naming.step) && is_of_data(naming.places)) {
        namings_[naming.step].push_back(&naming);
      }
    }
  }

  void go() {
    const State begin{false, nullptr, is_there_ ? 1 : 0, false};
    const auto loop = std::ranges::find_if(loops_.all(), [&](const LoopSpan& one) {
      return code_.loop != nullptr && one.begin == instance_.span.begin;
    });
    const Ways ways = loop != loops_.all().end()
                          ? through(*loop, {begin})
                          : run(instance_.span.begin, instance_.span.end, {begin});
    for (const State& one : ways) places_.returns = places_.returns || one.host_is_old;
    if (!places_.returns && !is_there_) return;
    for (const State& one : ways) send(one);
  }

 private:
  [[noreturn]] void refuse(const Step& step, const std::string& why) const {
    throw Refusal(why, step.context() == nullptr ? Place() : place_of(*step.context(), *step.at));
  }

  /// Whether a step is an access of the data; one that is not certain is noted.
  [[nodiscard]] bool is_of_data(std::uint32_t number) const {
    const Access& access = trail_.accesses[trail_.steps[number].access];
    const bool may_be = std::ranges::any_of(
        paths_, [&](const Path& path) { return trail_.may_be_of(access, path); });
    if (!may_be) {
      const bool may_be_its = std::ranges::any_of(
          paths_, [&](const Path& path) { return may_be_same(access.path, path); });
      if (may_be_its) doubtful_.pointers.emplace(access.path, number);
      return false;
    }
    if (access.reach == Access::Reach::kAny && !access.by.root.isNull()) {
      // By its own name it is a step of its own.
      const bool is_own = std::ranges::any_of(
          paths_, [&](const Path& path) { return access.by.is_same_storage(path); });
      if (!is_own) doubtful_.pointers.emplace(access.by, number);
      return false;
    }
    const bool is_unseen = access.reach == Access::Reach::kAny ||
                           access.reach == Access::Reach::kEscaped ||
                           access.reach == Access::Reach::kDeclared;
    if (is_unseen) doubtful_.unseen.insert(number);
    return !is_unseen;
  }
  [[nodiscard]] bool is_of_data(const Places& places) const {
    return std::ranges::any_of(places.paths,
                               [&](const Path& path) { return paths_.contains(path); });
  }

  std::uint32_t take(std::uint32_t number, std::uint32_t end, Ways& ways) override {
    const Step& step = trail_.steps[number];
    switch (step.kind) {
      case StepKind::kJump:
        if (goes_anywhere(step) && !is_harmless_jump(number)) refuse(step, "this jumps away");
        break;
      case StepKind::kDirective:
        if (runs_on_device(*cast<Directive>(step.at)) && has_own_code(*cast<Directive>(step.at))) {
          return run_region(number, end, ways);
        }
        come_by(number, ways);
        break;
      case StepKind::kDirectiveEnd:
        end_block(step, ways);
        break;
      case StepKind::kMade:
      case StepKind::kGone:
        if (is_of_data(number)) {
          refuse(step, fmt::format("the storage of {} is made or freed here", datum_.text()));
        }
        break;
      case StepKind::kAccess:
        if (!step.on_device) use_on_host(number, ways);
        break;
      case StepKind::kDevice:
        refuse(step, "this chooses another device");
      default:
        break;
    }
    return number;
  }

  /// Whether a `goto` of a function that is called leads past nothing that has to do with the data.
  [[nodiscard]] bool is_harmless_jump(std::uint32_t number) const {
    const Step& jump = trail_.steps[number];
    if (!isa<clang::GotoStmt>(jump.at) || jump.call == instance_.call) return false;
    const auto is_of_it = [&](std::uint32_t i) {
      const Step& step = trail_.steps[i];
      if (step.kind == StepKind::kDirective) return true;
      return step.kind == StepKind::kAccess && is_of_data(i);
    };
    std::uint32_t first = number;
    while (first > 0 && loops_.is_in_call(first - 1, jump.call)) --first;
    for (std::uint32_t i = first; i < instance_.span.end; ++i) {
      if (!loops_.is_in_call(i, jump.call)) break;
      if (is_of_it(i)) return false;
    }
    return true;
  }

  void send(const State& one) {
    if (one.to_send != nullptr) places_.all.at(one.to_send).to = true;
  }

  void use_on_host(std::uint32_t number, Ways& ways) {
    const Step& step = trail_.steps[number];
    const Access& access = trail_.accesses[step.access];
    if (!is_of_data(number)) return;
    if (step.is_late)
      refuse(step, fmt::format("a task uses {}, at a time of its own", datum_.text()));
    // A pointer that is set there is no use of what it leads to.
    const Stmt* at = place_for(number, access.use);
    UpdatePlaces::One& place = places_.all.at(at);
    const bool writes = access.use != Use::kRead;
    Ways after;
    for (State one : ways) {
      if (one.host_is_old) {
        place.from = true;
        one.host_is_old = false;
      }
      if (writes) one.to_send = at;
      after.insert(one);
    }
    ways = std::move(after);
  }

  // --- Places for updates ---

  /// The statement beside which updates of a use go, with the data's name there.
  const Stmt* place_for(std::uint32_t number, Use use) {
    const Step& step = trail_.steps[number];
    const auto [known, is_new] = place_of_.try_emplace({step.at, step.call}, nullptr);
    if (!is_new && known->second != nullptr) return known->second;
    std::string why;
    const Stmt* at = step.at;
    for (std::uint32_t call = step.call;; call = trail_.callers[call]) {
      const bool is_home = call == instance_.call;
      const FunctionDecl* function = is_home ? nullptr : trail_.called[call];
      const Program* unit = is_home ? code_.unit : unit_of_function(function);
      if (unit != nullptr && at != nullptr) {
        const Stmt* place = statement_of(*unit, *at, is_home);
        why = in_the_way(*unit, place, *at, use);
        if (why.empty()) {
          const std::string item = name_at(*unit, *place, call);
          if (!item.empty()) {
            UpdatePlaces::One& one = places_.all[place];
            if (one.unit != nullptr && one.item != item) {
              refuse(step, fmt::format("{} and {} are used in one statement", one.item, item));
            }
            const std::string condition = condition_of(*unit, *place, *at);
            if (one.unit == nullptr) one.condition = condition;
            if (one.condition != condition) one.condition.clear();
            one.unit = unit;
            one.item = item;
            return known->second = place;
          }
          why = "where it has no name";
        }
      }
      if (is_home || call == 0) break;
      at = trail_.calls[call];
    }
    refuse(step,
           fmt::format("the host uses {} {}", datum_.text(),
                       why.empty() ? "in code that is called in a way that is not seen" : why));
  }

  [[nodiscard]] const Program* unit_of_function(const FunctionDecl* function) const {
    const FunctionDecl* defined =
        function == nullptr ? nullptr : all_.program.definition_of(*function);
    return defined == nullptr ? nullptr : unit_of(all_.program, &defined->getASTContext());
  }

  [[nodiscard]] bool is_within_code(const Program& unit, const Stmt& statement) const {
    if (code_.loop != nullptr) return unit.is_within(statement, *code_.loop);
    return std::ranges::any_of(code_.statements,
                               [&](const Stmt* one) { return unit.is_within(statement, *one); });
  }

  /// A construct of the host's that the use is in, the outermost one; null of none.
  [[nodiscard]] const Directive* construct_around(const Program& unit, const Stmt& use) const {
    const Directive* found = nullptr;
    for (const Stmt* at = &use; at != nullptr; at = unit.parent_of(*at)) {
      if (at == code_.loop) break;
      const auto* directive = dyn_cast<Directive>(at);
      const bool is_data = directive != nullptr && clang::isOpenMPTargetDataManagementDirective(
                                                       directive->getDirectiveKind());
      if (directive != nullptr && !is_data) found = directive;
    }
    return found;
  }

  /// A statement in a block, as far out as loops that leave the device alone allow.
  [[nodiscard]] const Stmt* statement_of(const Program& unit, const Stmt& use, bool is_home) const {
    const Directive* construct = construct_around(unit, use);
    const Stmt* found = nullptr;
    const Stmt* at = construct == nullptr ? &use : construct;
    while (at != nullptr && at != code_.loop) {
      const Stmt* parent = unit.parent_of(*at);
      if (parent == nullptr) return found;
      if (isa<clang::CompoundStmt>(parent)) {
        const bool is_first = found == nullptr;
        const bool goes_further =
            !is_first && body_of_loop(*at) != nullptr && !offloading_.holds(*at);
        if (!is_first && !goes_further) return found;
        found = at;
        if (is_home && parent == code_.block) return found;
      } else if (found != nullptr && body_of_loop(*parent) == nullptr) {
        return found;
      }
      at = parent;
    }
    return found;
  }

  [[nodiscard]] std::string in_the_way(const Program& unit, const Stmt* place, const Stmt& use,
                                       Use kind) const {
    if (place == nullptr || isa<clang::SwitchCase, clang::LabelStmt>(place)) {
      return "where no directive can stand: put braces around it";
    }
    if (place->getBeginLoc().isMacroID()) return "in a macro";
    const SourceText text(unit.context(), place->getBeginLoc());
    const unsigned begin = text.offset_of(place->getBeginLoc());
    if (!text.begins_line(begin) || !text.ends_line(end_of_statement(text, *place))) {
      return "in a line that holds other code: give it a line of its own";
    }
    if (const auto* construct = construct_around(unit, use)) {
      const auto kind_of = construct->getDirectiveKind();
      if (clang::isOpenMPTaskingDirective(kind_of) ||
          construct->hasClausesOfKind<clang::OMPNowaitClause>()) {
        return "in a task, at a time of its own";
      }
    }
    if (!offloading_.holds(*place)) {
      if (kind == Use::kRead) return {};
      if (isa<clang::ReturnStmt>(place)) return "in what it returns";
      try {
        expect_end_is_reached(unit, *place);
      } catch (const Refusal& refusal) {
        return fmt::format("in a statement that may be left: {}", refusal.what());
      }
      return {};
    }
    const auto* branch = dyn_cast<clang::IfStmt>(place);
    const bool is_asked_first =
        branch != nullptr && kind == Use::kRead && branch->getCond() != nullptr &&
        unit.is_within(use, *branch->getCond()) && !offloading_.holds(*branch->getCond());
    return is_asked_first ? "" : "in a statement that runs regions on a device, too";
  }

  /// All of the data by a name of that place; empty: it has none, or is other data at times.
  [[nodiscard]] std::string name_at(const Program& unit, const Stmt& place,
                                    std::uint32_t call) const {
    if (call == instance_.call) {
      const bool is_named = datum_.own == nullptr || is_visible_at(unit, *datum_.own, place);
      return is_named && is_reached_here_alone(unit, place) ? datum_.text() : std::string();
    }
    if (!is_reached_here_alone(unit, place)) return {};
    for (const Naming* naming : datum_.namings) {
      const Step& step = trail_.steps[naming->step];
      if (step.call != call || !is_of_data(naming->places)) continue;
      const Expr& item = *all_.motions.at(naming->item).item;
      if (is_visible_at(unit, item, place) && is_all(*naming)) return text_of(unit.context(), item);
    }
    return {};
  }

  /// Whether an item names as much as the datum: it is one of those that were asked about.
  [[nodiscard]] bool is_all(const Naming& naming) const {
    const Motion& motion = all_.motions.at(naming.item);
    return motion.kind == Motion::Kind::kMapped;
  }

  /// Whether the statement is run in the code alone, and in each call by the same data.
  [[nodiscard]] bool is_reached_here_alone(const Program& unit, const Stmt& place) const {
    if (unit.is_within(place, *code_of_home()) && &unit == code_.unit) return true;
    const FunctionDecl* function = unit.function_of(place);
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (step.function == nullptr || function == nullptr ||
          step.function->getCanonicalDecl() != function->getCanonicalDecl()) {
        continue;
      }
      const bool is_inside = std::ranges::any_of(
          code_.instances, [&](const Instance& one) { return one.span.holds(i); });
      if (!is_inside) return false;
    }
    // Calls with other data are not told apart.
    std::set<std::uint32_t> calls;
    for (const Naming& naming : trail_.namings) {
      const Step& step = trail_.steps[naming.step];
      if (step.function == nullptr || function == nullptr ||
          step.function->getCanonicalDecl() != function->getCanonicalDecl()) {
        continue;
      }
      calls.insert(step.call);
    }
    return std::ranges::all_of(calls, [&](std::uint32_t call) {
      return std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
        const bool is_of_an_instance =
            std::ranges::any_of(datum_.paths, [&](const std::set<Path>& paths) {
              return std::ranges::any_of(naming.places.paths,
                                         [&](const Path& path) { return paths.contains(path); });
            });
        return trail_.steps[naming.step].call == call && is_of_an_instance;
      });
    });
  }

  [[nodiscard]] const Stmt* code_of_home() const {
    return code_.loop != nullptr ? code_.loop : code_.block;
  }

  // --- Directives ---

  void expect_plain(const Step& step, const Directive& directive) const {
    const Program* unit = unit_of(all_.program, step.context());
    if (step.is_late || unit == nullptr || runs_beside(*unit, directive) ||
        directive.hasClausesOfKind<clang::OMPDependClause>()) {
      refuse(step, "this runs beside the host");
    }
    if (device_condition(directive) != nullptr) refuse(step, "this runs on a device at times");
    const auto* device = directive.getSingleClause<clang::OMPDeviceClause>();
    if (device != nullptr &&
        !written(*device->getDevice()).getIntegerConstantExpr(unit->context())) {
      refuse(step, "this chooses its device");
    }
  }

  void come_by(std::uint32_t number, Ways& ways) {
    const Step& step = trail_.steps[number];
    const auto named = namings_.find(number);
    if (named == namings_.end()) return;
    const auto& directive = *cast<Directive>(step.at);
    expect_plain(step, directive);
    for (const Naming* naming : named->second) {
      const auto motion = all_.motions.find(naming->item);
      if (motion != all_.motions.end()) move(step, motion->second, ways);
    }
  }

  void move(const Step& step, const Motion& motion, Ways& ways) {
    const auto& directive = *motion.directive;
    if (motion.kind == Motion::Kind::kMapped) {
      if (!motion.is_plain) refuse(step, "this copies it always, or deletes it");
      if (has_own_code(directive)) blocks_[&directive].push_back(&motion);
      const bool ends = directive.getDirectiveKind() == llvm::omp::OMPD_target_exit_data;
      ends ? leave(step, motion, ways) : enter(ways);
      return;
    }
    if (idle_.contains(&directive)) return;
    Ways after;
    for (State one : ways) {
      if (motion.kind == Motion::Kind::kTo && one.host_is_old) {
        refuse(step,
               fmt::format("this update sends {}, which a kernel has changed", datum_.text()));
      }
      send(one);
      after.insert(one);
    }
    ways = std::move(after);
  }

  void enter(Ways& ways) const {
    Ways after;
    for (State one : ways) {
      one.present = std::min(one.present + 1, kMostCounted);
      after.insert(one);
    }
    ways = std::move(after);
  }

  void leave(const Step& step, const Motion& motion, Ways& ways) const {
    Ways after;
    for (State one : ways) {
      if (one.present > 0 && one.present < kMostCounted && --one.present == 0) {
        if (one.wrote && !motion.returns) {
          refuse(step, fmt::format("what a kernel does to {} is dropped here", datum_.text()));
        }
        one.wrote = false;
      }
      after.insert(one);
    }
    ways = std::move(after);
  }

  void end_block(const Step& step, Ways& ways) {
    const auto block = blocks_.find(cast<Directive>(step.at));
    if (block == blocks_.end()) return;
    for (const Motion* motion : block->second) leave(step, *motion, ways);
    blocks_.erase(block);
  }

  std::uint32_t run_region(std::uint32_t number, std::uint32_t end, Ways& ways) {
    const Step& begin = trail_.steps[number];
    const auto& region = *cast<Directive>(begin.at);
    bool reads = false;
    bool writes = false;
    std::uint32_t last = number + 1;
    for (; last + 1 < end; ++last) {
      const Step& step = trail_.steps[last];
      if (step.kind == StepKind::kDirectiveEnd && step.at == begin.at) break;
      if (step.kind != StepKind::kAccess || !step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      if (!is_of_data(last)) continue;
      reads = reads || access.use != Use::kWrite;
      writes = writes || access.use != Use::kRead;
    }
    const auto named = namings_.find(number);
    if (!reads && !writes && named == namings_.end()) return last;
    expect_plain(begin, region);
    std::vector<const Motion*> motions;
    if (named != namings_.end()) {
      for (const Naming* naming : named->second) {
        const auto motion = all_.motions.find(naming->item);
        if (motion == all_.motions.end()) continue;
        if (!motion->second.is_plain) refuse(begin, "this copies it always, or deletes it");
        motions.push_back(&motion->second);
      }
    }
    for (std::size_t i = 0; i < motions.size(); ++i) enter(ways);
    Ways after;
    for (State one : ways) {
      if (reads || writes) {
        send(one);
        one.to_send = nullptr;
      }
      if (writes) {
        one.host_is_old = true;
        one.wrote = true;
        places_.is_written = true;
      }
      after.insert(one);
    }
    ways = std::move(after);
    for (const Motion* motion : motions) leave(begin, *motion, ways);
    return last;
  }

  const TrailOfAll& all_;
  const Code& code_;
  const Instance& instance_;
  const Datum& datum_;
  const std::set<Path>& paths_;
  bool is_there_;
  const std::set<const Directive*>& idle_;
  const Offloading& offloading_;
  UpdatePlaces& places_;
  Doubtful& doubtful_;
  std::map<std::uint32_t, std::vector<const Naming*>> namings_;
  std::map<const Directive*, std::vector<const Motion*>> blocks_;
  std::map<std::pair<const Stmt*, std::uint32_t>, const Stmt*> place_of_;
};

class Keeper {
 public:
  Keeper(const TrailOfAll& all, const Finding& finding, bool may_assume)
      : all_(all), trail_(all.trail), finding_(finding), may_assume_(may_assume) {}

  Keeping made() {
    if (!trail_.lost.empty() && (!may_assume_ || !trail_.is_complete)) {
      throw Refusal("what the program does is not certain: " + trail_.lost, {});
    }
    code_ = CodeSearch(all_, finding_).found();
    const Program& unit = *code_.unit;
    Stay stay = stay_in(unit);
    const Stmt* code = code_.loop;
    std::optional<Program> spanned;
    if (code == nullptr) {
      std::vector<Stmt*> statements;
      for (const Stmt* one : code_.statements) statements.push_back(const_cast<Stmt*>(one));
      Stmt* span = clang::CompoundStmt::Create(
          unit.context(), statements, clang::FPOptionsOverride(), statements.front()->getBeginLoc(),
          statements.back()->getEndLoc());
      spanned.emplace(unit.with_span(*span, *code_.block));
      code = span;
    }
    const Program& program = spanned ? *spanned : unit;
    expect_room_around(program, *code);
    expect_no_other_way_out(program, *code, has_global());
    expect_one_thread();
    first_ = code_.loop != nullptr ? code_.loop : code_.statements.front();
    Keeping keeping{program, code, std::move(stay), {}, {}, {}, {}};
    for (const Item& item : items_of(keeping.stay)) {
      try {
        add(item);
      } catch (const Refusal& refusal) {
        keeping.left_out.push_back({item, refusal.what(), refusal.at()});
      }
    }
    keep_all(keeping);
    if (keeping.residence.data.empty()) {
      if (keeping.left_out.empty()) throw Refusal("none of its data is named there", {});
      throw Refusal(keeping.left_out.front().why, keeping.left_out.front().in_the_way);
    }
    keeping.assumed = assumed();
    const std::vector<int>& devices = keeping.stay.first().devices;
    if (devices.size() > 1) unit.refuse(*code, "the data is on several devices");
    keeping.residence.device = devices.empty() ? 0 : devices.front();
    return keeping;
  }

 private:
  /// The finding's edits; of directives those of the code's own unit.
  [[nodiscard]] Stay stay_in(const Program& unit) const {
    Stay stay;
    const auto is_update = [](const Edit& edit) { return edit.directive == "target update"; };
    stay.is_of_loop = code_.loop != nullptr;
    stay.is_there =
        std::ranges::any_of(finding_.edits,
                            [&](const Edit& one) { return is_around(one) && is_update(one); }) &&
        std::ranges::none_of(finding_.edits,
                             [&](const Edit& one) { return is_around(one) && !is_update(one); });
    for (const Edit& edit : finding_.edits) {
      if (edit.kind == "keep" || (edit.kind == "remove" && stay.is_there)) {
        for (const Place& place : edit.places) {
          const auto here = unit.directives_at(place);
          stay.kept.insert(stay.kept.end(), here.begin(), here.end());
        }
      }
      if (!is_around(edit)) continue;
      if (edit.when != "always") {
        if (stay.is_there) stay.within.push_back(&edit);
        continue;
      }
      (edit.side == "before" ? stay.begin : stay.end).push_back(&edit);
    }
    if (stay.begin.empty() != stay.end.empty() && !stay.is_there) {
      throw Refusal("the data enters or leaves the device elsewhere", {});
    }
    return stay;
  }

  /// Whether some of what is mapped in the code lives as long as the program.
  [[nodiscard]] bool has_global() const {
    return std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
      const bool is_inside = std::ranges::any_of(
          code_.instances, [&](const Instance& one) { return one.span.holds(naming.step); });
      const auto is_global = [](const Path& path) {
        const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
        return variable != nullptr && variable->hasGlobalStorage();
      };
      return is_inside && (std::ranges::any_of(naming.places.paths, is_global) ||
                           std::ranges::any_of(naming.pointers, is_global));
    });
  }

  void expect_one_thread() const {
    for (const Instance& instance : code_.instances) {
      for (const LoopSpan& loop : all_.loops.all()) {
        if (!isa<Directive>(loop.loop)) continue;
        const bool has_some = loop.begin < instance.span.end && instance.span.begin < loop.end;
        if (!has_some) continue;
        const bool is_around_it = loop.holds(instance.span);
        const bool offloads = std::any_of(
            trail_.steps.begin() + loop.begin, trail_.steps.begin() + loop.end,
            [](const Step& one) { return one.kind == StepKind::kDirective && !one.on_device; });
        const Step& begin = trail_.steps[loop.begin];
        const bool is_of_region = begin.on_device || runs_on_device(*cast<Directive>(loop.loop));
        if (!is_of_region && (is_around_it || offloads)) {
          throw Refusal("other threads may run beside it", place_of(*begin.context(), *begin.at));
        }
      }
    }
  }

  /// Looks for what an item stands for: a function that is called with several data has one for
  /// each of its calls.
  void add(const Item& item) {
    bool is_reached = false;
    for (std::size_t i = 0; i < code_.instances.size(); ++i) {
      const Instance& instance = code_.instances[i];
      for (const Naming& naming : trail_.namings) {
        if (!instance.span.holds(naming.step) || !is_it(naming, item)) continue;
        is_reached = true;
        const bool is_known = !naming.places.is_any || may_assume_;
        if (!is_known || naming.places.paths.empty()) {
          refuse(naming, "what {} leads to is not known", item.expression);
        }
        const bool is_moved =
            moves(naming, instance, item) || is_of_mapped_object(naming, instance);
        Datum found;
        found.asked.push_back(item);
        found.paths.resize(code_.instances.size());
        found.paths[i] = naming.places.paths;
        expect_memory(naming, instance, item);
        found.names.push_back(name_of(naming, instance, is_moved));
        if (trail_.steps[naming.step].call == instance.call && !is_moved) {
          found.own = all_.motions.at(naming.item).item;
        }
        merge(std::move(found), i);
      }
    }
    if (!is_reached) {
      throw Refusal(fmt::format("{} is not reached in the code", item.expression), item.named_at);
    }
  }

  /// Data that has storage in common is one; `instance` is that in which it was found.
  void merge(Datum found, std::size_t instance) {
    const std::string text = found.names.front().text;
    for (Datum& known : data_) {
      const bool has_common = std::ranges::any_of(found.paths[instance], [&](const Path& path) {
        return known.paths[instance].contains(path);
      });
      const bool has_name =
          std::ranges::any_of(known.names, [&](const OuterItem& one) { return one.text == text; });
      if (!has_common && !has_name) continue;
      const bool is_one = known.names.size() == 1 && found.paths[instance].size() == 1 &&
                          known.paths[instance].size() < 2;
      if (is_one && !are_alike(known.names.front().text, text)) {
        throw Refusal(fmt::format("both {} and {} are mapped here", known.names.front().text, text),
                      found.asked.front().named_at);
      }
      if (!has_name && !is_one) known.names.push_back(found.names.front());
      if (!is_one) known.own = nullptr;
      known.paths[instance].insert(found.paths[instance].begin(), found.paths[instance].end());
      const Item& item = found.asked.front();
      const bool is_asked = std::ranges::any_of(known.asked, [&](const Item& one) {
        return one.expression == item.expression && one.named_at.line == item.named_at.line &&
               one.named_at.file == item.named_at.file;
      });
      if (!is_asked) known.asked.push_back(item);
      return;
    }
    data_.push_back(std::move(found));
  }

  /// Whether two texts name as much.
  [[nodiscard]] bool are_alike(std::string one, std::string other) const {
    if (one == other) return true;
    const auto section = [](std::string& text) {
      std::erase(text, ' ');
      const std::size_t at = text.find('[');
      return at == std::string::npos ? std::string() : text.substr(at);
    };
    const std::string left = section(one);
    const std::string right = section(other);
    if (left == right) return true;
    try {
      return are_same_extents(*code_.unit, *first_, left, right);
    } catch (const Refusal&) {
      return false;
    }
  }

  template <class... Values>
  [[noreturn]] void refuse(const Naming& naming, fmt::format_string<const Values&...> why,
                           const Values&... values) const {
    const Step& step = trail_.steps[naming.step];
    throw Refusal(fmt::format(why, values...), place_of(*step.context(), *step.at));
  }

  [[nodiscard]] bool is_it(const Naming& naming, const Item& item) const {
    const auto motion = all_.motions.find(naming.item);
    if (motion == all_.motions.end()) return false;
    const Step& step = trail_.steps[naming.step];
    const Place at = place_of(*step.context(), *step.at);
    return at.line == item.named_at.line && is_same_file(at.file, item.named_at.file) &&
           is_called(*step.context(), *motion->second.item, item.expression);
  }

  OuterItem name_of(const Naming& naming, const Instance& instance, bool is_moved) {
    const Step& step = trail_.steps[naming.step];
    return in_names_of(all_.program, trail_, *all_.motions.at(naming.item).item, step.call,
                       is_moved, {*first_, instance.call, *code_.unit, declared_});
  }

  /// Whether what a path leads to is, or holds, a pointer.
  [[nodiscard]] static bool is_pointer(const Path& path) {
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    if (path.steps.empty()) return variable != nullptr && holds_pointers(variable->getType());
    return path.steps.back() == nullptr || holds_pointers(path.steps.back()->getType());
  }

  /// What is allocated under a condition may have no memory in another run.
  void expect_memory(const Naming& naming, const Instance& instance, const Item& item) {
    for (std::uint32_t i = 0; i < instance.span.begin; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kMade) continue;
      const Path& made = trail_.accesses[step.access].path;
      const bool is_its =
          isa_and_nonnull<const Allocation*>(made.root) && naming.places.paths.contains(made);
      const std::uint32_t branch = trail_.steps[instance.span.begin].branch;
      if (!is_its || all_.loops.is_under(branch, step.branch)) continue;
      if (!may_assume_) refuse(naming, "{} may have no memory here", item.expression);
      doubtful_.allocated.emplace(item.expression, i);
    }
  }

  /// Whether a pointer that leads to the data is set in the code. Throws Refusal where the item's
  /// bounds are.
  bool moves(const Naming& naming, const Instance& instance, const Item& item) {
    bool is_moved = false;
    std::set<Path> pointers = naming.pointers;
    std::set<Path> values;
    for (const Path& path : naming.values) (is_pointer(path) ? pointers : values).insert(path);
    std::set<Path::Root> made;
    for (std::uint32_t i = instance.span.begin; i < instance.span.end; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind == StepKind::kMade) made.insert(trail_.accesses[step.access].path.root);
      if (step.kind != StepKind::kAccess || step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      if (access.use == Use::kRead || access.path.root.isNull()) continue;
      if (made.contains(access.path.root)) continue;
      const auto has = [&](const std::set<Path>& paths) {
        return std::ranges::any_of(
            paths, [&](const Path& path) { return access.path.is_same_storage(path); });
      };
      if (has(pointers)) is_moved = true;
      if (has(values)) {
        if (may_assume_) {
          doubtful_.bounds.emplace(item.expression, i);
          continue;
        }
        throw Refusal(
            fmt::format("{} names more, or less, of its data after this", item.expression),
            place_of(*step.context(), *step.at));
      }
    }
    return is_moved;
  }

  /// Whether a region uses other members of the object that has the data's pointer: a part of it on
  /// the device would be in the way of the rest (OpenMP 5.2, section 5.8.3, restrictions).
  [[nodiscard]] bool is_of_mapped_object(const Naming& naming, const Instance& instance) const {
    std::set<Path> mapped;
    for (const Naming& other : trail_.namings) {
      if (instance.span.holds(other.step))
        mapped.insert(other.pointers.begin(), other.pointers.end());
    }
    for (const Path& pointer : naming.pointers) {
      if (pointer.steps.empty() || pointer.steps.back() == nullptr) continue;
      Path object = pointer;
      object.steps.pop_back();
      for (std::uint32_t i = instance.span.begin; i < instance.span.end; ++i) {
        const Step& step = trail_.steps[i];
        if (step.kind != StepKind::kAccess || !step.on_device) continue;
        const Path& path = trail_.accesses[step.access].path;
        const bool is_pointers =
            std::ranges::any_of(mapped, [&](const Path& one) { return path.begins_with(one); });
        const bool is_beside =
            path.begins_with(object) && !is_pointers && path.steps.size() > object.steps.size();
        if (is_beside) return true;
      }
    }
    return false;
  }

  /// Data of which an update moves some that is not kept is looked at again once that is known.
  void keep_all(Keeping& keeping) {
    for (bool is_more = true; is_more;) {
      is_more = false;
      keeping.residence = {};
      doubtful_.pointers.clear();
      doubtful_.unseen.clear();
      apart_.clear();
      unused_.clear();
      keeping.declared.clear();
      keeping.residence.idle = idle_updates();
      for (std::size_t i = 0; i < data_.size() && !is_more; ++i) {
        try {
          keep(data_[i], keeping);
        } catch (const Refusal& refusal) {
          for (const Item& item : data_[i].asked) {
            keeping.left_out.push_back({item, refusal.what(), refusal.at()});
          }
          data_.erase(data_.begin() + static_cast<std::ptrdiff_t>(i));
          is_more = true;
        }
      }
    }
  }

  void keep(Datum& datum, Keeping& keeping) {
    datum.namings.clear();
    for (const Instance& instance : code_.instances) {
      for (const Naming& naming : trail_.namings) {
        if (instance.span.holds(naming.step)) datum.namings.push_back(&naming);
      }
    }
    UpdatePlaces places;
    Doubtful doubtful;
    for (std::size_t i = 0; i < code_.instances.size(); ++i) {
      const Instance& instance = code_.instances[i];
      if (datum.paths[i].empty()) continue;
      const Offloading offloading(all_, instance.span);
      Flow(all_, code_, instance, datum, datum.paths[i], keeping.stay.is_there,
           keeping.residence.idle, offloading, places, doubtful)
          .go();
    }
    assume(datum, doubtful);
    take(datum, places, keeping);
  }

  /// Throws Refusal where nothing may be assumed.
  void assume(const Datum& datum, const Doubtful& doubtful) {
    const auto expect = [&](std::uint32_t number) {
      const Step& step = trail_.steps[number];
      const Access& access = trail_.accesses[step.access];
      if (may_assume_) return;
      throw Refusal(fmt::format("{} {}", datum.text(), access.why),
                    place_of(*step.context(), *step.at));
    };
    for (const auto& [pointer, number] : doubtful.pointers) {
      expect(number);
      doubtful_.pointers.emplace(pointer, number);
    }
    for (const std::uint32_t number : doubtful.unseen) expect(number);
    if (!doubtful.pointers.empty()) apart_.insert(datum.text());
    if (doubtful.unseen.empty()) return;
    unused_.insert(datum.text());
    doubtful_.unseen.insert(doubtful.unseen.begin(), doubtful.unseen.end());
  }

  /// What all of the data rests on.
  [[nodiscard]] std::vector<Assumption> assumed() const {
    std::vector<Assumption> all;
    const auto place = [&](std::uint32_t number) {
      return place_of(*trail_.steps[number].context(), *trail_.steps[number].at);
    };
    const auto bare = [](const std::set<std::string>& texts) {
      std::set<std::string> names;
      for (const std::string& text : texts) names.insert(text.substr(0, text.find('[')));
      return names;
    };
    if (!trail_.lost.empty()) {
      all.push_back(
          {fmt::format("the program does what its sources show, though {}", trail_.lost), {}});
    }
    if (!doubtful_.pointers.empty()) {
      std::set<std::string> pointers;
      for (const auto& [path, number] : doubtful_.pointers) pointers.insert(name_of(path));
      const std::set<std::string> kept = bare(apart_);
      all.push_back({fmt::format("none of {} leads to the data of {}", fmt::join(pointers, ", "),
                                 fmt::join(kept, ", ")),
                     place(doubtful_.pointers.begin()->second)});
    }
    for (const auto& [item, number] : doubtful_.allocated) {
      all.push_back({fmt::format("{} has the memory that it may get here", item), place(number)});
    }
    for (const auto& [item, number] : doubtful_.bounds) {
      all.push_back(
          {fmt::format("{} names as much of its data after this as before", item), place(number)});
    }
    if (!doubtful_.unseen.empty()) {
      const std::size_t others = doubtful_.unseen.size() - 1;
      const std::string more =
          others == 0 ? ""
                      : fmt::format(", nor at {} other place{}", others, others == 1 ? "" : "s");
      all.push_back({fmt::format("code that is not seen uses none of {} here{}",
                                 fmt::join(bare(unused_), ", "), more),
                     place(*doubtful_.unseen.begin())});
    }
    return all;
  }

  /// "s.u" of what the pointer s.u leads to.
  [[nodiscard]] static std::string name_of(const Path& path) {
    const auto* variable = dyn_cast<const VarDecl*>(path.root);
    std::string name = variable != nullptr ? variable->getNameAsString() : "(memory)";
    if (isa<const clang::CXXRecordDecl*>(path.root)) name = "this";
    const auto& steps = path.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i] == nullptr) continue;
      const bool is_followed = i > 0 && steps[i - 1] == nullptr;
      name += (is_followed ? "->" : ".") + steps[i]->getNameAsString();
    }
    return name;
  }

  void take(const Datum& datum, const UpdatePlaces& places, Keeping& keeping) const {
    Residence& residence = keeping.residence;
    bool sends = false;
    for (const Naming* naming : datum.namings) {
      const bool is_its = std::ranges::any_of(datum.paths, [&](const std::set<Path>& paths) {
        return std::ranges::any_of(naming->places.paths,
                                   [&](const Path& path) { return paths.contains(path); });
      });
      const auto motion = all_.motions.find(naming->item);
      if (!is_its || motion == all_.motions.end()) continue;
      sends = sends || motion->second.sends || motion->second.kind == Motion::Kind::kTo;
    }
    for (const OuterItem& name : datum.names) {
      Kept kept;
      kept.expression = name.text;
      kept.begin = sends ? "to" : "alloc";
      kept.end = places.returns ? "from" : "release";
      if (datum.own != nullptr) kept.variable = root_variable(*datum.own);
      const std::string key = name.text.substr(0, name.text.find('['));
      residence.data.emplace(key, kept);
      if (sends) residence.sent.insert(key);
      if (places.returns) residence.written.insert(key);
      if (!name.declared.empty()) keeping.declared.push_back(name.declared);
    }
    for (const auto& [statement, one] : places.all) {
      for (const bool from : {true, false}) {
        if (from ? !one.from : !one.to) continue;
        residence.updates.push_back({.statement = statement,
                                     .from = from,
                                     .item = one.item,
                                     .condition = one.condition,
                                     .unit = one.unit});
      }
    }
  }

  /// Updates of nothing but what is kept.
  [[nodiscard]] std::set<const Directive*> idle_updates() const {
    std::map<const Directive*, bool> all;
    for (const Instance& instance : code_.instances) {
      for (const Naming& naming : trail_.namings) {
        if (!instance.span.holds(naming.step)) continue;
        const auto motion = all_.motions.find(naming.item);
        if (motion == all_.motions.end() || motion->second.kind == Motion::Kind::kMapped) continue;
        const bool is_kept = std::ranges::any_of(data_, [&](const Datum& datum) {
          return std::ranges::any_of(datum.paths, [&](const std::set<Path>& paths) {
            return std::ranges::all_of(naming.places.paths,
                                       [&](const Path& path) { return paths.contains(path); });
          });
        });
        const bool is_of_unit = trail_.steps[naming.step].context() == &code_.unit->context();
        const auto [at, is_new] = all.try_emplace(motion->second.directive, is_kept && is_of_unit);
        at->second = at->second && is_kept;
      }
    }
    std::set<const Directive*> idle;
    for (const auto& [directive, is_idle] : all) {
      if (is_idle) idle.insert(directive);
    }
    return idle;
  }

  const TrailOfAll& all_;
  const Trail& trail_;
  const Finding& finding_;
  bool may_assume_;
  Code code_;
  const Stmt* first_ = nullptr;
  std::map<std::string, std::string> declared_;  // pointers: their values, by name
  std::vector<Datum> data_;
  Doubtful doubtful_;
  std::set<std::string> apart_;   // data that `doubtful_` pointers may lead to
  std::set<std::string> unused_;  // data that code which is not seen may use
};

}  // namespace

TrailOfAll::TrailOfAll(const WholeProgram& whole)
    : program(whole),
      motions(motions_of(whole, asked, true)),
      trail(walk_.of_program(whole, asked, functions_with_directives(whole))),
      loops(trail) {}

Keeping keeping_of(const TrailOfAll& all, const Finding& finding, bool may_assume) {
  return Keeper(all, finding, may_assume).made();
}

}  // namespace ompdm::edit
