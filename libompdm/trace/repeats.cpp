#include "trace/repeats.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ompdm::trace {
namespace {

/// Places that are one call in the source, within one loop, in order of their addresses.
using Copies = std::vector<std::uint32_t>;

std::vector<Copies> copies_of(const Trace& trace, const std::vector<std::uint32_t>& places,
                              const std::vector<spool::Entry>& entries) {
  std::map<std::tuple<spool::Entry, std::uint32_t, std::vector<Frame>>, Copies> groups;
  for (const std::uint32_t position : places) {
    const CallPlace& place = trace.call_places[position];
    if (!place.code_read || !has_lines(place.frames)) continue;
    groups[{entries[position], place.loop.value, place.frames}].push_back(position);
  }
  std::vector<Copies> rows;
  for (auto& [key, copies] : groups) {
    if (copies.size() > 1) rows.push_back(std::move(copies));
  }
  return rows;
}

class Order {
 public:
  explicit Order(const Trace& trace) : trace_(trace) {}

  [[nodiscard]] bool leads(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::any_of(trace_.call_places[from].onward, [to](const CallRange& range) {
      return range.first <= to && to <= range.last;
    });
  }
  /// Copies in branches that exclude each other are none of a loop's.
  [[nodiscard]] bool repeats(const Copies& copies) const {
    return std::ranges::any_of(copies, [&](std::uint32_t to) { return leads(copies.front(), to); });
  }
  /// Whether a copy of `other` lies between two of `one`.
  [[nodiscard]] bool surrounds(const Copies& one, const Copies& other) const {
    return std::ranges::any_of(other, [&](std::uint32_t between) {
      return leads(one.front(), between) && leads(between, one.back());
    });
  }
  /// Whether nothing of `other` comes before it.
  [[nodiscard]] bool begins(const Copies& one, const Copies& other) const {
    return !leads(other.front(), one.front());
  }

 private:
  const Trace& trace_;
};

/// What is repeated together, each by its calls.
std::vector<std::vector<Copies>> clusters_of(std::vector<Copies> copies, const Order& order) {
  std::vector<std::size_t> leader(copies.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  for (std::size_t i = 0; i < copies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!order.surrounds(copies[i], copies[j]) && !order.surrounds(copies[j], copies[i]))
        continue;
      const std::size_t from = leader[i];
      for (std::size_t& each : leader) each = each == from ? leader[j] : each;
    }
  }
  std::map<std::size_t, std::vector<Copies>> clusters;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    clusters[leader[i]].push_back(std::move(copies[i]));
  }
  std::vector<std::vector<Copies>> rows;
  for (auto& [at, cluster] : clusters) rows.push_back(std::move(cluster));
  return rows;
}

/// The calls of a cluster, and those of the same loop that lie between them: what is made in some
/// repetitions alone has no copies.
std::vector<std::uint32_t> members_of(const std::vector<Copies>& cluster, const Trace& trace,
                                      const std::vector<std::uint32_t>& places,
                                      const Order& order) {
  std::vector<std::uint32_t> members;
  for (const Copies& each : cluster) members.insert(members.end(), each.begin(), each.end());
  const Index<CodeLoop> around = trace.call_places[members.front()].loop;
  for (const std::uint32_t other : places) {
    const CallPlace& place = trace.call_places[other];
    const bool is_between = std::ranges::any_of(
        cluster, [&](const Copies& each) { return order.surrounds(each, {other}); });
    if (!place.code_read || place.loop != around || !is_between) continue;
    if (std::ranges::find(members, other) == members.end()) members.push_back(other);
  }
  return members;
}

/// The call that each repetition begins with: of those that are repeated least, the first.
const Copies& marker_of(const std::vector<Copies>& cluster, const Order& order) {
  const Copies* marker = &cluster.front();
  for (const Copies& copies : cluster) {
    if (copies.size() > marker->size()) continue;
    if (copies.size() < marker->size() || order.begins(copies, *marker)) marker = &copies;
  }
  return *marker;
}

}  // namespace

bool has_lines(const std::vector<Frame>& frames) {
  return !frames.empty() &&
         std::ranges::all_of(frames, [](const Frame& frame) { return frame.line > 0; });
}

bool may_be_copies(const std::vector<Frame>& a, const std::vector<Frame>& b) {
  const auto is_told = [](const std::vector<Frame>& frames) {
    return !frames.empty() && frames.front().line > 0;
  };
  if (!is_told(a) || !is_told(b) || (has_lines(a) && has_lines(b))) return false;
  return std::ranges::equal(a, b, [](const Frame& one, const Frame& other) {
    const bool may_be_one_line =
        one.line <= 0 || other.line <= 0 || (one.line == other.line && one.column == other.column);
    return one.function == other.function && may_be_one_line;
  });
}

void add_call(std::vector<CallRange>& ranges, std::uint32_t place) {
  if (!ranges.empty() && ranges.back().last + 1 == place) {
    ++ranges.back().last;
  } else {
    ranges.push_back({place, place});
  }
}

void find_repeats(Trace& trace, const std::vector<std::uint32_t>& places,
                  const std::vector<spool::Entry>& entries) {
  const Order order(trace);
  std::vector<Copies> copies = copies_of(trace, places, entries);
  std::erase_if(copies, [&](const Copies& each) { return !order.repeats(each); });
  for (const auto& cluster : clusters_of(std::move(copies), order)) {
    const Copies& marker = marker_of(cluster, order);
    const CallPlace& first = trace.call_places[marker.front()];
    const Frame& frame = first.frames.front();
    CodeLoop row;
    row.function = frame.function;
    row.file = frame.file;
    row.line = frame.line;
    row.column = frame.column;
    row.parent = first.loop;
    row.unrolled = true;
    row.counts_all = std::ranges::none_of(places, [&](std::uint32_t other) {
      const CallPlace& place = trace.call_places[other];
      return place.loop == first.loop && entries[other] == entries[marker.front()] &&
             may_be_copies(place.frames, first.frames);
    });
    const Index<CodeLoop> loop{static_cast<std::uint32_t>(trace.loops.size())};
    trace.loops.push_back(std::move(row));
    for (const std::uint32_t position : members_of(cluster, trace, places, order)) {
      CallPlace& place = trace.call_places[position];
      place.loop = loop;
      const std::vector<CallRange> onward = std::move(place.onward);
      place.onward.clear();
      for (const CallRange& range : onward) {
        for (std::uint32_t next = range.first; next <= range.last; ++next) {
          const bool begins = std::ranges::binary_search(marker, next);
          add_call(begins ? place.repeats : place.onward, next);
        }
      }
    }
  }
}

}  // namespace ompdm::trace
