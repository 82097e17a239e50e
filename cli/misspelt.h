// What to say of words on the command line that mean nothing: the verb, option or program that was
// probably meant.
#pragma once

#include <string>
#include <vector>

#include "ompdm/error.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ompdm::cli {

/// Of `words`, what stands behind `ompdm`, whose first is no verb: a misspelt one, a program that
/// is to be recorded, or a trace that is to be shown.
Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words);

/// Of a word with a dash that `verb` (or the command itself) has no option for.
Error no_such_option(const CLI::App& verb, const std::string& word);

/// Of the words of a verb that runs a program: throws where the first is an option that `verb` does
/// not have.
void check_program_words(const CLI::App& verb, const std::vector<std::string>& words);

/// Of words that `app` could not parse; a misspelt option first, whatever else was missed.
Error cannot_parse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ompdm::cli
