#include "kept_copies.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "copies.h"
#include "data_uses.h"
#include "flow.h"
#include "insertions.h"
#include "names.h"
#include "residence.h"
#include "ways.h"

namespace ompdm::edit {
namespace {

using StepKind = Step::Kind;

/// What is known on an execution path through the code.
struct State {
  bool host_is_old = false;
  bool was_old = false;  ///< it is old in the original program, too: a mapping of its own is open
  const Stmt* to_send = nullptr;  ///< the host's statement whose changes the device lacks
  int present = 0;                ///< number of open mappings by the program's own directives
  bool wrote = false;             ///< a kernel has written since `present` was 0
  KnownConditions known = {};

  auto operator<=>(const State&) const = default;
};

/// Follows all execution paths through the code, and finds where the copies of one datum have to be
/// made equal.
class Flow : public WaysThrough<State> {
 public:
  Flow(const TrailOfAll& all, const Code& code, const Instance& instance, const Datum& datum,
       const std::set<Path>& paths, bool is_there, const std::set<const Directive*>& idle,
       const DevicePaths& device_paths, KeptOn device, UpdatePlaces& places, Doubtful& doubtful)
      : WaysThrough(all.trail, all.loops),
        all_(all),
        code_(code),
        instance_(instance),
        datum_(datum),
        paths_(paths),
        is_there_(is_there),
        idle_(idle),
        device_paths_(device_paths),
        device_(device),
        places_(places),
        doubtful_(doubtful) {
    for (const Naming& naming : trail_.namings) {
      if (instance.span.holds(naming.step) && is_of_data(naming.places)) {
        namings_[naming.step].push_back(&naming);
      }
    }
    for (const auto& [number, namings] : namings_) {
      const Step& step = trail_.steps[number];
      const auto* directive = dyn_cast_or_null<Directive>(step.at);
      const Program* unit = unit_of(all_.program, step.context());
      any_beside_ =
          any_beside_ || (directive != nullptr && unit != nullptr && is_beside(*unit, *directive));
    }
  }

  void go() {
    const State begin{.present = is_there_ ? 1 : 0};
    const auto loop = std::ranges::find_if(loops_.all(), [&](const LoopSpan& one) {
      return code_.loop != nullptr && one.begin == instance_.span.begin;
    });
    const Ways ways = loop != loops_.all().end()
                          ? through(*loop, {begin})
                          : run(instance_.span.begin, instance_.span.end, {begin});
    if (!obstacles_.empty()) {
      throw Refusal(obstacles_.front().why, obstacles_.front().at,
                    {obstacles_.begin() + 1, obstacles_.end()});
    }
    for (const State& one : ways) places_.returns = places_.returns || one.host_is_old;
    if (!places_.returns && !is_there_) return;
    for (const State& one : ways) send(one);
  }

 private:
  [[noreturn]] void refuse(const Step& step, const std::string& why) const {
    throw Refusal(why, step.context() == nullptr ? Place() : place_of(*step.context(), *step.at));
  }

  /// Whether a step is an access of the data. An uncertain access is noted in `doubtful_`.
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
      // An access by its own name has a step of its own.
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

  /// Notes an obstacle and goes on, so that all obstacles are reported together.
  std::uint32_t take(std::uint32_t number, std::uint32_t end, Ways& ways) override {
    try {
      return take_certain(number, end, ways);
    } catch (const Refusal& refusal) {
      const Obstacle found{refusal.what(), refusal.at()};
      if (!llvm::is_contained(obstacles_, found)) obstacles_.push_back(found);
      const bool is_region = trail_.steps[number].kind == StepKind::kDirective &&
                             runs_on_device(*cast<Directive>(trail_.steps[number].at));
      return is_region ? end_of_region(number, end) : number;
    }
  }

