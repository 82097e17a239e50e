#include "outer_names.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "names.h"

namespace ompdm::edit {
namespace {

/// The local variable that a name means at a statement. Null: the function has none of that name
/// there.
const VarDecl* local_named(const Program& unit, const std::string& name, const Stmt& at) {
  const clang::SourceManager& sources = unit.context().getSourceManager();
  const auto in = [&](const Stmt* one) -> const VarDecl* {
    const auto* declared = dyn_cast_or_null<clang::DeclStmt>(one);
    if (declared == nullptr) return nullptr;
    for (const clang::Decl* each : declared->decls()) {
      const auto* variable = dyn_cast<VarDecl>(each);
      const bool is_it =
          variable != nullptr && variable->getNameAsString() == name &&
          sources.isBeforeInTranslationUnit(variable->getLocation(), at.getBeginLoc());
      if (is_it) return variable;
    }
    return nullptr;
  };
  for (const Stmt* around = unit.parent_of(at); around != nullptr;
       around = unit.parent_of(*around)) {
    const VarDecl* found = nullptr;
    for (const Stmt* child : around->children()) {
      if (const VarDecl* one = in(child)) found = one;
    }
    if (found != nullptr) return found;
  }
  const FunctionDecl* function = unit.function_of(at);
  if (function == nullptr) return nullptr;
  for (const clang::ParmVarDecl* one : function->parameters()) {
    if (one->getNameAsString() == name) return one;
  }
  return nullptr;
}

/// Whether a text is a plain name, with members and elements: `s->u`, `grid.rows[2].u`.
bool is_chain(const std::string& text) {
  static const std::regex kChain(R"([A-Za-z_]\w*(::\w+)*((\.|->)[A-Za-z_]\w*|\[[^\]]*\])*)");
  return std::regex_match(text, kChain);
}

std::string in_parentheses(const std::string& text) {
  const bool is_number = std::ranges::all_of(text, is_of_name);
  return is_number || is_chain(text) ? text : '(' + text + ')';
}

class Speller {
 public:
  Speller(const WholeProgram& program, const Trail& trail, const OuterPlace& place)
      : program_(program), trail_(trail), place_(place) {}

  [[nodiscard]] OuterItem of_item(const Expr& item, std::uint32_t call, bool is_moved) const {
    const Expr* base = item.IgnoreParenImpCasts();
    while (const auto* section = dyn_cast<clang::ArraySectionExpr>(base)) {
      base = section->getBase()->IgnoreParenImpCasts();
    }
    const std::string text = written(item, call);
    if (base == item.IgnoreParenImpCasts()) {
      if (!is_chain(text)) refuse(item, call, "{} has no name of its own there", text);
      return {text};
    }
    const std::string data = written(*base, call);
    if (is_chain(data) && !is_moved) return {text};
    if (!base->getType()->isPointerType()) {
      refuse(item, call, "{} has no name of its own there", data);
    }
    // Data without a name of its own gets a pointer.
    std::string value = data;
    if (value.starts_with('(') && value.ends_with(')')) value = value.substr(1, value.size() - 2);
    const std::string name = name_for(*base, value);
    const std::string section = written_section(item, call);
    const bool is_cpp = place_.unit.context().getLangOpts().CPlusPlus;
    const std::string type = is_cpp ? "auto *" : base->getType().getUnqualifiedType().getAsString();
    const std::string blank = type.ends_with('*') ? "" : " ";
    return {name + section, fmt::format("{}{}{} = {};", type, blank, name, value)};
  }

 private:
  template <class... Values>
  [[noreturn]] void refuse(const Stmt& at, std::uint32_t call,
                           fmt::format_string<const Values&...> why,
                           const Values&... values) const {
    const FunctionDecl* function = function_of(call);
    const clang::ASTContext* context =
        function == nullptr ? &place_.unit.context() : &function->getASTContext();
    const std::string text = fmt::format(why, values...);
    throw Refusal(text, place_of(*context, at));
  }

  [[nodiscard]] const FunctionDecl* function_of(std::uint32_t call) const {
    return call == place_.call ? place_.unit.function_of(place_.at) : trail_.called[call];
  }

  [[nodiscard]] const clang::ASTContext& context_of(std::uint32_t call) const {
    const FunctionDecl* function = function_of(call);
    return function == nullptr ? place_.unit.context() : function->getASTContext();
  }

