// otherData of trace.json: what is not an event.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_schema.h"

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

/// Writes the file's first lines to a sink, up to its events.
class MetadataLines {
 public:
  /// `opening`: what a file of this kind begins with, up to its version.
  MetadataLines(ByteSink& sink, std::string_view opening, unsigned version)
      : sink_(sink), out_(fmt::format("{}{}\"", opening, version)) {}

  /// A value, on one line.
  void value(std::string_view key, const nlohmann::ordered_json& json) {
    out_ += fmt::format(",\n\"{}\":{}", key, json.dump(-1, ' ', true));
  }

  /// A list; `row()` makes JSON of each of its rows, found by their type.
  template <class Row>
  void list(std::string_view key, const std::vector<Row>& rows) {
    out_ += fmt::format(",\n\"{}\":[", key);
    std::string_view separator = "\n";
    for (const Row& each : rows) {
      out_ += separator;
      out_ += row(each).dump(-1, ' ', true);
      separator = ",\n";
      if (out_.size() > kFlushAt) flush();
    }
    out_ += "\n";
    out_ += trace_schema::kListEnd;
  }

  /// Ends it and begins the events.
  void end() {
    out_ += fmt::format("\n{},\n{}\n", trace_schema::kMetadataEnd, trace_schema::kEventsBegin);
    flush();
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;

  void flush() {
    sink_.write(out_);
    out_.clear();
  }

  ByteSink& sink_;
  std::string out_;
};

/// A text where a double would not hold it.
nlohmann::ordered_json signed_number(std::int64_t value);

nlohmann::ordered_json row(const Process& process);
nlohmann::ordered_json row(const Recording& recording);
nlohmann::ordered_json row(const Loss& loss);
nlohmann::ordered_json row(const Device& device);
nlohmann::ordered_json row(const Module& module);
nlohmann::ordered_json row(const Thread& thread);
nlohmann::ordered_json row(const Site& site);
nlohmann::ordered_json row(const Variable& variable);
nlohmann::ordered_json row(const DeviceVariable& variable);
nlohmann::ordered_json row(const Kernel& kernel);
nlohmann::ordered_json row(const CodeLoop& loop);
nlohmann::ordered_json row(const CallPlace& place);
nlohmann::ordered_json row(const CallPath& path);
nlohmann::ordered_json row(const std::vector<MapItem>& items);
nlohmann::ordered_json row(const DeviceEvent& event);
nlohmann::ordered_json row(const MappedPointer& pointer);
nlohmann::ordered_json row(const SourceFile& source);

}  // namespace ompdm
