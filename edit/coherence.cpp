#include "coherence.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>

#include <algorithm>
#include <optional>

#include "copies.h"
#include "data_names.h"
#include "distinct.h"
#include "facts.h"
#include "names.h"
#include "ways.h"

namespace ompdm::edit {
namespace {

using StepKind = Step::Kind;

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\n'; });
  return text;
}

/// Follows all execution paths through a program's trail.
class Walk : public WaysThrough<Copies> {
 public:
  Walk(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
       const std::map<std::uint32_t, Motion>& motions, const LoopSpan& loop,
       const UpdatedData& data)
      : WaysThrough(trail, loops), program_(program), motions_(motions), loop_(loop), data_(data) {
    concerns_.assign(trail.steps.size() + 1, 0);
    for (std::uint32_t i = 0; i < trail.steps.size(); ++i) {
      const Step& step = trail.steps[i];
      const bool has_access = step.kind == StepKind::kAccess || step.kind == StepKind::kMade ||
                              step.kind == StepKind::kGone;
      concerns_[i + 1] = has_access && is_of_data(trail.accesses[step.access]) ? 1 : 0;
    }
    for (const Naming& naming : trail.namings) {
      if (!motions.contains(naming.item) || !is_of_data(naming.places)) continue;
      namings_[naming.step].push_back(&naming);
      concerns_[naming.step + 1] = 1;
    }
    for (std::uint32_t i = 0; i < trail.steps.size(); ++i) concerns_[i + 1] += concerns_[i];
  }

  OldCopies found() {
    find_names();
    if (data_.places.paths.size() > 1) names_.emplace(trail_, program_, paths_by_name());
    const bool is_from_main = loop_.begin < trail_.main_end;
    if (data_.is_mapped) {
      is_reached_ = true;
      ++inside_;
      for (const Copies& one : through(loop_, {{{true}, {false}, 0}})) {
        const Step& begin = trail_.steps[loop_.begin];
        if (one.present > 0) tell("unknown", begin, "may leave the data on the device");
        if (!one.host.is_new) tell("unknown", begin, "the host's copy may be old behind it");
      }
      --inside_;
    } else if (is_from_main) {
      run(0, trail_.main_end, {{{true}, {false}, 0}});
    } else {
      (void)through_loop({{{false}, {false}, 1}});
    }
    if (!is_reached_) tell("unknown", trail_.steps[loop_.begin], "is not reached");
    const bool is_known = is_reached_ && !data_.is_mapped;
    return {use_, is_known && sent_before_, is_known && left_old_};
  }

 private:
  void tell(const char* use, const Step& step, std::string why) {
    if (use_.use != "no") return;
    use_.use = use;
    use_.why = std::move(why);
    if (step.at != nullptr && step.context() != nullptr) {
      use_.at = place_of(*step.context(), *step.at);
    }
  }

  /// Notes a use of an old copy by code in the loop.
  void expect(bool is_new, const Step& step) {
    if (!is_new && inside_ > 0) tell("yes", step, {});
  }

  [[nodiscard]] bool is_of_data(const Access& access) const {
    return std::ranges::any_of(data_.places.paths,
                               [&](const Path& path) { return trail_.may_be_of(access, path); });
  }

  [[nodiscard]] bool is_of_data(const Places& places) const {
    return places.is_any || std::ranges::any_of(places.paths, [&](const Path& path) {
             return data_.places.paths.contains(path);
           });
  }

  Ways take_loop(const LoopSpan& loop, Ways ways) override {
    if (loop.begin == loop_.begin) return through_loop(ways);
    const std::vector<const Expr*> all = overwritten_on_host(loop);
    const bool is_overwriting = !all.empty();
    const bool concerns = concerns_[loop.end] > concerns_[loop.begin];
    if (concerns && !is_overwriting) return through(loop, std::move(ways));
    for (const Access* set : set_in(loop)) forget_condition(*set, ways);
    return is_overwriting ? overwritten(names_of(trail_.steps[loop.begin], all), ways) : ways;
  }

