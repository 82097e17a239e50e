#include "facts.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Analysis/Analyses/ExprMutationAnalyzer.h>

#include <algorithm>
#include <set>

#include "accesses.h"
#include "names.h"

namespace ompdm::edit {
namespace {

/// An item of a region: the data of an expression in a clause or in the code.
struct Known {
  std::string name;
  std::set<Path> paths;
  std::set<Path> others;  ///< by other names: pointers that were set to the data before the region
};

/// A path, and the paths of the names that its pointer gets its value from: `u` of `double* p = u +
/// 1`.
std::set<Path> origins_of(const Path& path, int depth = 0) {
  constexpr int kDeepest = 8;
  std::set<Path> all = {path};
  const auto* variable = dyn_cast<const VarDecl*>(path.root);
  const bool is_pointer = variable != nullptr && !path.steps.empty() &&
                          path.steps.front() == nullptr && variable->getInit() != nullptr &&
                          !isa<clang::ParmVarDecl>(variable);
  if (!is_pointer || depth > kDeepest) return all;
  for (const Path& first : paths_of(*variable->getInit())) {
    const Path origin = first.with(std::span(path.steps).subspan(1));
    const std::set<Path> more = origins_of(origin, depth + 1);
    all.insert(more.begin(), more.end());
  }
  return all;
}

bool have_common(const std::set<Path>& some, const std::set<Path>& others) {
  return std::ranges::any_of(some, [&](const Path& one) {
    return std::ranges::any_of(others,
                               [&](const Path& other) { return one.is_same_storage(other); });
  });
}

std::string use_of(const ItemFacts& item) {
  if (!item.why.empty()) return "unknown";
  if (item.read_at && item.written_at) return "read_write";
  return item.read_at ? "read" : item.written_at ? "write" : "none";
}

/// Gathers facts of one region.
class Region {
 public:
  Region(const Program& program, const Directive& region)
      : program_(program), region_(region), accesses_(accesses_in(region)) {}

  std::vector<ItemFacts> items() {
    for (const MapItem& mapped : mapped_items(region_, kWritten)) {
      add(written_name(*mapped.item), paths_of(*mapped.item));
    }
    const std::size_t mapped = known_.size();
    for (const Access& access : accesses_.all) {
      if (access.path.root.isNull() || (access.is_step && !is_of_object(access.path))) continue;
      const Path item = item_of(access.path);
      const auto is_of = [&](const Known& one) {
        return std::ranges::any_of(one.paths,
                                   [&](const Path& path) { return access.may_be_of(path); });
      };
      const auto end = known_.begin() + static_cast<std::ptrdiff_t>(mapped);
      const bool is_known = std::any_of(known_.begin(), end, is_of);
      if (!is_known && is_data(item)) add(name_of(item), {item});
    }
    add_members();
    add_other_names(mapped);
    std::vector<ItemFacts> all;
    for (const Known& one : known_) all.push_back(facts_of(one));
    return all;
  }

  /// Facts of scalars that the region gets a copy of, as no clause names them. items() has none of
  /// them.
  [[nodiscard]] std::vector<ItemFacts> own_copies() const {
    namespace match = clang::ast_matchers;
    std::vector<ItemFacts> all;
    clang::ASTContext& context = program_.context();
    const Stmt& code = *region_.getInnermostCapturedStmt()->getCapturedStmt();
    for (const auto& capture : region_.getCapturedStmt(llvm::omp::OMPD_target)->captures()) {
      if (!capture.capturesVariableByCopy()) continue;
      const VarDecl& variable = *capture.getCapturedVar();
      const clang::QualType type = variable.getType().getNonReferenceType();
      if (!type->isScalarType() || type->isAnyPointerType()) continue;
      ItemFacts facts;
      facts.name = variable.getNameAsString();
      if (const Stmt* changed =
              clang::ExprMutationAnalyzer(code, context).findMutation(&variable)) {
        facts.written_at = place_of(context, *changed);
      } else {
        const auto name =
            match::declRefExpr(match::to(match::varDecl(match::equalsNode(&variable))));
        const auto found = match::match(match::findAll(name.bind("use")), code, context);
        if (!found.empty())
          facts.read_at = place_of(context, *found.front().getNodeAs<Expr>("use"));
      }
      facts.use = use_of(facts);
      all.push_back(std::move(facts));
    }
    return all;
  }

