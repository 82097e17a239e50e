// The traces that a command line names: of one run, of a job, of several inputs.
#pragma once

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

/// A recording: where it was read from, and the process that it is of.
struct OneRecording {
  std::string file;
  Process process;
};

/// Throws Error where the same recording is there twice.
void check_apart(const std::vector<OneRecording>& recordings);

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