  /// The loop that the question is about. The edit makes both copies equal to the host's before it.
  Ways through_loop(const Ways& before) {
    is_reached_ = true;
    const Step& begin = trail_.steps[loop_.begin];
    const bool is_host_new =
        std::ranges::all_of(before, [](const Copies& one) { return one.host.is_new; });
    // The edit's updates run before and behind the loop, however many iterations it has.
    if (!is_host_new) tell("unknown", begin, "the host's copy may be old before it");
    const bool is_device_new =
        std::ranges::all_of(before, [](const Copies& one) { return one.device.is_new; });
    sent_before_ = sent_before_ && is_device_new;
    if (!is_device_new && !data_.is_sent)
      tell("unknown", begin, "the device's copy may be old before it");
    Ways entered;
    for (const Copies& one : before) {
      if (one.present == 0) tell("unknown", begin, "may begin without the data on the device");
      const Copies sent{{true}, one.host.is_new ? one.device : Copy(), one.present};
      entered.insert(data_.is_sent ? sent : one);
    }
    ++inside_;
    const Ways left = through(loop_, std::move(entered));
    --inside_;
    Ways behind;
    for (Copies one : left) {
      one.lagging = !one.host.is_new;
      one.leading = !one.device.is_new;
      left_old_ = left_old_ && one.lagging;
      if (one.lagging && loop_.begin >= trail_.main_end) {
        tell("unknown", begin, "the host's copy may be old behind it");
      }
      behind.insert(std::move(one));
    }
    for (Copies one : before) {
      one.skipped = !one.device.is_new && data_.is_sent && !loops_.has_iterations(loop_);
      behind.insert(std::move(one));
    }
    return behind;
  }

  /// Notes a use of the device's old copy by code behind the loop.
  void expect_sent(const Copies& one, bool is_new, const Step& step) {
    if (is_new) return;
    if (one.skipped)
      tell("unknown", step, "may use the device's old copy where the loop has no iteration");
    if (one.leading) tell("unknown", step, "may use the device's old copy behind the loop");
  }

  /// Notes a use of the host's old copy by code behind the loop.
  void expect_returned(const Copies& one, bool is_new, const Step& step) {
    if (one.lagging && !is_new)
      tell("unknown", step, "may use the host's old copy behind the loop");
  }

  [[nodiscard]] bool concerns(std::uint32_t step) const {
    return concerns_[step + 1] > concerns_[step];
  }

  std::uint32_t take(std::uint32_t number, std::uint32_t end, Ways& ways) override {
    const Step& step = trail_.steps[number];
    switch (step.kind) {
      case StepKind::kJump:
        if (inside_ > 0 && goes_anywhere(step) && !is_fresh_jump(step, ways)) {
          tell("unknown", step, "jumps from there");
        }
        break;
      case StepKind::kDirective: {
        const std::uint32_t last = is_region(step) ? run_region(number, end, ways) : number;
        if (!is_region(step)) come_by(number, ways);
        forget_what_is_set(number, last, ways);
        return last;
      }
      case StepKind::kDirectiveEnd:
        end_block(step, ways);
        forget_what_is_set(number, number, ways);
        break;
      case StepKind::kMade:
        forget_condition(trail_.accesses[step.access], ways);
        [[fallthrough]];
      case StepKind::kGone:
        if (inside_ > 0 && concerns(number)) tell("unknown", step, "makes the storage again");
        break;
      case StepKind::kAccess:
        use_on_host(number, ways);
        break;
      default:
        break;
    }
    return number;
  }

  /// Whether both copies are new at a `goto`. Then they are also new at its target.
  static bool is_fresh_jump(const Step& step, const Ways& ways) {
    return !isa<clang::CXXThrowExpr>(step.at) && std::ranges::all_of(ways, [](const Copies& one) {
      return one.host.is_new && (one.device.is_new || one.present == 0);
    });
  }

  static bool is_region(const Step& step) {
    const auto& directive = *cast<Directive>(step.at);
    return runs_on_device(directive) && has_own_code(directive);
  }

