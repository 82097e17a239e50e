#include "pointer_uses.h"

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// Finds the names of a variable in the statements of one side: the host's, or a region's.
class SideNames : public CodeVisitor {
 public:
  SideNames(const VarDecl& variable, bool on_device) : variable_(variable), device_(on_device) {}

  bool enters(const Stmt& statement) override {
    const auto* directive = dyn_cast<Directive>(&statement);
    if (directive == nullptr || device_) return true;
    if (is_asked_by(*directive)) in_clauses.push_back(directive);
    return !runs_on_device(*directive);
  }
  void visit(const Stmt& at) override {
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&at)) {
      if (is_it(*name->getDecl())) found.push_back(name);
      // Clang computes this expression of a clause before the directive.
      const auto* computed = dyn_cast<clang::OMPCapturedExprDecl>(name->getDecl());
      if (computed != nullptr) walk(computed->getInit());
    } else if (const auto* argument = dyn_cast<clang::CXXDefaultArgExpr>(&at)) {
      walk(argument->getExpr());
    } else if (const auto* lambda = dyn_cast<clang::LambdaExpr>(&at)) {
      for (const clang::LambdaCapture& capture : lambda->captures()) {
        const bool is_captured = capture.capturesVariable() && is_it(*capture.getCapturedVar());
        if (is_captured) captured.push_back(lambda);
      }
    }
  }

  std::vector<const clang::DeclRefExpr*> found;
  std::vector<const Stmt*> captured;
  std::vector<const Stmt*> in_clauses;

 private:
  [[nodiscard]] bool is_it(const clang::ValueDecl& named) const {
    return named.getCanonicalDecl() == variable_.getCanonicalDecl();
  }

  /// Whether a clause that transfers no data names the variable: num_threads(u[0]), reduction(+:
  /// u[0:n]).
  bool is_asked_by(const Directive& directive) const {
    return std::ranges::any_of(directive.clauses(), [&](const clang::OMPClause* clause) {
      const bool is_moved = isa<clang::OMPMapClause, clang::OMPToClause, clang::OMPFromClause,
                                clang::OMPUseDevicePtrClause, clang::OMPUseDeviceAddrClause,
                                clang::OMPIsDevicePtrClause, clang::OMPHasDeviceAddrClause,
                                clang::OMPDependClause, clang::OMPSharedClause>(clause);
      const bool is_of_region =
          runs_on_device(directive) &&
          isa<clang::OMPFirstprivateClause, clang::OMPPrivateClause, clang::OMPReductionClause>(
              clause);
      if (clause == nullptr || is_moved || is_of_region || clause->isImplicit()) return false;
      return std::ranges::any_of(
          clause->children(), [&](const Stmt* child) { return child != nullptr && is_in(*child); });
    });
  }

  bool is_in(const Stmt& code) const {
    SideNames inner(variable_, true);
    inner.walk(&code);
    return !inner.found.empty();
  }

  const VarDecl& variable_;
  bool device_;
};

}  // namespace

const VarDecl* base_variable(const Expr& expression) {
  const Expr* plain = expression.IgnoreParenCasts();
  if (isa<clang::DeclRefExpr>(plain)) return variable_of(plain);
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(plain)) {
    if (!binary->isAdditiveOp()) return nullptr;
    const bool is_left =
        binary->getLHS()->getType()->isPointerType() || binary->getLHS()->getType()->isArrayType();
    return base_variable(is_left ? *binary->getLHS() : *binary->getRHS());
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(plain)) {
    const auto* element =
        unary->getOpcode() == clang::UO_AddrOf
            ? dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens())
            : nullptr;
    return element == nullptr ? nullptr : base_variable(*element->getBase());
  }
  // A row of an array of arrays.
  const auto* row = dyn_cast<clang::ArraySubscriptExpr>(plain);
  return row != nullptr && row->getType()->isArrayType() ? base_variable(*row->getBase()) : nullptr;
}

