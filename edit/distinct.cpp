#include "distinct.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "flow.h"
#include "messages.h"
#include "names.h"
#include "pointer_uses.h"
#include "source_text.h"
#include "storage.h"

namespace ompdm::edit {
namespace {

/// "double" of double, double*, double[3][4] and double**&. Null: none, as for void and classes.
const clang::BuiltinType* scalar_of(clang::QualType type) {
  for (;;) {
    type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
    if (const auto* pointer = type->getAs<clang::PointerType>()) {
      type = pointer->getPointeeType();
    } else if (const auto* array = type->getAsArrayTypeUnsafe()) {
      type = array->getElementType();
    } else {
      const auto* scalar = type->getAs<clang::BuiltinType>();
      const bool is_any = scalar == nullptr || scalar->isVoidType() || type->isAnyCharacterType();
      return is_any ? nullptr : scalar;
    }
  }
}

/// Objects of unlike types are not the same (C17 6.5, paragraph 7; C++20 [basic.lval]).
bool are_unlike(clang::QualType one, clang::QualType other) {
  const auto* left = scalar_of(one);
  const auto* right = scalar_of(other);
  return left != nullptr && right != nullptr && left->getKind() != right->getKind();
}

using Variable = const VarDecl*;
using Variables = std::set<Variable>;
using Roots = std::set<const clang::Decl*>;

/// Names that may lead to storage, on the host or in a region: pointers, arrays, references,
/// objects and `this`.
class Leads : public CodeVisitor {
 public:
  explicit Leads(const Stmt& code) { walk(&code); }

  void visit(const Stmt& at) override {
    if (const Stmt* code = hidden_code_of(at)) hidden = code;
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&at)) visit_name(*name);
    if (isa<clang::CXXThisExpr>(at) && depth_ == 0) this_at = &at;
    const FunctionDecl* called = seen_callee_of(&at);
    if (called == nullptr || is_in_system_header(*called)) return;
    ++depth_;
    follow(called);
    --depth_;
  }

  std::set<std::pair<const VarDecl*, const Stmt*>> all;
  const Stmt* hidden = nullptr;
  const Stmt* this_at = nullptr;

 private:
  void visit_name(const clang::DeclRefExpr& name) {
    const VarDecl* variable = variable_of(&name);
    if (variable == nullptr) return;
    const clang::QualType type = variable->getType();
    const bool leads = type->isPointerType() || type->isArrayType() || type->isReferenceType() ||
                       type->isRecordType();
    // Local variables of a called function get their data from names in the call.
    const bool is_of_callee = depth_ > 0 && !variable->hasGlobalStorage();
    if (leads && !is_of_callee) all.emplace(variable->getCanonicalDecl(), &name);
  }

  int depth_ = 0;
};

/// A pointer, and the pointers from which its values before the loop were computed.
Roots roots_of(const Program& program, const Stmt& loop, const OwnStorage& own,
               const VarDecl& pointer) {
  Roots roots;
  std::vector<Variable> open = {&pointer};
  const auto add = [&](const Expr* value) {
    if (value == nullptr) return;
    // Results of one function may be parts of one piece, unless the function allocates memory.
    const FunctionDecl* called = callee_of(value->IgnoreParenCasts());
    if (called != nullptr && !is_allocation(value)) roots.insert(called->getCanonicalDecl());
    const Variable base = base_variable(*value);
    if (base != nullptr) open.push_back(base->getCanonicalDecl());
  };
  while (!open.empty()) {
    const Variable at = open.back();
    open.pop_back();
    if (!roots.insert(at).second) continue;
    for (const FunctionDecl* function : own.functions_of(*at)) {
      for (const Expr* value : values_of(*at, *function->getBody())) {
        if (!program.is_within(*value, loop)) add(value);
      }
    }
    const auto* parameter = dyn_cast<clang::ParmVarDecl>(at);
    const auto* function =
        parameter == nullptr ? nullptr : dyn_cast<FunctionDecl>(at->getDeclContext());
    if (function == nullptr) continue;
    for (const CallExpr* call : program.calls_of(*function)) {
      add(argument_for(*call, *parameter));
    }
  }
  return roots;
}

