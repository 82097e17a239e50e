#include "trail_residence.h"

#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "assumptions.h"
#include "flow.h"
#include "insertions.h"
#include "kept_copies.h"
#include "known_functions.h"
#include "mapped_members.h"
#include "names.h"
#include "outer_names.h"

namespace ompdm::edit {
namespace {

using StepKind = Step::Kind;

/// Finds the data of a finding in the code that the finding is about.
class Keeper {
 public:
  Keeper(const TrailOfAll& all, const Finding& finding, bool may_assume)
      : all_(all),
        trail_(all.trail),
        finding_(finding),
        may_assume_(may_assume),
        members_(all.trail) {}

  Keeping made() {
    if (!trail_.lost.empty() && (!may_assume_ || !trail_.is_complete)) {
      throw Refusal("the program's course is not certain: " + trail_.lost, {});
    }
    code_ = code_of(all_, finding_);
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
    expect_no_other_way_out(program, *code, [&]() -> const WholeProgram& { return all_.program; });
    first_ = code_.loop != nullptr ? code_.loop : code_.statements.front();
    Keeping keeping{program, code, std::move(stay), {}, {}, {}, {}};
    for (const Item& item : items_of(keeping.stay)) keep_members(item);
    for (const Item& item : items_of(keeping.stay)) {
      try {
        add(item);
      } catch (const Refusal& refusal) {
        keeping.left_out.push_back({item, refusal.what(), refusal.at(), refusal.others()});
      }
    }
    if (may_assume_) note_other_parts();
    for (const Instance& instance : code_.instances)
      device_paths_.emplace_back(all_, instance.span);
    keep_all(keeping);
    if (keeping.residence.data.empty()) {
      if (keeping.left_out.empty()) throw Refusal("none of its data is named there", {});
      const LeftOut& first = keeping.left_out.front();
      throw Refusal(first.why, first.in_the_way, first.others);
    }
    keeping.assumed = assumptions_of(trail_, code_, *first_, data_, rests_, finding_device());
    const std::vector<int>& devices = keeping.stay.first().devices;
    if (devices.size() > 1) unit.refuse(*code, "the data is on several devices");
    keeping.residence.device = devices.empty() ? 0 : devices.front();
    return keeping;
  }

 private:
  /// The finding's edits, with the directives of the code's own unit.
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

  /// Whether data that is mapped in the code lives as long as the program.
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

  /// Throws Refusal where threads beside the code's own may use the data on a device. These threads
  /// run around the code, unless each thread has allocated its data, or in the code.
  void expect_one_thread(const Datum& datum) const {
    for (std::size_t i = 0; i < code_.instances.size(); ++i) {
      const Span& code = code_.instances[i].span;
      for (const LoopSpan& team : all_.loops.all()) {
        if (datum.paths[i].empty() || !isa<Directive>(team.loop)) continue;
        const Step& begin = trail_.steps[team.begin];
        if (begin.on_device || runs_on_device(*cast<Directive>(team.loop))) continue;
        const bool is_beside = team.holds(code) ? !is_made_in(team, datum.paths[i])
                                                : is_offloaded_in(team, code, datum.paths[i]);
        if (is_beside)
          throw Refusal("other threads may use it, too", place_of(*begin.context(), *begin.at));
      }
    }
  }

  /// Whether storage is allocated or declared in a span.
  [[nodiscard]] bool is_made_in(const Span& span, const std::set<Path>& paths) const {
    return std::ranges::all_of(paths, [&](const Path& path) {
      return std::any_of(trail_.steps.begin() + span.begin, trail_.steps.begin() + span.end,
                         [&](const Step& step) {
                           return step.kind == StepKind::kMade &&
                                  trail_.accesses[step.access].path.root == path.root;
                         });
    });
  }