const VarDecl* derived_from(const VarDecl& pointer) {
  const bool is_one = pointer.isLocalVarDecl() && !pointer.hasGlobalStorage() &&
                      pointer.getType()->isPointerType() && pointer.getInit() != nullptr;
  const VarDecl* base = is_one ? base_variable(*pointer.getInit()) : nullptr;
  const bool is_base = base != nullptr && base != &pointer &&
                       (base->getType()->isPointerType() || base->getType()->isArrayType());
  return is_base ? base->getCanonicalDecl() : nullptr;
}

bool is_declared_beside(const Program& program, const VarDecl& pointer, const Stmt& at) {
  return pointer.getInit() != nullptr &&
         region_around(program, *pointer.getInit()) == region_around(program, at);
}

bool stays_on_its_side(const Program& program, const VarDecl& pointer, const Stmt& code) {
  const bool is_beside = std::ranges::all_of(names_of(&code, pointer), [&](const Stmt* name) {
    return is_declared_beside(program, pointer, *name);
  });
  return is_beside && std::ranges::none_of(program.directives_in(code), [&](const auto* directive) {
           return lists<clang::OMPMapClause>(*directive, pointer, kWritten) ||
                  lists<clang::OMPToClause>(*directive, pointer) ||
                  lists<clang::OMPFromClause>(*directive, pointer);
         });
}

namespace {

class MentionFinder {
 public:
  MentionFinder(const Program& program, bool on_device) : program_(program), device_(on_device) {}

  std::vector<Mention> look(const Stmt& code, const VarDecl& variable) {
    SideNames names(variable, device_);
    names.walk(&code);
    std::vector<Mention> all;
    for (const Stmt* lambda : names.captured) {
      all.push_back({lambda, Use::kUnknown, "is captured by a lambda"});
    }
    for (const Stmt* directive : names.in_clauses) {
      all.push_back({directive, Use::kUnknown, "is named in a clause here"});
    }
    // The walk may visit a region's body more than once.
    std::set<const Stmt*> known;
    for (const clang::DeclRefExpr* name : names.found) {
      if (known.insert(name).second) add(mention(*name, variable), code, variable, all);
    }
    return all;
  }

 private:
  /// A use of a pointer to a part of the data is a use of the data.
  void add(Mention mention, const Stmt& code, const VarDecl& variable, std::vector<Mention>& all) {
    const auto* declared =
        mention.use == Use::kPointer ? dyn_cast<clang::DeclStmt>(mention.at) : nullptr;
    const auto* part = declared == nullptr || !declared->isSingleDecl()
                           ? nullptr
                           : dyn_cast<VarDecl>(declared->getSingleDecl());
    if (part != nullptr && derived_from(*part) == variable.getCanonicalDecl() &&
        stays_on_its_side(program_, *part, code)) {
      std::vector<Mention> uses = look(code, *part);
      const bool is_only_used = std::ranges::none_of(uses, [](const Mention& one) {
        return one.use == Use::kPointer || one.use == Use::kHanded || one.use == Use::kUnknown;
      });
      if (is_only_used) {
        all.insert(all.end(), uses.begin(), uses.end());
        return;
      }
    }
    all.push_back(std::move(mention));
  }

  Mention mention(const clang::DeclRefExpr& name, const VarDecl& variable) {
    const clang::QualType type = variable.getType();
    if (type->isPointerType() || type->isArrayType()) return of_pointer(name);
    if (type->isReferenceType()) return unknown(name, "is a reference");
    return of_element(name);
  }

  static Mention unknown(const Stmt& at, std::string why) {
    return {&at, Use::kUnknown, std::move(why)};
  }

