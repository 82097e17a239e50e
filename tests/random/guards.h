// Updates that are reached only where the host's copy has changed since the device had it last:
// what an edited program asks and tells to know that.
#pragma once

#include <string>
#include <vector>

#include "text.h"

namespace ompdm::random_programs::guards {

/// What a source has that uses the others.
std::vector<std::string> source();

/// A condition: whether the device has not had what the host has, from that guard.
std::string taken(int guard, const std::string& variable, const std::string& device);

/// A statement: the host's copy is another, since the host has changed it (`when` it did; empty:
/// always).
std::string changed(const HostUse& use, const std::string& when);

/// A statement: it is another for all but this device, which has brought back its own.
std::string returned(const std::string& variable, const std::string& device);

}  // namespace ompdm::random_programs::guards
