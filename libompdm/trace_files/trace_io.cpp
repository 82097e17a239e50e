#include "trace_files/trace_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "ompdm/error.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "trace_files/atomic_file.h"
#include "trace_files/binary_trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_events.h"
#include "trace_files/trace_metadata.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

class Checker {
 public:
  explicit Checker(const Trace& trace) : trace_(trace) {}

  std::string run() && {
    check("site", trace_.sites,
          [this](const Site& site) { expect(site.module, trace_.modules, "module"); });
    check_tree("loop", trace_.loops, &CodeLoop::parent);
    check("device variable", trace_.device_variables, [this](const DeviceVariable& variable) {
      expect(variable.module, trace_.modules, "module");
    });
    check("call place", trace_.call_places, [this](const CallPlace& place) {
      expect(place.module, trace_.modules, "module");
      expect(place.loop, trace_.loops, "loop");
      for (const auto& ranges : {place.onward, place.repeats}) {
        for (const CallRange& range : ranges) {
          expect_position(range.last, trace_.call_places.size(), "call place");
        }
      }
    });
    check_tree("call path", trace_.call_paths, &CallPath::caller);
    check("call path", trace_.call_paths, [this](const CallPath& path) {
      expect_position(path.place.value, trace_.call_places.size(), "call place");
    });
    for (std::size_t i = 0; i < trace_.map_lists.size() && broken_.empty(); ++i) {
      for (const MapItem& item : trace_.map_lists[i]) {
        expect(item.variable, trace_.variables, "variable");
      }
      name_row("map list", i);
    }
    check_runs("region", trace_.regions, [this](const Region& region) { expect_of(region); });
    check_runs("data operation", trace_.ops, [this](const DataOp& op) { expect_of(op); });
    check_runs("launch", trace_.launches, [this](const Launch& launch) { expect_of(launch); });
    check("region tally", trace_.region_tallies,
          [this](const RegionTally& tally) { expect_of(tally.like); });
    check("operation tally", trace_.op_tallies,
          [this](const OpTally& tally) { expect_of(tally.like); });
    check("launch tally", trace_.launch_tallies, [this](const LaunchTally& tally) {
      expect_of(tally.like);
      expect(tally.path, trace_.call_paths, "call path");
    });
    check("activity tally", trace_.activity_tallies, [this](const ActivityTally& tally) {
      expect(tally.op, trace_.op_tallies, "operation tally");
      expect(tally.launch, trace_.launch_tallies, "launch tally");
      expect(tally.like.kernel, trace_.kernels, "kernel");
    });
    check("activity", trace_.activities, [this](const DeviceActivity& activity) {
      expect(activity.op, trace_.ops, "data operation");
      expect(activity.launch, trace_.launches, "launch");
      expect(activity.region, trace_.regions, "region");
      expect(activity.kernel, trace_.kernels, "kernel");
    });
    check("synchronization", trace_.synchronizations, [this](const Synchronization& wait) {
      expect(wait.op, trace_.ops, "data operation");
      expect(wait.region, trace_.regions, "region");
    });
    return std::move(broken_);
  }

 private:
  template <class Rows, class Check>
  void check(std::string_view what, const Rows& rows, Check check_row) {
    for (std::size_t i = 0; i < rows.size() && broken_.empty(); ++i) {
      check_row(rows[i]);
      name_row(what, i);
    }
  }

  void expect_of(const Region& region) {
    expect(region.site, trace_.sites, "site");
    expect(region.path, trace_.call_paths, "call path");
    expect_position(region.thread, trace_.threads.size(), "thread");
    expect_position(region.maker, trace_.threads.size(), "thread");
    if (region.map_list != Index<Region>::kNone) {
      expect_position(region.map_list, trace_.map_lists.size(), "map list");
    }
  }
  void expect_of(const DataOp& op) {
    expect(op.region, trace_.regions, "region");
    expect(op.site, trace_.sites, "site");
    expect(op.path, trace_.call_paths, "call path");
    expect(op.variable, trace_.variables, "variable");
    expect_position(op.thread, trace_.threads.size(), "thread");
  }
  void expect_of(const Launch& launch) {
    expect(launch.region, trace_.regions, "region");
    expect(launch.site, trace_.sites, "site");
    expect(launch.kernel, trace_.kernels, "kernel");
    expect_position(launch.thread, trace_.threads.size(), "thread");
  }