/// Parts of one piece can be used by each other's names, beyond the sections of the clauses. Throws
/// Refusal if the host uses one of two that may be such parts.
void expect_own_indexes(const Program& program, const Stmt& loop, const OwnStorage& own,
                        const VarDecl& one, const VarDecl& other) {
  Roots common;
  const Roots left = roots_of(program, loop, own, one);
  std::ranges::set_intersection(left, roots_of(program, loop, own, other),
                                std::inserter(common, common.end()));
  if (common.empty()) return;
  for (const Variable each : {&one, &other}) {
    for (const Mention& use : mentions_on_host(program, loop, *each)) {
      if (use.use == Use::kNone || use.use == Use::kPointer) continue;
      program.refuse(*use.at,
                     "{} and {} are parts of one piece of memory, of which the host may use one by "
                     "the other's name",
                     one.getNameAsString(), other.getNameAsString());
    }
  }
}

class Distinct {
 public:
  Distinct(const Program& program, const Stmt& loop, Variables data)
      : program_(program), loop_(loop), own_(program, loop, data), data_(std::move(data)) {}

  [[nodiscard]] bool may_be(const VarDecl& other, const VarDecl& data) const {
    return !own_.is_private(data) && !is_distinct(other, data);
  }

  /// Returns the pointers that may be equal. Data that one directive maps under two names is
  /// distinct (OpenMP 5.2, section 5.8.3, restrictions).
  [[nodiscard]] Variables expect_no_overlap() const {
    Variables alike;
    const auto directives = program_.directives_in(loop_);
    const auto are_mapped_at_once = [&](const Variable one, const Variable other) {
      return std::ranges::any_of(
          directives, [&](const auto* each) { return maps(*each, *one) && maps(*each, *other); });
    };
    for (const Variable one : data_) {
      for (const Variable other : data_) {
        if (one == other || own_.is_private(*one) || own_.is_private(*other) ||
            is_distinct(*one, *other) || are_of_two_objects(*one, *other)) {
          continue;
        }
        if (are_mapped_at_once(one, other)) {
          expect_own_indexes(program_, loop_, own_, *one, *other);
          continue;
        }
        for (const Variable each : {one, other}) {
          if (const Stmt* made = made_of_another(*each)) {
            program_.refuse(*made, "{} and {} may be parts of the same data",
                            one->getNameAsString(), other->getNameAsString());
          }
          alike.insert(each);
        }
      }
    }
    return alike;
  }

  void expect() const {
    const FunctionDecl* function = program_.function_of(loop_);
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
    if (function == nullptr || (method != nullptr && method->getParent()->isLambda())) {
      program_.refuse(loop_, "this stands in a lambda");
    }
    for (const Variable one : data_) expect_own_value(*one);
    const Leads leads(loop_);
    const CallExpr* unseen = unseen_call_in(loop_);
    for (const Variable one : data_) {
      if (unseen != nullptr && !one->hasGlobalStorage() && own_.is_known_elsewhere(*one)) {
        const FunctionDecl* called = unseen->getDirectCallee();
        program_.refuse(
            *unseen, "{}, whose body is not seen, may know {} from elsewhere",
            called == nullptr ? "what is called here" : called->getNameAsString() + "()",
            one->getNameAsString());
      }
      if (own_.is_private(*one)) continue;
      if (leads.hidden != nullptr) {
        program_.refuse(*leads.hidden, "what runs here without a call may lead to {}",
                        one->getNameAsString());
      }
      if (leads.this_at != nullptr) {
        program_.refuse(*leads.this_at, "a member may be {}", one->getNameAsString());
      }
      for (const auto& [other, at] : leads.all) {
        if (!data_.contains(other) && !is_part(*other, *at) && !is_third(*other) &&
            !is_distinct(origin_of(*other), *one)) {
          const bool is_cpp = program_.context().getLangOpts().CPlusPlus;
          const bool are_pointers = other->getType()->isPointerType() &&
                                    one->getType()->isPointerType() && !one->hasGlobalStorage();
          program_.refuse(
              *at, "{} may be another name of {}{}", other->getNameAsString(),
              one->getNameAsString(),
              are_pointers ? fmt::format(": if it never is, declare {} {}", one->getNameAsString(),
                                         is_cpp ? "__restrict" : "restrict")
                           : std::string());
        }
      }
    }
  }

