// Facts of a recorded program's kernels, from its sources.
#pragma once

#include <set>
#include <string>

#include "fix/edit_tool.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// What is known after asking the sources, besides facts.
struct SourcesAsked {
  std::set<std::string> sentences;  ///< a sentence on each source and region without an answer,
                                    ///< with the reason
  std::set<std::string> files;      ///< files of the program that were read
  bool is_whole = true;             ///< each source that was asked could be read
};

/// Asks ompdm-edit how the code of each executed target region uses its data, and adds the answers
/// to Trace::source_facts. Only compiled sources are asked (SourceLines). Where `search` names no
/// commands, the debug information tells how sources were compiled. Throws Error where ompdm-edit
/// is not installed or fails.
SourcesAsked add_source_facts(Trace& trace, const SourceSearch& search, EditProcess& process);

/// A digest of all that answers of the sources depend on. That is ompdm-edit, how the program's
/// sources are compiled, and the contents of the files that were read. While the digest stays the
/// same, so do the answers.
std::string sources_digest(const Trace& trace, const SourceSearch& search,
                           const std::set<std::string>& files);

}  // namespace ompdm::cli
