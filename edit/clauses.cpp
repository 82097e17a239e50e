#include "clauses.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "distinct.h"
#include "names.h"
#include "pointer_uses.h"
#include "source_text.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

bool is_standalone(const clang::OMPExecutableDirective& directive) {
  const auto kind = directive.getDirectiveKind();
  return kind == llvm::omp::OMPD_target_update || kind == llvm::omp::OMPD_target_enter_data ||
         kind == llvm::omp::OMPD_target_exit_data;
}

/// Pointers that a region uses and no clause of its own names.
class UnmappedPointers : public WrittenCode<UnmappedPointers> {
 public:
  explicit UnmappedPointers(const clang::OMPExecutableDirective& region) : region_(region) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !variable->getType()->isPointerType()) return true;
    const clang::SourceManager& sources = variable->getASTContext().getSourceManager();
    const bool is_outer =
        sources.isBeforeInTranslationUnit(variable->getLocation(), region_.getBeginLoc());
    if (is_outer && !is_mapped(*variable)) all.insert(variable->getCanonicalDecl());
    return true;
  }
  std::set<const clang::VarDecl*> all;

 private:
  [[nodiscard]] bool is_mapped(const clang::VarDecl& variable) const {
    for (const auto* clause : region_.getClausesOfKind<clang::OMPMapClause>()) {
      for (const clang::Expr* item : clause->varlists()) {
        if (!clause->isImplicit() && root_variable(*item) == &variable) return true;
      }
    }
    return false;
  }

  const clang::OMPExecutableDirective& region_;
};

std::set<const clang::VarDecl*> unmapped_pointers(const clang::OMPExecutableDirective& region) {
  UnmappedPointers pointers(region);
  pointers.TraverseStmt(const_cast<clang::Stmt*>(region.getAssociatedStmt()));
  return std::move(pointers.all);
}

class Rewriter {
 public:
  Rewriter(const Program& program, const clang::OMPExecutableDirective& directive, Place place,
           Plan& plan)
      : directive_(directive),
        place_(std::move(place)),
        text_(program.context(), directive.getBeginLoc()),
        plan_(plan) {
    if (directive.getBeginLoc().isMacroID()) refuse("the directive comes from a macro");
  }

  /// Throws Refusal where the region's code does what the new map type has no place for: whatever
  /// a run did, another may do that.
  void expect_right(const Program& program, const std::string& root,
                    const std::string& kind) const {
    if (!runs_on_device(directive_) || !directive_.hasAssociatedStmt()) return;
    const clang::VarDecl* variable = variable_of(root);
    if (variable == nullptr) return;
    Use use = Use::kNone;
    const clang::Stmt& code = *directive_.getAssociatedStmt();
    for (const Mention& one : mentions_on_device(program, code, *variable)) {
      const bool is_unknown = one.use == Use::kUnknown || one.use == Use::kPointer;
      use = both(use, is_unknown ? Use::kUnknown : one.use);
    }
    const bool reads = use == Use::kRead || use == Use::kChange || use == Use::kUnknown;
    const bool writes = use == Use::kWrite || use == Use::kChange || use == Use::kUnknown;
    const bool drops_writes = kind == "to" || kind == "firstprivate" || kind == "alloc";
    const bool drops_reads = kind == "from" || kind == "alloc";
    if (drops_writes) expect_no_other_name(program, *variable);
    if (drops_writes && writes) refuse(fmt::format("the kernel may change {}", root));
    if (drops_reads && reads) refuse(fmt::format("the kernel may read {}", root));
    if (kind.empty() && use != Use::kNone) refuse(fmt::format("the kernel uses {}", root));
  }

  /// Gives an item another map type, or takes it out of its clause.
  void change(const std::string& root, const std::string& kind) {
    const clang::OMPMapClause* clause = clause_of(root);
    if (clause == nullptr) {
      if (kind.empty()) refuse(fmt::format("no clause names {}", root));
      return append(kind, root);
    }
    for (const auto modifier : clause->getMapTypeModifiers()) {
      if (modifier != clang::OMPC_MAP_MODIFIER_unknown) {
        refuse(fmt::format("{} is mapped with a modifier", root));
      }
    }
    taken_[clause][root] = kind;
  }

  /// Whether nothing is left of a directive that needs something to map.
  [[nodiscard]] bool leaves_nothing() const {
    if (directive_.hasAssociatedStmt() && !is_standalone(directive_)) return false;
    for (const auto* clause : directive_.getClausesOfKind<clang::OMPMapClause>()) {
      const auto taken = taken_.find(clause);
      if (taken == taken_.end()) return false;
      for (const clang::Expr* item : clause->varlists()) {
        const clang::VarDecl* variable = root_variable(*item);
        const auto kind = variable == nullptr ? taken->second.end()
                                              : taken->second.find(variable->getNameAsString());
        if (kind == taken->second.end() || !kind->second.empty()) return false;
      }
    }
    return added_.empty() && !taken_.empty();
  }

  void finish() {
    for (const auto& [clause, kinds] : taken_) rewrite(*clause, kinds);
    if (added_.empty()) return;
    const std::string added = ' ' + clauses_text(added_);
    plan_.replacements.push_back(
        {text_.file(), text_.pragma_end(text_.offset_of(directive_.getBeginLoc())), 0, added});
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Refusal(why, place_); }

