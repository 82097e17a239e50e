#include "source_text.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

#include <algorithm>
#include <filesystem>

#include "names.h"
#include "program.h"

namespace ompdm::edit {

Spot spot_of(const clang::ASTContext& context, clang::SourceLocation location) {
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  const clang::PresumedLoc presumed = sources.getPresumedLoc(at, false);
  Spot spot;
  spot.in_macro = location.isMacroID();
  if (presumed.isInvalid()) return spot;
  spot.file = presumed.getFilename();
  spot.line = static_cast<int>(presumed.getLine());
  spot.offset = sources.getFileOffset(at);
  return spot;
}

Place place_of(const clang::ASTContext& context, const clang::Stmt& statement) {
  const Spot spot = spot_of(context, statement.getBeginLoc());
  return {spot.file, spot.line};
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code failed;
  return std::filesystem::equivalent(one, other, failed) && !failed;
}

SourceText::SourceText(const clang::ASTContext& context, clang::SourceLocation location)
    : context_(context) {
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::FileID id = sources.getFileID(sources.getExpansionLoc(location));
  const auto entry = sources.getFileEntryRefForID(id);
  file_ = entry ? entry->getFileEntry().tryGetRealPathName().str() : std::string();
  text_ = sources.getBufferData(id);
  if (text_.contains("\r\n")) newline_ = "\r\n";
}

unsigned SourceText::offset_of(clang::SourceLocation location) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  return sources.getFileOffset(sources.getExpansionLoc(location));
}

unsigned SourceText::end_of(clang::SourceLocation location) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  return sources.getFileOffset(at) +
         clang::Lexer::MeasureTokenLength(at, sources, context_.getLangOpts());
}

std::string SourceText::between(clang::SourceLocation begin, clang::SourceLocation end) const {
  const unsigned from = offset_of(begin);
  const unsigned to = end_of(end);
  return to > from ? text_.substr(from, to - from).str() : std::string();
}

unsigned SourceText::line_begin(unsigned offset) const {
  const std::size_t before = text_.substr(0, offset).rfind('\n');
  return before == llvm::StringRef::npos ? 0 : static_cast<unsigned>(before + 1);
}

unsigned SourceText::next_line(unsigned offset) const {
  const std::size_t end = text_.find('\n', offset);
  return static_cast<unsigned>(end == llvm::StringRef::npos ? text_.size() : end + 1);
}

unsigned SourceText::pragma_end(unsigned offset) const {
  for (unsigned line = offset;;) {
    unsigned end = next_line(line);
    while (end > line && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
    const bool goes_on = end > line && text_[end - 1] == '\\';
    if (goes_on && next_line(line) < text_.size()) {
      line = next_line(line);
      continue;
    }
    // A comment behind it is none of it.
    const llvm::StringRef last = text_.substr(line, end - line);
    const std::size_t comment = std::min(last.find("//"), last.find("/*"));
    if (comment != llvm::StringRef::npos) end = line + static_cast<unsigned>(comment);
    while (end > line && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
    return end;
  }
}

std::string SourceText::indentation(unsigned offset) const {
  const llvm::StringRef line = text_.substr(line_begin(offset));
  return line.substr(0, line.find_first_not_of(" \t")).str();
}

bool SourceText::begins_line(unsigned offset) const {
  const unsigned begin = line_begin(offset);
  return text_.substr(begin, offset - begin).find_first_not_of(" \t") == llvm::StringRef::npos;
}

bool SourceText::ends_line(unsigned offset) const {
  const llvm::StringRef rest = text_.substr(offset, next_line(offset) - offset).trim(" \t\r\n");
  return rest.empty() || rest.starts_with("//");
}

Replacement SourceText::lines_before(unsigned offset, const std::vector<std::string>& lines) const {
  Replacement made{file_, line_begin(offset), 0, {}};
  for (const std::string& line : lines) made.text += line + newline_;
  return made;
}

Replacement SourceText::lines_after(unsigned offset, const std::vector<std::string>& lines) const {
  Replacement made{file_, next_line(offset), 0, {}, true};
  for (const std::string& line : lines) made.text += line + newline_;
  return made;
}

bool SourceText::is_pragma(unsigned offset) const {
  return text_.substr(line_begin(offset)).ltrim(" \t").starts_with("#");
}

unsigned SourceText::past_semicolon(unsigned offset) const {
  const std::size_t next = text_.find_first_not_of(" \t\r\n", offset);
  const bool is_one = next != llvm::StringRef::npos && text_[next] == ';';
  return is_one ? static_cast<unsigned>(next + 1) : offset;
}

namespace {

/// The statement that a statement ends with: a branch's, a loop's body, what a directive is of.
const clang::Stmt& last_part(const clang::Stmt& statement) {
  const clang::Stmt* part = nullptr;
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(&statement)) {
    if (directive->hasAssociatedStmt()) part = directive->getRawStmt();
  } else if (const auto* captured = llvm::dyn_cast<clang::CapturedStmt>(&statement)) {
    part = captured->getCapturedStmt();
  } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    part = branch->getElse() != nullptr ? branch->getElse() : branch->getThen();
  } else if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    // Of a span (see kept_data.h), which has no braces of its own.
    const bool is_span =
        !block->body_empty() && block->getLBracLoc() == block->body_front()->getBeginLoc();
    if (is_span) part = block->body_back();
  } else if (!llvm::isa<clang::DoStmt>(statement)) {
    part = body_of_loop(statement);
  }
  return part == nullptr ? statement : last_part(*part);
}

}  // namespace

