#include "unseen_calls.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <set>

#include "written_code.h"

namespace ompdm::edit {
namespace {

class UnseenCalls : public WrittenCode<UnseenCalls> {
 public:
  explicit UnseenCalls(const clang::SourceManager& sources) : sources_(sources) {}

  bool dataTraverseStmtPre(clang::Stmt* statement) {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
    return found == nullptr && (directive == nullptr || !runs_on_device(*directive));
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const bool is_system = called != nullptr && (called->getBuiltinID() != 0 ||
                                                 sources_.isInSystemHeader(called->getLocation()));
    if (is_system || found != nullptr) return true;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
    const bool is_open = method != nullptr && method->isVirtual();
    if (called == nullptr || is_open || !called->hasBody(defined)) {
      found = call;
    } else if (known_.insert(defined).second) {
      TraverseStmt(defined->getBody());
    }
    return true;
  }

  const clang::CallExpr* found = nullptr;

 private:
  const clang::SourceManager& sources_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

const clang::CallExpr* unseen_call_in(const Program& program, const clang::Stmt& code) {
  UnseenCalls calls(program.context().getSourceManager());
  calls.TraverseStmt(const_cast<clang::Stmt*>(&code));
  return calls.found;
}

}  // namespace ompdm::edit
