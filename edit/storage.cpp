#include "storage.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>

#include "flow.h"
#include "known_functions.h"
#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

/// Finds initial values of variables outside of functions that name a variable.
class GlobalValues : public CodeVisitor {
 public:
  explicit GlobalValues(const VarDecl& variable) : variable_(variable) {}
  [[nodiscard]] bool has_clauses() const override { return true; }
  bool enters_declared(const clang::Decl& one) override {
    return one.getKind() != clang::Decl::Function && one.getKind() != clang::Decl::CXXMethod;
  }
  void visit(const Stmt& at) override { found = found || is_name_of(at, variable_); }
  bool found = false;

 private:
  const VarDecl& variable_;
};

/// Whether an object's name is only used to read or set the value of a member.
bool is_of_member(const Program& program, const Expr& name) {
  const Stmt* member = program.parent_of(name);
  if (!isa_and_nonnull<clang::MemberExpr>(member)) return false;
  const Stmt* user = program.parent_of(*member);
  const auto* cast = dyn_cast_or_null<clang::CastExpr>(user);
  const auto* set = dyn_cast_or_null<clang::BinaryOperator>(user);
  return (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) ||
         (set != nullptr && set->isAssignmentOp() && set->getLHS() == member);
}

}  // namespace

bool is_never_pointed_to(const Program& program, const VarDecl& object) {
  const clang::RecordDecl* record = object.getType()->getAsRecordDecl();
  const FunctionDecl* function = function_of(object);
  if (record == nullptr || !object.hasLocalStorage() || function == nullptr || !function->hasBody())
    return false;
  const bool leads_on = std::ranges::any_of(record->fields(), [](const clang::FieldDecl* field) {
    return !field->getType()->isArithmeticType() && !field->getType()->isEnumeralType();
  });
  return !leads_on &&
         std::ranges::all_of(names_of(function->getBody(), object),
                             [&](const auto* name) { return is_of_member(program, *name); });
}

bool is_allocation(const Expr* value) {
  if (value == nullptr) return true;  // no value yet
  value = value->IgnoreParenCasts();
  if (isa<clang::CXXNewExpr, clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr,
          clang::IntegerLiteral>(value)) {
    return true;
  }
  const FunctionDecl* called = callee_of(value);
  if (called == nullptr) return false;
  static const std::set<std::string> kAllocators = {
      "malloc",     "calloc",      "realloc",     "aligned_alloc", "memalign",
      "valloc",     "std::malloc", "std::calloc", "std::realloc",  "std::aligned_alloc",
      "_mm_malloc", "omp_alloc",   "mmap"};
  return kAllocators.contains(called->getQualifiedNameAsString());
}

std::vector<const Expr*> values_of(const VarDecl& variable, const Stmt& code) {
  std::vector<const Expr*> values;
  each_statement(&code, [&](const Stmt& at) {
    if (const auto* declared = dyn_cast<clang::DeclStmt>(&at)) {
      const bool is_here = llvm::is_contained(declared->decls(), &variable);
      if (is_here && variable.getInit() != nullptr) values.push_back(variable.getInit());
    }
    const auto* set = dyn_cast<clang::BinaryOperator>(&at);
    if (set == nullptr || !set->isAssignmentOp()) return;
    const auto* name = dyn_cast<clang::DeclRefExpr>(set->getLHS()->IgnoreParens());
    if (name != nullptr && name->getDecl() == &variable) values.push_back(set->getRHS());
  });
  return values;
}

std::vector<const FunctionDecl*> OwnStorage::functions_of(const VarDecl& variable) const {
  if (variable.hasGlobalStorage()) return program_.functions();
  const FunctionDecl* function = function_of(variable);
  if (function == nullptr || !function->hasBody()) return {};
  return {function};
}

bool OwnStorage::is_private(const VarDecl& variable) const {
  if (isa<clang::ParmVarDecl>(variable)) return false;
  const bool is_array = variable.getType()->isArrayType();
  if (!is_array && !variable.getType()->isPointerType()) return false;
  if (!is_array && !is_allocation(variable.getInit())) return false;
  if (variable.hasGlobalStorage()) {
    GlobalValues values(variable);
    values.walk(program_.context().getTranslationUnitDecl());
    if (values.found) return false;
  }
  if (names_part(variable)) return false;
  const auto functions = functions_of(variable);
  return !functions.empty() && std::ranges::none_of(functions, [&](const FunctionDecl* function) {
    return escapes(*function->getBody(), variable, 0);
  });
}

