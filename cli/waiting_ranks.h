// Ranks whose trace is not there yet when a job's traces are named: a shell expands
// `trace.rank*.json` to the files that it finds, and the last rank's may still be written.
#pragma once

#include <string>
#include <vector>

namespace ompdm::cli {

/// `names`, and besides the traces of ranks that wait as spools in the same folder, where the names
/// are all that there is of such a pattern: "trace.rank3.json" beside ranks 0 to 2. Of a single
/// name that is a file nothing is added: one rank was meant. A pattern that no shell has expanded
/// stands for what it would match.
std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names);

}  // namespace ompdm::cli
