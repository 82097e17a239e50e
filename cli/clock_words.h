// How far the times of several processes agree, in a sentence. Pure.
#pragma once

#include <span>
#include <string>

#include "ompdm/timeline.h"

namespace ompdm::cli {

/// "ranks 0-3 of node1 and 4-7 of node2: times agree to ±1.20 ms": of the processes of `clock`.
std::string clock_words(const OneClock& clock, std::span<const Process> processes);

/// "synchronized, at most 600 us off"; empty if it is not known.
std::string clock_words(const RealtimeClock& clock);

}  // namespace ompdm::cli
