#include "host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "coherence.h"
#include "first_use.h"
#include "names.h"
#include "residence.h"
#include "trail_loops.h"
#include "walk.h"

namespace ompdm::edit {
namespace {

using Kind = Step::Kind;

/// Looks at the trail of one program.
class HostCode {
 public:
  HostCode(const Trail& trail, const Asked& asked, const DoubtAbout& doubt)
      : trail_(trail), asked_(asked), doubt_(doubt), code_(trail), loops_(code_.all()) {
    std::vector<const Stmt*> open;
    for (std::uint32_t i = 0; i < trail.steps.size(); ++i) {
      const Step& step = trail.steps[i];
      if (step.kind == Kind::kDirective && has_own_code(*cast<Directive>(step.at))) {
        open.push_back(step.at);
      } else if (step.kind == Kind::kDirectiveEnd && !open.empty()) {
        open.pop_back();
      } else if (!open.empty() && (step.on_device || is_region(*open.back()))) {
        (step.on_device ? region_at_ : host_region_at_)[i] = open.back();
      }
    }
  }

  /// Steps of the loops that stand there and lead to a directive that names the item.
  [[nodiscard]] std::vector<Span> in_loops(const std::set<const Stmt*>& loops, std::uint32_t item,
                                           bool all_entries) const {
    std::vector<Span> spans;
    for (const LoopSpan& loop : loops_) {
      const bool leads_to = loops.contains(loop.loop) &&
                            std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
                              return naming.item == item && loop.holds(naming.step);
                            });
      if (leads_to) spans.push_back(loop);
    }
    if (spans.empty()) return spans;
    if (all_entries) return {around(hull(spans))};
    for (Span& span : spans) span = with_threads(span, item);
    return spans;
  }

  /// Whether the program may come to one of these loops again without a directive in between: a
  /// trace tells entries apart by these.
  [[nodiscard]] HostUse come_to_again(const std::set<const Stmt*>& loops) const {
    std::vector<LoopSpan> entries;
    for (const LoopSpan& loop : loops_) {
      if (loops.contains(loop.loop)) entries.push_back(loop);
    }
    std::ranges::sort(entries, {}, &LoopSpan::begin);
    if (entries.empty() || !trail_.lost.empty()) return HostUse{"unknown", {}, {}};
    // What is walked besides `main` is not called from there, as far as is seen.
    if (entries.back().end > trail_.main_end) return HostUse{"unknown", {}, {}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const LoopSpan& entry = entries[i];
      const bool is_next = i + 1 < entries.size();
      if (is_next && !has_directive_before(entry, entries[i + 1])) {
        return HostUse{"unknown", {}, {}};
      }
      for (const LoopSpan& loop : loops_) {
        if (loop.begin == entry.begin || !loop.holds(entry)) continue;
        if (!has_directive_around(entry, loop)) return HostUse{"yes", {}, {}};
      }
    }
    return {};
  }

  /// Whether a step is a directive that a trace tells, and that no step of an entry into a loop is.
  [[nodiscard]] bool is_told(std::uint32_t step, const Span& entry) const {
    const Step& one = trail_.steps[step];
    if (one.kind != Kind::kDirective || one.is_late || entry.holds(step)) return false;
    const auto& directive = *cast<Directive>(one.at);
    const clang::OpenMPDirectiveKind kind = directive.getDirectiveKind();
    const bool is_target = clang::isOpenMPTargetExecutionDirective(kind) ||
                           clang::isOpenMPTargetDataManagementDirective(kind);
    if (!is_target || device_condition(directive) != nullptr) return false;
    return std::none_of(trail_.steps.begin() + entry.begin, trail_.steps.begin() + entry.end,
                        [&](const Step& inside) { return inside.at == one.at; });
  }

  /// Whether each iteration of a loop around an entry comes by a directive outside of the entry.
  [[nodiscard]] bool has_directive_around(const Span& entry, const Span& loop) const {
    for (std::uint32_t i = loop.begin; i < loop.end; ++i) {
      if (is_told(i, entry) && is_in_each(i, loop)) return true;
    }
    return false;
  }

  /// Whether each way from an entry into a loop to a later one comes by a directive.
  [[nodiscard]] bool has_directive_before(const Span& entry, const Span& next) const {
    for (std::uint32_t i = entry.end; i < next.begin; ++i) {
      const bool is_on_way =
          code_.is_under(trail_.steps[next.begin].branch, trail_.steps[i].branch);
      if (is_on_way && is_told(i, entry) && !may_be_jumped(entry.end, i)) return true;
    }
    return false;
  }

  /// Whether the program may come to one of the second directives without one of the first before.
  [[nodiscard]] HostUse come_without(const std::set<const Stmt*>& from,
                                     const std::set<const Stmt*>& to) const {
    const std::vector<std::uint32_t> begins = steps_of(from);
    const auto is_before = [&](std::uint32_t first, std::uint32_t last) {
      const auto& directive = *cast<Directive>(trail_.steps[first].at);
      if (first >= last || device_condition(directive) != nullptr) return false;
      const bool has_iterations = std::ranges::all_of(loops_, [&](const LoopSpan& loop) {
        return !loop.holds(first) || loop.holds(last) || code_.has_iterations(loop);
      });
      // Each branch around the first is around the last, too.
      return has_iterations && is_as_often(trail_.steps[first].branch, trail_.steps[last].branch);
    };
    for (const std::uint32_t last : steps_of(to)) {
      if (from.contains(trail_.steps[last].at)) continue;
      const bool is_certain =
          std::ranges::any_of(begins, [&](std::uint32_t first) { return is_before(first, last); });
      if (is_certain) continue;
      HostUse use{"unknown", "may be come to without the transfer before", std::nullopt};
      if (const clang::ASTContext* context = trail_.steps[last].context()) {
        use.at = place_of(*context, *trail_.steps[last].at);
      }
      return use;
    }
    return {};
  }

