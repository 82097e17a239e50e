// The data that a finding asks to keep on the device, in the names of the code around which it
// stays.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
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

}  // namespace ompdm::edit