unsigned end_of_statement(const SourceText& text, const clang::Stmt& statement) {
  const clang::Stmt& last = last_part(statement);
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(&last)) {
    return text.pragma_end(text.offset_of(directive->getBeginLoc()));
  }
  const unsigned end = text.end_of(last.getEndLoc());
  return llvm::isa<clang::CompoundStmt>(last) ? end : text.past_semicolon(end);
}

const clang::MacroDirective* Macros::last_of(const std::string& name) const {
  const clang::IdentifierInfo* word = preprocessor_.getIdentifierInfo(name);
  return preprocessor_.getLocalMacroDirectiveHistory(word);
}

bool Macros::is_redefined(const std::string& name) const {
  int definitions = 0;
  for (const auto* one = last_of(name); one != nullptr; one = one->getPrevious()) {
    if (one->getKind() == clang::MacroDirective::MD_Define) ++definitions;
  }
  return definitions > 1;
}

std::optional<std::string> Macros::value_at(const std::string& name,
                                            clang::SourceLocation place) const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::MacroDirective* at = last_of(name);
  const auto is_behind = [&](const clang::MacroDirective& one) {
    return sources.isBeforeInTranslationUnit(place, one.getLocation());
  };
  while (at != nullptr && is_behind(*at)) at = at->getPrevious();
  const auto* made = llvm::dyn_cast_or_null<clang::DefMacroDirective>(at);
  if (made == nullptr || is_redefined(name)) return std::nullopt;
  const clang::MacroInfo& info = *made->getInfo();
  if (info.isFunctionLike() || info.isBuiltinMacro()) return std::nullopt;
  std::string text;
  for (const clang::Token& token : info.tokens()) {
    if (!text.empty() && token.hasLeadingSpace()) text += ' ';
    text += preprocessor_.getSpelling(token);
  }
  return text;
}

std::string Macros::expanded(const std::string& expression, clang::SourceLocation place) const {
  constexpr int kDeepest = 8;
  return expanded(expression, place, kDeepest);
}

std::string Macros::expanded(const std::string& expression, clang::SourceLocation place,
                             int depth) const {
  std::string text;
  for (const auto& [word, is_name] : words_of(expression)) {
    const auto value = is_name && depth > 0 ? value_at(word, place) : std::nullopt;
    text += value ? expanded(*value, place, depth - 1) : word;
  }
  return text;
}

