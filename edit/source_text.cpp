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

Place place_of(const clang::ASTContext& context, const Stmt& statement) {
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
  if (text_.split('\n').first.ends_with('\r')) newline_ = "\r\n";
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

std::string text_of(const clang::ASTContext& context, const Expr& expression) {
  return SourceText(context, expression.getBeginLoc())
      .between(expression.getBeginLoc(), expression.getEndLoc());
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
    // A comment behind the directive is not a part of it.
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

bool SourceText::has_open_comment(unsigned offset) const {
  const llvm::StringRef rest = text_.substr(offset, next_line(offset) - offset).ltrim(" \t");
  return rest.starts_with("/*") && rest.find("*/") == llvm::StringRef::npos;
}

Replacement SourceText::lines_before(unsigned begin, const std::vector<std::string>& lines,
                                     Braces braces) const {
  std::string text;
  for (const std::string& line : lines) text += line + newline_;
  if (begins_line(begin)) {
    if (braces) text = *braces + '{' + newline_ + text;
    return {file_, line_begin(begin), 0, text};
  }
  // The blanks before the statement would end a line.
  const auto from = static_cast<unsigned>(text_.substr(0, begin).rtrim(" \t").size());
  return {file_, from, begin - from,
          (braces ? " {" : "") + (newline_ + text) + indentation(begin) + (braces ? "  " : "")};
}

Replacement SourceText::lines_behind(unsigned end, const std::vector<std::string>& lines,
                                     Braces braces) const {
  std::string text;
  for (const std::string& line : lines) text += line + newline_;
  if (ends_line(end)) {
    if (braces) text += *braces + '}' + newline_;
    return {file_, next_line(end), 0, text, true};
  }
  return {file_, end, 0, newline_ + text + (braces ? *braces + '}' : indentation(end)), true};
}

bool SourceText::is_pragma(unsigned offset) const {
  return text_.substr(line_begin(offset)).ltrim(" \t").starts_with("#");
}

unsigned SourceText::past_semicolon(unsigned offset) const {
  const std::size_t next = text_.find_first_not_of(" \t\r\n", offset);
  const bool is_one = next != llvm::StringRef::npos && text_[next] == ';';
  return is_one ? static_cast<unsigned>(next + 1) : offset;
}

bool is_standalone(const Directive& directive) {
  const auto kind = directive.getDirectiveKind();
  return kind == llvm::omp::OMPD_target_update || kind == llvm::omp::OMPD_target_enter_data ||
         kind == llvm::omp::OMPD_target_exit_data;
}

namespace {

/// The statement that a statement ends with: the body of a branch, a loop or a directive.
const Stmt& last_part(const Stmt& statement) {
  const Stmt* part = nullptr;
  if (const auto* directive = dyn_cast<Directive>(&statement)) {
    if (directive->hasAssociatedStmt() && !is_standalone(*directive)) {
      part = directive->getRawStmt();
    }
  } else if (const auto* captured = dyn_cast<clang::CapturedStmt>(&statement)) {
    part = captured->getCapturedStmt();
  } else if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) {
    part = branch->getElse() != nullptr ? branch->getElse() : branch->getThen();
  } else if (const auto* block = dyn_cast<clang::CompoundStmt>(&statement)) {
    // A span (see kept_data.h) has no braces of its own.
    const bool is_span =
        !block->body_empty() && block->getLBracLoc() == block->body_front()->getBeginLoc();
    if (is_span) part = block->body_back();
  } else if (!isa<clang::DoStmt>(statement)) {
    part = body_of_loop(statement);
  }
  return part == nullptr ? statement : last_part(*part);
}

}  // namespace

unsigned end_of_statement(const SourceText& text, const Stmt& statement) {
  const Stmt& last = last_part(statement);
  if (const auto* directive = dyn_cast<Directive>(&last)) {
    return text.pragma_end(text.offset_of(directive->getBeginLoc()));
  }
  const unsigned end = text.end_of(last.getEndLoc());
  return isa<clang::CompoundStmt>(last) ? end : text.past_semicolon(end);
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
  const auto* made = dyn_cast_or_null<clang::DefMacroDirective>(at);
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

template <class Derived>
class Walk : public clang::RecursiveASTVisitor<Derived> {
 public:
  using Base = clang::RecursiveASTVisitor<Derived>;

  bool shouldVisitTemplateInstantiations() const { return visitor_.has_instantiations(); }
  bool dataTraverseStmtPre(Stmt* at) { return visitor_.enters(*at); }
  bool dataTraverseStmtPost(Stmt* at) {
    visitor_.leaves(*at);
    return true;
  }
  bool TraverseDecl(clang::Decl* at) {
    return (at != nullptr && !visitor_.enters_declared(*at)) || Base::TraverseDecl(at);
  }
  bool VisitStmt(Stmt* at) {
    visitor_.visit(*at);
    return true;
  }
  bool VisitDecl(clang::Decl* at) {
    visitor_.visit_declared(*at);
    return true;
  }

 protected:
  CodeVisitor& visitor_;

 private:
  friend Derived;
  explicit Walk(CodeVisitor& visitor) : visitor_(visitor) {}
};

class WalkWithClauses : public Walk<WalkWithClauses> {
 public:
  explicit WalkWithClauses(CodeVisitor& visitor) : Walk(visitor) {}
};

class WalkAsWritten : public Walk<WalkAsWritten> {
 public:
  explicit WalkAsWritten(CodeVisitor& visitor) : Walk(visitor) {}
  bool TraverseCapturedStmt(clang::CapturedStmt* at) { return TraverseStmt(at->getCapturedStmt()); }
  bool TraverseOMPClause(clang::OMPClause* at) {
    if (at != nullptr) visitor_.visit_clause(*at);
    return true;
  }
};

class Calling : public CodeVisitor {
 public:
  explicit Calling(Visit visit) : visit_(visit) {}
  void visit(const Stmt& at) override { visit_(at); }
  [[nodiscard]] bool has_instantiations() const override { return true; }

 private:
  Visit visit_;
};

}  // namespace

void CodeVisitor::walk(const Stmt* code) {
  auto* const at = const_cast<Stmt*>(code);
  has_clauses() ? WalkWithClauses(*this).TraverseStmt(at) : WalkAsWritten(*this).TraverseStmt(at);
}

void CodeVisitor::walk(const clang::Decl* code) {
  auto* const at = const_cast<clang::Decl*>(code);
  has_clauses() ? WalkWithClauses(*this).TraverseDecl(at) : WalkAsWritten(*this).TraverseDecl(at);
}

bool CodeVisitor::follow(const FunctionDecl* function) {
  if (function == nullptr || !followed_.insert(function).second) return false;
  walk(function->getBody());
  return true;
}

void each_statement(const Stmt* code, Visit visit) { Calling(visit).walk(code); }

void each_statement(const clang::Decl* code, Visit visit) { Calling(visit).walk(code); }

namespace {

/// Whether `is` holds for a type that a template of the standard library is instantiated with.
template <class Is>
bool any_argument(const clang::CXXRecordDecl& record, Is&& is) {
  const auto* made = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (made == nullptr) return false;
  return std::ranges::any_of(made->getTemplateArgs().asArray(), [&](const auto& argument) {
    return argument.getKind() == clang::TemplateArgument::Type && is(argument.getAsType());
  });
}

/// Whether `is` holds for a member or a base.
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

/// Whether the default construction of a value runs code of the program.
bool begins_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || record->hasTrivialDefaultConstructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, begins_by_own_code);
  return record->hasUserDeclaredConstructor() || record->hasInClassInitializer() ||
         any_part(*record, begins_by_own_code);
}

