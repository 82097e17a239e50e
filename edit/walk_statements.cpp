#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <utility>

#include "known_functions.h"
#include "names.h"
#include "walk.h"

namespace ompdm::edit {

void CodeWalk::run(const Stmt* statement) {
  if (statement == nullptr) return;
  if (is_too_much()) return;
  const Stmt* const before = at_;
  if (!is_in_system_code()) at_ = statement;
  const FunctionDecl* const function_before = function_;
  if (!is_in_system_code() && frames_.back().function != nullptr) {
    function_ = frames_.back().function;
  }
  run_inner(*statement);
  at_ = before;
  function_ = function_before;
}

bool CodeWalk::is_too_much() {
  constexpr std::size_t kMostOfRegion = 400'000;
  constexpr std::size_t kMostOfProgram = 4'000'000;
  const std::size_t most = is_program() ? kMostOfProgram : kMostOfRegion;
  if (++steps_ == most) {
    lose("it is too large");
    trail_.is_complete = false;
  }
  return steps_ >= most;
}

bool CodeWalk::is_in_system_code() const {
  return frames_.back().function != nullptr && is_in_system_header(*frames_.back().function);
}

void CodeWalk::run_inner(const Stmt& statement) {
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
  if (const auto* end = dyn_cast<clang::ReturnStmt>(&statement)) {
    run_return(*end);
    return add_step(Step::Kind::kJump, &statement);
  }
  if (isa<clang::ContinueStmt, clang::BreakStmt, clang::GotoStmt, clang::IndirectGotoStmt>(
          statement)) {
    for (const Stmt* child : statement.children()) run(child);
    return add_step(Step::Kind::kJump, &statement);
  }
  if (const auto* label = dyn_cast<clang::LabelStmt>(&statement)) begin_label(*label);
  if (isa<clang::AsmStmt>(statement)) return record_any();
  if (body_of_loop(statement) != nullptr) return run_loop(statement);
  if (isa<clang::CoroutineBodyStmt>(statement)) lose("it has coroutines");
  if (const auto* choice = dyn_cast<clang::IfStmt>(&statement)) {
    run(choice->getInit());
    run(choice->getConditionVariableDeclStmt());
    run(choice->getCond());
    maybe([&] { run(choice->getThen()); });
    return maybe([&] { run(choice->getElse()); });
  }
  if (const auto* choice = dyn_cast<clang::SwitchStmt>(&statement)) return run_switch(*choice);
  if (const auto* guarded = dyn_cast<clang::CXXTryStmt>(&statement)) return run_try(*guarded);
  if (const auto* handler = dyn_cast<clang::CXXCatchStmt>(&statement)) {
    if (handler->getExceptionDecl() != nullptr) declare(*handler->getExceptionDecl());
    return run(handler->getHandlerBlock());
  }
  for (const Stmt* child : statement.children()) run(child);
}

void CodeWalk::run_switch(const clang::SwitchStmt& choice) {
  run(choice.getInit());
  run(choice.getConditionVariableDeclStmt());
  run(choice.getCond());
  const auto* body = dyn_cast_or_null<clang::CompoundStmt>(choice.getBody());
  if (body == nullptr) return maybe([&] { run(choice.getBody()); });
  // The head may jump to each label, and each `break` jumps behind the last one.
  auto at = body->body_begin();
  while (at != body->body_end()) {
    maybe([&] {
      do {
        run(*at++);
      } while (at != body->body_end() && !isa<clang::SwitchCase>(*at));
    });
  }
}

void CodeWalk::run_try(const clang::CXXTryStmt& guarded) {
  // A handler may run after any statement: each statement runs only if those before it do.
  const clang::CompoundStmt& block = *guarded.getTryBlock();
  const auto run_from = [&](const auto& self, auto at) -> void {
    if (at == block.body_end()) return;
    maybe([&] {
      run(*at);
      self(self, std::next(at));
    });
  };
  run_from(run_from, block.body_begin());
  for (unsigned i = 0; i < guarded.getNumHandlers(); ++i) {
    maybe([&] { run(guarded.getHandler(i)); });
  }
}

void CodeWalk::run_loop(const Stmt& loop) {
  const auto run_all = [&](std::initializer_list<const Stmt*> parts) {
    for (const Stmt* part : parts) run(part);
  };
  // The steps of a loop are one iteration, and its condition.
  if (const auto* counted = dyn_cast<clang::ForStmt>(&loop)) {
    run(counted->getInit());
    add_step(Step::Kind::kLoop, &loop);
    run_all({counted->getConditionVariableDeclStmt(), counted->getCond()});
    maybe([&] { run_all({counted->getBody(), counted->getInc()}); });
  } else if (const auto* ranged = dyn_cast<clang::CXXForRangeStmt>(&loop)) {
    run_all(
        {ranged->getInit(), ranged->getRangeStmt(), ranged->getBeginStmt(), ranged->getEndStmt()});
    add_step(Step::Kind::kLoop, &loop);
    run(ranged->getCond());
    maybe([&] { run_all({ranged->getLoopVarStmt(), ranged->getBody(), ranged->getInc()}); });
  } else if (const auto* repeated = dyn_cast<clang::DoStmt>(&loop)) {
    add_step(Step::Kind::kLoop, &loop);
    run_all({repeated->getBody(), repeated->getCond()});
  } else if (const auto* tested = dyn_cast<clang::WhileStmt>(&loop)) {
    add_step(Step::Kind::kLoop, &loop);
    run_all({tested->getConditionVariableDeclStmt(), tested->getCond()});
    maybe([&] { run(tested->getBody()); });
  }
  add_step(Step::Kind::kLoopEnd, &loop);
}

void CodeWalk::discard(const Expr& expression) {
  if (expression.isGLValue()) {
    place(expression);
  } else {
    value(expression);
  }
}

void CodeWalk::run_return(const clang::ReturnStmt& end) {
  const Expr* returned = end.getRetValue();
  Frame& frame = frames_.back();
  if (returned == nullptr) return;
  // The lambda may capture variables of a call that has ended.
  const clang::CXXRecordDecl* type =
      returned->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (type != nullptr && type->isLambda() && frame.function != nullptr) {
    lose("a function returns a lambda");
  }
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

namespace {

/// Whether a directive is for a device.
bool is_for_device(const Directive& directive) {
  const clang::OpenMPDirectiveKind kind = directive.getDirectiveKind();
  return runs_on_device(directive) || clang::isOpenMPTargetDataManagementDirective(kind);
}

}  // namespace

void CodeWalk::run_directive(const Directive& directive) {
  if (is_program() && is_for_device(directive)) return run_target(directive);
  run_directive_code(directive);
}

void CodeWalk::run_directive_code(const Directive& directive) {
  const std::set<Path::Root> before = private_;
  for (const clang::OMPClause* clause : directive.clauses()) {
    if (const auto* copied = dyn_cast<clang::OMPFirstprivateClause>(clause)) {
      at_ = &directive;
      if (!runs_on_device(directive)) record(Use::kRead, own_values(copied->varlists()));
      add_private(copied->varlists());
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
  if (directive.hasAssociatedStmt()) run_code_of(directive);
  private_ = before;
}

void CodeWalk::run_code_of(const Directive& directive) {
  const clang::OpenMPDirectiveKind kind = directive.getDirectiveKind();
  const bool is_task = clang::isOpenMPTaskingDirective(kind);
  const bool is_beside = clang::isOpenMPParallelDirective(kind) || is_task;
  const bool was_late = is_late_;
  is_late_ = is_late_ || is_task;
  if (is_beside) add_step(Step::Kind::kLoop, &directive);
  run(directive.getRawStmt());
  if (is_beside) add_step(Step::Kind::kLoopEnd, &directive);
  is_late_ = was_late;
}

void CodeWalk::run_target(const Directive& directive) {
  at_ = &directive;
  add_step(Step::Kind::kDirective, &directive);
  name_items(directive);
  const std::set<Path::Root> before = on_device_;
  bool may_be_host = false;
  const bool is_certain = device_condition(directive) == nullptr;
  for (const clang::OMPClause* clause : directive.clauses()) {
    if (const auto* copied = dyn_cast<clang::OMPFirstprivateClause>(clause)) {
      record(Use::kRead, own_values(copied->varlists()));
    } else if (const auto* pointers = dyn_cast<clang::OMPUseDevicePtrClause>(clause)) {
      if (is_certain) add_device_names(pointers->varlists());
    } else if (const auto* addresses = dyn_cast<clang::OMPUseDeviceAddrClause>(clause)) {
      if (is_certain) add_device_names(addresses->varlists());
    } else if (const auto* device = dyn_cast<clang::OMPDeviceClause>(clause)) {
      discard(*device->getDevice());
      clang::Expr::EvalResult result;
      const clang::ASTContext& context = function_->getASTContext();
      // Any number may be the host's device number.
      const bool is_number = device->getDevice()->EvaluateAsInt(result, context);
      may_be_host = may_be_host || !is_number;
    } else if (const auto* condition = dyn_cast<clang::OMPIfClause>(clause)) {
      discard(*condition->getCondition());
      may_be_host = may_be_host || device_condition(directive) != nullptr;
    } else if (is_asked(*clause)) {
      for (const Stmt* child : clause->children()) run(child);
    }
  }
  if (runs_on_device(directive)) {
    if (may_be_host) maybe([&] { run_directive_code(directive); });
    read_captured(directive);
    run_region(directive);
  } else if (directive.hasAssociatedStmt()) {
    run(directive.getRawStmt());
  }
  at_ = &directive;
  if (has_own_code(directive)) add_step(Step::Kind::kDirectiveEnd, &directive);
  on_device_ = before;
}

void CodeWalk::run_region(const Directive& directive) {
  const bool was_on_device = std::exchange(is_on_device_, true);
  run_directive_code(directive);
  is_on_device_ = was_on_device;
}

template <class List>
Places CodeWalk::own_values(const List& list) {
  Places all;
  for (const Expr* item : list) {
    const VarDecl* variable = variable_of(item);
    if (variable == nullptr || variable->getType()->isAnyPointerType()) continue;
    for (const Path& path : place(*item->IgnoreParenCasts()).paths) all.paths.insert(path);
  }
  return all;
}

template <class List>
void CodeWalk::add_device_names(const List& list) {
  for (const Expr* item : list) {
    if (const VarDecl* variable = variable_of(item)) on_device_.insert(same(*variable));
  }
}

void CodeWalk::read_captured(const Directive& directive) {
  if (!directive.hasAssociatedStmt()) return;
  const auto* code = dyn_cast_or_null<clang::CapturedStmt>(directive.getAssociatedStmt());
  if (code == nullptr) return;
  for (const clang::CapturedStmt::Capture& capture : code->captures()) {
    if (!capture.capturesVariableByCopy()) continue;
    const VarDecl& variable = *capture.getCapturedVar();
    if (variable.getType()->isAnyPointerType()) continue;
    record(Use::kRead, {{Path{same(variable), {}}}, false});
  }
}

void CodeWalk::run_bounds(const Expr& item) {
  const Expr* at = item.IgnoreParenImpCasts();
  for (;;) {
    if (const auto* section = dyn_cast<clang::ArraySectionExpr>(at)) {
      for (const Expr* bound : {section->getLowerBound(), section->getLength()}) {
        if (bound != nullptr) discard(*bound);
      }
      at = section->getBase()->IgnoreParenImpCasts();
    } else if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      discard(*index->getIdx());
      at = index->getBase()->IgnoreParenImpCasts();
    } else {
      return;
    }
  }
}

void CodeWalk::name_items(const Directive& directive) {
  const auto asked = asked_->at.find(&directive);
  if (asked == asked_->at.end()) return;
  const auto step = static_cast<std::uint32_t>(trail_.steps.size() - 1);
  const clang::ASTContext& context = function_->getASTContext();
  for (const std::uint32_t number : asked->second) {
    const std::string& expression = asked_->items[number].expression;
    const std::size_t before = trail_.accesses.size();
    Places all;
    const auto take = [&](const Expr& item) {
      if (!is_called(context, item, expression)) return;
      all.add(pointees_or_place(item));
      run_bounds(item);
    };
    for (const MapItem& mapped : mapped_items(directive)) take(*mapped.item);
    for (const auto* clause : directive.getClausesOfKind<clang::OMPToClause>()) {
      for (const Expr* item : clause->varlists()) take(*item);
    }
    for (const auto* clause : directive.getClausesOfKind<clang::OMPFromClause>()) {
      for (const Expr* item : clause->varlists()) take(*item);
    }
    if (all.is_empty() && directive.hasAssociatedStmt()) {
      // Code names the data that no clause names.
      std::set<const clang::ValueDecl*> known;
      each_statement(directive.getRawStmt(), [&](const Stmt& one) {
        const auto* item = dyn_cast<Expr>(&one);
        const bool is_name = item != nullptr && isa<clang::DeclRefExpr, clang::MemberExpr>(item);
        if (!is_name || !is_called(context, *item, expression)) return;
        const auto* variable = dyn_cast<clang::DeclRefExpr>(item);
        if (variable != nullptr && !known.insert(variable->getDecl()).second) return;
        all.add(pointees_of(*item));
      });
    }
    std::set<Path> pointers;
    std::set<Path> values;
    for (std::size_t i = before; i < trail_.accesses.size(); ++i) {
      const Access& one = trail_.accesses[i];
      if (one.path.root.isNull()) continue;
      if (one.is_step) pointers.insert(one.path);
      values.insert(one.path);
    }
    std::set<Path> called;
    add_origins(values, called);
    trail_.namings.push_back(
        {step, number, all, std::move(pointers), std::move(values), std::move(called)});
  }
}

void CodeWalk::declare_global(const VarDecl& variable) {
  const VarDecl* const root = same(variable);
  const bool is_seen = !variable.isExternallyVisible() || program_->is_whole();
  if (!is_seen) return;
  if (owner_.try_emplace(root, nullptr).second) owned_by_[nullptr].insert(root);
  const Expr* first = variable.getInit();
  if (first == nullptr || variable.getType()->isDependentType()) return;
  if (variable.getType()->isReferenceType()) return refer(*root, place(*first));
  const bool is_constant = !holds_pointers(variable.getType());
  if (!is_constant) initialize({root, {}}, *first);
}

bool CodeWalk::is_asked(const clang::OMPClause& clause) {
  return isa<clang::OMPIfClause, clang::OMPNumThreadsClause, clang::OMPScheduleClause,
             clang::OMPDistScheduleClause, clang::OMPNumTeamsClause, clang::OMPThreadLimitClause,
             clang::OMPFinalClause, clang::OMPGrainsizeClause, clang::OMPNumTasksClause,
             clang::OMPPriorityClause, clang::OMPFilterClause>(clause);
}

template <class List>
Places CodeWalk::listed(const List& list) {
  Places all;
  for (const Expr* item : list) all.add(pointees_or_place(*item));
  return all;
}

template <class List>
void CodeWalk::add_private(const List& list) {
  for (const Expr* item : list) {
    if (const VarDecl* variable = variable_of(item)) private_.insert(same(*variable));
  }
}

void CodeWalk::add_reduction(const Directive& directive, const clang::OMPClause& clause) {
  if (const auto* one = dyn_cast<clang::OMPReductionClause>(&clause)) {
    reduce(one->varlists());
    // Functions of a `declare reduction` may have other effects.
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
void CodeWalk::reduce(const List& list) {
  const Places all = listed(list);
  record(Use::kChange, all);
  for (const Path& path : all.paths) {
    if (!is_own(path)) found_.reduced.insert(path);
  }
  add_private(list);
}

void CodeWalk::declare(const VarDecl& variable) {
  const VarDecl* const root = same(variable);
  if (variable.hasGlobalStorage()) {
    if (is_program()) declare_global(variable);
    // A static variable is initialized the first time.
    const bool has_code =
        is_program() && variable.getInit() != nullptr && !variable.getType()->isReferenceType();
    if (has_code) initialize({root, {}}, *variable.getInit());
    return;
  }
  if (is_program() && variable.hasAttr<clang::CleanupAttr>()) record_any();
  own(root);
  if (!variable.getType()->isReferenceType()) add_storage(Step::Kind::kMade, {{{root, {}}}, false});
  run_sizes(variable.getType());
  const Expr* first = variable.getInit();
  if (variable.getType()->isReferenceType()) {
    if (first != nullptr) refer(*root, place(*first));
  } else if (first != nullptr) {
    const std::size_t before = trail_.accesses.size();
    const std::size_t unseen = unseen_;
    const std::size_t shifts = shifts_;
    initialize({root, {}}, *first);
    note_origin({root, {}}, before, unseen);
    const bool is_moved = variable.getType()->isAnyPointerType() && shifts_ != shifts;
    if (is_program() && is_moved) record(Use::kChange, {{{root, {}}}, false});
  }
  if (!variable.getType()->isReferenceType()) destroy({root, {}}, variable.getType());
  if (const auto* parts = dyn_cast<clang::DecompositionDecl>(&variable)) {
    for (const clang::BindingDecl* part : parts->bindings()) {
      if (part->getHoldingVar() != nullptr) declare(*part->getHoldingVar());
    }
  }
}

void CodeWalk::run_sizes(clang::QualType type) {
  type = type.getNonReferenceType();
  while (!type.isNull()) {
    const clang::ArrayType* array = type->getAsArrayTypeUnsafe();
    const auto* variable = dyn_cast_or_null<clang::VariableArrayType>(array);
    const Expr* size = variable == nullptr ? nullptr : variable->getSizeExpr();
    if (size != nullptr) value(*size);
    type = array != nullptr ? array->getElementType() : type->getPointeeType();
  }
}

void CodeWalk::destroy(const Path& object, clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return;
  if (is_vector(clang::QualType(record->getTypeForDecl(), 0))) return end_vector(object, *record);
  if (is_program() && is_container_of_plain(*record)) return;
  const clang::CXXDestructorDecl* end = record->getDestructor();
  if (end == nullptr) return escape({{object}, false}, "is ended in a way that is not known");
  // The destructor runs at the end of a scope, behind the code that follows here.
  const bool was_late = std::exchange(is_late_, is_late_ || is_program());
  if (end->isUserProvided()) {
    const clang::FunctionDecl* defined = nullptr;
    end->hasBody(defined);
    if (is_program()) defined = program_->definition_of(*end);
    const Places self{{object}, false};
    if (is_program() && end->isVirtual() && !is_of_system(end)) record_any();
    if (defined == nullptr || is_running(*defined)) {
      if (is_program() && !is_of_system(end)) record_any();
      is_late_ = was_late;
      return escape(self, fmt::format("is ended by {}(), whose body is not seen",
                                      end->getQualifiedNameAsString()));
    }
    call_seen(*defined, {}, self, {}, nullptr);
  }
  for (const clang::FieldDecl* field : record->fields()) {
    if (!field->getType()->isReferenceType()) destroy(object.with(same(field)), field->getType());
  }
  for (const clang::CXXBaseSpecifier& base : record->bases()) destroy(object, base.getType());
  is_late_ = was_late;
}

bool CodeWalk::is_running(const FunctionDecl& function) const {
  return frames_.size() > kDeepest || std::ranges::any_of(frames_, [&](const Frame& frame) {
           return frame.function == &function;
         });
}

void CodeWalk::refer(const VarDecl& reference, const Places& where) {
  refers_to_[same(reference)].add(where);
}

void CodeWalk::initialize(const Path& to, const Expr& first) {
  const Expr* plain = first.IgnoreParens();
  if (const auto* wrapped = wrapped_in(*plain)) return initialize(to, *wrapped);
  if (const auto* list = dyn_cast<clang::InitListExpr>(plain)) return initialize(to, *list);
  if (const auto* made = dyn_cast<clang::CXXConstructExpr>(plain)) return construct(to, *made);
  if (const auto* lambda = dyn_cast<clang::LambdaExpr>(plain)) return make_closure(to, *lambda);
  if (const auto* loop = dyn_cast<clang::ArrayInitLoopExpr>(plain)) {
    const Places from = place(*loop->getCommonExpr()->getSourceExpr());
    record(Use::kRead, from);
    const auto* element = plain->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (is_program() && element != nullptr && !element->isTriviallyCopyable()) record_any();
    return copy(to, from, true);
  }
  if (!plain->getType()->isRecordType()) {
    return store({{to}, false}, value(*plain), true);
  }
  if (plain->isGLValue()) return copy_from(to, place(*plain));
  if (const auto* cast = dyn_cast<clang::CastExpr>(plain)) {
    // C copies an object by reading it. A conversion is a call, or a base of a temporary.
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

void CodeWalk::copy_from(const Path& to, const Places& from) {
  record(Use::kRead, from);
  copy(to, from, true);
}

void CodeWalk::initialize(const Path& to, const clang::InitListExpr& any) {
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

void CodeWalk::initialize_field(const Path& object, const clang::FieldDecl& field,
                                const Expr& first) {
  const Path to = object.with(same(&field));
  if (field.getType()->isReferenceType()) return store({{to}, false}, place(first), true);
  initialize(to, first);
}

void CodeWalk::construct(const Path& to, const clang::CXXConstructExpr& made) {
  if (construct_vector(to, made)) return;
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

void CodeWalk::make_closure(const Path& to, const clang::LambdaExpr& lambda) {
  closure_self_[lambda.getLambdaClass()] = self_of(nullptr);
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!is_program() || !capture.capturesVariable() ||
        capture.getCaptureKind() != clang::LCK_ByCopy)
      continue;
    const auto* type = capture.getCapturedVar()->getType()->getAsCXXRecordDecl();
    const bool runs_code = type != nullptr && type->hasDefinition() &&
                           !type->isTriviallyCopyable() && !is_in_system_header(*type);
    if (runs_code) record_any();
  }
  own(to.root);
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (lambda.isInitCapture(&capture)) declare(*cast<VarDecl>(capture.getCapturedVar()));
  }
}

}  // namespace ompdm::edit
