// The text of a source: places, lines, indentation, and expressions as they are written.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <string>
#include <vector>

#include "messages.h"

namespace ompdm::edit {

/// Where something is written. Of what a macro makes `in_macro` is set, and the line is that of its
/// use.
struct Spot {
  std::string file;
  int line = 0;
  unsigned offset = 0;
  bool in_macro = false;
};

Spot spot_of(const clang::ASTContext& context, clang::SourceLocation location);

/// "u is read at solver.cpp:12": the line of a statement, for a refusal.
Place place_of(const clang::ASTContext& context, const clang::Stmt& statement);

/// One file under two names is one.
bool is_same_file(const std::string& one, const std::string& other);

class SourceText {
 public:
  /// The file that holds the location. The context must outlive this.
  SourceText(const clang::ASTContext& context, clang::SourceLocation location);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// What is written from one token on to the end of another, as it stands.
  [[nodiscard]] std::string between(clang::SourceLocation begin, clang::SourceLocation end) const;
  [[nodiscard]] unsigned offset_of(clang::SourceLocation location) const;
  /// Behind the token that begins there.
  [[nodiscard]] unsigned end_of(clang::SourceLocation location) const;
  [[nodiscard]] unsigned line_begin(unsigned offset) const;
  /// Behind the line's end.
  [[nodiscard]] unsigned next_line(unsigned offset) const;
  /// Where a directive's text ends, whose lines may go on.
  [[nodiscard]] unsigned pragma_end(unsigned offset) const;
  /// What a line begins with: blanks and tabs.
  [[nodiscard]] std::string indentation(unsigned offset) const;
  /// Whether nothing but blanks stands before it in its line; and behind it.
  [[nodiscard]] bool begins_line(unsigned offset) const;
  [[nodiscard]] bool ends_line(unsigned offset) const;
  /// Whether its line is a preprocessor's: of a directive that _Pragma makes it is not.
  [[nodiscard]] bool is_pragma(unsigned offset) const;
  /// Behind a semicolon, if one is next.
  [[nodiscard]] unsigned past_semicolon(unsigned offset) const;
  /// "\n" or "\r\n".
  [[nodiscard]] const char* newline() const { return newline_; }

  /// Lines of their own before the one that holds `offset`.
  [[nodiscard]] Replacement lines_before(unsigned offset,
                                         const std::vector<std::string>& lines) const;
  /// Lines of their own behind the one that holds `offset`.
  [[nodiscard]] Replacement lines_after(unsigned offset,
                                        const std::vector<std::string>& lines) const;

 private:
  const clang::ASTContext& context_;
  std::string file_;
  llvm::StringRef text_;
  const char* newline_ = "\n";
};

/// Behind a statement, and the semicolon that ends it.
unsigned end_of_statement(const SourceText& text, const clang::Stmt& statement);

class Macros {
 public:
  explicit Macros(const clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  /// Whether a name is a macro that means one thing here and another there.
  [[nodiscard]] bool is_redefined(const std::string& name) const;
  /// What is written for a macro without arguments that is defined at that place; none of other
  /// names, and of those that are redefined.
  [[nodiscard]] std::optional<std::string> value_at(const std::string& name,
                                                    clang::SourceLocation place) const;
  /// An expression with their values for those that are defined at that place, and for theirs.
  [[nodiscard]] std::string expanded(const std::string& expression,
                                     clang::SourceLocation place) const;

 private:
  [[nodiscard]] std::string expanded(const std::string& expression, clang::SourceLocation place,
                                     int depth) const;
  [[nodiscard]] const clang::MacroDirective* last_of(const std::string& name) const;

  const clang::Preprocessor& preprocessor_;
};

/// A clang::RecursiveASTVisitor that is compiled once for all that are made of it: what it calls is
/// virtual. It has those of its functions that are overridden somewhere; they mean the same.
class CodeVisitor {
 public:
  CodeVisitor() = default;
  CodeVisitor(const CodeVisitor&) = delete;
  CodeVisitor& operator=(const CodeVisitor&) = delete;
  virtual ~CodeVisitor() = default;

  /// Visits a statement, or a declaration, and all that is in it. False: a visit ended it.
  bool TraverseStmt(clang::Stmt* statement);
  bool TraverseDecl(clang::Decl* declaration);

