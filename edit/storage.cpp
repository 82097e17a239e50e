#include "storage.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <map>

#include "names.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Every place outside of functions where a variable's initial value names another.
class GlobalValues : public CodeVisitor {
 public:
  explicit GlobalValues(const clang::VarDecl& variable) : variable_(variable) {}
  [[nodiscard]] bool has_clauses() const override { return true; }
  bool enters_declared(const clang::Decl& one) override {
    return one.getKind() != clang::Decl::Function && one.getKind() != clang::Decl::CXXMethod;
  }
  void visit(const clang::Stmt& at) override { found = found || is_name_of(at, variable_); }
  bool found = false;

 private:
  const clang::VarDecl& variable_;
};

/// Whether an object is named for the value of one of its members, read or set.
bool is_of_member(const Program& program, const clang::Expr& name) {
  const clang::Stmt* member = program.parent_of(name);
  if (!llvm::isa_and_nonnull<clang::MemberExpr>(member)) return false;
  const clang::Stmt* user = program.parent_of(*member);
  const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(user);
  const auto* set = llvm::dyn_cast_or_null<clang::BinaryOperator>(user);
  return (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) ||
         (set != nullptr && set->isAssignmentOp() && set->getLHS() == member);
}

}  // namespace

bool is_never_pointed_to(const Program& program, const clang::VarDecl& object) {
  const clang::RecordDecl* record = object.getType()->getAsRecordDecl();
  const clang::FunctionDecl* function = function_of(object);
  if (record == nullptr || !object.hasLocalStorage() || function == nullptr || !function->hasBody())
    return false;
  const bool leads_on = std::ranges::any_of(record->fields(), [](const clang::FieldDecl* field) {
    return !field->getType()->isArithmeticType() && !field->getType()->isEnumeralType();
  });
  return !leads_on &&
         std::ranges::all_of(names_of(function->getBody(), object),
                             [&](const auto* name) { return is_of_member(program, *name); });
}

bool is_allocation(const clang::Expr* value) {
  if (value == nullptr) return true;  // nothing yet
  value = value->IgnoreParenCasts();
  if (isa<clang::CXXNewExpr, clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr,
          clang::IntegerLiteral>(value)) {
    return true;
  }
  const clang::FunctionDecl* called = callee_of(value);
  if (called == nullptr) return false;
  static const std::set<std::string> kAllocators = {
      "malloc",     "calloc",      "realloc",     "aligned_alloc", "memalign",
      "valloc",     "std::malloc", "std::calloc", "std::realloc",  "std::aligned_alloc",
      "_mm_malloc", "omp_alloc",   "mmap"};
  return kAllocators.contains(called->getQualifiedNameAsString());
}

