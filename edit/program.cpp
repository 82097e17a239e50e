#include "program.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <set>

namespace ompdm::edit {
namespace {

class Collector : public CodeVisitor {
 public:
  Collector(std::vector<const Directive*>& directives, std::vector<const clang::Stmt*>& loops,
            std::vector<const clang::FunctionDecl*>& functions)
      : directives_(directives), loops_(loops), functions_(functions) {}

  // Of a template what it was made into is looked at: there all names have a meaning.
  [[nodiscard]] bool has_instantiations() const override { return true; }
  bool enters_declared(const clang::Decl& one) override {
    const bool is_plain =
        one.getKind() == clang::Decl::Function || one.getKind() == clang::Decl::CXXMethod;
    return !is_plain || !llvm::cast<clang::FunctionDecl>(one).isDependentContext();
  }
  void visit_declared(const clang::Decl& one) override {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&one);
    if (function == nullptr || !function->doesThisDeclarationHaveABody()) return;
    if (!is_in_system_header(one)) functions_.push_back(function);
  }
  void visit(const clang::Stmt& statement) override {
    if (const auto* directive = llvm::dyn_cast<Directive>(&statement)) {
      directives_.push_back(directive);
    } else if (body_of_loop(statement) != nullptr) {
      loops_.push_back(&statement);
    }
  }

 private:
  std::vector<const Directive*>& directives_;
  std::vector<const clang::Stmt*>& loops_;
  std::vector<const clang::FunctionDecl*>& functions_;
};

/// Functions that code calls, and those that these call, as far as their bodies are seen.
class Bodies : public CodeVisitor {
 public:
  void visit(const clang::Stmt& at) override {
    const clang::FunctionDecl* called = seen_callee_of(&at);
    if (called != nullptr) all.insert(called);
    follow(called);
  }
  std::set<const clang::FunctionDecl*> all;
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

const clang::FunctionDecl* callee_of(const clang::Stmt* call) {
  const auto* one = llvm::dyn_cast_or_null<clang::CallExpr>(call);
  return one == nullptr ? nullptr : one->getDirectCallee();
}

const clang::FunctionDecl* seen_callee_of(const clang::Stmt* call) {
  const clang::FunctionDecl* called = callee_of(call);
  const clang::FunctionDecl* defined = nullptr;
  return called != nullptr && called->hasBody(defined) ? defined : nullptr;
}

bool is_of_system(const clang::FunctionDecl* function) {
  return function != nullptr && (function->getBuiltinID() != 0 || is_in_system_header(*function));
}

bool is_in_system_header(const clang::Decl& declaration) {
  const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
  return sources.isInSystemHeader(declaration.getLocation());
}

const clang::VarDecl* variable_of(const clang::Expr* expression) {
  const auto* name = expression == nullptr
                         ? nullptr
                         : llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

const clang::Expr* argument_for(const clang::CallExpr& call, const clang::ParmVarDecl& parameter) {
  const unsigned number = parameter.getFunctionScopeIndex();
  return number < call.getNumArgs() ? call.getArg(number) : nullptr;
}

const clang::FunctionDecl* function_of(const clang::VarDecl& variable) {
  const clang::DeclContext* at = variable.getDeclContext();
  while (at != nullptr && llvm::isa<clang::CapturedDecl>(at)) at = at->getParent();
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(at);
}

bool runs_on_device(const Directive& directive) {
  return clang::isOpenMPTargetExecutionDirective(directive.getDirectiveKind());
}

bool is_region(const clang::Stmt& statement) {
  const auto* directive = llvm::dyn_cast<Directive>(&statement);
  return directive != nullptr && runs_on_device(*directive);
}

const Directive* region_around(const Program& program, const clang::Stmt& statement) {
  const clang::Stmt* at = &statement;
  while (at != nullptr && !is_region(*at)) at = program.parent_of(*at);
  return llvm::cast_or_null<Directive>(at);
}

Program::Program(clang::ASTUnit& unit, const Request& request)
    : context_(unit.getASTContext()), preprocessor_(&unit.getPreprocessor()), request_(&request) {
  Collector(directives_, loops_, functions_).walk(context_.getTranslationUnitDecl());
  keep_one_of_each(directives_);
  keep_one_of_each(loops_);
}

std::vector<const Directive*> Program::directives_at(const Place& place) const {
  std::vector<const Directive*> found;
  std::ranges::copy_if(directives_, std::back_inserter(found), [&](const Directive* one) {
    const Spot spot = spot_of(context_, one->getBeginLoc());
    return spot.line == place.line && is_same_file(spot.file, place.file);
  });
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

std::vector<const Directive*> Program::data_directives() const {
  std::vector<const Directive*> all;
  for (const auto* one : directives_) {
    const auto kind = one->getDirectiveKind();
    const bool is_update = kind == llvm::omp::OMPD_target_update;
    if (clang::isOpenMPTargetDataManagementDirective(kind) && !is_update) all.push_back(one);
  }
  return all;
}

std::vector<const Directive*> Program::directives_in(const clang::Stmt& code) const {
  std::vector<const Directive*> all;
  std::ranges::copy_if(directives_, std::back_inserter(all),
                       [&](const auto* one) { return leads_to(code, *one); });
  return all;
}

std::vector<const clang::CallExpr*> Program::calls_of(const clang::FunctionDecl& function) const {
  std::set<const clang::CallExpr*> calls;
  for (const auto* call : all_in<clang::CallExpr>(context_.getTranslationUnitDecl())) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    const bool is_it =
        called != nullptr && called->getCanonicalDecl() == function.getCanonicalDecl();
    if (is_it) calls.insert(call);
  }
  return {calls.begin(), calls.end()};
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
    if (around != nullptr && !llvm::isa<Directive>(around)) return around;
  }
  if (const auto* parent = parents[0].get<clang::Stmt>()) return parent;
  // An initializer's parent is what it declares; a region's the function that clang makes of it.
  const clang::Decl* declared = parents[0].get<clang::VarDecl>();
  if (declared == nullptr) declared = parents[0].get<clang::CapturedDecl>();
  if (declared == nullptr) return nullptr;
  const auto around = context_.getParents(*declared);
  return around.empty() ? nullptr : around[0].get<clang::Stmt>();
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
  called.walk(&outer);
  return called.all.contains(function);
}

const clang::FunctionDecl* Program::function_of(const clang::Stmt& statement) const {
  const clang::Stmt* top = &statement;
  while (const clang::Stmt* parent = parent_of(*top)) top = parent;
  const auto parents = context_.getParents(*top);
  return parents.empty() ? nullptr : parents[0].get<clang::FunctionDecl>();
}

namespace {

class Offloading : public CodeVisitor {
 public:
  bool enters(const clang::Stmt&) override { return !found; }
  void visit(const clang::Stmt& at) override {
    if (const auto* directive = llvm::dyn_cast<Directive>(&at)) {
      const auto kind = directive->getDirectiveKind();
      const bool is_wait = kind == llvm::omp::OMPD_taskwait || kind == llvm::omp::OMPD_taskgroup ||
                           kind == llvm::omp::OMPD_barrier;
      found = is_wait || runs_on_device(*directive) ||
              clang::isOpenMPTargetDataManagementDirective(kind) ||
              kind == llvm::omp::OMPD_target_update;
    }
    // What is not seen knows none of the data, unless that is handed to it or global.
    follow(seen_callee_of(&at));
  }
  bool found = false;
};

}  // namespace

bool offloads(const clang::Stmt& code) {
  Offloading seen;
  seen.walk(&code);
  return seen.found;
}

}  // namespace ompdm::edit
