// The data that a finding asks to keep on the device, in the names of the code around which it
// stays: clauses of a function's directives are written in its terms, and have to be written in
// those of the loop that calls it.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "program.h"
#include "request.h"
#include "stay.h"

namespace ompdm::edit {

struct Kept {
  const clang::VarDecl* variable = nullptr;
  std::string expression;  ///< "u[0:n * n]"
  std::string begin;       ///< how it is mapped before the code: "to", "alloc"; empty: not there
  std::string end;         ///< and behind it: "from", "release"
};

using KeptData = std::map<std::string, Kept>;  ///< by name

/// The finding's items, each once.
std::vector<Item> items_of(const Stay& stay);

/// What they stand for in the code. Throws Refusal where that has no name of one meaning before it,
/// or an extent that may change.
KeptData kept_data(const Program& program, const clang::Stmt& code, const Stay& stay,
                   const std::vector<Item>& items);

/// The same text but for blanks, with constants for the names that hold them.
bool are_same_extents(const Program& program, const clang::Stmt& code, const std::string& one,
                      const std::string& other);

/// What the item of a clause, named at a directive in a function that the loop calls, stands for in
/// the loop's own terms: several where the function is called with several data; itself where the
/// directive stands in the loop's function, or elsewhere. Throws Refusal where it stands for what
/// has no name there.
std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop, const Item& item);

/// The same of an expression in a function; empty where the loop does not call that.
std::set<std::string> terms_of(const Program& program, const clang::Stmt& loop,
                               const clang::FunctionDecl& function, const std::string& expression);

/// The other way: what a function that the loop calls would write for an expression of the loop's,
/// whose data is `parameter` there; empty where its parameters do not tell, or calls differ.
std::string in_terms_of(const Program& program, const clang::Stmt& loop,
                        const clang::ParmVarDecl& parameter, const std::string& expression);

}  // namespace ompdm::edit
