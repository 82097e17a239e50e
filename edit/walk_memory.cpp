#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "walk.h"

namespace ompdm::edit {

CodeWalk::CodeWalk() { frames_.emplace_back(); }

Accesses CodeWalk::of_region(const Directive& region) {
  repeat([&] { run_directive(region); });
  return std::move(found_);
}

Places CodeWalk::places(const Expr& item) { return pointees_or_place(item); }

const Trail& CodeWalk::of_program(const WholeProgram& program, const Asked& asked,
                                  const std::vector<const FunctionDecl*>& more) {
  program_ = &program;
  asked_ = &asked;
  trail_.is_whole = program.is_whole();
  std::vector<const FunctionDecl*> begins;
  if (program.main() != nullptr) begins.push_back(program.main());
  begins.insert(begins.end(), more.begin(), more.end());
  repeat([&] {
    walked_.clear();
    for (const VarDecl* variable : program.globals()) declare_global(*variable);
    for (const FunctionDecl* function : begins) {
      if (walked_.contains(function)) continue;
      // The arguments are not known, so the parameters do not count as its own.
      frames_.push_back({function, {}, {}, {}, false, nullptr});
      walked_.insert(function);
      repeat([&] {
        run(function->getBody());
        end_labels();
      });
      frames_.pop_back();
      const bool is_main = function == program.main();
      if (is_main) trail_.main_end = static_cast<std::uint32_t>(trail_.steps.size());
    }
  });
  return trail_;
}

void CodeWalk::record(Use use, const Places& places, const std::string& why, Access::Reach reach,
                      bool is_step) {
  for (const Path& path : places.paths) {
    const bool is_copy = private_.contains(path.root) && !path.is_through_pointer();
    if (is_program() ? is_copy : is_own(path)) continue;
    if (on_device_.contains(path.root)) continue;
    add({path, use, reach, is_step, at_, why});
  }
  if (places.is_any && !is_step) record_any(places);
}

void CodeWalk::record_any(const Places& places) {
  Access any{{},    Use::kUnknown, Access::Reach::kAny,
             false, at_,           "may be what a pointer of unknown origin leads to"};
  for (const Path& path : places.paths) {
    if (path.steps.empty() || path.steps.back() != nullptr) continue;
    any.by = path;
    add(any);
  }
  if (any.by.root.isNull()) add(std::move(any));
}

Places CodeWalk::followed(Places pointees) {
  // Nothing shows what was stored there: it may have been copied as bytes.
  if (pointees.is_empty()) pointees.is_any = true;
  return pointees;
}

void CodeWalk::add(Access access) {
  if (!is_program()) {
    found_.all.push_back(std::move(access));
    return;
  }
  trail_.accesses.push_back(std::move(access));
  add_step(Step::Kind::kAccess, at_);
}

void CodeWalk::add_step(Step::Kind kind, const Stmt* at) {
  if (!is_program()) return;
  const bool has_access =
      kind == Step::Kind::kAccess || kind == Step::Kind::kMade || kind == Step::Kind::kGone;
  const std::size_t access = has_access ? trail_.accesses.size() - 1 : 0;
  // A `return` in a library is not a jump of the function that called it.
  const bool is_jump = kind == Step::Kind::kJump;
  const FunctionDecl* function = is_jump ? frames_.back().function : function_;
  trail_.steps.push_back({kind, is_late_, is_on_device_, branch_,
                          static_cast<std::uint32_t>(access), call_, at, function});
}

void CodeWalk::add_storage(Step::Kind kind, const Places& storage) {
  if (!is_program()) return;
  for (const Path& path : storage.paths) {
    trail_.accesses.push_back({path, Use::kNone, Access::Reach::kPath, false, at_, {}});
    add_step(kind, at_);
  }
  if (storage.is_any) record_any();
}

CodeWalk::Mark CodeWalk::mark() const {
  return {trail_.steps.size(), trail_.accesses.size(), trail_.namings.size()};
}

void CodeWalk::go_back(const Mark& begin) {
  if (!is_program()) return;
  trail_.steps.resize(begin.steps);
  trail_.accesses.resize(begin.accesses);
  trail_.namings.resize(begin.namings);
}

void CodeWalk::lose(const char* why) {
  if (!is_program()) return record_any();
  if (trail_.lost.empty()) trail_.lost = why;
}

void CodeWalk::unknown(const Places& places, const std::string& why, Access::Reach reach) {
  record(Use::kUnknown, places, why, reach);
}

bool CodeWalk::is_own(const Path& path) const {
  return owner_.contains(path.root) || (private_.contains(path.root) && !path.is_through_pointer());
}

void CodeWalk::own(Path::Root root) {
  const FunctionDecl* function = frames_.back().function;
  owner_[root] = function;
  owned_by_[function].insert(root);
}

Places CodeWalk::fresh(const Expr& by) {
  std::vector<const Expr*> calls;
  for (const Frame& frame : frames_) {
    if (frame.call != nullptr) calls.push_back(frame.call);
  }
  const Allocation*& known = memory_of_[{&by, calls}];
  if (known == nullptr) {
    known = &memory_.emplace_back(Allocation{&by, std::move(calls), is_in_system_code()});
    owner_[known] = nullptr;  // it outlives the function
  }
  const Places made{{Path{known, {}}}, false};
  add_storage(Step::Kind::kMade, made);
  return made;
}

Places CodeWalk::first_storage(const Path& object) {
  const Allocation*& known = first_storage_[object];
  if (known == nullptr) {
    known = &memory_.emplace_back();
    owner_[known] = nullptr;  // it may outlive the object
  }
  return {{Path{known, {}}}, false};
}

void CodeWalk::expose(const Places& places, const std::string& why) {
  if (!is_program()) return unknown(places, why);
  trail_.escaped.insert(places.paths.begin(), places.paths.end());
}

void CodeWalk::store(const Places& where, const Places& pointees, bool is_first) {
  if (pointees.is_empty()) return;
  for (const Path& path : where.paths) {
    Places& known = leads_to_[path];
    const std::size_t before = known.paths.size() + (known.is_any ? 1 : 0);
    known.add(pointees);
    const bool is_more = before != known.paths.size() + (known.is_any ? 1 : 0);
    if (is_more && !is_first) mark_changed(path.root);
    for (const Path& pointee : pointees.paths) trail_.holders[pointee.root].insert(path.root);
    if (!is_own(path)) expose(pointees, "is set to be what other data points to");
  }
  if (where.is_any) escape(pointees, "is set to be what other data points to");
}

void CodeWalk::note_origin(const Path& to, std::size_t before, std::size_t unseen) {
  if (!is_program()) return;
  std::set<Path>& all = made_of_[to];
  for (std::size_t i = before; i < trail_.accesses.size(); ++i) {
    const Access& one = trail_.accesses[i];
    // No code can change a temporary object.
    const bool is_known = !one.path.root.isNull() && !isa<const Expr*>(one.path.root);
    if (one.use == Use::kRead && is_known && one.path != to) all.insert(one.path);
  }
  if (unseen_ != unseen) of_unseen_.insert(to);
}

void CodeWalk::add_origins(std::set<Path>& values, std::set<Path>& called) const {
  std::vector<Path> open(values.begin(), values.end());
  const auto add = [&](const Path& more) {
    if (values.size() < kMostPlaces && values.insert(more).second) open.push_back(more);
  };
  while (!open.empty()) {
    const Path path = open.back();
    open.pop_back();
    if (of_unseen_.contains(path)) called.insert(path);
    if (const auto known = made_of_.find(path); known != made_of_.end()) {
      for (const Path& one : known->second) add(one);
    }
    // The path may go through an object that is a copy.
    Path whole{path.root, {}};
    for (std::size_t i = 0; i <= path.steps.size(); ++i) {
      if (i > 0) whole.steps.push_back(path.steps[i - 1]);
      const auto sources = copies_.find(whole);
      if (sources == copies_.end()) continue;
      for (const Path& source : sources->second) {
        add(source.with(std::span(path.steps).subspan(i)));
      }
    }
  }
}

void CodeWalk::mark_changed(Path::Root root) {
  const auto owner = owner_.find(root);
  const FunctionDecl* function = owner == owner_.end() ? nullptr : owner->second;
  bool is_user = false;
  for (Frame& frame : frames_) {
    is_user = is_user || frame.function == function;
    if (is_user) frame.is_changed = true;
  }
}

void CodeWalk::copy(const Path& to, const Places& from, bool is_first) {
  for (const Path& path : from.paths) {
    if (path.root != to.root) trail_.holders[path.root].insert(to.root);
    if (path != to && copies_[to].insert(path).second && !is_first) mark_changed(to.root);
  }
  if (from.is_any && lost_.insert(to).second && !is_first) mark_changed(to.root);
}

Places CodeWalk::pointees_at(const Places& where) {
  Places all;
  all.is_any = where.is_any;
  std::set<Path> seen;
  for (const Path& path : where.paths) {
    if (!on_device_.contains(path.root)) add_pointees(path, all, seen);
  }
  return all;
}

void CodeWalk::add_pointees(const Path& path, Places& all, std::set<Path>& seen) {
  if (!seen.insert(path).second) return;
  constexpr std::size_t kLongest = 10;
  if (path.steps.size() >= kLongest || seen.size() > kMostPlaces) {
    all.is_any = true;
    if (is_program()) lose("its pointers lead to too many places");
    return;
  }
  // Unknown data has at least a path through the pointer that leads there.
  const auto add_unknown = [&] {
    all.is_any = true;
    if (is_program()) all.paths.insert(path.with(nullptr));
  };
  if (const auto known = leads_to_.find(path); known != leads_to_.end()) {
    const bool has_name = std::ranges::any_of(known->second.paths, [](const Path& one) {
      return !one.steps.empty() && one.steps.back() == nullptr;
    });
    if (known->second.is_any && !has_name) add_unknown();
    all.add(known->second);
  }
  Path whole{path.root, {}};
  for (std::size_t i = 0; i <= path.steps.size(); ++i) {
    if (i > 0) whole.steps.push_back(path.steps[i - 1]);
    if (lost_.contains(whole)) add_unknown();
    const auto sources = copies_.find(whole);
    if (sources == copies_.end()) continue;
    const std::set<Path> from = sources->second;
    for (const Path& source : from) {
      add_pointees(source.with(std::span(path.steps).subspan(i)), all, seen);
    }
  }
  if (!owner_.contains(path.root)) all.paths.insert(path.with(nullptr));
}

void CodeWalk::escape(const Places& places, const std::string& why, Access::Reach reach) {
  std::set<Path> seen;
  for (const Path& path : places.paths) escape(path, why, reach, seen);
  if (places.is_any) record_any();
}

void CodeWalk::escape(const Path& path, const std::string& why, Access::Reach reach,
                      std::set<Path>& seen) {
  if (!seen.insert(path).second) return;
  if (is_program() && !is_forgotten_) trail_.escaped.insert(path);
  if (is_program() || !is_own(path)) unknown({{path}, false}, why, reach);
  if (reach == Access::Reach::kDeep && lost_.insert(path).second) mark_changed(path.root);
  std::vector<Path> next;
  // Paths with the same begin are neighbours in the map.
  for (auto at = leads_to_.lower_bound(path); at != leads_to_.end(); ++at) {
    if (!at->first.begins_with(path)) break;
    next.insert(next.end(), at->second.paths.begin(), at->second.paths.end());
  }
  std::set<Path> copied;
  for (auto at = copies_.lower_bound(path); at != copies_.end(); ++at) {
    if (!at->first.begins_with(path)) break;
    copied.insert(at->second.begin(), at->second.end());
  }
  for (const Path& source : copied) escape(source, why, Access::Reach::kBelow, seen);
  for (const Path& one : next) escape(one, why, Access::Reach::kDeep, seen);
}

void CodeWalk::forget(const FunctionDecl* function) {
  const auto known = owned_by_.find(function);
  if (known == owned_by_.end()) return;
  const auto drop = [](auto& entries, const Path& first, auto path_of) {
    auto at = entries.lower_bound(first);
    while (at != entries.end() && path_of(*at).root == first.root) at = entries.erase(at);
  };
  // Pointers in copies of forgotten objects may lead anywhere.
  std::vector<Path> copies;
  for (const auto& [to, sources] : copies_) {
    const bool is_its = std::ranges::any_of(
        sources, [&](const Path& source) { return known->second.contains(source.root); });
    if (is_its && !known->second.contains(to.root)) copies.push_back(to);
  }
  lost_.insert(copies.begin(), copies.end());
  for (const Path::Root root : known->second) {
    const Path first{root, {}};
    drop(leads_to_, first, [](const auto& entry) -> const Path& { return entry.first; });
    drop(copies_, first, [](const auto& entry) -> const Path& { return entry.first; });
    drop(lost_, first, [](const Path& path) -> const Path& { return path; });
    const auto* variable = dyn_cast<const VarDecl*>(root);
    if (variable != nullptr) refers_to_.erase(variable);
  }
}

}  // namespace ompdm::edit
