#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data_names.h"
#include "formats.h"
#include "known_functions.h"
#include "names.h"
#include "walk.h"

namespace ompdm::edit {

Places CodeWalk::run_call(const CallExpr& call, const Path& result) {
  const FunctionDecl* called = call.getDirectCallee();
  std::vector<const Expr*> arguments(call.arg_begin(), call.arg_end());
  Places self;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
  if (const auto* of_object = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const auto* member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
    if (member == nullptr || method == nullptr) {
      of_unknown_shape(call);
      if (is_program()) record_any();
      return {{}, true};
    }
    self = member->isArrow() ? value(*member->getBase()) : place_of_any(*member->getBase());
    if (method->isVirtual() && !member->hasQualifier()) {
      called = const_cast<clang::CXXMethodDecl*>(method)->getDevirtualizedMethod(
          of_object->getImplicitObjectArgument(), false);
      if (called == nullptr && is_program()) {
        const auto any = program_->overriders(*method);
        if (!any.empty()) return call_any(any, arguments, self, result, call);
      }
      if (called == nullptr) return call_unseen(*method, arguments, self, result, call);
    }
  } else if (isa<clang::CXXOperatorCallExpr>(call) && method != nullptr && !method->isStatic()) {
    const bool is_assignment =
        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) &&
        method->isTrivial();
    if (is_assignment) return assign_object(*call.getArg(0), *call.getArg(1));
    self = place_of_any(*call.getArg(0));
    arguments.erase(arguments.begin());
  }
  if (called == nullptr) {
    discard(*call.getCallee());
    if (is_program()) {
      // The pointer may lead to a lambda, or may have been set elsewhere.
      if (program_->has_lambda_pointers()) record_any();
      const clang::QualType type = call.getCallee()->getType();
      const auto any =
          program_->pointed_to(type->isAnyPointerType() ? type->getPointeeType() : type);
      if (!any.empty() && program_->is_whole()) {
        return call_any(any, arguments, self, result, call);
      }
    }
    for (const Expr* one : arguments) hand_over(*one, "is handed to a function by pointer");
    if (is_program()) record_any();
    record_declared("may be used by a function that is called by pointer");
    return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
  }
  return call_function(*called, arguments, self, result, call);
}

bool CodeWalk::may_be_replaced(const FunctionDecl& called) {
  return std::ranges::any_of(called.redecls(), [](const FunctionDecl* one) {
    return one->hasAttr<clang::WeakAttr>() || one->hasAttr<clang::OMPDeclareVariantAttr>();
  });
}

Places CodeWalk::call_function(const FunctionDecl& called,
                               const std::vector<const Expr*>& arguments, const Places& self,
                               const Path& result, const Expr& call) {
  if (const auto* method = dyn_cast<clang::CXXMethodDecl>(&called)) {
    auto places = call_of_vector(*method, arguments, self, result, call);
    if (!places) places = call_of_plain(*method, arguments, self, result, call);
    if (places) return *places;
  } else if (swaps_objects(called, arguments)) {
    return {};
  }
  const FunctionDecl* own = is_program() ? program_->definition_of(called) : nullptr;
  const bool is_own = own != nullptr && !is_of_system(own);
  const KnownFunction* known = is_own ? nullptr : known_function(called);
  if (is_program()) check_steering(called);
  // The deleter of a shared pointer is called when the last owner ends.
  const auto* maker = dyn_cast<clang::CXXConstructorDecl>(&called);
  if (is_program() && maker != nullptr && arguments.size() > 1 &&
      maker->getParent()->getName() == "shared_ptr") {
    const bool was_late = std::exchange(is_late_, true);
    record_any();
    is_late_ = was_late;
  }
  const std::size_t format = known == nullptr ? arguments.size() : known->arguments.find('*');
  const bool writes = format < arguments.size() && may_write_arguments(*arguments[format]);
  if (known != nullptr && !writes) return call_known(*known, arguments, call);
  const FunctionDecl* defined = body_of(called);
  if (defined == nullptr) {
    // A member that the compiler makes calls members of the program's own code.
    return call_unseen(called, arguments, self, result, call);
  }
  if (is_running(*defined) && is_program()) return call_again(*defined, arguments, self);
  if (is_running(*defined)) {
    const std::string why =
        fmt::format("is handed to {}(), which calls itself", called.getQualifiedNameAsString());
    for (const Expr* one : arguments) hand_over(*one, why);
    escape(self, why);
    return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
  }
  return call_seen(*defined, arguments, self, result, &call);
}

