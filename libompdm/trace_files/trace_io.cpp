#include "trace_files/trace_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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

using namespace trace_schema;

/// Finds the first row that refers to a row which does not exist.
class Checker {
 public:
  explicit Checker(const Trace& trace) : trace_(trace) {}

  std::string run() && {
    check("site", trace_.sites);
    check("loop", trace_.loops);
    check("device variable", trace_.device_variables);
    check("call place", trace_.call_places);
    check("call path", trace_.call_paths);
    for (std::size_t i = 0; i < trace_.map_lists.size() && broken_.empty(); ++i) {
      for (const MapItem& item : trace_.map_lists[i]) check_row(item, i);
      name_row("map list", i);
    }
    check_runs("region", trace_.regions);
    check_runs("data operation", trace_.ops);
    check_runs("launch", trace_.launches);
    check("region tally", trace_.region_aggregates);
    check("operation tally", trace_.op_aggregates);
    check("launch tally", trace_.launch_aggregates);
    check("activity tally", trace_.activity_aggregates);
    check("activity", trace_.activities);
    check("synchronization", trace_.synchronizations);
    return std::move(broken_);
  }

 private:
  /// A visitor of the fields of a Row at a position.
  template <class Row>
  struct Fields {
    Checker& checker;
    std::size_t position;

    template <class T>
    void operator()(std::string_view, const T& field, FieldRule rule = {}) {
      const Trace& trace = checker.trace_;
      if constexpr (std::same_as<T, Index<Row>>) {
        // Of a tree: what a row belongs to comes before it, so that none is its own.
        if (field) checker.expect(field.value, position, checker.list_of(field).first);
      } else if constexpr (std::same_as<T, Index<CallPlace>>) {
        checker.expect(field.value, trace.call_places.size(), "call place");
      } else if constexpr (requires { checker.list_of(field); }) {
        const auto [noun, size] = checker.list_of(field);
        if (field) checker.expect(field.value, size, noun);
      } else if constexpr (std::same_as<T, std::vector<CallRange>>) {
        for (const CallRange& range : field) {
          checker.expect(range.last, trace.call_places.size(), "call place");
        }
      } else if constexpr (std::same_as<T, std::uint32_t>) {
        if (rule.as == FieldRule::kThread) checker.expect(field, trace.threads.size(), "thread");
        if (rule.as == FieldRule::kMapList && field != Index<Region>::kNone) {
          checker.expect(field, trace.map_lists.size(), "map list");
        }
      }
    }
    template <class Sample>
    void sample(const Sample& row) {
      checker.check_row(row, position);
    }
  };

  using List = std::pair<std::string_view, std::size_t>;
  List list_of(Index<Module>) const { return {"module", trace_.modules.size()}; }
  List list_of(Index<Site>) const { return {"site", trace_.sites.size()}; }
  List list_of(Index<Variable>) const { return {"variable", trace_.variables.size()}; }
  List list_of(Index<Kernel>) const { return {"kernel", trace_.kernels.size()}; }
  List list_of(Index<CodeLoop>) const { return {"loop", trace_.loops.size()}; }
  List list_of(Index<CallPath>) const { return {"call path", trace_.call_paths.size()}; }
  List list_of(Index<Region>) const { return {"region", trace_.regions.size()}; }
  List list_of(Index<DataOp>) const { return {"data operation", trace_.ops.size()}; }
  List list_of(Index<Launch>) const { return {"launch", trace_.launches.size()}; }
  List list_of(Index<OpAggregate>) const {
    return {"operation tally", trace_.op_aggregates.size()};
  }
  List list_of(Index<LaunchAggregate>) const {
    return {"launch tally", trace_.launch_aggregates.size()};
  }

  template <class Row>
  void check_row(const Row& row, std::size_t position) {
    Fields<Row> visit{*this, position};
    fields(visit, row);
  }

  template <class Rows>
  void check(std::string_view what, const Rows& rows) {
    for (std::size_t i = 0; i < rows.size() && broken_.empty(); ++i) {
      check_row(rows[i], i);
      name_row(what, i);
    }
  }

  /// Once a shape, and of each row what is its own; where something is broken all rows, to name it.
  template <class Row>
  void check_runs(std::string_view what, const DedupColumn<Row>& rows) {
    if (!broken_.empty()) return;
    [[maybe_unused]] const auto fine = rows.of_shapes([&](const Row& shape) {
      check_row(shape, 0);
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
    if (!intact) check(what, rows);
  }

  void expect(std::uint32_t position, std::size_t size, std::string_view what) {
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

/// Gives out a source from its beginning, of which some has been read to see what it is.
class WithBeginning final : public ByteSource {
 public:
  explicit WithBeginning(ByteSource& source)
      : source_(source), size_(read_fully(source, beginning_.data(), beginning_.size())) {}
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
  std::size_t size_;
  std::size_t given_ = 0;
};

/// The first bytes of a file, inflated; fewer or none where there are none.
std::string beginning_of(const std::filesystem::path& path, std::size_t wanted) {
  try {
    // Anything else (a pipe, a device) could block, or lose what is read from it.
    if (!std::filesystem::is_regular_file(path)) return {};
    const auto source = open_source(path);
    std::string beginning(wanted, '\0');
    beginning.resize(read_fully(*source, beginning.data(), wanted));
    return beginning;
  } catch (...) {
    return {};
  }
}

Trace read_head(const std::filesystem::path& path, std::string_view key) {
  const auto source = open_source(path);
  WithBeginning whole(*source);
  const std::string name = path.string();
  if (is_binary_beginning(whole.beginning())) return read_binary_head(whole, name);
  return read_json_head(whole, name, key);
}

void write_on(const Trace& trace, ByteSink& sink, const std::filesystem::path& path) {
  if (is_binary_name(path)) {
    write_binary_trace(trace, sink);
  } else {
    write_trace_bytes(trace, sink);
  }
}

}  // namespace

std::string find_broken_reference(const Trace& trace) { return Checker(trace).run(); }

// A file that no reader takes would be found out too late.
void check_references(const Trace& trace, const std::string& name) {
  const std::string broken = find_broken_reference(trace);
  if (broken.empty()) return;
  throw Error(fmt::format("{}: is not written because {}: this is an error of ompdm, report it",
                          name, broken));
}

Trace read_trace_bytes(ByteSource& source, const std::string& name, std::uint64_t size) {
  WithBeginning whole(source);
  Trace trace = is_binary_beginning(whole.beginning()) ? read_binary_trace(whole, name, size)
                                                       : read_json_trace(whole, name, size);
  const std::string broken = find_broken_reference(trace);
  if (!broken.empty())
    throw Error(fmt::format("{}: is damaged ({}): {}", name, broken, kCopyAgain));
  return trace;
}

Trace read_trace(const std::filesystem::path& path) {
  const auto source = open_source(path);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return read_trace_bytes(*source, path.string(), error ? 0 : size);
}

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
