// What the recorder's variables of how much is told may say (OMPDM_AFTER, OMPDM_DURATION,
// OMPDM_UNTIL, OMPDM_MAX_SPOOL): as CLI11 asks, what is wrong with a value, empty if the recorder
// takes it.
#pragma once

#include <string>

namespace ompdm::cli {

/// A number and ns, us, ms, s, min or h, more than zero.
std::string is_time(const std::string& value);

/// Such a time as the recorder reads it: in whole microseconds, no less than asked for; empty
/// of an empty one.
std::string recorder_time(const std::string& value);

/// FILE:LINE.
std::string is_place(const std::string& value);

/// "none", or a whole number and K, M, G, T, KB … TB, KiB, MiB or GiB; without one of them bytes.
std::string is_spool_size(const std::string& value);

}  // namespace ompdm::cli
