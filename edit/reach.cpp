#include "reach.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace ompdm::edit {
namespace {

using clang::QualType;
using clang::SourceLocation;

class Reaching : public CodeVisitor {
 public:
  explicit Reaching(const Program& program) : sources_(program.context().getSourceManager()) {}

  Reached of(const Program& program, const Stmt& code) {
    const auto* directive = dyn_cast<Directive>(&code);
    const bool has_statement = directive != nullptr && directive->hasAssociatedStmt();
    const Stmt& last = has_statement ? *directive->getRawStmt() : code;
    reached_.parts.push_back({{code.getBeginLoc(), last.getEndLoc()}, {}});
    walk(&code);
    for (const FunctionDecl* function : program.functions()) {
      if (holds(*function, code)) add_templates_around(*function);
    }
    constexpr std::size_t kMost = 20000;
    while (!open_.empty() && known_.size() < kMost) {
      const clang::Decl* next = open_.back();
      open_.pop_back();
      enter(*next);
    }
    reached_.is_whole = open_.empty();
    return std::move(reached_);
  }

  [[nodiscard]] bool has_clauses() const override { return true; }

  void visit(const Stmt& at) override {
    if (const auto* expression = dyn_cast<Expr>(&at)) add_type(expression->getType());
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&at)) {
      add(name->getDecl());
      for (const clang::TemplateArgumentLoc& one : name->template_arguments()) {
        const bool is_number = one.getArgument().getKind() == clang::TemplateArgument::Expression;
        reached_.depends_on_numbers = reached_.depends_on_numbers || is_number;
      }
    } else if (const auto* member = dyn_cast<clang::MemberExpr>(&at)) {
      add(member->getMemberDecl());
    } else if (const auto* made = dyn_cast<clang::CXXConstructExpr>(&at)) {
      add(made->getConstructor());
    } else if (const auto* call = dyn_cast<CallExpr>(&at)) {
      add(call->getCalleeDecl());
    } else if (const auto* value = dyn_cast<clang::CXXDefaultArgExpr>(&at)) {
      walk(value->getExpr());
    } else if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(&at)) {
      for (const Stmt* part : std::initializer_list<const Stmt*>{
               loop->getRangeStmt(), loop->getBeginStmt(), loop->getEndStmt(), loop->getCond(),
               loop->getInc()}) {
        walk(part);
      }
    }
  }

  void visit_declared(const clang::Decl& one) override {
    if (const auto* value = dyn_cast<clang::ValueDecl>(&one)) add_type(value->getType());
  }

 private:
  void add(const clang::Decl* one) {
    if (one != nullptr && known_.insert(one->getCanonicalDecl()).second) open_.push_back(one);
  }

  /// Adds the declarations that a type is named by.
  void add_type(QualType type) {
    while (!type.isNull() && types_.insert(type.getAsOpaquePtr()).second) {
      if (const auto* named = type->getAs<clang::TypedefType>()) {
        add(named->getDecl());
        type = named->getDecl()->getUnderlyingType();
      } else if (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) {
        type = array->getElementType();
      } else if (const clang::TagDecl* tag = type->getAsTagDecl()) {
        return add(tag);
      } else {
        type = type->getPointeeType();
      }
    }
  }

  /// Adds the arguments of a template. A number matters only for a template of the program. A
  /// number that selects code in a library stands in the program's own code.
  void add_arguments(llvm::ArrayRef<clang::TemplateArgument> arguments, bool is_programs) {
    for (const clang::TemplateArgument& one : arguments) {
      if (one.getKind() == clang::TemplateArgument::Type) {
        add_type(one.getAsType());
      } else if (one.getKind() == clang::TemplateArgument::Pack) {
        add_arguments(one.pack_elements(), is_programs);
      } else if (is_programs) {
        reached_.depends_on_numbers = true;
      }
    }
  }

  /// Whether a function holds code, by their places. Asking the syntax tree for parents takes as
  /// long as parsing.
  [[nodiscard]] bool holds(const FunctionDecl& function, const Stmt& code) const {
    const SourceLocation at = sources_.getExpansionLoc(code.getBeginLoc());
    const SourceLocation begin = sources_.getExpansionLoc(function.getBeginLoc());
    const SourceLocation end = sources_.getExpansionLoc(function.getEndLoc());
    const clang::FileID file = sources_.getFileID(at);
    return sources_.isInFileID(begin, file) && sources_.isInFileID(end, file) && begin <= at &&
           at <= end;
  }

  /// The template arguments of the code's own function are decided where it is called.
  void add_templates_around(const FunctionDecl& function) {
    if (const auto* arguments = function.getTemplateSpecializationArgs()) {
      reached_.made_of.insert(function.getNameAsString());
      add_arguments(arguments->asArray(), true);
    }
    for (const clang::DeclContext* at = function.getParent(); at != nullptr; at = at->getParent()) {
      const auto* made = dyn_cast<clang::ClassTemplateSpecializationDecl>(at);
      if (made == nullptr) continue;
      reached_.made_of.insert(made->getNameAsString());
      add_arguments(made->getTemplateArgs().asArray(), true);
    }
  }

  [[nodiscard]] bool is_own(const clang::Decl& one) const {
    const SourceLocation at = sources_.getExpansionLoc(one.getLocation());
    return at.isValid() && is_of_program(sources_, sources_.getFileID(at));
  }

  void enter(const clang::Decl& one) {
    if (const auto* function = dyn_cast<FunctionDecl>(&one)) return enter(*function);
    if (const auto* record = dyn_cast<clang::RecordDecl>(&one)) return enter(*record);
    if (const auto* field = dyn_cast<clang::FieldDecl>(&one)) {
      add(field->getParent());
      return add_type(field->getType());
    }
    if (const auto* constant = dyn_cast<clang::EnumConstantDecl>(&one)) {
      return add(cast<clang::EnumDecl>(constant->getDeclContext()));
    }
    if (!is_own(one)) return;
    for (const clang::Decl* each : one.redecls()) {
      reached_.parts.push_back({each->getSourceRange(), {}});
    }
    if (const auto* variable = dyn_cast<VarDecl>(&one)) {
      add_type(variable->getType());
      if (variable->hasGlobalStorage()) walk(variable->getInit());
    } else if (const auto* enumeration = dyn_cast<clang::EnumDecl>(&one)) {
      for (const auto* constant : enumeration->enumerators()) walk(constant->getInitExpr());
    }
  }

  void enter(const FunctionDecl& function) {
    if (const auto* arguments = function.getTemplateSpecializationArgs()) {
      add_arguments(arguments->asArray(), is_own(function));
    }
    if (const auto* method = dyn_cast<clang::CXXMethodDecl>(&function)) add(method->getParent());
    add_type(function.getReturnType());
    for (const auto* parameter : function.parameters()) add_type(parameter->getType());
    const FunctionDecl* defined = nullptr;
    const bool has_body = function.hasBody(defined);
    if (is_own(function)) {
      for (const FunctionDecl* each : function.redecls()) {
        reached_.parts.push_back({each->getSourceRange(), {}});
      }
      if (has_body) reached_.parts.push_back({defined->getSourceRange(), {}});
    }
    if (!has_body) return;
    if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(defined)) {
      for (const auto* first : constructor->inits()) walk(first->getInit());
    }
    walk(defined->getBody());
  }

  void enter(const clang::RecordDecl& any) {
    if (const auto* made = dyn_cast<clang::ClassTemplateSpecializationDecl>(&any)) {
      add_arguments(made->getTemplateArgs().asArray(), is_own(*made));
    }
    const clang::RecordDecl* record = any.getDefinition();
    if (record == nullptr || !is_own(*record)) return;
    Part part{record->getSourceRange(), {}};
    for (const clang::Decl* member : record->decls()) {
      const auto* function = member->getAsFunction();
      if (function == nullptr || member->isImplicit()) continue;
      part.without.push_back(member->getSourceRange());
      // Templates of the system's headers call these.
      const bool is_called = function->getOverloadedOperator() == clang::OO_Call;
      if (is_called || isa<clang::CXXDestructorDecl>(function)) add(function);
    }
    reached_.parts.push_back(std::move(part));
    for (const clang::FieldDecl* field : record->fields()) add_type(field->getType());
    const auto* derived = dyn_cast<clang::CXXRecordDecl>(record);
    if (derived == nullptr) return;
    for (const clang::CXXBaseSpecifier& base : derived->bases()) add_type(base.getType());
  }

  const clang::SourceManager& sources_;
  Reached reached_;
  std::vector<const clang::Decl*> open_;
  std::set<const clang::Decl*> known_;
  std::set<const void*> types_;
};

}  // namespace

bool is_of_program(llvm::StringRef path) {
  const auto starts = [&](const char* folder) { return path.starts_with(folder); };
  return !starts("/usr/include/") && !starts("/usr/local/include/") && !starts("/usr/lib") &&
         !path.contains("/lib/clang/") && !path.contains("/include/c++/") &&
         !path.contains("/lib/gcc/");
}

bool is_of_program(const clang::SourceManager& sources, clang::FileID file) {
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return false;
  const llvm::StringRef path = entry->getFileEntry().tryGetRealPathName();
  return is_of_program(path.empty() ? entry->getName() : path);
}

Reached reached_by(const Program& program, const Stmt& code) {
  return Reaching(program).of(program, code);
}

}  // namespace ompdm::edit
