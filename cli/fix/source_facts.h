// What the sources of a recorded program say of its kernels.
#pragma once

#include <set>
#include <string>

#include "fix/edit_tool.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// What asking the sources told besides facts.
struct SourcesAsked {
  std::set<std::string> sentences;  ///< on each source and region that tells nothing, the reason
  std::set<std::string> files;      ///< of the program that were read
  bool is_whole = true;             ///< each source that was asked could be read
};

/// Asks ompdm-edit what the code of each target region that ran does with its data, and adds the
/// answers to Trace::source_facts. Only compiled sources are asked (SourceLines). Where `search`
/// names no commands, the debug information tells how sources were compiled. Throws Error where
/// ompdm-edit is not installed or fails.
SourcesAsked add_source_facts(Trace& trace, const SourceSearch& search, EditProcess& process);

/// What answers of the sources depend on: ompdm-edit, how the program's sources are compiled, and
/// the contents of the files that were read. While it stays the same, so do the answers.
std::string sources_digest(const Trace& trace, const SourceSearch& search,
                           const std::set<std::string>& files);

}  // namespace ompdm::cli
