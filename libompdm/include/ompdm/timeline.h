// Recordings of several processes on one clock, and the timeline that viewers open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// Processes whose times are of one clock: those of one boot, by CLOCK_MONOTONIC. Older recordings
/// do not name their boot. Of these, the processes of one host, each by its own CLOCK_REALTIME.
struct ClockGroup {
  std::vector<std::size_t> processes;
  bool boot_is_known = false;
  RealtimeClock realtime;  ///< by which it is tied to others
};

/// How surely times of two processes can be compared.
enum class Agreement : std::uint8_t {
  kOneClock,        ///< of one boot: they are of one clock
  kWithin,          ///< of hosts that say how far their clocks are off at most
  kUnsynchronized,  ///< the clock of a host is not synchronized
  kUnknown,         ///< of a host this is not known
};

/// Several processes' times on one clock.
struct OneClock {
  std::vector<Nanoseconds> offsets;    ///< by process: what to add to its own times
  std::int64_t begin_realtime_ns = 0;  ///< CLOCK_REALTIME at its 0, the start of the first process
  std::vector<ClockGroup> groups;
  Agreement agreement = Agreement::kOneClock;
  Nanoseconds within = 0;  ///< kWithin: times of any two processes agree to so much
};

/// Processes of one boot are aligned by CLOCK_MONOTONIC, and boots by CLOCK_REALTIME. Of each boot,
/// the process counts whose CLOCK_REALTIME was least off.
OneClock one_clock(std::span<const Process> processes);

/// The same clock for some of the processes, which are numbered by their place in `chosen`. Their
/// agreement is that of these processes alone.
OneClock only(const OneClock& all, std::span<const std::size_t> chosen);

/// Schema written.
inline constexpr std::string_view kTimelineSchema = "ompdm.timeline/1";

/// What a timeline is of: processes in the order in which they are shown.
struct TimelineHead {
  std::vector<Process> processes;
  std::vector<std::string> files;  ///< their traces
  OneClock clock;                  ///< theirs
  std::string agreement;           ///< how far their times agree, in a sentence
};

/// Writes a timeline, one trace after the other, so that no two have to be in memory at once.
class TimelineWriter {
 public:
  /// `path` remains as it was until close(), which replaces it. The file is gzip if `path` ends in
  /// .gz. Throws Error.
  TimelineWriter(const std::filesystem::path& path, const TimelineHead& head);
  /// To an open descriptor, as standard output, which stays open. Throws Error.
  TimelineWriter(int descriptor, const TimelineHead& head);
  ~TimelineWriter();
  TimelineWriter(const TimelineWriter&) = delete;
  TimelineWriter& operator=(const TimelineWriter&) = delete;

  /// Adds the trace, or a part of the trace, of one of the head's processes, each once and in their
  /// order. Throws Error.
  void add(std::size_t process, const Trace& trace);

  /// Throws Error if not everything could be written.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Whether a file begins as a timeline does (any schema version). Never throws; false if
/// unreadable.
bool is_timeline(const std::filesystem::path& path);

}  // namespace ompdm
