#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "ompdm/error.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "trace/binary_trace.h"
#include "trace/byte_stream.h"
#include "trace/json_text.h"
#include "trace/trace_bytes.h"
#include "trace/trace_events.h"
#include "trace/trace_metadata.h"
#include "trace/trace_references.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

using namespace trace_schema;

constexpr std::string_view kRemedy = "copy it again or record the program again";

// An event takes at least this much of a file, even of a compressed one.
constexpr std::uint64_t kSmallestEvent = 4;

class Reader {
 public:
  Reader(ByteSource& source, const std::string& name, std::uint64_t size)
      : name_(name), size_(size), lines_(source, kMaxLine) {
    trace_.file = name;
  }

  Trace read() && {
    read_opening();
    trace_.truncated = true;
    unless_damaged([&] {
      if (read_metadata()) read_events();
    });
    if (trace_.truncated) drop_references_behind_the_cut();
    const std::string broken = find_broken_reference(trace_);
    if (!broken.empty()) fail(fmt::format("is damaged ({})", broken), kRemedy);
    return std::move(trace_);
  }

  /// The metadata up to the line of that key.
  Trace read_head(std::string_view key) && {
    read_opening();
    unless_damaged([&] {
      MetadataReader metadata(trace_);
      std::string_view line;
      bool is_read = false;
      while (!is_read && next(line)) {
        is_read = line.starts_with(key);
        if (metadata.read_line(line)) break;
      }
    });
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) {
    throw Error(fmt::format("{}: {}: {}", name_, what, remedy));
  }

  template <class Read>
  void unless_damaged(Read read) {
    try {
      read();
    } catch (const MalformedLine& malformed) {
      fail(fmt::format("line {} is damaged ({})", lines_.number(), malformed.what()), kRemedy);
    }
  }

  void read_opening() {
    std::string_view line;
    if (!lines_.next(line)) fail("is empty", "record the program again");
    if (!line.starts_with(kOpening)) {
      if (!lines_.ended() && kOpening.starts_with(line)) {
        fail("is cut short within its first line", kRemedy);
      }
      if (line.starts_with(kTimelineOpening)) {
        fail("is a timeline, a picture for viewers", "name the traces that it was made of");
      }
      const bool is_json = line.starts_with('{') || line.starts_with('[');
      fail(is_json ? "is JSON, but not as ompdm writes its traces" : "is no trace of ompdm",
           "name a file that ompdm recorded");
    }
    line.remove_prefix(kOpening.size());
    const std::size_t quote = line.find('"');
    const auto version = quote == line.npos ? std::nullopt : parse_unsigned(line.substr(0, quote));
    if (!lines_.ended()) fail("is cut short within its first line", kRemedy);
    if (!version || line.substr(quote + 1) != ",") {
      fail("has a first line as no ompdm writes it", kRemedy);
    }
    if (*version > kVersion) {
      fail(fmt::format("has the format ompdm.trace/{}, this ompdm reads up to {}", *version,
                       kTraceSchema),
           "use the ompdm that recorded it, or a newer one");
    }
  }

  // The next line that was written to its end.
  bool next(std::string_view& line) {
    if (!lines_.next(line)) return false;
    if (lines_.too_long()) throw MalformedLine("it is longer than any line of a trace");
    return lines_.ended();
  }

  // False if the file ends before its events.
  bool read_metadata() {
    MetadataReader metadata(trace_);
    std::string_view line;
    while (next(line)) {
      if (!metadata.read_line(line)) continue;
      const std::uint64_t most = size_ / kSmallestEvent;
      const auto& counts = metadata.counts();
      trace_.regions.reserve(std::min(counts.regions, most));
      trace_.ops.reserve(std::min(counts.ops, most));
      trace_.launches.reserve(std::min(counts.launches, most));
      trace_.activities.reserve(std::min(counts.activities, most));
      trace_.synchronizations.reserve(std::min(counts.synchronizations, most));
      return true;
    }
    return false;
  }

