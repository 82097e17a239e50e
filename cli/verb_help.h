// Help texts: usage lines as a person would type them, options, examples.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

/// Lays out the help of `app` and of the verbs added to it afterwards.
void set_layout(CLI::App& app);

/// Gives `verb` this usage ("ompdm finish [SPOOL] [-o FILE]"), and a footer of example commands,
/// one a line, below `notes` (which may be empty).
void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples);

}  // namespace ompdm::cli