bool OwnStorage::names_part(const VarDecl& variable) const {
  return std::ranges::any_of(all_in<clang::DeclRefExpr>(&loop_), [&](const auto* name) {
    const VarDecl* part = variable_of(name);
    const bool is_before = part != nullptr && part->getInit() != nullptr &&
                           !program_.is_within(*part->getInit(), loop_);
    while (is_before && part != nullptr) {
      part = derived_from(*part);
      if (part == variable.getCanonicalDecl()) return true;
    }
    return false;
  });
}

bool OwnStorage::is_known_elsewhere(const VarDecl& variable) const {
  const auto* parameter = dyn_cast<clang::ParmVarDecl>(&variable);
  if (parameter == nullptr) {
    OwnStorage strict = *this;
    strict.trusts_unseen_ = false;
    return !strict.is_private(variable);
  }
  const auto* function = dyn_cast<FunctionDecl>(variable.getDeclContext());
  if (function == nullptr || !program_.is_called_here_alone(*function)) return true;
  const auto calls = program_.calls_of(*function);
  return calls.empty() || std::ranges::any_of(calls, [&](const CallExpr* call) {
           const VarDecl* handed = variable_of(argument_for(*call, *parameter));
           const bool is_again = handed != nullptr && handed->getDeclContext() == function;
           return handed == nullptr || is_again || is_known_elsewhere(*handed);
         });
}

bool OwnStorage::escapes(const Stmt& code, const VarDecl& variable, int depth) const {
  const auto all = mentions_on_host(program_, code, variable);
  return std::ranges::any_of(all,
                             [&](const Mention& one) { return escapes_by(one, variable, depth); });
}

bool OwnStorage::escapes_by(const Mention& one, const VarDecl& variable, int depth) const {
  constexpr int kDeepest = 8;
  if (one.use == Use::kHanded) {
    return depth > kDeepest ||
           std::ranges::any_of(one.handed_to, [&](const clang::ParmVarDecl* parameter) {
             const auto* callee = cast<FunctionDecl>(parameter->getDeclContext());
             return escapes(*callee->getBody(), *parameter, depth + 1);
           });
  }
  if (one.use == Use::kPointer) {
    const Assignment made = assignment_of(*one.at);
    if (made.to == &variable) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(one.at);
      const bool is_own = binary == nullptr || is_allocation(binary->getRHS());
      const bool is_exchange = data_.contains(&variable) && data_.contains(made.from);
      return !is_own && !is_exchange;
    }
    if (made.to == nullptr && isa<CallExpr>(one.at)) return false;  // std::swap
    // A part of an exchange, with a temporary variable in the loop.
    const bool is_exchange =
        made.to != nullptr && (program_.is_within(*one.at, loop_) ||
                               (data_.contains(made.to) && data_.contains(&variable)));
    return !is_exchange;
  }
  if (one.use != Use::kUnknown) return false;
  if (isa<clang::ReturnStmt>(one.at)) {
    return variable.hasGlobalStorage() || depth > 0 || program_.is_within(*one.at, loop_);
  }
  if (isa<clang::CXXDeleteExpr>(one.at)) return false;
  if (!isa<CallExpr>(one.at)) return !is_filled_by(*one.at);
  const FunctionDecl* called = callee_of(one.at);
  if (!trusts_unseen_) {
    return !is_of_system(called) || (called != nullptr && may_use_kept_data(*called));
  }
  return called != nullptr && called->hasBody() && !is_of_system(called);
}

/// posix_memalign(&u, ...)
bool OwnStorage::is_filled_by(const Stmt& address) const {
  const Stmt* at = &address;
  while (at != nullptr && isa<clang::CastExpr, clang::ParenExpr, clang::UnaryOperator>(at)) {
    at = program_.parent_of(*at);
  }
  const FunctionDecl* called = callee_of(at);
  return called != nullptr && called->getNameAsString() == "posix_memalign";
}

