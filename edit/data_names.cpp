#include "data_names.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/AST/Stmt.h>
#include <fmt/format.h>

#include <algorithm>

#include "accesses.h"
#include "names.h"
#include "storage.h"

namespace ompdm::edit {
namespace {

/// The pointer that leads to data: s, null, u for `s->u[i].x`, which is s, null, u, null, x. An
/// array's elements are the array's own.
Path pointer_of(const Path& data) {
  Path path = data;
  const auto last = std::find(path.steps.rbegin(), path.steps.rend(), nullptr);
  if (last != path.steps.rend()) path.steps.erase(std::prev(last.base()), path.steps.end());
  return path;
}

/// Calls set(path, value) for each pointer that code sets, in its declaration or later.
template <class Set>
void each_set(const Stmt* code, Set&& set) {
  each_statement(code, [&](const Stmt& one) {
    if (const auto* declared = dyn_cast<clang::DeclStmt>(&one)) {
      for (const clang::Decl* each : declared->decls()) {
        const auto* variable = dyn_cast<VarDecl>(each);
        if (variable == nullptr || variable->getInit() == nullptr) continue;
        set(Path{variable->getCanonicalDecl(), {}}, *variable->getInit());
      }
    }
    const auto* assignment = dyn_cast<clang::BinaryOperator>(&one);
    if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return;
    if (!assignment->getType()->isAnyPointerType()) return;
    const std::optional<Path> to = path_by_name(*assignment->getLHS());
    if (to) set(*to, *assignment->getRHS());
  });
}

const Expr* initial_value(const Stmt& statement, const VarDecl& variable) {
  for (const auto* declared : all_in<clang::DeclStmt>(&statement)) {
    for (const clang::Decl* one : declared->decls()) {
      const auto* its = dyn_cast<VarDecl>(one);
      if (its != nullptr && its->getCanonicalDecl() == variable.getCanonicalDecl()) {
        return its->getInit();
      }
    }
  }
  return nullptr;
}

/// A call of `std::swap` with two arguments. Null: the statement has none.
const CallExpr* exchange_in(const Stmt& statement) {
  for (const auto* call : all_in<CallExpr>(&statement)) {
    const FunctionDecl* called = call->getDirectCallee();
    const bool is_swap = called != nullptr && called->getIdentifier() != nullptr &&
                         called->isInStdNamespace() && called->getName() == "swap" &&
                         call->getNumArgs() == 2;
    if (is_swap) return call;
  }
  return nullptr;
}

}  // namespace

std::optional<Path> path_by_name(const Expr& expression) {
  const Expr* at = expression.IgnoreParenImpCasts();
  if (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
    return path_by_name(*section->getBase());
  }
  if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(at)) {
    // Pointers in an array have one path.
    if (element->getType()->isAnyPointerType()) return std::nullopt;
    return path_by_name(*element->getBase());
  }
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(at)) {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable == nullptr) return std::nullopt;
    return Path{variable->getCanonicalDecl(), {}};
  }
  if (isa<clang::CXXThisExpr>(at)) {
    return Path{at->getType()->getPointeeCXXRecordDecl()->getCanonicalDecl(), {}};
  }
  const auto* member = dyn_cast<clang::MemberExpr>(at);
  const auto* field =
      member == nullptr ? nullptr : dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr) return std::nullopt;
  std::optional<Path> path = path_by_name(*member->getBase());
  if (!path) return std::nullopt;
  const bool is_of_this = isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
  if (member->isArrow() && !is_of_this) path->steps.push_back(nullptr);
  path->steps.push_back(field->getCanonicalDecl());
  return path;
}

DataNames::DataNames(const Trail& trail, const WholeProgram& program, std::set<Path> known)
    : trail_(trail), known_(std::move(known)) {
  for (std::size_t before = 0; before != known_.size();) {
    before = known_.size();
    for (const Program* unit : program.units()) {
      for (const FunctionDecl* function : unit->functions()) {
        each_set(function->getBody(), [&](const Path& path, const Expr& value) {
          const std::optional<Path> from = path_by_name(value);
          if (from && known_.contains(*from)) known_.insert(path);
        });
      }
    }
  }
}

