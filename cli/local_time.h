// When something was, for a reader here.
#pragma once

#include <ctime>
#include <string>

namespace ompdm::cli {

/// "2026-11-22 05:39:37 +0000"
std::string local_time(std::time_t seconds);

}  // namespace ompdm::cli
