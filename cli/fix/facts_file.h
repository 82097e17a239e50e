// The sources' answers about a recording, kept beside its trace: "trace.facts" beside "trace.json".
// A later report needs neither the sources nor ompdm-edit, and says the same.
#pragma once

#include <filesystem>
#include <set>

#include "ompdm/trace.h"

namespace ompdm::cli {

/// The name of the facts that belong to a trace; empty where the trace is no file of a name.
std::filesystem::path facts_path(const std::string& trace);

/// The origin of facts: the files and the way they were asked.
struct FactsOrigin {
  /// sources_digest() of the files when they were asked. Empty: not all of them could be read.
  std::string digest;
  std::set<std::string> files;      ///< files that were read
  std::set<std::string> sentences;  ///< a sentence on each source without an answer, with the
                                    ///< reason
};

/// Reads facts into Trace::source_facts and Trace::host_facts. Returns false where the file has
/// none of this recording, or is no file of facts.
bool read_facts(const std::filesystem::path& file, Trace& trace, FactsOrigin& origin);

/// Writes the facts, and replaces an older file. Throws Error.
void write_facts(const std::filesystem::path& file, const Trace& trace, const FactsOrigin& origin);

}  // namespace ompdm::cli