  /// Whether one side may use data of updates in loops while the other's copy is newer.
  [[nodiscard]] OldCopies stale_in(const WholeProgram& program,
                                   const std::map<std::uint32_t, Motion>& motions,
                                   const std::vector<std::uint32_t>& items,
                                   const std::set<const Stmt*>& loops, bool is_mapped) const {
    if (!trail_.lost.empty()) return {{"unknown", trail_.lost, std::nullopt}, false, false};
    std::set<std::string> whole;
    for (const std::uint32_t item : items) {
      std::string text = asked_.items[item].expression;
      std::erase(text, ' ');
      whole.insert(std::move(text));
    }
    OldCopies all{{"unknown", "the loop is not reached", std::nullopt}};
    bool is_reached = false;
    for (const LoopSpan& loop : loops_) {
      if (!loops.contains(loop.loop)) continue;
      Places data;
      for (const Naming& naming : trail_.namings) {
        const bool is_it = std::ranges::find(items, naming.item) != items.end();
        if (is_it && loop.holds(naming.step)) data.add(naming.places);
      }
      if (data.is_empty()) continue;
      if (is_mapped && !is_moved_in(trail_, motions, loop, data)) {
        if (!is_reached) all.use = {};
        is_reached = true;
        continue;
      }
      const bool is_sent = std::ranges::any_of(motions, [&](const auto& one) {
        const auto named = asked_.at.find(one.second.directive);
        return one.second.kind == Motion::Kind::kTo && named != asked_.at.end() &&
               std::ranges::any_of(
                   items, [&](std::uint32_t item) { return named->second.contains(item); });
      });
      const UpdatedData updated{data, is_sent, is_mapped, whole};
      OldCopies one = use_of_old_copies(program, trail_, code_, motions, loop, updated);
      if (!is_reached || all.use.use == "no") all.use = std::move(one.use);
      all.sent_before = all.sent_before && one.sent_before;
      all.left_old = all.left_old && one.left_old;
      is_reached = true;
    }
    all.sent_before = all.sent_before && is_reached;
    all.left_old = all.left_old && is_reached;
    return all;
  }

  /// Steps from the first to the last of directives that have an item's data; of loops that hold
  /// some of them all. Not `of_program`: of each call of the innermost function that leads to all
  /// directives.
  [[nodiscard]] std::vector<Span> from_first_to_last(const std::set<const Stmt*>& of,
                                                     bool of_program, std::uint32_t item,
                                                     bool of_lifetime) const {
    std::vector<Span> spans;
    const std::vector<std::uint32_t> steps = steps_of(of);
    for (const std::uint32_t step : steps) spans.push_back({step, step + 1});
    if (spans.empty()) return spans;
    spans.clear();
    if (of_program) {
      for (const std::vector<Span>& group : by_data(steps, item)) {
        spans.push_back(around(hull(group)));
      }
      return spans;
    }
    for (const std::uint32_t call : innermost_calls(steps)) {
      std::vector<Span> inside;
      for (const std::uint32_t step : steps) {
        if (is_in_call(step, call)) inside.push_back({step, step + 1});
      }
      spans.push_back(of_lifetime ? around_in_lifetime(hull(inside), call, item)
                                  : around(hull(inside), call));
    }
    return spans;
  }

  /// Steps in groups, so that an item stands for other data in each; one where that is not certain.
  [[nodiscard]] std::vector<std::vector<Span>> by_data(const std::vector<std::uint32_t>& steps,
                                                       std::uint32_t item) const {
    struct Group {
      Places places;
      std::vector<Span> spans;
    };
    std::vector<Group> groups;
    for (const std::uint32_t step : steps) {
      Group whole;
      for (const Naming& naming : trail_.namings) {
        if (naming.item == item && naming.step == step) whole.places.add(naming.places);
      }
      whole.spans.push_back({step, step + 1});
      whole.places.is_any = whole.places.is_any || whole.places.is_empty();
      std::erase_if(groups, [&](const Group& one) {
        const bool has_common = std::ranges::any_of(
            one.places.paths, [&](const Path& path) { return whole.places.paths.contains(path); });
        if (!has_common && !one.places.is_any && !whole.places.is_any) return false;
        whole.places.add(one.places);
        whole.spans.insert(whole.spans.end(), one.spans.begin(), one.spans.end());
        return true;
      });
      groups.push_back(std::move(whole));
    }
    std::vector<std::vector<Span>> all;
    for (Group& group : groups) all.push_back(std::move(group.spans));
    return all;
  }

  /// Steps on any way from one directive to another that comes by the same data.
  [[nodiscard]] std::vector<Span> between(const std::set<const Stmt*>& from,
                                          const std::set<const Stmt*>& to, bool to_end,
                                          std::uint32_t item) const {
    std::vector<Span> spans;
    if (to_end && from == to) add_insides(from, spans);
    if (!spans.empty()) return spans;
    for (const std::uint32_t first : steps_of(from)) {
      for (const std::uint32_t last : steps_of(to, to_end)) {
        if (!are_of_others(item, first, last)) add_ways(first, last, item, spans);
      }
    }
    return spans;
  }

  /// All that runs after directives have ended; of loops around them also what comes before.
  [[nodiscard]] std::vector<Span> after(const std::set<const Stmt*>& directives) const {
    std::vector<Span> spans;
    for (const std::uint32_t step : steps_of(directives, true)) {
      Span rest{step + 1, static_cast<std::uint32_t>(trail_.steps.size())};
      for (const LoopSpan& loop : loops_) {
        if (loop.holds(step)) rest.begin = std::min(rest.begin, loop.begin);
      }
      spans.push_back(rest);
    }
    return spans;
  }

  /// What comes after directives; of data that no region reads nothing: it may be a result that
  /// another build reads.
  [[nodiscard]] StretchItemFacts facts_of_rest(const WholeProgram& program, const Item& item,
                                               std::uint32_t number,
                                               const std::set<const Stmt*>& directives) const {
    StretchItemFacts facts = facts_of(item, number, after(directives));
    const BackUse back =
        facts.found ? use_of_brought_back(program, trail_, code_,
                                          back_item(trail_, directives, number, item.expression))
                    : BackUse::kRead;
    if (back != BackUse::kRead) facts.read = facts.kernel_read = HostUse{};
    if (back == BackUse::kOverwritten) return facts;
    if (facts.found && (!program.is_whole() || program.has_late_code())) {
      facts.found = false;
      facts.why = "code that nothing calls may read it";
      return facts;
    }
    Places data;
    for (const Naming& naming : trail_.namings) {
      if (naming.item == number) data.add(naming.places);
    }
    const bool is_read = std::ranges::any_of(trail_.steps, [&](const Step& step) {
      if (step.kind != Kind::kAccess || !step.on_device) return false;
      const Access& access = trail_.accesses[step.access];
      return access.use == Use::kRead && std::ranges::any_of(data.paths, [&](const Path& path) {
               return trail_.may_be_of(access, path);
             });
    });
    if (facts.found && !is_read) {
      facts.found = false;
      facts.why = "no region reads it: it may be a result";
    }
    return facts;
  }