  std::uint32_t take_certain(std::uint32_t number, std::uint32_t end, Ways& ways) {
    const Step& step = trail_.steps[number];
    switch (step.kind) {
      case StepKind::kJump:
        if (goes_anywhere(step) && !is_harmless_jump(number)) refuse(step, "this jumps away");
        break;
      case StepKind::kDirective:
        if (runs_on_device(*cast<Directive>(step.at)) && has_own_code(*cast<Directive>(step.at))) {
          const std::uint32_t last = run_region(number, end, ways);
          forget_what_region_sets(number, last, ways);
          return last;
        }
        come_by(number, ways);
        forget_conditions(*cast<Directive>(step.at), ways);
        break;
      case StepKind::kDirectiveEnd:
        end_block(step, ways);
        forget_conditions(*cast<Directive>(step.at), ways);
        break;
      case StepKind::kMade:
        forget_conditions(trail_.accesses[step.access], ways);
        [[fallthrough]];
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

  /// Whether a `goto` in a called function cannot skip a directive or a use of the data.
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
    if (access.use != Use::kRead) forget_conditions(access, ways);
    if (!is_of_data(number)) return;
    if (step.is_late)
      refuse(step, fmt::format("a task uses {}, at a time of its own", datum_.text()));
    // Setting a pointer is no use of its data.
    const Stmt* at = place_for(number, access.use);
    UpdatePlaces::One& place = places_.all.at(at);
    const bool writes = access.use != Use::kRead;
    Ways after;
    for (State one : ways) {
      if (one.host_is_old && one.was_old) {
        refuse(step, fmt::format("the host uses {} while the program's own mapping has newer data",
                                 datum_.text()));
      }
      if (one.host_is_old) {
        place.from = true;
        one.host_is_old = false;
      }
      if (writes) one.to_send = at;
      after.insert(one);
    }
    ways = std::move(after);
  }

  /// Forgets conditions with variables that the region's code sets, or that its clauses copy back.
  void forget_what_region_sets(std::uint32_t number, std::uint32_t last, Ways& ways) const {
    forget_conditions(*cast<Directive>(trail_.steps[number].at), ways);
    for (std::uint32_t i = number + 1; i < last; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kAccess) continue;
      const Access& access = trail_.accesses[step.access];
      if (access.use != Use::kRead) forget_conditions(access, ways);
    }
  }

  template <class Setter>
  static void forget_conditions(const Setter& access, Ways& ways) {
    Ways after;
    for (State one : ways) {
      forget(one.known, access);
      after.insert(std::move(one));
    }
    ways = std::move(after);
  }

  // --- Places for updates ---