 private:
  /// Adds an item. Two items may have one name: a pointer, or an object with pointers, and its
  /// data.
  void add(const std::string& name, const std::set<Path>& paths) {
    const auto same = std::ranges::find(known_, name, &Known::name);
    if (same == known_.end()) {
      known_.push_back({name, paths, {}});
      return;
    }
    same->paths.insert(paths.begin(), paths.end());
  }

  /// Adds the members of objects that the code uses: a device may have only some members of an
  /// object.
  void add_members() {
    std::set<Path> members;
    for (const Access& access : accesses_.all) {
      const auto* object = dyn_cast_or_null<const VarDecl*>(access.path.root);
      const bool is_member = object != nullptr && !access.path.steps.empty() &&
                             access.path.steps.front() != nullptr &&
                             object->getType().getNonReferenceType()->isRecordType();
      if (!is_member) continue;
      Path member = access.path;
      member.steps.resize(1);
      const clang::FieldDecl& field = *member.steps.front();
      if (!is_in_system_header(field) && !field.isAnonymousStructOrUnion()) members.insert(member);
    }
    for (const Path& member : members) {
      const std::string name = name_of(member);
      // For a pointer, the facts of its data are known already.
      if (std::ranges::find(known_, name, &Known::name) == known_.end()) add(name, {member});
    }
  }

  /// Code may use an item's data through a pointer that no clause names.
  void add_other_names(std::size_t mapped) {
    for (std::size_t i = 0; i < mapped; ++i) {
      std::set<Path> origins;
      for (const Path& path : known_[i].paths) origins.merge(origins_of(path));
      for (std::size_t j = mapped; j < known_.size(); ++j) {
        for (const Path& path : known_[j].paths) {
          if (have_common(origins_of(path), origins)) known_[i].others.insert(path);
        }
      }
    }
  }

  /// An item without its sections: "u" of "u[0:n]".
  [[nodiscard]] std::string written_name(const Expr& item) const {
    const Expr* at = item.IgnoreParenImpCasts();
    for (;;) {
      if (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
        at = section->getBase()->IgnoreParenImpCasts();
      } else if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(at)) {
        at = index->getBase()->IgnoreParenImpCasts();
      } else {
        break;
      }
    }
    if (isa<clang::CXXThisExpr>(at)) return "this";
    return text_of(program_.context(), *at);
  }

  /// Whether a followed pointer is a member of an object that a variable names. Then the object is
  /// used, too.
  static bool is_of_object(const Path& path) {
    return isa<const VarDecl*>(path.root) && !path.steps.empty() && path.steps.back() != nullptr &&
           !is_in_system_header(*path.steps.back());
  }

  /// The item of a path: the data of its last pointer, or a member of `this`.
  static Path item_of(const Path& path) {
    const auto last = std::ranges::find(path.steps.rbegin(), path.steps.rend(), nullptr);
    auto length = static_cast<std::size_t>(path.steps.rend() - last);
    const bool is_this = isa<const clang::CXXRecordDecl*>(path.root);
    if (is_this && length == 1) length = std::min<std::size_t>(2, path.steps.size());
    Path item = path;
    item.steps.resize(length);
    return item;
  }

  /// Whether the item is data that is transferred for a region, or that is on the device. It is not
  /// where each region gets its value as a copy, or where it is the data of pointers in elements.
  [[nodiscard]] bool is_data(const Path& item) const {
    for (std::size_t i = 1; i < item.steps.size(); ++i) {
      const clang::FieldDecl* before = item.steps[i - 1];
      if (before == nullptr && item.steps[i] == nullptr) return false;
    }
    const auto* variable = dyn_cast<const VarDecl*>(item.root);
    if (variable == nullptr || !item.steps.empty()) return true;
    const clang::QualType type = variable->getType().getNonReferenceType();
    if (type->isArrayType()) return true;
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (type->isRecordType()) return record == nullptr || !record->isLambda();
    if (type->isAnyPointerType()) return false;
    const bool is_declared =
        clang::OMPDeclareTargetDeclAttr::isDeclareTargetDeclaration(variable).has_value();
    return is_declared || maps(region_, *variable) ||
           lists<clang::OMPReductionClause>(region_, *variable);
  }