namespace {

/// Hands on to a visitor what it may override.
template <class Derived>
class Hooks : public clang::RecursiveASTVisitor<Derived> {
 public:
  using Base = clang::RecursiveASTVisitor<Derived>;

  bool shouldVisitTemplateInstantiations() const {
    return visitor_.shouldVisitTemplateInstantiations();
  }
  bool dataTraverseStmtPre(clang::Stmt* statement) {
    return visitor_.dataTraverseStmtPre(statement);
  }
  bool TraverseCapturedStmt(clang::CapturedStmt* at) { return visitor_.TraverseCapturedStmt(at); }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* at) {
    return visitor_.TraverseCXXForRangeStmt(at);
  }
  bool TraverseDoStmt(clang::DoStmt* at) { return visitor_.TraverseDoStmt(at); }
  bool TraverseForStmt(clang::ForStmt* at) { return visitor_.TraverseForStmt(at); }
  bool TraverseLambdaExpr(clang::LambdaExpr* at) { return visitor_.TraverseLambdaExpr(at); }
  bool TraverseSwitchStmt(clang::SwitchStmt* at) { return visitor_.TraverseSwitchStmt(at); }
  bool TraverseWhileStmt(clang::WhileStmt* at) { return visitor_.TraverseWhileStmt(at); }
  bool TraverseFunctionDecl(clang::FunctionDecl* at) { return visitor_.TraverseFunctionDecl(at); }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* at) {
    return visitor_.TraverseCXXMethodDecl(at);
  }
  bool VisitStmt(clang::Stmt* at) { return visitor_.VisitStmt(at); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* at) { return visitor_.VisitDeclRefExpr(at); }
  bool VisitCallExpr(clang::CallExpr* at) { return visitor_.VisitCallExpr(at); }
  bool VisitBinaryOperator(clang::BinaryOperator* at) { return visitor_.VisitBinaryOperator(at); }
  bool VisitBreakStmt(clang::BreakStmt* at) { return visitor_.VisitBreakStmt(at); }
  bool VisitContinueStmt(clang::ContinueStmt* at) { return visitor_.VisitContinueStmt(at); }
  bool VisitCoreturnStmt(clang::CoreturnStmt* at) { return visitor_.VisitCoreturnStmt(at); }
  bool VisitDeclStmt(clang::DeclStmt* at) { return visitor_.VisitDeclStmt(at); }
  bool VisitGotoStmt(clang::GotoStmt* at) { return visitor_.VisitGotoStmt(at); }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt* at) {
    return visitor_.VisitIndirectGotoStmt(at);
  }
  bool VisitInitListExpr(clang::InitListExpr* at) { return visitor_.VisitInitListExpr(at); }
  bool VisitLabelStmt(clang::LabelStmt* at) { return visitor_.VisitLabelStmt(at); }
  bool VisitLambdaExpr(clang::LambdaExpr* at) { return visitor_.VisitLambdaExpr(at); }
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* at) {
    return visitor_.VisitOMPExecutableDirective(at);
  }
  bool VisitReturnStmt(clang::ReturnStmt* at) { return visitor_.VisitReturnStmt(at); }
  bool VisitSwitchCase(clang::SwitchCase* at) { return visitor_.VisitSwitchCase(at); }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* at) {
    return visitor_.VisitCXXBindTemporaryExpr(at);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* at) {
    return visitor_.VisitCXXConstructExpr(at);
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* at) {
    return visitor_.VisitCXXDefaultArgExpr(at);
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* at) { return visitor_.VisitCXXDeleteExpr(at); }
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* at) {
    return visitor_.VisitCXXForRangeStmt(at);
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr* at) { return visitor_.VisitCXXNewExpr(at); }
  bool VisitCXXThisExpr(clang::CXXThisExpr* at) { return visitor_.VisitCXXThisExpr(at); }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* at) { return visitor_.VisitCXXThrowExpr(at); }
  bool VisitFunctionDecl(clang::FunctionDecl* at) { return visitor_.VisitFunctionDecl(at); }
  bool VisitValueDecl(clang::ValueDecl* at) { return visitor_.VisitValueDecl(at); }
  bool VisitVarDecl(clang::VarDecl* at) { return visitor_.VisitVarDecl(at); }
  bool VisitDecompositionDecl(clang::DecompositionDecl* at) {
    return visitor_.VisitDecompositionDecl(at);
  }

 protected:
  CodeVisitor& visitor_;

 private:
  friend Derived;
  explicit Hooks(CodeVisitor& visitor) : visitor_(visitor) {}
};

