// Data kept on the device around code, found in the trail of the whole program. Members of objects,
// elements of containers, and functions of any source are data and code like others. What code that
// is not seen may do with the data becomes an assumption.
#pragma once

#include <string>
#include <vector>

#include "kept_data.h"
#include "residence.h"
#include "trail_code.h"

namespace ompdm::edit {

/// The data of a finding that can be kept on the device around one piece of code.
struct Keeping {
  Program unit;                ///< that the code is in
  const Stmt* code = nullptr;  ///< a loop, or statements of a block as one statement
  Stay stay;
  Residence residence;
  std::vector<std::string> declared;  ///< declarations of pointers before the code
  std::vector<LeftOut> left_out;
  std::vector<Assumption> assumed;
};

/// The data that can be kept. Throws Refusal where there is none. Where `may_assume` is not set,
/// uncertain data is refused.
Keeping keeping_of(const TrailOfAll& all, const Finding& finding, bool may_assume);

}  // namespace ompdm::edit