  void use_on_host(std::uint32_t number, Ways& ways) {
    const Step& step = trail_.steps[number];
    const Access& access = trail_.accesses[step.access];
    if (step.on_device) return;
    if (access.use != Use::kRead) {
      forget_condition(access, ways);
      rename(step, ways);
    }
    if (!concerns(number)) return;
    expect_name(step);
    if (step.is_late || access.use == Use::kUnknown) {
      if (inside_ > 0) tell("unknown", step, access.why.empty() ? "is a task" : access.why);
    }
    const NameSet used = names_ ? names_->of_statement(step, false) : NameSet();
    const NameSet written = names_ ? names_->of_statement(step, true) : NameSet();
    Ways after;
    for (Copies one : ways) {
      const bool is_new = one.host.is_new_by(used);
      expect(is_new || (data_.is_mapped && !one.device.is_new), step);
      expect_returned(one, is_new, step);
      if (access.use != Use::kRead) {
        one.device.make_old(written);
        one.changed = inside_ > 0;
      }
      after.insert(std::move(one));
    }
    ways = std::move(after);
  }

  /// Where pointers to the data are set, names stand for other pieces of it.
  void rename(const Step& step, Ways& ways) const {
    const std::optional<Renaming> made = names_ ? names_->renaming(step) : std::nullopt;
    if (!made) return;
    const auto change = [&](Copy& one) {
      one.rename(*made, names_->is_saved(step, made->name, one.old));
    };
    Ways after;
    for (Copies one : ways) {
      one.is_renamed = one.is_renamed || !made->is_fresh;
      change(one.host);
      change(one.device);
      after.insert(std::move(one));
    }
    ways = std::move(after);
  }

  /// Forgets conditions with variables that a directive's code sets, or that its clauses copy back.
  void forget_what_is_set(std::uint32_t number, std::uint32_t last, Ways& ways) const {
    const auto& directive = *cast<Directive>(trail_.steps[number].at);
    Ways after;
    for (Copies one : ways) {
      forget(one.known, directive);
      for (std::uint32_t i = number + 1; i < last && !one.known.empty(); ++i) {
        const Step& step = trail_.steps[i];
        if (step.kind != StepKind::kAccess) continue;
        const Access& access = trail_.accesses[step.access];
        if (access.use != Use::kRead) forget(one.known, access);
      }
      after.insert(std::move(one));
    }
    ways = std::move(after);
  }

  /// Forgets the conditions with a variable that the access sets.
  void forget_condition(const Access& access, Ways& ways) const {
    Ways after;
    for (Copies one : ways) {
      forget(one.known, access);
      after.insert(std::move(one));
    }
    ways = std::move(after);
  }

  /// The writes of a loop's code, one access for each root.
  const std::vector<const Access*>& set_in(const LoopSpan& loop) {
    const auto [known, is_new] = set_in_.try_emplace(loop.begin);
    std::set<Path::Root> roots;
    for (std::uint32_t i = loop.begin; is_new && i < loop.end; ++i) {
      const Step& step = trail_.steps[i];
      const bool is_made = step.kind == StepKind::kMade;
      if (step.kind != StepKind::kAccess && !is_made) continue;
      const Access& access = trail_.accesses[step.access];
      const bool is_set =
          (is_made || access.use != Use::kRead) && roots.insert(access.path.root).second;
      if (is_set) known->second.push_back(&access);
    }
    return known->second;
  }

  void come_by(std::uint32_t number, Ways& ways) {
    const Step& step = trail_.steps[number];
    const auto& directive = *cast<Directive>(step.at);
    const auto named = namings_.find(number);
    if (named == namings_.end()) return;
    for (const Naming* naming : named->second) {
      if (naming->places.is_any && inside_ > 0) tell("unknown", step, "may be of other data");
      expect_plain(step, directive);
      move(step, motions_.at(naming->item), ways);
    }
  }

  void expect_plain(const Step& step, const Directive& directive) {
    if (inside_ == 0) return;
    const Program* unit = unit_of(step);
    const bool is_plain = !step.is_late && unit != nullptr && !runs_beside(*unit, directive) &&
                          !directive.hasClausesOfKind<clang::OMPDependClause>();
    if (!is_plain) tell("unknown", step, "is a task");
    const auto* clause = directive.getSingleClause<clang::OMPDeviceClause>();
    const std::string device =
        clause == nullptr ? std::string()
                          : without_blanks(text_of(*step.context(), written(*clause->getDevice())));
    if (!device_) device_ = device;
    if (*device_ != device) tell("unknown", step, "may be for another device");
  }

