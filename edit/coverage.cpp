// Whether loops, of a region or of the host, write each element of an array before they read any,
// from the first on.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "facts.h"
#include "names.h"

namespace ompdm::edit {
namespace {

/// A product of numbers and names: {"n", "n", "4"}.
using Factors = std::multiset<std::string>;

/// The size of an integer type in bytes, on the machines that code is compiled for. 0: no integer.
unsigned width_of(const clang::BuiltinType& type) {
  using Kind = clang::BuiltinType::Kind;
  switch (type.getKind()) {
    case Kind::Bool:
    case Kind::Char_S:
    case Kind::Char_U:
    case Kind::SChar:
    case Kind::UChar:
      return 1;
    case Kind::Short:
    case Kind::UShort:
      return 2;
    case Kind::Int:
    case Kind::UInt:
      return 4;
    case Kind::Long:
    case Kind::ULong:
    case Kind::LongLong:
    case Kind::ULongLong:
      return 8;
    default:
      return 0;
  }
}

/// An expression without parentheses, and without casts that keep its value.
const Expr& as_counted(const Expr& any) {
  const Expr* at = any.IgnoreParens();
  while (const auto* cast = dyn_cast<clang::CastExpr>(at)) {
    const clang::QualType from = cast->getSubExpr()->getType();
    const bool is_read =
        cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp;
    const auto* to = cast->getType()->getAs<clang::BuiltinType>();
    const auto* of = from->getAs<clang::BuiltinType>();
    const bool is_wider = cast->getCastKind() == clang::CK_IntegralCast && to != nullptr &&
                          of != nullptr && width_of(*to) >= width_of(*of);
    if (!is_read && !is_wider) break;
    at = cast->getSubExpr()->IgnoreParens();
  }
  return *at;
}

/// The variable whose value an expression is. Null: another expression.
const VarDecl* counted_variable(const Expr& any) {
  const auto* name = dyn_cast<clang::DeclRefExpr>(&as_counted(any));
  return name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
}

/// A loop that counts up by one from 0.
struct Counted {
  const clang::ForStmt* loop = nullptr;
  const VarDecl* counter = nullptr;
  Factors count;
};

class Coverage {
 public:
  Coverage(const Program& program, const Directive& region, const VarDecl& array)
      : program_(program),
        context_(program.context()),
        code_(region),
        body_(*region.getAssociatedStmt()),
        region_(&region),
        array_(array) {}
  /// For a loop of the host.
  Coverage(const Program& program, const clang::ForStmt& loop, const VarDecl& array)
      : program_(program),
        context_(program.context()),
        code_(loop),
        body_(loop),
        region_(nullptr),
        array_(array) {}

  /// The number of elements that are written. None: it is not certain.
  std::optional<Factors> elements() {
    const std::vector<const Expr*> accesses = accesses_in_order();
    if (accesses.empty()) return std::nullopt;
    const auto* write = dyn_cast_or_null<clang::BinaryOperator>(program_.parent_of(*accesses[0]));
    const bool is_write = write != nullptr && write->getOpcode() == clang::BO_Assign &&
                          write->getLHS()->IgnoreParens() == accesses[0];
    if (!is_write || !is_whole_statement(*write)) return std::nullopt;
    const std::string element = text_of(context_, *accesses[0]);
    for (const Expr* other : accesses) {
      // An element may be read behind the statement that writes it.
      const bool is_same = text_of(context_, *other) == element;
      if (!is_same || program_.is_within(*other, *write->getRHS())) return std::nullopt;
    }
    const std::optional<std::vector<Counted>> loops = loops_around(*write);
    if (!loops) return std::nullopt;
    for (const Counted& loop : *loops) {
      if (is_set(*loop.counter, true) || is_shared(loop)) return std::nullopt;
    }
    return covered(*accesses[0], *loops);
  }

