#include "scopes.h"

#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include "answer.h"
#include "hidden_code.h"
#include "offloading.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

/// What the host calls in code, not further.
class Calls : public HiddenCode<Calls> {
 public:
  bool dataTraverseStmtPre(clang::Stmt* statement) {
    const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement);
    return directive == nullptr || !runs_on_device(*directive);
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    all.insert(call);
    return true;
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* argument) {
    return TraverseStmt(argument->getExpr());
  }

  std::set<const clang::CallExpr*> all;
};

/// Whether it hands a function to another, which may call it.
bool hands_function(const clang::CallExpr& call) {
  for (const clang::Expr* argument : call.arguments()) {
    const clang::QualType type = argument->IgnoreParenImpCasts()->getType();
    const auto* record = type->getAsCXXRecordDecl();
    if (type->isFunctionType() || type->isFunctionPointerType() ||
        (record != nullptr && record->isLambda())) {
      return true;
    }
  }
  return false;
}

class Scopes {
 public:
  Scopes(const Program& program, const clang::Stmt& loop) : program_(program), loop_(loop) {}

  void add(const clang::Stmt& code, const clang::VarDecl& data,
           const clang::FunctionDecl* function) {
    if (!known_.emplace(function, &data).second) return;
    std::vector<Mention> mentions = mentions_on_host(program_, code, data);
    // Every function may use what is global.
    if (data.hasGlobalStorage()) add_calls(code, data, mentions);
    for (const Mention& one : mentions) {
      if (function != nullptr && one.use == Use::kPointer) {
        refuse(*one.at,
               fmt::format("{} is set anew, or gets another name, in {}(), which the loop calls",
                           data.getNameAsString(), function->getNameAsString()));
      }
      for (const clang::ParmVarDecl* parameter : one.handed_to) {
        const auto* callee = llvm::cast<clang::FunctionDecl>(parameter->getDeclContext());
        add(*callee->getBody(), *parameter, callee);
      }
    }
    all.push_back({&code, &data, function, std::move(mentions)});
  }

  std::vector<Scope> all;

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void add_calls(const clang::Stmt& code, const clang::VarDecl& data,
                 std::vector<Mention>& mentions) {
    Calls calls;
    calls.TraverseStmt(const_cast<clang::Stmt*>(&code));
    expect_nothing_hidden(calls, data);
    for (const clang::CallExpr* call : calls.all) {
      const clang::FunctionDecl* called = body_of(*call, data);
      if (called == nullptr) continue;
      if (offloads(*called->getBody())) {
        add(*called->getBody(), data, called);
      } else {
        std::set<const clang::FunctionDecl*> known;
        mentions.push_back({call, use_in(*called, data, known), {}, {}});
      }
    }
  }

  /// Null of what the system has.
  const clang::FunctionDecl* body_of(const clang::CallExpr& call,
                                     const clang::VarDecl& data) const {
    const std::string name = data.getNameAsString();
    const clang::FunctionDecl* called = call.getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
    if (called == nullptr || (method != nullptr && method->isVirtual()) || hands_function(call)) {
      refuse(call, fmt::format("what is called by pointer may use {}, which is global", name));
    }
    if (called->hasBody(defined)) return defined;
    const clang::SourceManager& sources = program_.context().getSourceManager();
    const bool is_system =
        called->getBuiltinID() != 0 || sources.isInSystemHeader(called->getLocation());
    if (!is_system) {
      refuse(call, fmt::format("{}(), whose body is not seen, may use {}, which is global",
                               called->getNameAsString(), name));
    }
    return nullptr;
  }

  /// Of a function without regions, and of those that it calls.
  Use use_in(const clang::FunctionDecl& function, const clang::VarDecl& data,
             std::set<const clang::FunctionDecl*>& known) {
    Use use = Use::kNone;
    if (!known.insert(&function).second) return use;
    for (const Mention& one : mentions_on_host(program_, *function.getBody(), data)) {
      if (one.use == Use::kUnknown || one.use == Use::kPointer) {
        refuse(*one.at, fmt::format("{} {}", data.getNameAsString(),
                                    one.why.empty() ? "is set here" : one.why));
      }
      use = both(use, one.use);
    }
    Calls calls;
    calls.TraverseStmt(function.getBody());
    expect_nothing_hidden(calls, data);
    for (const clang::CallExpr* call : calls.all) {
      const clang::FunctionDecl* called = body_of(*call, data);
      if (called != nullptr) use = both(use, use_in(*called, data, known));
    }
    return use;
  }

  void expect_nothing_hidden(const Calls& calls, const clang::VarDecl& data) const {
    if (calls.hidden == nullptr) return;
    refuse(*calls.hidden, fmt::format("what runs here without a call may use {}, which is global",
                                      data.getNameAsString()));
  }

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<std::pair<const clang::FunctionDecl*, const clang::VarDecl*>> known_;
};

/// Every place of the translation unit that names a function.
class References : public WrittenCode<References> {
 public:
  explicit References(const clang::FunctionDecl& function) : function_(function) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getCanonicalDecl() == function_.getCanonicalDecl()) all.insert(name);
    return true;
  }
  std::set<const clang::DeclRefExpr*> all;

 private:
  const clang::FunctionDecl& function_;
};

class Callers {
 public:
  Callers(const Program& program, const clang::Stmt& loop) : program_(program), loop_(loop) {}

  void expect(const clang::FunctionDecl& function) {
    if (!known_.insert(&function).second) return;
    const std::string name = function.getNameAsString();
    if (!program_.is_called_here_alone(function)) {
      refuse(*function.getBody(),
             fmt::format("{}() would have to be changed, which other files may call: it is not "
                         "static, or stands in a header",
                         name));
    }
    References references(function);
    references.TraverseDecl(program_.context().getTranslationUnitDecl());
    for (const clang::DeclRefExpr* one : references.all) {
      const clang::Stmt* parent = program_.parent_of(*one);
      const auto* decays = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
      const clang::Stmt* call = decays == nullptr ? nullptr : program_.parent_of(*decays);
      const bool is_call = llvm::isa_and_nonnull<clang::CallExpr>(call) &&
                           llvm::cast<clang::CallExpr>(call)->getCallee() == decays;
      if (!is_call) refuse(*one, fmt::format("{}() is not only called here", name));
      if (is_on_device(*one)) refuse(*one, fmt::format("{}() is called on the device, too", name));
      if (program_.is_within(*one, loop_)) continue;
      const clang::FunctionDecl* caller = program_.function_of(*one);
      if (caller == nullptr || caller == program_.function_of(loop_)) {
        refuse(*one, fmt::format("{}() is called outside of the loop, too", name));
      }
      expect(*caller);
    }
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  [[nodiscard]] bool is_on_device(const clang::Stmt& statement) const {
    for (const clang::Stmt* at = &statement; at != nullptr; at = program_.parent_of(*at)) {
      const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(at);
      if (directive != nullptr && runs_on_device(*directive)) return true;
    }
    return false;
  }

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

std::vector<Scope> scopes_of(const Program& program, const clang::Stmt& loop,
                             const clang::VarDecl& data) {
  Scopes scopes(program, loop);
  scopes.add(loop, data, nullptr);
  return std::move(scopes.all);
}

void expect_called_here_alone(const Program& program, const clang::Stmt& loop,
                              const clang::FunctionDecl& function) {
  Callers(program, loop).expect(function);
}

}  // namespace ompdm::edit
