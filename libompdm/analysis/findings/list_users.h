// The kernels that were launched with given map lists, by what these name: storage of the host, or
// addresses. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/findings/overlaps.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Kernels of one device, by when they were at work.
class Launches {
 public:
  /// In order of `begin`.
  void add(Nanoseconds begin, Nanoseconds end);

  /// Whether one was at work at any time in (from, to).
  [[nodiscard]] bool any(Nanoseconds from, Nanoseconds to) const;

  /// Those of several, in order.
  static Launches merged(const std::vector<const Launches*>& several);

 private:
  std::vector<Nanoseconds> begins_;
  std::vector<Nanoseconds> ends_;
  std::vector<Nanoseconds> latest_end_;  // of that launch and all before it
};

/// Kernels by device and by map list, a position in Trace::map_lists.
class LaunchesByList {
 public:
  using Lists = std::vector<std::uint32_t>;

  /// In order of `begin`.
  void add(std::int32_t device, std::uint32_t list, Nanoseconds begin, Nanoseconds end);

  /// Those with any of the lists, of which each is there once, in ascending order: apart while they
  /// are few, else put together. To be called after the last was added; what it points to stays.
  std::vector<const Launches*> of(std::int32_t device, const Lists& lists);

 private:
  std::map<std::pair<std::int32_t, std::uint32_t>, Launches> by_list_;
  std::map<std::pair<std::int32_t, Lists>, Launches> together_;
};

/// What map lists name, and who uses it.
class NamedStorage {
 public:
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t list);

  /// To be called after the last name was added and before the first question.
  void settle();

  /// Those of the lists that name some of [begin, end), each once, in ascending order.
  [[nodiscard]] LaunchesByList::Lists lists_of(std::uint64_t begin, std::uint64_t end) const;

  /// The kernels on the device with a list that names some of [begin, end), as
  /// LaunchesByList::of has them.
  [[nodiscard]] std::vector<const Launches*> users_of(LaunchesByList& launches, std::int32_t device,
                                                      std::uint64_t begin, std::uint64_t end) const;

 private:
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> names_;  // and list; sorted
  std::vector<std::size_t> first_;  // in names_, of each piece of overlaps_; one more at the end
  Overlaps overlaps_;
};

}  // namespace ompdm::analysis
