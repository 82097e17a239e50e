#include "kept_data.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <regex>

#include "names.h"
#include "source_text.h"
#include "storage.h"

namespace ompdm::edit {
namespace {

bool leads_to_all(const Program& program, const Stay& stay, const Stmt& statement) {
  return std::ranges::all_of(stay.kept,
                             [&](const auto* one) { return program.leads_to(statement, *one); });
}

/// The innermost block in a statement that leads to all directives. Null: none.
const clang::CompoundStmt* block_in(const Program& program, const Stay& stay,
                                    const Stmt& statement) {
  const clang::CompoundStmt* found = nullptr;
  const Stmt* at = &statement;
  while (at != nullptr) {
    if (const auto* block = dyn_cast<clang::CompoundStmt>(at)) found = block;
    const Stmt* inner = nullptr;
    for (const Stmt* child : at->children()) {
      if (child != nullptr && leads_to_all(program, stay, *child)) inner = child;
    }
    // Directives that map data cannot stand in a region's body.
    at = is_region(*at) ? nullptr : inner;
  }
  return found;
}

/// Functions that lead to all directives, and call no other such function.
std::vector<const FunctionDecl*> innermost_functions(const Program& program, const Stay& stay) {
  std::vector<const FunctionDecl*> all = program.functions();
  std::erase_if(all,
                [&](const auto* one) { return !leads_to_all(program, stay, *one->getBody()); });
  std::vector<const FunctionDecl*> innermost;
  std::ranges::copy_if(all, std::back_inserter(innermost), [&](const auto* one) {
    return std::ranges::none_of(all, [&](const auto* other) {
      return other != one && program.leads_to(*one->getBody(), *other->getBody());
    });
  });
  return innermost;
}

}  // namespace

Stay stay_of(const Program& program, const Finding& finding) {
  Stay stay;
  Place missing;
  const auto is_update = [](const Edit& edit) { return edit.directive == "target update"; };
  const auto is_around_by_another = [&](const Edit& edit) {
    return is_around(edit) && !is_update(edit);
  };
  stay.is_there =
      std::ranges::any_of(finding.edits,
                          [&](const Edit& edit) { return is_around(edit) && is_update(edit); }) &&
      std::ranges::none_of(finding.edits, is_around_by_another);
  for (const Edit& edit : finding.edits) {
    // Updates in the code lead to the data, too, though the patch removes them.
    if (edit.kind == "keep" || (edit.kind == "remove" && stay.is_there)) {
      for (const Place& place : edit.places) {
        const auto here = program.directives_at(place);
        stay.kept.insert(stay.kept.end(), here.begin(), here.end());
        stay.kept_places.push_back(place);
        if (here.empty()) missing = place;
      }
    }
    if (!is_around(edit)) continue;
    if (edit.when != "always") {
      if (stay.is_there) stay.within.push_back(&edit);
      stay.is_of_loop = stay.is_of_loop || edit.of != "stay";
      continue;
    }
    (edit.side == "before" ? stay.begin : stay.end).push_back(&edit);
    stay.is_of_loop = edit.of != "stay";
  }
  if (stay.begin.empty() != stay.end.empty() && !stay.is_there) {
    throw Refusal("the data enters or leaves the device elsewhere", {});
  }
  if (stay.any() && !stay.kept.empty() && missing.line > 0) {
    throw Refusal("this directive is compiled elsewhere", missing);
  }
  return stay;
}

const Stmt& loop_of(const Program& program, const Stay& stay) {
  const Edit& begin = stay.first();
  const Place& place = begin.inside.line > 0 ? begin.inside : begin.places.at(0);
  const Stmt* loop = program.loop_at(place, stay.kept_places);
  if (loop == nullptr) {
    throw Refusal(
        "no for, while or do begins here that leads to all of its directives, as far as functions "
        "are seen",
        place);
  }
  return *loop;
}

Spanned span_of(const Program& program, const Stay& stay) {
  const auto functions = innermost_functions(program, stay);
  const Place& place = stay.kept_places.front();
  if (functions.size() != 1) {
    throw Refusal(functions.empty() ? "no function leads to all of its directives"
                                    : "several functions lead to its directives",
                  place);
  }
  const clang::CompoundStmt* block = block_in(program, stay, *functions.front()->getBody());
  std::vector<Stmt*> statements(block->body_begin(), block->body_end());
  const auto leads = [&](const Stmt* statement) {
    return std::ranges::any_of(stay.kept,
                               [&](const auto* one) { return program.leads_to(*statement, *one); });
  };
  statements.erase(statements.begin(), std::ranges::find_if(statements, leads));
  while (!statements.empty() && !leads(statements.back())) statements.pop_back();
  if (statements.empty()) throw Refusal("no block leads to its directives", place);
  const bool is_alone = statements.size() == 1 && isa<Directive>(statements.front());
  if (is_alone)
    throw Refusal("this directive alone uses the data: around it as much is copied", place);
  Stmt* span = clang::CompoundStmt::Create(
      program.context(), statements, clang::FPOptionsOverride(), statements.front()->getBeginLoc(),
      statements.back()->getEndLoc());
  return {program.with_span(*span, *block), span};
}

namespace {

/// "u[0:n * m]" of "u[0:(n * m)]".
std::string without_outer_parentheses(const std::string& expression) {
  static const std::regex kAroundAll(R"(([\[:])\(([^()]*)\)(?=[\]:]))");
  return std::regex_replace(expression, kAroundAll, "$1$2");
}

class Terms {
 public:
  Terms(const Program& program, const Stmt& loop)
      : program_(program), loop_(loop), home_(program.function_of(loop)) {}

