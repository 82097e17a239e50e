#include "names.h"

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>

#include "messages.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

class Meanings : public CodeVisitor {
 public:
  explicit Meanings(const std::string& name) : name_(name) {}

  void visit(const Stmt& at) override {
    const auto* name = dyn_cast<clang::DeclRefExpr>(&at);
    const VarDecl* variable = name == nullptr ? nullptr : variable_of(name);
    if (variable != nullptr && variable->getNameAsString() == name_) {
      all.insert(variable->getCanonicalDecl());
    }
  }
  void visit_declared(const clang::Decl& one) override {
    const auto* declared = dyn_cast<clang::ValueDecl>(&one);
    if (declared != nullptr && declared->getNameAsString() == name_) inner = declared;
  }
  // Map clauses of the source count, too.
  void visit_clause(const clang::OMPClause& clause) override {
    const auto* map = dyn_cast<clang::OMPMapClause>(&clause);
    if (map == nullptr) return;
    for (const Expr* item : map->varlists()) walk(item);
  }

  std::set<const VarDecl*> all;
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

const VarDecl* root_variable(const Expr& item) {
  const Expr* at = item.IgnoreParenImpCasts();
  if (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
    return root_variable(*section->getBase());
  }
  if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(at)) {
    return root_variable(*index->getBase());
  }
  return isa<clang::DeclRefExpr>(at) ? variable_of(at) : nullptr;
}

std::string bare_name(llvm::StringRef text) {
  std::string name;
  for (const char letter : text.take_until([](char one) { return one == '['; })) {
    if (letter != ' ') name += letter;
  }
  constexpr llvm::StringRef kSelf = "this->";
  return llvm::StringRef(name).starts_with(kSelf) ? name.substr(kSelf.size()) : name;
}

bool is_called(const clang::ASTContext& context, const Expr& item, const std::string& expression) {
  const std::string name = bare_name(expression);
  if (bare_name(text_of(context, item)) == name) return true;
  std::string text;
  llvm::raw_string_ostream out(text);
  item.printPretty(out, nullptr, context.getPrintingPolicy());
  return bare_name(text) == name;
}

std::vector<MapItem> mapped_items(const Directive& directive, bool is_written) {
  std::vector<MapItem> items;
  for (const auto* clause : directive.getClausesOfKind<clang::OMPMapClause>()) {
    if (is_written && clause->isImplicit()) continue;
    for (const Expr* item : clause->varlists()) {
      items.push_back({clause, item, root_variable(*item)});
    }
  }
  return items;
}

std::vector<MapItem> mapped_items(const Directive& directive, const VarDecl& data,
                                  bool is_written) {
  std::vector<MapItem> items = mapped_items(directive, is_written);
  std::erase_if(items, [&](const MapItem& one) { return one.variable != &data; });
  return items;
}

bool is_name_of(const Stmt& at, const VarDecl& variable) {
  const auto* name = dyn_cast<clang::DeclRefExpr>(&at);
  return name != nullptr && name->getDecl()->getCanonicalDecl() == variable.getCanonicalDecl();
}

std::vector<const clang::DeclRefExpr*> names_of(const Stmt* code, const VarDecl& variable) {
  auto all = all_in<clang::DeclRefExpr>(code);
  std::erase_if(all, [&](const clang::DeclRefExpr* name) { return !is_name_of(*name, variable); });
  return all;
}

bool only_names(const Expr& expression) {
  const Expr* plain = expression.IgnoreParenCasts();
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(plain)) {
    return name->getType().getNonReferenceType()->isArithmeticType() ||
           isa<clang::EnumConstantDecl>(name->getDecl());
  }
  if (isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr,
          clang::CharacterLiteral, clang::UnaryExprOrTypeTraitExpr>(plain)) {
    return true;
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(plain)) {
    return only_names(*unary->getSubExpr());
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(plain)) {
    return only_names(*binary->getLHS()) && only_names(*binary->getRHS());
  }
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(plain)) {
    return only_names(*choice->getCond()) && only_names(*choice->getTrueExpr()) &&
           only_names(*choice->getFalseExpr());
  }
  return false;
}

const Expr& written(const Expr& expression) {
  const Expr* plain = expression.IgnoreImpCasts();
  const auto* name = dyn_cast<clang::DeclRefExpr>(plain);
  const auto* captured =
      name == nullptr ? nullptr : dyn_cast<clang::OMPCapturedExprDecl>(name->getDecl());
  return captured == nullptr ? *plain : *captured->getInit()->IgnoreImpCasts();
}

const VarDecl* variable_named(const Stmt& code, const std::string& name) {
  Meanings meanings(name);
  meanings.walk(&code);
  return meanings.all.size() == 1 ? *meanings.all.begin() : nullptr;
}

