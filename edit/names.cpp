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

}  // namespace

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string root_of(const std::string& expression) {
  std::size_t end = 0;
  while (end < expression.size() && is_of_name(expression[end])) ++end;
  const bool is_alone = end == expression.size() || expression[end] == '[';
  return is_alone && end > 0 && !std::isdigit(static_cast<unsigned char>(expression[0]))
             ? expression.substr(0, end)
             : std::string();
}

std::vector<std::pair<std::string, bool>> words_of(const std::string& expression) {
  std::vector<std::pair<std::string, bool>> words;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && is_of_name(expression[end])) ++end;
    const bool is_word = end > at;
    if (!is_word) ++end;
    const bool is_name = is_word && std::isdigit(static_cast<unsigned char>(expression[at])) == 0;
    words.emplace_back(expression.substr(at, end - at), is_name);
    at = end;
  }
  return words;
}

std::vector<std::string> names_in(const std::string& expression) {
  std::vector<std::string> names;
  for (auto& [word, is_name] : words_of(expression)) {
    if (is_name) names.push_back(std::move(word));
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
  return meanings.all.empty() ? find_global(name) : *meanings.all.begin();
}

/// Of the namespaces around, where the loop's function has nothing else of that name.
const clang::VarDecl* Names::find_global(const std::string& name) const {
  const clang::FunctionDecl* function = program_.function_of(loop_);
  if (function == nullptr || !function->hasBody()) return nullptr;
  Meanings meanings(name);
  meanings.TraverseDecl(const_cast<clang::FunctionDecl*>(function));
  if (meanings.inner != nullptr) return nullptr;
  clang::IdentifierInfo& identifier = program_.context().Idents.get(name);
  for (const clang::DeclContext* at = function->getDeclContext(); at != nullptr;
       at = at->getParent()) {
    if (at->isRecord()) return nullptr;
    for (const clang::NamedDecl* one : at->lookup(&identifier)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
      return variable == nullptr ? nullptr : variable->getCanonicalDecl();
    }
  }
  return nullptr;
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

}  // namespace ompdm::edit
