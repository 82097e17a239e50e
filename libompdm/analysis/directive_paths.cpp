#include "analysis/directive_paths.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "analysis/order.h"

namespace ompdm::analysis {
namespace {

/// Innermost first. A call is told as the report tells places: by its line, not the column.
using Calls = std::vector<Frame>;

/// The library by itself, where it does not say which function of it that is.
std::string library_of(const Trace& trace, const CallPlace& place) {
  const std::string path = place.module ? trace.modules[place.module.value].path : std::string();
  return '[' + path.substr(path.find_last_of('/') + 1) + ']';
}

Calls calls_of(const Trace& trace, Index<CallPath> path) {
  Calls calls;
  if (!path) return calls;
  const auto place_of = [&](Index<CallPath> node) -> const CallPlace& {
    return trace.call_places[trace.call_paths[node.value].place.value];
  };
  const Index<Module> own = place_of(path).module;
  for (Index<CallPath> node = path; node; node = trace.call_paths[node.value].caller) {
    const CallPlace& place = place_of(node);
    const bool in_source =
        std::ranges::any_of(place.frames, [](const Frame& frame) { return !frame.file.empty(); });
    if (!in_source && (place.module != own || place.frames.empty())) {
      const Frame library{library_of(trace, place), "", 0, 0};
      if (calls.empty() || calls.back() != library) calls.push_back(library);
      continue;
    }
    for (const Frame& frame : place.frames)
      calls.push_back({frame.function, frame.file, frame.line, 0});
  }
  return calls;
}

/// Whether two are one but for lines that the compiler left out.
bool may_be_one(const Calls& a, const Calls& b) {
  return std::ranges::equal(a, b, [](const Frame& one, const Frame& other) {
    return one.function == other.function && one.file == other.file &&
           (one.line == other.line || one.line == 0 || other.line == 0);
  });
}

using Sums = std::map<Calls, DirectiveFigures>;

/// A path of which some line is not known is the only one that it can be, if there is just one.
void join_unknown_lines(Sums& sums) {
  for (auto at = sums.begin(); at != sums.end();) {
    const auto next = std::next(at);
    const bool has_gap = std::ranges::any_of(
        at->first, [](const Frame& call) { return call.line == 0 && !call.file.empty(); });
    std::vector<Sums::iterator> others;
    for (auto other = sums.begin(); has_gap && other != sums.end(); ++other) {
      if (other != at && may_be_one(at->first, other->first)) others.push_back(other);
    }
    if (others.size() == 1) {
      add(others.front()->second, at->second);
      sums.erase(at);
    }
    at = next;
  }
}

void describe(const Sums& sums, DirectiveRow& row) {
  for (const auto& [calls, figures] : sums) {
    add(row, figures);
    row.paths.push_back({figures, {}, calls});
  }
  const auto weight = [](const DirectivePath& path) {
    return std::pair(path.htod.bytes + path.dtoh.bytes + path.dtod.bytes, path.time);
  };
  sort_rows(row.paths, weight, std::greater<>{});
  if (sums.size() == 1 && sums.begin()->first.empty()) row.paths.clear();
}

}  // namespace

void add(DirectiveFigures& sum, const DirectiveFigures& other) {
  for (Flow DirectiveFigures::* flow :
       {&DirectiveFigures::htod, &DirectiveFigures::dtoh, &DirectiveFigures::dtod}) {
    (sum.*flow).bytes += (other.*flow).bytes;
    (sum.*flow).count += (other.*flow).count;
    (sum.*flow).time += (other.*flow).time;
  }
  sum.count += other.count;
  sum.alloc_count += other.alloc_count;
  sum.kernel_count += other.kernel_count;
  sum.fallback_count += other.fallback_count;
  sum.mapped_bytes += other.mapped_bytes;
  sum.kernel_time += other.kernel_time;
  sum.time += other.time;
  sum.timed = sum.timed && other.timed;
}

void DirectivePaths::give_to(std::vector<DirectiveRow>& rows) const {
  std::map<std::uint32_t, Calls> calls;
  std::vector<Sums> sums(rows.size());
  for (const auto& [key, figures] : sums_) {
    const auto path = static_cast<std::uint32_t>(key);
    const auto [known, is_new] = calls.try_emplace(path);
    if (is_new) known->second = calls_of(trace_, {path});
    add(sums[key >> 32U][known->second], figures);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    join_unknown_lines(sums[i]);
    describe(sums[i], rows[i]);
  }
}

}  // namespace ompdm::analysis
