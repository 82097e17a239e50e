// Scripts that teach a shell to complete `ompdm` commands.
#pragma once

#include <string>
#include <vector>

#include "offered.h"

namespace ompdm::cli {

/// Where the value of an option, or what stands in a place, is to be looked for.
enum class Source { kNothing, kChoices, kFiles, kFolders, kVerbs };

/// As the definitions tell it: by the words a value can be, else by the name of its kind.
Source source_of(const OfferedOption& option);

/// For bash, with or without its package bash-completion.
std::string complete_bash(const std::vector<OfferedVerb>& verbs,
                          const std::vector<OfferedOption>& options);

/// For zsh: a file `_ompdm` of a folder in its `fpath`, or to be sourced after `compinit`.
std::string complete_zsh(const std::vector<OfferedVerb>& verbs,
                         const std::vector<OfferedOption>& options);

/// For fish, from 3.0 on.
std::string complete_fish(const std::vector<OfferedVerb>& verbs,
                          const std::vector<OfferedOption>& options);

/// `text` between single quotes, as all of these shells take it.
std::string single_quoted(const std::string& text);

}  // namespace ompdm::cli
