#include "program.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "messages.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

class Collector : public WrittenCode {
 public:
  Collector(std::vector<const clang::OMPExecutableDirective*>& directives,
            std::vector<const clang::Stmt*>& loops,
            std::vector<const clang::FunctionDecl*>& functions)
      : directives_(directives), loops_(loops), functions_(functions) {}

  // Of a template what it was made into is looked at: there all names have a meaning.
  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool TraverseFunctionDecl(clang::FunctionDecl* function) override {
    return function->isDependentContext() || WrittenCode::TraverseFunctionDecl(function);
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* function) override {
    return function->isDependentContext() || WrittenCode::TraverseCXXMethodDecl(function);
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    const clang::SourceManager& sources = function->getASTContext().getSourceManager();
    const bool is_own = function->doesThisDeclarationHaveABody() &&
                        !sources.isInSystemHeader(function->getLocation());
    if (is_own) functions_.push_back(function);
    return true;
  }
  bool VisitStmt(clang::Stmt* statement) override {
    if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement)) {
      directives_.push_back(directive);
    } else if (body_of_loop(*statement) != nullptr) {
      loops_.push_back(statement);
    }
    return true;
  }

 private:
  std::vector<const clang::OMPExecutableDirective*>& directives_;
  std::vector<const clang::Stmt*>& loops_;
  std::vector<const clang::FunctionDecl*>& functions_;
};

/// Functions that code calls, and those that these call, as far as their bodies are seen.
class Bodies : public WrittenCode {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const bool is_seen = called != nullptr && called->hasBody(defined);
    return !is_seen || !all.insert(defined).second || TraverseStmt(defined->getBody());
  }
  std::set<const clang::FunctionDecl*> all;
};

class CallsOf : public WrittenCode {
 public:
  explicit CallsOf(const clang::FunctionDecl& function) : function_(function) {}

  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* called = call->getDirectCallee();
    if (called != nullptr && called->getCanonicalDecl() == function_.getCanonicalDecl()) {
      all.insert(call);
    }
    return true;
  }
  std::set<const clang::CallExpr*> all;

 private:
  const clang::FunctionDecl& function_;
};

template <class Statement>
void keep_one_of_each(std::vector<const Statement*>& statements) {
  // A captured statement is visited by several ways.
  std::ranges::sort(statements);
  statements.erase(std::unique(statements.begin(), statements.end()), statements.end());
}

}  // namespace

const clang::Stmt* body_of_loop(const clang::Stmt& statement) {
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement)) return loop->getBody();
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&statement)) return loop->getBody();
  if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(&statement)) return loop->getBody();
  if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&statement)) return loop->getBody();
  return nullptr;
}

const clang::FunctionDecl* function_of(const clang::VarDecl& variable) {
  const clang::DeclContext* at = variable.getDeclContext();
  while (at != nullptr && llvm::isa<clang::CapturedDecl>(at)) at = at->getParent();
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(at);
}

bool runs_on_device(const clang::OMPExecutableDirective& directive) {
  return clang::isOpenMPTargetExecutionDirective(directive.getDirectiveKind());
}

Program::Program(clang::ASTUnit& unit, const Request& request)
    : context_(unit.getASTContext()), preprocessor_(&unit.getPreprocessor()), request_(&request) {
  Collector(directives_, loops_, functions_).TraverseDecl(context_.getTranslationUnitDecl());
  keep_one_of_each(directives_);
  keep_one_of_each(loops_);
}

std::vector<const clang::OMPExecutableDirective*> Program::directives_at(const Place& place) const {
  std::vector<const clang::OMPExecutableDirective*> found;
  for (const auto* directive : directives_) {
    const Spot spot = spot_of(context_, directive->getBeginLoc());
    if (spot.line == place.line && is_same_file(spot.file, place.file)) found.push_back(directive);
  }
  return found;
}

bool Program::holds_all(const clang::Stmt& loop, const std::vector<Place>& places) const {
  return std::ranges::all_of(places, [&](const Place& place) {
    return std::ranges::any_of(directives_at(place),
                               [&](const auto* directive) { return leads_to(loop, *directive); });
  });
}

/// Debug information may give a loop the line of a statement that goes on with its next pass.
const clang::Stmt* Program::innermost_around(const Place& place,
                                             const std::vector<Place>& holding) const {
  const clang::Stmt* found = nullptr;
  for (const clang::Stmt* loop : loops_) {
    const Spot begin = spot_of(context_, loop->getBeginLoc());
    const Spot end = spot_of(context_, loop->getEndLoc());
    const bool is_around = begin.line <= place.line && place.line <= end.line;
    if (!is_around || !is_same_file(begin.file, place.file) || !holds_all(*loop, holding)) continue;
    if (found == nullptr || is_within(*loop, *found)) found = loop;
  }
  return found;
}

const clang::Stmt* Program::loop_at(const Place& place, const std::vector<Place>& holding) const {
  std::vector<const clang::Stmt*> found;
  for (const clang::Stmt* loop : loops_) {
    const Spot begin = spot_of(context_, loop->getBeginLoc());
    const Spot body = spot_of(context_, body_of_loop(*loop)->getBeginLoc());
    const Spot end = spot_of(context_, loop->getEndLoc());
    // A do's condition stands behind its body.
    const bool is_head = place.line >= begin.line && place.line <= std::max(begin.line, body.line);
    const bool is_here = is_head || (llvm::isa<clang::DoStmt>(loop) && place.line == end.line);
    if (!is_here || !is_same_file(begin.file, place.file)) continue;
    if (holds_all(*loop, holding)) found.push_back(loop);
  }
  if (found.empty()) return innermost_around(place, holding);
  const auto begin_of = [&](const clang::Stmt* loop) {
    return spot_of(context_, loop->getBeginLoc()).offset;
  };
  const bool is_one_place = std::ranges::all_of(
      found, [&](const auto* loop) { return begin_of(loop) == begin_of(found.front()); });
  if (!is_one_place) {
    throw Refusal(fmt::format("{} loops begin in this line", found.size()), place);
  }
  return found.front();
}

