// What a finding asks to keep on the device: the code around which it is to stay there, a loop, or
// statements of a block from the first to the last that lead to its directives; and the data, in
// the names of that code. Clauses of a function's directives are written in its terms, and have to
// be written in those of the loop that calls it.
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
  std::vector<const Edit*> begin;  ///< what is to be written before the code
  std::vector<const Edit*> end;    ///< and behind it
  /// Of what `is_there`: what is to be written where the host uses the data.
  std::vector<const Edit*> within;
  bool is_of_loop = false;
  bool is_there = false;  ///< the data is on the device before and behind: updates are written
  /// Directives of this translation unit that stay as they are.
  std::vector<const Directive*> kept;
  std::vector<Place> kept_places;

  [[nodiscard]] bool any() const { return !begin.empty() || !end.empty() || !within.empty(); }
  [[nodiscard]] const Edit& first() const {
    return *(!begin.empty() ? begin : !end.empty() ? end : within).front();
  }
};

/// Empty `begin`, `end` and `within`: it asks for nothing of the kind. Empty `kept`: nothing of it
/// is in this translation unit. Throws Refusal where only a part is.
Stay stay_of(const Program& program, const Finding& finding);

/// The loop. Throws Refusal where there is none.
const Stmt& loop_of(const Program& program, const Stay& stay);

/// A program in which the statements from the first to the last that lead to the directives are one
/// statement, and that statement.
struct Spanned {
  Program program;
  const Stmt* span;
};

/// Of the innermost block that leads to them all. Throws Refusal where there is none, or several.
Spanned span_of(const Program& program, const Stay& stay);

struct Kept {
  const VarDecl* variable = nullptr;
  std::string expression;  ///< "u[0:n * n]"
  std::string begin;       ///< how it is mapped before the code: "to", "alloc"; empty: not there
  std::string end;         ///< and behind it: "from", "release"
};

using KeptData = std::map<std::string, Kept>;  ///< by name

/// The finding's items, each once.
std::vector<Item> items_of(const Stay& stay);

/// What they stand for in the code. Throws Refusal where that has no name of one meaning before it,
/// or an extent that may change.
KeptData kept_data(const Program& program, const Stmt& code, const Stay& stay,
                   const std::vector<Item>& items);

/// The same text but for blanks, with constants for the names that hold them.
bool are_same_extents(const Program& program, const Stmt& code, const std::string& one,
                      const std::string& other);

/// What the item of a clause, named at a directive in a function that the loop calls, stands for in
/// the loop's own terms: several where the function is called with several data; itself where the
/// directive stands in the loop's function, or elsewhere. Throws Refusal where it stands for what
/// has no name there.
std::set<std::string> terms_of(const Program& program, const Stmt& loop, const Item& item);

/// The same of an expression in a function; empty where the loop does not call that.
std::set<std::string> terms_of(const Program& program, const Stmt& loop,
                               const FunctionDecl& function, const std::string& expression);

/// The other way: what a function that the loop calls would write for an expression of the loop's,
/// whose data is `parameter` there; empty where its parameters do not tell, or calls differ.
std::string in_terms_of(const Program& program, const Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression);

}  // namespace ompdm::edit