  /// What regions do first with an item's data that directives send.
  [[nodiscard]] StretchItemFacts facts_of_first(const WholeProgram& program, const Item& item,
                                                const std::set<const Stmt*>& directives) const {
    StretchItemFacts facts;
    facts.item = item;
    facts.found = true;
    for (HostUse* use : {&facts.read, &facts.written, &facts.renewed, &facts.kernel_written}) {
      use->use = "unknown";
    }
    std::vector<Span> spans;
    facts.kernel_read = read_first(program, trail_, code_, directives, item.expression, spans);
    const std::string doubt = doubt_about(spans);
    if (!doubt.empty()) facts.kernel_read = {"unknown", doubt, std::nullopt, false};
    return facts;
  }

  [[nodiscard]] StretchItemFacts facts_of(const Item& item, std::uint32_t number,
                                          const std::vector<Span>& spans) const {
    StretchItemFacts facts;
    facts.item = item;
    Places data;
    bool is_named = false;
    const auto is_there = [&](const Naming& naming) {
      return std::ranges::any_of(spans, [&](const Span& span) { return span.holds(naming.step); });
    };
    Places elsewhere;
    for (const Naming& naming : trail_.namings) {
      if (naming.item != number) continue;
      (is_there(naming) ? data : elsewhere).add(naming.places);
      is_named = true;
    }
    // A directive around the way names it, say.
    const bool is_elsewhere = data.is_empty();
    if (is_elsewhere) data = elsewhere;
    facts.found = is_named && !spans.empty();
    if (!facts.found) {
      facts.why = is_named ? "the code does not lead there" : "the directive is not reached";
      return facts;
    }
    if (!trail_.lost.empty()) {
      facts.why = fmt::format("the program cannot be followed: {}", trail_.lost);
    } else if (data.is_any) {
      facts.why = "not certain is which data it names";
    } else if (data.is_empty()) {
      facts.why = "the directive does not name it";
    }
    if (facts.why.empty()) facts.why = device_set_in(spans);
    if (facts.why.empty()) facts.why = doubt_about(spans);
    if (!facts.why.empty()) {
      facts.found = false;
      return facts;
    }
    const bool is_several = std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
      return naming.item == number && is_there(naming) &&
             pieces_of(naming.places) > named_alike(naming.places, spans) &&
             may_be_set(naming.pointers, spans);
    });
    if (is_several || (is_elsewhere && pieces_of(data) > 1)) {
      facts.renewed = {"unknown", "it names several pieces of data there", std::nullopt};
    }
    if (facts.renewed.use == "no") facts.renewed = changed_in(spans, number, is_elsewhere);
    const std::vector<std::uint32_t> steps = steps_with(number, data);
    for (const Span& span : spans) {
      add(span, data, naming_of(number, span), facts);
      add_loops(span, steps, facts.no_iteration);
    }
    return facts;
  }

 private:
  /// Whether an item stands for another part of its data at times: a variable of its section's
  /// bounds is set there, or a pointer is moved.
  [[nodiscard]] HostUse changed_in(const std::vector<Span>& spans, std::uint32_t item,
                                   bool is_elsewhere) const {
    std::set<Path> pointers;
    std::set<Path> values;
    std::set<Path> called;
    const auto holds = [&](std::uint32_t step) {
      return std::ranges::any_of(spans, [&](const Span& span) { return span.holds(step); });
    };
    for (const Naming& naming : trail_.namings) {
      if (naming.item != item || !(is_elsewhere || holds(naming.step))) continue;
      pointers.insert(naming.pointers.begin(), naming.pointers.end());
      values.insert(naming.values.begin(), naming.values.end());
      called.insert(naming.called.begin(), naming.called.end());
    }
    HostUse fact;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      const bool is_storage = step.kind == Kind::kMade;
      if (step.on_device || (!is_storage && step.kind != Kind::kAccess)) continue;
      if (!holds(i) && !step.is_late) continue;
      const Access& access = trail_.accesses[step.access];
      const bool is_own =
          access.reach == Access::Reach::kPath || access.reach == Access::Reach::kDeep;
      if (access.use == Use::kRead || !is_own) continue;
      const bool sets = std::ranges::any_of(is_storage ? called : values, [&](const Path& value) {
        if (is_storage) return value == access.path;
        const bool is_pointer = pointer_type(value);
        return access.path.is_same_storage(value) && (!is_pointer || access.use != Use::kWrite);
      });
      if (!sets) continue;
      tell(step, "unknown", "changes what its section is made of", fact);
      return fact;
    }
    return fact;
  }

  /// Whether a path ends at a pointer.
  static bool pointer_type(const Path& path) {
    if (!path.steps.empty() && path.steps.back() != nullptr) {
      return path.steps.back()->getType()->isAnyPointerType();
    }
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    return variable != nullptr && path.steps.empty() && variable->getType()->isAnyPointerType();
  }

  /// Whether pointers may lead to several pieces of data in the spans: some are set there. None
  /// are known: they may.
  [[nodiscard]] bool may_be_set(const std::set<Path>& pointers,
                                const std::vector<Span>& spans) const {
    if (pointers.empty()) return true;
    const auto is_set_by = [&](const Step& step) {
      const bool is_storage = step.kind == Kind::kMade || step.kind == Kind::kGone;
      if (!is_storage && step.kind != Kind::kAccess) return false;
      const Access& access = trail_.accesses[step.access];
      if (!is_storage && access.use == Use::kRead) return false;
      return std::ranges::any_of(pointers, [&](const Path& pointer) {
        return is_storage ? pointer.begins_with(access.path) : trail_.may_be_of(access, pointer);
      });
    };
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      const bool is_there = std::ranges::any_of(
          spans, [&](const Span& span) { return span.holds(i) || (step.is_late && i < span.end); });
      if (is_there && is_set_by(step)) return true;
    }
    return false;
  }

  /// Memory that a library makes in one of several ways is one piece.
  static std::size_t pieces_of(const Places& data) {
    std::set<std::vector<const Expr*>> of_libraries;
    std::size_t others = 0;
    for (const Path& path : data.paths) {
      const auto* memory = dyn_cast_or_null<const Allocation*>(path.root);
      if (memory != nullptr && memory->is_of_library) {
        of_libraries.insert(memory->calls);
      } else {
        ++others;
      }
    }
    return others + of_libraries.size();
  }

  /// How many items of one function's directives there stand for the same data: of pointers that
  /// are exchanged as many as there are pieces. Another function may have another name for one of
  /// them.
  [[nodiscard]] std::size_t named_alike(const Places& data, const std::vector<Span>& spans) const {
    std::map<const FunctionDecl*, std::set<std::string>> items;
    std::size_t most = 0;
    for (const Naming& naming : trail_.namings) {
      const bool is_there =
          std::ranges::any_of(spans, [&](const Span& span) { return span.holds(naming.step); });
      if (!is_there || naming.places.paths != data.paths) continue;
      std::set<std::string>& names = items[trail_.steps[naming.step].function];
      names.insert(asked_.items.at(naming.item).expression);
      most = std::max(most, names.size());
    }
    return most;
  }

  /// Why directives there may be for several devices; empty: they are for one.
  [[nodiscard]] std::string device_set_in(const std::vector<Span>& spans) const {
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      const bool is_there = std::ranges::any_of(
          spans, [&](const Span& span) { return span.holds(i) || (step.is_late && i < span.end); });
      if (step.kind != Kind::kDevice || !is_there) continue;
      const clang::ASTContext* context = step.context();
      const Place at = context == nullptr ? Place() : place_of(*context, *step.at);
      return fmt::format("{}:{}: the default device is set", at.file, at.line);
    }
    return {};
  }

  /// Why code of the spans may not be what was compiled; empty: it is.
  [[nodiscard]] std::string doubt_about(const std::vector<Span>& spans) const {
    for (const Span& span : spans) {
      std::set<const FunctionDecl*> functions;
      for (std::uint32_t i = span.begin; i < span.end; ++i) {
        if (trail_.steps[i].function != nullptr) functions.insert(trail_.steps[i].function);
      }
      // Of the function that the span begins in only the loop, where it is one.
      const Step& first = trail_.steps[span.begin];
      for (const FunctionDecl* function : functions) {
        const bool is_loop = function == first.function && first.kind == Kind::kLoop;
        const std::optional<Doubt> doubt =
            doubt_(*function, is_loop ? *first.at : *function->getBody());
        if (doubt)
          return fmt::format("{}:{}: the code {}", doubt->at.file, doubt->at.line, doubt->why);
      }
    }
    return {};
  }

  /// Where directives are come by, or where their code ends.
  [[nodiscard]] std::vector<std::uint32_t> steps_of(const std::set<const Stmt*>& directives,
                                                    bool ends = false) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (!directives.contains(step.at)) continue;
      const bool has_code = has_own_code(*cast<Directive>(step.at));
      const Kind kind = ends && has_code ? Kind::kDirectiveEnd : Kind::kDirective;
      if (step.kind == kind) found.push_back(i);
    }
    return found;
  }

  static Span hull(const std::vector<Span>& spans) {
    return {std::ranges::min(spans, {}, &Span::begin).begin,
            std::ranges::max(spans, {}, &Span::end).end};
  }

  [[nodiscard]] bool is_in_call(std::uint32_t step, std::uint32_t call) const {
    std::uint32_t at = trail_.steps[step].call;
    while (at != call && at != 0) at = trail_.callers[at];
    return at == call;
  }

  /// Calls that lead to all of the directives at these steps, and in which no call does.
  [[nodiscard]] std::vector<std::uint32_t> innermost_calls(
      const std::vector<std::uint32_t>& steps) const {
    std::map<std::uint32_t, std::set<const Stmt*>> led_to;
    std::set<const Stmt*> all;
    for (const std::uint32_t step : steps) {
      all.insert(trail_.steps[step].at);
      std::uint32_t call = trail_.steps[step].call;
      for (; call != 0; call = trail_.callers[call]) led_to[call].insert(trail_.steps[step].at);
      led_to[0].insert(trail_.steps[step].at);
    }
    std::set<std::uint32_t> calls;
    for (const auto& [call, directives] : led_to) {
      if (directives == all) calls.insert(call);
    }
    std::vector<std::uint32_t> innermost;
    std::ranges::copy_if(calls, std::back_inserter(innermost), [&](std::uint32_t call) {
      return std::ranges::none_of(calls, [&](std::uint32_t other) {
        return other != 0 && other != call && trail_.callers[other] == call;
      });
    });
    return innermost;
  }

  /// With all of each loop that holds some of it; of those that begin in a call.
  [[nodiscard]] Span around(Span span, std::uint32_t call = 0) const {
    return around_but_for(span, call, [](const Span&) { return false; });
  }

  /// The same, but for loops whose iterations make the data of an item: it is not there in another
  /// iteration.
  [[nodiscard]] Span around_in_lifetime(Span span, std::uint32_t call, std::uint32_t item) const {
    return around_but_for(span, call,
                          [&](const Span& loop) { return is_made_in_each(item, loop); });
  }

  template <class Leaves>
  [[nodiscard]] Span around_but_for(Span span, std::uint32_t call, Leaves&& leaves) const {
    // Loops outside come first: what they add is looked at again.
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (const LoopSpan& loop : loops_) {
        const bool has_some = loop.begin < span.end && span.begin < loop.end;
        if (!has_some || span.holds(loop) || !is_in_call(loop.begin, call)) continue;
        if (loop.holds(span) && leaves(loop)) continue;
        span = {std::min(span.begin, loop.begin), std::max(span.end, loop.end)};
        is_more = true;
      }
    }
    return span;
  }

  /// Whether all data that an item names in a loop is made in the iteration that names it.
  [[nodiscard]] bool is_made_in_each(std::uint32_t item, const Span& loop) const {
    const bool is_left =
        std::any_of(trail_.steps.begin() + loop.begin, trail_.steps.begin() + loop.end,
                    [](const Step& one) { return one.kind == Kind::kJump && goes_anywhere(one); });
    if (is_left) return false;
    return std::ranges::all_of(trail_.namings, [&](const Naming& naming) {
      if (naming.item != item || !loop.holds(naming.step)) return true;
      // Pointers that are exchanged may leave with another name than they came with.
      return !naming.places.is_any && naming.places.paths.size() == 1 &&
             is_made_before(naming.places.paths.begin()->root, naming.step, loop);
    });
  }

  /// Whether storage is made in a loop, and nowhere else, on each way to a step of its iteration.
  [[nodiscard]] bool is_made_before(Path::Root root, std::uint32_t step, const Span& loop) const {
    bool is_made = false;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& one = trail_.steps[i];
      if (one.kind != Kind::kMade || trail_.accesses[one.access].path.root != root) continue;
      if (!loop.holds(i)) return false;
      is_made = is_made || (i < step && code_.is_under(trail_.steps[step].branch, one.branch));
    }
    return is_made;
  }

  /// With the code that other threads may run meanwhile, unless they have an item's data each.
  [[nodiscard]] Span with_threads(const Span& span, std::uint32_t item) const {
    for (const LoopSpan& loop : loops_) {
      if (loop.holds(span) && isa<Directive>(loop.loop) && !is_of_one_thread(item, loop)) {
        return loop;
      }
    }
    return span;
  }

  /// Whether each thread of a loop's code has an item's data of its own.
  [[nodiscard]] bool is_of_one_thread(std::uint32_t item, const Span& code) const {
    Places data;
    for (const Naming& naming : trail_.namings) {
      if (naming.item == item && code.holds(naming.step)) data.add(naming.places);
    }
    return !data.is_any && trail_.is_of_one_thread(data.paths, code.begin, code.end);
  }

  /// Whether a step is run in each iteration of a loop that holds it.
  [[nodiscard]] bool is_in_each(std::uint32_t step, const Span& loop) const {
    // The loop's own condition is what its body depends on.
    std::uint32_t body = trail_.steps[loop.begin].branch;
    for (std::uint32_t at = trail_.steps[step].branch; at != body; at = trail_.branches[at]) {
      if (trail_.branches[at] == body) {
        const bool is_body = std::all_of(
            trail_.steps.begin() + loop.begin, trail_.steps.begin() + step,
            [&](const Step& one) { return one.branch == body || code_.is_under(one.branch, at); });
        if (!is_body) return false;
        body = at;
        if (trail_.steps[step].branch != at) return false;
        break;
      }
      if (at == 0) return false;
    }
    return !may_be_jumped(loop.begin, step);
  }

  /// Whether a jump on the way to a later step may lead past that: one of a function that is not
  /// left by then.
  [[nodiscard]] bool may_be_jumped(std::uint32_t from, std::uint32_t step) const {
    return std::any_of(
        trail_.steps.begin() + from, trail_.steps.begin() + step,
        [&](const Step& one) { return one.kind == Kind::kJump && is_in_call(step, one.call); });
  }

  /// Of directives with code: a region, or `target data`.
  void add_insides(const std::set<const Stmt*>& directives, std::vector<Span>& spans) const {
    std::map<const Stmt*, std::uint32_t> open;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (!directives.contains(step.at)) continue;
      if (step.kind == Kind::kDirective) open[step.at] = i;
      if (step.kind == Kind::kDirectiveEnd) spans.push_back({open[step.at], i + 1});
    }
  }

  /// Whether an item certainly stands for other data at one step than at another.
  [[nodiscard]] bool are_of_others(std::uint32_t item, std::uint32_t first,
                                   std::uint32_t last) const {
    Places one;
    Places other;
    for (const Naming& naming : trail_.namings) {
      if (naming.item != item) continue;
      if (naming.step == first) one.add(naming.places);
      if (naming.step == last) other.add(naming.places);
    }
    if (one.is_any || other.is_any || one.is_empty() || other.is_empty()) return false;
    return std::ranges::none_of(one.paths,
                                [&](const Path& path) { return other.paths.contains(path); });
  }

  void add_ways(std::uint32_t first, std::uint32_t last, std::uint32_t item,
                std::vector<Span>& spans) const {
    Span way{std::min(first, last), std::max(first, last) + 1};
    // A way that leaves the iteration of such a loop comes by the first again before the last.
    const auto same_iteration = std::ranges::find_if(loops_, [&](const LoopSpan& loop) {
      return loop.holds(first) && loop.holds(last) && !isa<Directive>(loop.loop) && first < last &&
             is_in_each(first, loop);
    });
    for (const LoopSpan& loop : loops_) {  // those outside first
      const bool has_first = loop.holds(first);
      const bool has_last = loop.holds(last);
      const bool is_beside = isa<Directive>(loop.loop);
      if (is_beside && has_first && has_last && is_of_one_thread(item, loop)) continue;
      if (has_first && has_last) {
        const bool is_around = same_iteration != loops_.end() && loop.holds(*same_iteration);
        // From the one to the other in the same iteration, or on to a later one.
        const bool is_same = first < last && (is_around || is_in_each(first, loop));
        if (!is_beside && is_same) continue;
        spans.push_back(loop);
        return;
      }
      if (has_first && (is_beside || !is_in_each(first, loop)))
        way.begin = std::min(way.begin, loop.begin);
      if (has_first) way.end = std::max(way.end, loop.end);
      // An edit of a directive is one of each time that it is come by.
      if (has_last) way.end = std::max(way.end, loop.end);
    }
    // The one is behind the other, and no loop leads back.
    if (first < last) spans.push_back(way);
  }

  /// A directive that names an item: the innermost loop around it in a span, or that, and its
  /// branch.
  struct Named {
    Span loop;
    std::uint32_t branch = 0;
    std::uint32_t step = 0;
  };

  [[nodiscard]] std::vector<Named> naming_of(std::uint32_t item, const Span& span) const {
    std::vector<Named> all;
    for (const Naming& naming : trail_.namings) {
      if (naming.item != item || !span.holds(naming.step)) continue;
      Span inner = span;
      for (const LoopSpan& loop : loops_) {  // those outside first
        if (inner.holds(loop) && loop.holds(naming.step)) inner = loop;
      }
      all.push_back({inner, trail_.steps[naming.step].branch, naming.step});
    }
    return all;
  }

  void add(const Span& span, const Places& data, const std::vector<Named>& naming,
           StretchItemFacts& facts) const {
    const Step* gone = nullptr;
    for (std::uint32_t i = 0; i < span.end; ++i) {
      const Step& step = trail_.steps[i];
      if (i < span.begin && !step.is_late) continue;
      if (step.kind == Kind::kAccess) {
        const Span* loop = loop_of_use(i, naming);
        // What the run did on the device the host may do in any number of other iterations.
        const bool is_undecided = loop == nullptr && is_of_undecided_region(i, span) &&
                                  !is_mapped_in_each(naming, span) &&
                                  !is_shown_by_contents(i, data);
        if (is_undecided) loop = loop_of_use(region_of(i), naming);
        add_access(i, data, loop, facts);
      }
      if (step.kind == Kind::kMade || step.kind == Kind::kGone) {
        const Path& storage = trail_.accesses[step.access].path;
        const bool is_its = std::ranges::any_of(
            data.paths, [&](const Path& path) { return path.begins_with(storage); });
        if (!is_its || i < span.begin) continue;
        if (step.kind == Kind::kMade) tell(step, "yes", {}, facts.renewed);
        if (step.kind == Kind::kGone && gone == nullptr) gone = &step;
      }
    }
    // Where it is made tells more than where it is freed.
    if (gone != nullptr) tell(*gone, "yes", {}, facts.renewed);
  }

  /// The directive's step of the region that a step of the host belongs to.
  [[nodiscard]] std::uint32_t region_of(std::uint32_t step) const {
    const Stmt* region = host_region_at_.at(step);
    while (step > 0 &&
           (trail_.steps[step].kind != Kind::kDirective || trail_.steps[step].at != region)) {
      --step;
    }
    return step;
  }

  /// Whether contents show how often the host runs the region of a step: it writes the data, which
  /// is moved at least once each time.
  [[nodiscard]] bool is_shown_by_contents(std::uint32_t step, const Places& data) const {
    if (!is_written_by_region(step, data)) return false;
    const std::uint32_t region = region_of(step);
    return std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
      const auto& directive = *cast<Directive>(trail_.steps[naming.step].at);
      const bool is_its = std::ranges::any_of(
          naming.places.paths, [&](const Path& path) { return data.paths.contains(path); });
      return is_its && device_condition(directive) == nullptr &&
             innermost_around(naming.step) == innermost_around(region) &&
             code_.is_under(trail_.steps[region].branch, trail_.steps[naming.step].branch);
    });
  }

  /// Null: there is no loop.
  [[nodiscard]] const LoopSpan* innermost_around(std::uint32_t step) const {
    const LoopSpan* inner = nullptr;
    for (const LoopSpan& loop : loops_) {  // those outside first
      if (loop.holds(step)) inner = &loop;
    }
    return inner;
  }

  /// Whether the region of a step of the host writes the data.
  [[nodiscard]] bool is_written_by_region(std::uint32_t step, const Places& data) const {
    for (std::uint32_t i = region_of(step) + 1; i < trail_.steps.size(); ++i) {
      const Step& one = trail_.steps[i];
      if (one.kind == Kind::kDirectiveEnd && one.at == host_region_at_.at(step)) break;
      if (one.kind != Kind::kAccess || one.on_device) continue;
      const Access& access = trail_.accesses[one.access];
      const bool writes = access.use == Use::kWrite || access.use == Use::kChange;
      const bool is_its = writes && std::ranges::any_of(data.paths, [&](const Path& path) {
                            return trail_.may_be_of(access, path);
                          });
      if (is_its) return true;
    }
    return false;
  }

  /// Whether a region without an if() clause names the item in each iteration.
  [[nodiscard]] bool is_mapped_in_each(const std::vector<Named>& naming, const Span& loop) const {
    return std::ranges::any_of(naming, [&](const Named& one) {
      const auto& directive = *cast<Directive>(trail_.steps[one.step].at);
      return runs_on_device(directive) && device_condition(directive) == nullptr &&
             is_in_each(one.step, loop);
    });
  }

  /// Whether the host runs the region of a step where an if() clause says so, which asks for
  /// variables that change in the span.
  [[nodiscard]] bool is_of_undecided_region(std::uint32_t step, const Span& span) const {
    const auto region = host_region_at_.find(step);
    if (region == host_region_at_.end()) return false;
    const Expr* condition = device_condition(*cast<Directive>(region->second));
    if (condition == nullptr) return false;
    std::set<std::string> names;
    for (const auto* one : all_in<clang::DeclRefExpr>(condition)) {
      names.insert(one->getDecl()->getNameAsString());
    }
    for (std::uint32_t i = span.begin; i < span.end && !names.empty(); ++i) {
      const Step& one = trail_.steps[i];
      if (one.kind != Kind::kAccess || one.on_device) continue;
      const Access& access = trail_.accesses[one.access];
      const auto* variable = dyn_cast_or_null<const VarDecl*>(access.path.root);
      if (access.use != Use::kRead && variable != nullptr &&
          names.contains(variable->getNameAsString())) {
        return true;
      }
    }
    return false;
  }

  /// The loop, of those around a directive that names the data, in which a step is run as often as
  /// the directive: each branch around the step is around that, too. Null: it may be run less
  /// often. Loops are taken to have iterations.
  [[nodiscard]] const Span* loop_of_use(std::uint32_t step,
                                        const std::vector<Named>& naming) const {
    const auto found = std::ranges::find_if(naming, [&](const Named& named) {
      return named.loop.holds(step) && is_as_often(trail_.steps[step].branch, named.branch);
    });
    return found == naming.end() ? nullptr : &found->loop;
  }

  [[nodiscard]] bool is_as_often(std::uint32_t branch, std::uint32_t other) const {
    for (; !code_.is_under(other, branch); branch = trail_.branches[branch]) {
      if (branch == 0 || !code_.is_body(branch)) return false;
    }
    return true;
  }

  /// Adds the regions of a loop that use the data next after a step of the host's, or that wrote it
  /// last before: as many as there are until one that is run as often as the step.
  void add_beside(std::uint32_t step, const Span& loop, const Places& data, bool after,
                  HostUse& use) const {
    const std::uint32_t count = loop.end - loop.begin;
    const std::uint32_t outside = trail_.steps[step].branch;
    for (std::uint32_t k = 1; k < count; ++k) {
      const std::uint32_t offset = step - loop.begin + (after ? k : count - k);
      const std::uint32_t number = loop.begin + offset % count;
      const Step& one = trail_.steps[number];
      if (one.kind != Kind::kAccess || !one.on_device) continue;
      const Access& access = trail_.accesses[one.access];
      const bool counts = after || access.use != Use::kRead;
      const bool is_its = counts && std::ranges::any_of(data.paths, [&](const Path& path) {
                            return trail_.may_be_of(access, path);
                          });
      const Stmt* region = is_its ? region_at_.at(number) : nullptr;
      if (region == nullptr) continue;
      const Place place = place_of(*one.context(), *region);
      const bool is_known = std::ranges::any_of(use.beside, [&](const Place& known) {
        return known.file == place.file && known.line == place.line;
      });
      if (!is_known) use.beside.push_back(place);
      std::uint32_t around = one.branch;  // of what both are in
      while (around != 0 && !code_.is_under(outside, around) && code_.is_body(around)) {
        around = trail_.branches[around];
      }
      if (code_.is_under(outside, around)) return;
    }
  }

  void add_access(std::uint32_t number, const Places& data, const Span* loop,
                  StretchItemFacts& facts) const {
    const Step& step = trail_.steps[number];
    const Access& access = trail_.accesses[step.access];
    const bool is_its = std::ranges::any_of(
        data.paths, [&](const Path& path) { return trail_.may_be_of(access, path); });
    if (!is_its) {
      if (!may_be_same(access, data)) return;
      const char* why = "uses what may be the same data";
      tell(step, "unknown", why, step.on_device ? facts.kernel_read : facts.read);
      tell(step, "unknown", why, step.on_device ? facts.kernel_written : facts.written);
      return;
    }
    const bool is_open = access.use == Use::kUnknown;
    HostUse& read = step.on_device ? facts.kernel_read : facts.read;
    HostUse& written = step.on_device ? facts.kernel_written : facts.written;
    if (is_open) {
      tell(step, "unknown", access.why, read);
      tell(step, "unknown", access.why, written);
    }
    const bool reads = access.use == Use::kRead || access.use == Use::kChange;
    const bool writes = access.use == Use::kWrite || access.use == Use::kChange;
    if (reads) tell(step, "yes", {}, read);
    if (writes) tell(step, "yes", {}, written);
    if (loop == nullptr) return;
    read.always = read.always || reads;
    written.always = written.always || writes;
    if (step.on_device) return;
    if (reads) add_beside(number, *loop, data, false, read);
    if (writes) add_beside(number, *loop, data, true, written);
  }

  /// Directives that name an item or its data, and regions whose code uses it.
  [[nodiscard]] std::vector<std::uint32_t> steps_with(std::uint32_t item,
                                                      const Places& data) const {
    std::set<std::uint32_t> all;
    for (const Naming& naming : trail_.namings) {
      const bool is_its =
          naming.item == item || std::ranges::any_of(naming.places.paths, [&](const Path& path) {
            return data.paths.contains(path);
          });
      if (is_its) all.insert(naming.step);
    }
    std::uint32_t region = 0;
    for (std::uint32_t i = 0; i < trail_.steps.size(); ++i) {
      const Step& step = trail_.steps[i];
      if (step.kind == Kind::kDirective && runs_on_device(*cast<Directive>(step.at))) region = i;
      if (step.kind != Kind::kAccess || !step.on_device || all.contains(region)) continue;
      const bool uses = std::ranges::any_of(data.paths, [&](const Path& path) {
        return trail_.may_be_of(trail_.accesses[step.access], path);
      });
      if (uses) all.insert(region);
    }
    return {all.begin(), all.end()};
  }

  /// Loops of the span that lead to directives which have to do with the item.
  void add_loops(const Span& span, const std::vector<std::uint32_t>& steps, HostUse& fact) const {
    for (const LoopSpan& loop : loops_) {
      const auto is_in = [&](std::uint32_t step) { return loop.holds(step) && span.holds(step); };
      if (isa<Directive>(loop.loop) || std::ranges::none_of(steps, is_in)) continue;
      const bool has_iterations = code_.has_iterations(loop);
      const bool is_certain = has_iterations && std::ranges::any_of(steps, [&](std::uint32_t step) {
                                return is_in(step) && is_run_in_each(step, loop);
                              });
      if (is_certain) continue;
      const char* why = has_iterations ? "its iterations may leave out the directive"
                                       : "how many iterations it has is not certain";
      tell(trail_.steps[loop.begin], "unknown", why, fact);
    }
  }

  /// Whether each iteration of a loop comes to a step, be it by loops inside.
  [[nodiscard]] bool is_run_in_each(std::uint32_t step, const LoopSpan& loop) const {
    const LoopSpan* inner = &loop;
    for (const LoopSpan& one : loops_) {  // those outside first
      if (one.begin > inner->begin && one.end <= inner->end && one.holds(step) &&
          !isa<Directive>(one.loop)) {
        if (!is_in_each(one.begin, *inner)) return false;
        inner = &one;
      }
    }
    const bool is_left = may_be_jumped(inner->begin, step);
    return !is_left && is_in_each(step, *inner);
  }

  /// Whether both lead to data that is not of this code, by different names and in one type.
  static bool may_be_same(const Access& access, const Places& data) {
    const VarDecl* one = outside(access.path);
    return one != nullptr && std::ranges::any_of(data.paths, [&](const Path& path) {
             const VarDecl* other = outside(path);
             return other != nullptr && other != one && !are_apart(*one, *other);
           });
  }

  /// By their types: numbers of different ones.
  static bool are_apart(const VarDecl& one, const VarDecl& other) {
    const auto number = [](const VarDecl& pointer) {
      const clang::QualType type = pointer.getType()->getPointeeType();
      const bool is_number =
          !type.isNull() && type->isArithmeticType() && !type->isAnyCharacterType();
      return is_number ? type.getCanonicalType().getUnqualifiedType() : clang::QualType();
    };
    const clang::QualType first = number(one);
    const clang::QualType second = number(other);
    return !first.isNull() && !second.isNull() && first != second;
  }

  /// The pointer that somebody hands to a function which no code that is seen calls.
  static const VarDecl* outside(const Path& path) {
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    if (variable == nullptr || !isa<clang::ParmVarDecl>(variable)) return nullptr;
    if (!path.is_through_pointer() || variable->getType().isRestrictQualified()) return nullptr;
    return variable;
  }

  /// The first statement, and one that is certain before one that is not.
  static void tell(const Step& step, const char* use, const std::string& why, HostUse& fact) {
    const bool is_better = fact.use == "no" || (fact.use == "unknown" && std::string(use) == "yes");
    if (!is_better) return;
    fact.use = use;
    fact.why = why;
    if (step.at != nullptr && step.function != nullptr)
      fact.at = place_of(*step.context(), *step.at);
  }

  const Trail& trail_;
  const Asked& asked_;
  const DoubtAbout& doubt_;
  TrailLoops code_;
  const std::vector<LoopSpan>& loops_;
  std::map<std::uint32_t, const Stmt*> region_at_;       ///< by steps of devices
  std::map<std::uint32_t, const Stmt*> host_region_at_;  ///< by steps of the host in regions
};