Places CodeWalk::call_again(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                            const Places& self) {
  const auto running = std::ranges::find(frames_, &function, &Frame::function);
  if (running == frames_.end()) {
    lose("its functions call each other too deeply");
    return {{}, true};
  }
  const auto change = [&] {
    for (auto frame = running; frame != frames_.end(); ++frame) frame->is_changed = true;
  };
  if (recursive_.insert(&function).second) change();
  const std::size_t known = running->self.paths.size();
  running->self.add(self);
  if (running->self.paths.size() != known) change();
  const Places returned = running->returned;
  for (std::size_t i = 0; i < arguments.size() && i < function.getNumParams(); ++i) {
    const clang::ParmVarDecl& parameter = *function.getParamDecl(static_cast<unsigned>(i));
    const Path place{parameter.getCanonicalDecl(), {}};
    if (parameter.getType()->isReferenceType()) {
      Places& refers = refers_to_[parameter.getCanonicalDecl()];
      const std::size_t before = refers.paths.size();
      refers.add(place_of_any(*arguments[i]));
      if (refers.paths.size() != before) change();
    } else if (parameter.getType()->isRecordType()) {
      copy(place, temporary(*arguments[i]), false);
    } else {
      store({{place}, false}, value(*arguments[i]), false);
    }
  }
  return returned;
}

const FunctionDecl* CodeWalk::body_of(const FunctionDecl& called) const {
  const FunctionDecl* defined = nullptr;
  if (is_program()) {
    defined = program_->definition_of(called);
  } else {
    called.hasBody(defined);
  }
  if (defined == nullptr || defined->isDependentContext() || may_be_replaced(called))
    return nullptr;
  if (!is_program() || !is_of_system(defined)) return defined;
  // Only some functions of a library are followed, and only to a certain depth.
  constexpr std::ptrdiff_t kDeepestOfSystem = 12;
  const auto first_own = std::find_if(frames_.rbegin(), frames_.rend(), [](const Frame& frame) {
    return !is_of_system(frame.function);
  });
  const bool is_near = first_own - frames_.rbegin() < kDeepestOfSystem;
  return is_near && is_worth_walking(*defined) ? defined : nullptr;
}

Places CodeWalk::call_any(const std::vector<const FunctionDecl*>& functions,
                          const std::vector<const Expr*>& arguments, const Places& self,
                          const Path& result, const Expr& call) {
  Places all;
  for (const FunctionDecl* function : functions) {
    maybe([&] { all.add(call_function(*function, arguments, self, result, call)); });
  }
  return all;
}

void CodeWalk::run_handed(const Expr& argument) {
  if (!is_program()) return;
  const Expr* bare = argument.IgnoreUnlessSpelledInSource();
  if (const auto* address = dyn_cast<clang::UnaryOperator>(bare)) {
    if (address->getOpcode() == clang::UO_AddrOf) {
      bare = address->getSubExpr()->IgnoreUnlessSpelledInSource();
    }
  }
  const Expr& plain = *bare;
  const FunctionDecl* function = nullptr;
  if (const auto* lambda = dyn_cast<clang::LambdaExpr>(&plain)) {
    function = lambda->getCallOperator();
  } else if (const auto* name = dyn_cast<clang::DeclRefExpr>(&plain)) {
    function = dyn_cast<FunctionDecl>(name->getDecl());
    const clang::CXXRecordDecl* type = name->getType()->getAsCXXRecordDecl();
    if (type != nullptr && type->isLambda()) function = type->getLambdaCallOperator();
  }
  if (function == nullptr) {
    // The library may call a pointer to a function, or members of an object of the program.
    const clang::QualType type = plain.getType().getNonReferenceType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    const bool is_called = record != nullptr && record->hasDefinition() &&
                           std::ranges::any_of(record->methods(), [](const auto* method) {
                             return method->getOverloadedOperator() == clang::OO_Call;
                           });
    const bool is_own = record != nullptr && !is_in_system_header(*record) &&
                        record->hasDefinition() && (is_called || !record->isTrivial());
    if (type->isFunctionPointerType() || type->isMemberPointerType() || is_own) record_any();
    return;
  }
  const FunctionDecl* defined = body_of(*function);
  if (defined == nullptr || is_of_system(defined) || is_running(*defined)) {
    if (!is_of_system(function)) record_any();
    return;
  }
  // The function may be kept, and called later.
  const std::size_t before = trail_.accesses.size();
  const bool was_late = std::exchange(is_late_, true);
  maybe([&] {
    add_step(Step::Kind::kLoop, &argument);
    forget(defined);
    frames_.push_back({defined, {}, {}, {}, false, &argument});
    for (const clang::ParmVarDecl* parameter : defined->parameters()) {
      own(same(*parameter));
      lost_.insert({same(*parameter), {}});
    }
    walked_.insert(defined);
    repeat([&] { run(defined->getBody()); });
    frames_.pop_back();
    add_step(Step::Kind::kLoopEnd, &argument);
  });
  is_late_ = was_late;
  // Code that is not seen knows the data that the function uses.
  for (std::size_t i = before; i < trail_.accesses.size(); ++i) {
    const Path& used = trail_.accesses[i].path;
    const auto owner = owner_.find(used.root);
    const bool is_local = owner != owner_.end() && owner->second == defined;
    if (!used.root.isNull() && !is_local) trail_.escaped.insert(used);
  }
}