  /// A pointer that no clause names finds what is on the device already: by it a kernel may change
  /// the data, too.
  void expect_no_other_name(const Program& program, const clang::VarDecl& data) const {
    const clang::Stmt& code = *directive_.getAssociatedStmt();
    for (const clang::VarDecl* other : unmapped_pointers(directive_)) {
      const auto all = mentions_on_device(program, code, *other);
      const bool is_written = std::ranges::any_of(
          all, [](const Mention& one) { return one.use != Use::kRead && one.use != Use::kNone; });
      if (other != &data && is_written && may_be_same(program, code, *other, data)) {
        refuse(fmt::format("the kernel may change {} by the name of {}", data.getNameAsString(),
                           other->getNameAsString()));
      }
    }
  }

  void append(const std::string& kind, const std::string& item) { added_[kind].push_back(item); }

  [[nodiscard]] const clang::OMPMapClause* clause_of(const std::string& root) const {
    for (const auto* clause : directive_.getClausesOfKind<clang::OMPMapClause>()) {
      if (clause->isImplicit()) continue;
      for (const clang::Expr* item : clause->varlists()) {
        const clang::VarDecl* variable = root_variable(*item);
        if (variable != nullptr && variable->getNameAsString() == root) return clause;
      }
    }
    return nullptr;
  }

  /// What a name means in the region or in its clauses.
  [[nodiscard]] const clang::VarDecl* variable_of(const std::string& root) const {
    if (const auto* clause = clause_of(root)) {
      for (const clang::Expr* item : clause->varlists()) {
        const clang::VarDecl* variable = root_variable(*item);
        if (variable != nullptr && variable->getNameAsString() == root) return variable;
      }
    }
    return variable_named(*directive_.getAssociatedStmt(), root);
  }

  using Items = std::map<std::string, std::vector<std::string>>;  // by kind

  static std::string clauses_text(const Items& items) {
    std::vector<std::string> clauses;
    for (const auto& [kind, all] : items) {
      const std::string list = fmt::format("{}", fmt::join(all, ", "));
      clauses.push_back(kind == "firstprivate" ? fmt::format("firstprivate({})", list)
                                               : fmt::format("map({}: {})", kind, list));
    }
    return fmt::format("{}", fmt::join(clauses, " "));
  }

  /// In its place: what stays in it, and what is mapped otherwise.
  void rewrite(const clang::OMPMapClause& clause, const std::map<std::string, std::string>& kinds) {
    std::vector<std::string> left;
    Items changed;
    for (const clang::Expr* item : clause.varlists()) {
      const clang::VarDecl* variable = root_variable(*item);
      const auto kind = variable == nullptr ? kinds.end() : kinds.find(variable->getNameAsString());
      const std::string text = text_.between(item->getBeginLoc(), item->getEndLoc());
      if (kind == kinds.end()) left.push_back(text);
      if (kind != kinds.end() && !kind->second.empty()) changed[kind->second].push_back(text);
    }
    std::vector<std::string> clauses;
    if (!left.empty()) {
      const clang::Expr* first = *clause.varlists().begin();
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
    // Of one that goes the blank before it goes, too.
    if (now.empty() && !text_.begins_line(begin)) --begin;
    plan_.replacements.push_back({text_.file(), begin, end - begin, now});
  }

  const clang::OMPExecutableDirective& directive_;
  Place place_;
  SourceText text_;
  Plan& plan_;
  std::map<const clang::OMPMapClause*, std::map<std::string, std::string>> taken_;  // kind by name
  Items added_;
};

const clang::OMPExecutableDirective& only_one(
    const std::vector<const clang::OMPExecutableDirective*>& here, const Place& place) {
  // Those of a template's instantiations are one text.
  const auto begin = here.front()->getBeginLoc();
  const auto is_other = [&](const auto* one) { return one->getBeginLoc() != begin; };
  if (std::ranges::any_of(here, is_other)) {
    throw Refusal("several directives begin in this line", place);
  }
  return *here.front();
}

}  // namespace

void remove_directive(const Program& program, const clang::OMPExecutableDirective& directive,
                      const Place& place, Plan& plan) {
  if (directive.hasAssociatedStmt() && !is_standalone(directive)) {
    throw Refusal("this directive has a body", place);
  }
  const SourceText text(program.context(), directive.getBeginLoc());
  const unsigned begin = text.offset_of(directive.getBeginLoc());
  if (!text.begins_line(begin) || !text.is_pragma(begin)) {
    throw Refusal("the directive comes from a macro", place);
  }
  const clang::Stmt* parent = program.parent_of(directive);
  if (parent == nullptr || !llvm::isa<clang::CompoundStmt>(parent)) {
    throw Refusal("the directive is all that a branch holds", place);
  }
  const unsigned from = text.line_begin(begin);
  plan.replacements.push_back(
      {text.file(), from, text.next_line(text.pragma_end(begin)) - from, {}});
}

bool plan_clauses(const Program& program, const Edit& edit, Plan& plan) {
  bool all = true;
  for (const Place& place : edit.places) {
    const auto here = program.directives_at(place);
    if (here.empty()) {
      all = false;
      continue;
    }
    const auto& directive = only_one(here, place);
    if (edit.kind == "remove") {
      remove_directive(program, directive, place, plan);
      continue;
    }
    Rewriter rewriter(program, directive, place, plan);
    for (const Clause& clause : edit.clauses) {
      for (const Item& item : clause.items) {
        const std::string root = root_of(item.expression);
        if (root.empty()) throw Refusal("what is mapped is a member, not a variable", place);
        const std::string kind = edit.kind == "leave_out" ? std::string() : clause.kind;
        rewriter.expect_right(program, root, kind);
        rewriter.change(root, kind);
      }
    }
    if (rewriter.leaves_nothing()) {
      remove_directive(program, directive, place, plan);
    } else {
      rewriter.finish();
    }
  }
  return all;
}

}  // namespace ompdm::edit
