#include "clauses.h"

#include <clang/AST/Expr.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "distinct.h"
#include "facts.h"
#include "names.h"
#include "pointer_uses.h"
#include "source_text.h"

namespace ompdm::edit {

namespace {

/// Pointers that a region uses, and that none of its clauses names.
std::set<const VarDecl*> unmapped_pointers(const Directive& region) {
  std::set<const VarDecl*> all;
  for (const auto* name : all_in<clang::DeclRefExpr>(region.getAssociatedStmt())) {
    const VarDecl* variable = variable_of(name);
    if (variable == nullptr || !variable->getType()->isPointerType()) continue;
    const clang::SourceManager& sources = variable->getASTContext().getSourceManager();
    const bool is_outer =
        sources.isBeforeInTranslationUnit(variable->getLocation(), region.getBeginLoc());
    if (is_outer && mapped_items(region, *variable, kWritten).empty()) {
      all.insert(variable->getCanonicalDecl());
    }
  }
  return all;
}

using Items = std::map<std::string, std::vector<std::string>>;  // by kind

class Rewriter {
 public:
  Rewriter(const Program& program, const Directive& directive, Place place, Plan& plan)
      : directive_(directive),
        place_(std::move(place)),
        context_(program.context()),
        text_(program.context(), directive.getBeginLoc()),
        plan_(plan) {
    if (directive.getBeginLoc().isMacroID()) refuse("the directive comes from a macro");
  }

  /// Throws Refusal where the region's code uses the data in a way that the new map type does not
  /// allow. The recorded run may lack such a use, and another run have it. An unknown use becomes
  /// an assumption where that is allowed.
  void expect_right(const Program& program, const std::string& name, const std::string& kind,
                    bool may_assume) {
    if (!runs_on_device(directive_) || !directive_.hasAssociatedStmt()) return;
    const VarDecl* variable = variable_of_name(name);
    if (variable == nullptr && item_of(name).clause == nullptr) return;
    const Use use = variable == nullptr ? use_of_member(program, name) : use_of(program, *variable);
    const bool is_assumed = may_assume && use == Use::kUnknown;
    const bool reads = use == Use::kRead || use == Use::kChange || use == Use::kUnknown;
    const bool writes = use == Use::kWrite || use == Use::kChange || use == Use::kUnknown;
    const bool drops_writes =
        returns(name) && (kind == "to" || kind == "firstprivate" || kind == "alloc");
    const bool drops_reads = kind == "from" || kind == "alloc";
    if (drops_writes && variable != nullptr) expect_no_other_name(program, *variable, may_assume);
    const bool may_read =
        drops_reads && reads && (variable == nullptr || !is_overwritten(program, *variable));
    const auto expect = [&](bool is_in_the_way, const char* why, const char* assumption) {
      if (!is_in_the_way) return;
      if (!is_assumed) refuse(fmt::format("the kernel {} {}", why, name));
      plan_.assumed.push_back({fmt::format("the kernel {} {}", assumption, name), place_});
    };
    if (kind.empty()) return expect(use != Use::kNone, "uses", "does not use");
    expect(drops_writes && writes, "may change", "does not change");
    expect(may_read, "may read", "reads nothing that it has not written of");
  }

  /// Notes another map type for an item, or its removal.
  void change(const std::string& name, const std::string& kind) {
    const MapItem item = item_of(name);
    const clang::OMPMapClause* clause = item.clause;
    if (clause == nullptr) {
      const bool is_variable = root_of(name) == name;
      if (kind.empty() || !is_variable) refuse(fmt::format("no clause names {}", name));
      added_[kind].push_back(name);
      return;
    }
    for (const auto modifier : clause->getMapTypeModifiers()) {
      if (modifier != clang::OMPC_MAP_MODIFIER_unknown) {
        refuse(fmt::format("{} is mapped with a modifier", name));
      }
    }
    taken_[clause][item.item] = kind;
  }

