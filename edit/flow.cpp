#include "flow.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "known_functions.h"
#include "messages.h"
#include "source_text.h"
#include "whole_program.h"

namespace ompdm::edit {
namespace {

bool jumps(const Stmt& statement) {
  return isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement);
}

}  // namespace

bool decides(const Stmt& statement, const Stmt* part) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) return part != branch->getCond();
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&statement)) {
    return part != choice->getCond();
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    return binary->isLogicalOp() && part == binary->getRHS();
  }
  if (body_of_loop(statement) == part) return !isa<clang::DoStmt>(statement);
  return isa<clang::SwitchStmt, clang::LambdaExpr, clang::CXXCatchStmt>(statement);
}

bool is_certain(const Program& program, const Stmt& inner, const Stmt& outer) {
  const Stmt* child = &inner;
  while (child != &outer) {
    const Stmt* at = program.parent_of(*child);
    if (at == nullptr || (at != &outer && decides(*at, child))) return false;
    child = at;
  }
  // No jump before `inner` may skip it.
  const clang::SourceManager& sources = program.context().getSourceManager();
  return std::ranges::none_of(all_in<Stmt>(&outer), [&](const Stmt* at) {
    return jumps(*at) && sources.isBeforeInTranslationUnit(at->getBeginLoc(), inner.getBeginLoc());
  });
}

bool has_choice(const Expr& expression) {
  return !all_in<clang::ConditionalOperator>(&expression).empty();
}

namespace {

class UnseenCalls : public CodeVisitor {
 public:
  bool enters(const Stmt& at) override { return found == nullptr && !is_region(at); }
  void visit(const Stmt& at) override {
    const auto* call = dyn_cast<CallExpr>(&at);
    const FunctionDecl* called = callee_of(call);
    if (call == nullptr) return;
    if (is_of_system(called)) {
      if (called != nullptr && may_use_kept_data(*called)) found = call;
      return;
    }
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(called);
    const FunctionDecl* defined =
        method != nullptr && method->isVirtual() ? nullptr : seen_callee_of(call);
    if (defined == nullptr) found = call;
    follow(defined);
  }

  const CallExpr* found = nullptr;
};

}  // namespace

const CallExpr* unseen_call_in(const Stmt& code) {
  UnseenCalls calls;
  calls.walk(&code);
  return calls.found;
}

namespace {

/// Finds the statements that leave a loop and skip the code behind it.
class Exits : public CodeVisitor {
 public:
  bool enters(const Stmt& at) override {
    if (way_out != nullptr || isa<clang::LambdaExpr>(at)) return false;
    if (has_own_end(at)) ++depth_;
    return true;
  }
  void leaves(const Stmt& at) override {
    if (has_own_end(at)) --depth_;
  }
  void visit(const Stmt& at) override {
    why = why_of(at);
    if (!why.empty()) way_out = &at;
  }

  const Stmt* way_out = nullptr;
  std::string why;

 private:
  /// Whether `break` and `continue` refer to this statement: a loop or a switch.
  static bool has_own_end(const Stmt& at) {
    return body_of_loop(at) != nullptr || isa<clang::SwitchStmt>(at);
  }

  [[nodiscard]] std::string why_of(const Stmt& at) const {
    if (isa<clang::BreakStmt>(at) && depth_ == 0) return "leaves the block by break";
    if (isa<clang::ContinueStmt>(at) && depth_ == 0) return "leaves the block by continue";
    if (isa<clang::LabelStmt>(at)) return "may be jumped to";
    if (isa<clang::SwitchCase>(at) && depth_ == 0) return "may be jumped to";
    if (isa<clang::ReturnStmt>(at)) return "leaves it by return";
    if (isa<clang::GotoStmt, clang::IndirectGotoStmt>(at)) return "holds a goto";
    if (isa<clang::CXXThrowExpr>(at)) return "may leave it by throw";
    return isa<clang::CoreturnStmt>(at) ? "is of a coroutine" : "";
  }