namespace {

using Variable = const VarDecl*;

class Exchange {
 public:
  Exchange(const Program& program, const Stmt& loop, const std::vector<Variable>& variables)
      : program_(program), loop_(loop), variables_(variables.begin(), variables.end()) {}

  void add(const Stmt& at) {
    if (const auto* call = dyn_cast<CallExpr>(&at)) return add_swap(*call);
    const Assignment made = assignment_of(at);
    if (made.to == nullptr || made.from == nullptr) {
      program_.refuse(at, "a pointer to the data is set here");
    }
    const auto* block = dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(at));
    if (block == nullptr) program_.refuse(at, "a pointer to the data is set here in a branch");
    blocks_.insert(block);
  }

  std::vector<Variable> result() {
    for (const clang::CompoundStmt* block : blocks_) add_block(*block);
    return {exchanged_.begin(), exchanged_.end()};
  }

 private:
  void add_swap(const CallExpr& call) {
    for (const Expr* argument : call.arguments()) {
      const Variable variable = variable_of(argument);
      if (!variables_.contains(variable)) {
        program_.refuse(call, "a pointer to the data is exchanged here with one of other data");
      }
      exchanged_.insert(variable);
    }
  }

  /// Evaluates assignments in a row: the value of each variable at the end.
  void add_block(const clang::CompoundStmt& block) {
    std::map<Variable, Variable> has;
    const auto value = [&](Variable of) { return has.contains(of) ? has.at(of) : of; };
    const Stmt* last = nullptr;
    bool is_over = false;
    for (const Stmt* statement : block.body()) {
      const Assignment made = assignment_of(*statement);
      const bool is_part = made.to != nullptr && made.from != nullptr &&
                           (variables_.contains(made.to) || variables_.contains(value(made.from)));
      if (!is_part) {
        is_over = last != nullptr;
        continue;
      }
      if (is_over) {
        program_.refuse(*statement, "pointers to the data are set here and elsewhere in the loop");
      }
      last = statement;
      has[made.to] = value(made.from);
      if (!variables_.contains(made.to)) expect_temporary(*made.to, block);
    }
    if (last == nullptr) return;
    std::set<Variable> values;
    for (const auto& [variable, holds] : has) {
      if (!variables_.contains(variable)) continue;
      const bool is_one_of_them = variables_.contains(holds) && values.insert(holds).second;
      if (!is_one_of_them || !has.contains(holds)) {
        program_.refuse(*last, "{} points to other data from here on", variable->getNameAsString());
      }
      exchanged_.insert(variable);
    }
  }

  /// Throws Refusal where the temporary variable of an exchange is used elsewhere in the loop.
  void expect_temporary(const VarDecl& variable, const clang::CompoundStmt& block) const {
    for (const Mention& mention : mentions_on_host(program_, loop_, variable)) {
      const bool is_here =
          mention.use == Use::kPointer && program_.parent_of(*mention.at) == &block;
      if (!is_here) {
        program_.refuse(*mention.at, "{} is another name of the data", variable.getNameAsString());
      }
    }
  }

  const Program& program_;
  const Stmt& loop_;
  std::set<Variable> variables_;
  std::set<Variable> exchanged_;
  std::set<const clang::CompoundStmt*> blocks_;
};

}  // namespace

Assignment assignment_of(const Stmt& statement) {
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->getOpcode() == clang::BO_Assign) {
      return {variable_of(binary->getLHS()), variable_of(binary->getRHS())};
    }
  }
  if (const auto* declared = dyn_cast<clang::DeclStmt>(&statement)) {
    if (declared->isSingleDecl()) {
      const auto* variable = dyn_cast<VarDecl>(declared->getSingleDecl());
      if (variable != nullptr) return {variable, variable_of(variable->getInit())};
    }
  }
  return {};
}

