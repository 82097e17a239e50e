// What a plan assumes and no source shows, as sentences and as assertions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kept_copies.h"

namespace ompdm::edit {

struct RestsOn {
  Doubtful doubtful;
  std::set<std::string> apart = {};   ///< data that the doubtful pointers may lead to
  std::set<std::string> unused = {};  ///< data that code which is not seen may use
  std::set<std::string> beside = {};  ///< data of regions that run beside the host
};

/// `first`: the first statement of the code that the data is kept around. `device`: the device
/// number.
std::vector<Assumption> assumptions_of(const Trail& trail, const Code& code, const Stmt& first,
                                       const std::vector<Datum>& data, const RestsOn& rests,
                                       int device);

}  // namespace ompdm::edit
