// A summary stands for the trace of a process, or of all ranks of a job, in a few kilobytes. It has
// figures by directive, variable, loop and finding, which add up exactly, in any order. It does not
// grow with the number of events. With the number of ranks only the ranges grow that name them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/aggregates.h"
#include "ompdm/trace.h"

namespace ompdm::summary {

/// Ranks of a job, as ranges: "0-1023,1025".
class RankSet {
 public:
  RankSet() = default;
  explicit RankSet(std::int32_t rank) : ranges_{{rank, rank}} {}
  /// Throws Error if the text is no such list.
  explicit RankSet(std::string_view text);

  bool operator==(const RankSet&) const = default;

  /// Adds ranks. Returns whether none of them was there already.
  bool add(const RankSet& other);
  [[nodiscard]] bool contains(std::int32_t rank) const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// The lowest; -1 if there is none.
  [[nodiscard]] std::int32_t first() const { return empty() ? -1 : ranges_.front().first; }
  /// Those from 0 to below `count` that are not there.
  [[nodiscard]] RankSet missing(std::int32_t count) const;
  /// Those that are not in the other set.
  [[nodiscard]] RankSet without(const RankSet& other) const;
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges_;  ///< first and last, ascending
};

/// One quantity of each rank that has it: sums, extremes and median over the ranks.
struct Figure {
  Distribution ranks;            ///< a quantity a rank
  std::int32_t least_rank = -1;  ///< that has the least of them; of several the lowest
  std::int32_t most_rank = -1;

  bool operator==(const Figure&) const = default;
  void add(std::int32_t rank, std::uint64_t value);
  void add(const Figure& other);
};

/// A row of one of the tables.
struct Row {
  /// What it is of: "directive", "file", "function"; empty ones are left out.
  std::map<std::string, std::string> what;
  int line = 0;  ///< 0 if unknown
  /// Named as in the report's JSON: "HtoD_bytes", "transfer_ns". A rank in which a figure is not
  /// known has none of it.
  std::map<std::string, Figure> figures;
  Distribution durations;  ///< of single events of all ranks, in nanoseconds; empty where not kept
  RankSet ranks;           ///< that have the row
  std::map<std::string, std::uint64_t> confidences;  ///< of findings: ranks by confidence

  bool operator==(const Row&) const = default;
};

/// By the rows' ids (ompdm/analysis.h), which are equal between processes of one build.
using Rows = std::map<std::string, Row>;

/// A process whose figures are in those of a rank.
struct RankProcess {
  std::string host;
  std::uint32_t pid = 0;
  std::uint32_t group = 0;    ///< of processes, in which it was started; 0: not known
  std::string session;        ///< the `ompdm record` that it ran under; empty: under none
  std::int64_t start_ns = 0;  ///< REALTIME
  std::int64_t wall_ns = 0;

  bool operator==(const RankProcess&) const = default;
  auto operator<=>(const RankProcess&) const = default;
};

/// Whether two processes of one rank are of one run of the job: both ran under one `ompdm record`.
/// If there is none above them, they must be in one process group of a host.
bool of_one_run(const RankProcess& one, const RankProcess& other);

/// The trace that a summary was made from.
struct Source {
  std::uint64_t bytes = 0;       ///< of its file
  std::int64_t modified_ns = 0;  ///< its time of modification
  bool operator==(const Source&) const = default;
};

inline constexpr std::string_view kSchema = "ompdm.summary/1";

/// What is known of one rank, or of several.
struct Summary {
  RankSet ranks;
  std::int32_t rank_count = 0;                                       ///< of the job; 0: not known
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();  ///< the first start, REALTIME
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();    ///< the last end
  RankSet killed;     ///< whose process ended without the recorder's trailer
  RankSet truncated;  ///< whose trace is cut short
  /// Ranks whose trace or summary could not be read, by the error.
  std::map<std::string, RankSet> unread;
  std::vector<RankProcess> processes;  ///< of one rank's alone, in order
  /// Facts of the processes, and of how they were recorded, by name and value: "host", "program",
  /// "runtime", "reach".
  std::map<std::string, std::map<std::string, RankSet>> facts;
  std::map<std::string, Figure> totals;  ///< "HtoD_bytes", "kernel_ns", "process_count"
  std::map<std::string, Figure> losses;  ///< what was lost, by reason; 0 too
  Rows activities;                       ///< allocations and deletes too
  Rows directives;
  Rows variables;
  Rows loops;
  Rows findings;
  Rows mapping;                  ///< of Analysis::mapping
  std::optional<Source> source;  ///< of one rank's alone

  bool operator==(const Summary&) const = default;
};

/// Analyzes a trace, and keeps what adds up. A process that is of no job counts as rank 0 of 1.
Summary summarize(const Trace& trace);

/// Adds another part of the same job: the same in any order and grouping. Two summaries of one and
/// the same rank are of programs that it ran, and added up to one of the rank (`add_program`).
/// Throws Error if ranks are in both otherwise, or the jobs are of different sizes; then `into` is
/// as it was.
void merge(Summary& into, const Summary& other);

/// Adds another process of the same rank. Counts, bytes and times are sums. Figures of one
/// iteration of a loop, and sizes of variables, are those of the process that has most. The wall
/// time is the time in which one of the processes ran. Throws Error if they are not of one run of
/// the job, or the process is there already; then `rank` is as it was.
void add_program(Summary& rank, const Summary& other);

/// JSON of the schema `ompdm.summary/1`, the same bytes for equal summaries. Ends with a newline.
std::string to_json(const Summary& summary);

/// Reads that. `file` is what an Error that it throws names.
Summary from_json(std::string_view json, const std::string& file);

/// Throws Error if the file cannot be read, or holds no summary.
Summary read_summary(const std::filesystem::path& file);

/// Whether the file begins as a summary does. Never throws.
bool is_summary(const std::filesystem::path& file);

}  // namespace ompdm::summary