namespace {

/// The name that the callers have for a parameter.
DataName resolved_in(const Trail& trail, std::uint32_t call, Path path) {
  for (;;) {
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    const FunctionDecl* function = variable == nullptr ? nullptr : function_of(*variable);
    // A library's code gets variables of its caller by reference.
    while (function != nullptr && call != 0 && trail.called[call] != function->getCanonicalDecl()) {
      call = trail.callers[call];
    }
    const auto handed = trail.arguments.find({call, variable});
    if (variable == nullptr || handed == trail.arguments.end()) break;
    path = handed->second.with(path.steps);
    call = trail.callers[call];
  }
  const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
  const bool is_shared = variable == nullptr || variable->hasGlobalStorage();
  return {is_shared ? 0 : call, std::move(path)};
}

/// The type of a section's elements.
clang::QualType element_of_section(const Expr& section) {
  const auto& outer = *cast<clang::ArraySectionExpr>(&section);
  const clang::QualType base = clang::ArraySectionExpr::getBaseOriginalType(outer.getBase());
  if (const auto* array = base->getAsArrayTypeUnsafe()) return array->getElementType();
  return base->getPointeeType();
}

std::string bound_text(const Trail& trail, const Step& step, const Expr& any);

/// A variable as text: its known number, or the name that the callers have for it.
std::string variable_text(const Trail& trail, const Step& step, const VarDecl& variable) {
  const DataName one = resolved_in(trail, step.call, {variable.getCanonicalDecl(), {}});
  const auto* root = dyn_cast_or_null<const VarDecl*>(one.second.root);
  const auto number = trail.numbers.find({one.first, root});
  if (number != trail.numbers.end()) return std::to_string(number->second);
  if (root != nullptr && one.second.steps.empty() && root->getType().isConstQualified() &&
      root->getInit() != nullptr && !root->getInit()->isValueDependent()) {
    clang::Expr::EvalResult constant;
    if (root->getInit()->EvaluateAsInt(constant, root->getASTContext())) {
      return std::to_string(constant.Val.getInt().getExtValue());
    }
  }
  std::string text = fmt::format("{}@{}", fmt::ptr(one.second.root.getOpaqueValue()), one.first);
  for (const clang::FieldDecl* field : one.second.steps) {
    text += field == nullptr ? "->" : '.' + field->getNameAsString();
  }
  return text;
}

/// An operation with two parts as text. Parts of a sum or product are sorted, as their order does
/// not matter.
std::string sum_text(const clang::BinaryOperator& both, std::string left, std::string right) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() < 10 &&
           text.find_first_not_of("0123456789") == std::string::npos;
  };
  const clang::BinaryOperatorKind kind = both.getOpcode();
  if (is_number(left) && is_number(right)) {
    const long long one = std::stoll(left);
    const long long other = std::stoll(right);
    if (kind == clang::BO_Add) return std::to_string(one + other);
    if (kind == clang::BO_Sub && one >= other) return std::to_string(one - other);
    if (kind == clang::BO_Mul) return std::to_string(one * other);
    if (kind == clang::BO_Div && other != 0) return std::to_string(one / other);
  }
  const bool is_any_order = kind == clang::BO_Add || kind == clang::BO_Mul;
  if (is_any_order && right < left) std::swap(left, right);
  return fmt::format("({}{}{})", left, both.getOpcodeStr().str(), right);
}

/// A bound of a section as text, with the names of variable_text().
std::string bound_text(const Trail& trail, const Step& step, const Expr& any) {
  const clang::ASTContext& context = *step.context();
  const Expr& bound = *any.IgnoreParenCasts();
  clang::Expr::EvalResult constant;
  if (!bound.isValueDependent() && bound.getType()->isIntegerType() &&
      bound.EvaluateAsInt(constant, context)) {
    return std::to_string(constant.Val.getInt().getExtValue());
  }
  if (const VarDecl* variable = variable_of(&bound)) return variable_text(trail, step, *variable);
  if (const auto* both = dyn_cast<clang::BinaryOperator>(&bound)) {
    return sum_text(*both, bound_text(trail, step, *both->getLHS()),
                    bound_text(trail, step, *both->getRHS()));
  }
  std::string text = text_of(context, bound);
  std::erase(text, ' ');
  return text;
}

}  // namespace

DataName DataNames::resolved(std::uint32_t call, Path path) const {
  return resolved_in(trail_, call, std::move(path));
}