  /// Whether directives or regions in both spans use the data.
  [[nodiscard]] bool is_offloaded_in(const Span& one, const Span& other,
                                     const std::set<Path>& paths) const {
    const Span both{std::max(one.begin, other.begin), std::min(one.end, other.end)};
    const bool is_named = std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
      return both.holds(naming.step) &&
             std::ranges::any_of(naming.places.paths,
                                 [&](const Path& path) { return paths.contains(path); });
    });
    if (is_named) return true;
    for (std::uint32_t i = both.begin; i < both.end; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kAccess || !step.on_device) continue;
      const Access& access = trail_.accesses[step.access];
      const bool may_be = std::ranges::any_of(
          paths, [&](const Path& path) { return trail_.may_be_of(access, path); });
      if (may_be) return true;
    }
    return false;
  }

  /// Notes directives in the code that name another part of the data. Runtimes refuse a part that
  /// is not within the part on the device.
  void note_other_parts() {
    const auto section = [](const std::string& text) {
      const std::size_t at = text.find('[');
      std::string part = at == std::string::npos ? "" : text.substr(at);
      std::erase(part, ' ');
      return part;
    };
    // The text before the section. For a pointer that the patch declares: its value.
    const auto base = [](const OuterItem& one) {
      const std::size_t value = one.declared.find(" = ");
      std::string text = value == std::string::npos
                             ? one.text.substr(0, one.text.find('['))
                             : one.declared.substr(value + 3, one.declared.size() - value - 4);
      std::erase(text, ' ');
      return text;
    };
    for (const Datum& datum : data_) {
      const std::string& kept = datum.names.front().text;
      for (std::size_t i = 0; i < code_.instances.size(); ++i) {
        const Instance& instance = code_.instances[i];
        for (const Naming& naming : trail_.namings) {
          if (!instance.span.holds(naming.step)) continue;
          const auto motion = all_.motions.find(naming.item);
          if (motion == all_.motions.end() || motion->second.kind != Motion::Kind::kMapped)
            continue;
          const bool is_its = !naming.places.paths.empty() &&
                              std::ranges::all_of(naming.places.paths, [&](const Path& path) {
                                return datum.paths[i].contains(path);
                              });
          if (!is_its) continue;
          std::string text = text_of(*trail_.steps[naming.step].context(), *motion->second.item);
          OuterItem outer{text};
          try {
            std::map<std::string, std::string> declared = declared_;
            outer = in_names_of(all_.program, trail_, *motion->second.item,
                                trail_.steps[naming.step].call, false,
                                {*first_, instance.call, *code_.unit, declared});
          } catch (const Refusal&) {
            // The item keeps its own text.
          }
          const bool is_known = std::ranges::any_of(datum.names, [&](const OuterItem& one) {
            return section(one.text) == section(outer.text) && base(one) == base(outer);
          });
          if (!is_known && !section(text).empty()) {
            rests_.doubtful.parts.try_emplace(naming.step, std::move(text), kept);
          }
        }
      }
      for (const OuterItem& one : datum.names) {
        if (section(one.text) == section(kept)) continue;
        const auto at = std::ranges::find_if(trail_.namings, [&](const Naming& naming) {
          return code_.instances.front().span.holds(naming.step) && is_it(naming, datum.asked[0]);
        });
        if (at != trail_.namings.end()) rests_.doubtful.parts.try_emplace(at->step, one.text, kept);
      }
    }
  }

  void keep_members(const Item& item) {
    for (const Instance& instance : code_.instances) {
      for (const Naming& naming : trail_.namings) {
        if (instance.span.holds(naming.step) && is_it(naming, item)) members_.keep(naming);
      }
    }
  }

  /// Finds the data of an item. A function that is called with several data has one for each call.
  void add(const Item& item) {
    bool is_reached = false;
    for (std::size_t i = 0; i < code_.instances.size(); ++i) {
      const Instance& instance = code_.instances[i];
      for (const Naming& naming : trail_.namings) {
        if (!instance.span.holds(naming.step) || !is_it(naming, item)) continue;
        is_reached = true;
        const bool is_known = !naming.places.is_any || may_assume_;
        if (!is_known || naming.places.paths.empty()) {
          refuse(naming, "the data of {} is not known", item.expression);
        }
        const bool is_moved =
            moves(naming, instance, item) || members_.need_pointer(naming, instance.span);
        Datum found;
        found.asked.push_back(item);
        found.paths.resize(code_.instances.size());
        found.paths[i] = naming.places.paths;
        expect_memory(naming, instance, item);
        found.names.push_back(name_of(naming, instance, is_moved));
        const Expr* own = all_.motions.at(naming.item).item;
        const bool is_here = trail_.steps[naming.step].call == instance.call && !is_moved;
        if (is_here && is_visible_at(*code_.unit, *own, *first_)) found.own = own;
        merge(std::move(found), i);
      }
    }
    if (!is_reached) {
      throw Refusal(fmt::format("{} is not reached in the code", item.expression), item.named_at);
    }
  }

  /// Joins two data where new data shares storage with one, and its name with the other.
  void join_data(const Datum& found, std::size_t instance) {
    const std::string& text = found.names.front().text;
    Datum* first = nullptr;
    for (auto at = data_.begin(); at != data_.end();) {
      const bool is_its =
          std::ranges::any_of(at->names, [&](const OuterItem& one) { return one.text == text; }) ||
          std::ranges::any_of(found.paths[instance],
                              [&](const Path& path) { return at->paths[instance].contains(path); });
      if (!is_its || first == nullptr) {
        if (is_its) first = &*at;
        ++at;
        continue;
      }
      first->own = nullptr;
      first->names.insert(first->names.end(), at->names.begin(), at->names.end());
      first->asked.insert(first->asked.end(), at->asked.begin(), at->asked.end());
      for (std::size_t i = 0; i < first->paths.size(); ++i) {
        first->paths[i].insert(at->paths[i].begin(), at->paths[i].end());
      }
      at = data_.erase(at);
    }
  }

  /// Merges data that shares storage or a name. `instance`: the execution in which it was found.
  void merge(Datum found, std::size_t instance) {
    const std::string text = found.names.front().text;
    join_data(found, instance);
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

  /// Whether two texts name the same elements.
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

  /// Whether the object of a path is, or holds, a pointer.
  [[nodiscard]] static bool is_pointer(const Path& path) {
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    if (path.steps.empty()) return variable != nullptr && holds_pointers(variable->getType());
    return path.steps.back() == nullptr || holds_pointers(path.steps.back()->getType());
  }

  /// Data that is allocated under a condition may have no memory in another run. A directive that
  /// maps it in each iteration, if there is any, makes that an assumption.
  void expect_memory(const Naming& naming, const Instance& instance, const Item& item) {
    const std::uint32_t here = trail_.steps[instance.span.begin].branch;
    const bool is_mapped = all_.loops.is_as_often(trail_.steps[naming.step].branch, here);
    for (std::uint32_t i = 0; i < instance.span.begin; ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind != StepKind::kMade) continue;
      const Path& made = trail_.accesses[step.access].path;
      const bool is_its =
          isa_and_nonnull<const Allocation*>(made.root) && naming.places.paths.contains(made);
      if (!is_its || all_.loops.is_under(here, step.branch)) continue;
      if (!is_mapped || !may_assume_) refuse(naming, "{} may have no memory here", item.expression);
      rests_.doubtful.allocated.emplace(item.expression, naming.step);
    }
  }

  /// Whether the code sets a pointer that leads to the data. Throws Refusal where it sets the
  /// item's bounds.
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
      if (has(values) && is_index_of_pointer(naming, access.path)) {
        is_moved = true;
        continue;
      }
      if (has(values)) {
        if (may_assume_) {
          rests_.doubtful.bounds.emplace(item.expression, i);
          continue;
        }
        throw Refusal(
            fmt::format("{} names more, or less, of its data after this", item.expression),
            place_of(*step.context(), *step.at));
      }
    }
    return is_moved;
  }

  /// Whether a variable selects the pointer, as in "f[current][0:n]", and is no bound.
  [[nodiscard]] bool is_index_of_pointer(const Naming& naming, const Path& value) const {
    const Expr* base = all_.motions.at(naming.item).item->IgnoreParenImpCasts();
    while (const auto* section = dyn_cast<clang::ArraySectionExpr>(base)) {
      base = section->getBase()->IgnoreParenImpCasts();
    }
    const clang::ValueDecl* changed =
        value.steps.empty()
            ? static_cast<const clang::ValueDecl*>(dyn_cast_or_null<const VarDecl*>(value.root))
            : value.steps.back();
    if (changed == nullptr) return false;
    const auto indexes = all_in<clang::ArraySubscriptExpr>(base);
    return std::ranges::any_of(indexes, [&](const clang::ArraySubscriptExpr* one) {
      const Expr* index = one->getIdx();
      return std::ranges::any_of(all_in<clang::DeclRefExpr>(index),
                                 [&](const auto* name) {
                                   return name->getDecl()->getCanonicalDecl() == changed;
                                 }) ||
             std::ranges::any_of(all_in<clang::MemberExpr>(index), [&](const auto* name) {
               return name->getMemberDecl() == changed;
             });
    });
  }

  /// Keeps as much data as possible. Where some data turns out not to be kept, the rest is looked
  /// at again, as an update may name both.
  void keep_all(Keeping& keeping) {
    for (bool is_more = true; is_more;) {
      is_more = false;
      keeping.residence = {};
      rests_.doubtful.pointers.clear();
      rests_.doubtful.unseen.clear();
      rests_.apart.clear();
      rests_.unused.clear();
      keeping.declared.clear();
      keeping.residence.idle = idle_updates();
      for (std::size_t i = 0; i < data_.size() && !is_more; ++i) {
        try {
          keep(data_[i], keeping);
        } catch (const Refusal& refusal) {
          for (const Item& item : data_[i].asked) {
            keeping.left_out.push_back({item, refusal.what(), refusal.at(), refusal.others()});
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
    expect_one_thread(datum);
    UpdatePlaces places;
    Doubtful doubtful;
    for (std::size_t i = 0; i < code_.instances.size(); ++i) {
      const Instance& instance = code_.instances[i];
      if (datum.paths[i].empty()) continue;
      add_updates(all_, code_, instance, datum, datum.paths[i], keeping.stay.is_there,
                  keeping.residence.idle, device_paths_[i], kept_on(keeping.stay), places,
                  doubtful);
    }
    assume(datum, doubtful);
    // A section is evaluated before the code, also where its directives are not executed.
    const bool is_certain = std::ranges::any_of(
        datum.namings, [&](const Naming* one) { return is_named_always(datum, *one); });
    const auto named =
        std::ranges::find_if(datum.namings, [&](const Naming* one) { return is_of(datum, *one); });
    if (may_assume_ && !is_certain && named != datum.namings.end()) {
      rests_.doubtful.allocated.try_emplace(datum.names.front().text, (*named)->step);
    }
    take(datum, places, keeping);
  }

  /// Notes doubts as assumptions. Throws Refusal where nothing may be assumed.
  void assume(const Datum& datum, const Doubtful& doubtful) {
    const auto expect = [&](std::uint32_t number) {
      const Step& step = trail_.steps[number];
      const Access& access = trail_.accesses[step.access];
      if (may_assume_) return;
      throw Refusal(fmt::format("{} {}", datum.text(), access.why),
                    place_of(*step.context(), *step.at));
    };
    const auto expect_none = [&](const std::set<std::uint32_t>& steps, const char* why) {
      if (may_assume_ || steps.empty()) return;
      const Step& step = trail_.steps[*steps.begin()];
      throw Refusal(why, place_of(*step.context(), *step.at));
    };
    expect_none(doubtful.beside, "this runs beside the host");
    expect_none(doubtful.devices, "this chooses its device");
    if (!doubtful.beside.empty()) rests_.beside.insert(datum.text());
    rests_.doubtful.beside.insert(doubtful.beside.begin(), doubtful.beside.end());
    rests_.doubtful.devices.insert(doubtful.devices.begin(), doubtful.devices.end());
    for (const auto& [pointer, number] : doubtful.pointers) {
      expect(number);
      rests_.doubtful.pointers.emplace(pointer, number);
    }
    for (const std::uint32_t number : doubtful.unseen) expect(number);
    if (!doubtful.pointers.empty()) rests_.apart.insert(datum.text());
    if (doubtful.unseen.empty()) return;
    rests_.unused.insert(datum.text());
    rests_.doubtful.unseen.insert(doubtful.unseen.begin(), doubtful.unseen.end());
  }

  [[nodiscard]] bool sets_default_device() const {
    return std::ranges::any_of(all_.program.units(), [](const Program* unit) {
      const auto calls = all_in<CallExpr>(unit->context().getTranslationUnitDecl());
      return std::ranges::any_of(calls, [](const CallExpr* call) {
        const FunctionDecl* called = call->getDirectCallee();
        return called != nullptr && called->getNameInfo().getAsString() == "omp_set_default_device";
      });
    });
  }

  [[nodiscard]] KeptOn kept_on(const Stay& stay) const {
    const int number = finding_device();
    const bool is_set = sets_default_device();
    const bool is_default =
        (number == 0 && !is_set) || std::ranges::any_of(stay.kept, [](const Directive* one) {
          return !one->hasClausesOfKind<clang::OMPDeviceClause>();
        });
    return {number, is_default, is_set};
  }

  /// The first device of the finding's edits; there is only one.
  [[nodiscard]] int finding_device() const {
    for (const Edit& edit : finding_.edits) {
      if (!edit.devices.empty()) return edit.devices.front();
    }
    return 0;
  }

  /// Whether a naming is of a datum.
  [[nodiscard]] static bool is_of(const Datum& datum, const Naming& naming) {
    return std::ranges::any_of(datum.paths, [&](const std::set<Path>& paths) {
      return std::ranges::any_of(naming.places.paths,
                                 [&](const Path& path) { return paths.contains(path); });
    });
  }

  /// Whether a naming is of a datum, and its directive runs in each iteration of the code, under no
  /// condition.
  [[nodiscard]] bool is_named_always(const Datum& datum, const Naming& naming) const {
    const std::uint32_t here = trail_.steps[code_.instances.front().span.begin].branch;
    return is_of(datum, naming) && all_.loops.is_as_often(trail_.steps[naming.step].branch, here);
  }

  void take(const Datum& datum, const UpdatePlaces& places, Keeping& keeping) const {
    Residence& residence = keeping.residence;
    bool sends = false;
    for (const Naming* naming : datum.namings) {
      const auto motion = all_.motions.find(naming->item);
      if (!is_of(datum, *naming) || motion == all_.motions.end()) continue;
      sends = sends || motion->second.sends || motion->second.kind == Motion::Kind::kTo;
    }
    // Data that no kernel overwrites in some run has to be sent, as it is copied back.
    const bool is_filled = std::ranges::any_of(datum.namings, [&](const Naming* naming) {
      return is_named_always(datum, *naming) &&
             runs_on_device(*cast<Directive>(trail_.steps[naming->step].at));
    });
    sends = sends || (places.returns && !is_filled);
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
      residence.is_later = residence.is_later || places.is_later;
      if (!name.declared.empty()) keeping.declared.push_back(name.declared);
    }
    for (const auto& [statement, one] : places.all) {
      for (const bool from : {true, false}) {
        if (from ? !one.from : !one.to) continue;
        residence.updates.push_back({.statement = statement,
                                     .from = from,
                                     .item = one.item,
                                     .condition = one.condition(),
                                     .unit = one.unit,
                                     .waits = one.waits});
      }
    }
  }

  /// Updates that name only kept data.
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
        // Side effects of the condition would be removed with the update.
        const Expr* condition = device_condition(*motion->second.directive);
        const bool is_plain = condition == nullptr ||
                              !condition->HasSideEffects(*trail_.steps[naming.step].context());
        const auto [at, is_new] =
            all.try_emplace(motion->second.directive, is_kept && is_of_unit && is_plain);
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
  MappedMembers members_;
  std::map<std::string, std::string> declared_;  // values of pointers, by name
  std::vector<Datum> data_;
  std::vector<DevicePaths> device_paths_;  // by execution of the code
  RestsOn rests_;
};

}  // namespace

Keeping keeping_of(const TrailOfAll& all, const Finding& finding, bool may_assume) {
  return Keeper(all, finding, may_assume).made();
}

}  // namespace ompdm::edit
