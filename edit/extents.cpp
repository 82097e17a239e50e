#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <optional>
#include <set>

#include "answer.h"
#include "names.h"
#include "source_text.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

/// Whether a pointer or a reference may lead to a variable: its address is kept somewhere, not only
/// handed to a function, as scanf and MPI_Bcast ask.
class Keepers : public WrittenCode<Keepers> {
 public:
  Keepers(const Program& program, const clang::VarDecl& variable)
      : program_(program), variable_(variable) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() != variable_.getCanonicalDecl()) return true;
    const clang::Stmt* parent = program_.parent_of(*name);
    const auto* unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent);
    if (unary == nullptr || unary->getOpcode() != clang::UO_AddrOf) return true;
    const clang::Stmt* around = program_.parent_of(*unary);
    while (llvm::isa_and_nonnull<clang::CastExpr, clang::ParenExpr>(around)) {
      around = program_.parent_of(*around);
    }
    found = found || !llvm::isa_and_nonnull<clang::CallExpr>(around);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* declared) {
    const bool is_reference =
        declared->getType()->isReferenceType() && declared->getInit() != nullptr;
    const auto* name =
        is_reference
            ? llvm::dyn_cast<clang::DeclRefExpr>(declared->getInit()->IgnoreParenImpCasts())
            : nullptr;
    found = found || (name != nullptr && name->getDecl() == &variable_);
    return true;
  }
  bool found = false;

 private:
  const Program& program_;
  const clang::VarDecl& variable_;
};

/// Whether a statement sets a variable, or lets others do so.
class Setters : public WrittenCode<Setters> {
 public:
  Setters(const Program& program, const clang::VarDecl& variable)
      : program_(program), variable_(variable) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() != variable_.getCanonicalDecl()) return true;
    const clang::Stmt* at = name;
    const clang::Stmt* parent = program_.parent_of(*at);
    while (parent != nullptr && llvm::isa<clang::ParenExpr>(parent)) {
      parent = program_.parent_of(*(at = parent));
    }
    // A value that is read is none that is set.
    const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(parent);
    const bool is_read = cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
    const bool is_size = parent != nullptr && llvm::isa<clang::UnaryExprOrTypeTraitExpr>(parent);
    if (!is_read && !is_size) found = name;
    return true;
  }

  /// What is global functions may set, too: those that are not seen if they know it.
  bool VisitCallExpr(clang::CallExpr* call) {
    if (!variable_.hasGlobalStorage()) return true;
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    if (called == nullptr || !called->hasBody(defined)) {
      const bool is_unseen = called == nullptr || !is_of_system(*called);
      if (is_unseen && variable_.isExternallyVisible()) found = call;
      return true;
    }
    return !known_.insert(defined).second || TraverseStmt(defined->getBody());
  }

  const clang::Stmt* found = nullptr;

 private:
  bool is_of_system(const clang::FunctionDecl& function) const {
    const clang::SourceManager& sources = program_.context().getSourceManager();
    return function.getBuiltinID() != 0 || sources.isInSystemHeader(function.getLocation());
  }

  const Program& program_;
  const clang::VarDecl& variable_;
  std::set<const clang::FunctionDecl*> known_;
};

/// Whether a variable is set where it is declared, and nowhere else.
bool is_set_once(const Program& program, const clang::VarDecl& variable) {
  if (variable.getType().isConstQualified()) return true;
  const clang::FunctionDecl* function = function_of(variable);
  if (function == nullptr || !function->hasBody() || variable.hasGlobalStorage()) return false;
  Setters setters(program, variable);
  setters.TraverseStmt(function->getBody());
  Keepers keepers(program, variable);
  keepers.TraverseStmt(function->getBody());
  return setters.found == nullptr && !keepers.found;
}

