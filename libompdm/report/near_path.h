// The path of a number in a report that somebody meant who misspelt it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ompdm::report {

/// The path nearest to one that leads to no number, of those that do; empty if none is near.
std::string near_path(std::string_view path, const nlohmann::json& report);

}  // namespace ompdm::report
