#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "walk.h"

namespace ompdm::edit {

Walk::Walk() { frames_.emplace_back(); }

Accesses Walk::of_region(const Directive& region) {
  repeat([&] { run_directive(region); });
  return std::move(found_);
}

Places Walk::places(const Expr& item) { return pointees_or_place(item); }

void Walk::record(Use use, const Places& places, const std::string& why, Access::Reach reach,
                  bool is_step) {
  for (const Path& path : places.paths) {
    if (is_own(path)) continue;
    found_.all.push_back({path, use, reach, is_step, at_, why});
  }
  if (places.is_any && !is_step) record_any();
}

void Walk::record_any() {
  found_.all.push_back({{},
                        Use::kUnknown,
                        Access::Reach::kAny,
                        false,
                        at_,
                        "may be what a pointer of unknown origin leads to"});
}

void Walk::unknown(const Places& places, const std::string& why, Access::Reach reach) {
  record(Use::kUnknown, places, why, reach);
}

bool Walk::is_own(const Path& path) const {
  return owner_.contains(path.root) || (private_.contains(path.root) && !path.is_through_pointer());
}

void Walk::own(Path::Root root) { owner_[root] = frames_.back().function; }

void Walk::store(const Places& where, const Places& pointees, bool is_first) {
  if (pointees.is_empty()) return;
  for (const Path& path : where.paths) {
    Places& known = leads_to_[path];
    const std::size_t before = known.paths.size() + (known.is_any ? 1 : 0);
    known.add(pointees);
    const bool is_more = before != known.paths.size() + (known.is_any ? 1 : 0);
    if (is_more && !is_first) mark_changed(path.root);
    if (!is_own(path)) unknown(pointees, "is set to be what other data points to");
  }
  if (where.is_any) escape(pointees, "is set to be what other data points to");
}

void Walk::mark_changed(Path::Root root) {
  const auto owner = owner_.find(root);
  const FunctionDecl* function = owner == owner_.end() ? nullptr : owner->second;
  bool is_user = false;
  for (Frame& frame : frames_) {
    is_user = is_user || frame.function == function;
    if (is_user) frame.is_changed = true;
  }
}

void Walk::copy(const Path& to, const Places& from, bool is_first) {
  for (const Path& path : from.paths) {
    if (path != to && copies_[to].insert(path).second && !is_first) mark_changed(to.root);
  }
  if (from.is_any && lost_.insert(to).second && !is_first) mark_changed(to.root);
}

Places Walk::pointees_at(const Places& where) {
  Places all;
  all.is_any = where.is_any;
  std::set<Path> seen;
  for (const Path& path : where.paths) add_pointees(path, all, seen);
  return all;
}

void Walk::add_pointees(const Path& path, Places& all, std::set<Path>& seen) {
  if (!seen.insert(path).second) return;
  constexpr std::size_t kLongest = 10;
  if (path.steps.size() >= kLongest || seen.size() > kMostPlaces) {
    all.is_any = true;
    return;
  }
  if (const auto known = leads_to_.find(path); known != leads_to_.end()) all.add(known->second);
  Path whole{path.root, {}};
  for (std::size_t i = 0; i <= path.steps.size(); ++i) {
    if (i > 0) whole.steps.push_back(path.steps[i - 1]);
    if (lost_.contains(whole)) all.is_any = true;
    const auto sources = copies_.find(whole);
    if (sources == copies_.end()) continue;
    const std::set<Path> from = sources->second;
    for (const Path& source : from) {
      add_pointees(source.with(std::span(path.steps).subspan(i)), all, seen);
    }
  }
  if (!owner_.contains(path.root)) all.paths.insert(path.with(nullptr));
}

void Walk::escape(const Places& places, const std::string& why, Access::Reach reach) {
  std::set<Path> seen;
  for (const Path& path : places.paths) escape(path, why, reach, seen);
  if (places.is_any) record_any();
}

void Walk::escape(const Path& path, const std::string& why, Access::Reach reach,
                  std::set<Path>& seen) {
  if (!seen.insert(path).second) return;
  if (!is_own(path)) {
    unknown({{path}, false}, why, reach);
  }
  if (reach == Access::Reach::kDeep && lost_.insert(path).second) mark_changed(path.root);
  std::vector<Path> next;
  for (const auto& [at, known] : leads_to_) {
    if (at.begins_with(path)) next.insert(next.end(), known.paths.begin(), known.paths.end());
  }
  for (const auto& [at, sources] : copies_) {
    if (!at.begins_with(path)) continue;
    for (const Path& source : sources) escape(source, why, Access::Reach::kBelow, seen);
  }
  for (const Path& one : next) escape(one, why, Access::Reach::kDeep, seen);
}

void Walk::forget(const FunctionDecl* function) {
  const auto is_its = [&](const auto& entry) {
    const auto owner = owner_.find(entry.first.root);
    return owner != owner_.end() && owner->second == function;
  };
  std::erase_if(leads_to_, is_its);
  std::erase_if(copies_, is_its);
  std::erase_if(lost_, [&](const Path& path) {
    const auto owner = owner_.find(path.root);
    return owner != owner_.end() && owner->second == function;
  });
  std::erase_if(refers_to_, [&](const auto& entry) {
    const auto owner = owner_.find(entry.first);
    return owner != owner_.end() && owner->second == function;
  });
}

}  // namespace ompdm::edit
