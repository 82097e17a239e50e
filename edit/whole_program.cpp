#include "whole_program.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "flow.h"

namespace ompdm::edit {
namespace {

/// The mangled name of a declaration.
std::string link_name(const clang::NamedDecl& one) {
  clang::ASTNameGenerator names(one.getASTContext());
  return names.getName(&one);
}

std::string type_name(clang::QualType type) {
  return type.getCanonicalType().getUnqualifiedType().getAsString();
}

/// A function type as text, without noexcept, so that pointers and functions can be compared.
std::string signature_of(clang::QualType type) {
  const auto* function = type->getAs<clang::FunctionProtoType>();
  if (function == nullptr) return type_name(type);
  std::string text = type_name(function->getReturnType());
  for (const clang::QualType parameter : function->param_types())
    text += ',' + type_name(parameter);
  return text;
}

/// Variables of namespaces and classes, and functions whose address is taken.
class GlobalNames : public CodeVisitor {
 public:
  [[nodiscard]] bool has_instantiations() const override { return true; }
  bool enters_declared(const clang::Decl& one) override {
    const auto* function = dyn_cast<FunctionDecl>(&one);
    if (function != nullptr && function->isDependentContext()) return false;
    return !is_in_system_header(one);
  }
  void visit_declared(const clang::Decl& one) override {
    const auto* variable = dyn_cast<VarDecl>(&one);
    if (variable != nullptr && variable->hasGlobalStorage() && !variable->isStaticLocal()) {
      variables.push_back(variable);
    }
  }
  void visit(const Stmt& at) override {
    const auto* lambda = dyn_cast<clang::LambdaExpr>(&at);
    has_plain_lambda = has_plain_lambda || (lambda != nullptr && lambda->capture_size() == 0);
    if (const auto* call = dyn_cast<CallExpr>(&at)) {
      callees_.insert(call->getCallee()->IgnoreParenImpCasts());
    }
    if (const auto* cast = dyn_cast<clang::ExplicitCastExpr>(&at)) {
      const auto* of = dyn_cast<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParenImpCasts());
      const auto* called = of == nullptr ? nullptr : dyn_cast<FunctionDecl>(of->getDecl());
      if (called != nullptr && cast->getType()->isPointerType()) as_others.insert(called);
    }
    const auto* name = dyn_cast<clang::DeclRefExpr>(&at);
    const auto* function = name == nullptr ? nullptr : dyn_cast<FunctionDecl>(name->getDecl());
    if (function != nullptr && !callees_.contains(name)) pointed_to.insert(function);
  }

  std::vector<const VarDecl*> variables;
  std::set<const FunctionDecl*> pointed_to;
  std::set<const FunctionDecl*> as_others;  ///< whose address is cast
  bool has_plain_lambda = false;

 private:
  std::set<const Expr*> callees_;
};

}  // namespace

WholeProgram::WholeProgram(std::vector<const Program*> units, bool is_whole)
    : units_(std::move(units)), is_whole_(is_whole) {
  std::set<std::string> pointed;
  std::set<std::string> cast;
  for (const Program* unit : units_) {
    GlobalNames names;
    names.walk(unit->context().getTranslationUnitDecl());
    globals_.insert(globals_.end(), names.variables.begin(), names.variables.end());
    has_lambda_pointers_ = has_lambda_pointers_ || names.has_plain_lambda;
    for (const FunctionDecl* function : names.pointed_to) pointed.insert(link_name(*function));
    for (const FunctionDecl* function : names.as_others) cast.insert(link_name(*function));
    for (const FunctionDecl* function : unit->functions()) {
      if (function->isMain()) main_ = function;
      if (function->isExternallyVisible()) definitions_.emplace(link_name(*function), function);
    }
  }
  for (const Program* unit : units_) {
    for (const FunctionDecl* function : unit->functions()) {
      if (pointed.contains(link_name(*function))) {
        pointed_to_[signature_of(function->getType())].push_back(function);
      }
      if (cast.contains(link_name(*function))) cast_.push_back(function);
      const auto* method = dyn_cast<clang::CXXMethodDecl>(function);
      if (method == nullptr || !method->isVirtual()) continue;
      std::set<const clang::CXXMethodDecl*> all = {method};
      while (!all.empty()) {
        const clang::CXXMethodDecl* one = *all.begin();
        all.erase(all.begin());
        overriders_[link_name(*one)].push_back(function);
        for (const clang::CXXMethodDecl* base : one->overridden_methods()) all.insert(base);
      }
    }
  }
}

const FunctionDecl* WholeProgram::definition_of(const FunctionDecl& called) const {
  const FunctionDecl* defined = nullptr;
  if (called.hasBody(defined)) return defined;
  if (!called.isExternallyVisible() || units_.size() < 2) return nullptr;
  const auto [known, is_new] = defined_.try_emplace(called.getCanonicalDecl(), nullptr);
  if (is_new) {
    const auto found = definitions_.find(link_name(called));
    if (found != definitions_.end()) known->second = found->second;
  }
  return known->second;
}

std::vector<const FunctionDecl*> WholeProgram::pointed_to(clang::QualType function) const {
  const auto found = pointed_to_.find(signature_of(function));
  std::vector<const FunctionDecl*> all =
      found == pointed_to_.end() ? std::vector<const FunctionDecl*>() : found->second;
  // A function whose address is cast may be called by a pointer of any type.
  for (const FunctionDecl* one : cast_) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  return all;
}

std::vector<const FunctionDecl*> WholeProgram::overriders(
    const clang::CXXMethodDecl& called) const {
  const auto found = overriders_.find(link_name(called));
  return found == overriders_.end() ? std::vector<const FunctionDecl*>() : found->second;
}

const clang::FieldDecl* WholeProgram::same(const clang::FieldDecl& field) const {
  if (units_.size() < 2) return &field;
  const auto [at, is_new] = fields_.try_emplace(&field, &field);
  if (is_new) {
    const clang::RecordDecl& record = *field.getParent();
    // A type without a name equals only itself.
    if (!record.isExternallyVisible() && record.getTypedefNameForAnonDecl() == nullptr &&
        record.getDeclName().isEmpty()) {
      return &field;
    }
    const std::string name = fmt::format(
        "{}/{}", type_name(record.getASTContext().getRecordType(&record)), field.getFieldIndex());
    at->second = field_of_name_.try_emplace(name, &field).first->second;
  }
  return at->second;
}

const VarDecl* WholeProgram::same(const VarDecl& variable) const {
  const VarDecl* first = variable.getCanonicalDecl();
  if (units_.size() < 2 || !first->hasGlobalStorage() || !first->isExternallyVisible()) {
    return first;
  }
  const auto [known, is_new] = same_.try_emplace(first, first);
  if (is_new) {
    known->second = variable_of_name_.try_emplace(link_name(*first), first).first->second;
  }
  return known->second;
}

bool WholeProgram::has_late_code() const {
  return std::ranges::any_of(units_,
                             [](const Program* unit) { return edit::has_late_code(*unit); });
}

}  // namespace ompdm::edit
