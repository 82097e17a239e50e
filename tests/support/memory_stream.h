// Traces in memory instead of files, for tests that read thousands of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace_files/trace_io.h"

namespace ompdm::test {

/// Gives out a text in pieces of at most `piece` bytes.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view text, std::size_t piece = std::string_view::npos)
      : text_(text), piece_(piece) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = std::min({size, piece_, text_.size()});
    std::memcpy(buffer, text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

/// Keeps what is written.
class MemorySink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void close() override {}
  std::string text;
};

/// The text of a trace's file.
inline std::string text_of(const Trace& trace) {
  MemorySink sink;
  write_trace_bytes(trace, sink);
  return sink.text;
}

/// The trace of a file's text. Throws Error.
inline Trace trace_of(std::string_view text, std::size_t piece = std::string_view::npos) {
  MemorySource source(text, piece);
  return read_trace_bytes(source, "trace.json", text.size());
}

}  // namespace ompdm::test