  /// An unused name at the place, for a pointer with that value.
  [[nodiscard]] std::string name_for(const Expr& base, const std::string& value) const {
    const auto* variable = dyn_cast<clang::DeclRefExpr>(&base);
    const bool is_name = std::regex_match(value, std::regex("[A-Za-z_][A-Za-z0-9_]*"));
    const bool is_called = variable != nullptr && !is_name;
    std::string name = is_called ? variable->getDecl()->getNameAsString() : value;
    if (!is_called) {
      name = std::regex_replace(name, std::regex(R"(^this->|\([^()]*\)|\[[^\]]*\])"), "");
      name = std::regex_replace(name, std::regex(R"([^A-Za-z0-9_]+)"), "_");
      if (name.empty() || !is_chain(name)) name = "data";
    }
    const FunctionDecl* function = place_.unit.function_of(place_.at);
    const auto is_free = [&](const std::string& one) {
      const auto known = place_.declared.find(one);
      if (known != place_.declared.end()) return known->second == value;
      return function == nullptr || !is_known(*function, one);
    };
    if (!is_free(name) || name == value) name += "_kept";
    while (!is_free(name)) name += '_';
    place_.declared[name] = value;
    return name;
  }

  /// Whether a name is used in a function's code, or is visible there.
  [[nodiscard]] bool is_known(const FunctionDecl& function, const std::string& name) const {
    bool found = false;
    each_statement(function.getBody(), [&](const Stmt& one) {
      if (const auto* used = dyn_cast<clang::DeclRefExpr>(&one)) {
        found = found || used->getDecl()->getNameAsString() == name;
      }
      if (const auto* declared = dyn_cast<clang::DeclStmt>(&one)) {
        for (const clang::Decl* each : declared->decls()) {
          const auto* named = dyn_cast<clang::NamedDecl>(each);
          found = found || (named != nullptr && named->getNameAsString() == name);
        }
      }
    });
    return found || std::ranges::any_of(function.parameters(), [&](const auto* one) {
             return one->getNameAsString() == name;
           });
  }

  /// The brackets of an item: "[0:n * n]".
  [[nodiscard]] std::string written_section(const Expr& item, std::uint32_t call) const {
    const auto* section = dyn_cast<clang::ArraySectionExpr>(item.IgnoreParenImpCasts());
    if (section == nullptr) return {};
    const auto bound = [&](const Expr* one) {
      return one == nullptr ? std::string() : written(*one, call);
    };
    const std::string inner = written_section(*section->getBase(), call);
    if (section->getColonLocFirst().isInvalid())
      return fmt::format("{}[{}]", inner, bound(section->getLowerBound()));
    return fmt::format("{}[{}:{}]", inner, bound(section->getLowerBound()),
                       bound(section->getLength()));
  }

  /// An expression of a call's function in the names of the place.
  [[nodiscard]] std::string written(const Expr& any, std::uint32_t call) const {
    const clang::ASTContext& context = context_of(call);
    const SourceText source(context, any.getBeginLoc());
    std::string text = text_of(context, any);
    const unsigned begin = source.offset_of(any.getBeginLoc());
    struct Part {
      unsigned at;
      std::string old;
      std::string now;
    };
    std::vector<Part> parts;
    const auto replace = [&](const Expr& part, std::string now) {
      const std::string old = text_of(context, part);
      if (old == now) return;
      if (part.getBeginLoc().isMacroID()) refuse(part, call, "{} comes from a macro", old);
      parts.push_back({source.offset_of(part.getBeginLoc()) - begin, old, std::move(now)});
    };
    const auto look = [&](const auto& self, const Expr& one) -> void {
      if (const auto* member = dyn_cast<clang::MemberExpr>(&one)) {
        if (auto now = of_member(*member, call)) return replace(one, *now);
      }
      if (isa<clang::CXXThisExpr>(one)) {
        if (call == place_.call) return;
        refuse(one, call, "`this` has no name there");
      }
      if (const auto* name = dyn_cast<clang::DeclRefExpr>(&one)) {
        if (const auto* variable = dyn_cast<VarDecl>(name->getDecl())) {
          replace(one, of_variable(*variable, one, call));
        }
        return;
      }
      if (const auto* called = dyn_cast<CallExpr>(&one)) expect_asks_alone(*called, call);
      if (one.HasSideEffects(context, false))
        refuse(one, call, "{} changes something", text_of(context, one));
      for (const Stmt* child : one.children()) {
        const auto* inner = dyn_cast_or_null<Expr>(child);
        if (inner != nullptr) self(self, *inner);
      }
    };
    look(look, any);
    std::ranges::sort(parts, std::ranges::greater(), &Part::at);
    for (const Part& part : parts) {
      if (part.at > text.size() || text.compare(part.at, part.old.size(), part.old) != 0) {
        refuse(any, call, "{} comes from a macro", text);
      }
      text.replace(part.at, part.old.size(), part.now);
    }
    return text;
  }

