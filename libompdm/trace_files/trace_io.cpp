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
    each_list([this](std::string_view noun, const auto& rows) { check(noun, rows); });
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
      if constexpr (std::same_as<T, Index<CallPlace>>) {
        checker.expect(field);
      } else if constexpr (std::same_as<T, Index<Row>>) {
        // Of a tree: what a row belongs to comes before it, so that none is its own.
        if (field) checker.expect(field, position);
      } else if constexpr (requires { field.value; }) {
        if (field) checker.expect(field);
      } else if constexpr (std::same_as<T, std::vector<CallRange>>) {
        for (const CallRange& range : field) checker.expect(Index<CallPlace>{range.last});
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

  /// Calls `visit` with each list whose rows refer to others or are referred to, and the noun for
  /// such a row.
  template <class Visit>
  void each_list(Visit visit) const {
    visit("module", trace_.modules);
    visit("site", trace_.sites);
    visit("loop", trace_.loops);
    visit("variable", trace_.variables);
    visit("device variable", trace_.device_variables);
    visit("kernel", trace_.kernels);
    visit("call place", trace_.call_places);
    visit("call path", trace_.call_paths);
    visit("map list", trace_.map_lists);
    visit("region", trace_.regions);
    visit("data operation", trace_.ops);
    visit("launch", trace_.launches);
    visit("unsent item", trace_.unsent_items);
    visit("block touch", trace_.block_touches);
    visit("region aggregate", trace_.region_aggregates);
    visit("operation aggregate", trace_.op_aggregates);
    visit("launch aggregate", trace_.launch_aggregates);
    visit("activity aggregate", trace_.activity_aggregates);
    visit("activity", trace_.activities);
    visit("synchronization", trace_.synchronizations);
  }

  /// A reference must lead to a row of its list that is before `end`.
  template <class Row>
  void expect(Index<Row> reference, std::size_t end = Index<Row>::kNone) {
    each_list([&]<class Rows>(std::string_view noun, const Rows& rows) {
      if constexpr (std::same_as<typename Rows::value_type, Row>) {
        expect(reference.value, std::min(end, rows.size()), noun);
      }
    });
  }

  template <class Row>
  void check_row(const Row& row, std::size_t position) {
    Fields<Row> visit{*this, position};
    fields(visit, row);
  }

  void check_row(const std::vector<MapItem>& items, std::size_t position) {
    for (const MapItem& item : items) check_row(item, position);
  }

  template <class Rows>
  void check(std::string_view what, const Rows& rows) {
    if (!broken_.empty()) return;
    if constexpr (requires { rows.shape_count(); }) {
      if (is_intact(rows)) return;
    }
    for (std::size_t i = 0; i < rows.size() && broken_.empty(); ++i) {
      check_row(rows[i], i);
      if (!broken_.empty()) broken_ = fmt::format("{} {} {}", what, i, broken_);
    }
  }

  /// Looks at each shape once, and at what is each row's own.
  template <class Row>
  bool is_intact(const DedupColumn<Row>& rows) {
    [[maybe_unused]] const auto fine = rows.of_shapes([&](const Row& shape) {
      check_row(shape, 0);
      return broken_.empty();
    });
    bool intact = std::exchange(broken_, {}).empty();
    if constexpr (requires { rows.region_of(0); }) {
      for (std::size_t i = 0; i < rows.size() && intact; ++i) {
        const Index<Region> region = rows.region_of(i);
        intact = !region || region.value < trace_.regions.size();
      }
    }
    return intact;
  }

  void expect(std::uint32_t position, std::size_t size, std::string_view what) {
    if (position >= size && broken_.empty()) {
      broken_ = fmt::format("refers to {} {} of {}", what, position, size);
    }
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