  int depth_ = 0;
};

/// Finds calls that may leave the calling code.
class OtherExits : public CodeVisitor {
 public:
  /// `whole`: the program whose bodies are followed. Null: only bodies in the code's own source.
  explicit OtherExits(const WholeProgram* whole = nullptr) : whole_(whole) {}

  void visit(const Stmt& at) override {
    if (isa<clang::CXXThrowExpr>(at)) thrown = &at;
    if (may_throw_unseen(at)) may_throw = &at;
    const FunctionDecl* called = callee_of(&at);
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(&at)) {
      const clang::CXXConstructorDecl* constructor = made->getConstructor();
      const FunctionDecl* defined = nullptr;
      if (constructor->hasBody(defined) && !is_in_system_header(*defined)) follow(defined);
    }
    if (called == nullptr) return;
    const std::string name = called->getNameAsString();
    // The handler of a signal may be the program's own.
    static const std::set<std::string> kRaises = {"raise",    "kill",  "pthread_kill",
                                                  "sigqueue", "alarm", "setitimer"};
    if (name.ends_with("longjmp") || kRaises.contains(name)) thrown = &at;
    if (name == "omp_target_is_present" || name == "omp_get_mapped_ptr") asked = &at;
    if (name == "pthread_create" || name == "thrd_create") threaded = &at;
    if (name == "omp_set_default_device") moved = &at;
    if (name == "exit" || name == "quick_exit") ended = &at;
    const FunctionDecl* defined =
        whole_ != nullptr ? whole_->definition_of(*called) : seen_callee_of(&at);
    if (defined != nullptr && !is_in_system_header(*defined)) follow(defined);
    is_unseen = is_unseen || (defined == nullptr && !is_of_system(called));
  }

  bool is_unseen = false;          ///< some called functions have bodies that are not seen
  const Stmt* asked = nullptr;     ///< it asks whether data is present
  const Stmt* threaded = nullptr;  ///< it starts a thread
  const Stmt* thrown = nullptr;
  const Stmt* may_throw = nullptr;  ///< it calls code that is not seen and may throw
  const Stmt* ended = nullptr;
  const Stmt* moved = nullptr;

 private:
  const WholeProgram* whole_;

  /// Whether a call runs C++ code that is not followed, and that is not `noexcept`.
  static bool may_throw_unseen(const Stmt& at) {
    if (const auto* cast = dyn_cast<clang::CXXDynamicCastExpr>(&at)) {
      return cast->getType()->isRecordType();
    }
    const FunctionDecl* called = callee_of(&at);
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(&at)) called = made->getConstructor();
    if (called == nullptr) {
      const auto* call = dyn_cast<CallExpr>(&at);
      return call != nullptr && !isa<clang::CXXPseudoDestructorExpr>(call->getCallee());
    }
    const auto* type = called->getType()->getAs<clang::FunctionProtoType>();
    const bool promises = (type != nullptr && type->isNothrow()) || called->isExternC() ||
                          called->isTrivial() || called->getBuiltinID() != 0;
    if (promises) return false;
    const auto* method = dyn_cast<clang::CXXMethodDecl>(called);
    const bool is_virtual = method != nullptr && method->isVirtual();
    return is_virtual || !called->hasBody() || is_in_system_header(*called);
  }
};

/// Whether code of the program catches exceptions.
bool catches(const Program& program) {
  const auto all = all_in<clang::CXXTryStmt>(program.context().getTranslationUnitDecl());
  return std::ranges::any_of(all, [&](const clang::CXXTryStmt* one) {
    return !program.context().getSourceManager().isInSystemHeader(one->getBeginLoc());
  });
}

}  // namespace