  virtual bool shouldVisitTemplateInstantiations() const { return false; }
  virtual bool dataTraverseStmtPre(clang::Stmt*) { return true; }
  virtual bool TraverseCapturedStmt(clang::CapturedStmt* at);
  virtual bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* at);
  virtual bool TraverseDoStmt(clang::DoStmt* at);
  virtual bool TraverseForStmt(clang::ForStmt* at);
  virtual bool TraverseLambdaExpr(clang::LambdaExpr* at);
  virtual bool TraverseSwitchStmt(clang::SwitchStmt* at);
  virtual bool TraverseWhileStmt(clang::WhileStmt* at);
  virtual bool TraverseFunctionDecl(clang::FunctionDecl* at);
  virtual bool TraverseCXXMethodDecl(clang::CXXMethodDecl* at);

  virtual bool VisitStmt(clang::Stmt*) { return true; }
  virtual bool VisitDeclRefExpr(clang::DeclRefExpr*) { return true; }
  virtual bool VisitCallExpr(clang::CallExpr*) { return true; }
  virtual bool VisitBinaryOperator(clang::BinaryOperator*) { return true; }
  virtual bool VisitBreakStmt(clang::BreakStmt*) { return true; }
  virtual bool VisitContinueStmt(clang::ContinueStmt*) { return true; }
  virtual bool VisitCoreturnStmt(clang::CoreturnStmt*) { return true; }
  virtual bool VisitDeclStmt(clang::DeclStmt*) { return true; }
  virtual bool VisitGotoStmt(clang::GotoStmt*) { return true; }
  virtual bool VisitIndirectGotoStmt(clang::IndirectGotoStmt*) { return true; }
  virtual bool VisitInitListExpr(clang::InitListExpr*) { return true; }
  virtual bool VisitLabelStmt(clang::LabelStmt*) { return true; }
  virtual bool VisitLambdaExpr(clang::LambdaExpr*) { return true; }
  virtual bool VisitOMPExecutableDirective(clang::OMPExecutableDirective*) { return true; }
  virtual bool VisitReturnStmt(clang::ReturnStmt*) { return true; }
  virtual bool VisitSwitchCase(clang::SwitchCase*) { return true; }
  virtual bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr*) { return true; }
  virtual bool VisitCXXConstructExpr(clang::CXXConstructExpr*) { return true; }
  virtual bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr*) { return true; }
  virtual bool VisitCXXDeleteExpr(clang::CXXDeleteExpr*) { return true; }
  virtual bool VisitCXXForRangeStmt(clang::CXXForRangeStmt*) { return true; }
  virtual bool VisitCXXNewExpr(clang::CXXNewExpr*) { return true; }
  virtual bool VisitCXXThisExpr(clang::CXXThisExpr*) { return true; }
  virtual bool VisitCXXThrowExpr(clang::CXXThrowExpr*) { return true; }
  virtual bool VisitFunctionDecl(clang::FunctionDecl*) { return true; }
  virtual bool VisitValueDecl(clang::ValueDecl*) { return true; }
  virtual bool VisitVarDecl(clang::VarDecl*) { return true; }
  virtual bool VisitDecompositionDecl(clang::DecompositionDecl*) { return true; }

  /// Whether it goes on to what clauses hold; where it does not, it may do so itself.
  virtual bool visits_clauses() const { return true; }
  virtual bool TraverseOMPClause(clang::OMPClause*) { return true; }
};

/// Code as it is written.
class WrittenCode : public CodeVisitor {
 public:
  /// A region's body once, and not the list of what it captures.
  bool TraverseCapturedStmt(clang::CapturedStmt* region) override;
  /// Clauses hold the compiler's copies of what they name.
  bool visits_clauses() const final { return false; }
};

/// Whether a value of that type runs code of the program's when it ends: its own destructor, or a
/// member's, or a base's, or an element's of the standard library's containers.
bool ends_by_own_code(clang::QualType type);

/// Whether a constructor is the program's own, or runs one that is.
bool makes_by_own_code(const clang::CXXConstructExpr& made);

/// Whether a statement calls a function of the program's own; null does not.
bool calls_own_code(const clang::Stmt* statement);

/// Visits code as it is written, and remembers what runs such code.
class HiddenCode : public WrittenCode {
 public:
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override;
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* made) override;
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* ended) override;
  bool VisitDeclStmt(clang::DeclStmt* declared) override;
  bool VisitCXXNewExpr(clang::CXXNewExpr* made) override;
  /// Its begin, its end and its steps are calls that are not written.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) override;
  bool VisitDecompositionDecl(clang::DecompositionDecl* declared) override;
  /// Members that are not named in it may have initializers of their own.
  bool VisitInitListExpr(clang::InitListExpr* list) override;
  /// What `declare reduction` says.
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) override;

  const clang::Stmt* hidden = nullptr;
};

}  // namespace ompdm::edit
