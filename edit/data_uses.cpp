#include "data_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "names.h"

namespace ompdm::edit {

using Kind = Step::Kind;

DataUses::DataUses(const Trail& trail, const Asked& asked,
                   const std::map<std::uint32_t, Motion>& motions, const TrailLoops& code,
                   const Spans& spans, const DoubtAbout& doubt)
    : trail_(trail),
      asked_(asked),
      motions_(motions),
      code_(code),
      loops_(code.all()),
      spans_(spans),
      doubt_(doubt) {
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

StretchItemFacts DataUses::facts_of(const Item& item, std::uint32_t number,
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
  // A directive around the path names it, say.
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

StretchItemFacts DataUses::facts_of_first(const WholeProgram& program, const Item& item,
                                          std::uint32_t number,
                                          const std::set<const Stmt*>& directives) const {
  StretchItemFacts facts;
  facts.item = item;
  facts.found = true;
  for (HostUse* use : {&facts.read, &facts.written, &facts.renewed, &facts.kernel_written}) {
    use->use = "unknown";
  }
  std::vector<Span> spans;
  facts.kernel_read =
      read_first(program, trail_, code_, directives, {number, item.expression}, spans);
  const std::string doubt = doubt_about(spans);
  if (!doubt.empty()) facts.kernel_read = {"unknown", doubt, std::nullopt, false};
  return facts;
}

std::pair<StretchItemFacts, BackUse> DataUses::behind(
    const WholeProgram& program, const Item& item, std::uint32_t number,
    const std::set<const Stmt*>& directives) const {
  StretchItemFacts facts = facts_of(item, number, spans_.after(directives));
  const BackItem item_back = back_item(trail_, directives, number, item.expression);
  // Where no clause of the directive has the item, the use of the copied data is not known.
  const BackUse back = facts.found && !item_back.items.empty()
                           ? use_of_brought_back(program, trail_, code_, item_back)
                           : BackUse::kRead;
  if (back != BackUse::kRead) facts.read = facts.kernel_read = HostUse{};
  const bool is_unseen = !program.is_whole() || program.has_late_code();
  if (back != BackUse::kOverwritten && facts.found && is_unseen) {
    facts.found = false;
    facts.why = "code that nothing calls may read it";
  }
  return {std::move(facts), back};
}

bool DataUses::has_moving_member(std::uint32_t number) const {
  std::set<Path> members;
  for (const Naming& naming : trail_.namings) {
    if (naming.item != number) continue;
    for (const Path& path : naming.pointers) {
      if (!path.steps.empty()) members.insert(path);
    }
  }
  return std::ranges::any_of(members, [&](const Path& member) {
    return std::ranges::count_if(trail_.steps, [&](const Step& step) {
             if (step.kind != Kind::kAccess || step.on_device) return false;
             const Access& access = trail_.accesses[step.access];
             return access.use != Use::kRead && access.path.is_same_storage(member);
           }) > 1;
  });
}

StretchItemFacts DataUses::facts_after(const WholeProgram& program, const Item& item,
                                       std::uint32_t number,
                                       const std::set<const Stmt*>& directives) const {
  StretchItemFacts facts = behind(program, item, number, directives).first;
  if (!facts.found || facts.read.use != "yes") return facts;
  // Data that a directive copies back before a read is new.
  std::set<const VarDecl*> roots;
  for (const Naming& naming : trail_.namings) {
    if (naming.item != number) continue;
    for (const std::set<Path>* paths : {&naming.pointers, &naming.places.paths}) {
      for (const Path& path : *paths) {
        if (const auto* root = dyn_cast_or_null<const VarDecl*>(path.root)) roots.insert(root);
      }
    }
  }
  // In the trail the destructor of an object stands at the object's declaration.
  const bool is_late = std::ranges::any_of(trail_.steps, [&](const Step& step) {
    return step.kind == Kind::kDirective && step.is_late && directives.contains(step.at);
  });
  // After an exchange of pointers, data may be copied back under another name.
  if (is_late || has_moving_member(number) ||
      std::ranges::any_of(roots, [&](const VarDecl* root) { return is_moved(*root); })) {
    facts.read = {"unknown",
                  is_late ? "its directive runs at the end of a scope" : "its pointer is set again",
                  std::nullopt};
    return facts;
  }
  // Data that the host sets before a read is new, too.
  Places data;
  for (const Naming& naming : trail_.namings) {
    if (naming.item == number) data.add(naming.places);
  }
  const auto is_its = [&](const Access& access) {
    return std::ranges::any_of(data.paths,
                               [&](const Path& path) { return trail_.may_be_of(access, path); });
  };
  const auto sets = [&](const Access& access) {
    const bool may_write = access.use != Use::kRead && access.use != Use::kNone;
    return may_write && !access.is_step && is_its(access);
  };
  const auto renews = [&](const Step& step) {
    if (step.kind == Kind::kAccess && !step.on_device) return sets(trail_.accesses[step.access]);
    if (step.kind == Kind::kMade) return is_its(trail_.accesses[step.access]);
    if (step.kind != Kind::kDirective && step.kind != Kind::kDirectiveEnd) return false;
    return isa<Directive>(step.at) && may_bring_back(step, data, roots);
  };
  HostUse read = facts_of(item, number, spans_.after_until(directives, renews)).read;
  if (read.use == "no") {
    read = {"unknown", "the host may set it before, or a directive bring it back", std::nullopt};
  }
  facts.read = std::move(read);
  return facts;
}

bool DataUses::may_bring_back(const Step& step, const Places& data,
                              const std::set<const VarDecl*>& roots) const {
  const auto& directive = *cast<Directive>(step.at);
  const auto meets = [](const Path& one, const Path& other) {
    return one.is_same_storage(other) || one.begins_with(other) || other.begins_with(one) ||
           may_be_same(one, other);
  };
  for (const auto& [number, motion] : motions_) {
    const bool returns = motion.kind == Motion::Kind::kFrom ||
                         (motion.kind == Motion::Kind::kMapped && motion.returns);
    if (motion.directive != &directive || !returns) continue;
    Places its;
    for (const Naming& naming : trail_.namings) {
      const Step& at = trail_.steps[naming.step];
      if (naming.item == number && at.at == &directive && at.call == step.call) {
        its.add(naming.places);
      }
    }
    if (its.is_any || its.is_empty() || data.is_any) return may_bring_back(directive, roots);
    for (const Path& path : its.paths) {
      if (std::ranges::any_of(data.paths, [&](const Path& one) { return meets(one, path); })) {
        return true;
      }
    }
  }
  // Data that no clause names is copied back by its name.
  return runs_on_device(directive) && may_bring_back(directive, roots);
}

bool DataUses::may_bring_back(const Directive& directive,
                              const std::set<const VarDecl*>& roots) const {
  const bool any = roots.empty() || std::ranges::any_of(roots, [](const VarDecl* root) {
                     return isa<clang::ParmVarDecl>(root);
                   });
  const auto is_its = [&](const Expr& item) {
    const VarDecl* variable = root_variable(item);
    if (variable == nullptr) return true;
    const clang::QualType type = variable->getType();
    if (type.getNonReferenceType()->isArithmeticType()) {
      return roots.contains(variable) || type->isReferenceType();
    }
    return any || isa<clang::ParmVarDecl>(variable) || roots.contains(variable) ||
           is_moved(*variable);
  };
  for (const auto* clause : directive.getClausesOfKind<clang::OMPFromClause>()) {
    if (std::ranges::any_of(clause->varlists(), [&](const Expr* item) { return is_its(*item); })) {
      return true;
    }
  }
  return std::ranges::any_of(mapped_items(directive, kWritten), [&](const MapItem& mapped) {
    const clang::OpenMPMapClauseKind type = mapped.clause->getMapType();
    const bool returns = type == clang::OMPC_MAP_from || type == clang::OMPC_MAP_tofrom;
    return returns && is_its(*mapped.item);
  });
}

bool DataUses::is_moved(const VarDecl& pointer) const {
  if (!pointer.getType().getNonReferenceType()->isAnyPointerType()) return false;
  std::size_t sets = pointer.hasInit() || isa<clang::ParmVarDecl>(pointer) ? 1 : 0;
  for (const Access& access : trail_.accesses) {
    const bool is_its =
        dyn_cast_or_null<const VarDecl*>(access.path.root) == &pointer && access.path.steps.empty();
    if (is_its && access.use != Use::kRead && access.use != Use::kNone) ++sets;
  }
  return sets > 1;
}

StretchItemFacts DataUses::facts_of_rest(const WholeProgram& program, const Item& item,
                                         std::uint32_t number,
                                         const std::set<const Stmt*>& directives) const {
  auto [facts, back] = behind(program, item, number, directives);
  if (!facts.found || back == BackUse::kOverwritten) return facts;
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
  if (!is_read) {
    facts.found = false;
    facts.why = "no region reads it: it may be a result";
  }
  return std::move(facts);
}

HostUse DataUses::changed_in(const std::vector<Span>& spans, std::uint32_t item,
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
    tell(step, "unknown", "changes a name in its section", fact);
    return fact;
  }
  return fact;
}

bool DataUses::pointer_type(const Path& path) {
  if (!path.steps.empty() && path.steps.back() != nullptr) {
    return path.steps.back()->getType()->isAnyPointerType();
  }
  const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
  return variable != nullptr && path.steps.empty() && variable->getType()->isAnyPointerType();
}

bool DataUses::may_be_set(const std::set<Path>& pointers, const std::vector<Span>& spans) const {
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

std::size_t DataUses::pieces_of(const Places& data) {
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

std::size_t DataUses::named_alike(const Places& data, const std::vector<Span>& spans) const {
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

std::string DataUses::device_set_in(const std::vector<Span>& spans) const {
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

std::string DataUses::doubt_about(const std::vector<Span>& spans) const {
  for (const Span& span : spans) {
    std::set<const FunctionDecl*> functions;
    for (std::uint32_t i = span.begin; i < span.end; ++i) {
      if (trail_.steps[i].function != nullptr) functions.insert(trail_.steps[i].function);
    }
    // A span that is a loop has only this loop of its function.
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

std::vector<DataUses::Named> DataUses::naming_of(std::uint32_t item, const Span& span) const {
  std::vector<Named> all;
  for (const Naming& naming : trail_.namings) {
    if (naming.item != item || !span.holds(naming.step)) continue;
    Span inner = span;
    for (const LoopSpan& loop : loops_) {  // outer loops first
      if (inner.holds(loop) && loop.holds(naming.step)) inner = loop;
    }
    all.push_back({inner, trail_.steps[naming.step].branch, naming.step});
  }
  return all;
}

void DataUses::add(const Span& span, const Places& data, const std::vector<Named>& naming,
                   StretchItemFacts& facts) const {
  const Step* gone = nullptr;
  for (std::uint32_t i = 0; i < span.end; ++i) {
    const Step& step = trail_.steps[i];
    if (i < span.begin && !step.is_late) continue;
    if (step.kind == Kind::kAccess) {
      const Span* loop = loop_of_use(i, naming);
      // The run executed the region on the device. In any number of other iterations the host may
      // run it.
      const bool is_undecided = loop == nullptr && is_of_undecided_region(i, span) &&
                                !is_mapped_in_each(naming, span) && !is_shown_by_contents(i, data);
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
  // The place of an allocation tells more than the place of a free.
  if (gone != nullptr) tell(*gone, "yes", {}, facts.renewed);
}

std::uint32_t DataUses::region_of(std::uint32_t step) const {
  const Stmt* region = host_region_at_.at(step);
  while (step > 0 &&
         (trail_.steps[step].kind != Kind::kDirective || trail_.steps[step].at != region)) {
    --step;
  }
  return step;
}

bool DataUses::is_shown_by_contents(std::uint32_t step, const Places& data) const {
  if (!is_written_by_region(step, data)) return false;
  const std::uint32_t region = region_of(step);
  return std::ranges::any_of(trail_.namings, [&](const Naming& naming) {
    const auto& directive = *cast<Directive>(trail_.steps[naming.step].at);
    const bool is_its = std::ranges::any_of(
        naming.places.paths, [&](const Path& path) { return data.paths.contains(path); });
    return is_its && device_condition(directive) == nullptr &&
           code_.innermost_around(naming.step) == code_.innermost_around(region) &&
           code_.is_under(trail_.steps[region].branch, trail_.steps[naming.step].branch);
  });
}

bool DataUses::is_written_by_region(std::uint32_t step, const Places& data) const {
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

bool DataUses::is_mapped_in_each(const std::vector<Named>& naming, const Span& loop) const {
  return std::ranges::any_of(naming, [&](const Named& one) {
    const auto& directive = *cast<Directive>(trail_.steps[one.step].at);
    return runs_on_device(directive) && device_condition(directive) == nullptr &&
           code_.is_in_each(one.step, loop);
  });
}

bool DataUses::is_of_undecided_region(std::uint32_t step, const Span& span) const {
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

const Span* DataUses::loop_of_use(std::uint32_t step, const std::vector<Named>& naming) const {
  const auto found = std::ranges::find_if(naming, [&](const Named& named) {
    return named.loop.holds(step) && code_.is_as_often(trail_.steps[step].branch, named.branch);
  });
  return found == naming.end() ? nullptr : &found->loop;
}

void DataUses::add_beside(std::uint32_t step, const Span& loop, const Places& data, bool after,
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
    std::uint32_t around = one.branch;  // the innermost branch around both
    while (around != 0 && !code_.is_under(outside, around) && code_.is_body(around)) {
      around = trail_.branches[around];
    }
    if (code_.is_under(outside, around)) return;
  }
}

void DataUses::add_access(std::uint32_t number, const Places& data, const Span* loop,
                          StretchItemFacts& facts) const {
  const Step& step = trail_.steps[number];
  const Access& access = trail_.accesses[step.access];
  const bool is_its = std::ranges::any_of(
      data.paths, [&](const Path& path) { return trail_.may_be_of(access, path); });
  if (!is_its) {
    const bool may_be = std::ranges::any_of(
        data.paths, [&](const Path& path) { return may_be_same(access.path, path); });
    if (!may_be) return;
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

std::vector<std::uint32_t> DataUses::steps_with(std::uint32_t item, const Places& data) const {
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

void DataUses::add_loops(const Span& span, const std::vector<std::uint32_t>& steps,
                         HostUse& fact) const {
  for (const LoopSpan& loop : loops_) {
    const auto is_in = [&](std::uint32_t step) { return loop.holds(step) && span.holds(step); };
    if (isa<Directive>(loop.loop) || std::ranges::none_of(steps, is_in)) continue;
    const bool has_iterations = code_.has_iterations(loop);
    const bool is_certain = has_iterations && std::ranges::any_of(steps, [&](std::uint32_t step) {
                              return is_in(step) && code_.is_run_in_each(step, loop);
                            });
    if (is_certain) continue;
    const char* why = has_iterations ? "its iterations may leave out the directive"
                                     : "how many iterations it has is not certain";
    tell(trail_.steps[loop.begin], "unknown", why, fact);
  }
}

namespace {

/// Whether two pointers lead to different data by their types: numbers of different types.
bool are_apart(const VarDecl& one, const VarDecl& other) {
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

/// The pointer parameter that a path goes through, where no seen code calls its function. Null:
/// none.
const VarDecl* outside(const Path& path) {
  const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
  if (variable == nullptr || !isa<clang::ParmVarDecl>(variable)) return nullptr;
  if (!path.is_through_pointer() || variable->getType().isRestrictQualified()) return nullptr;
  return variable;
}

}  // namespace

bool may_be_same(const Path& one, const Path& other) {
  const VarDecl* left = outside(one);
  const VarDecl* right = outside(other);
  return left != nullptr && right != nullptr && left != right && !are_apart(*left, *right);
}

void DataUses::tell(const Step& step, const char* use, const std::string& why, HostUse& fact) {
  const bool is_better = fact.use == "no" || (fact.use == "unknown" && std::string(use) == "yes");
  if (!is_better) return;
  fact.use = use;
  fact.why = why;
  if (step.at != nullptr && step.function != nullptr) fact.at = place_of(*step.context(), *step.at);
}

}  // namespace ompdm::edit