  /// Whether nothing is left of a directive that has to map something.
  [[nodiscard]] bool leaves_nothing() const {
    if (directive_.hasAssociatedStmt() && !is_standalone(directive_)) return false;
    for (const auto* clause : directive_.getClausesOfKind<clang::OMPMapClause>()) {
      if (!taken_.contains(clause)) return false;
    }
    for (const MapItem& one : mapped_items(directive_)) {
      const std::string* kind = kind_of(one);
      if (kind == nullptr || !kind->empty()) return false;
    }
    return added_.empty() && !taken_.empty();
  }

  void finish() {
    if (is_empty_block()) refuse("it would map nothing");
    for (const auto& [clause, kinds] : taken_) rewrite(*clause);
    if (added_.empty()) return;
    const std::string added = ' ' + clauses_text(added_);
    plan_.replacements.push_back(
        {text_.file(), text_.pragma_end(text_.offset_of(directive_.getBeginLoc())), 0, added});
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Refusal(why, place_); }

  /// Whether a `target data` would map nothing, which is not allowed.
  [[nodiscard]] bool is_empty_block() const {
    if (directive_.getDirectiveKind() != llvm::omp::OMPD_target_data || !added_.empty())
      return false;
    const bool has_others = directive_.hasClausesOfKind<clang::OMPUseDevicePtrClause>() ||
                            directive_.hasClausesOfKind<clang::OMPUseDeviceAddrClause>();
    return !has_others && std::ranges::all_of(mapped_items(directive_), [&](const MapItem& one) {
      const std::string* kind = kind_of(one);
      return kind != nullptr && kind->empty();
    });
  }

  /// Through a pointer that no clause names, a kernel uses data that is present already. So it may
  /// change the mapped data by another name.
  void expect_no_other_name(const Program& program, const VarDecl& data, bool may_assume) {
    const Stmt& code = *directive_.getAssociatedStmt();
    for (const VarDecl* other : unmapped_pointers(directive_)) {
      const auto all = mentions_on_device(program, code, *other);
      const bool is_written = std::ranges::any_of(
          all, [](const Mention& one) { return one.use != Use::kRead && one.use != Use::kNone; });
      if (other == &data || !is_written || !may_be_same(program, code, *other, data)) continue;
      if (!may_assume) {
        refuse(fmt::format("the kernel may change {} by the name of {}", data.getNameAsString(),
                           other->getNameAsString()));
      }
      plan_.assumed.push_back({fmt::format("{} and {} are different data", data.getNameAsString(),
                                           other->getNameAsString()),
                               place_});
    }
  }

  /// Whether all elements that clauses name of a variable are written before any is read.
  [[nodiscard]] bool is_overwritten(const Program& program, const VarDecl& data) const {
    const std::vector<MapItem> items = mapped_items(directive_, data, kWritten);
    return !items.empty() && std::ranges::all_of(items, [&](const MapItem& one) {
      return overwrites_all(program, directive_, data, *one.item);
    });
  }

  /// Whether the directive copies an item back to the host.
  [[nodiscard]] bool returns(const std::string& name) const {
    const MapItem item = item_of(name);
    if (item.clause == nullptr) return true;
    const auto type = item.clause->getMapType();
    return type != clang::OMPC_MAP_to && type != clang::OMPC_MAP_alloc &&
           type != clang::OMPC_MAP_release && type != clang::OMPC_MAP_delete;
  }

  /// The item of that name in a map clause. None: its clause is null.
  [[nodiscard]] MapItem item_of(const std::string& name) const {
    for (const MapItem& one : mapped_items(directive_, kWritten)) {
      if (is_called(context_, *one.item, name)) return one;
    }
    return {};
  }

  /// How the region's code uses a variable.
  [[nodiscard]] Use use_of(const Program& program, const VarDecl& variable) const {
    Use use = Use::kNone;
    const Stmt& code = *directive_.getAssociatedStmt();
    for (const Mention& one : mentions_on_device(program, code, variable)) {
      const bool is_unknown = one.use == Use::kUnknown || one.use == Use::kPointer;
      use = both(use, is_unknown ? Use::kUnknown : one.use);
    }
    return use;
  }