  /// The use of an expression whose value points to the data.
  Mention of_pointer(const Expr& pointer) {
    const Stmt* parent = program_.parent_of(pointer);
    if (parent == nullptr) return unknown(pointer, "is used in a way that is not known");
    if (isa<clang::ParenExpr>(parent)) return of_pointer(*cast<Expr>(parent));
    if (const auto* cast = dyn_cast<clang::CastExpr>(parent)) {
      const bool is_test = cast->getCastKind() == clang::CK_PointerToBoolean;
      return is_test ? Mention{parent, Use::kNone, {}} : of_pointer(*cast);
    }
    if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(parent)) {
      const bool is_base = index->getBase()->IgnoreParenImpCasts() == pointer.IgnoreParenImpCasts();
      return is_base ? of_element(*index) : unknown(*parent, "is an index");
    }
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(parent))
      return of_unary(*unary, pointer);
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(parent)) {
      if (binary->isAssignmentOp()) return {parent, Use::kPointer, {}};
      if (binary->isComparisonOp() || binary->isLogicalOp()) return {parent, Use::kNone, {}};
      return binary->isAdditiveOp() ? of_pointer(*binary) : unknown(*parent, "is computed with");
    }
    if (isa<clang::DeclStmt>(parent)) return {parent, Use::kPointer, {}};
    if (isa<clang::UnaryExprOrTypeTraitExpr>(parent)) return {parent, Use::kNone, {}};
    if (const auto* call = dyn_cast<CallExpr>(parent)) return of_argument(*call, pointer);
    // In C, a test for null is the pointer itself.
    if (isa<clang::IfStmt, clang::WhileStmt, clang::DoStmt, clang::ForStmt>(parent)) {
      return {parent, Use::kNone, {}};
    }
    if (isa<clang::ReturnStmt>(parent)) return unknown(*parent, "is returned");
    if (isa<clang::CXXDeleteExpr>(parent)) return unknown(*parent, "is deleted");
    return unknown(*parent, "is used in a way that is not known");
  }

  Mention of_unary(const clang::UnaryOperator& unary, const Expr& pointer) {
    switch (unary.getOpcode()) {
      case clang::UO_Deref:
        return of_element(unary);
      case clang::UO_LNot:
        return {&unary, Use::kNone, {}};
      case clang::UO_AddrOf:
        // The address of an array is that of its elements.
        if (pointer.getType()->isArrayType()) return of_pointer(unary);
        return unknown(unary, "has its address taken");
      default:
        return {&unary, Use::kPointer, {}};
    }
  }

  /// The use of an expression that is a part of the data.
  Mention of_element(const Expr& element) {
    if (element.getType()->isArrayType()) return of_pointer(element);
    const Stmt* parent = program_.parent_of(element);
    if (parent == nullptr) return unknown(element, "is used in a way that is not known");
    if (const auto* cast = dyn_cast<clang::CastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) {
        const bool goes_on = cast->getType()->isPointerType();
        return goes_on ? unknown(*parent, "holds pointers") : Mention{parent, Use::kRead, {}};
      }
      return of_element(*cast);
    }
    if (isa<clang::ParenExpr, clang::MemberExpr>(parent)) {
      return of_element(*cast<Expr>(parent));
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(parent); binary != nullptr) {
      const bool is_set =
          binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == element.IgnoreParens();
      if (is_set)
        return {parent, binary->isCompoundAssignmentOp() ? Use::kChange : Use::kWrite, {}};
      if (binary->getOpcode() == clang::BO_Comma) return {parent, Use::kRead, {}};
    }
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(parent)) {
      if (unary->isIncrementDecrementOp()) return {parent, Use::kChange, {}};
      if (unary->getOpcode() == clang::UO_AddrOf) return of_pointer(*unary);
    }
    if (isa<clang::UnaryExprOrTypeTraitExpr>(parent)) return {parent, Use::kNone, {}};
    return unknown(*parent, "is used in a way that is not known");
  }

  Mention of_argument(const CallExpr& call, const Expr& pointer) {
    const FunctionDecl* called = call.getDirectCallee();
    if (called == nullptr) return unknown(call, "is handed to a function by pointer");
    const std::string name = called->getQualifiedNameAsString();
    if (name == "std::swap") return {&call, Use::kPointer, {}};
    const Use known = known_use(name, call, pointer);
    if (known != Use::kUnknown) return {&call, known, {}};
    const FunctionDecl* defined = seen_callee_of(&call);
    if (defined == nullptr) {
      return unknown(call, fmt::format("is handed to {}(), whose body is not seen", name));
    }
    return of_callee(call, *defined, pointer);
  }

  /// Uses by functions of the C library that are clear by name and position.
  static Use known_use(llvm::StringRef name, const CallExpr& call, const Expr& pointer) {
    name.consume_front("std::");
    const auto is_argument = [&](unsigned number) {
      return call.getNumArgs() > number &&
             call.getArg(number)->IgnoreParenCasts() == pointer.IgnoreParenCasts();
    };
    if (name == "memcpy" || name == "memmove") {
      return is_argument(0) ? Use::kWrite : is_argument(1) ? Use::kRead : Use::kUnknown;
    }
    if (name == "memset") return Use::kWrite;
    if (name == "fwrite") return Use::kRead;
    if (name == "printf") {
      const clang::QualType data =
          pointer.getType()->getPointeeOrArrayElementType()->getCanonicalTypeUnqualified();
      return data->isAnyCharacterType() ? Use::kRead : Use::kNone;  // %p prints the pointer itself
    }
    return Use::kUnknown;
  }

  Mention of_callee(const CallExpr& call, const FunctionDecl& called, const Expr& pointer) {
    constexpr std::size_t kDeepest = 16;
    const std::string name = called.getQualifiedNameAsString();
    if (depth_ >= kDeepest || !within_.insert(&called).second) {
      return unknown(call, fmt::format("is handed to {}(), which calls itself", name));
    }
    const bool is_own_scope = !device_ && offloads(*called.getBody());
    ++depth_;
    Mention whole{&call, is_own_scope ? Use::kHanded : Use::kNone, {}};
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      if (!program_.is_within(pointer, *call.getArg(i))) continue;
      if (i >= called.getNumParams()) {
        whole = unknown(call, fmt::format("is handed to {}() in its variable arguments", name));
        break;
      }
      const clang::ParmVarDecl& parameter = *called.getParamDecl(i);
      if (parameter.getType()->isReferenceType()) {
        whole = unknown(call, fmt::format("is handed to {}() by reference", name));
        break;
      }
      if (is_own_scope) {
        whole.handed_to.push_back(&parameter);
        continue;
      }
      for (const Mention& one : look(*called.getBody(), parameter)) {
        whole.use = both(whole.use, one.use == Use::kPointer ? Use::kUnknown : one.use);
        if (one.use == Use::kPointer)
          whole.why = fmt::format("is set again, or gets another name, in {}()", name);
        if (one.use == Use::kUnknown) whole.why = fmt::format("{} in {}()", one.why, name);
      }
    }
    --depth_;
    within_.erase(&called);
    return whole;
  }

  const Program& program_;
  bool device_;
  std::size_t depth_ = 0;
  std::set<const FunctionDecl*> within_;
};

}  // namespace

Use both(Use one, Use other) {
  if (one == Use::kUnknown || other == Use::kUnknown) return Use::kUnknown;
  if (one == Use::kNone) return other;
  if (other == Use::kNone || one == other) return one;
  return Use::kChange;
}

std::vector<Mention> mentions_on_host(const Program& program, const Stmt& code,
                                      const VarDecl& variable) {
  return MentionFinder(program, false).look(code, variable);
}

std::vector<Mention> mentions_on_device(const Program& program, const Stmt& code,
                                        const VarDecl& variable) {
  return MentionFinder(program, true).look(code, variable);
}

}  // namespace ompdm::edit