/// Directives, and loops, of all units at places.
struct Found {
  std::set<const Stmt*> statements;
  std::set<const FunctionDecl*> functions;

  void add_directives(const WholeProgram& program, const std::vector<Place>& places) {
    for (const Program* unit : program.units()) {
      for (const Place& place : places) {
        for (const Directive* one : unit->directives_at(place)) add(*unit, *one);
      }
    }
  }

  void add_loops(const WholeProgram& program, const Place& place) {
    for (const Program* unit : program.units()) {
      for (const Stmt* loop : unit->loops_at(place)) add(*unit, *loop);
    }
  }

 private:
  void add(const Program& unit, const Stmt& statement) {
    statements.insert(&statement);
    const FunctionDecl* function = unit.function_of(statement);
    if (function != nullptr) functions.insert(function);
  }
};

/// Updates that would be written where the host uses data of a loop.
enum class HostUpdates : std::uint8_t {
  kFewer,       ///< than those that would go
  kAsMany,      ///< of all of the data
  kOfElements,  ///< and of no more
};
HostUpdates updates_of_host(const WholeProgram& program, const Stretch& stretch) {
  const auto edit = [&](const char* kind, const char* side, const char* of, const char* when) {
    Edit made;
    made.kind = kind;
    made.side = side;
    made.of = of;
    made.directive = "target update";
    made.when = when;
    made.places = stretch.places;
    return made;
  };
  Finding finding;
  const auto add = [&](const char* side, const char* of, const char* when, const char* clause) {
    finding.edits.push_back(edit("insert", side, of, when));
    finding.edits.back().clauses = {{clause, {stretch.items.front()}}};
  };
  add("before", "loop", "always", "to");
  add("after", "loop", "always", "from");
  add("within", "uses", "host_uses", "from");
  add("within", "uses", "host_changed", "to");
  for (const Item& item : stretch.items) {
    finding.edits.push_back(edit("remove", "at", "directive", "always"));
    finding.edits.back().places = {item.named_at};
  }
  for (const Program* unit : program.units()) {
    try {
      const Stay stay = stay_of(*unit, finding);
      if (stay.kept.empty()) continue;
      const Stmt& loop = loop_of(*unit, stay);
      const Residence residence = residence_of(*unit, loop, stay, items_of(stay));
      const bool is_of_elements = std::ranges::all_of(residence.updates, &Update::is_of_element);
      if (is_of_elements && !residence.updates.empty()) return HostUpdates::kOfElements;
    } catch (const Vain&) {
      return HostUpdates::kAsMany;
    } catch (const Refusal&) {
      continue;  // the patch says why there is none
    }
  }
  return HostUpdates::kFewer;
}

