// The traces that a command line names: of one run, of a job, or of several inputs; and the parts
// of their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"
#include "verb_help.h"

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

/// A recording: where it was read from, and the process that it is of.
struct OneRecording {
  std::string file;
  Process process;
};

/// Throws Error where the same recording is there twice.
void check_distinct(const std::vector<OneRecording>& recordings);

/// Throws Error where two recordings cannot be of one run: the same rank twice (but for processes
/// that one parent, `ompdm record` or group of processes has in common), or ranks of jobs of
/// different sizes.
void check_ranks(const std::vector<OneRecording>& recordings);

/// Positions in the order of ranks; recordings without a rank come first, as they were named.
std::vector<std::size_t> rank_order(const std::vector<OneRecording>& recordings);

/// Whether a trace is analyzed, and with what a page needs.
enum class Analyzed : std::uint8_t { kNo, kYes, kWithPicture };

/// A trace, timed on a link if there is one, and its analysis.
struct AnalyzedTrace {
  Trace trace;
  analysis::Analysis analysis;
  analysis::Picture picture;
};

/// Throws Error where the trace cannot be read.
AnalyzedTrace open_analyzed(const std::string& name, const std::optional<analysis::Link>& link,
                            Analyzed how);

/// The values of `--as`.
inline constexpr std::string_view kAsJob = "job";
inline constexpr std::string_view kAsInputs = "inputs";

struct NamedTraces {
  std::vector<std::string> names;  ///< as the user gave them
  std::string as;                  ///< what several are: kAsJob, kAsInputs; empty: as they seem
  LinkModel model;                 ///< that transfers are timed on
};

/// Adds TRACE..., --as and --link; `named` must live as long as `verb`.
void add_trace_options(CLI::App& verb, NamedTraces& named);

/// Where no trace is named, names the newest one of the current folder, and says so on stderr; of a
/// job's ranks the folder itself. Throws Error (kUsage) where there is none.
void take_newest_if_none(NamedTraces& named);

struct OpenedTraces {
  std::vector<analysis::Analysis> analyses;
  std::vector<Trace> traces;                ///< where they are asked for
  std::vector<analysis::Picture> pictures;  ///< for a page, where they are asked for
  bool complete = true;                     ///< none was left out
};

/// What of the traces is wanted.
struct Wanted {
  bool analyses = true;
  bool traces = false;
  bool pictures = false;
  bool rest_of_ranks = false;  ///< of several ranks one that cannot be read is said and left out
};

/// Throws Error where a trace cannot be read, or what is named cannot be taken together.
OpenedTraces open_named(const NamedTraces& named, const Wanted& wanted = {});

/// The same, for many or long traces: each is handed to `take` and forgotten before the next is
/// opened. They come in the order of the ranks that their names tell; `order` is that of the ranks
/// that they are: its n-th is the n-th by the position in which it came. Analyses are in that
/// order.
struct TakenTraces {
  std::vector<analysis::Analysis> analyses;
  std::vector<std::size_t> order;
};
TakenTraces take_named(const NamedTraces& named, const std::function<void(const Trace&)>& take);

/// The traces as the next command has to name them; empty where they are many.
std::string spoken_names(const NamedTraces& named);

}  // namespace ompdm::cli
