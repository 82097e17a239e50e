#include "pointer_uses.h"

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "derived.h"
#include "offloading.h"
#include "side_names.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

using clang::dyn_cast;
using clang::isa;

class Looker {
 public:
  Looker(const Program& program, bool on_device) : program_(program), device_(on_device) {}

  std::vector<Mention> look(const clang::Stmt& code, const clang::VarDecl& variable) {
    SideNames names(variable, device_);
    names.TraverseStmt(const_cast<clang::Stmt*>(&code));
    std::vector<Mention> all;
    for (const clang::Stmt* lambda : names.captured) {
      all.push_back({lambda, Use::kUnknown, "is captured by a lambda"});
    }
    for (const clang::Stmt* directive : names.in_clauses) {
      all.push_back({directive, Use::kUnknown, "is named in a clause here"});
    }
    // A region's body is visited by several ways.
    std::set<const clang::Stmt*> known;
    for (const clang::DeclRefExpr* name : names.found) {
      if (known.insert(name).second) add(mention(*name, variable), code, variable, all);
    }
    return all;
  }

 private:
  /// What a pointer to a part of the data is used for is a use of the data.
  void add(Mention mention, const clang::Stmt& code, const clang::VarDecl& variable,
           std::vector<Mention>& all) {
    const auto* declared =
        mention.use == Use::kPointer ? dyn_cast<clang::DeclStmt>(mention.at) : nullptr;
    const auto* part = declared == nullptr || !declared->isSingleDecl()
                           ? nullptr
                           : dyn_cast<clang::VarDecl>(declared->getSingleDecl());
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

  Mention mention(const clang::DeclRefExpr& name, const clang::VarDecl& variable) {
    const clang::QualType type = variable.getType();
    if (type->isPointerType() || type->isArrayType()) return of_pointer(name);
    if (type->isReferenceType()) return unknown(name, "is a reference");
    return of_element(name);
  }

  static Mention unknown(const clang::Stmt& at, std::string why) {
    return {&at, Use::kUnknown, std::move(why)};
  }

  /// Of an expression whose value points to the data.
  Mention of_pointer(const clang::Expr& pointer) {
    const clang::Stmt* parent = program_.parent_of(pointer);
    if (parent == nullptr) return unknown(pointer, "is used in a way that is not known");
    if (isa<clang::ParenExpr>(parent)) return of_pointer(*clang::cast<clang::Expr>(parent));
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
    if (const auto* call = dyn_cast<clang::CallExpr>(parent)) return of_argument(*call, pointer);
    // In C a test for null is the pointer itself.
    if (isa<clang::IfStmt, clang::WhileStmt, clang::DoStmt, clang::ForStmt>(parent)) {
      return {parent, Use::kNone, {}};
    }
    if (isa<clang::ReturnStmt>(parent)) return unknown(*parent, "is returned");
    if (isa<clang::CXXDeleteExpr>(parent)) return unknown(*parent, "is deleted");
    return unknown(*parent, "is used in a way that is not known");
  }

  Mention of_unary(const clang::UnaryOperator& unary, const clang::Expr& pointer) {
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

  /// Of an expression that is a part of the data.
  Mention of_element(const clang::Expr& element) {
    if (element.getType()->isArrayType()) return of_pointer(element);
    const clang::Stmt* parent = program_.parent_of(element);
    if (parent == nullptr) return unknown(element, "is used in a way that is not known");
    if (const auto* cast = dyn_cast<clang::CastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) {
        const bool goes_on = cast->getType()->isPointerType();
        return goes_on ? unknown(*parent, "holds pointers") : Mention{parent, Use::kRead, {}};
      }
      return of_element(*cast);
    }
    if (isa<clang::ParenExpr, clang::MemberExpr>(parent)) {
      return of_element(*clang::cast<clang::Expr>(parent));
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(parent); binary != nullptr) {
      const bool is_set = binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == &element;
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

  Mention of_argument(const clang::CallExpr& call, const clang::Expr& pointer) {
    const clang::FunctionDecl* called = call.getDirectCallee();
    if (called == nullptr) return unknown(call, "is handed to a function by pointer");
    const std::string name = called->getQualifiedNameAsString();
    if (name == "std::swap") return {&call, Use::kPointer, {}};
    const Use known = known_use(name, call, pointer);
    if (known != Use::kUnknown) return {&call, known, {}};
    const clang::FunctionDecl* defined = nullptr;
    if (!called->hasBody(defined)) {
      return unknown(call, fmt::format("is handed to {}(), whose body is not seen", name));
    }
    return of_callee(call, *defined, pointer);
  }

  /// Of the C library, what is clear: by name and position.
  static Use known_use(const std::string& name, const clang::CallExpr& call,
                       const clang::Expr& pointer) {
    const auto is_argument = [&](unsigned number) {
      return call.getNumArgs() > number &&
             call.getArg(number)->IgnoreParenCasts() == pointer.IgnoreParenCasts();
    };
    if (name == "memcpy" || name == "memmove" || name == "std::memcpy" || name == "std::memmove") {
      return is_argument(0) ? Use::kWrite : is_argument(1) ? Use::kRead : Use::kUnknown;
    }
    if (name == "memset" || name == "std::memset") return Use::kWrite;
    if (name == "fwrite" || name == "std::fwrite") return Use::kRead;
    if (name == "printf" || name == "std::printf") {
      const clang::QualType data =
          pointer.getType()->getPointeeOrArrayElementType()->getCanonicalTypeUnqualified();
      return data->isAnyCharacterType() ? Use::kRead : Use::kNone;  // else the pointer's value
    }
    return Use::kUnknown;
  }

  Mention of_callee(const clang::CallExpr& call, const clang::FunctionDecl& called,
                    const clang::Expr& pointer) {
    constexpr std::size_t kDeepest = 16;
    const std::string name = called.getQualifiedNameAsString();
    if (depth_ >= kDeepest || !within_.insert(&called).second) {
      return unknown(call, fmt::format("is handed to {}(), which calls itself", name));
    }
    const bool is_own_scope = !device_ && offloads(*called.getBody());
    ++depth_;
    Mention whole{&call, is_own_scope ? Use::kHanded : Use::kNone, {}};
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      if (!holds(*call.getArg(i), pointer)) continue;
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
          whole.why = fmt::format("is set anew, or gets another name, in {}()", name);
        if (one.use == Use::kUnknown) whole.why = fmt::format("{} in {}()", one.why, name);
      }
    }
    --depth_;
    within_.erase(&called);
    return whole;
  }

  bool holds(const clang::Expr& argument, const clang::Expr& pointer) const {
    return program_.is_within(pointer, argument);
  }

  const Program& program_;
  bool device_;
  std::size_t depth_ = 0;
  std::set<const clang::FunctionDecl*> within_;
};

}  // namespace

Use both(Use one, Use other) {
  if (one == Use::kUnknown || other == Use::kUnknown) return Use::kUnknown;
  if (one == Use::kNone) return other;
  if (other == Use::kNone || one == other) return one;
  return Use::kChange;
}

std::vector<Mention> mentions_on_host(const Program& program, const clang::Stmt& code,
                                      const clang::VarDecl& variable) {
  return Looker(program, false).look(code, variable);
}

std::vector<Mention> mentions_on_device(const Program& program, const clang::Stmt& code,
                                        const clang::VarDecl& variable) {
  return Looker(program, true).look(code, variable);
}

}  // namespace ompdm::edit