void CodeWalk::begin_label(const clang::LabelStmt& label) {
  const FunctionDecl* function = frames_.back().function;
  if (!is_program() || function == nullptr) return;
  const auto [known, is_new] = jumps_back_.try_emplace(&label, false);
  if (is_new) {
    each_statement(function->getBody(), [&](const Stmt& one) {
      const auto* jump = dyn_cast<clang::GotoStmt>(&one);
      const bool is_back = jump != nullptr && jump->getLabel() == label.getDecl() &&
                           label.getBeginLoc() < jump->getGotoLoc();
      known->second = known->second || is_back || isa<clang::IndirectGotoStmt>(one);
    });
  }
  if (!known->second) return;
  add_step(Step::Kind::kLoop, &label);
  ++frames_.back().labels;
}

void CodeWalk::end_labels() {
  for (; frames_.back().labels > 0; --frames_.back().labels) {
    add_step(Step::Kind::kLoopEnd, at_);
  }
}

void CodeWalk::check_steering(const FunctionDecl& called) {
  const std::string name = called.getNameAsString();
  const bool is_renamed = std::ranges::any_of(called.redecls(), [](const FunctionDecl* one) {
    return one->hasAttr<clang::AliasAttr>() ||
           (one->hasAttr<clang::AsmLabelAttr>() && !is_of_system(one));
  });
  static const std::set<std::string> kOfOtherCode = {
      "sigaction", "timer_create", "pthread_key_create", "mmap", "setvbuf", "setbuf", "dlsym"};
  if (is_renamed) lose("names of the linker's are given");
  if (kOfOtherCode.contains(name)) lose("code or memory of other origin is used");
  if (name == "setjmp" || name == "_setjmp" || name == "sigsetjmp" || name == "__sigsetjmp") {
    lose("it jumps by longjmp()");
  } else if (name == "omp_set_default_device") {
    add_step(Step::Kind::kDevice, at_);
  }
}