  /// Throws Refusal unless a call only reads a property of an object: v.size().
  void expect_asks_alone(const CallExpr& called, std::uint32_t call) const {
    const auto* function = called.getDirectCallee();
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
    const bool is_element = isa<clang::CXXOperatorCallExpr>(called);
    const bool asks = method != nullptr && is_in_system_header(*method) &&
                      (method->isConst() || method->getNameAsString() == "data" || is_element);
    if (!asks) {
      refuse(called, call, "{} is asked by a call", text_of(context_of(call), called));
    }
  }

  /// A member of the function's own object, or of an object whose address is an argument. None:
  /// another member.
  [[nodiscard]] std::optional<std::string> of_member(const clang::MemberExpr& member,
                                                     std::uint32_t call) const {
    if (call == place_.call) return std::nullopt;
    const Expr* base = member.getBase()->IgnoreParenImpCasts();
    const std::string name = member.getMemberDecl()->getNameAsString();
    if (isa<clang::CXXThisExpr>(base)) {
      expect_accessible(member, call);
      return of_self(member, call) + name;
    }
    const auto* pointer = dyn_cast<clang::DeclRefExpr>(base);
    const auto* parameter =
        pointer == nullptr ? nullptr : dyn_cast<clang::ParmVarDecl>(pointer->getDecl());
    if (!member.isArrow() || parameter == nullptr) return std::nullopt;
    const Expr& handed = argument(*parameter, member, call);
    const auto* address = dyn_cast<clang::UnaryOperator>(handed.IgnoreParenImpCasts());
    if (address == nullptr || address->getOpcode() != clang::UO_AddrOf) return std::nullopt;
    return in_parentheses(written(*address->getSubExpr()->IgnoreParens(), trail_.callers[call])) +
           '.' + name;
  }

  /// The text before a member of `this`: "grid." for the call grid.step(), "this->" where the
  /// object is the same.
  [[nodiscard]] std::string of_self(const Expr& at, std::uint32_t call) const {
    const auto* called = dyn_cast_or_null<clang::CXXMemberCallExpr>(trail_.calls[call]);
    if (called == nullptr) refuse(at, call, "the object has no name there");
    const Expr& object = *called->getImplicitObjectArgument()->IgnoreParenImpCasts();
    const std::uint32_t outer = trail_.callers[call];
    if (isa<clang::CXXThisExpr>(object)) {
      return outer == place_.call ? "this->" : of_self(object, outer);
    }
    const bool is_pointer = object.getType()->isPointerType();
    return in_parentheses(written(object, outer)) + (is_pointer ? "->" : ".");
  }

  void expect_accessible(const clang::MemberExpr& member, std::uint32_t call) const {
    const auto* field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr || field->getAccess() == clang::AS_public ||
        field->getAccess() == clang::AS_none) {
      return;
    }
    const auto* record = dyn_cast<clang::CXXRecordDecl>(field->getParent());
    const FunctionDecl* function = place_.unit.function_of(place_.at);
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
    const bool is_own =
        method != nullptr && record != nullptr &&
        method->getParent()->getQualifiedNameAsString() == record->getQualifiedNameAsString();
    if (!is_own) {
      refuse(member, call, "{} is a private member, which has no name at {}:{}",
             field->getNameAsString(), place_of(place_.unit.context(), place_.at).file,
             place_of(place_.unit.context(), place_.at).line);
    }
  }

  [[nodiscard]] const Expr& argument(const clang::ParmVarDecl& parameter, const Expr& at,
                                     std::uint32_t call) const {
    const Expr* made = trail_.calls[call];
    const auto index = parameter.getFunctionScopeIndex();
    const Expr* found = nullptr;
    if (const auto* called = dyn_cast_or_null<CallExpr>(made)) {
      // The object is the first argument of an operator that is a member.
      const bool has_object = isa<clang::CXXOperatorCallExpr>(called) &&
                              isa_and_nonnull<clang::CXXMethodDecl>(called->getDirectCallee());
      const unsigned number = index + (has_object ? 1 : 0);
      if (number < called->getNumArgs()) found = called->getArg(number);
    } else if (const auto* built = dyn_cast_or_null<clang::CXXConstructExpr>(made)) {
      if (index < built->getNumArgs()) found = built->getArg(index);
    }
    if (found == nullptr) {
      refuse(at, call, "{} has no name outside of its function", parameter.getNameAsString());
    }
    return *found;
  }

