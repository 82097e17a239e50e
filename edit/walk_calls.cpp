#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "walk.h"

namespace ompdm::edit {

Places Walk::run_call(const CallExpr& call, const Path& result) {
  const FunctionDecl* called = call.getDirectCallee();
  std::vector<const Expr*> arguments(call.arg_begin(), call.arg_end());
  Places self;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
  if (const auto* of_object = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const auto* member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
    if (member == nullptr || method == nullptr) {
      of_unknown_shape(call);
      return {{}, true};
    }
    self = member->isArrow() ? value(*member->getBase()) : place_of_any(*member->getBase());
    if (method->isVirtual() && !member->hasQualifier()) {
      called = const_cast<clang::CXXMethodDecl*>(method)->getDevirtualizedMethod(
          of_object->getImplicitObjectArgument(), false);
      if (called == nullptr) return call_unseen(*method, arguments, self, call);
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
    for (const Expr* one : arguments) hand_over(*one, "is handed to a function by pointer");
    record_declared("may be used by a function that is called by pointer");
    return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
  }
  return call_function(*called, arguments, self, result, call);
}

bool Walk::may_be_replaced(const FunctionDecl& called) {
  return std::ranges::any_of(called.redecls(), [](const FunctionDecl* one) {
    return one->hasAttr<clang::WeakAttr>() || one->hasAttr<clang::OMPDeclareVariantAttr>();
  });
}

Places Walk::call_function(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                           const Places& self, const Path& result, const Expr& call) {
  if (const KnownFunction* known = known_function(called)) {
    return call_known(*known, arguments, call);
  }
  const FunctionDecl* defined = nullptr;
  if (!called.hasBody(defined) || defined->isDependentContext() || may_be_replaced(called)) {
    // A member that the compiler makes does to members what the program's own code says.
    return call_unseen(called, arguments, self, call);
  }
  if (is_running(*defined)) {
    const std::string why =
        fmt::format("is handed to {}(), which calls itself", called.getQualifiedNameAsString());
    for (const Expr* one : arguments) hand_over(*one, why);
    escape(self, why);
    return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
  }
  return call_seen(*defined, arguments, self, result);
}

Places Walk::call_seen(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                       const Places& self, Path result) {
  // Arguments are the caller's, parameters the function's.
  std::vector<std::pair<const clang::ParmVarDecl*, Places>> given;
  std::vector<std::pair<Path, const clang::ParmVarDecl*>> objects;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Expr& argument = *arguments[i];
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
    }
  }
  forget(&function);
  frames_.push_back({&function, self, {}, std::move(result), false});
  for (const clang::ParmVarDecl* parameter : function.parameters())
    own(parameter->getCanonicalDecl());
  for (const auto& [parameter, places] : given) {
    if (parameter->getType()->isReferenceType()) {
      refer(*parameter, places);
    } else {
      store({{Path{parameter->getCanonicalDecl(), {}}}, false}, places, true);
    }
  }
  for (const auto& [from, parameter] : objects) {
    copy({parameter->getCanonicalDecl(), {}}, {{from}, false}, true);
  }
  repeat([&] {
    if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
      for (const clang::CXXCtorInitializer* one : constructor->inits()) begin(*one);
    }
    run(function.getBody());
  });
  const Places returned = frames_.back().returned;
  frames_.pop_back();
  return returned;
}

void Walk::begin(const clang::CXXCtorInitializer& one) {
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

Places Walk::call_known(const KnownFunction& known, const std::vector<const Expr*>& arguments,
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
    const clang::QualType data = arguments[i]
                                     ->IgnoreParenImpCasts()
                                     ->getType()
                                     ->getPointeeOrArrayElementType()
                                     ->getCanonicalTypeUnqualified();
    if (does == 'r' || (does == '*' && is_text && data->isAnyCharacterType())) {
      record(Use::kRead, pointees);
    } else if (does == 'w') {
      record(Use::kWrite, pointees);
      // Pointers may be among what is written.
      for (const Path& path : pointees.paths) {
        if (lost_.insert(path).second) mark_changed(path.root);
      }
    }
  }
  if (known.result == KnownFunction::Result::kFirst) return first;
  if (known.result != KnownFunction::Result::kFresh) return {{}, call.getType()->isAnyPointerType()};
  const Path path{&call, {}};
  own(path.root);
  return {{path}, false};
}

Places Walk::call_unseen(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                         const Places& self, const Expr& call) {
  const std::string why =
      fmt::format("is handed to {}(), whose body is not seen", called.getQualifiedNameAsString());
  const auto* method = dyn_cast<clang::CXXMethodDecl>(&called);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const clang::ParmVarDecl* parameter =
        i < called.getNumParams() ? called.getParamDecl(static_cast<unsigned>(i)) : nullptr;
    clang::QualType target = parameter == nullptr ? clang::QualType() : parameter->getType();
    target = target.isNull() ? target : target->getPointeeType();
    const bool is_reading = !target.isNull() && target.isConstQualified();
    if (is_reading) {
      const Expr& argument = *arguments[i];
      const Places where =
          parameter->getType()->isReferenceType() ? place_of_any(argument) : value(argument);
      read_by_unseen(where, argument, why);
    } else {
      hand_over(*arguments[i], why);
    }
  }
  if (method != nullptr && method->isConst()) {
    record(Use::kRead, self);
    escape(self, why, Access::Reach::kBelow);
  } else {
    escape(self, why);
  }
  if (!is_of_system(&called)) {
    record_declared(fmt::format("may be used by {}(), whose body is not seen",
                                called.getQualifiedNameAsString()));
  }
  return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
}

void Walk::read_by_unseen(const Places& where, const Expr& argument, const std::string& why) {
  record(Use::kRead, where);
  const clang::QualType type = argument.IgnoreParenImpCasts()->getType();
  const clang::QualType data = type->isAnyPointerType() ? type->getPointeeType() : type;
  if (data->isVoidType()) return;
  if (holds_pointers(data)) escape(where, why, Access::Reach::kBelow);
}

void Walk::hand_over(const Expr& argument, const std::string& why) {
  if (argument.isGLValue()) return escape(place(argument), why);
  if (argument.getType()->isRecordType()) {
    const Places object = temporary(argument);
    if (holds_pointers(argument.getType())) escape(object, why);
    return;
  }
  escape(value(argument), why);
}

void Walk::record_declared(const std::string& why) {
  found_.all.push_back({{}, Use::kUnknown, Access::Reach::kDeclared, false, at_, why});
}

}  // namespace ompdm::edit
