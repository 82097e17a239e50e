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

// The types of clang's syntax tree that these files use.
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

/// The place of code in the source. For code from a macro `in_macro` is set, and the line is that
/// of the macro's use.
struct Spot {
  std::string file;
  int line = 0;
  unsigned offset = 0;
  bool in_macro = false;
};

Spot spot_of(const clang::ASTContext& context, clang::SourceLocation location);

/// "u is read at solver.cpp:12": the line of a statement, for a refusal.
Place place_of(const clang::ASTContext& context, const Stmt& statement);

/// Whether two names are of one file.
bool is_same_file(const std::string& one, const std::string& other);

/// The indentation of braces that a statement and the lines around it get. None: they have braces.
using Braces = std::optional<std::string>;

class SourceText {
 public:
  /// The text of the file that holds the location. The context must outlive this.
  SourceText(const clang::ASTContext& context, clang::SourceLocation location);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// The source text from the begin of one token to the end of another.
  [[nodiscard]] std::string between(clang::SourceLocation begin, clang::SourceLocation end) const;
  [[nodiscard]] unsigned offset_of(clang::SourceLocation location) const;
  /// The offset behind the token that begins there.
  [[nodiscard]] unsigned end_of(clang::SourceLocation location) const;
  [[nodiscard]] unsigned line_begin(unsigned offset) const;
  /// The offset behind the line's end.
  [[nodiscard]] unsigned next_line(unsigned offset) const;
  /// The end of a directive's text, which may have several lines.
  [[nodiscard]] unsigned pragma_end(unsigned offset) const;
  /// The blanks and tabs that a line begins with.
  [[nodiscard]] std::string indentation(unsigned offset) const;
  /// Whether only blanks stand before the offset in its line; and behind it.
  [[nodiscard]] bool begins_line(unsigned offset) const;
  [[nodiscard]] bool ends_line(unsigned offset) const;
  /// Whether a comment begins behind the offset in its line, and ends in a later line.
  [[nodiscard]] bool has_open_comment(unsigned offset) const;
  /// Whether the offset is in a line of the preprocessor. A directive that _Pragma makes is not.
  [[nodiscard]] bool is_pragma(unsigned offset) const;
  /// The offset behind a semicolon, if one follows.
  [[nodiscard]] unsigned past_semicolon(unsigned offset) const;

  /// Lines before a statement that begins at `begin`, and behind a statement that ends at `end`.
  /// Where the statement shares its line with other code, line breaks are put around them.
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

/// The source text of an expression.
std::string text_of(const clang::ASTContext& context, const Expr& expression);

/// `target update`, `target enter data` and `target exit data`, which have no body in the source.
bool is_standalone(const clang::OMPExecutableDirective& directive);

/// The offset behind a statement and its semicolon.
unsigned end_of_statement(const SourceText& text, const Stmt& statement);

class Macros {
 public:
  explicit Macros(const clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  /// Whether a name is a macro that is defined more than once.
  [[nodiscard]] bool is_redefined(const std::string& name) const;
  /// The replacement of a macro without arguments that is defined at that place. None for other
  /// names, and for macros that are defined more than once.
  [[nodiscard]] std::optional<std::string> value_at(const std::string& name,
                                                    clang::SourceLocation place) const;
  /// An expression in which macros that are defined at that place are replaced, again and again.
  [[nodiscard]] std::string expanded(const std::string& expression,
                                     clang::SourceLocation place) const;

 private:
  [[nodiscard]] std::string expanded(const std::string& expression, clang::SourceLocation place,
                                     int depth) const;
  [[nodiscard]] const clang::MacroDirective* last_of(const std::string& name) const;

  const clang::Preprocessor& preprocessor_;
};

/// A walk through code in the order of the source: a clang::RecursiveASTVisitor that is compiled
/// once for all walks. It visits code as it is written. It visits a region's body once. It visits
/// neither the list of its captures nor clauses, which hold copies that the compiler makes.
class CodeVisitor {
 public:
  virtual ~CodeVisitor() = default;

  /// Visits a statement, or a declaration, and all its parts. Null is allowed.
  void walk(const Stmt* statement);
  void walk(const clang::Decl* declaration);

  /// Called for each statement, expression and directive.
  virtual void visit(const Stmt&) {}
  virtual void visit_declared(const clang::Decl&) {}
  virtual void visit_clause(const clang::OMPClause&) {}
  /// False: neither the statement nor its parts are visited.
  virtual bool enters(const Stmt&) { return true; }
  virtual bool enters_declared(const clang::Decl&) { return true; }
  /// Called after all parts of a statement.
  virtual void leaves(const Stmt&) {}
  /// Whether instantiations of templates are visited, too.
  [[nodiscard]] virtual bool has_instantiations() const { return false; }
  /// Whether clauses and captures are visited as well.
  [[nodiscard]] virtual bool has_clauses() const { return false; }

 protected:
  /// Visits the body of a function once; null is allowed. Returns whether it did.
  bool follow(const FunctionDecl* function);

 private:
  std::set<const FunctionDecl*> followed_;
};

using Visit = llvm::function_ref<void(const Stmt&)>;

/// Calls `visit` for each statement and expression of code as it is written. Of a declaration also
/// for instantiations of templates.
void each_statement(const Stmt* code, Visit visit);
void each_statement(const clang::Decl* code, Visit visit);

/// All statements or expressions of a kind in code, in order.
template <class Node, class Code>
std::vector<const Node*> all_in(const Code* code) {
  std::vector<const Node*> all;
  each_statement(code, [&](const Stmt& at) {
    if (const auto* one = dyn_cast<Node>(&at)) all.push_back(one);
  });
  return all;
}

/// A statement that runs code of the program without a written call: a constructor, a destructor or
/// an operator. Null: none.
const Stmt* hidden_code_of(const Stmt& statement);

}  // namespace ompdm::edit