std::vector<const clang::Expr*> values_of(const clang::VarDecl& variable, const clang::Stmt& code) {
  std::vector<const clang::Expr*> values;
  each_statement(&code, [&](const clang::Stmt& at) {
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

std::vector<const clang::FunctionDecl*> OwnStorage::functions_of(
    const clang::VarDecl& variable) const {
  if (variable.hasGlobalStorage()) return program_.functions();
  const clang::FunctionDecl* function = function_of(variable);
  if (function == nullptr || !function->hasBody()) return {};
  return {function};
}

bool OwnStorage::is_private(const clang::VarDecl& variable) const {
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
  return !functions.empty() &&
         std::ranges::none_of(functions, [&](const clang::FunctionDecl* function) {
           return escapes(*function->getBody(), variable, 0);
         });
}

bool OwnStorage::names_part(const clang::VarDecl& variable) const {
  return std::ranges::any_of(all_in<clang::DeclRefExpr>(&loop_), [&](const auto* name) {
    const clang::VarDecl* part = variable_of(name);
    const bool is_before = part != nullptr && part->getInit() != nullptr &&
                           !program_.is_within(*part->getInit(), loop_);
    while (is_before && part != nullptr) {
      part = derived_from(*part);
      if (part == variable.getCanonicalDecl()) return true;
    }
    return false;
  });
}

bool OwnStorage::is_known_elsewhere(const clang::VarDecl& variable) const {
  const auto* parameter = dyn_cast<clang::ParmVarDecl>(&variable);
  if (parameter == nullptr) {
    OwnStorage strict = *this;
    strict.trusts_unseen_ = false;
    return !strict.is_private(variable);
  }
  const auto* function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  if (function == nullptr || !program_.is_called_here_alone(*function)) return true;
  const auto calls = program_.calls_of(*function);
  return calls.empty() || std::ranges::any_of(calls, [&](const clang::CallExpr* call) {
           const clang::VarDecl* handed = variable_of(argument_for(*call, *parameter));
           const bool is_again = handed != nullptr && handed->getDeclContext() == function;
           return handed == nullptr || is_again || is_known_elsewhere(*handed);
         });
}

bool OwnStorage::escapes(const clang::Stmt& code, const clang::VarDecl& variable, int depth) const {
  const auto all = mentions_on_host(program_, code, variable);
  return std::ranges::any_of(all,
                             [&](const Mention& one) { return escapes_by(one, variable, depth); });
}

bool OwnStorage::escapes_by(const Mention& one, const clang::VarDecl& variable, int depth) const {
  constexpr int kDeepest = 8;
  if (one.use == Use::kHanded) {
    return depth > kDeepest ||
           std::ranges::any_of(one.handed_to, [&](const clang::ParmVarDecl* parameter) {
             const auto* callee = llvm::cast<clang::FunctionDecl>(parameter->getDeclContext());
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
    if (made.to == nullptr && isa<clang::CallExpr>(one.at)) return false;  // std::swap
    // A part of an exchange, with a third one in the loop.
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
  if (!isa<clang::CallExpr>(one.at)) return !is_filled_by(*one.at);
  const clang::FunctionDecl* called = callee_of(one.at);
  if (!trusts_unseen_) return !is_of_system(called);
  return called != nullptr && called->hasBody() && !is_of_system(called);
}

/// posix_memalign(&u, ...)
bool OwnStorage::is_filled_by(const clang::Stmt& address) const {
  const clang::Stmt* at = &address;
  while (at != nullptr && isa<clang::CastExpr, clang::ParenExpr, clang::UnaryOperator>(at)) {
    at = program_.parent_of(*at);
  }
  const clang::FunctionDecl* called = callee_of(at);
  return called != nullptr && called->getNameAsString() == "posix_memalign";
}

namespace {

using Variable = const clang::VarDecl*;

class Exchange {
 public:
  Exchange(const Program& program, const clang::Stmt& loop, const std::vector<Variable>& variables)
      : program_(program), loop_(loop), variables_(variables.begin(), variables.end()) {}

  void add(const clang::Stmt& at) {
    if (const auto* call = dyn_cast<clang::CallExpr>(&at)) return add_swap(*call);
    const Assignment made = assignment_of(at);
    if (made.to == nullptr || made.from == nullptr) {
      program_.refuse(at, "a pointer to the data is set here");
    }
    const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(program_.parent_of(at));
    if (block == nullptr) program_.refuse(at, "a pointer to the data is set here in a branch");
    blocks_.insert(block);
  }

  std::vector<Variable> result() {
    for (const clang::CompoundStmt* block : blocks_) add_block(*block);
    return {exchanged_.begin(), exchanged_.end()};
  }

 private:
  void add_swap(const clang::CallExpr& call) {
    for (const clang::Expr* argument : call.arguments()) {
      const Variable variable = variable_of(argument);
      if (!variables_.contains(variable)) {
        program_.refuse(call, "a pointer to the data is exchanged here with one of other data");
      }
      exchanged_.insert(variable);
    }
  }

  /// Assignments in a row: what each variable has at the end.
  void add_block(const clang::CompoundStmt& block) {
    std::map<Variable, Variable> has;
    const auto value = [&](Variable of) { return has.contains(of) ? has.at(of) : of; };
    const clang::Stmt* last = nullptr;
    bool is_over = false;
    for (const clang::Stmt* statement : block.body()) {
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

  /// The third one of an exchange is nothing else in the loop.
  void expect_temporary(const clang::VarDecl& variable, const clang::CompoundStmt& block) const {
    for (const Mention& mention : mentions_on_host(program_, loop_, variable)) {
      const bool is_here =
          mention.use == Use::kPointer && program_.parent_of(*mention.at) == &block;
      if (!is_here) {
        program_.refuse(*mention.at, "{} is another name of the data", variable.getNameAsString());
      }
    }
  }

  const Program& program_;
  const clang::Stmt& loop_;
  std::set<Variable> variables_;
  std::set<Variable> exchanged_;
  std::set<const clang::CompoundStmt*> blocks_;
};

}  // namespace

Assignment assignment_of(const clang::Stmt& statement) {
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->getOpcode() == clang::BO_Assign) {
      return {variable_of(binary->getLHS()), variable_of(binary->getRHS())};
    }
  }
  if (const auto* declared = dyn_cast<clang::DeclStmt>(&statement)) {
    if (declared->isSingleDecl()) {
      const auto* variable = dyn_cast<clang::VarDecl>(declared->getSingleDecl());
      if (variable != nullptr) return {variable, variable_of(variable->getInit())};
    }
  }
  return {};
}

std::set<const clang::VarDecl*> partners_of(const Program& program, const clang::Stmt& loop,
                                            const clang::VarDecl& variable) {
  std::set<Variable> all;
  std::vector<Variable> open = {&variable};
  // By way of a third one, too.
  while (!open.empty()) {
    const Variable one = open.back();
    open.pop_back();
    for (const Mention& mention : mentions_on_host(program, loop, *one)) {
      if (mention.use != Use::kPointer) continue;
      std::vector<Variable> others;
      if (const auto* call = dyn_cast<clang::CallExpr>(mention.at)) {
        for (const clang::Expr* argument : call->arguments())
          others.push_back(variable_of(argument));
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

std::vector<const clang::VarDecl*> exchanged(const Program& program, const clang::Stmt& loop,
                                             const std::vector<const clang::VarDecl*>& variables,
                                             const std::vector<Mention>& set) {
  Exchange exchange(program, loop, variables);
  for (const Mention& mention : set) exchange.add(*mention.at);
  return exchange.result();
}

}  // namespace ompdm::edit