namespace {

/// Whether the end of a variable runs code of the program.
bool ends_late(const VarDecl& variable) {
  if (is_in_system_header(variable)) return false;
  if (variable.hasAttr<clang::CleanupAttr>()) return true;
  const clang::CXXRecordDecl* type =
      variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return variable.hasGlobalStorage() && type != nullptr && type->hasDefinition() &&
         !type->hasTrivialDestructor() && !is_in_system_header(*type);
}

/// Whether a scope has a variable whose end runs code, or a function that runs before or after
/// `main`. Inner namespaces belong to the scope.
bool has_late_declaration(const clang::DeclContext& in) {
  return std::ranges::any_of(in.decls(), [](const clang::Decl* one) {
    if (isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(one)) {
      return has_late_declaration(*cast<clang::DeclContext>(one));
    }
    if (const auto* variable = dyn_cast<VarDecl>(one)) return ends_late(*variable);
    const bool runs =
        one->hasAttr<clang::DestructorAttr>() || one->hasAttr<clang::ConstructorAttr>();
    return runs && isa<FunctionDecl>(one) && !is_in_system_header(*one);
  });
}

}  // namespace

bool has_late_code(const Program& unit) {
  const clang::TranslationUnitDecl* all = unit.context().getTranslationUnitDecl();
  if (has_late_declaration(*all)) return true;
  const bool is_asked = std::ranges::any_of(all_in<CallExpr>(all), [](const CallExpr* call) {
    const FunctionDecl* called = call->getDirectCallee();
    const std::string name = called == nullptr ? "" : called->getNameInfo().getAsString();
    return name == "atexit" || name == "at_quick_exit" || name == "on_exit";
  });
  return is_asked ||
         std::ranges::any_of(all_in<clang::DeclStmt>(all), [](const clang::DeclStmt* declared) {
           return std::ranges::any_of(declared->decls(), [](const clang::Decl* one) {
             const auto* variable = dyn_cast<VarDecl>(one);
             return variable != nullptr && ends_late(*variable);
           });
         });
}

void expect_no_other_way_out(const Program& program, const Stmt& loop, bool is_global) {
  OtherExits exits;
  exits.walk(&loop);
  if (exits.thrown != nullptr) program.refuse(*exits.thrown, "this may leave it by a jump");
  if (exits.may_throw != nullptr && catches(program)) {
    program.refuse(*exits.may_throw, "this may leave it by an exception that is caught");
  }
  if (exits.moved != nullptr) program.refuse(*exits.moved, "this chooses another device");
  if (exits.asked != nullptr) program.refuse(*exits.asked, "this asks for data on the device");
  if (exits.threaded != nullptr) program.refuse(*exits.threaded, "this starts a thread");
  if (exits.ended != nullptr && (is_global || has_late_code(program))) {
    program.refuse(*exits.ended, "this ends the program, and code that runs then may read it");
  }
}

void expect_no_other_way_out(const Program& program, const Stmt& code,
                             const std::function<const WholeProgram&()>& whole) {
  OtherExits own;
  own.walk(&code);
  if (own.may_throw == nullptr && own.ended == nullptr && !own.is_unseen) return;
  const WholeProgram& all = whole();
  OtherExits exits(&all);
  exits.walk(&code);
  // The found statement may be in another source, so the refusal names the code.
  const auto refuse = [&](const Stmt* at, const char* why) {
    if (at != nullptr) program.refuse(code, "{}", why);
  };
  const Stmt* throws = exits.may_throw != nullptr ? exits.may_throw : exits.thrown;
  const bool is_caught =
      std::ranges::any_of(all.units(), [](const Program* unit) { return catches(*unit); });
  if (is_caught)
    refuse(throws, "a function called here may leave it by an exception that is caught");
  refuse(exits.asked, "a function called here asks for data on the device");
  refuse(exits.threaded, "a function called here starts a thread");
  if (all.has_late_code()) {
    refuse(exits.ended,
           "a function called here ends the program, and code that runs then may read it");
  }
}

void expect_end_is_reached(const Program& program, const Stmt& statement) {
  Exits exits;
  exits.walk(&statement);
  if (exits.way_out != nullptr) program.refuse(*exits.way_out, "this statement {}", exits.why);
}

}  // namespace ompdm::edit