  /// The statement beside which updates for a use are written, with the data's name there.
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
        const Stmt* place = place_of_update(
            *unit, *at, code_.loop, is_home ? code_.block : nullptr,
            [&](const Stmt& one) { return waits(one) || device_paths_.holds(one); });
        why = in_the_way(*unit, place, *at, use);
        if (why.empty()) {
          const std::string item = name_at(*unit, *place, call);
          if (!item.empty()) {
            UpdatePlaces::One& one = places_.all[place];
            if (one.unit != nullptr && one.item != item) {
              refuse(step, fmt::format("{} and {} are used in one statement", one.item, item));
            }
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
    refuse(step, fmt::format("the host uses {} {}", datum_.text(),
                             why.empty() ? "in code whose calls are not known" : why));
  }

  [[nodiscard]] const Program* unit_of_function(const FunctionDecl* function) const {
    const FunctionDecl* defined =
        function == nullptr ? nullptr : all_.program.definition_of(*function);
    return defined == nullptr ? nullptr : unit_of(all_.program, &defined->getASTContext());
  }

  /// Whether a loop may wait for a concurrent region: then updates go behind the wait, into the
  /// loop.
  [[nodiscard]] bool waits(const Stmt& statement) const {
    if (!any_beside_ || body_of_loop(statement) == nullptr) return false;
    return !all_in<Directive>(&statement).empty() || has_own_call(statement);
  }

  [[nodiscard]] static bool has_own_call(const Stmt& statement) {
    return std::ranges::any_of(all_in<CallExpr>(&statement), [](const CallExpr* call) {
      return !is_of_system(call->getDirectCallee());
    });
  }

  [[nodiscard]] bool is_within_code(const Program& unit, const Stmt& statement) const {
    if (code_.loop != nullptr) return unit.is_within(statement, *code_.loop);
    return std::ranges::any_of(code_.statements,
                               [&](const Stmt* one) { return unit.is_within(statement, *one); });
  }

  [[nodiscard]] std::string in_the_way(const Program& unit, const Stmt* place, const Stmt& use,
                                       Use kind) const {
    if (place == nullptr) return "where no directive can stand";
    if (const auto* construct = host_construct_around(unit, use, code_.loop)) {
      const auto kind_of = construct->getDirectiveKind();
      if (clang::isOpenMPTaskingDirective(kind_of) ||
          construct->hasClausesOfKind<clang::OMPNowaitClause>()) {
        return "in a task, at a time of its own";
      }
    }
    if (!device_paths_.holds(*place)) {
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
        unit.is_within(use, *branch->getCond()) && !device_paths_.holds(*branch->getCond());
    return is_asked_first ? "" : "in a statement that runs regions on a device, too";
  }

  /// A list item for all of the data at a place. Empty: the data has no name there, or the name
  /// stands for other data at times.
  [[nodiscard]] std::string name_at(const Program& unit, const Stmt& place,
                                    std::uint32_t call) const {
    if (call == instance_.call) {
      const Stmt& first = code_.loop != nullptr ? *code_.loop : *code_.statements.front();
      const bool is_named = means_the_same(unit, datum_.text(), first, place);
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

  /// Whether an item of this naming is of a map clause, and so names as much as the datum.
  [[nodiscard]] bool is_all(const Naming& naming) const {
    const Motion& motion = all_.motions.at(naming.item);
    return motion.kind == Motion::Kind::kMapped;
  }

  /// Whether only the code runs the statement, and each call of its function with this data.
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
    // All calls have to be with this data, as the statement is the same in each.
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

  /// A function that calls itself may leave the copies in any state behind each call.
  Ways take_loop(const LoopSpan& loop, Ways ways) override {
    const bool is_recursion = isa<clang::CompoundStmt>(loop.loop);
    for (std::uint32_t i = loop.begin; is_recursion && i < loop.end; ++i) {
      if (trail_.steps[i].kind == StepKind::kDirective && namings_.contains(i)) {
        refuse(trail_.steps[i], "its function calls itself");
      }
    }
    return through(loop, std::move(ways));
  }

  // --- Directives ---

  [[nodiscard]] bool is_beside(const Program& unit, const Directive& directive) const {
    return runs_beside(unit, directive) || directive.hasClausesOfKind<clang::OMPDependClause>();
  }

  const Program& expect_plain(std::uint32_t number, const Directive& directive) {
    const Step& step = trail_.steps[number];
    const Program* unit = unit_of(all_.program, step.context());
    if (step.is_late || unit == nullptr) refuse(step, "this runs beside the host");
    if (is_beside(*unit, directive)) {
      doubtful_.beside.insert(number);
      places_.is_later = true;
    }
    return *unit;
  }

  /// Whether a directive is for the device that the data is kept on. Nullopt: sometimes.
  std::optional<bool> is_for_its_device(const Program& unit, std::uint32_t number,
                                        const Directive& directive) {
    const auto* clause = directive.getSingleClause<clang::OMPDeviceClause>();
    // Where the program sets the default device, its number is not known.
    if (device_.is_set && (clause == nullptr) != device_.is_default) {
      refuse(trail_.steps[number], "this may be for another device than the default device");
    }
    if (clause == nullptr) return device_.is_default;
    const Expr& device = written(*clause->getDevice());
    if (const auto known = device.getIntegerConstantExpr(unit.context())) {
      return known->getExtValue() == device_.number;
    }
    if (!is_one_value(device, trail_.steps[number].call)) return std::nullopt;
    doubtful_.devices.insert(number);
    return true;
  }

  /// Whether any data directive maps, or may map, the data for another device.
  [[nodiscard]] bool is_mapped_elsewhere() const {
    return std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
      const auto motion = all_.motions.find(naming.item);
      if (motion == all_.motions.end() || motion->second.kind != Motion::Kind::kMapped)
        return false;
      const Directive& directive = *motion->second.directive;
      if (runs_on_device(directive) || !is_of_data(naming.places)) return false;
      const auto* clause = directive.getSingleClause<clang::OMPDeviceClause>();
      if (clause == nullptr) return !device_.is_default;
      const Program* unit = unit_of(all_.program, trail_.steps[naming.step].context());
      const auto known =
          unit == nullptr ? std::nullopt
                          : written(*clause->getDevice()).getIntegerConstantExpr(unit->context());
      return !known || known->getExtValue() != device_.number;
    });
  }

  /// Whether an expression of a call has one value in all of the code: nothing sets its variables.
  [[nodiscard]] bool is_one_value(const Expr& expression, std::uint32_t call) const {
    if (!all_in<CallExpr>(&expression).empty()) return false;
    return std::ranges::all_of(all_in<clang::DeclRefExpr>(&expression), [&](const auto* name) {
      const auto* variable = dyn_cast<VarDecl>(name->getDecl());
      if (variable == nullptr) return true;
      Path::Root root = variable;
      for (std::uint32_t at = call; isa<clang::ParmVarDecl>(variable) && at != instance_.call;
           at = trail_.callers[at]) {
        const auto handed = trail_.arguments.find({at, variable});
        if (handed == trail_.arguments.end()) return false;
        root = handed->second.root;
        variable = dyn_cast_or_null<const VarDecl*>(root);
        if (variable == nullptr) break;
      }
      for (std::uint32_t i = instance_.span.begin; i < instance_.span.end; ++i) {
        const Step& step = trail_.steps[i];
        if (step.kind != StepKind::kAccess) continue;
        const Access& access = trail_.accesses[step.access];
        if (access.use != Use::kRead && access.path.root == root) return false;
      }
      return true;
    });
  }

  void come_by(std::uint32_t number, Ways& ways) {
    const Step& step = trail_.steps[number];
    const auto named = namings_.find(number);
    if (named == namings_.end()) return;
    const auto& directive = *cast<Directive>(step.at);
    const Program& unit = expect_plain(number, directive);
    const std::optional<bool> is_for_it = is_for_its_device(unit, number, directive);
    if (!is_for_it.value_or(false)) {
      // OpenMP 5.2, section 5.9: an update of data that is not present copies nothing.
      const bool is_update = directive.getDirectiveKind() == llvm::omp::OMPD_target_update;
      if (is_for_it && is_update && !is_mapped_elsewhere()) return;
      refuse(step, is_for_it ? "this is for another device" : "this chooses its device");
    }
    for (const Naming* naming : named->second) {
      const auto motion = all_.motions.find(naming->item);
      if (motion != all_.motions.end()) move(step, motion->second, ways);
    }
  }

  void move(const Step& step, const Motion& motion, Ways& ways) {
    const auto& directive = *motion.directive;
    const ConditionAt condition(step, directive);
    if (motion.kind == Motion::Kind::kMapped) {
      if (!motion.is_plain) refuse(step, "this copies it always, or deletes it");
      if (condition.is_open() && !condition.is_of_numbers()) {
        refuse(step, "the condition of its if() is more than a comparison of numbers");
      }
      if (has_own_code(directive)) blocks_[&directive].push_back(&motion);
      const bool ends = directive.getDirectiveKind() == llvm::omp::OMPD_target_exit_data;
      condition.each(ways, [&](State& one, bool held) {
        if (!held) return;
        // The exit would end the mapping that the edit makes.
        if (ends && (one.present == 0 || one.present == kMostCounted)) {
          refuse(step, fmt::format("this may end a mapping of {} that the code has not begun",
                                   datum_.text()));
        }
        ends ? leave(step, motion, one) : enter(one);
      });
      return;
    }
    if (idle_.contains(&directive)) return;
    condition.each(ways, [&](State& one, bool held) {
      if (held && motion.kind == Motion::Kind::kTo && one.host_is_old) {
        refuse(step,
               fmt::format("this update sends {}, which a kernel has changed", datum_.text()));
      }
      send(one);
      if (held) one.was_old = one.was_old && motion.kind != Motion::Kind::kFrom;
    });
  }

  static void enter(State& one) { one.present = std::min(one.present + 1, kMostCounted); }

  /// `may_drop`: a kernel may have written data that is not copied back.
  void leave(const Step& step, const Motion& motion, State& one, bool may_drop = true) const {
    const bool is_counted = one.present > 0 && one.present < kMostCounted;
    if (is_counted) --one.present;
    if (!is_counted || one.present > 0) return;
    if (one.wrote && !motion.returns && may_drop) {
      refuse(step, fmt::format("a kernel's changes of {} are dropped here", datum_.text()));
    }
    one.wrote = one.was_old = false;
  }

  void end_block(const Step& step, Ways& ways) {
    const auto block = blocks_.find(cast<Directive>(step.at));
    if (block == blocks_.end()) return;
    for (const Motion* motion : block->second) {
      ConditionAt(step, *motion->directive).each(ways, [&](State& one, bool held) {
        if (held) leave(step, *motion, one);
      });
    }
    blocks_.erase(block);
  }

  /// The step of a region's end.
  [[nodiscard]] std::uint32_t end_of_region(std::uint32_t number, std::uint32_t end) const {
    std::uint32_t last = number + 1;
    while (last + 1 < end && (trail_.steps[last].kind != StepKind::kDirectiveEnd ||
                              trail_.steps[last].at != trail_.steps[number].at)) {
      ++last;
    }
    return last;
  }

  std::uint32_t run_region(std::uint32_t number, std::uint32_t end, Ways& ways) {
    const Step& begin = trail_.steps[number];
    const auto& region = *cast<Directive>(begin.at);
    bool reads = false;
    bool writes = false;
    const std::uint32_t last = end_of_region(number, end);
    for (std::uint32_t i = number + 1; i < last; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kAccess || !step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      if (!is_of_data(i)) continue;
      reads = reads || access.use != Use::kWrite;
      writes = writes || access.use != Use::kRead;
    }
    const auto named = namings_.find(number);
    if (!reads && !writes && named == namings_.end()) return last;
    const Program& unit = expect_plain(number, region);
    const std::optional<bool> is_for_it = is_for_its_device(unit, number, region);
    if (is_for_it == false) {
      // The other device gets the host's values, and its results are copied back.
      ways = run_elsewhere(unit, number, {}, writes, ways);
      return last;
    }
    Ways of_others;  // paths on which this device does not run the region
    if (!is_for_it) {
      const Expr& device = written(*region.getSingleClause<clang::OMPDeviceClause>()->getDevice());
      const std::string text = asked_again(unit, number, device, "device()");
      of_others =
          apart(ConditionAt(begin, device, device_.number),
                fmt::format("({}) != {}", text, device_.number), unit, number, writes, ways);
    }
    if (const Expr* condition = device_condition(region)) {
      const std::string text = asked_again(unit, number, *condition, "if()");
      of_others.merge(apart(ConditionAt(begin, region), fmt::format("!({})", text), unit, number,
                            writes, ways));
    }
    std::vector<std::pair<const Motion*, bool>> motions;  // with whether the region writes the item
    if (named != namings_.end()) {
      for (const Naming* naming : named->second) {
        const auto motion = all_.motions.find(naming->item);
        if (motion == all_.motions.end()) continue;
        if (!motion->second.is_plain) refuse(begin, "this copies it always, or deletes it");
        motions.emplace_back(&motion->second, writes_to(*naming, number + 1, last));
      }
    }
    Ways after;
    for (State one : ways) {
      one.was_old = one.was_old || (writes && one.present > 0);
      for (std::size_t i = 0; i < motions.size(); ++i) enter(one);
      if (reads || writes) {
        send(one);
        one.to_send = nullptr;
      }
      if (writes) {
        one.host_is_old = true;
        one.wrote = true;
        places_.is_written = true;
      }
      for (const auto& [motion, is_written] : motions) leave(begin, *motion, one, is_written);
      after.insert(std::move(one));
    }
    ways = std::move(after);
    ways.merge(of_others);
    return last;
  }

  /// Whether a region's steps may write the data that one of its items names.
  [[nodiscard]] bool writes_to(const Naming& naming, std::uint32_t from, std::uint32_t to) const {
    for (std::uint32_t i = from; i < to; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kAccess || !step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      const bool may_be = std::ranges::any_of(
          naming.places.paths, [&](const Path& path) { return trail_.may_be_of(access, path); });
      if (may_be && access.use != Use::kRead) return true;
    }
    return naming.places.is_any;
  }

  /// Whether a region's code may set a variable of a condition.
  [[nodiscard]] bool sets_any_of(const Expr& condition, std::uint32_t number) const {
    std::set<const VarDecl*> variables;
    for (const auto* name : all_in<clang::DeclRefExpr>(&condition)) {
      if (const auto* one = dyn_cast<VarDecl>(name->getDecl())) {
        variables.insert(one->getCanonicalDecl());
      }
    }
    const auto last = end_of_region(number, static_cast<std::uint32_t>(trail_.steps.size()));
    for (std::uint32_t i = number + 1; i < last; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kAccess) continue;
      const Access& access = trail_.accesses[step.access];
      if (access.use == Use::kRead) continue;
      const auto* root = dyn_cast_or_null<const VarDecl*>(access.path.root);
      const bool is_unknown = access.path.root.isNull();
      if (is_unknown || (root != nullptr && variables.contains(root->getCanonicalDecl()))) {
        return true;
      }
    }
    return false;
  }

  /// The text of a region's condition, for updates around the region. Throws Refusal where its
  /// value may differ there.
  std::string asked_again(const Program& unit, std::uint32_t number, const Expr& condition,
                          const char* clause) const {
    const Step& begin = trail_.steps[number];
    const auto& region = *cast<Directive>(begin.at);
    const bool is_asked_again =
        !condition.HasSideEffects(unit.context()) && !condition.getBeginLoc().isMacroID();
    const std::string text = is_asked_again ? text_of(unit.context(), condition) : std::string();
    const std::vector<std::string> words = names_in(text);
    const bool may_change =
        std::ranges::any_of(mapped_items(region, kWritten), [&](const auto& one) {
          return one.variable != nullptr &&
                 llvm::is_contained(words, one.variable->getNameAsString());
        });
    if (!is_asked_again || may_change || sets_any_of(condition, number) ||
        may_set_global_of(region, condition)) {
      refuse(begin,
             fmt::format("asking this directive's {} again may change or tell something else",
                         clause));
    }
    return text;
  }

  /// The paths behind the region on which the answer is no. `ways` keeps the other paths.
  Ways apart(const ConditionAt& question, const std::string& otherwise, const Program& unit,
             std::uint32_t number, bool writes, Ways& ways) {
    Ways others;
    Ways with;
    question.each(ways, [&](State& one, bool held) { (held ? with : others).insert(one); });
    ways = std::move(with);
    return others.empty() ? others : run_elsewhere(unit, number, otherwise, writes, others);
  }

  /// Adds updates around a region that the host, or another device, runs under a condition. Empty:
  /// always.
  Ways run_elsewhere(const Program& unit, std::uint32_t number, const std::string& condition,
                     bool writes, const Ways& ways) {
    const Step& begin = trail_.steps[number];
    const auto& region = *cast<Directive>(begin.at);
    if (room_around(unit, region) == Room::kNone) {
      refuse(begin, "no directive can stand around this");
    }
    const std::string item = name_at(unit, region, begin.call);
    if (item.empty()) refuse(begin, fmt::format("{} has no name here", datum_.text()));
    UpdatePlaces::One& place = places_.all[&region];
    if (place.unit != nullptr && place.item != item) {
      refuse(begin, fmt::format("{} and {} are used in one statement", place.item, item));
    }
    place.unit = &unit;
    place.item = item;
    place.conditions.insert(condition);
    // A taskwait behind the region would be too late for an update before it.
    place.waits =
        place.waits || is_beside(unit, region) || region.hasClausesOfKind<clang::OMPNowaitClause>();
    Ways after;
    for (State one : ways) {
      if (one.host_is_old) {
        place.from = true;
        one.host_is_old = false;
      }
      if (writes) one.to_send = &region;
      after.insert(one);
    }
    return after;
  }

  const TrailOfAll& all_;
  const Code& code_;
  const Instance& instance_;
  const Datum& datum_;
  const std::set<Path>& paths_;
  bool is_there_;
  const std::set<const Directive*>& idle_;
  const DevicePaths& device_paths_;
  KeptOn device_;
  UpdatePlaces& places_;
  Doubtful& doubtful_;
  std::map<std::uint32_t, std::vector<const Naming*>> namings_;
  std::vector<Obstacle> obstacles_;
  bool any_beside_ = false;  // a region with the data runs concurrently with the host
  std::map<const Directive*, std::vector<const Motion*>> blocks_;
  std::map<std::pair<const Stmt*, std::uint32_t>, const Stmt*> place_of_;
};

}  // namespace

DevicePaths::DevicePaths(const TrailOfAll& all, const Span& span) {
  std::set<std::pair<const Stmt*, std::uint32_t>> known;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    const Step& step = all.trail.steps[i];
    if (step.kind != StepKind::kDirective) continue;
    const Stmt* at = step.at;
    for (std::uint32_t call = step.call; at != nullptr && known.emplace(at, call).second;) {
      for (const Program* unit : all.program.units()) {
        for (const Stmt* around = at; around != nullptr; around = unit->parent_of(*around)) {
          statements_.insert(around);
        }
      }
      at = all.trail.calls[call];
      call = all.trail.callers[call];
    }
  }
}

void add_updates(const TrailOfAll& all, const Code& code, const Instance& instance,
                 const Datum& datum, const std::set<Path>& paths, bool is_there,
                 const std::set<const Directive*>& idle, const DevicePaths& device_paths,
                 KeptOn device, UpdatePlaces& places, Doubtful& doubtful) {
  Flow(all, code, instance, datum, paths, is_there, idle, device_paths, device, places, doubtful)
      .go();
}

}  // namespace ompdm::edit