std::vector<const clang::Stmt*> Program::alike(const clang::Stmt& loop) const {
  std::vector<const clang::Stmt*> all = {&loop};
  for (const clang::Stmt* one : loops_) {
    if (one != &loop && one->getBeginLoc() == loop.getBeginLoc()) all.push_back(one);
  }
  return all;
}

bool Program::is_called_here_alone(const clang::FunctionDecl& function) const {
  const std::string file = spot_of(context_, function.getLocation()).file;
  const auto is_it = [&](const std::string& source) { return is_same_file(source, file); };
  const bool is_of_source = is_it(request_->file) || std::ranges::any_of(request_->beside, is_it);
  return is_of_source && (request_->is_whole || !function.isExternallyVisible());
}

std::vector<const clang::OMPExecutableDirective*> Program::data_directives() const {
  std::vector<const clang::OMPExecutableDirective*> all;
  for (const auto* one : directives_) {
    const auto kind = one->getDirectiveKind();
    const bool is_update = kind == llvm::omp::OMPD_target_update;
    if (clang::isOpenMPTargetDataManagementDirective(kind) && !is_update) all.push_back(one);
  }
  return all;
}

std::vector<const clang::OMPExecutableDirective*> Program::directives_in(
    const clang::Stmt& code) const {
  std::vector<const clang::OMPExecutableDirective*> all;
  std::ranges::copy_if(directives_, std::back_inserter(all),
                       [&](const auto* one) { return leads_to(code, *one); });
  return all;
}

std::vector<const clang::CallExpr*> Program::calls_of(const clang::FunctionDecl& function) const {
  CallsOf calls(function);
  calls.TraverseDecl(context_.getTranslationUnitDecl());
  return {calls.all.begin(), calls.all.end()};
}

Program Program::with_span(const clang::Stmt& span, const clang::Stmt& block) const {
  Program other = *this;
  other.span_ = &span;
  other.block_ = &block;
  return other;
}

const clang::Stmt* Program::parent_of(const clang::Stmt& statement) const {
  if (span_ == nullptr) return written_parent_of(statement);
  if (&statement == span_) return block_;
  const clang::Stmt* parent = written_parent_of(statement);
  const auto of_span = span_->children();
  const bool is_in_span =
      parent == block_ && std::ranges::find(of_span, &statement) != of_span.end();
  return is_in_span ? span_ : parent;
}

const clang::Stmt* Program::written_parent_of(const clang::Stmt& statement) const {
  const auto parents = context_.getParents(statement);
  if (parents.empty()) return nullptr;
  // An implicit clause has the very expression of the region's body.
  for (const auto& parent : parents) {
    const auto* around = parent.get<clang::Stmt>();
    if (around != nullptr && !llvm::isa<clang::OMPExecutableDirective>(around)) return around;
  }
  if (const auto* parent = parents[0].get<clang::Stmt>()) return parent;
  // An initializer's parent is what it declares.
  if (const auto* declared = parents[0].get<clang::VarDecl>()) {
    const auto around = context_.getParents(*declared);
    return around.empty() ? nullptr : around[0].get<clang::Stmt>();
  }
  // A region's is the function that clang makes of it.
  if (const auto* captured = parents[0].get<clang::CapturedDecl>()) {
    const auto around = context_.getParents(*captured);
    return around.empty() ? nullptr : around[0].get<clang::Stmt>();
  }
  return nullptr;
}

bool Program::is_within(const clang::Stmt& inner, const clang::Stmt& outer) const {
  for (const clang::Stmt* at = &inner; at != nullptr; at = parent_of(*at)) {
    if (at == &outer) return true;
  }
  return false;
}

bool Program::leads_to(const clang::Stmt& outer, const clang::Stmt& inner) const {
  if (is_within(inner, outer)) return true;
  const clang::FunctionDecl* function = function_of(inner);
  if (function == nullptr) return false;
  Bodies called;
  called.TraverseStmt(const_cast<clang::Stmt*>(&outer));
  return called.all.contains(function);
}

const clang::FunctionDecl* Program::function_of(const clang::Stmt& statement) const {
  const clang::Stmt* top = &statement;
  while (const clang::Stmt* parent = parent_of(*top)) top = parent;
  const auto parents = context_.getParents(*top);
  return parents.empty() ? nullptr : parents[0].get<clang::FunctionDecl>();
}

namespace {

/// Whether code holds directives for devices, or calls what may.
class Offloading : public WrittenCode {
 public:
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) override {
    const auto kind = directive->getDirectiveKind();
    const bool is_wait = kind == llvm::omp::OMPD_taskwait || kind == llvm::omp::OMPD_taskgroup ||
                         kind == llvm::omp::OMPD_barrier;
    found = found || is_wait || runs_on_device(*directive) ||
            clang::isOpenMPTargetDataManagementDirective(kind) ||
            kind == llvm::omp::OMPD_target_update;
    return !found;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
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
