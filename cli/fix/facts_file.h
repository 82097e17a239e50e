// The sources' answers about a recording, kept beside its trace: "trace.facts" beside "trace.json".
// A later report needs neither the sources nor ompdm-edit, and says the same.
#pragma once

#include <filesystem>

#include "ompdm/trace.h"

namespace ompdm::cli {

/// The name of the facts that belong to a trace; empty where the trace is no file of a name.
std::filesystem::path facts_path(const std::string& trace);

/// Reads facts into Trace::source_facts and Trace::host_facts. Returns false where there are none
/// of this recording, or the file is none of facts.
bool read_facts(const std::filesystem::path& file, Trace& trace);

/// Writes them; in place of what is there. Throws Error.
void write_facts(const std::filesystem::path& file, const Trace& trace);

}  // namespace ompdm::cli
