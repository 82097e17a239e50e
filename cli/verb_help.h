// The help text of a verb: its usage line as a person would type it, its options, its examples.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

/// Gives `verb` this usage ("ompdm finish [SPOOL] [-o FILE]"), and a footer of example commands,
/// one a line, below `notes` (which may be empty).
void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples);

}  // namespace ompdm::cli
