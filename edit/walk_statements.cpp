#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "walk.h"

namespace ompdm::edit {

void Walk::run(const Stmt* statement) {
  if (statement == nullptr) return;
  if (is_too_much()) return;
  const Stmt* const before = at_;
  if (!is_in_system_code()) at_ = statement;
  run_inner(*statement);
  at_ = before;
}

bool Walk::is_too_much() {
  constexpr std::size_t kMostSteps = 400000;
  if (++steps_ == kMostSteps) record_any();
  return steps_ >= kMostSteps;
}

bool Walk::is_in_system_code() const {
  return frames_.back().function != nullptr && is_in_system_header(*frames_.back().function);
}

void Walk::run_inner(const Stmt& statement) {
  if (const auto* expression = dyn_cast<Expr>(&statement)) return discard(*expression);
  if (const auto* directive = dyn_cast<Directive>(&statement)) return run_directive(*directive);
  if (const auto* captured = dyn_cast<clang::CapturedStmt>(&statement)) {
    return run(captured->getCapturedStmt());
  }
  if (const auto* declared = dyn_cast<clang::DeclStmt>(&statement)) {
    for (const clang::Decl* one : declared->decls()) {
      if (const auto* variable = dyn_cast<VarDecl>(one)) declare(*variable);
    }
    return;
  }
  if (const auto* end = dyn_cast<clang::ReturnStmt>(&statement)) return run_return(*end);
  if (isa<clang::AsmStmt>(statement)) return record_any();
  if (const auto* handler = dyn_cast<clang::CXXCatchStmt>(&statement)) {
    if (handler->getExceptionDecl() != nullptr) declare(*handler->getExceptionDecl());
    return run(handler->getHandlerBlock());
  }
  if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(&statement)) {
    for (const Stmt* part : std::initializer_list<const Stmt*>{
             loop->getInit(), loop->getRangeStmt(), loop->getBeginStmt(), loop->getEndStmt(),
             loop->getCond(), loop->getLoopVarStmt(), loop->getBody(), loop->getInc()}) {
      run(part);
    }
    return;
  }
  for (const Stmt* child : statement.children()) run(child);
}

void Walk::discard(const Expr& expression) {
  if (expression.isGLValue()) {
    place(expression);
  } else {
    value(expression);
  }
}

void Walk::run_return(const clang::ReturnStmt& end) {
  const Expr* returned = end.getRetValue();
  Frame& frame = frames_.back();
  if (returned == nullptr) return;
  if (returned->isGLValue()) {
    const Places where = place(*returned);
    frames_.back().returned.add(where);
  } else if (returned->getType()->isRecordType() && !frame.result.root.isNull()) {
    const Path result = frame.result;
    initialize(result, *returned);
  } else {
    const Places pointees = value(*returned);
    frames_.back().returned.add(pointees);
  }
}

void Walk::run_directive(const Directive& directive) {
  const std::set<Path::Root> before = private_;
  for (const clang::OMPClause* clause : directive.clauses()) {
    if (const auto* copied = dyn_cast<clang::OMPFirstprivateClause>(clause)) {
      const Places all = add_private(copied->varlists());
      if (!runs_on_device(directive)) record(Use::kRead, all);
    } else if (const auto* made = dyn_cast<clang::OMPPrivateClause>(clause)) {
      add_private(made->varlists());
    } else if (const auto* last = dyn_cast<clang::OMPLastprivateClause>(clause)) {
      at_ = &directive;
      record(Use::kWrite, listed(last->varlists()));
      add_private(last->varlists());
    } else if (const auto* linear = dyn_cast<clang::OMPLinearClause>(clause)) {
      at_ = &directive;
      record(Use::kChange, listed(linear->varlists()));
      add_private(linear->varlists());
    } else if (isa<clang::OMPReductionClause, clang::OMPInReductionClause,
                   clang::OMPTaskReductionClause>(clause)) {
      at_ = &directive;
      add_reduction(directive, *clause);
    } else if (!runs_on_device(directive) && is_asked(*clause)) {
      at_ = &directive;
      for (const Stmt* child : clause->children()) run(child);
    }
  }
  if (directive.hasAssociatedStmt()) run(directive.getRawStmt());
  private_ = before;
}