  /// Once a shape, and of each row what is its own; where something is broken all rows, to name it.
  template <class Row, class Check>
  void check_runs(std::string_view what, const Runs<Row>& rows, Check check_row) {
    if (!broken_.empty()) return;
    [[maybe_unused]] const auto fine = rows.of_shapes([&](const Row& shape) {
      check_row(shape);
      return broken_.empty();
    });
    bool intact = broken_.empty();
    if constexpr (requires { rows.region_of(0); }) {
      for (std::size_t i = 0; i < rows.size() && intact; ++i) {
        const Index<Region> region = rows.region_of(i);
        intact = !region || region.value < trace_.regions.size();
      }
    }
    broken_.clear();
    if (!intact) check(what, rows, check_row);
  }

  /// Each row's own comes before it, so that none is its own.
  template <class Row>
  void check_tree(std::string_view what, const std::vector<Row>& rows, Index<Row> Row::* above) {
    for (std::size_t i = 0; i < rows.size() && broken_.empty(); ++i) {
      if (rows[i].*above) expect_position((rows[i].*above).value, i, what);
      name_row(what, i);
    }
  }

  template <class Rows>
  void expect(Index<typename Rows::value_type> index, const Rows& rows, std::string_view what) {
    if (index) expect_position(index.value, rows.size(), what);
  }

  void expect_position(std::uint32_t position, std::size_t size, std::string_view what) {
    if (position >= size && broken_.empty()) {
      broken_ = fmt::format("refers to {} {} of {}", what, position, size);
    }
  }

  void name_row(std::string_view what, std::size_t position) {
    if (!broken_.empty()) broken_ = fmt::format("{} {} {}", what, position, broken_);
  }

  const Trace& trace_;
  std::string broken_;
};

}  // namespace

std::string find_broken_reference(const Trace& trace) { return Checker(trace).run(); }

namespace {

using namespace trace_schema;

// An event takes at least this much of a file, even of a compressed one.
constexpr std::uint64_t kSmallestEvent = 4;

class JsonReader {
 public:
  JsonReader(ByteSource& source, const std::string& name, std::uint64_t size)
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
    if (!broken.empty()) fail(fmt::format("is damaged ({})", broken), kCopyAgain);
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
      fail(fmt::format("line {} is damaged ({})", lines_.number(), malformed.what()), kCopyAgain);
    }
  }

  void read_opening() {
    std::string_view line;
    if (!lines_.next(line)) fail("is empty", "record the program again");
    if (!line.starts_with(kOpening)) {
      if (!lines_.ended() && kOpening.starts_with(line)) {
        fail("is cut short within its first line", kCopyAgain);
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
    if (!lines_.ended()) fail("is cut short within its first line", kCopyAgain);
    if (!version || line.substr(quote + 1) != ",") {
      fail("has a first line as no ompdm writes it", kCopyAgain);
    }
    if (*version > trace_schema::kVersion) {
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
  return JsonReader(whole, name, size).read();
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
  return JsonReader(whole, name, 0).read_head(key);
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

void write_trace_bytes(const Trace& trace, ByteSink& sink) {
  write_metadata(trace, sink);
  write_events(trace, sink);
  sink.write(fmt::format("\n{}\n", trace_schema::kClosing));
  sink.close();
}

// A file that no reader takes would be found out too late.
void check_references(const Trace& trace, const std::string& name) {
  const std::string broken = find_broken_reference(trace);
  if (broken.empty()) return;
  throw Error(fmt::format("{}: is not written because {}: this is an error of ompdm, report it",
                          name, broken));
}

namespace {

void write_on(const Trace& trace, ByteSink& sink, const std::filesystem::path& path) {
  if (is_binary_name(path)) {
    write_binary_trace(trace, sink);
  } else {
    write_trace_bytes(trace, sink);
  }
}

}  // namespace

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  check_references(trace, path.string());
  write_on(trace, *open_sink(path), path);
}

void write_trace(const Trace& trace, int descriptor, const std::string& name) {
  check_references(trace, name);
  write_trace_bytes(trace, *sink_on_copy(descriptor, name));
}

void replace_trace(const Trace& trace, const std::filesystem::path& path) {
  check_references(trace, path.string());
  trace::Replacement file(path);
  write_on(trace, *sink_on(file.take_descriptor(), path), path);
  file.put();
}

}  // namespace ompdm