std::string section_of(const Trail& trail, const Step& step, const Expr& item) {
  if (step.context() == nullptr) return {};
  std::vector<std::string> dimensions;  // the last first
  const Expr* at = item.IgnoreParenImpCasts();
  clang::QualType element;
  while (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
    const Expr* begin = section->getLowerBound();
    const Expr* length = section->getLength();
    dimensions.push_back(fmt::format("[{}:{}]",
                                     begin == nullptr ? "0" : bound_text(trail, step, *begin),
                                     length == nullptr ? "" : bound_text(trail, step, *length)));
    at = section->getBase()->IgnoreParenImpCasts();
  }
  std::string text;
  for (auto one = dimensions.rbegin(); one != dimensions.rend(); ++one) text += *one;
  // Elements of a section may be arrays, which belong to it as a whole.
  element = dimensions.empty() ? at->getType() : element_of_section(*item.IgnoreParenImpCasts());
  const clang::ASTContext& context = *step.context();
  for (const auto* array = context.getAsConstantArrayType(element); array != nullptr;
       array = context.getAsConstantArrayType(element)) {
    text += fmt::format("[0:{}]", array->getSize().getZExtValue());
    element = array->getElementType();
  }
  return text;
}

std::optional<DataName> DataNames::named_by(std::uint32_t call, const Expr& pointer) const {
  std::optional<Path> path = path_by_name(pointer);
  if (!path) return std::nullopt;
  return resolved(call, std::move(*path));
}

std::optional<DataName> DataNames::of_item(const Step& step, const Expr& item) const {
  return named_by(step.call, item);
}

NameSet DataNames::of_region(const Step& begin, bool only_written) const {
  NameSet all;
  for (const Access& access : accesses_in(*cast<Directive>(begin.at)).all) {
    if (only_written && access.use == Use::kRead) continue;
    const Path path = pointer_of(access.path);
    if (known_.contains(path)) all.insert(resolved(begin.call, path));
  }
  return all;
}

NameSet DataNames::of_statement(const Step& step, bool only_written) const {
  NameSet all;
  if (step.at == nullptr) return all;
  const Stmt* code = step.at;
  const auto* assignment = dyn_cast<clang::BinaryOperator>(code);
  if (only_written && assignment != nullptr && assignment->isAssignmentOp()) {
    code = assignment->getLHS();
  }
  const auto add = [&](const Expr& name) {
    const std::optional<Path> path = path_by_name(name);
    if (path && known_.contains(*path)) all.insert(resolved(step.call, *path));
  };
  for (const auto* name : all_in<clang::DeclRefExpr>(code)) add(*name);
  for (const auto* member : all_in<clang::MemberExpr>(code)) add(*member);
  return all;
}

std::optional<Renaming> DataNames::renaming(const Step& step) const {
  const Access& access = trail_.accesses[step.access];
  const bool is_pointer = access.use != Use::kRead && known_.contains(access.path);
  if (!is_pointer || step.at == nullptr) return std::nullopt;
  Renaming made{resolved(step.call, access.path), std::nullopt};
  if (const CallExpr* exchange = exchange_in(*step.at)) {
    const auto one = named_by(step.call, *exchange->getArg(0));
    const auto other = named_by(step.call, *exchange->getArg(1));
    if (!one || !other) return made;
    // An exchange sets both pointers: the step of the first one stands for it.
    if (made.name == *other) return std::nullopt;
    return Renaming{*one, other, true, false};
  }
  const auto* variable = dyn_cast_or_null<const VarDecl*>(access.path.root);
  const Expr* value = variable == nullptr ? nullptr : initial_value(*step.at, *variable);
  const auto* assignment = dyn_cast<clang::BinaryOperator>(step.at);
  if (assignment != nullptr && assignment->getOpcode() == clang::BO_Assign) {
    value = assignment->getRHS();
  }
  if (value != nullptr) {
    made.from = named_by(step.call, *value);
    made.is_fresh = is_allocation(value);
  }
  return made;
}

bool DataNames::is_saved(const Step& step, const DataName& name, const NameSet& in) const {
  if (step.function == nullptr || !step.function->hasBody()) return false;
  bool is_it = false;
  each_set(step.function->getBody(), [&](const Path& kept, const Expr& value) {
    const auto from = named_by(step.call, value);
    is_it = is_it || (from && *from == name && in.contains(resolved(step.call, kept)));
  });
  return is_it;
}

}  // namespace ompdm::edit
