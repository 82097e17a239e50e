// Code that the preprocessor left out of this build, and that another build may have.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "messages.h"
#include "whole_program.h"

namespace ompdm::edit {

struct LeftOutUse {
  std::string name;
  Place at;
};

/// The first of the names in code that was left out, in a function that holds one of the places.
std::optional<LeftOutUse> left_out_use(const WholeProgram& program,
                                       const std::vector<Place>& places,
                                       const std::set<std::string>& names);

}  // namespace ompdm::edit
