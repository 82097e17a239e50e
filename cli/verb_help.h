// Help texts: usage lines as a person would type them, options, examples.
#pragma once

#include <string>
#include <vector>

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

/// What set_help() was given.
struct HelpTexts {
  std::string usage;
  std::string notes;
  std::vector<std::string> examples;
};

/// Of a verb without them, nothing.
HelpTexts help_texts(const CLI::App& verb);

}  // namespace ompdm::cli
