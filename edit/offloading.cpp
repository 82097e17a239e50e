#include "offloading.h"

#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>

#include <set>

#include "program.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

/// Whether code holds directives for devices, or calls what may.
class Offloading : public WrittenCode<Offloading> {
 public:
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
    const auto kind = directive->getDirectiveKind();
    const bool is_wait = kind == llvm::omp::OMPD_taskwait || kind == llvm::omp::OMPD_taskgroup ||
                         kind == llvm::omp::OMPD_barrier;
    found = found || is_wait || runs_on_device(*directive) ||
            clang::isOpenMPTargetDataManagementDirective(kind) ||
            kind == llvm::omp::OMPD_target_update;
    return !found;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    // What is not seen knows none of the data, unless that is handed to it or global.
    if (called == nullptr || !called->hasBody(defined)) return true;
    return known_.insert(defined).second ? TraverseStmt(defined->getBody()) : true;
  }

  bool found = false;

 private:
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

bool offloads(const clang::Stmt& code) {
  Offloading seen;
  seen.TraverseStmt(const_cast<clang::Stmt*>(&code));
  return seen.found;
}

}  // namespace ompdm::edit