  [[nodiscard]] std::string of_variable(const VarDecl& variable, const Expr& at,
                                        std::uint32_t call) const {
    const std::string name = variable.getNameAsString();
    if (variable.hasGlobalStorage() && !variable.isStaticLocal()) {
      expect_global(variable, at, call);
      return text_of(context_of(call), at);
    }
    const auto* parameter = dyn_cast<clang::ParmVarDecl>(&variable);
    if (call == place_.call) {
      const VarDecl* known = local_named(place_.unit, name, place_.at);
      if (known != nullptr && known->getCanonicalDecl() == variable.getCanonicalDecl()) return name;
      if (parameter != nullptr) refuse(at, call, "{} is another variable there", name);
    }
    expect_set_once(variable, at, call);
    if (parameter != nullptr) {
      const Expr& handed = argument(*parameter, at, call);
      return in_parentheses(written(*handed.IgnoreImpCasts(), trail_.callers[call]));
    }
    if (variable.isStaticLocal() || variable.getInit() == nullptr) {
      refuse(at, call, "{} is a variable of its own block", name);
    }
    return in_parentheses(written(*variable.getInit()->IgnoreImpCasts(), call));
  }

  void expect_global(const VarDecl& variable, const Expr& at, std::uint32_t call) const {
    const std::string name = variable.getNameAsString();
    if (call == place_.call) return;
    if (local_named(place_.unit, name, place_.at) != nullptr) {
      refuse(at, call, "{} is another variable there", name);
    }
    clang::ASTContext& context = place_.unit.context();
    const clang::SourceManager& sources = context.getSourceManager();
    const VarDecl& one = *program_.same(variable);
    for (const clang::NamedDecl* known :
         context.getTranslationUnitDecl()->lookup(&context.Idents.get(name))) {
      const auto* other = dyn_cast<VarDecl>(known);
      if (other != nullptr && program_.same(*other) == &one &&
          sources.isBeforeInTranslationUnit(other->getFirstDecl()->getLocation(),
                                            place_.at.getBeginLoc())) {
        return;
      }
    }
    const bool is_of_namespace =
        &variable.getASTContext() == &context && !variable.getDeclContext()->isTranslationUnit();
    if (!is_of_namespace) refuse(at, call, "{} is not declared there", name);
  }

  /// Throws Refusal where a variable is set again: its first value is then not its value at the
  /// item.
  void expect_set_once(const VarDecl& variable, const Expr& at, std::uint32_t call) const {
    const Path own{program_.same(variable), {}};
    int values = 0;
    for (const Step& step : trail_.steps) {
      if (step.kind != Step::Kind::kAccess) continue;
      const Access& access = trail_.accesses[step.access];
      const bool is_set = access.path == own && access.use != Use::kRead && step.call == call;
      if (is_set) ++values;
    }
    const bool has_first = isa<clang::ParmVarDecl>(variable) || variable.getInit() != nullptr;
    // A declaration's own value may be a step, too.
    if (values > (has_first && !isa<clang::ParmVarDecl>(variable) ? 1 : 0)) {
      refuse(at, call, "{} is set again", variable.getNameAsString());
    }
  }

  const WholeProgram& program_;
  const Trail& trail_;
  const OuterPlace& place_;
};

}  // namespace

OuterItem in_names_of(const WholeProgram& program, const Trail& trail, const Expr& item,
                      std::uint32_t call, bool is_moved, const OuterPlace& place) {
  return Speller(program, trail, place).of_item(item, call, is_moved);
}

bool is_visible_at(const Program& unit, const Expr& item, const Stmt& at) {
  return std::ranges::all_of(all_in<clang::DeclRefExpr>(&item), [&](const auto* name) {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    return variable == nullptr || is_visible_at(unit, *variable, at);
  });
}

bool is_visible_at(const Program& unit, const VarDecl& variable, const Stmt& at) {
  const VarDecl* known = local_named(unit, variable.getNameAsString(), at);
  const bool is_global = variable.hasGlobalStorage() && !variable.isStaticLocal();
  return is_global ? known == nullptr
                   : known != nullptr && known->getCanonicalDecl() == variable.getCanonicalDecl();
}

bool means_the_same(const Program& unit, const std::string& text, const Stmt& one,
                    const Stmt& other) {
  return std::ranges::all_of(names_in(text), [&](const std::string& name) {
    return local_named(unit, name, one) == local_named(unit, name, other);
  });
}

const Program* unit_of(const WholeProgram& program, const clang::ASTContext* context) {
  const auto unit = std::ranges::find_if(
      program.units(), [&](const Program* one) { return &one->context() == context; });
  return unit == program.units().end() ? nullptr : *unit;
}

}  // namespace ompdm::edit
