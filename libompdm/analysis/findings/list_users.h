// The kernels that were launched with given map lists, by what these name: storage of the host, or
// addresses. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
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

/// By device and map list (position in Trace::map_lists).
using LaunchesByList = std::map<std::pair<std::int32_t, std::uint32_t>, Launches>;

/// The users of a set of map lists.
class ListUsers {
 public:
  /// `lists` in ascending order, each once.
  explicit ListUsers(std::vector<std::uint32_t> lists) : lists_(std::move(lists)) {}

  [[nodiscard]] const std::vector<std::uint32_t>& lists() const { return lists_; }

  /// Whether a kernel with one of the lists was at work on the device at any time in (from, to).
  bool ran(const LaunchesByList& launches, std::int32_t device, Nanoseconds from, Nanoseconds to);

 private:
  std::vector<std::uint32_t> lists_;
  std::map<std::int32_t, Launches> merged_;  // by device, where the lists are many
};

/// What map lists name, and who uses it.
class NamedStorage {
 public:
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t list);

  /// To be called after the last name was added and before the first question.
  void settle();

  /// Whether a kernel with a list that names some of [begin, end) was at work.
  bool ran(const LaunchesByList& launches, std::int32_t device, std::uint64_t begin,
           std::uint64_t end, Nanoseconds from, Nanoseconds to);

 private:
  using Extent = std::pair<std::uint64_t, std::uint64_t>;
  using Lists = std::vector<std::uint32_t>;
  std::vector<ListUsers*> users_of(const Extent& extent);
  ListUsers& users(Lists lists);

  std::map<Extent, Lists> names_;
  Overlaps overlaps_;  // beside users_of_name_
  std::vector<ListUsers*> users_of_name_;
  std::map<Lists, ListUsers> users_;  // arrays of one clause have theirs together
  std::map<Extent, std::vector<ListUsers*>> known_;
};

}  // namespace ompdm::analysis