  /// Adds all expressions of the loop's function that an expression of a function may stand for.
  void add(const std::string& expression, const FunctionDecl& function) {
    if (&function == home_) {
      found.insert(expression);
      return;
    }
    if (!open_.insert(&function).second) return;
    for (const CallExpr* call : calls_of(function)) {
      add(replaced(expression, function, *call), *program_.function_of(*call));
    }
    open_.erase(&function);
  }

  /// How a function writes an expression of the loop's function: see in_terms_of().
  [[nodiscard]] std::set<std::string> written_in(const clang::ParmVarDecl& parameter,
                                                 const std::string& expression) {
    const auto& function = *cast<FunctionDecl>(parameter.getDeclContext());
    std::set<std::string> all;
    if (!open_.insert(&function).second) return all;
    for (const CallExpr* call : calls_of(function)) {
      const VarDecl* argument = argument_of(*call, parameter);
      const auto* outer = dyn_cast_or_null<clang::ParmVarDecl>(argument);
      const bool is_home = program_.function_of(*call) == home_;
      std::set<std::string> here = {expression};
      if (!is_home)
        here = outer == nullptr ? std::set<std::string>() : written_in(*outer, expression);
      for (const std::string& one : here) {
        // Another call of the function may have other data.
        const bool is_it = argument != nullptr && argument->getNameAsString() == root_of(one);
        if (is_it) all.insert(handed(one, function, *call));
      }
    }
    open_.erase(&function);
    return all;
  }

  std::set<std::string> found;

 private:
  /// Calls of a function that the loop leads to.
  [[nodiscard]] std::vector<const CallExpr*> calls_of(const FunctionDecl& function) const {
    std::vector<const CallExpr*> calls = program_.calls_of(function);
    std::erase_if(calls, [&](const CallExpr* call) {
      const FunctionDecl* caller = program_.function_of(*call);
      return caller == nullptr || !program_.leads_to(loop_, *call) ||
             (caller == home_ && !program_.is_within(*call, loop_));
    });
    return calls;
  }

  static const VarDecl* argument_of(const CallExpr& call, const clang::ParmVarDecl& parameter) {
    const Expr* value = argument_for(call, parameter);
    if (value == nullptr || !isa<clang::DeclRefExpr>(value->IgnoreParenImpCasts())) return nullptr;
    return variable_of(value);
  }