  void move(const Step& step, const Motion& motion, Ways& ways) {
    const auto& directive = *motion.directive;
    if (motion.kind == Motion::Kind::kMapped) {
      if (!motion.is_plain && inside_ > 0) tell("unknown", step, "copies it always, or deletes it");
      const auto kind = directive.getDirectiveKind();
      const bool ends = kind == llvm::omp::OMPD_target_exit_data;
      if (has_own_code(directive)) blocks_[&directive].push_back(&motion);
      ConditionAt(step, directive).each(ways, [&](Copies& one, bool held) {
        if (held) ends ? leave(step, motion, one) : enter(step, motion, one);
      });
      return;
    }
    const bool is_whole =
        data_.whole.contains(without_blanks(text_of(*step.context(), *motion.item)));
    const std::optional<DataName> name =
        names_ ? names_->of_item(step, *motion.item) : std::nullopt;
    const NameSet used = name ? NameSet{*name} : NameSet();
    ConditionAt(step, directive).each(ways, [&](Copies& one, bool held) {
      if (!held || (data_.is_mapped && one.present == 0)) return;
      const bool is_to = motion.kind == Motion::Kind::kTo;
      const bool is_new = is_to ? one.host.is_new_by(used) : one.device.is_new_by(used);
      is_to ? expect_returned(one, is_new, step) : expect_sent(one, is_new, step);
      // After an update from an old copy neither copy is the newest. The next use reveals that.
      if (data_.is_mapped) expect(is_new, step);
      Copy& other = is_to ? one.device : one.host;
      if (!is_new) {
        one.host.make_old(used);
        one.device.make_old(used);
      } else if (is_whole) {
        names_ ? other.make_new(name) : void(other = {true});
        one.changed = false;
      }
    });
  }

  void enter(const Step& step, const Motion& motion, Copies& one) {
    const auto name = names_ ? names_->of_item(step, *motion.item) : std::nullopt;
    // The first transfer of a piece to the device takes the host's values.
    const bool is_first = name && !one.is_renamed && one.entered.insert(*name).second;
    if (is_first && motion.sends && one.host.is_new) one.device.make_new(name);
    if (one.present == 0) {
      if (inside_ > 0 && !data_.is_mapped) tell("unknown", step, "maps the data");
      one.device = {motion.sends && one.host.is_new};
      if (name && !motion.sends && one.host.is_new) one.device.old = {*name};
    }
    one.present = std::min(one.present + 1, kMostCounted);
  }

  void leave(const Step& step, const Motion& motion, Copies& one) {
    if (one.present == kMostCounted || one.present == 0) return;
    if (--one.present > 0) return;
    const bool is_overwritten =
        motion.returns && one.host.is_new && !one.device.is_new && one.changed;
    if (is_overwritten) tell("yes", step, "overwrites the host's changes");
    motion.returns ? expect_sent(one, one.device.is_new, step)
                   : expect_returned(one, one.host.is_new, step);
    one.skipped = one.lagging = one.leading = false;
    if (data_.is_mapped) {
      if (!motion.returns && !one.host.is_new && one.device.is_new)
        tell("unknown", step, "drops a region's changes");
    } else if (inside_ > 0) {
      tell("unknown", step, "may take the data from the device");
    }
    // Data that is not copied back is lost: then the host has the newest copy.
    one.host = {one.host.is_new || !motion.returns || one.device.is_new};
    one.device = {};
  }

  void end_block(const Step& step, Ways& ways) {
    const auto block = blocks_.find(cast<Directive>(step.at));
    if (block == blocks_.end()) return;
    for (const Motion* motion : block->second) {
      ConditionAt(step, *motion->directive).each(ways, [&](Copies& one, bool held) {
        // A block ends only mappings that it has begun.
        if (held || data_.is_mapped) leave(step, *motion, one);
      });
    }
    blocks_.erase(block);
  }

  /// Processes a region as a whole: its reads and its writes.
  /// Returns the step of its end.
  std::uint32_t run_region(std::uint32_t number, std::uint32_t end, Ways& ways) {
    const Step& begin = trail_.steps[number];
    const auto& region = *cast<Directive>(begin.at);
    bool reads = false;
    bool writes = false;
    std::vector<const Access*> set;  // by the host, where it runs the region
    std::uint32_t last = number + 1;
    for (; last + 1 < end; ++last) {
      const Step& step = trail_.steps[last];
      if (step.kind == StepKind::kDirectiveEnd && step.at == begin.at) break;
      if (step.kind != StepKind::kAccess) continue;
      const Access& access = trail_.accesses[step.access];
      if (access.use != Use::kRead && !step.on_device) set.push_back(&access);
      if (!step.on_device || !concerns(last)) continue;
      expect_name(step);
      if (access.use == Use::kUnknown && inside_ > 0) tell("unknown", step, access.why);
      reads = reads || access.use != Use::kWrite;
      writes = writes || access.use != Use::kRead;
    }
    if (reads || writes) use_in(begin, region, reads, writes, ways);
    for (const Access* access : set) {
      if (!is_of_data(*access)) forget_condition(*access, ways);
    }
    return last;
  }

