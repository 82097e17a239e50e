#include "kept_data.h"

#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "answer.h"
#include "arguments.h"
#include "names.h"
#include "permutation.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

bool is_same(const Item& one, const Item& other) {
  return one.expression == other.expression && one.named_at.line == other.named_at.line &&
         one.named_at.file == other.named_at.file;
}

bool holds(const std::vector<Item>& items, const Item& item) {
  return std::ranges::any_of(items, [&](const Item& one) { return is_same(one, item); });
}

class Gatherer {
 public:
  Gatherer(const Program& program, const clang::Stmt& code)
      : program_(program), code_(code), names_(program, code) {}

  void add(const std::vector<const Edit*>& edits, const std::vector<Item>& items,
           std::string Kept::* side, const char* strongest) {
    for (const Edit* edit : edits) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          if (!holds(items, item)) continue;
          const Item spelled = {as_written(item), item.named_at};
          for (const std::string& expression : terms_of(program_, code_, spelled)) {
            Kept& one = kept(expression);
            expect_the_same(item, *one.variable);
            std::string& kind = one.*side;
            if (kind != strongest) kind = clause.kind;
          }
        }
      }
    }
  }

  /// What is exchanged with data that stays, and mapped in the code as well, stays with it.
  void add_exchanged() {
    for (bool is_more = true; is_more;) {
      is_more = false;
      const KeptData known = found;
      for (const auto& [name, kept] : known) {
        for (const clang::VarDecl* other : partners_of(program_, code_, *kept.variable)) {
          const std::string item = item_of(*other);
          if (item.empty() || found.contains(other->getNameAsString())) continue;
          Kept& added = this->kept(item);
          added.begin = "to";
          added.end = "from";
          is_more = true;
        }
      }
    }
  }

  KeptData found;

 private:
  /// The compiler tells an item with the values of its macros. A source that is compiled with
  /// others needs their names.
  [[nodiscard]] std::string as_written(const Item& item) const {
    const auto bare = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    const auto expanded = [&](const std::string& text, clang::SourceLocation place) {
      return bare(program_.macros().expanded(text, place));
    };
    for (const auto* directive : program_.directives_at(item.named_at)) {
      for (const std::string& text : items_in(*directive)) {
        const std::string value = expanded(text, directive->getBeginLoc());
        const bool has_macros = value != bare(text) && text.find('\n') == std::string::npos;
        const bool is_it = value == expanded(item.expression, directive->getBeginLoc());
        if (has_macros && is_it && expanded(text, code_.getBeginLoc()) == value) return text;
      }
    }
    return item.expression;
  }

  /// What a directive's map clauses name, as it stands.
  [[nodiscard]] std::vector<std::string> items_in(
      const clang::OMPExecutableDirective& directive) const {
    std::vector<std::string> items;
    for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
      if (clause->isImplicit()) continue;
      for (const clang::Expr* item : clause->varlists()) {
        const SourceText text(program_.context(), item->getBeginLoc());
        items.push_back(text.between(item->getBeginLoc(), item->getEndLoc()));
      }
    }
    return items;
  }

  /// As a clause in the code's own function names it; empty: none does.
  [[nodiscard]] std::string item_of(const clang::VarDecl& data) const {
    for (const auto* directive : program_.directives_in(code_)) {
      for (const auto* clause : directive->getClausesOfKind<clang::OMPMapClause>()) {
        if (clause->isImplicit()) continue;
        for (const clang::Expr* item : clause->varlists()) {
          if (root_variable(*item) != &data) continue;
          const SourceText text(program_.context(), item->getBeginLoc());
          return text.between(item->getBeginLoc(), item->getEndLoc());
        }
      }
    }
    return {};
  }

  Kept& kept(const std::string& expression) {
    const std::string root = root_of(expression);
    const auto known = found.find(root);
    if (known != found.end()) {
      expect_same_extent(known->second.expression, expression);
      return known->second;
    }
    const clang::VarDecl* variable = names_.expect_before(root);
    if (!variable->getType()->isPointerType() && !variable->getType()->isArrayType()) {
      refuse(fmt::format("{} is no pointer and no array", root));
    }
    // An extent that changes would be another one at the end.
    names_.expect_plain(expression);
    return found.emplace(root, Kept{variable, expression, {}, {}}).first->second;
  }

  /// A function's own names may hide, or be hidden by, others of the same spelling.
  void expect_the_same(const Item& item, const clang::VarDecl& variable) const {
    for (const auto* directive : program_.directives_at(item.named_at)) {
      const clang::FunctionDecl* function = program_.function_of(*directive);
      const clang::VarDecl* named =
          function == nullptr || !function->hasBody()
              ? nullptr
              : variable_named(*function->getBody(), root_of(item.expression));
      const bool is_another = named != nullptr && named->hasGlobalStorage() &&
                              named->getCanonicalDecl() != variable.getCanonicalDecl();
      if (is_another) {
        refuse(fmt::format("{} is another variable here than in {}()", root_of(item.expression),
                           function->getNameAsString()));
      }
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), code_));
  }

  void expect_same_extent(const std::string& known, const std::string& other) const {
    if (are_same_extents(program_, code_, known, other)) return;
    refuse(fmt::format("both {} and {} are mapped here", known, other));
  }

  const Program& program_;
  const clang::Stmt& code_;
  Names names_;
};

}  // namespace

std::vector<Item> items_of(const Stay& stay) {
  std::vector<Item> items;
  for (const auto* edits : {&stay.begin, &stay.end}) {
    for (const Edit* edit : *edits) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          if (!holds(items, item)) items.push_back(item);
        }
      }
    }
  }
  return items;
}

KeptData kept_data(const Program& program, const clang::Stmt& code, const Stay& stay,
                   const std::vector<Item>& items) {
  Gatherer gatherer(program, code);
  gatherer.add(stay.begin, items, &Kept::begin, "to");
  gatherer.add(stay.end, items, &Kept::end, "from");
  gatherer.add_exchanged();
  return std::move(gatherer.found);
}

bool are_same_extents(const Program& program, const clang::Stmt& code, const std::string& one,
                      const std::string& other) {
  const Names names(program, code);
  const auto plain = [&](const std::string& expression) {
    static const std::regex kAroundAll(R"(([\[:])\(([^()]*)\)(?=[\]:]))");
    std::string text = names.with_constants(expression);
    std::erase(text, ' ');
    text = std::regex_replace(text, kAroundAll, "$1$2");
    const std::size_t bound = text.find("[:");
    return bound == std::string::npos ? text : text.insert(bound + 1, "0");
  };
  return one == other || plain(one) == plain(other);
}

}  // namespace ompdm::edit