  /// The same for a member.
  [[nodiscard]] Use use_of_member(const Program& program, const std::string& name) const {
    const std::vector<RegionFacts> facts = facts_of({&program}, {place_});
    for (const ItemFacts& item : facts.front().items) {
      if (bare_name(item.name) != name) continue;
      if (item.use == "none") return Use::kNone;
      if (item.use == "read") return Use::kRead;
      if (item.use == "write") return Use::kWrite;
      return item.use == "read_write" ? Use::kChange : Use::kUnknown;
    }
    return Use::kUnknown;
  }

  /// The variable that a name means in the region or in its clauses.
  [[nodiscard]] const VarDecl* variable_of_name(const std::string& name) const {
    const MapItem item = item_of(name);
    return item.clause != nullptr ? item.variable
                                  : variable_named(*directive_.getAssociatedStmt(), name);
  }

  /// The new map type of an item. Empty: the item is removed. Null: the item does not change.
  [[nodiscard]] const std::string* kind_of(const MapItem& item) const {
    const auto taken = taken_.find(item.clause);
    if (taken == taken_.end()) return nullptr;
    const auto kind = taken->second.find(item.item);
    return kind == taken->second.end() ? nullptr : &kind->second;
  }

  static std::string clauses_text(const Items& items) {
    std::vector<std::string> clauses;
    for (const auto& [kind, all] : items) {
      const std::string list = fmt::format("{}", fmt::join(all, ", "));
      clauses.push_back(kind == "firstprivate" ? fmt::format("firstprivate({})", list)
                                               : fmt::format("map({}: {})", kind, list));
    }
    return fmt::format("{}", fmt::join(clauses, " "));
  }

  /// Replaces a clause by the items that stay in it, and by those with another map type.
  void rewrite(const clang::OMPMapClause& clause) {
    std::vector<std::string> left;
    Items changed;
    for (const MapItem& one : mapped_items(directive_)) {
      if (one.clause != &clause) continue;
      const std::string* kind = kind_of(one);
      const std::string text = text_.between(one.item->getBeginLoc(), one.item->getEndLoc());
      if (kind == nullptr) left.push_back(text);
      if (kind != nullptr && !kind->empty()) changed[*kind].push_back(text);
    }
    std::vector<std::string> clauses;
    if (!left.empty()) {
      const Expr* first = *clause.varlists().begin();
      const std::string lead = text_.between(clause.getBeginLoc(), first->getBeginLoc());
      const bool has_type = lead.find(':') != std::string::npos;
      const auto type =
          clang::getOpenMPSimpleClauseTypeName(llvm::omp::OMPC_map, clause.getMapType());
      clauses.push_back(fmt::format(
          "map({}{})", has_type ? std::string(type) + ": " : std::string(), fmt::join(left, ", ")));
    }
    if (!changed.empty()) clauses.push_back(clauses_text(changed));
    const std::string now = fmt::format("{}", fmt::join(clauses, " "));
    unsigned begin = text_.offset_of(clause.getBeginLoc());
    const unsigned end = text_.end_of(clause.getEndLoc());
    // A removed clause takes the blank before it along.
    if (now.empty() && !text_.begins_line(begin)) --begin;
    plan_.replacements.push_back({text_.file(), begin, end - begin, now});
  }

