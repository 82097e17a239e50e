// Visits code as it is written: without what the compiler adds to directives, which names the
// program's variables in places where no one wrote them. And code that runs where no call is
// written: constructors, destructors, and what a variable's cleanup attribute names. Who looks for
// all that code may do has to ask for it.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>

namespace ompdm::edit {

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
