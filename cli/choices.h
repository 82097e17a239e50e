// What an option's value may be, as its definition has it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}  // namespace CLI

namespace ompdm::cli {

/// The kind of value as the help shows it: "off|full|PERCENT", "FILE"; empty if there is none.
std::string value_kind(const CLI::Option& option);

/// Of that the words that can be typed as they are: "off" and "full". Names of kinds are capitals.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace ompdm::cli