  /// The names by which a region uses the data. Empty for data of one piece.
  struct RegionUse {
    NameSet written;
    NameSet filled;              ///< overwritten as a whole
    NameSet needed;              ///< used, and not overwritten as a whole
    bool is_filled = false;      ///< items of updates are overwritten as a whole
    bool is_all_filled = false;  ///< all pieces that it uses are
  };
  const RegionUse& use_by(const Step& begin, const Directive& region) {
    const auto [at, is_new] = region_uses_.try_emplace(&begin);
    RegionUse& use = at->second;
    if (!is_new) return use;
    const std::vector<const Expr*> all = overwritten_by(begin, region);
    use.is_filled = !all.empty();
    if (!names_) return use;
    use.needed = names_->of_region(begin, false);
    use.written = names_->of_region(begin, true);
    use.filled = names_of(begin, all);
    const bool is_used = !use.needed.empty();
    for (const DataName& one : use.filled) use.needed.erase(one);
    use.is_all_filled = is_used && use.needed.empty();
    return use;
  }

  void use_in(const Step& begin, const Directive& region, bool reads, bool writes, Ways& ways) {
    const bool is_anywhere =
        std::ranges::any_of(ways, [](const auto& one) { return one.present > 0; });
    if (!data_.is_mapped || is_anywhere) expect_plain(begin, region);
    const RegionUse& use = use_by(begin, region);
    const NameSet& written = use.written;
    const NameSet& filled = use.filled;
    const bool is_filled = !reads && use.is_filled;
    const auto is_new_there = [&](const Copy& copy) {
      return use.is_all_filled || copy.is_new_by(use.needed);
    };
    ConditionAt(begin, region).each(ways, [&](Copies& one, bool held) {
      if (!held) {
        const bool is_new = is_new_there(one.host);
        expect(is_new || is_filled, begin);
        if (!is_filled) expect_returned(one, is_new, begin);
        refill(one.host, is_filled, filled);
        if (writes) one.device.make_old(written);
        return;
      }
      // The region's own clauses send the data, and copy it back.
      if (one.present == 0) return;
      // Where a part was overwritten, neither copy is known to be the newest.
      const bool is_new = is_new_there(one.device);
      if (reads) expect_sent(one, is_new, begin);
      expect(is_new || is_filled || (data_.is_mapped && !one.host.is_new), begin);
      if (!writes) return;
      one.lagging = one.lagging && !one.host.is_new;
      one.host.make_old(written);
      refill(one.device, is_filled, filled);
    });
  }

  /// Code overwrites all of the data, or the pieces that names stand for.
  void refill(Copy& copy, bool is_all, const NameSet& names) const {
    if (!names_ && is_all) copy = {true};
    for (const DataName& one : names) copy.make_new(one);
  }

  /// The names of items at a step.
  [[nodiscard]] NameSet names_of(const Step& step, const std::vector<const Expr*>& items) const {
    NameSet all;
    for (const Expr* item : items) {
      const auto name = names_ ? names_->of_item(step, *item) : std::nullopt;
      if (name) all.insert(*name);
    }
    return all;
  }