Places CodeWalk::call_seen(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                           const Places& self, Path result, const Expr* call) {
  // Arguments belong to the caller, parameters to the function.
  std::vector<std::pair<const clang::ParmVarDecl*, Places>> given;
  std::vector<std::pair<Path, const clang::ParmVarDecl*>> objects;
  std::vector<Path> moved;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Expr& argument = *arguments[i];
    const std::size_t before = trail_.accesses.size();
    const std::size_t unseen = unseen_;
    const std::size_t shifts = shifts_;
    if (i >= function.getNumParams()) {
      hand_over(argument, fmt::format("is handed to {}() in its variable arguments",
                                      function.getQualifiedNameAsString()));
      continue;
    }
    const clang::ParmVarDecl* parameter = function.getParamDecl(static_cast<unsigned>(i));
    if (parameter->getType()->isReferenceType()) {
      given.emplace_back(parameter, place_of_any(argument));
    } else if (parameter->getType()->isRecordType()) {
      const Places from = temporary(argument);
      objects.emplace_back(*from.paths.begin(), parameter);
    } else {
      given.emplace_back(parameter, value(argument));
      const Path own{parameter->getCanonicalDecl(), {}};
      note_origin(own, before, unseen);
      const bool is_pointer = parameter->getType()->isAnyPointerType();
      if (is_program() && is_pointer && shifts_ != shifts) moved.push_back(own);
    }
  }
  forget(&function);
  const std::uint32_t caller = call_;
  if (is_program()) {
    call_ = static_cast<std::uint32_t>(trail_.callers.size());
    trail_.callers.push_back(caller);
    trail_.calls.push_back(call);
    trail_.called.push_back(function.getCanonicalDecl());
    for (std::size_t i = 0; i < arguments.size() && i < function.getNumParams(); ++i) {
      const clang::ParmVarDecl& parameter = *function.getParamDecl(static_cast<unsigned>(i));
      clang::Expr::EvalResult number;
      const bool is_number = arguments[i]->getType()->isIntegerType() &&
                             !arguments[i]->isValueDependent() &&
                             arguments[i]->EvaluateAsInt(number, function.getASTContext());
      if (is_number) {
        trail_.numbers[{call_, parameter.getCanonicalDecl()}] = number.Val.getInt().getExtValue();
      }
      std::optional<Path> name = path_by_name(*arguments[i]);
      if (name) trail_.arguments[{call_, parameter.getCanonicalDecl()}] = std::move(*name);
    }
  }
  frames_.push_back({&function, self, {}, std::move(result), false, call});
  walked_.insert(&function);
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    own(parameter->getCanonicalDecl());
    run_sizes(parameter->getOriginalType());
    if (!parameter->getType()->isReferenceType()) {
      add_storage(Step::Kind::kMade, {{{parameter->getCanonicalDecl(), {}}}, false});
    }
  }
  for (const auto& [parameter, places] : given) {
    if (parameter->getType()->isReferenceType()) {
      refer(*parameter, places);
    } else {
      store({{Path{parameter->getCanonicalDecl(), {}}}, false}, places, true);
    }
  }
  for (const Path& one : moved) record(Use::kChange, {{one}, false});
  for (const auto& [from, parameter] : objects) {
    copy({parameter->getCanonicalDecl(), {}}, {{from}, false}, true);
  }
  repeat([&] {
    if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
      for (const clang::CXXCtorInitializer* one : constructor->inits()) begin(*one);
    }
    const bool is_recursive = recursive_.contains(&function);
    if (is_recursive) add_step(Step::Kind::kLoop, function.getBody());
    run(function.getBody());
    end_labels();
    if (is_recursive) add_step(Step::Kind::kLoopEnd, function.getBody());
  });
  const Places returned = frames_.back().returned;
  frames_.pop_back();
  call_ = caller;
  return returned;
}

void CodeWalk::begin(const clang::CXXCtorInitializer& one) {
  if (one.getInit() == nullptr) return;
  const Places self = frames_.back().self;
  for (const Path& object : self.paths) {
    const clang::FieldDecl* field = one.getAnyMember();
    if (field == nullptr) {
      initialize(object, *one.getInit());
    } else {
      initialize_field(object, *field, *one.getInit());
    }
  }
}

Places CodeWalk::call_known(const KnownFunction& known, const std::vector<const Expr*>& arguments,
                            const Expr& call) {
  if (known.result == KnownFunction::Result::kPlace) return place_of_any(*arguments.at(0));
  Places first;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Places pointees = pointees_or_place(*arguments[i]);
    if (i == 0) first = pointees;
    const bool is_rest = known.arguments.ends_with("*") && i + 1 >= known.arguments.size();
    const char does = is_rest ? '*' : i < known.arguments.size() ? known.arguments[i] : '.';
    const bool is_text = arguments[i]->IgnoreParenImpCasts()->getType()->isAnyPointerType() ||
                         arguments[i]->IgnoreParenImpCasts()->getType()->isArrayType();
    // Data that is cast to characters may hold pointers.
    const clang::QualType data = arguments[i]
                                     ->IgnoreParenCasts()
                                     ->getType()
                                     ->getPointeeOrArrayElementType()
                                     ->getCanonicalTypeUnqualified();
    if (does == 'r' || does == 'x' || (does == '*' && is_text && data->isAnyCharacterType())) {
      record(Use::kRead, pointees);
    }
    if (does == 'w' || does == 'x') {
      record(Use::kWrite, pointees);
      // The written data may hold pointers.
      const bool is_plain = is_program() && !data->isVoidType() && !holds_pointers(data);
      for (const Path& path : pointees.paths) {
        if (!is_plain && lost_.insert(path).second) mark_changed(path.root);
      }
    } else if (does == 'm') {
      store(pointees, fresh(call), false);
      record(Use::kWrite, pointees);
    } else if (does == 'f') {
      // realloc() copies the content to the new memory.
      if (known.result == KnownFunction::Result::kFresh) record(Use::kRead, pointees);
      if (is_program()) {
        add_storage(Step::Kind::kGone, pointees);
      } else {
        escape(pointees, "is freed");
      }
    }
  }
  if (known.result == KnownFunction::Result::kFirst) return first;
  if (known.result != KnownFunction::Result::kFresh)
    return {{}, call.getType()->isAnyPointerType()};
  const Places made = fresh(call);
  // Pointers in moved memory lead to the same data.
  if (known.arguments.starts_with("f")) {
    for (const Path& path : made.paths) copy(path, first, false);
  }
  return made;
}

