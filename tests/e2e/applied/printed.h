// The code that a report prints, in each of its forms and at several widths, against the edits that
// it stands for.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ompdm::e2e {

/// Whether the report prints code for some edit of a finding of its JSON form.
bool prints_code(const nlohmann::json& finding);

/// What is wrong with the code that is printed of a trace whose sources are at hand: code that is
/// no edit's, is not whole, or is missing where its finding does not say how to read it. Empty: all
/// of it is right, in text, explanations, Markdown, JSON and the page, at widths from 60 to 200.
std::vector<std::string> printed_faults(const std::filesystem::path& trace);

}  // namespace ompdm::e2e