  /// Whether all of a list item is written so: a section from 0 on, or an array as a whole.
  bool covers(const Expr& item) {
    const std::optional<Factors> written = elements();
    Factors named;
    const Expr* at = item.IgnoreParenImpCasts();
    while (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
      const Expr* first = section->getLowerBound();
      if (section->getLength() == nullptr || (first != nullptr && number(*first) != 0))
        return false;
      const std::optional<Factors> length = factors(*section->getLength());
      if (!length) return false;
      named = times(named, *length);
      at = section->getBase()->IgnoreParenImpCasts();
    }
    if (variable_of(at) == nullptr) return false;
    if (at == item.IgnoreParenImpCasts()) {
      const auto* array = context_.getAsConstantArrayType(at->getType());
      if (array == nullptr) return false;
      named = {std::to_string(context_.getConstantArrayElementCount(array))};
    }
    return written && times(*written, {}) == times(named, {});
  }

 private:
  /// The elements that the code names. Empty where it uses the array in another way.
  [[nodiscard]] std::vector<const Expr*> accesses_in_order() const {
    std::vector<const Expr*> all;
    for (const clang::DeclRefExpr* name : edit::names_of(&body_, array_)) {
      const Stmt* at = name;
      const Expr* element = nullptr;
      for (;;) {
        const Stmt* parent = program_.parent_of(*at);
        const auto* index = dyn_cast_or_null<clang::ArraySubscriptExpr>(parent);
        if (index != nullptr && program_.is_within(*at, *index->getBase())) element = index;
        const bool goes_on = (index != nullptr && element == index) ||
                             isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent);
        if (!goes_on) break;
        if (isa<clang::ImplicitCastExpr>(parent) &&
            cast<clang::ImplicitCastExpr>(parent)->getCastKind() == clang::CK_LValueToRValue &&
            element != nullptr) {
          break;
        }
        at = parent;
      }
      if (element == nullptr || element->getType()->isArrayType()) return {};
      all.push_back(element);
    }
    const clang::SourceManager& sources = context_.getSourceManager();
    std::ranges::stable_sort(all, [&](const Expr* one, const Expr* other) {
      return sources.isBeforeInTranslationUnit(one->getBeginLoc(), other->getBeginLoc());
    });
    return all;
  }

  [[nodiscard]] bool is_whole_statement(const Stmt& at) const {
    const Stmt* parent = program_.parent_of(at);
    const Stmt* body = parent == nullptr ? nullptr : body_of_loop(*parent);
    return isa_and_nonnull<clang::CompoundStmt>(parent) || body == &at;
  }

  /// The loops of the code around a statement that each of their iterations runs, the outermost
  /// first. Nullopt where another statement decides whether it runs, or where a loop does not count
  /// up from 0.
  [[nodiscard]] std::optional<std::vector<Counted>> loops_around(const Stmt& inner) const {
    std::vector<Counted> loops;
    const Stmt* child = &inner;
    while (child != &code_) {
      const Stmt* at = program_.parent_of(*child);
      if (at == nullptr) return std::nullopt;
      if (const auto* block = dyn_cast<clang::CompoundStmt>(at)) {
        for (const Stmt* before : block->body()) {
          if (before == child) break;
          if (may_leave(*before)) return std::nullopt;
        }
      } else if (const auto* loop = dyn_cast<clang::ForStmt>(at)) {
        const std::optional<Counted> counted = counted_loop(*loop);
        if (!counted || loop->getBody() != child || may_leave(*loop->getBody())) {
          return std::nullopt;
        }
        loops.insert(loops.begin(), *counted);
      } else if (!isa<Directive, clang::CapturedStmt>(at)) {
        return std::nullopt;
      }
      child = at;
    }
    return loops;
  }