class WalkWithClauses : public Hooks<WalkWithClauses> {
 public:
  explicit WalkWithClauses(CodeVisitor& visitor) : Hooks(visitor) {}
};

class WalkWithoutClauses : public Hooks<WalkWithoutClauses> {
 public:
  explicit WalkWithoutClauses(CodeVisitor& visitor) : Hooks(visitor) {}
  bool TraverseOMPClause(clang::OMPClause* clause) { return visitor_.TraverseOMPClause(clause); }
};

template <class Traverse>
bool walk(CodeVisitor& visitor, const Traverse& traverse) {
  return visitor.visits_clauses() ? traverse(WalkWithClauses(visitor))
                                  : traverse(WalkWithoutClauses(visitor));
}

}  // namespace

bool CodeVisitor::TraverseStmt(clang::Stmt* statement) {
  return walk(*this, [&](auto way) { return way.TraverseStmt(statement); });
}

bool CodeVisitor::TraverseDecl(clang::Decl* declaration) {
  return walk(*this, [&](auto way) { return way.TraverseDecl(declaration); });
}

bool CodeVisitor::TraverseCapturedStmt(clang::CapturedStmt* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseCapturedStmt(at); });
}

bool CodeVisitor::TraverseCXXForRangeStmt(clang::CXXForRangeStmt* at) {
  return walk(*this,
              [&](auto way) { return way.decltype(way)::Base::TraverseCXXForRangeStmt(at); });
}

bool CodeVisitor::TraverseDoStmt(clang::DoStmt* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseDoStmt(at); });
}

bool CodeVisitor::TraverseForStmt(clang::ForStmt* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseForStmt(at); });
}

bool CodeVisitor::TraverseLambdaExpr(clang::LambdaExpr* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseLambdaExpr(at); });
}

bool CodeVisitor::TraverseSwitchStmt(clang::SwitchStmt* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseSwitchStmt(at); });
}

bool CodeVisitor::TraverseWhileStmt(clang::WhileStmt* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseWhileStmt(at); });
}

bool CodeVisitor::TraverseFunctionDecl(clang::FunctionDecl* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseFunctionDecl(at); });
}

bool CodeVisitor::TraverseCXXMethodDecl(clang::CXXMethodDecl* at) {
  return walk(*this, [&](auto way) { return way.decltype(way)::Base::TraverseCXXMethodDecl(at); });
}

bool WrittenCode::TraverseCapturedStmt(clang::CapturedStmt* region) {
  return TraverseStmt(region->getCapturedStmt());
}

namespace {

/// Whether any of the types that a template of the standard library is made for is so.
template <class Is>
bool any_argument(const clang::CXXRecordDecl& record, Is&& is) {
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (made == nullptr) return false;
  return std::ranges::any_of(made->getTemplateArgs().asArray(), [&](const auto& argument) {
    return argument.getKind() == clang::TemplateArgument::Type && is(argument.getAsType());
  });
}

/// Whether any member or base is so.
template <class Is>
bool any_part(const clang::CXXRecordDecl& record, Is&& is) {
  return std::ranges::any_of(record.fields(),
                             [&](const auto* field) { return is(field->getType()); }) ||
         std::ranges::any_of(record.bases(), [&](const auto& base) { return is(base.getType()); });
}

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() ? record->getDefinition() : nullptr;
}

/// Of a value that is made from nothing.
bool begins_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || record->hasTrivialDefaultConstructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, begins_by_own_code);
  return record->hasUserDeclaredConstructor() || record->hasInClassInitializer() ||
         any_part(*record, begins_by_own_code);
}

}  // namespace

