// The traces that a command line names, of one run, of a job, or of several inputs; and the parts
// of their names.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "source_lines.h"
#include "verb_help.h"

namespace ompdm::cli {

inline constexpr std::array<std::string_view, 3> kTraceEndings = {".json.gz", ".json", ".ompdm"};
inline constexpr std::string_view kSpoolEnding = ".spool";
inline constexpr std::string_view kSummaryEnding = ".summary.json";

/// 12 of "trace.rank12.json" and of "trace.rank12.p77.json"; -1 of other names.
int rank_in_name(const std::string& name);

/// "trace.rank*.json" of "trace.rank12.json" and of itself; empty for other names.
std::string pattern_of_ranks(const std::string& trace);

/// "trace.rank*.json" of "trace.json", the output name for each rank. Empty where the name has
/// placeholders, which ranks may fill differently.
std::string pattern_of_job(const std::string& output);

/// The command that shows the ranks of such a pattern.
std::string report_of_job(const std::string& pattern);

/// "trace" of "trace.json", "trace.json.gz" and "trace.ompdm"; other names as they are.
std::string without_trace_ending(const std::string& name);

/// The name of a trace's summary: "trace.rank3.summary.json" of "trace.rank3.json" and
/// "trace.rank3.ompdm".
std::string summary_name(const std::string& trace);

/// The possible names of a summary's trace; none where `summary` is no name of a summary.
std::vector<std::string> traces_of_summary(const std::string& summary);

/// The names without summaries whose trace exists.
std::vector<std::string> without_summaries(const std::vector<std::string>& names);

/// Whether a name is that of an older run: `trace.~1~.json` was kept when a newer trace took its
/// name.
bool is_older_run(const std::string& name);

/// `names` without older runs (`trace.~1~.json`) whose newer trace is among the names. Prints each
/// that is left out on stderr.
std::vector<std::string> without_older_runs(const std::vector<std::string>& names);

/// `names`, and traces of ranks that are still spools in the same folder: "trace.rank3.json" beside
/// ranks 0 to 2. Such a trace is added where `names` has all other files of its pattern. A pattern
/// that no shell has expanded is expanded.
std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names);

/// The newest trace in the current folder, or "." if that is a rank of a job. Empty if there is
/// none.
std::string newest_trace_here();

/// A recording: its file and its process.
struct OneRecording {
  std::string file;
  Process process;
  std::optional<Trace> trace = {};  ///< kept where it cannot be read twice
};

/// Throws Error where two recordings are the same.
void check_distinct(const std::vector<OneRecording>& recordings);

/// Throws Error where two recordings cannot be of one run. They cannot where both are of the same
/// rank, unless one parent, `ompdm record` or process group started both. Nor can they be ranks of
/// jobs of different sizes.
void check_ranks(const std::vector<OneRecording>& recordings);

/// The values of `--as`.
inline constexpr std::string_view kAsJob = "job";
inline constexpr std::string_view kAsInputs = "inputs";

struct NamedTraces {
  std::vector<std::string> names;  ///< as the user gave them
  std::string as;                  ///< what several traces are: kAsJob, kAsInputs; empty: decided
                                   ///< by their contents
  LinkModel model;                 ///< the link on which transfers are timed
  /// How sources are asked for their uses of data. "off": not at all. "auto", or a folder that has
  /// the sources: each source without an answer is named. Empty: like "auto", but only the first
  /// such source is named.
  std::string source;
  std::string compile_commands;  ///< the folder of compile_commands.json; empty: none is named

  /// Where to look for sources.
  [[nodiscard]] SourceSearch search() const;
};

/// Adds TRACE..., --as, --link, --source and -p; `named` must live as long as `verb`.
void add_trace_options(CLI::App& verb, NamedTraces& named);

/// Adds --source and -p, as NamedTraces has them; both strings must live as long as `verb`.
void add_source_options(CLI::App& verb, std::string& source, std::string& compile_commands);

/// Where no trace is named, adds newest_trace_here() and prints it on stderr. Throws Error (kUsage)
/// where there is none.
void take_newest_if_none(NamedTraces& named);

/// Traces, re-timed on a link if there is one, and their analyses.
struct OpenedTraces {
  std::vector<analysis::Analysis> analyses;
  std::vector<Trace> traces;                       ///< only on request
  std::vector<analysis::Picture> pictures;         ///< for a page, only on request
  bool complete = true;                            ///< no trace was left out
  std::vector<analysis::RankTransfers> transfers;  ///< one for each of `analyses`
  std::vector<OneRecording> recordings;            ///< in the order in which they were opened
  std::vector<std::size_t> order;  ///< positions in `recordings`, in the order of the other lists

  /// For a page.
  [[nodiscard]] std::vector<report::Pictured> pictured() const;
};

/// The results that open_each() returns.
struct Wanted {
  bool analyses = true;
  bool traces = false;
  bool pictures = false;
  bool patches = true;         ///< with the lines to write, where sources are asked
  bool rest_of_ranks = false;  ///< a rank that cannot be read is reported and left out
  std::function<void(const Trace&)> take = {};  ///< called with each trace, in the order of ranks
                                                ///< in the names
};

/// Opens each trace of `names`, with the link and the sources of `named`. Throws Error where one
/// cannot be read.
OpenedTraces open_each(const std::vector<std::string>& names, const NamedTraces& named,
                       const Wanted& wanted);

/// Opens the traces, and puts them in the order of ranks. Runs on several inputs keep the order of
/// the names. Throws Error where a trace cannot be read, or where they are not of one run or
/// program.
OpenedTraces open_named(const NamedTraces& named, const Wanted& wanted = {});

/// The traces as the next command names them. Empty where there are many.
std::string spoken_names(const NamedTraces& named);

}  // namespace ompdm::cli