  /// An expression with parameters for the names that a call hands over. Empty where a name is not
  /// handed over.
  static std::string handed(const std::string& expression, const FunctionDecl& function,
                            const CallExpr& call) {
    std::string text;
    for (const auto& [word, is_name] : words_of(expression)) {
      const auto all = function.parameters();
      const auto parameter =
          std::ranges::find_if(all, [&, name = word](const clang::ParmVarDecl* one) {
            const VarDecl* argument = argument_of(call, *one);
            return argument != nullptr && argument->getNameAsString() == name;
          });
      if (is_name && parameter == all.end()) return {};
      text += is_name ? (*parameter)->getNameAsString() : word;
    }
    return text;
  }

  [[nodiscard]] std::string replaced(const std::string& expression, const FunctionDecl& function,
                                     const CallExpr& call) const {
    const std::string root = root_of(expression);
    const std::string text = replaced(expression, !root.empty(), function, call);
    const auto all = function.parameters();
    const auto parameter = std::ranges::find_if(
        all, [&](const auto* one) { return !root.empty() && one->getNameAsString() == root; });
    if (parameter == all.end()) return text;
    const Expr* argument = argument_for(call, **parameter);
    return argument == nullptr ? text : in_elements_of(*argument, text, call);
  }

  [[nodiscard]] std::string replaced(const std::string& expression, bool has_root,
                                     const FunctionDecl& function, const CallExpr& call) const {
    std::string text;
    bool is_root = has_root;  // true for the first word only
    for (const auto& [word, is_name] : words_of(expression)) {
      text += is_name ? text_for(word, is_root, function, call) : word;
      is_root = false;
    }
    return text;
  }

  /// A section of a cast argument, in elements of its type before the cast. With `(Row*)u` "u[0:n]"
  /// becomes "u[0:n * (sizeof(Row) / sizeof(double))]".
  [[nodiscard]] std::string in_elements_of(const Expr& argument, const std::string& text,
                                           const CallExpr& call) const {
    const auto* cast = dyn_cast<clang::ExplicitCastExpr>(argument.IgnoreParenImpCasts());
    if (cast == nullptr) return text;
    const clang::ASTContext& context = program_.context();
    const clang::QualType now = cast->getTypeAsWritten()->getPointeeType();
    const clang::QualType then =
        cast->getSubExpr()->IgnoreParenCasts()->getType()->getPointeeType();
    const auto is_known = [](clang::QualType type) {
      return !type.isNull() && !type->isIncompleteType() && !type->isDependentType();
    };
    const auto size = [&](clang::QualType type) {
      return context.getTypeSizeInChars(type).getQuantity();
    };
    const std::size_t begin = text.find('[');
    const std::size_t colon = text.find(':');
    const bool is_one = begin != std::string::npos && colon != std::string::npos &&
                        text.find('[', begin + 1) == std::string::npos && text.ends_with(']');
    if (!is_one || !is_known(now) || !is_known(then) || size(now) % size(then) != 0) {
      program_.refuse(call, "{} is cast to another type here", text.substr(0, begin));
    }
    if (size(now) == size(then)) return text;
    const bool has_name = now->getAs<clang::TypedefType>() != nullptr;
    const auto name = [&](clang::QualType type) {
      return type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
    };
    const std::string factor = has_name
                                   ? fmt::format("(sizeof({}) / sizeof({}))", name(now), name(then))
                                   : std::to_string(size(now) / size(then));
    const auto times = [&](std::string bound) {
      bound = llvm::StringRef(bound).trim().str();
      if (bound.empty() || bound == "0") return bound;
      const bool is_word = std::ranges::all_of(bound, is_of_name);
      return fmt::format("{} * {}", is_word ? bound : '(' + bound + ')', factor);
    };
    return fmt::format("{}[{}:{}]", text.substr(0, begin),
                       times(text.substr(begin + 1, colon - begin - 1)),
                       times(text.substr(colon + 1, text.size() - colon - 2)));
  }

