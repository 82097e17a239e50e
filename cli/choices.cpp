#include "choices.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

namespace ompdm::cli {

std::string value_kind(const CLI::Option& option) {
  // Behind a colon CLI11 lists what it checks the value with.
  const std::string kind = option.get_type_name();
  return kind.substr(0, kind.find(':'));
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> choices;
  std::istringstream words(value_kind(option));
  for (std::string word; std::getline(words, word, '|');) {
    const bool named =
        std::ranges::any_of(word, [](unsigned char letter) { return std::isupper(letter) != 0; });
    if (!word.empty() && !named) choices.push_back(word);
  }
  return choices;
}

}  // namespace ompdm::cli
