// Programs that somebody meant who typed a name that leads to none.
#pragma once

#include <string>

namespace ompdm::cli {

/// The program that is nearest to a name that leads to none, as one would type it: in the folder
/// that is named, else here (`./heat`) or on PATH. Empty if none is near.
std::string near_program(const std::string& program);

}  // namespace ompdm::cli