  [[nodiscard]] std::string text_for(const std::string& name, bool is_root,
                                     const FunctionDecl& function, const CallExpr& call) const {
    for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i) {
      if (function.getParamDecl(i)->getNameAsString() != name) continue;
      const Expr& argument = *call.getArg(i)->IgnoreParenImpCasts();
      const auto* named =
          dyn_cast<clang::DeclRefExpr>(is_root ? argument.IgnoreParenCasts() : &argument);
      // A parameter that the function sets has another value than the argument.
      if (!is_root) Names(program_, *function.getBody()).expect_unchanged(name);
      if (named != nullptr) return named->getDecl()->getNameAsString();
      if (is_root) {
        program_.refuse(call, "what {} is in {}() has no name of its own here", name,
                        function.getNameAsString());
      }
      const std::string words = text_of(program_.context(), argument);
      return std::ranges::all_of(words, is_of_name) ? words : '(' + words + ')';
    }
    const VarDecl* variable = variable_named(*function.getBody(), name);
    if (variable != nullptr && variable->isLocalVarDecl()) {
      const auto made = is_root ? std::nullopt : made_of(program_, *variable);
      if (made) {
        const std::string words = replaced(*made, false, function, call);
        return std::ranges::all_of(words, is_of_name) ? words : '(' + words + ')';
      }
      program_.refuse(call, "{} is a variable of {}() alone", name, function.getNameAsString());
    }
    return name;
  }

  const Program& program_;
  const Stmt& loop_;
  const FunctionDecl* home_;
  std::set<const FunctionDecl*> open_;
};

}  // namespace

std::set<std::string> terms_of(const Program& program, const Stmt& loop, const Item& item) {
  const auto here = program.directives_at(item.named_at);
  const FunctionDecl* function = here.empty() ? nullptr : program.function_of(*here.front());
  if (function == nullptr || !function->hasBody()) return {item.expression};
  auto terms = terms_of(program, loop, *function, item.expression);
  if (terms.empty()) terms.insert(item.expression);
  return terms;
}

std::set<std::string> terms_of(const Program& program, const Stmt& loop,
                               const FunctionDecl& function, const std::string& expression) {
  Terms terms(program, loop);
  terms.add(expression, function);
  return std::move(terms.found);
}

std::string in_terms_of(const Program& program, const Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression) {
  const auto all = Terms(program, loop).written_in(parameter, expression);
  return all.size() == 1 ? *all.begin() : std::string();
}

namespace {

bool holds(const std::vector<Item>& items, const Item& item) {
  return std::ranges::any_of(items, [&](const Item& one) {
    return one.expression == item.expression && one.named_at.line == item.named_at.line &&
           one.named_at.file == item.named_at.file;
  });
}

class Gatherer {
 public:
  Gatherer(const Program& program, const Stmt& code)
      : program_(program), code_(code), names_(program, code) {}