/// Whether the end of a value runs code of the program. That is its own destructor, or one of a
/// member, of a base, or of an element in a container of the standard library.
bool ends_by_own_code(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || type->isReferenceType() || record->hasTrivialDestructor()) return false;
  if (record->isInStdNamespace()) return any_argument(*record, ends_by_own_code);
  return record->hasUserDeclaredDestructor() || any_part(*record, ends_by_own_code);
}

/// Whether a constructor is the program's own, or calls such a constructor.
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

/// Whether a statement calls a function of the program. False for null.
bool calls_own_code(const Stmt* statement) {
  if (statement == nullptr) return false;
  const bool is_call = isa<CallExpr>(statement);
  return (is_call && !is_of_system(callee_of(statement))) ||
         std::ranges::any_of(statement->children(), calls_own_code);
}

const Stmt* hidden_code_of(const clang::DeclStmt& statement) {
  const Stmt* hidden = nullptr;
  for (const clang::Decl* one : statement.decls()) {
    const auto* variable = dyn_cast<VarDecl>(one);
    if (variable == nullptr) continue;
    const bool ends =
        variable->hasAttr<clang::CleanupAttr>() || ends_by_own_code(variable->getType());
    if (ends) hidden = &statement;
    const auto* parts = dyn_cast<clang::DecompositionDecl>(variable);
    if (parts == nullptr) continue;
    for (const clang::BindingDecl* part : parts->bindings()) {
      const VarDecl* holder = part->getHoldingVar();
      if (holder != nullptr && calls_own_code(holder->getInit())) hidden = holder->getInit();
    }
  }
  return hidden;
}

bool runs_hidden_code(const Stmt& statement) {
  if (const auto* made = dyn_cast<clang::CXXConstructExpr>(&statement)) {
    return makes_by_own_code(*made);
  }
  if (const auto* made = dyn_cast<clang::CXXBindTemporaryExpr>(&statement)) {
    return ends_by_own_code(made->getType());
  }
  if (const auto* ended = dyn_cast<clang::CXXDeleteExpr>(&statement)) {
    return ends_by_own_code(ended->getDestroyedType());
  }
  if (const auto* made = dyn_cast<clang::CXXNewExpr>(&statement)) {
    return made->getOperatorNew() != nullptr && made->getOperatorNew()->hasBody();
  }
  // A range-based for calls begin, end and operators without written calls.
  if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(&statement)) {
    return calls_own_code(loop->getBeginStmt()) || calls_own_code(loop->getEndStmt()) ||
           calls_own_code(loop->getCond()) || calls_own_code(loop->getInc());
  }
  // Members that the list does not name may have initializers in the class.
  if (const auto* list = dyn_cast<clang::InitListExpr>(&statement)) {
    const clang::InitListExpr* whole = list->isSemanticForm() ? list : list->getSemanticForm();
    return std::ranges::any_of((whole == nullptr ? list : whole)->inits(), [](const auto* one) {
      const auto* value = dyn_cast_or_null<clang::CXXDefaultInitExpr>(one);
      return value != nullptr && calls_own_code(value->getExpr());
    });
  }
  // The operations of `declare reduction`.
  const auto* directive = dyn_cast<Directive>(&statement);
  if (directive == nullptr) return false;
  for (const auto* clause : directive->getClausesOfKind<clang::OMPReductionClause>()) {
    if (std::ranges::any_of(clause->reduction_ops(), calls_own_code)) return true;
  }
  return false;
}

}  // namespace

const Stmt* hidden_code_of(const Stmt& statement) {
  const auto* declared = dyn_cast<clang::DeclStmt>(&statement);
  if (declared != nullptr) return hidden_code_of(*declared);
  return runs_hidden_code(statement) ? &statement : nullptr;
}

}  // namespace ompdm::edit
