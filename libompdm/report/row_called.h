// What a row of a report's JSON may be called in a condition's path.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::report {

/// Whether `name` is one of the row's names, or its place with as much of the file's path as one
/// likes.
bool is_called(const nlohmann::json& row, std::string_view name);

/// Those names, the place with the file's own name alone.
std::vector<std::string> names_of_row(const nlohmann::json& row);

}  // namespace ompdm::report