const VarDecl* Names::find(const std::string& name) const {
  Meanings meanings(name);
  meanings.walk(&loop_);
  const bool is_another = meanings.inner != nullptr && !meanings.all.empty() &&
                          meanings.inner->getCanonicalDecl() != *meanings.all.begin();
  if (meanings.all.size() > 1 || is_another) {
    program_.refuse(loop_, "{} is several variables here", name);
  }
  return meanings.all.empty() ? find_global(name) : *meanings.all.begin();
}

/// The variable of that name in the namespaces around, where the loop's function declares no such
/// name.
const VarDecl* Names::find_global(const std::string& name) const {
  const FunctionDecl* function = program_.function_of(loop_);
  if (function == nullptr || !function->hasBody()) return nullptr;
  Meanings meanings(name);
  meanings.walk(function);
  if (meanings.inner != nullptr) return nullptr;
  clang::IdentifierInfo& identifier = program_.context().Idents.get(name);
  for (const clang::DeclContext* at = function->getDeclContext(); at != nullptr;
       at = at->getParent()) {
    if (at->isRecord()) return nullptr;
    for (const clang::NamedDecl* one : at->lookup(&identifier)) {
      const auto* variable = dyn_cast<VarDecl>(one);
      return variable == nullptr ? nullptr : variable->getCanonicalDecl();
    }
  }
  return nullptr;
}

const VarDecl* Names::expect_before(const std::string& name) const {
  if (name.empty()) program_.refuse(loop_, "what is mapped is a member, not a variable");
  const VarDecl* variable = find(name);
  if (variable == nullptr) program_.refuse(loop_, "{} is no variable here", name);
  const clang::SourceManager& sources = program_.context().getSourceManager();
  const bool is_before =
      sources.isBeforeInTranslationUnit(variable->getLocation(), loop_.getBeginLoc());
  if (!is_before) program_.refuse(loop_, "{} is declared only here", name);
  return variable;
}

namespace {

/// Finds code that keeps the address of a variable in a pointer or a reference. An address that is
/// only handed to a function, as to scanf and MPI_Bcast, does not count.
class Keepers : public CodeVisitor {
 public:
  Keepers(const Program& program, const VarDecl& variable)
      : program_(program), variable_(variable) {}

  void visit(const Stmt& at) override {
    if (!is_name_of(at, variable_)) return;
    const auto* unary = dyn_cast_or_null<clang::UnaryOperator>(program_.parent_of(at));
    if (unary == nullptr || unary->getOpcode() != clang::UO_AddrOf) return;
    const Stmt* around = program_.parent_of(*unary);
    while (isa_and_nonnull<clang::CastExpr, clang::ParenExpr>(around)) {
      around = program_.parent_of(*around);
    }
    found = found || !isa_and_nonnull<CallExpr>(around);
  }
  void visit_declared(const clang::Decl& one) override {
    const auto* declared = dyn_cast<VarDecl>(&one);
    if (declared == nullptr || !declared->getType()->isReferenceType()) return;
    const Expr* value = declared->getInit();
    const auto* name =
        value == nullptr ? nullptr : dyn_cast<clang::DeclRefExpr>(value->IgnoreParenImpCasts());
    found = found || (name != nullptr && name->getDecl() == &variable_);
  }
  bool found = false;

 private:
  const Program& program_;
  const VarDecl& variable_;
};

/// Finds statements that set a variable, or may let other code do so.
class Setters : public CodeVisitor {
 public:
  Setters(const Program& program, const VarDecl& variable)
      : program_(program), variable_(variable) {}

  void visit(const Stmt& at) override {
    if (is_name_of(at, variable_)) visit_name(at);
    // Called functions may set a global variable: those that are not seen, if they know it.
    if (!variable_.hasGlobalStorage() || !isa<CallExpr>(at)) return;
    const FunctionDecl* called = seen_callee_of(&at);
    if (called == nullptr) {
      if (!is_of_system(callee_of(&at)) && variable_.isExternallyVisible()) found = &at;
    }
    follow(called);
  }

  const Stmt* found = nullptr;
  bool is_sure = false;  ///< an assignment is among the statements

 private:
  void visit_name(const Stmt& name) {
    const Stmt* parent = program_.parent_of(*part_that_is_named(name));
    // A read sets nothing, and neither does a reference to const.
    const auto* cast = dyn_cast_or_null<clang::CastExpr>(parent);
    const bool is_read = cast != nullptr && (cast->getCastKind() == clang::CK_LValueToRValue ||
                                             cast->getType().isConstQualified());
    if (is_read || isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr>(parent)) return;
    found = &name;
    const auto* binary = dyn_cast_or_null<clang::BinaryOperator>(parent);
    const auto* unary = dyn_cast_or_null<clang::UnaryOperator>(parent);
    is_sure = is_sure || (binary != nullptr && binary->isAssignmentOp()) ||
              (unary != nullptr && unary->isIncrementDecrementOp());
  }