  /// Whether several threads count with one variable, so that its values are not certain. Counters
  /// of loops that belong to a loop directive are predetermined private.
  [[nodiscard]] bool is_shared(const Counted& one) const {
    const VarDecl* counter = one.counter->getCanonicalDecl();
    for (const Stmt* at = program_.parent_of(*one.loop); at != nullptr;
         at = program_.parent_of(*at)) {
      const auto* directive = dyn_cast<Directive>(at);
      if (directive == nullptr) continue;
      if (const auto* loops = dyn_cast<clang::OMPLoopDirective>(directive)) {
        const bool is_its = std::ranges::any_of(loops->counters(), [&](const Expr* each) {
          const VarDecl* its = variable_of(each);
          return its != nullptr && its->getCanonicalDecl() == counter;
        });
        if (is_its) return false;
      }
      // A variable that a combined directive makes firstprivate implicitly is private to its
      // target. The target's threads share it.
      const bool is_own = lists<clang::OMPPrivateClause>(*directive, *counter, kWritten) ||
                          lists<clang::OMPFirstprivateClause>(*directive, *counter, kWritten) ||
                          lists<clang::OMPLastprivateClause>(*directive, *counter, kWritten) ||
                          is_declared_in(*counter, *directive->getAssociatedStmt());
      if (is_own) return false;
      const clang::OpenMPDirectiveKind kind = directive->getDirectiveKind();
      if (clang::isOpenMPParallelDirective(kind) || clang::isOpenMPTeamsDirective(kind))
        return true;
      if (at == region_) return false;
    }
    return region_ != nullptr;
  }

  [[nodiscard]] bool is_declared_in(const VarDecl& variable, const Stmt& code) const {
    const clang::SourceManager& sources = context_.getSourceManager();
    const clang::SourceLocation at = sources.getExpansionLoc(variable.getLocation());
    const clang::SourceRange range = code.getSourceRange();
    return !sources.isBeforeInTranslationUnit(at, sources.getExpansionLoc(range.getBegin())) &&
           sources.isBeforeInTranslationUnit(at, sources.getExpansionLoc(range.getEnd()));
  }

  static bool may_leave(const Stmt& code) {
    bool leaves = false;
    for (const auto* one : all_in<Stmt>(&code)) {
      leaves = leaves || isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt,
                             clang::GotoStmt, clang::CXXThrowExpr, clang::OMPCancelDirective>(one);
    }
    return leaves;
  }

  [[nodiscard]] std::optional<Counted> counted_loop(const clang::ForStmt& loop) const {
    const VarDecl* counter = nullptr;
    const Expr* first = nullptr;
    if (const auto* declared = dyn_cast_or_null<clang::DeclStmt>(loop.getInit())) {
      if (!declared->isSingleDecl()) return std::nullopt;
      counter = dyn_cast<VarDecl>(declared->getSingleDecl());
      first = counter == nullptr ? nullptr : counter->getInit();
    } else if (const auto* set = dyn_cast_or_null<clang::BinaryOperator>(loop.getInit())) {
      if (set->getOpcode() != clang::BO_Assign) return std::nullopt;
      counter = variable_of(set->getLHS());
      first = set->getRHS();
    }
    const auto* condition = dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
    const bool is_plain = counter != nullptr && counter->getType()->isIntegerType() &&
                          first != nullptr && number(*first) == 0 && condition != nullptr &&
                          counts_up(loop.getInc(), *counter);
    if (!is_plain) return std::nullopt;
    const bool is_less =
        condition->getOpcode() == clang::BO_LT || condition->getOpcode() == clang::BO_NE;
    if (!is_less || counted_variable(*condition->getLHS()) != counter) return std::nullopt;
    const std::optional<Factors> count = factors(*condition->getRHS());
    if (!count) return std::nullopt;
    return Counted{&loop, counter, *count};
  }

  /// Whether a loop's step adds one.
  [[nodiscard]] bool counts_up(const Expr* step, const VarDecl& counter) const {
    if (const auto* unary = dyn_cast_or_null<clang::UnaryOperator>(step)) {
      return unary->isIncrementOp() && variable_of(unary->getSubExpr()) == &counter;
    }
    const auto* sum = dyn_cast_or_null<clang::CompoundAssignOperator>(step);
    return sum != nullptr && sum->getOpcode() == clang::BO_AddAssign &&
           variable_of(sum->getLHS()) == &counter && number(*sum->getRHS()) == 1;
  }

