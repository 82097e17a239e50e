// What the names of traces tell: ranks of a job, older runs, summaries beside traces.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::cli {

inline constexpr std::array<std::string_view, 3> kTraceEndings = {".json.gz", ".json", ".ompdm"};
inline constexpr std::string_view kSpoolEnding = ".spool";
inline constexpr std::string_view kSummaryEnding = ".summary.json";

/// 12 of "trace.rank12.json" and of "trace.rank12.p77.json"; -1 of other names.
int rank_in_name(const std::string& name);

/// "trace.rank*.json" of "trace.rank12.json" and of itself; empty for other names.
std::string pattern_of_ranks(const std::string& trace);

/// "trace.rank*.json" of "trace.json", the output that each rank was given; empty where it has
/// placeholders, which ranks may fill differently.
std::string pattern_of_job(const std::string& output);

/// The command that shows the ranks of such a pattern, as one would type it.
std::string report_of_job(const std::string& pattern);

/// "trace" of "trace.json", "trace.json.gz" and "trace.ompdm"; other names as they are.
std::string without_trace_ending(const std::string& name);

/// What the summary of a trace is called: "trace.rank3.summary.json" of "trace.rank3.json" and of
/// "trace.rank3.ompdm".
std::string summary_name(const std::string& trace);

/// The traces that a summary may lie beside; none of another name.
std::vector<std::string> traces_of_summary(const std::string& summary);

/// The names without summaries that are no arguments of their own: those whose trace is there.
std::vector<std::string> without_summaries(const std::vector<std::string>& names);

/// Whether a trace was kept when a newer one took its name: `trace.~1~.json`.
bool is_older_run(const std::string& name);

/// What remains of `names` without traces that were kept when a newer one among them took their
/// name (`trace.~1~.json` beside `trace.json`). Each that is left out is said on stderr.
std::vector<std::string> without_older_runs(const std::vector<std::string>& names);

/// `names`, and besides the traces of ranks that wait as spools in the same folder, where the names
/// are all that there is of such a pattern: "trace.rank3.json" beside ranks 0 to 2. Of a single
/// name that is a file nothing is added: one rank was meant. A pattern that no shell has expanded
/// stands for what it would match.
std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names);

/// The newest trace of the current folder; the folder itself if it is a rank of a job. Empty where
/// there is none.
std::string newest_trace_here();

}  // namespace ompdm::cli
