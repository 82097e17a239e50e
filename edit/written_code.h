// Visits code as it is written: without what the compiler adds to directives, which names the
// program's variables in places where no one wrote them.
#pragma once

#include <clang/AST/OpenMPClause.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace ompdm::edit {

template <class Derived>
class WrittenCode : public clang::RecursiveASTVisitor<Derived> {
 public:
  /// A region's body once, and not the list of what it captures.
  bool TraverseCapturedStmt(clang::CapturedStmt* region) {
    return this->getDerived().TraverseStmt(region->getCapturedStmt());
  }
  /// Clauses hold the compiler's copies of what they name.
  bool TraverseOMPClause(clang::OMPClause*) { return true; }
};

}  // namespace ompdm::edit