  [[nodiscard]] std::string name_of(const Path& item) const {
    std::string name;
    if (const auto* variable = dyn_cast<const VarDecl*>(item.root)) {
      name = variable->getNameAsString();
    }
    bool is_followed = false;
    for (const clang::FieldDecl* step : item.steps) {
      if (step == nullptr) {
        is_followed = true;
        continue;
      }
      // Members of a library's class are not the program's.
      if (is_in_system_header(*step)) break;
      if (step->isAnonymousStructOrUnion()) continue;
      const bool is_of_this = name.empty();
      if (!is_of_this) {
        name += is_followed ? "->" : ".";
      } else if (accesses_.by_this.contains(step)) {
        name = "this->";
      }
      name += step->getNameAsString();
      is_followed = false;
    }
    return name.empty() ? "this" : name;
  }

  [[nodiscard]] ItemFacts facts_of(const Known& item) const {
    ItemFacts facts;
    facts.name = item.name;
    bool has_plain_write = false;
    const Stmt* first_read = nullptr;
    if (item.paths.size() > 1) {
      facts.why = "names more than one object";
      facts.at = place_of(program_.context(), region_);
    }
    for (const Path& path : item.paths) {
      if (!is_followed_twice(path)) continue;
      facts.why = "holds pointers";
      facts.at = place_of(program_.context(), region_);
    }
    for (const Access& access : accesses_.all) {
      const auto is_of = [&](const Path& path) { return access.may_be_of(path); };
      const bool is_its =
          std::ranges::any_of(item.paths, is_of) || std::ranges::any_of(item.others, is_of);
      if (!is_its) continue;
      const Place at = place_of(program_.context(), access.at == nullptr ? region_ : *access.at);
      if (access.use == Use::kUnknown && facts.why.empty()) {
        facts.why = access.why;
        facts.at = at;
      }
      const bool reads = access.use == Use::kRead || access.use == Use::kChange;
      const bool writes = access.use == Use::kWrite || access.use == Use::kChange;
      if (reads && !facts.read_at) {
        facts.read_at = at;
        first_read = access.at;
      }
      if (writes && !facts.written_at) facts.written_at = at;
      has_plain_write = has_plain_write || access.use == Use::kWrite;
    }
    facts.reduction = std::ranges::any_of(accesses_.reduced, [&](const Path& path) {
      return std::ranges::any_of(item.paths,
                                 [&](const Path& its) { return its.is_same_storage(path); });
    });
    if (first_read != nullptr && is_counted_at(item, *first_read)) {
      facts.read_at.reset();
      has_plain_write = true;
    }
    const bool reads = facts.read_at.has_value();
    const bool writes = facts.written_at.has_value();
    const bool is_unknown = !facts.why.empty();
    facts.use = use_of(facts);
    facts.updates = !is_unknown && writes && !has_plain_write;
    facts.overwritten_first = !is_unknown && writes && !reads;
    if (!is_unknown) add_elements(item, facts);
    facts.offset = offset_of(*item.paths.begin());
    return facts;
  }

  /// Whether a variable is the counter of a loop directive around its first read: then it is set
  /// before.
  [[nodiscard]] bool is_counted_at(const Known& item, const Stmt& read) const {
    std::vector<const clang::OMPLoopDirective*> loops =
        all_in<clang::OMPLoopDirective>(region_.getAssociatedStmt());
    if (const auto* own = dyn_cast<clang::OMPLoopDirective>(&region_)) loops.push_back(own);
    return std::ranges::any_of(loops, [&](const clang::OMPLoopDirective* loop) {
      return program_.is_within(read, *loop) &&
             std::ranges::any_of(loop->counters(), [&](const Expr* counter) {
               const VarDecl* variable = variable_of(counter->IgnoreParenImpCasts());
               return variable != nullptr &&
                      item.paths == std::set<Path>{Path{variable->getCanonicalDecl(), {}}};
             });
    });
  }

  /// The offset of a member in its variable, also for the data of a pointer member. None for
  /// others.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(const Path& path) const {
    const auto* object = dyn_cast_or_null<const VarDecl*>(path.root);
    const bool is_member =
        object != nullptr && !path.steps.empty() && path.steps.front() != nullptr &&
        (path.steps.size() == 1 || (path.steps.size() == 2 && path.steps.back() == nullptr));
    if (!is_member) return {};
    const auto* record = object->getType().getNonReferenceType()->getAsRecordDecl();
    return record == nullptr ? std::nullopt : offset_in(*record, *path.steps.front());
  }

