// Where a loop's host code reads or writes data that stays on the device meanwhile, and what has to
// be updated there. OpenMP 5.2, sections 5.8.3 and 13.9.
#pragma once

#include <clang/AST/Decl.h>

#include <string>
#include <vector>

#include "pointer_uses.h"

namespace ompdm::edit {

/// A `target update` of one of the data, on one side of a statement that stands in a block.
struct Update {
  const clang::Stmt* statement = nullptr;
  const clang::VarDecl* data = nullptr;
  bool from = false;           ///< before the statement; else `to`, behind it
  std::string item = {};       ///< of the data; empty: all that stays on the device
  std::string condition = {};  ///< of an if() clause; empty: none
};

/// `mentions` are those of `data` in the loop; `device_writes` says whether a region in it may
/// write to it. Throws Refusal of what is not known, or stands where no directive can.
std::vector<Update> updates_in(const Program& program, const clang::Stmt& loop,
                               const clang::VarDecl& data, const std::vector<Mention>& mentions,
                               bool device_writes);

}  // namespace ompdm::edit