 private:
  /// Throws Refusal where two pointers get the same value before the loop: they lead to the same
  /// data.
  void expect_own_value(const VarDecl& variable) const {
    for (const FunctionDecl* function : own_.functions_of(variable)) {
      for (const Mention& one : mentions_on_host(program_, *function->getBody(), variable)) {
        if (one.use != Use::kPointer || program_.is_within(*one.at, loop_)) continue;
        const Assignment made = assignment_of(*one.at);
        const bool is_copy = made.to != nullptr && made.from != nullptr && made.to != made.from &&
                             data_.contains(made.to) && data_.contains(made.from);
        if (is_copy) {
          program_.refuse(*one.at, "{} and {} may be the same data", made.to->getNameAsString(),
                          made.from->getNameAsString());
        }
      }
    }
  }

  /// Whether two pointers lead to two objects: "double* a = u.data(), *b = v.data();".
  [[nodiscard]] bool are_of_two_objects(const VarDecl& one, const VarDecl& other) const {
    const Variable left = object_of(one);
    const Variable right = object_of(other);
    return left != nullptr && right != nullptr && left != right;
  }

  /// The local object of the standard library whose storage a pointer leads to, as its only value.
  /// Null: another pointer.
  [[nodiscard]] Variable object_of(const VarDecl& pointer) const {
    const FunctionDecl* function = function_of(pointer);
    if (function == nullptr || !function->hasBody() || pointer.hasGlobalStorage()) return nullptr;
    const auto values = values_of(pointer, *function->getBody());
    if (values.size() != 1) return nullptr;
    const Leads leads(*values.front());
    const bool is_one = leads.all.size() == 1 && leads.this_at == nullptr;
    const Variable object = is_one ? leads.all.begin()->first : nullptr;
    const bool is_own = object != nullptr && object->isLocalVarDecl() &&
                        object->getType()->isRecordType() && is_own_object(*object);
    return is_own ? object : nullptr;
  }

  /// Whether a pointer leads to a part of the data, so that its uses count as uses of the data.
  [[nodiscard]] bool is_part(const VarDecl& variable, const Stmt& at) const {
    const bool is_in_code =
        variable.getInit() != nullptr && program_.is_within(*variable.getInit(), loop_);
    return is_in_code && data_.contains(&origin_of(variable)) &&
           is_declared_beside(program_, variable, at);
  }

  /// The pointer whose data a pointer leads to a part of. The pointer itself, where it is set again
  /// or to something else.
  [[nodiscard]] const VarDecl& origin_of(const VarDecl& variable) const {
    const VarDecl* base = derived_from(variable);
    const FunctionDecl* function = function_of(variable);
    if (base == nullptr || function == nullptr || !function->hasBody()) return variable;
    const auto is_set = [](const Mention& one) { return one.use == Use::kPointer; };
    const Stmt& body = *function->getBody();
    if (std::ranges::any_of(mentions_on_device(program_, body, variable), is_set)) return variable;
    return origin_of(*base);
  }

  /// Whether a pointer is the temporary variable in an exchange of the data's pointers.
  [[nodiscard]] bool is_third(const VarDecl& variable) const {
    const auto all = mentions_on_host(program_, loop_, variable);
    return std::ranges::all_of(all,
                               [&](const Mention& one) {
                                 const Assignment made = assignment_of(*one.at);
                                 const bool is_one =
                                     (made.to == &variable && data_.contains(made.from)) ||
                                     (made.from == &variable && data_.contains(made.to));
                                 return one.use == Use::kPointer && is_one;
                               }) &&
           !all.empty() &&
           std::ranges::all_of(mentions_on_device(program_, loop_, variable),
                               [](const Mention& one) { return one.use == Use::kPointer; });
  }