  /// Adds the data of edits. Null `side`: the edits stand neither before nor behind the code.
  void add(const std::vector<const Edit*>& edits, const std::vector<Item>& items,
           std::string Kept::* side, const std::string& strongest) {
    for (const Edit* edit : edits) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          if (!holds(items, item)) continue;
          const Item spelled = {as_written(item), item.named_at};
          for (const std::string& expression : terms_of(program_, code_, spelled)) {
            Kept& one = kept(without_outer_parentheses(expression));
            expect_the_same(item, *one.variable);
            if (side == nullptr) continue;
            std::string& kind = one.*side;
            if (kind != strongest) kind = clause.kind;
          }
        }
      }
    }
  }

  /// Data that the loop exchanges with kept data, and that the code maps, is kept as well.
  void add_exchanged() {
    for (bool is_more = true; is_more;) {
      is_more = false;
      const KeptData known = found;
      for (const auto& [name, kept] : known) {
        for (const VarDecl* other : partners_of(program_, code_, *kept.variable)) {
          const std::string item = item_of(*other);
          if (item.empty() || found.contains(other->getNameAsString())) continue;
          Kept& added = this->kept(item);
          added.begin = "to";
          added.end = "from";
          is_more = true;
        }
      }
    }
  }

  KeptData found;

 private:
  /// As many brackets of an item as another item has. The compiler tells only "a[0:m]" of
  /// "a[0:m][0:n]".
  static std::string as_long_as(const std::string& other, const std::string& item) {
    std::size_t end = 0;
    for (auto left = std::ranges::count(other, ']'); left > 0; --left) {
      const std::size_t at = item.find(']', end);
      if (at == std::string::npos) return item;
      end = at + 1;
    }
    return end == 0 ? item : item.substr(0, end);
  }

  /// An item as the source writes it. The compiler replaces macros in items. A source that is
  /// compiled with other values needs the macros' names.
  [[nodiscard]] std::string as_written(const Item& item) const {
    const auto bare = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    const auto expanded = [&](const std::string& text, clang::SourceLocation place) {
      return bare(program_.macros().expanded(text, place));
    };
    for (const auto* directive : program_.directives_at(item.named_at)) {
      for (const MapItem& one : mapped_items(*directive, kWritten)) {
        const std::string text =
            as_long_as(item.expression, text_of(program_.context(), *one.item));
        const std::string value = expanded(text, directive->getBeginLoc());
        const bool has_macros = value != bare(text) && text.find('\n') == std::string::npos;
        const bool is_it = value == expanded(item.expression, directive->getBeginLoc());
        if (has_macros && is_it && expanded(text, code_.getBeginLoc()) == value) return text;
      }
    }
    return item.expression;
  }

  /// The item of a clause in the code's own function. Empty: no clause names the data.
  [[nodiscard]] std::string item_of(const VarDecl& data) const {
    for (const auto* directive : program_.directives_in(code_)) {
      const auto items = mapped_items(*directive, data, kWritten);
      if (!items.empty()) return text_of(program_.context(), *items.front().item);
    }
    return {};
  }

  Kept& kept(const std::string& expression) {
    const std::string root = root_of(expression);
    const auto known = found.find(root);
    if (known != found.end()) {
      const std::string& same = known->second.expression;
      if (!are_same_extents(program_, code_, same, expression)) {
        program_.refuse(code_, "both {} and {} are mapped here", same, expression);
      }
      return known->second;
    }
    const VarDecl* variable = names_.expect_before(root);
    if (!variable->getType()->isPointerType() && !variable->getType()->isArrayType()) {
      program_.refuse(code_, "{} is no pointer and no array", root);
    }
    // An extent that changes would be different at the end.
    names_.expect_plain(expression);
    return found.emplace(root, Kept{variable, expression, {}, {}}).first->second;
  }

  /// Throws Refusal where the same name means another, global variable in the item's function.
  void expect_the_same(const Item& item, const VarDecl& variable) const {
    for (const auto* directive : program_.directives_at(item.named_at)) {
      const FunctionDecl* function = program_.function_of(*directive);
      const VarDecl* named = function == nullptr || !function->hasBody()
                                 ? nullptr
                                 : variable_named(*function->getBody(), root_of(item.expression));
      const bool is_another = named != nullptr && named->hasGlobalStorage() &&
                              named->getCanonicalDecl() != variable.getCanonicalDecl();
      if (is_another) {
        program_.refuse(code_, "{} is another variable here than in {}()", root_of(item.expression),
                        function->getNameAsString());
      }
    }
  }

  const Program& program_;
  const Stmt& code_;
  Names names_;
};

}  // namespace

std::vector<Item> items_of(const Stay& stay) {
  std::vector<Item> items;
  for (const auto* edits : {&stay.begin, &stay.end, &stay.within}) {
    for (const Edit* edit : *edits) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          if (!holds(items, item)) items.push_back(item);
        }
      }
    }
  }
  return items;
}

KeptData kept_data(const Program& program, const Stmt& code, const Stay& stay,
                   const std::vector<Item>& items) {
  Gatherer gatherer(program, code);
  gatherer.add(stay.begin, items, &Kept::begin, "to");
  gatherer.add(stay.end, items, &Kept::end, "from");
  gatherer.add(stay.within, items, nullptr, {});
  gatherer.add_exchanged();
  return std::move(gatherer.found);
}

bool are_same_extents(const Program& program, const Stmt& code, const std::string& one,
                      const std::string& other) {
  const Names names(program, code);
  const auto plain = [&](const std::string& expression) {
    std::string text = names.with_constants(expression);
    std::erase(text, ' ');
    text = without_outer_parentheses(text);
    const std::size_t bound = text.find("[:");
    return bound == std::string::npos ? text : text.insert(bound + 1, "0");
  };
  return one == other || plain(one) == plain(other);
}

}  // namespace ompdm::edit