  [[nodiscard]] std::optional<std::uint64_t> offset_in(const clang::RecordDecl& record,
                                                       const clang::FieldDecl& field) const {
    const clang::ASTContext& context = program_.context();
    const clang::RecordDecl* whole = record.getDefinition();
    if (whole == nullptr || whole->isInvalidDecl() || whole->isDependentType()) return {};
    if (field.getParent()->getDefinition() == whole) {
      return static_cast<std::uint64_t>(
          context.toCharUnitsFromBits(static_cast<std::int64_t>(context.getFieldOffset(&field)))
              .getQuantity());
    }
    const auto* derived = dyn_cast<clang::CXXRecordDecl>(whole);
    if (derived == nullptr) return {};
    for (const clang::CXXBaseSpecifier& base : derived->bases()) {
      const auto* its = base.isVirtual() ? nullptr : base.getType()->getAsCXXRecordDecl();
      const auto within = its == nullptr ? std::nullopt : offset_in(*its, field);
      if (!within) continue;
      const auto begin = context.getASTRecordLayout(derived).getBaseClassOffset(its);
      return *within + static_cast<std::uint64_t>(begin.getQuantity());
    }
    return {};
  }

  /// Adds facts of elements: their size, and how many are overwritten. Only for an array, or a
  /// pointer's data, that a variable alone names.
  void add_elements(const Known& item, ItemFacts& facts) const {
    const Path& path = *item.paths.begin();
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    const bool is_plain = item.paths.size() == 1 && item.others.empty() && path.steps.size() <= 1 &&
                          (path.steps.empty() || path.steps.front() == nullptr);
    if (variable == nullptr || !is_plain) return;
    clang::QualType element = variable->getType();
    if (element->isAnyPointerType()) element = element->getPointeeType();
    while (const auto* array = program_.context().getAsArrayType(element)) {
      element = array->getElementType();
    }
    if (element->isIncompleteType() || element->isDependentType()) return;
    if (const auto last = largest_index(program_, region_, *variable)) {
      facts.last_index = last->index;
      facts.last_is_written = last->is_written;
      facts.last_line = last->at.line;
    }
    if (facts.written_at) {
      facts.overwritten = elements_overwritten(program_, region_, *variable);
    }
    facts.element_bytes =
        static_cast<std::size_t>(program_.context().getTypeSizeInChars(element).getQuantity());
  }

  static bool is_followed_twice(const Path& path) {
    for (std::size_t i = 1; i < path.steps.size(); ++i) {
      if (path.steps[i - 1] == nullptr && path.steps[i] == nullptr) return true;
    }
    return false;
  }

  const Program& program_;
  const Directive& region_;
  Accesses accesses_;
  std::vector<Known> known_;
};

/// Merges the facts of two instantiations of a template: a use in either is a use.
void merge(ItemFacts& all, const ItemFacts& one) {
  const auto writes = [](const ItemFacts& item) { return item.written_at.has_value(); };
  const bool is_update = (all.updates || !writes(all)) && (one.updates || !writes(one));
  if (all.why.empty() && !one.why.empty()) {
    all.why = one.why;
    all.at = one.at;
  }
  if (!all.read_at) all.read_at = one.read_at;
  if (!all.written_at) all.written_at = one.written_at;
  const bool is_known = all.why.empty();
  all.use = use_of(all);
  all.updates = is_known && writes(all) && is_update;
  all.reduction = all.reduction || one.reduction;
  all.overwritten_first = all.use == "write";
  const bool is_same = all.last_index == one.last_index && all.element_bytes == one.element_bytes;
  if (!is_same) all.last_index.reset();
  if (all.overwritten != one.overwritten || all.element_bytes != one.element_bytes) {
    all.overwritten.clear();
  }
  if (all.element_bytes != one.element_bytes) all.element_bytes = 0;
  if (all.offset != one.offset) all.offset.reset();
}

void merge(std::vector<ItemFacts>& all, const std::vector<ItemFacts>& more) {
  for (const ItemFacts& item : more) {
    const auto known = std::ranges::find(all, item.name, &ItemFacts::name);
    if (known == all.end()) {
      all.push_back(item);
    } else {
      merge(*known, item);
    }
  }
}

}  // namespace

std::vector<RegionFacts> facts_of(const std::vector<const Program*>& units,
                                  const std::vector<Place>& regions) {
  std::vector<RegionFacts> all;
  for (const Place& place : regions) {
    RegionFacts& region = all.emplace_back(RegionFacts{place, false, {}});
    for (const Program* program : units) {
      for (const Directive* directive : program->directives_at(place)) {
        if (!runs_on_device(*directive)) continue;
        region.found = true;
        Region code(*program, *directive);
        merge(region.items, code.items());
        merge(region.own_copies, code.own_copies());
      }
    }
  }
  return all;
}

}  // namespace ompdm::edit