std::set<const VarDecl*> partners_of(const Program& program, const Stmt& loop,
                                     const VarDecl& variable) {
  std::set<Variable> all;
  std::vector<Variable> open = {&variable};
  // Also by way of a temporary variable.
  while (!open.empty()) {
    const Variable one = open.back();
    open.pop_back();
    for (const Mention& mention : mentions_on_host(program, loop, *one)) {
      if (mention.use != Use::kPointer) continue;
      std::vector<Variable> others;
      if (const auto* call = dyn_cast<CallExpr>(mention.at)) {
        for (const Expr* argument : call->arguments()) others.push_back(variable_of(argument));
      } else {
        const Assignment made = assignment_of(*mention.at);
        others = {made.to, made.from};
      }
      for (const Variable other : others) {
        if (other != nullptr && other != &variable && all.insert(other).second) {
          open.push_back(other);
        }
      }
    }
  }
  return all;
}

std::vector<const VarDecl*> exchanged(const Program& program, const Stmt& loop,
                                      const std::vector<const VarDecl*>& variables,
                                      const std::vector<Mention>& set) {
  Exchange exchange(program, loop, variables);
  for (const Mention& mention : set) exchange.add(*mention.at);
  return exchange.result();
}

namespace {

class Memory {
 public:
  Memory(const Program& program, const Stmt& code) : program_(program), code_(code) {}

  [[nodiscard]] bool is_called(const FunctionDecl& function) {
    if (!open_.insert(&function).second) return false;
    const auto calls = program_.calls_of(function);
    const bool found = std::ranges::any_of(calls, [&](const CallExpr* call) {
      if (program_.is_within(*call, code_)) return is_certain(program_, *call, code_);
      const FunctionDecl* caller = program_.function_of(*call);
      return caller != nullptr && caller != program_.function_of(code_) && caller->hasBody() &&
             is_certain(program_, *call, *caller->getBody()) && is_called(*caller);
    });
    open_.erase(&function);
    return found;
  }

  [[nodiscard]] bool is_mapped(const Scope& scope) {
    const bool is_reached = scope.function == nullptr || is_called(*scope.function);
    return is_reached &&
           std::ranges::any_of(program_.directives_in(*scope.code), [&](const auto* directive) {
             return maps(*directive, *scope.data) && program_.is_within(*directive, *scope.code) &&
                    is_certain(program_, *directive, *scope.code);
           });
  }

  /// Whether the data is an array, or a pointer that is set to memory of one size before the code.
  [[nodiscard]] bool is_allocated(const VarDecl& data) const {
    if (data.getType()->isArrayType()) return !isa<clang::ParmVarDecl>(data);
    const FunctionDecl* function = function_of(data);
    if (function == nullptr || !function->hasBody() || isa<clang::ParmVarDecl>(data)) return false;
    bool is_set = false;
    for (const Expr* value : values_of(data, *function->getBody())) {
      if (is_null(*value)) continue;
      if (!is_allocation(value)) continue;  // a pointer that it is exchanged with
      if (has_choice(*value) || !is_certain_before(*value, *function->getBody())) return false;
      is_set = true;
    }
    return is_set;
  }

  /// Whether all names in an item's section are in the expression that allocates its data. Then the
  /// section lies in that memory wherever the data has memory.
  [[nodiscard]] bool has_own_extent(const VarDecl& data, const std::string& item) const {
    if (data.getType()->isArrayType()) return true;
    const FunctionDecl* function = function_of(data);
    if (function == nullptr || !function->hasBody()) return false;
    const std::size_t section = item.find('[');
    if (section == std::string::npos) return true;
    std::set<std::string> made_of;
    for (const Expr* value : values_of(data, *function->getBody())) {
      if (!is_allocation(value)) continue;
      for (const auto* name : all_in<clang::DeclRefExpr>(value)) {
        made_of.insert(name->getDecl()->getNameAsString());
      }
    }
    return std::ranges::all_of(names_in(item.substr(section)), [&](const std::string& name) {
      return made_of.contains(name) || name == data.getName();
    });
  }

 private:
  static bool is_null(const Expr& value) {
    const Expr* plain = value.IgnoreParenCasts();
    return isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral>(plain);
  }