bool Walk::is_asked(const clang::OMPClause& clause) {
  return isa<clang::OMPIfClause, clang::OMPNumThreadsClause, clang::OMPScheduleClause,
             clang::OMPDistScheduleClause, clang::OMPNumTeamsClause, clang::OMPThreadLimitClause,
             clang::OMPFinalClause, clang::OMPGrainsizeClause, clang::OMPNumTasksClause,
             clang::OMPPriorityClause, clang::OMPFilterClause>(clause);
}

template <class List>
Places Walk::listed(const List& list) {
  Places all;
  for (const Expr* item : list) all.add(pointees_or_place(*item));
  return all;
}

template <class List>
Places Walk::add_private(const List& list) {
  Places all;
  for (const Expr* item : list) {
    const VarDecl* variable = variable_of(item);
    if (variable == nullptr) continue;
    const Places its = place(*item->IgnoreParenCasts());
    const bool is_data = !variable->getType()->isAnyPointerType();
    for (const Path& path : its.paths) {
      if (is_data && !is_own(path)) all.paths.insert(path);
    }
    private_.insert(variable->getCanonicalDecl());
  }
  return all;
}

void Walk::add_reduction(const Directive& directive, const clang::OMPClause& clause) {
  if (const auto* one = dyn_cast<clang::OMPReductionClause>(&clause)) {
    reduce(one->varlists());
    // What `declare reduction` calls may do more.
    const bool is_plain = std::ranges::all_of(one->reduction_ops(), [&](const Expr* operation) {
      return operation == nullptr || !isa<CallExpr>(operation->IgnoreParenImpCasts());
    });
    if (!is_plain) unknown(listed(one->varlists()), "is combined by a reduction of the program");
  } else if (const auto* inner = dyn_cast<clang::OMPInReductionClause>(&clause)) {
    reduce(inner->varlists());
  } else if (const auto* task = dyn_cast<clang::OMPTaskReductionClause>(&clause)) {
    reduce(task->varlists());
  }
  at_ = &directive;
}

template <class List>
void Walk::reduce(const List& list) {
  const Places all = listed(list);
  record(Use::kChange, all);
  for (const Path& path : all.paths) {
    if (!is_own(path)) found_.reduced.insert(path);
  }
  add_private(list);
}

void Walk::declare(const VarDecl& variable) {
  const VarDecl* const root = variable.getCanonicalDecl();
  if (variable.hasGlobalStorage()) return;
  own(root);
  run_sizes(variable.getType());
  const Expr* first = variable.getInit();
  if (variable.getType()->isReferenceType()) {
    if (first != nullptr) refer(*root, place(*first));
  } else if (first != nullptr) {
    initialize({root, {}}, *first);
  }
  if (!variable.getType()->isReferenceType()) destroy({root, {}}, variable.getType());
  if (const auto* parts = dyn_cast<clang::DecompositionDecl>(&variable)) {
    for (const clang::BindingDecl* part : parts->bindings()) {
      if (part->getHoldingVar() != nullptr) declare(*part->getHoldingVar());
    }
  }
}

void Walk::run_sizes(clang::QualType type) {
  type = type.getNonReferenceType();
  while (!type.isNull()) {
    const clang::ArrayType* array = type->getAsArrayTypeUnsafe();
    const auto* variable = dyn_cast_or_null<clang::VariableArrayType>(array);
    const Expr* size = variable == nullptr ? nullptr : variable->getSizeExpr();
    if (size != nullptr) value(*size);
    type = array != nullptr ? array->getElementType() : type->getPointeeType();
  }
}

void Walk::destroy(const Path& object, clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return;
  const clang::CXXDestructorDecl* end = record->getDestructor();
  if (end == nullptr) return escape({{object}, false}, "is ended in a way that is not known");
  if (end->isUserProvided()) {
    const clang::FunctionDecl* defined = nullptr;
    const bool is_seen = end->hasBody(defined);
    const Places self{{object}, false};
    if (!is_seen || is_running(*defined)) {
      return escape(self, fmt::format("is ended by {}(), whose body is not seen",
                                      end->getQualifiedNameAsString()));
    }
    call_seen(*defined, {}, self, {});
  }
  for (const clang::FieldDecl* field : record->fields()) {
    if (!field->getType()->isReferenceType()) destroy(object.with(field), field->getType());
  }
  for (const clang::CXXBaseSpecifier& base : record->bases()) destroy(object, base.getType());
}

bool Walk::is_running(const FunctionDecl& function) const {
  return frames_.size() > kDeepest || std::ranges::any_of(frames_, [&](const Frame& frame) {
           return frame.function == &function;
         });
}