  void read_events() {
    EventReader events(trace_);
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with(']')) {
        trace_.truncated = !line.ends_with('}');
        return;
      }
      if (lines_.too_long()) throw MalformedLine("it is longer than any line of a trace");
      if (!lines_.ended()) return;
      if (line.ends_with(',')) line.remove_suffix(1);
      if (!line.empty()) events.read_event(line);
    }
  }

  // Regions are written before their operations unless an operation's clock put it before its
  // region.
  void drop_references_behind_the_cut() {
    const std::size_t regions = trace_.regions.size();
    const auto kept = [regions](std::uint32_t region) {
      return region < regions ? region : Index<Region>::kNone;
    };
    trace_.ops.change_regions(kept);
    trace_.launches.change_regions(kept);
    const std::size_t ops = trace_.ops.size();
    const std::size_t launches = trace_.launches.size();
    for (DeviceActivity& activity : trace_.activities) {
      if (activity.region && activity.region.value >= regions) activity.region = {};
      if (activity.op && activity.op.value >= ops) activity.op = {};
      if (activity.launch && activity.launch.value >= launches) activity.launch = {};
    }
    for (Synchronization& wait : trace_.synchronizations) {
      if (wait.region && wait.region.value >= regions) wait.region = {};
      if (wait.op && wait.op.value >= ops) wait.op = {};
    }
  }

  const std::string& name_;
  std::uint64_t size_;
  LineReader lines_;
  Trace trace_;
};

/// Gives out a source from its beginning, of which some has been read to see what it is.
class WithBeginning final : public ByteSource {
 public:
  explicit WithBeginning(ByteSource& source) : source_(source) {
    while (size_ < beginning_.size()) {
      const std::size_t got = source_.read(beginning_.data() + size_, beginning_.size() - size_);
      if (got == 0) break;
      size_ += got;
    }
  }
  [[nodiscard]] std::string_view beginning() const { return {beginning_.data(), size_}; }
  std::size_t read(char* buffer, std::size_t size) override {
    if (given_ == size_) return source_.read(buffer, size);
    const std::size_t count = std::min(size, size_ - given_);
    std::copy_n(beginning_.data() + given_, count, buffer);
    given_ += count;
    return count;
  }

 private:
  ByteSource& source_;
  std::array<char, 8> beginning_{};
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

/// The first bytes of a file, inflated; fewer or none where there are none.
std::string beginning_of(const std::filesystem::path& path, std::size_t wanted) {
  try {
    // Anything else (a pipe, a device) could block, or lose what is read from it.
    if (!std::filesystem::is_regular_file(path)) return {};
    const auto source = open_source(path);
    std::string beginning(wanted, '\0');
    std::size_t size = 0;
    while (size < beginning.size()) {
      const std::size_t got = source->read(beginning.data() + size, beginning.size() - size);
      if (got == 0) break;
      size += got;
    }
    beginning.resize(size);
    return beginning;
  } catch (...) {
    return {};
  }
}

}  // namespace

Trace read_trace_bytes(ByteSource& source, const std::string& name, std::uint64_t size) {
  WithBeginning whole(source);
  if (is_binary_beginning(whole.beginning())) return read_binary_trace(whole, name, size);
  return Reader(whole, name, size).read();
}

Trace read_trace(const std::filesystem::path& path) {
  const auto source = open_source(path);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return read_trace_bytes(*source, path.string(), error ? 0 : size);
}

namespace {

Trace read_head(const std::filesystem::path& path, std::string_view key) {
  const auto source = open_source(path);
  WithBeginning whole(*source);
  const std::string name = path.string();
  if (is_binary_beginning(whole.beginning())) return read_binary_head(whole, name);
  return Reader(whole, name, 0).read_head(key);
}

}  // namespace

Process read_process(const std::filesystem::path& path) {
  return read_head(path, kProcessKey).process;
}

bool is_part(const std::filesystem::path& path) {
  try {
    return is_trace(path) && read_head(path, kRecordingKey).recording.is_part();
  } catch (...) {
    return false;
  }
}

bool is_trace(const std::filesystem::path& path) {
  const std::string beginning = beginning_of(path, kOpening.size());
  return beginning == kOpening || is_binary_beginning(beginning);
}

bool is_binary_trace(const std::filesystem::path& path) {
  return is_binary_beginning(beginning_of(path, kOpening.size()));
}

bool is_timeline(const std::filesystem::path& path) {
  return beginning_of(path, kTimelineOpening.size()) == kTimelineOpening;
}

}  // namespace ompdm