  /// Whether each condition around a statement is also around the code: "if (on) { u = malloc(n);
  /// for (...)".
  [[nodiscard]] bool is_certain_before(const Stmt& value, const Stmt& body) const {
    const Stmt* child = &value;
    while (child != &body) {
      const Stmt* at = program_.parent_of(*child);
      if (at == nullptr || program_.is_within(code_, *child)) return at != nullptr;
      if (decides(*at, child)) return program_.is_within(code_, *child);
      child = at;
    }
    return true;
  }

  const Program& program_;
  const Stmt& code_;
  std::set<const FunctionDecl*> open_;
};

}  // namespace

void expect_memory(const Program& program, const Stmt& code, const VarDecl& data,
                   const std::string& item, const std::vector<Scope>& scopes) {
  Memory memory(program, code);
  const bool has_some =
      (memory.is_allocated(data) && memory.has_own_extent(data, item)) ||
      std::ranges::any_of(scopes, [&](const Scope& scope) { return memory.is_mapped(scope); });
  if (has_some) return;
  program.refuse(code, "{} is mapped under conditions alone, and may have no memory otherwise",
                 data.getNameAsString());
}

namespace {

/// "omp_get_thread_num() == 1".
bool asks_for_one_thread(const Expr& condition) {
  const auto* binary = dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (binary == nullptr || binary->getOpcode() != clang::BO_EQ) return false;
  const auto is_number = [](const Expr& side) {
    return isa<clang::IntegerLiteral>(side.IgnoreParenImpCasts());
  };
  const auto is_asked = [](const Expr& side) {
    const FunctionDecl* called = callee_of(side.IgnoreParenImpCasts());
    return called != nullptr && called->getNameAsString() == "omp_get_thread_num";
  };
  const Expr& left = *binary->getLHS();
  const Expr& right = *binary->getRHS();
  return (is_asked(left) && is_number(right)) || (is_number(left) && is_asked(right));
}

/// Whether only one thread of a team runs the code below a statement.
bool is_of_one_thread(const Stmt& statement, const Stmt* child) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(&statement)) {
    return child == branch->getThen() && asks_for_one_thread(*branch->getCond());
  }
  const auto* construct = dyn_cast<Directive>(&statement);
  if (construct == nullptr) return false;
  const auto kind = construct->getDirectiveKind();
  return kind == llvm::omp::OMPD_single || kind == llvm::omp::OMPD_master ||
         kind == llvm::omp::OMPD_masked;
}

/// Whether all code in a construct that names a variable, or maps it, is in one statement.
bool is_named_in_alone(const Program& program, const Stmt& construct, const VarDecl& data,
                       const Stmt& alone) {
  bool is_alone = true;
  each_statement(&construct, [&](const Stmt& at) {
    const auto* directive = dyn_cast<Directive>(&at);
    if (is_name_of(at, data) || (directive != nullptr && maps(*directive, data))) {
      is_alone = is_alone && program.is_within(at, alone);
    }
  });
  return is_alone;
}

/// Whether a call or an object starts a thread of the host.
bool starts_thread(const Stmt& at) {
  static const std::set<std::string> kStarts = {"pthread_create", "thrd_create", "std::async"};
  static const std::set<std::string> kThreads = {"std::thread", "std::jthread"};
  if (const FunctionDecl* called = callee_of(&at)) {
    return kStarts.contains(called->getQualifiedNameAsString());
  }
  const auto* made = dyn_cast<clang::CXXConstructExpr>(&at);
  return made != nullptr &&
         kThreads.contains(made->getConstructor()->getParent()->getQualifiedNameAsString());
}

/// A place where several threads run at once, one of which may reach the code by a call. It is a
/// construct, or code that starts a thread. Null: none.
const Stmt* threads_elsewhere(const Program& program, const Stmt& code) {
  const Stmt* start = nullptr;
  for (const FunctionDecl* function : program.functions()) {
    each_statement(function->getBody(), [&](const Stmt& at) {
      if (starts_thread(at)) start = &at;
    });
    for (const auto* construct : program.directives_in(*function->getBody())) {
      const bool is_host = clang::isOpenMPParallelDirective(construct->getDirectiveKind()) &&
                           !runs_on_device(*construct);
      if (is_host && !program.is_within(code, *construct) && program.leads_to(*construct, code)) {
        return construct;
      }
    }
  }
  return start;
}

}  // namespace

