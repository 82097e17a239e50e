// Man pages, one for each verb and one for the command, as roff that groff and mandoc take.
#pragma once

#include <string>
#include <vector>

#include "offered.h"

namespace ompdm::cli {

/// The page ompdm-VERB(1); `all` are named in its last section.
std::string man_page(const OfferedVerb& verb, const std::vector<OfferedVerb>& all);

/// The page ompdm(1), below whose commands stands `start`, lines that say where to begin.
std::string man_page(const std::string& description, const std::string& start,
                     const std::vector<OfferedOption>& options,
                     const std::vector<OfferedVerb>& all);

}  // namespace ompdm::cli
