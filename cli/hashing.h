// What OMPDM_HASH and --hash may say.
#pragma once

#include <string>

namespace ompdm::cli {

/// What is wrong with a value of --hash, as CLI11 asks; empty if the recorder takes it: off, full,
/// or a percentage from 0 to 100 ("3", "0.5", "12.5%").
std::string is_hashing(const std::string& value);

}  // namespace ompdm::cli
