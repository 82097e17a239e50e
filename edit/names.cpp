#include "names.h"

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "answer.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

class Meanings : public WrittenCode<Meanings> {
 public:
  explicit Meanings(const std::string& name) : name_(name) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* at) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(at->getDecl());
    if (variable != nullptr && variable->getNameAsString() == name_) {
      all.insert(variable->getCanonicalDecl());
    }
    return true;
  }
  bool VisitValueDecl(clang::ValueDecl* declared) {
    if (declared->getNameAsString() == name_) inner = declared;
    return true;
  }
  // What map clauses name is written there.
  bool TraverseOMPClause(clang::OMPClause* clause) {
    if (const auto* map = llvm::dyn_cast_or_null<clang::OMPMapClause>(clause)) {
      for (const clang::Expr* item : map->varlists()) TraverseStmt(const_cast<clang::Expr*>(item));
    }
    return true;
  }

  std::set<const clang::VarDecl*> all;
  const clang::ValueDecl* inner = nullptr;  // declared in the code

 private:
  std::string name_;
};

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

  /// What is global functions may set, too.
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const bool may_set = variable_.hasGlobalStorage() && called != nullptr &&
                         called->hasBody(defined) && known_.insert(defined).second;
    return !may_set || TraverseStmt(defined->getBody());
  }

  const clang::Stmt* found = nullptr;

 private:
  const Program& program_;
  const clang::VarDecl& variable_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

std::string root_of(const std::string& expression) {
  std::size_t end = 0;
  while (end < expression.size() && is_letter(expression[end])) ++end;
  const bool is_alone = end == expression.size() || expression[end] == '[';
  return is_alone && end > 0 && !std::isdigit(static_cast<unsigned char>(expression[0]))
             ? expression.substr(0, end)
             : std::string();
}

std::vector<std::string> names_in(const std::string& expression) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_letter(expression[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < expression.size() && is_letter(expression[end])) ++end;
    if (!std::isdigit(static_cast<unsigned char>(expression[at]))) {
      names.push_back(expression.substr(at, end - at));
    }
    at = end;
  }
  return names;
}

std::string spoiling(const std::string& expression) {
  const std::string root = root_of(expression);
  const std::size_t begin = expression.find('[');
  if (begin == std::string::npos) {
    return fmt::format("__builtin_memset({0}, 0x5a, sizeof({0}));", root);
  }
  const std::size_t colon = expression.find(':', begin);
  const std::size_t end = expression.find(']', begin);
  if (colon == std::string::npos || colon > end) {
    return fmt::format("__builtin_memset(&{}, 0x5a, sizeof({}));", expression, expression);
  }
  const std::string offset = expression.substr(begin + 1, colon - begin - 1);
  return fmt::format("__builtin_memset({0} + ({1}), 0x5a, sizeof(*{0}) * ({2}));", root,
                     offset.empty() ? "0" : offset, expression.substr(colon + 1, end - colon - 1));
}

const clang::VarDecl* root_variable(const clang::Expr& item) {
  const clang::Expr* at = item.IgnoreParenImpCasts();
  for (;;) {
    if (const auto* section = llvm::dyn_cast<clang::ArraySectionExpr>(at)) {
      at = section->getBase()->IgnoreParenImpCasts();
    } else if (const auto* index = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = index->getBase()->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

bool only_names(const clang::Expr& expression) {
  const clang::Expr* plain = expression.IgnoreParenCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(plain)) {
    return name->getType().getNonReferenceType()->isArithmeticType() ||
           llvm::isa<clang::EnumConstantDecl>(name->getDecl());
  }
  if (llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr,
                clang::CharacterLiteral, clang::UnaryExprOrTypeTraitExpr>(plain)) {
    return true;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain)) {
    return only_names(*unary->getSubExpr());
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(plain)) {
    return only_names(*binary->getLHS()) && only_names(*binary->getRHS());
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(plain)) {
    return only_names(*choice->getCond()) && only_names(*choice->getTrueExpr()) &&
           only_names(*choice->getFalseExpr());
  }
  return false;
}

const clang::Expr& written(const clang::Expr& expression) {
  const clang::Expr* plain = expression.IgnoreImpCasts();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(plain);
  const auto* captured =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::OMPCapturedExprDecl>(name->getDecl());
  return captured == nullptr ? *plain : *captured->getInit()->IgnoreImpCasts();
}

Names::Names(const Program& program, const clang::Stmt& loop) : program_(program), loop_(loop) {}

const clang::VarDecl* variable_named(const clang::Stmt& code, const std::string& name) {
  Meanings meanings(name);
  meanings.TraverseStmt(const_cast<clang::Stmt*>(&code));
  return meanings.all.size() == 1 ? *meanings.all.begin() : nullptr;
}

const clang::VarDecl* Names::find(const std::string& name) const {
  Meanings meanings(name);
  meanings.TraverseStmt(const_cast<clang::Stmt*>(&loop_));
  const Place here = place_of(program_.context(), loop_);
  const bool is_another = meanings.inner != nullptr && !meanings.all.empty() &&
                          meanings.inner->getCanonicalDecl() != *meanings.all.begin();
  if (meanings.all.size() > 1 || is_another) {
    throw Refusal(fmt::format("{} is several variables here", name), here);
  }
  return meanings.all.empty() ? nullptr : *meanings.all.begin();
}

const clang::VarDecl* Names::expect_before(const std::string& name) const {
  const Place here = place_of(program_.context(), loop_);
  if (name.empty()) throw Refusal("what is mapped is a member, not a variable", here);
  const clang::VarDecl* variable = find(name);
  if (variable == nullptr) throw Refusal(fmt::format("{} is no variable here", name), here);
  const clang::SourceManager& sources = program_.context().getSourceManager();
  const bool is_before =
      sources.isBeforeInTranslationUnit(variable->getLocation(), loop_.getBeginLoc());
  if (!is_before) throw Refusal(fmt::format("{} is declared only here", name), here);
  return variable;
}

void Names::expect_unchanged(const std::string& name) const {
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
        before != std::string::npos && (is_letter(bounds[before]) || bounds[before] == ')');
    // A call, an element, what a pointer points to.
    if (bounds[at] == '(' && follows_value && is_letter(bounds[before])) is_plain = false;
    if (bounds[at] == '[' && follows_value && is_letter(bounds[before])) is_plain = false;
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

}  // namespace ompdm::edit