  const Directive& directive_;
  Place place_;
  const clang::ASTContext& context_;
  SourceText text_;
  Plan& plan_;
  std::map<const clang::OMPMapClause*, std::map<const Expr*, std::string>> taken_;  // map type by
                                                                                    // item
  Items added_;
};

const Directive& only_one(const std::vector<const Directive*>& here, const Place& place) {
  // Instantiations of a template have one text.
  const auto begin = here.front()->getBeginLoc();
  const auto is_other = [&](const auto* one) { return one->getBeginLoc() != begin; };
  if (std::ranges::any_of(here, is_other)) {
    throw Refusal("several directives begin in this line", place);
  }
  return *here.front();
}

}  // namespace

void remove_directive(const Program& program, const Directive& directive, const Place& place,
                      Plan& plan) {
  if (directive.hasAssociatedStmt() && !is_standalone(directive)) {
    throw Refusal("this directive has a body", place);
  }
  const SourceText text(program.context(), directive.getBeginLoc());
  const unsigned begin = text.offset_of(directive.getBeginLoc());
  if (!text.begins_line(begin) || !text.is_pragma(begin)) {
    throw Refusal("the directive comes from a macro", place);
  }
  if (!isa_and_nonnull<clang::CompoundStmt>(program.parent_of(directive))) {
    throw Refusal("the directive is all that a branch holds", place);
  }
  if (text.has_open_comment(text.pragma_end(begin))) {
    throw Refusal("a comment behind the directive goes on in the next line", place);
  }
  const unsigned from = text.line_begin(begin);
  plan.replacements.push_back(
      {text.file(), from, text.next_line(text.pragma_end(begin)) - from, {}});
}

namespace {

/// Removes variables from the clauses of an update. Removes the update where nothing else is left.
/// Throws Refusal.
void leave_out_of_update(const Program& program, const Directive& update,
                         const std::set<std::string>& names, const Place& place, Plan& plan) {
  const SourceText text(program.context(), update.getBeginLoc());
  std::vector<Replacement> changed;
  bool any_left = false;
  const auto take = [&](const clang::OMPClause& clause, const auto& items, const char* kind) {
    std::vector<std::string> left;
    bool is_changed = false;
    for (const Expr* item : items) {
      const std::string one = text_of(program.context(), *item);
      const bool goes = names.contains(bare_name(one));
      is_changed = is_changed || goes;
      if (!goes) left.push_back(one);
    }
    any_left = any_left || !left.empty();
    if (!is_changed) return;
    const unsigned begin = text.offset_of(clause.getBeginLoc());
    const unsigned end = text.offset_of(clause.getEndLoc()) + 1;
    const std::string rest =
        left.empty() ? std::string() : fmt::format("{}({})", kind, fmt::join(left, ", "));
    changed.push_back({text.file(), begin, end - begin, rest});
  };
  for (const auto* clause : update.getClausesOfKind<clang::OMPToClause>()) {
    take(*clause, clause->varlists(), "to");
  }
  for (const auto* clause : update.getClausesOfKind<clang::OMPFromClause>()) {
    take(*clause, clause->varlists(), "from");
  }
  if (!any_left) return remove_directive(program, update, place, plan);
  plan.replacements.insert(plan.replacements.end(), changed.begin(), changed.end());
}

}  // namespace

bool plan_clauses(const Program& program, const std::vector<const Edit*>& edits, bool may_assume,
                  Plan& plan) {
  bool all = true;
  std::vector<std::pair<const Directive*, Place>> order;
  std::map<const Directive*, Rewriter> rewriters;
  std::map<const Directive*, std::pair<Place, std::set<std::string>>> updates;
  for (const Edit* edit : edits) {
    for (const Place& place : edit->places) {
      const auto here = program.directives_at(place);
      if (here.empty()) {
        all = false;
        continue;
      }
      const auto& directive = only_one(here, place);
      const bool is_update = directive.getDirectiveKind() == llvm::omp::OMPD_target_update;
      if (edit->kind == "remove" && is_update && !edit->clauses.empty()) {
        auto& [at, roots] = updates[&directive];
        at = place;
        for (const Clause& clause : edit->clauses) {
          for (const Item& item : clause.items) roots.insert(bare_name(item.expression));
        }
        continue;
      }
      if (edit->kind == "remove") {
        remove_directive(program, directive, place, plan);
        continue;
      }
      const auto [at, is_new] = rewriters.try_emplace(&directive, program, directive, place, plan);
      if (is_new) order.emplace_back(&directive, place);
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          const std::string name = bare_name(item.expression);
          const std::string kind = edit->kind == "leave_out" ? std::string() : clause.kind;
          at->second.expect_right(program, name, kind, may_assume);
          at->second.change(name, kind);
        }
      }
    }
  }
  for (const auto& [update, what] : updates) {
    leave_out_of_update(program, *update, what.second, what.first, plan);
  }
  for (const auto& [directive, place] : order) {
    Rewriter& rewriter = rewriters.at(directive);
    if (rewriter.leaves_nothing()) {
      remove_directive(program, *directive, place, plan);
    } else {
      rewriter.finish();
    }
  }
  return all;
}

}  // namespace ompdm::edit
