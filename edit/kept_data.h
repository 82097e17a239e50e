// The data and the code of a finding's edits that keep data on the device. The code is a loop, or
// the statements of a block from the first to the last that lead to the finding's directives.
// Clauses of a function's directives are written in the names of that function. They have to be
// translated to the names of the loop that calls it.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

struct Stay {
  std::vector<const Edit*> begin;  ///< directives to be written before the code
  std::vector<const Edit*> end;    ///< directives to be written behind the code
  /// Where `is_there`: directives to be written where the host uses the data.
  std::vector<const Edit*> within;
  bool is_of_loop = false;
  bool is_there = false;  ///< the data is present before and behind the code: updates are written
  /// Directives of this translation unit that are not changed.
  std::vector<const Directive*> kept;
  std::vector<Place> kept_places;

  [[nodiscard]] bool any() const { return !begin.empty() || !end.empty() || !within.empty(); }
  [[nodiscard]] const Edit& first() const {
    return *(!begin.empty() ? begin : !end.empty() ? end : within).front();
  }
};

/// The residency that a finding asks for. Empty `begin`, `end` and `within`: it asks for none.
/// Empty `kept`: none of its directives is in this translation unit. Throws Refusal where only some
/// are.
Stay stay_of(const Program& program, const Finding& finding);

/// The loop that the data is kept around. Throws Refusal where there is none.
const Stmt& loop_of(const Program& program, const Stay& stay);

/// A program in which the statements from the first to the last that lead to the directives are one
/// statement. `span` is that statement.
struct Spanned {
  Program program;
  const Stmt* span;
};

/// The span in the innermost block that leads to all directives. Throws Refusal where there is no
/// such block, or several.
Spanned span_of(const Program& program, const Stay& stay);

struct Kept {
  const VarDecl* variable = nullptr;
  std::string expression;  ///< "u[0:n * n]"
  std::string begin;       ///< how it is mapped before the code: "to", "alloc"; empty: not
  std::string end;         ///< how its mapping ends: "from", "release"; empty: not there
};

using KeptData = std::map<std::string, Kept>;  ///< by name

/// The finding's items, each once.
std::vector<Item> items_of(const Stay& stay);

/// The data that items stand for in the code. Throws Refusal where the data has no unique name
/// before the code, or an extent that may change.
KeptData kept_data(const Program& program, const Stmt& code, const Stay& stay,
                   const std::vector<Item>& items);

/// Whether two extents are equal, blanks left out, with constants for the names that hold them.
bool are_same_extents(const Program& program, const Stmt& code, const std::string& one,
                      const std::string& other);

/// What the item of a clause stands for, in the names of the loop's function. The clause's
/// directive may stand in a function that the loop calls. There are several results where the
/// function is called with several data. The item itself is the result where the directive stands
/// in the loop's function, or elsewhere. Throws Refusal where the item has no name at the loop.
std::set<std::string> terms_of(const Program& program, const Stmt& loop, const Item& item);

/// The same for an expression of a function. Empty where the loop does not call the function.
std::set<std::string> terms_of(const Program& program, const Stmt& loop,
                               const FunctionDecl& function, const std::string& expression);

/// The reverse: how a function that the loop calls would write an expression of the loop's
/// function. `parameter` is the expression's data in that function. Empty where the parameters do
/// not determine it, or where calls differ.
std::string in_terms_of(const Program& program, const Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression);

}  // namespace ompdm::edit