  /// Finds the variables by which code names the data: those of the updates, and parameters that
  /// get their values.
  void find_names() {
    for (const auto& [number, motion] : motions_) {
      const bool is_its =
          std::ranges::any_of(trail_.namings, [&, item = number](const Naming& one) {
            return one.item == item && is_of_data(one.places);
          });
      const VarDecl* root = is_its ? root_variable(*motion.item) : nullptr;
      if (root != nullptr) variables_.insert(root->getCanonicalDecl());
    }
    for (std::size_t known = 0; known != variables_.size();) {
      known = variables_.size();
      for (const Program* unit : program_.units()) {
        for (const FunctionDecl* function : unit->functions()) {
          each_statement(function->getBody(), [&](const Stmt& one) {
            const auto* call = dyn_cast<CallExpr>(&one);
            const FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
            called = called == nullptr ? nullptr : program_.definition_of(*called);
            if (called == nullptr) return;
            for (const clang::ParmVarDecl* parameter : called->parameters()) {
              const Expr* handed = argument_for(*call, *parameter);
              const VarDecl* variable = handed == nullptr ? nullptr : variable_of(handed);
              if (variable != nullptr && variables_.contains(variable->getCanonicalDecl())) {
                variables_.insert(parameter->getCanonicalDecl());
              }
            }
          });
        }
      }
    }
  }

  [[nodiscard]] std::set<Path> paths_by_name() const {
    std::set<Path> all;
    for (const clang::Decl* one : variables_) all.insert({cast<VarDecl>(one), {}});
    for (const auto& [step, namings] : namings_) {
      for (const Naming* naming : namings) {
        const auto path = path_by_name(*motions_.at(naming->item).item);
        if (path) all.insert(*path);
      }
    }
    return all;
  }

  /// An edit knows the data only by its names.
  void expect_name(const Step& step) {
    if (inside_ == 0 || data_.is_mapped || step.at == nullptr) return;
    const auto all = all_in<clang::DeclRefExpr>(step.at);
    const bool is_named = std::ranges::any_of(all, [&](const clang::DeclRefExpr* one) {
      return variables_.contains(one->getDecl()->getCanonicalDecl());
    });
    if (!is_named) tell("unknown", step, "is used by another name");
  }

  /// Items of updates in the same function that a loop of the host overwrites as a whole. None: the
  /// loop uses the data in another way.
  [[nodiscard]] std::vector<const Expr*> overwritten_on_host(const LoopSpan& loop) const {
    const auto* code = dyn_cast<clang::ForStmt>(loop.loop);
    if (code == nullptr || concerns_[loop.end] == concerns_[loop.begin]) return {};
    for (std::uint32_t i = loop.begin; i < loop.end; ++i) {
      const Step& step = trail_.steps[i];
      const bool is_write = step.kind == StepKind::kAccess && !step.on_device && !step.is_late &&
                            trail_.accesses[step.access].use == Use::kWrite;
      if (concerns(i) && !is_write) return {};
    }
    return overwritten_by(trail_.steps[loop.begin], *code);
  }

  /// The paths behind a loop of the host that overwrites the data, or the pieces that names stand
  /// for.
  [[nodiscard]] Ways overwritten(const NameSet& names, const Ways& ways) const {
    Ways after;
    for (Copies one : ways) {
      refill(one.host, true, names);
      one.device.make_old(names);
      one.changed = inside_ > 0;
      after.insert(std::move(one));
    }
    return after;
  }

  /// Items of updates in the same function that code overwrites as a whole.
  template <class Code>
  [[nodiscard]] std::vector<const Expr*> overwritten_by(const Step& step, const Code& code) const {
    std::vector<const Expr*> all;
    const Program* unit = unit_of(step);
    if (unit == nullptr) return all;
    for (const Expr* item : items_at(step)) {
      const VarDecl* array = root_variable(*item);
      if (array != nullptr && overwrites_all(*unit, code, *array, *item)) all.push_back(item);
    }
    return all;
  }

  [[nodiscard]] const Program* unit_of(const Step& step) const {
    const auto unit = std::ranges::find_if(
        program_.units(), [&](const Program* one) { return &one->context() == step.context(); });
    return unit == program_.units().end() ? nullptr : *unit;
  }

  /// The items by which updates of a step's function name all of the data.
  [[nodiscard]] std::vector<const Expr*> items_at(const Step& step) const {
    std::vector<const Expr*> all;
    std::set<std::string> texts;
    for (const auto& [number, motion] : motions_) {
      if (motion.kind == Motion::Kind::kMapped || step.context() == nullptr) continue;
      const std::string text = without_blanks(text_of(*step.context(), *motion.item));
      if (!data_.whole.contains(text) || texts.contains(text)) continue;
      const bool is_here =
          std::ranges::any_of(trail_.namings, [&, item = number](const Naming& one) {
            return one.item == item && trail_.steps[one.step].function == step.function &&
                   is_of_data(one.places);
          });
      if (is_here && texts.insert(text).second) all.push_back(motion.item);
    }
    return all;
  }