  [[nodiscard]] std::optional<long long> number(const Expr& any) const {
    const Expr& expression = *any.IgnoreParenImpCasts();
    if (expression.isValueDependent() || !expression.getType()->isIntegerType())
      return std::nullopt;
    const auto value = expression.getIntegerConstantExpr(context_);
    if (!value) return std::nullopt;
    return value->getExtValue();
  }

  /// The factors of a product of numbers, and of variables that the code does not set.
  [[nodiscard]] std::optional<Factors> factors(const Expr& any) const {
    const Expr& expression = as_counted(any);
    if (const auto value = number(expression)) {
      return *value == 1 ? Factors() : Factors{std::to_string(*value)};
    }
    if (const VarDecl* variable = counted_variable(expression)) {
      if (!variable->getType().getNonReferenceType()->isIntegerType() || is_set(*variable, false)) {
        return std::nullopt;
      }
      // Another variable of that name, or the device's own copy, has another value.
      const bool is_own =
          region_ != nullptr && (variable->hasAttr<clang::OMPDeclareTargetDeclAttr>() ||
                                 lists<clang::OMPMapClause>(*region_, *variable));
      if (is_own || is_declared_in(*variable, body_)) {
        return std::nullopt;
      }
      // Where two variables have one name, the product would not show which one is meant.
      const VarDecl* meant = variable->getCanonicalDecl();
      const auto [known, is_new] = meant_.try_emplace(variable->getNameAsString(), meant);
      if (known->second != meant) return std::nullopt;
      return Factors{variable->getNameAsString()};
    }
    const auto* product = dyn_cast<clang::BinaryOperator>(&expression);
    if (product == nullptr || product->getOpcode() != clang::BO_Mul) return std::nullopt;
    const auto left = factors(*product->getLHS());
    const auto right = factors(*product->getRHS());
    if (!left || !right) return std::nullopt;
    return times(*left, *right);
  }

  /// The product of two products, with all numbers multiplied.
  static Factors times(const Factors& one, const Factors& other) {
    Factors all = one;
    all.insert(other.begin(), other.end());
    long long product = 1;
    Factors names;
    for (const std::string& each : all) {
      if (std::isdigit(static_cast<unsigned char>(each.front())) != 0) {
        product *= std::stoll(each);
      } else {
        names.insert(each);
      }
    }
    if (product != 1) names.insert(std::to_string(product));
    return names;
  }

  /// Whether the code sets a variable. `is_counter`: outside of the heads of loops.
  [[nodiscard]] bool is_set(const VarDecl& variable, bool is_counter) const {
    for (const clang::DeclRefExpr* name : edit::names_of(&body_, variable)) {
      const Stmt* parent = program_.parent_of(*name);
      while (isa_and_nonnull<clang::ParenExpr>(parent)) parent = program_.parent_of(*parent);
      if (isa_and_nonnull<clang::ImplicitCastExpr>(parent)) continue;  // it is read
      const auto* loop = dyn_cast_or_null<clang::ForStmt>(
          parent == nullptr ? nullptr : program_.parent_of(*parent));
      const bool is_head =
          loop != nullptr && (loop->getInit() == parent || loop->getInc() == parent);
      if (!is_counter || !is_head) return true;
    }
    return false;
  }

  /// A part of a sum: a product, with one counter in it or none.
  struct Term {
    const VarDecl* counter = nullptr;
    Factors by;
  };
  [[nodiscard]] bool add_terms(const Expr& any, const std::vector<Counted>& loops,
                               const Factors& by, std::vector<Term>& terms) const {
    const Expr& expression = as_counted(any);
    const auto* binary = dyn_cast<clang::BinaryOperator>(&expression);
    if (binary != nullptr && binary->getOpcode() == clang::BO_Add) {
      return add_terms(*binary->getLHS(), loops, by, terms) &&
             add_terms(*binary->getRHS(), loops, by, terms);
    }
    if (binary != nullptr && binary->getOpcode() == clang::BO_Mul) {
      if (const auto right = factors_without(*binary->getRHS(), loops)) {
        return add_terms(*binary->getLHS(), loops, times(by, *right), terms);
      }
      if (const auto left = factors_without(*binary->getLHS(), loops)) {
        return add_terms(*binary->getRHS(), loops, times(by, *left), terms);
      }
      return false;
    }
    const VarDecl* variable = counted_variable(expression);
    const bool is_counter = variable != nullptr && is_one(*variable, loops);
    if (is_counter) terms.push_back({variable, by});
    return is_counter;
  }