/// Adds what the program's regions name, too: pointers that are exchanged are known by the names of
/// all the data.
void add_items_of_regions(const WholeProgram& program, Asked& asked) {
  for (const Program* unit : program.units()) {
    for (const FunctionDecl* function : unit->functions()) {
      each_statement(function->getBody(), [&](const Stmt& one) {
        const auto* directive = dyn_cast<Directive>(&one);
        if (directive == nullptr || !runs_on_device(*directive)) return;
        for (const MapItem& item : mapped_items(*directive, true)) {
          asked.at[directive].insert(static_cast<std::uint32_t>(asked.items.size()));
          asked.items.push_back({text_of(unit->context(), *item.item)});
        }
      });
    }
  }
}

struct Question {
  Found places;
  Found from;
  std::vector<std::uint32_t> items;  // positions in Asked::items
};

}  // namespace

std::vector<StretchFacts> facts_of(const WholeProgram& program,
                                   const std::vector<Stretch>& stretches, const DoubtAbout& doubt) {
  Asked asked;
  std::vector<Question> questions;
  std::set<const FunctionDecl*> functions;
  for (const Stretch& stretch : stretches) {
    Question& question = questions.emplace_back();
    if (stretch.kind == "loop" || stretch.kind == "resident") {
      for (const Place& place : stretch.places) question.places.add_loops(program, place);
    } else {
      question.places.add_directives(program, stretch.places);
    }
    question.from.add_directives(program, stretch.from);
    for (const Item& item : stretch.items) {
      const auto number = static_cast<std::uint32_t>(asked.items.size());
      asked.items.push_back({item.expression});
      question.items.push_back(number);
      Found naming;
      naming.add_directives(program, {item.named_at});
      for (const Stmt* one : naming.statements) asked.at[cast<Directive>(one)].insert(number);
      functions.insert(naming.functions.begin(), naming.functions.end());
    }
    functions.insert(question.places.functions.begin(), question.places.functions.end());
  }
  const bool any_loop = std::ranges::any_of(
      stretches, [](const Stretch& one) { return one.kind == "resident" || one.kind == "loop"; });
  std::map<std::uint32_t, Motion> motions;
  if (any_loop) {
    motions = motions_of(program, asked);
    add_items_of_regions(program, asked);
  }
  CodeWalk walk;
  const Trail& trail = walk.of_program(program, asked, {functions.begin(), functions.end()});
  const HostCode code(trail, asked, doubt);
  std::vector<StretchFacts> all;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    const Question& question = questions[i];
    StretchFacts& facts = all.emplace_back();
    facts.number = stretch.number;
    for (std::size_t k = 0; k < stretch.items.size(); ++k) {
      const std::uint32_t item = question.items[k];
      const std::set<const Stmt*>& places = question.places.statements;
      if (stretch.kind == "first" || stretch.kind == "rest") {
        facts.items.push_back(stretch.kind == "first"
                                  ? code.facts_of_first(program, stretch.items[k], places)
                                  : code.facts_of_rest(program, stretch.items[k], item, places));
        continue;
      }
      std::vector<Span> spans;
      const bool is_resident = stretch.kind == "resident";
      const bool is_loop = stretch.kind == "loop" || is_resident;
      if (is_loop) {
        spans = code.in_loops(question.places.statements, item, stretch.all_entries);
      } else if (stretch.kind == "way") {
        spans = code.between(question.from.statements, question.places.statements, stretch.to_end,
                             item);
      } else {
        spans = code.from_first_to_last(question.places.statements, stretch.all_entries, item,
                                        stretch.kind == "lifetime");
      }
      facts.items.push_back(code.facts_of(stretch.items[k], item, spans));
      StretchItemFacts& its_facts = facts.items.back();
      its_facts.again = is_loop ? code.come_to_again(places) : HostUse{"unknown", {}, {}};
      if (stretch.kind == "way") {
        its_facts.again = std::exchange(its_facts.no_iteration,
                                        code.come_without(question.from.statements, places));
      }
      HostUse& stale = its_facts.stale;
      stale = {"unknown", {}, {}};
      if (is_loop) {
        const std::vector<std::uint32_t> its = {item};
        OldCopies old = code.stale_in(program, motions, is_resident ? question.items : its, places,
                                      !is_resident);
        stale = std::move(old.use);
        its_facts.sent_before = is_resident && old.sent_before;
        its_facts.left_old = is_resident && old.left_old;
      }
      if (!is_resident || stale.use != "no") continue;
      const HostUpdates updates = updates_of_host(program, stretch);
      if (updates == HostUpdates::kAsMany) {
        stale = {"unknown", "as many updates would be needed where the host uses it", {}};
      }
      for (HostUse* use : {&its_facts.read, &its_facts.written}) {
        use->of_elements = use->use == "yes" && updates == HostUpdates::kOfElements;
      }
    }
  }
  return all;
}

}  // namespace ompdm::edit