/// The value of a variable that is set once and for all; none of others.
std::optional<std::int64_t> constant_of(const Program& program, const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  clang::Expr::EvalResult result;
  const bool is_constant = value != nullptr && variable.getType()->isIntegerType() &&
                           !value->isValueDependent() &&
                           value->EvaluateAsInt(result, program.context());
  if (!is_constant || !is_set_once(program, variable)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

}  // namespace

void Names::expect_unchanged(const std::string& name) const {
  if (program_.macros().is_redefined(name)) {
    throw Refusal(fmt::format("{} is a macro that is defined more than once", name),
                  place_of(program_.context(), loop_));
  }
  if (find(name) == nullptr) return;
  const clang::VarDecl* variable = expect_before(name);
  Setters setters(program_, *variable);
  setters.TraverseStmt(const_cast<clang::Stmt*>(&loop_));
  const clang::FunctionDecl* function = program_.function_of(loop_);
  Keepers keepers(program_, *variable);
  if (function != nullptr && function->hasBody()) keepers.TraverseStmt(function->getBody());
  if (keepers.found && !variable->getType().isConstQualified()) {
    throw Refusal(fmt::format("{}, which an extent is made of, may be set by its address", name),
                  place_of(program_.context(), loop_));
  }
  if (setters.found != nullptr && !variable->getType().isConstQualified()) {
    throw Refusal(fmt::format("{}, which an extent is made of, is set in the loop", name),
                  place_of(program_.context(), *setters.found));
  }
}

void Names::expect_plain(const std::string& extent) const {
  const std::size_t begin = extent.find('[');
  const std::string root = root_of(extent);
  const std::string bounds = begin == std::string::npos ? std::string() : extent.substr(begin);
  bool is_plain =
      bounds.find_first_of(".&") == std::string::npos && bounds.find("->") == std::string::npos;
  for (std::size_t at = 0; at < bounds.size(); ++at) {
    const std::size_t before = at == 0 ? std::string::npos : bounds.find_last_not_of(' ', at - 1);
    const bool follows_value =
        before != std::string::npos && (is_of_name(bounds[before]) || bounds[before] == ')');
    // A call, an element, what a pointer points to.
    if (bounds[at] == '(' && follows_value && is_of_name(bounds[before])) is_plain = false;
    if (bounds[at] == '[' && follows_value && is_of_name(bounds[before])) is_plain = false;
    if (bounds[at] == '*' && !follows_value) is_plain = false;
  }
  if (!is_plain) {
    throw Refusal(fmt::format("the extent of {} is made of more than names and numbers", extent),
                  place_of(program_.context(), loop_));
  }
  for (const std::string& name : names_in(bounds)) {
    if (name != root && name != "sizeof") expect_unchanged(name);
  }
}

std::string Names::with_constants(const std::string& expression) const {
  std::string text;
  const std::string root = root_of(expression);
  const auto all = words_of(program_.macros().expanded(expression, loop_.getBeginLoc()));
  for (const auto& [word, is_name] : all) {
    const clang::VarDecl* variable = is_name && word != root ? find(word) : nullptr;
    text += variable == nullptr ? word : value_of(*variable).value_or(word);
  }
  return text;
}

/// What can be written for a variable that is set once and for all: a number, or what it was made
/// of, if that is never set either.
std::optional<std::string> Names::value_of(const clang::VarDecl& variable) const {
  if (const auto constant = constant_of(program_, variable)) return std::to_string(*constant);
  const clang::Expr* made = variable.getInit();
  const bool is_plain = made != nullptr && variable.isLocalVarDecl() &&
                        variable.getType()->isIntegerType() && only_names(*made) &&
                        !made->getBeginLoc().isMacroID() && !made->getEndLoc().isMacroID();
  if (!is_plain || !is_set_once(program_, variable)) return std::nullopt;
  const SourceText source(program_.context(), made->getBeginLoc());
  std::string text = source.between(made->getBeginLoc(), made->getEndLoc());
  const clang::FunctionDecl* function = function_of(variable);
  for (const std::string& name : names_in(text)) {
    const clang::VarDecl* part =
        function == nullptr ? nullptr : variable_named(*function->getBody(), name);
    const clang::VarDecl* here = find(name);
    const bool is_one = part != nullptr && (here == nullptr || here == part);
    if (!is_one || part->hasGlobalStorage() || !is_set_once(program_, *part)) return std::nullopt;
  }
  return names_in(text).size() == 1 ? text : '(' + text + ')';
}

}  // namespace ompdm::edit