void Walk::refer(const VarDecl& reference, const Places& where) {
  refers_to_[reference.getCanonicalDecl()].add(where);
}

void Walk::initialize(const Path& to, const Expr& first) {
  const Expr* plain = first.IgnoreParens();
  if (const auto* wrapped = wrapped_in(*plain)) return initialize(to, *wrapped);
  if (const auto* list = dyn_cast<clang::InitListExpr>(plain)) return initialize(to, *list);
  if (const auto* made = dyn_cast<clang::CXXConstructExpr>(plain)) return construct(to, *made);
  if (const auto* lambda = dyn_cast<clang::LambdaExpr>(plain)) return make_closure(to, *lambda);
  if (const auto* loop = dyn_cast<clang::ArrayInitLoopExpr>(plain)) {
    const Places from = place(*loop->getCommonExpr()->getSourceExpr());
    record(Use::kRead, from);
    return copy(to, from, true);
  }
  if (!plain->getType()->isRecordType()) {
    return store({{to}, false}, value(*plain), true);
  }
  if (plain->isGLValue()) return copy_from(to, place(*plain));
  if (const auto* cast = dyn_cast<clang::CastExpr>(plain)) {
    // C copies an object by reading it; a conversion is a call, or a temporary's base.
    if (cast->getSubExpr()->isGLValue()) return copy_from(to, place(*cast->getSubExpr()));
    return initialize(to, *cast->getSubExpr());
  }
  if (const auto* call = dyn_cast<CallExpr>(plain)) {
    run_call(*call, to);
    return;
  }
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(plain)) {
    discard(*choice->getCond());
    initialize(to, *choice->getTrueExpr());
    return initialize(to, *choice->getFalseExpr());
  }
  if (isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(plain)) return;
  if (const auto* assigned = dyn_cast<clang::BinaryOperator>(plain)) {
    discard(*assigned->getLHS());
    if (assigned->getOpcode() == clang::BO_Comma) return initialize(to, *assigned->getRHS());
    return copy_from(to, assign(*assigned));
  }
  of_unknown_shape(*plain);
  if (lost_.insert(to).second) mark_changed(to.root);
}

void Walk::copy_from(const Path& to, const Places& from) {
  record(Use::kRead, from);
  copy(to, from, true);
}

void Walk::initialize(const Path& to, const clang::InitListExpr& any) {
  const clang::InitListExpr& list =
      any.isSemanticForm() || any.getSemanticForm() == nullptr ? any : *any.getSemanticForm();
  const clang::RecordDecl* record = list.getType()->getAsRecordDecl();
  if (record == nullptr || list.isTransparent()) {
    for (const Expr* one : list.inits()) initialize(to, *one);
    return;
  }
  unsigned i = 0;
  if (const auto* derived = dyn_cast<clang::CXXRecordDecl>(record)) {
    for (unsigned base = 0; base < derived->getNumBases() && i < list.getNumInits(); ++base) {
      initialize(to, *list.getInit(i++));
    }
  }
  if (record->isUnion()) {
    if (list.getNumInits() > 0) initialize(to, *list.getInit(0));
    return;
  }
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isUnnamedBitField()) continue;
    if (i >= list.getNumInits()) break;
    initialize_field(to, *field, *list.getInit(i++));
  }
}

void Walk::initialize_field(const Path& object, const clang::FieldDecl& field, const Expr& first) {
  const Path to = object.with(&field);
  if (field.getType()->isReferenceType()) return store({{to}, false}, place(first), true);
  initialize(to, first);
}

void Walk::construct(const Path& to, const clang::CXXConstructExpr& made) {
  const clang::CXXConstructorDecl& constructor = *made.getConstructor();
  const bool is_copy = constructor.isCopyOrMoveConstructor() && constructor.isTrivial();
  if (is_copy && made.getNumArgs() > 0) {
    const Expr& from = *made.getArg(0);
    if (from.isGLValue()) return copy_from(to, place(from));
    return initialize(to, from);
  }
  if (constructor.isTrivial()) return;
  std::vector<const Expr*> arguments(made.arg_begin(), made.arg_end());
  call_function(constructor, arguments, {{to}, false}, {}, made);
}

void Walk::make_closure(const Path& to, const clang::LambdaExpr& lambda) {
  closure_self_[lambda.getLambdaClass()] = self_of(nullptr);
  own(to.root);
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (lambda.isInitCapture(&capture)) declare(*cast<VarDecl>(capture.getCapturedVar()));
  }
}

}  // namespace ompdm::edit
