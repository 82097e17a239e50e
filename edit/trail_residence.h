// Data kept on the device around code, looked at by the trail of the whole program: members of
// objects, elements of containers, and functions of any source are data and code like others.
// What code that is not seen may do with the data is told as an assumption.
#pragma once

#include <string>
#include <vector>

#include "kept_data.h"
#include "residence.h"
#include "trail_code.h"

namespace ompdm::edit {

/// All that a finding asks to keep on the device around one piece of code, and can be kept there.
struct Keeping {
  Program unit;                ///< that the code is in
  const Stmt* code = nullptr;  ///< a loop, or statements of a block as one
  Stay stay;
  Residence residence;
  std::vector<std::string> declared;  ///< pointers, in statements before the code
  std::vector<LeftOut> left_out;
  std::vector<Assumption> assumed;
};

/// Throws Refusal where nothing can be kept. Not `may_assume`: what is not certain is refused.
Keeping keeping_of(const TrailOfAll& all, const Finding& finding, bool may_assume);

}  // namespace ompdm::edit
