// otherData of trace.json: all of the model that is not events, one row a line, so that it is found
// without reading on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"
#include "trace/malformed_line.h"

namespace ompdm {

/// Writes the file's beginning up to the events.
void write_metadata(const Trace& trace, ByteSink& sink);

/// Reads the lines between the opening line and the events, one call a line.
class MetadataReader {
 public:
  explicit MetadataReader(Trace& trace) : trace_(trace) {}

  /// Takes a line; true after the last one, the line that begins the events. Throws MalformedLine.
  bool read_line(std::string_view line);

  /// Rows that the file says it has: a hint for reserving.
  struct Counts {
    std::uint64_t regions = 0;
    std::uint64_t ops = 0;
    std::uint64_t launches = 0;
    std::uint64_t activities = 0;
    std::uint64_t synchronizations = 0;
  };
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  enum class Place { kKeys, kRows, kAfter };

  Trace& trace_;
  Counts counts_;
  Place place_ = Place::kKeys;
  std::string list_;
};

}  // namespace ompdm