Places CodeWalk::call_unseen(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                             const Places& self, const Path& result, const Expr& call) {
  ++unseen_;
  const std::string name = called.getQualifiedNameAsString();
  const std::string why = fmt::format("is handed to {}(), whose body is not seen", name);
  const auto* method = dyn_cast<clang::CXXMethodDecl>(&called);
  const bool is_forgetful = is_program() && forgets_arguments(called) && !may_use_kept_data(called);
  const bool did_know = std::exchange(is_forgotten_, is_forgetful);
  Places handed = self;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const clang::ParmVarDecl* parameter =
        i < called.getNumParams() ? called.getParamDecl(static_cast<unsigned>(i)) : nullptr;
    clang::QualType target = parameter == nullptr ? clang::QualType() : parameter->getType();
    target = target.isNull() ? target : target->getPointeeType();
    // A kernel may call a function of another source, of which only the type is seen.
    const bool is_believed = is_program() || is_of_system(&called);
    const bool is_reading = is_believed && !target.isNull() && target.isConstQualified();
    if (is_reading) {
      const Expr& argument = *arguments[i];
      const Places where =
          parameter->getType()->isReferenceType() ? place_of_any(argument) : value(argument);
      read_by_unseen(where, target, why);
      handed.add(where);
    } else {
      handed.add(hand_over(*arguments[i], why));
    }
    run_handed(*arguments[i]);
  }
  if (method != nullptr && method->isConst()) {
    record(Use::kRead, self);
    escape(self, why, Access::Reach::kBelow);
  } else {
    escape(self, why);
  }
  is_forgotten_ = did_know;
  const bool is_of_program = !is_of_system(&called);
  if (is_of_program && !is_program()) {
    record_declared(fmt::format("may be used by {}(), whose body is not seen", name));
  } else if (is_program() && !is_forgetful) {
    // A program with missing code is not whole.
    trail_.is_whole = false;
    if (may_be_replaced(called)) record_any();
    for (const auto& [at, pointees] : leads_to_) {
      const auto* variable = dyn_cast_or_null<const VarDecl*>(at.root);
      const bool is_known = variable != nullptr && variable->isExternallyVisible();
      if (is_known) trail_.escaped.insert(pointees.paths.begin(), pointees.paths.end());
    }
    add({{},
         Use::kUnknown,
         Access::Reach::kEscaped,
         false,
         at_,
         fmt::format("may be used by {}(), whose body is not seen", name)});
  }
  const bool is_pointer = call.getType()->isAnyPointerType();
  // A container of pointers may return a pointer that was put into it.
  const auto* kept = method == nullptr
                         ? nullptr
                         : dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent());
  if (is_program() && is_pointer && kept != nullptr) return {{}, true};
  if (!is_forgetful) {
    if (!result.root.isNull() && lost_.insert(result).second) mark_changed(result.root);
    return {{}, is_pointer || call.isGLValue()};
  }
  // The result may lead to an argument's data, or to data of the library.
  if (!result.root.isNull() && holds_pointers(call.getType())) {
    trail_.escaped.insert(handed.paths.begin(), handed.paths.end());
    if (lost_.insert(result).second) mark_changed(result.root);
  }
  if (is_pointer) handed.add(fresh(call));
  return is_pointer || call.isGLValue() ? handed : Places();
}

void CodeWalk::read_by_unseen(const Places& where, clang::QualType data, const std::string& why) {
  record(Use::kRead, where);
  if (data->isVoidType()) return;
  if (holds_pointers(data)) escape(where, why, Access::Reach::kBelow);
}

Places CodeWalk::hand_over(const Expr& argument, const std::string& why) {
  Places handed;
  if (argument.isGLValue()) {
    handed = place(argument);
  } else if (argument.getType()->isRecordType()) {
    handed = temporary(argument);
    if (!holds_pointers(argument.getType())) return handed;
  } else {
    handed = value(argument);
  }
  escape(handed, why);
  return handed;
}

void CodeWalk::record_declared(const std::string& why) {
  if (is_program()) return add({{}, Use::kUnknown, Access::Reach::kEscaped, false, at_, why});
  found_.all.push_back({{}, Use::kUnknown, Access::Reach::kDeclared, false, at_, why});
}

}  // namespace ompdm::edit
