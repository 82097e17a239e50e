#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ompdm/trace_file.h"
#include "trace_files/trace_metadata.h"

namespace ompdm {

namespace {

using Kept = std::vector<bool>;

/// Something for each kind of event that others refer to.
template <class T>
struct Referred {
  T regions;
  T ops;
  T launches;
};

/// Calls `take` with each reference of a row to an event, and what `kinds` has for that kind.
template <class Row, class T, class Take>
void each_reference(Row& row, T& kinds, Take take) {
  const auto visit = [&]<class Field>(std::string_view, Field& field, FieldRule = {}) {
    using Reference = std::remove_const_t<Field>;
    if constexpr (std::same_as<Reference, Index<Region>>) {
      if (field) take(field.value, kinds.regions);
    } else if constexpr (std::same_as<Reference, Index<DataOp>>) {
      if (field) take(field.value, kinds.ops);
    } else if constexpr (std::same_as<Reference, Index<Launch>>) {
      if (field) take(field.value, kinds.launches);
    }
  };
  fields(visit, row);
}

class Window {
 public:
  Window(const Trace& trace, Nanoseconds from, Nanoseconds to)
      : trace_(trace),
        from_(from),
        to_(to),
        kept_{at_work(trace.regions), at_work(trace.ops), at_work(trace.launches)},
        activities_(at_work(trace.activities)),
        synchronizations_(at_work(trace.synchronizations)) {}

  Trace take() {
    // What is kept keeps what it belongs to.
    keep_referred(trace_.activities, activities_);
    keep_referred(trace_.synchronizations, synchronizations_);
    keep_referred(trace_.ops, kept_.ops);
    keep_referred(trace_.launches, kept_.launches);
    Trace part = without_events();
    const Positions moved{positions(kept_.regions), positions(kept_.ops),
                          positions(kept_.launches)};
    take_rows(trace_.regions, kept_.regions, moved, part.regions);
    take_rows(trace_.ops, kept_.ops, moved, part.ops);
    take_rows(trace_.launches, kept_.launches, moved, part.launches);
    take_rows(trace_.activities, activities_, moved, part.activities);
    take_rows(trace_.synchronizations, synchronizations_, moved, part.synchronizations);
    return part;
  }

 private:
  /// Where each kept row goes.
  using Positions = Referred<std::vector<std::uint32_t>>;

  template <class Rows>
  [[nodiscard]] Kept at_work(const Rows& rows) const {
    Kept kept(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if constexpr (requires { rows.begin_of(i); }) {
        kept[i] = rows.begin_of(i) <= to_ && rows.end_of(i) >= from_;
      } else {
        kept[i] = rows[i].begin <= to_ && rows[i].end >= from_;
      }
    }
    return kept;
  }

  template <class Rows>
  void keep_referred(const Rows& rows, const Kept& kept) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!kept[i]) continue;
      const auto& row = rows[i];
      each_reference(row, kept_, [](std::uint32_t at, Kept& of_kind) { of_kind[at] = true; });
    }
  }

  static std::vector<std::uint32_t> positions(const Kept& kept) {
    std::vector<std::uint32_t> moved(kept.size(), Index<Region>::kNone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) moved[i] = next++;
    }
    return moved;
  }

  template <class Rows>
  static void take_rows(const Rows& rows, const Kept& kept, const Positions& moved, Rows& part) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!kept[i]) continue;
      typename Rows::value_type row = rows[i];
      each_reference(row, moved, [](std::uint32_t& at, const std::vector<std::uint32_t>& of_kind) {
        at = of_kind[at];
      });
      part.push_back(row);
    }
  }

  [[nodiscard]] Trace without_events() const {
    Trace part;
    part.file = trace_.file;
    part.truncated = trace_.truncated;
    part.process = trace_.process;
    part.recording = trace_.recording;
    const Nanoseconds begin = std::max(trace_.recording.recorded_from, Nanoseconds{0});
    const Nanoseconds end =
        std::max(begin, trace_.recording.recorded_to != 0 ? trace_.recording.recorded_to
                                                          : trace_.process.wall);
    part.recording.detail = Recording::kPart;
    part.recording.recorded_from = std::clamp(from_, begin, end);
    part.recording.recorded_to = std::clamp(to_, part.recording.recorded_from, end);
    part.host_device = trace_.host_device;
    definition_lists([&](std::string_view, auto rows) { part.*rows = trace_.*rows; });
    return part;
  }

  const Trace& trace_;
  Nanoseconds from_;
  Nanoseconds to_;
  Referred<Kept> kept_;
  Kept activities_;
  Kept synchronizations_;
};

}  // namespace

Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to) {
  return Window(trace, from, to).take();
}

}  // namespace ompdm