void expect_no_other_thread(const Program& program, const Stmt& code,
                            const std::vector<const VarDecl*>& data) {
  const clang::SourceManager& sources = program.context().getSourceManager();
  const OwnStorage own(program, code, {data.begin(), data.end()});
  for (const VarDecl* one : data) {
    if (own.is_private(*one) && !one->hasGlobalStorage()) continue;
    if (const Stmt* elsewhere = threads_elsewhere(program, code)) {
      program.refuse(*elsewhere, "threads that begin here may share {}", one->getNameAsString());
    }
  }
  const Stmt* alone = nullptr;  // a statement that only one thread runs
  const Stmt* child = &code;
  for (const Stmt* at = &code; at != nullptr; child = at, at = program.parent_of(*at)) {
    if (is_of_one_thread(*at, child)) {
      alone = at;
      continue;
    }
    const auto* construct = dyn_cast<Directive>(at);
    const bool is_data =
        construct != nullptr && construct->getDirectiveKind() == llvm::omp::OMPD_target_data;
    if (construct == nullptr || is_data) continue;
    for (const VarDecl* one : data) {
      const bool is_shared = one->hasGlobalStorage() || !own.is_private(*one);
      const bool is_declared_inside =
          sources.isBeforeInTranslationUnit(construct->getBeginLoc(), one->getLocation());
      if (!is_shared && is_declared_inside) continue;
      if (is_shared || alone == nullptr || !is_named_in_alone(program, *construct, *one, *alone)) {
        program.refuse(*construct, "the threads of this construct share {}",
                       one->getNameAsString());
      }
    }
  }
}

namespace {

/// Collects the names of storage in called functions: parameters that get a pointer to it.
class HandedOn {
 public:
  explicit HandedOn(const Program& program) : program_(program) {}

  void add(const FunctionDecl& function, const VarDecl& data) {
    if (!function.hasBody() || !names.emplace(&function, &data).second) return;
    for (const Mention& one : mentions_on_host(program_, *function.getBody(), data)) {
      is_unseen = is_unseen || (one.use == Use::kUnknown && may_map(*one.at));
      for (const clang::ParmVarDecl* parameter : one.handed_to) {
        add(*cast<FunctionDecl>(parameter->getDeclContext()), *parameter);
      }
    }
  }

  std::set<std::pair<const FunctionDecl*, const VarDecl*>> names;
  bool is_unseen = false;  ///< a function whose body is not seen gets it, too

 private:
  /// Whether a use is a call of a function of the program whose body is not seen.
  [[nodiscard]] bool may_map(const Stmt& use) const {
    const FunctionDecl* called = callee_of(&use);
    return isa<CallExpr>(use) && !is_of_system(called) && seen_callee_of(&use) == nullptr;
  }

  const Program& program_;
};

}  // namespace

void expect_mapped_here_alone(const Program& program, const Stmt& code, const Directive& update,
                              const std::vector<const VarDecl*>& data) {
  const FunctionDecl* home = program.function_of(code);
  const OwnStorage own(program, code, {data.begin(), data.end()});
  // Where only its names lead to the storage, all code that may map it is seen.
  const bool is_seen = home != nullptr && std::ranges::all_of(data, [&](const auto* one) {
                         return !one->hasGlobalStorage() && own.is_private(*one);
                       });
  HandedOn handed(program);
  for (const VarDecl* one : data) {
    if (is_seen) handed.add(*home, *one);
  }
  if (handed.is_unseen) {
    program.refuse(update, "this update may be for data that is mapped where it is not seen");
  }
  const auto is_mapped_by = [&](const Directive& one) {
    const FunctionDecl* function = program.function_of(one);
    if (!is_seen && function != home) return true;
    if (!is_seen) return std::ranges::any_of(data, [&](const auto* it) { return maps(one, *it); });
    return std::ranges::any_of(handed.names, [&](const auto& name) {
      return name.first == function && maps(one, *name.second);
    });
  };
  for (const Directive* one : program.data_directives()) {
    if (program.leads_to(code, *one) || !is_mapped_by(*one)) continue;
    program.refuse(update, "this update may be for data that is mapped outside, too");
  }
}

}  // namespace ompdm::edit
