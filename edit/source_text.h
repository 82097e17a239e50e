// The text of a source: places, lines, indentation, and expressions as they are written.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages.h"

namespace ompdm::edit {

// The types of clang's syntax tree that all of this is about.
using clang::CallExpr;
using clang::Expr;
using clang::FunctionDecl;
using clang::Stmt;
using clang::VarDecl;
using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::isa_and_nonnull;

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
Place place_of(const clang::ASTContext& context, const Stmt& statement);

/// One file under two names is one.
bool is_same_file(const std::string& one, const std::string& other);

/// The braces that a statement and the lines around it are to get: their indentation; none: it has
/// some.
using Braces = std::optional<std::string>;

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
  /// Whether a comment begins behind an offset that goes on in the next line.
  [[nodiscard]] bool has_open_comment(unsigned offset) const;
  /// Whether its line is a preprocessor's: of a directive that _Pragma makes it is not.
  [[nodiscard]] bool is_pragma(unsigned offset) const;
  /// Behind a semicolon, if one is next.
  [[nodiscard]] unsigned past_semicolon(unsigned offset) const;

  /// Lines before a statement that begins at `begin`, and behind one that ends at `end`. Where it
  /// shares its line with other code, line breaks are put around them.
  [[nodiscard]] Replacement lines_before(unsigned begin, const std::vector<std::string>& lines,
                                         Braces braces = {}) const;
  [[nodiscard]] Replacement lines_behind(unsigned end, const std::vector<std::string>& lines,
                                         Braces braces = {}) const;

 private:
  const clang::ASTContext& context_;
  std::string file_;
  llvm::StringRef text_;
  const char* newline_ = "\n";
};

/// An expression as it stands in the source.
std::string text_of(const clang::ASTContext& context, const Expr& expression);

/// `target update`, `target enter data` and `target exit data`, which have no body in the source.
bool is_standalone(const clang::OMPExecutableDirective& directive);

/// Behind a statement, and the semicolon that ends it.
unsigned end_of_statement(const SourceText& text, const Stmt& statement);

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

/// A walk through code in the order of the source: a clang::RecursiveASTVisitor that is compiled
/// once for all walks. It goes through code as it is written: a region's body once, and neither the
/// list of what it captures nor clauses, which hold the compiler's copies of what they name.
class CodeVisitor {
 public:
  virtual ~CodeVisitor() = default;

  /// Visits a statement, or a declaration, and all that is in it; nothing of null.
  void walk(const Stmt* statement);
  void walk(const clang::Decl* declaration);

  /// Each statement, expression and directive.
  virtual void visit(const Stmt&) {}
  virtual void visit_declared(const clang::Decl&) {}
  virtual void visit_clause(const clang::OMPClause&) {}
  /// False: it is not visited, nor what is in it.
  virtual bool enters(const Stmt&) { return true; }
  virtual bool enters_declared(const clang::Decl&) { return true; }
  /// After all that is in it.
  virtual void leaves(const Stmt&) {}
  /// Whether what templates were made into is visited, too.
  [[nodiscard]] virtual bool has_instantiations() const { return false; }
  /// Whether it goes through clauses and captures as well.
  [[nodiscard]] virtual bool has_clauses() const { return false; }

 protected:
  /// Visits the body of a function, if it is not null, once. Returns whether it did.
  bool follow(const FunctionDecl* function);

 private:
  std::set<const FunctionDecl*> followed_;
};

using Visit = llvm::function_ref<void(const Stmt&)>;

/// Calls `visit` with each statement and expression of code as it is written; of a declaration with
/// what templates were made into.
void each_statement(const Stmt* code, Visit visit);
void each_statement(const clang::Decl* code, Visit visit);

/// All statements or expressions of a kind there, in order.
template <class Node, class Code>
std::vector<const Node*> all_in(const Code* code) {
  std::vector<const Node*> all;
  each_statement(code, [&](const Stmt& at) {
    if (const auto* one = dyn_cast<Node>(&at)) all.push_back(one);
  });
  return all;
}

/// What a statement itself runs of the program's own code without a call that is written:
/// constructors, destructors, operators. Null of none.
const Stmt* hidden_code_of(const Stmt& statement);

}  // namespace ompdm::edit