  const WholeProgram& program_;
  const std::map<std::uint32_t, Motion>& motions_;
  const LoopSpan& loop_;
  const UpdatedData& data_;
  std::map<std::uint32_t, std::vector<const Naming*>> namings_;    // by step
  std::map<const Directive*, std::vector<const Motion*>> blocks_;  // of open blocks
  std::vector<std::uint32_t> concerns_;  // by step: the number of steps before it that are about
                                         // the data
  std::map<std::uint32_t, std::vector<const Access*>> set_in_;  // by the loop's first step
  std::set<const clang::Decl*> variables_;                      // see find_names()
  std::optional<DataNames> names_;                              // for data of several pieces
  std::map<const Step*, RegionUse> region_uses_;
  int inside_ = 0;  // depth in the loop that the question is about
  bool is_reached_ = false;
  bool sent_before_ = true;
  bool left_old_ = true;
  std::optional<std::string> device_;  // of directives in the loop
  HostUse use_;
};

}  // namespace

std::map<std::uint32_t, Motion> motions_of(const WholeProgram& program, Asked& asked,
                                           bool of_regions) {
  std::map<std::uint32_t, Motion> motions;
  const auto add = [&](Motion::Kind kind, const Directive& directive, const Expr& item,
                       const clang::ASTContext& context) {
    const auto number = static_cast<std::uint32_t>(asked.items.size());
    asked.items.push_back({text_of(context, item)});
    asked.at[&directive].insert(number);
    motions[number] = {.kind = kind, .directive = &directive, .item = &item};
  };
  for (const Program* unit : program.units()) {
    for (const FunctionDecl* function : unit->functions()) {
      each_statement(function->getBody(), [&](const Stmt& one) {
        const auto* directive = dyn_cast<Directive>(&one);
        if (directive == nullptr || (runs_on_device(*directive) && !of_regions)) return;
        const auto kind = directive->getDirectiveKind();
        for (const MapItem& item : mapped_items(*directive)) {
          if (item.item == nullptr) continue;
          // For a pointer that no clause names, a region gets its value.
          if (item.clause->isImplicit() && item.item->getType()->isPointerType()) continue;
          add(Motion::Kind::kMapped, *directive, *item.item, unit->context());
          Motion& motion = motions.rbegin()->second;
          const auto type = item.clause->getMapType();
          motion.sends = type == clang::OMPC_MAP_to || type == clang::OMPC_MAP_tofrom;
          motion.returns = type == clang::OMPC_MAP_from || type == clang::OMPC_MAP_tofrom;
          const auto modifiers = item.clause->getMapTypeModifiers();
          motion.is_plain = type != clang::OMPC_MAP_delete &&
                            !llvm::is_contained(modifiers, clang::OMPC_MAP_MODIFIER_always);
        }
        if (kind != llvm::omp::OMPD_target_update) return;
        for (const auto* clause : directive->getClausesOfKind<clang::OMPToClause>()) {
          for (const Expr* item : clause->varlists()) {
            add(Motion::Kind::kTo, *directive, *item, unit->context());
          }
        }
        for (const auto* clause : directive->getClausesOfKind<clang::OMPFromClause>()) {
          for (const Expr* item : clause->varlists()) {
            add(Motion::Kind::kFrom, *directive, *item, unit->context());
          }
        }
      });
    }
  }
  return motions;
}

bool is_moved_in(const Trail& trail, const std::map<std::uint32_t, Motion>& motions,
                 const LoopSpan& loop, const Places& data) {
  return std::ranges::any_of(trail.namings, [&](const Naming& naming) {
    const bool is_its =
        naming.places.is_any || std::ranges::any_of(naming.places.paths, [&](const Path& path) {
          return data.paths.contains(path);
        });
    return is_its && loop.holds(naming.step) && motions.contains(naming.item);
  });
}

OldCopies use_of_old_copies(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const std::map<std::uint32_t, Motion>& motions,
                            const LoopSpan& loop, const UpdatedData& data) {
  return Walk(program, trail, loops, motions, loop, data).found();
}

}  // namespace ompdm::edit
