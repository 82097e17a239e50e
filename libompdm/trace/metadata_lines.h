// otherData of a file of ours as it is put together, one value or row a line, so that it is read in
// a bounded buffer.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_stream.h"
#include "trace/trace_schema.h"

namespace ompdm {

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

}  // namespace ompdm
