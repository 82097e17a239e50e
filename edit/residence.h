// Data kept on the device around code: all that uses it meanwhile, looked at, and what has to be
// updated or is idle then.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host_uses.h"
#include "kept_data.h"
#include "program.h"
#include "stay.h"

namespace ompdm::edit {

/// Once nothing was found that would make it wrong.
struct Residence {
  KeptData data;
  int device = 0;
  bool is_later = false;          ///< a region in the code may still run when that has ended
  std::set<std::string> written;  ///< by a kernel
  std::set<std::string> sent;     ///< a clause asks for what the host has
  std::vector<Update> updates;
  std::set<const clang::OMPExecutableDirective*> idle;  ///< that are not needed any more
};

/// Of a finding's items, around a loop or the statements of a block. Throws Refusal.
Residence residence_of(const Program& program, const clang::Stmt& code, const Stay& stay,
                       const std::vector<Item>& items);

}  // namespace ompdm::edit
