#include "trace/trace_references.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace ompdm
