// The timeline of several processes: a picture of their traces on one clock, for the Perfetto UI
// and chrome://tracing (layout in docs/formats/TIMELINE.md). No trace: nothing reads it back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/one_clock.h"
#include "ompdm/trace.h"

namespace ompdm {

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
  /// Takes its place when it is whole: `path` is what it was until close(), gzip where it ends in
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