  [[nodiscard]] static bool is_one(const VarDecl& variable, const std::vector<Counted>& loops) {
    return std::ranges::any_of(loops, [&](const Counted& loop) {
      return loop.counter->getCanonicalDecl() == variable.getCanonicalDecl();
    });
  }

  /// The factors of an expression. Nullopt where a counter is among them.
  [[nodiscard]] std::optional<Factors> factors_without(const Expr& expression,
                                                       const std::vector<Counted>& loops) const {
    const VarDecl* variable = counted_variable(expression);
    if (variable != nullptr && is_one(*variable, loops)) return std::nullopt;
    const auto all = factors(expression);
    const bool has_counter = all && std::ranges::any_of(loops, [&](const Counted& loop) {
                               return all->contains(loop.counter->getNameAsString());
                             });
    return has_counter ? std::nullopt : all;
  }

  /// The number of elements that an index visits without a gap, from 0 on.
  [[nodiscard]] std::optional<Factors> covered(const Expr& element,
                                               const std::vector<Counted>& loops) const {
    std::vector<Term> terms;
    Factors inner;  // number of elements in one step of an index
    for (const Expr* at = &element; isa<clang::ArraySubscriptExpr>(at);) {
      const auto& index = *cast<clang::ArraySubscriptExpr>(at);
      if (!add_terms(*index.getIdx(), loops, inner, terms)) return std::nullopt;
      at = index.getBase()->IgnoreParenImpCasts();
      const auto* row = context_.getAsConstantArrayType(at->getType());
      if (isa<clang::ArraySubscriptExpr>(at)) {
        if (row == nullptr) return std::nullopt;
        inner = times(inner, {std::to_string(row->getSize().getZExtValue())});
      }
    }
    if (terms.size() != loops.size()) return std::nullopt;
    Factors width;  // number of elements so far
    std::set<const VarDecl*> counted;
    for (std::size_t left = terms.size(); left > 0; --left) {
      const auto next = std::ranges::find(terms, times(width, {}), [](const Term& term) {
        return term.counter == nullptr ? Factors{"?"} : times(term.by, {});
      });
      if (next == terms.end()) return std::nullopt;
      const auto loop = std::ranges::find_if(loops, [&](const Counted& one) {
        return one.counter->getCanonicalDecl() == next->counter->getCanonicalDecl();
      });
      // Two indices with one counter visit a diagonal.
      if (!counted.insert(loop->counter->getCanonicalDecl()).second) return std::nullopt;
      width = times(width, loop->count);
      next->counter = nullptr;
    }
    return width;
  }

  const Program& program_;
  clang::ASTContext& context_;
  const Stmt& code_;  ///< the region's directive, or the host's loop
  const Stmt& body_;
  const Directive* region_;  ///< null: the code is the host's
  const VarDecl& array_;
  mutable std::map<std::string, const VarDecl*> meant_;  ///< by the names in products
};

}  // namespace

bool overwrites_all(const Program& program, const Directive& region, const VarDecl& array,
                    const Expr& item) {
  return region.hasAssociatedStmt() && Coverage(program, region, array).covers(item);
}

bool overwrites_all(const Program& program, const clang::ForStmt& loop, const VarDecl& array,
                    const Expr& item) {
  return Coverage(program, loop, array).covers(item);
}

std::string elements_overwritten(const Program& program, const Directive& region,
                                 const VarDecl& array) {
  if (!region.hasAssociatedStmt()) return {};
  const auto elements = Coverage(program, region, array).elements();
  if (!elements) return {};
  return elements->empty() ? "1" : fmt::format("{}", fmt::join(*elements, "*"));
}

}  // namespace ompdm::edit