  /// The place before the loop where a pointer gets its value from another one, as for a part of
  /// its data. Null: there is none.
  [[nodiscard]] const Stmt* made_of_another(const VarDecl& variable) const {
    for (const FunctionDecl* function : own_.functions_of(variable)) {
      for (const Expr* value : values_of(variable, *function->getBody())) {
        if (!Leads(*value).all.empty() && !program_.is_within(*value, loop_)) return value;
      }
    }
    return nullptr;
  }

  /// Whether two variables cannot have the same storage. `data` is not private.
  [[nodiscard]] bool is_distinct(const VarDecl& other, const VarDecl& data) const {
    if (is_in_system_header(other)) return true;  // std::cout
    if (are_unlike(other.getType(), data.getType())) return true;
    if (other.getType().isRestrictQualified() || data.getType().isRestrictQualified()) return true;
    const bool is_object = other.getType()->isRecordType();
    if (is_object && is_never_pointed_to(program_, other)) return true;
    if (is_object) return !is_source(other, data) && is_own_object(other);
    if (other.hasGlobalStorage()) return data.getType()->isArrayType() && own_.is_private(other);
    if (own_.is_private(other)) return true;
    return isa<clang::ParmVarDecl>(other) && isa<clang::ParmVarDecl>(data) &&
           are_handed_apart(cast<clang::ParmVarDecl>(other), cast<clang::ParmVarDecl>(data));
  }

  /// Whether an object is of the standard library, so that only the object has its data.
  [[nodiscard]] bool is_own_object(const VarDecl& object) const {
    const auto* record = object.getType()->getAsCXXRecordDecl();
    return record != nullptr && record->isInStdNamespace();
  }

  /// Whether the data's pointer gets its value from the object: "u = v.data()".
  [[nodiscard]] bool is_source(const VarDecl& object, const VarDecl& data) const {
    if (isa<clang::ParmVarDecl>(data)) return object.hasGlobalStorage();
    if (data.hasGlobalStorage()) return true;
    const Expr* value = data.getInit();
    if (value == nullptr) return true;
    const Leads leads(*value);
    return std::ranges::any_of(leads.all, [&](const auto& one) { return one.first == &object; });
  }

  /// Whether each call that is seen hands different storage to both parameters.
  [[nodiscard]] bool are_handed_apart(const clang::ParmVarDecl& one,
                                      const clang::ParmVarDecl& other, int depth = 0) const {
    constexpr int kDeepest = 8;
    const auto* function = dyn_cast<FunctionDecl>(one.getDeclContext());
    if (function == nullptr || function != other.getDeclContext() || depth > kDeepest) return false;
    const auto calls = program_.calls_of(*function);
    return !calls.empty() && std::ranges::all_of(calls, [&](const CallExpr* call) {
      const Variable left = variable_of(argument_for(*call, one));
      const Variable right = variable_of(argument_for(*call, other));
      if (left == nullptr || right == nullptr || left == right) return false;
      const auto* outer = dyn_cast<clang::ParmVarDecl>(left);
      const auto* other_outer = dyn_cast<clang::ParmVarDecl>(right);
      if (outer != nullptr && other_outer != nullptr) {
        return are_handed_apart(*outer, *other_outer, depth + 1);
      }
      return is_own_object_or_private(*left) && is_own_object_or_private(*right);
    });
  }

  /// Whether a variable has storage of its own. Two such variables have different storage.
  [[nodiscard]] bool is_own_object_or_private(const VarDecl& variable) const {
    return variable.getType()->isArithmeticType() || own_.is_private(variable);
  }

  const Program& program_;
  const Stmt& loop_;
  OwnStorage own_;
  Variables data_;
};

}  // namespace

std::set<const VarDecl*> expect_distinct(const Program& program, const Stmt& loop,
                                         const std::vector<const VarDecl*>& data) {
  const Distinct distinct(program, loop, Variables(data.begin(), data.end()));
  distinct.expect();
  return distinct.expect_no_overlap();
}

bool may_be_same(const Program& program, const Stmt& code, const VarDecl& one,
                 const VarDecl& other) {
  return Distinct(program, code, {&other}).may_be(one, other);
}

}  // namespace ompdm::edit