  /// The field or element of the variable that an expression with its name stands for.
  [[nodiscard]] const Stmt* part_that_is_named(const Stmt& name) const {
    const Stmt* part = &name;
    while (const Stmt* parent = program_.parent_of(*part)) {
      const auto* member = dyn_cast<clang::MemberExpr>(parent);
      const auto* cast = dyn_cast<clang::CastExpr>(parent);
      const bool is_field =
          member != nullptr && !member->isArrow() && isa<clang::FieldDecl>(member->getMemberDecl());
      const bool is_element =
          cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay &&
          isa_and_nonnull<clang::ArraySubscriptExpr>(program_.parent_of(*parent));
      if (is_element) parent = program_.parent_of(*parent);
      if (!is_field && !is_element && !isa<clang::ParenExpr>(parent)) break;
      part = parent;
    }
    return part;
  }

  const Program& program_;
  const VarDecl& variable_;
};

/// Whether a variable is set only where it is declared.
bool is_set_once(const Program& program, const VarDecl& variable) {
  if (variable.getType().isConstQualified()) return true;
  const FunctionDecl* function = function_of(variable);
  if (function == nullptr || !function->hasBody() || variable.hasGlobalStorage()) return false;
  Setters setters(program, variable);
  setters.walk(function->getBody());
  Keepers keepers(program, variable);
  keepers.walk(function->getBody());
  return setters.found == nullptr && !keepers.found;
}

/// The constant value of an integer variable that is set only once. None for others.
std::optional<std::int64_t> constant_of(const Program& program, const VarDecl& variable) {
  const Expr* value = variable.getInit();
  Expr::EvalResult result;
  const bool is_constant = value != nullptr && variable.getType()->isIntegerType() &&
                           !value->isValueDependent() &&
                           value->EvaluateAsInt(result, program.context());
  if (!is_constant || !is_set_once(program, variable)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

}  // namespace

/// Throws Refusal where an enumerator, or a name from `using`, is declared only in the loop.
void Names::expect_not_declared_within(const std::string& name) const {
  const clang::SourceManager& sources = program_.context().getSourceManager();
  std::vector<const clang::DeclRefExpr*> all = all_in<clang::DeclRefExpr>(&loop_);
  for (const auto* directive : all_in<Directive>(&loop_)) {
    for (const MapItem& mapped : mapped_items(*directive, kWritten)) {
      const auto more = all_in<clang::DeclRefExpr>(mapped.item);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  for (const auto* used : all) {
    const clang::NamedDecl* found = used->getFoundDecl();
    const bool is_it = found->getNameAsString() == name && !isa<VarDecl>(found);
    const clang::SourceLocation at = sources.getExpansionLoc(found->getLocation());
    const bool is_within = is_it && !sources.isBeforeInTranslationUnit(at, loop_.getBeginLoc()) &&
                           sources.isBeforeInTranslationUnit(at, loop_.getEndLoc());
    if (is_within) program_.refuse(loop_, "{} is declared in it", name);
  }
}

void Names::expect_unchanged(const std::string& name) const {
  if (program_.macros().is_redefined(name)) {
    program_.refuse(loop_, "{} is a macro that is defined more than once", name);
  }
  const std::string meant = program_.macros().expanded(name, loop_.getBeginLoc());
  if (meant != name) {
    for (const std::string& part : names_in(meant)) {
      if (part != name) expect_unchanged(part);
    }
    return;
  }
  expect_not_declared_within(name);
  if (find(name) == nullptr) return;
  const VarDecl* variable = expect_before(name);
  if (variable->getType()->isReferenceType() && !isa<clang::ParmVarDecl>(variable)) {
    const VarDecl* of = variable->getInit() == nullptr ? nullptr : variable_of(variable->getInit());
    if (of == nullptr || !(of->getType().isConstQualified() || is_set_once(program_, *of))) {
      program_.refuse(loop_, "{} is a reference to what may be set by another name", name);
    }
  }
  Setters setters(program_, *variable);
  setters.walk(&loop_);
  const FunctionDecl* function = program_.function_of(loop_);
  Keepers keepers(program_, *variable);
  if (function != nullptr && function->hasBody()) keepers.walk(function->getBody());
  if (variable->getType().isConstQualified()) return;
  if (keepers.found) {
    program_.refuse(loop_, "{}, which an extent is made of, may be set by its address", name);
  }
  if (setters.found != nullptr) {
    program_.refuse(*setters.found, "{}, which an extent is made of, {} set in the loop", name,
                    setters.is_sure ? "is" : "may be");
  }
}

void Names::expect_plain(const std::string& extent) const {
  static const std::string kSizeof = "sizeof";
  const std::size_t begin = extent.find('[');
  const std::string root = root_of(extent);
  const std::string bounds = begin == std::string::npos ? std::string() : extent.substr(begin);
  bool is_plain =
      bounds.find_first_of(".&") == std::string::npos && bounds.find("->") == std::string::npos;
  for (std::size_t at = 0; at < bounds.size(); ++at) {
    const std::size_t before = at == 0 ? std::string::npos : bounds.find_last_not_of(' ', at - 1);
    const bool follows_value =
        before != std::string::npos && (is_of_name(bounds[before]) || bounds[before] == ')');
    // A call, an element, or the data of a pointer.
    const bool is_size = before != std::string::npos && before >= kSizeof.size() - 1 &&
                         bounds.substr(before + 1 - kSizeof.size(), kSizeof.size()) == kSizeof;
    if (bounds[at] == '(' && follows_value && is_of_name(bounds[before]) && !is_size) {
      is_plain = false;
    }
    if (bounds[at] == '[' && follows_value && is_of_name(bounds[before])) is_plain = false;
    if (bounds[at] == '*' && !follows_value) is_plain = false;
  }
  if (!is_plain) {
    program_.refuse(loop_, "the extent of {} is made of more than names and numbers", extent);
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
    const VarDecl* variable = is_name && word != root ? find(word) : nullptr;
    text += variable == nullptr ? word : value_of(*variable).value_or(word);
  }
  return text;
}

std::optional<std::string> made_of(const Program& program, const VarDecl& variable) {
  const Expr* made = variable.getInit();
  const bool is_plain = made != nullptr && variable.isLocalVarDecl() &&
                        variable.getType()->isIntegerType() && only_names(*made) &&
                        !made->getBeginLoc().isMacroID() && !made->getEndLoc().isMacroID();
  if (!is_plain || !is_set_once(program, variable)) return std::nullopt;
  return text_of(program.context(), *made);
}

/// The text for a variable that is set only once: a number, or its initial value. The variables of
/// the initial value may not be set again either.
std::optional<std::string> Names::value_of(const VarDecl& variable) const {
  if (const auto constant = constant_of(program_, variable)) return std::to_string(*constant);
  const std::optional<std::string> made = made_of(program_, variable);
  if (!made) return std::nullopt;
  const std::string& text = *made;
  const FunctionDecl* function = function_of(variable);
  for (const std::string& name : names_in(text)) {
    const VarDecl* part =
        function == nullptr ? nullptr : variable_named(*function->getBody(), name);
    const VarDecl* here = find(name);
    const bool is_one = part != nullptr && (here == nullptr || here == part);
    if (!is_one || part->hasGlobalStorage() || !is_set_once(program_, *part)) return std::nullopt;
  }
  return names_in(text).size() == 1 ? text : '(' + text + ')';
}

namespace {

class Mentioned : public CodeVisitor {
 public:
  explicit Mentioned(const VarDecl& data) : data_(data) {}
  [[nodiscard]] bool has_clauses() const override { return true; }
  bool enters(const Stmt&) override { return !found; }
  void visit(const Stmt& at) override { found = is_name_of(at, data_); }
  bool found = false;

 private:
  const VarDecl& data_;
};

}  // namespace

bool maps(const Directive& directive, const VarDecl& data) {
  return lists<clang::OMPMapClause>(directive, data);
}

bool names(const Stmt& code, const VarDecl& data) {
  Mentioned mentioned(data);
  mentioned.walk(&code);
  return mentioned.found;
}

bool only_brings_back(const Directive& region, const VarDecl& data) {
  if (device_condition(region) != nullptr) return false;
  const std::vector<MapItem> items = mapped_items(region, data);
  return !items.empty() && std::ranges::all_of(items, [](const MapItem& one) {
    const auto type = one.clause->getMapType();
    return type == clang::OMPC_MAP_from || type == clang::OMPC_MAP_alloc;
  });
}

bool stays_the_same(const Program& program, const Stmt& statement, const std::string& expression) {
  const Names known(program, statement);
  try {
    for (const std::string& name : names_in(expression)) known.expect_unchanged(name);
  } catch (const Refusal&) {
    return false;
  }
  return true;
}

bool may_set_global_of(const Directive& region, const Expr& expression) {
  const Stmt* code = region.hasAssociatedStmt() ? region.getAssociatedStmt() : nullptr;
  if (code == nullptr) return false;
  const bool has_call = std::ranges::any_of(all_in<CallExpr>(code), [](const CallExpr* call) {
    return !is_of_system(call->getDirectCallee());
  });
  return std::ranges::any_of(all_in<clang::DeclRefExpr>(&expression), [&](const auto* name) {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    const bool is_global = variable != nullptr && variable->hasGlobalStorage() &&
                           !variable->getType().isConstQualified();
    return is_global && (has_call || names(*code, *variable));
  });
}

}  // namespace ompdm::edit
