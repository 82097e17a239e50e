// The sources' answers about a recording, kept beside its trace: "trace.facts" beside "trace.json".
// A later report needs neither the sources nor ompdm-edit, and says the same.
#pragma once

#include <filesystem>
#include <set>

#include "ompdm/trace.h"

namespace ompdm::cli {

/// The name of the facts that belong to a trace; empty where the trace is no file of a name.
std::filesystem::path facts_path(const std::string& trace);

/// What was asked for the facts.
struct FactsOrigin {
  /// sources_digest() of the files, as they were asked; empty: not all of them could be read.
  std::string digest;
  std::set<std::string> files;      ///< that were read
  std::set<std::string> sentences;  ///< on each source that tells nothing, with the reason
};

/// Reads facts into Trace::source_facts and Trace::host_facts. Returns false where there are none
/// of this recording, or the file is none of facts.
bool read_facts(const std::filesystem::path& file, Trace& trace, FactsOrigin& origin);

/// Writes them; in place of what is there. Throws Error.
void write_facts(const std::filesystem::path& file, const Trace& trace, const FactsOrigin& origin);

}  // namespace ompdm::cli