bool ends_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || type->isReferenceType() || record->hasTrivialDestructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, ends_by_own_code);
  return record->hasUserDeclaredDestructor() || any_part(*record, ends_by_own_code);
}

bool makes_by_own_code(const clang::CXXConstructExpr& made) {
  const clang::CXXConstructorDecl* constructor = made.getConstructor();
  if (constructor->isTrivial()) return false;
  const clang::CXXRecordDecl& record = *constructor->getParent();
  if (record.isInStdNamespace()) return any_argument(record, begins_by_own_code);
  if (constructor->isUserProvided()) return true;
  const auto is_copied_by_own_code = [](clang::QualType type) {
    const clang::CXXRecordDecl* part = record_of(type);
    return part != nullptr && !part->isInStdNamespace() && !part->hasTrivialCopyConstructor();
  };
  return constructor->isCopyOrMoveConstructor() ? any_part(record, is_copied_by_own_code)
                                                : begins_by_own_code(made.getType());
}

bool calls_own_code(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const auto is_system = [&] {
      const clang::SourceManager& sources = called->getASTContext().getSourceManager();
      return called->getBuiltinID() != 0 || sources.isInSystemHeader(called->getLocation());
    };
    if (called == nullptr || !is_system()) return true;
  }
  return std::ranges::any_of(statement->children(), calls_own_code);
}

bool HiddenCode::VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
  if (makes_by_own_code(*made)) hidden = made;
  return true;
}

bool HiddenCode::VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* made) {
  if (ends_by_own_code(made->getType())) hidden = made;
  return true;
}

bool HiddenCode::VisitCXXDeleteExpr(clang::CXXDeleteExpr* ended) {
  if (ends_by_own_code(ended->getDestroyedType())) hidden = ended;
  return true;
}

bool HiddenCode::VisitDeclStmt(clang::DeclStmt* declared) {
  for (const clang::Decl* one : declared->decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
    const bool ends = variable != nullptr && (variable->hasAttr<clang::CleanupAttr>() ||
                                              ends_by_own_code(variable->getType()));
    if (ends) hidden = declared;
  }
  return true;
}

bool HiddenCode::VisitCXXNewExpr(clang::CXXNewExpr* made) {
  const clang::FunctionDecl* get = made->getOperatorNew();
  if (get != nullptr && get->hasBody()) hidden = made;
  return true;
}

bool HiddenCode::VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
  for (clang::Stmt* part :
       {static_cast<clang::Stmt*>(loop->getBeginStmt()),
        static_cast<clang::Stmt*>(loop->getEndStmt()), static_cast<clang::Stmt*>(loop->getCond()),
        static_cast<clang::Stmt*>(loop->getInc())}) {
    if (calls_own_code(part)) hidden = loop;
  }
  return true;
}

bool HiddenCode::VisitDecompositionDecl(clang::DecompositionDecl* declared) {
  for (const clang::BindingDecl* one : declared->bindings()) {
    const clang::VarDecl* holder = one->getHoldingVar();
    if (holder != nullptr && calls_own_code(holder->getInit())) hidden = holder->getInit();
  }
  return true;
}

bool HiddenCode::VisitInitListExpr(clang::InitListExpr* list) {
  const clang::InitListExpr* whole = list->isSemanticForm() ? list : list->getSemanticForm();
  for (const clang::Expr* one : whole == nullptr ? list->inits() : whole->inits()) {
    const auto* value = llvm::dyn_cast_or_null<clang::CXXDefaultInitExpr>(one);
    if (value != nullptr && calls_own_code(value->getExpr())) hidden = list;
  }
  return true;
}

bool HiddenCode::VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
  for (const auto* clause : directive->getClausesOfKind<clang::OMPReductionClause>()) {
    for (const clang::Expr* combined : clause->reduction_ops()) {
      if (calls_own_code(combined)) hidden = directive;
    }
  }
  return true;
}

}  // namespace ompdm::edit
