// Which kernels could have changed a piece of storage's copy on a device, judged by what their
// directives map. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/findings/mappings.h"

namespace ompdm::analysis {

class KernelWrites {
 public:
  explicit KernelWrites(const Trace& trace);

  /// Whether a kernel that ran on the mapping's device at any time in (from, to) could have changed
  /// the mapping's data. A directive's kernel could not if its map clauses name the data with
  /// map(to:) alone, or if they do not name it and it is no pointer's target (which may be reached
  /// through a struct). Where only the submission of a kernel was timed it counts as running until
  /// then, or for ever if it was nowait: what the same thread does next waits for it.
  [[nodiscard]] bool could_write(const Mapping& mapping, Nanoseconds from, Nanoseconds to);

 private:
  struct Launches {
    std::vector<Nanoseconds> begins;
    std::vector<Nanoseconds> latest_end;  // of that launch and all before it
    void add(Nanoseconds begin, Nanoseconds end);
    [[nodiscard]] bool any(Nanoseconds from, Nanoseconds to) const;
  };
  struct Item {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t list = 0;
  };
  /// Those that write [begin, end): positions in lists_of_.
  const std::vector<std::uint32_t>& writers_of(std::uint64_t begin, std::uint64_t end);

  std::map<std::int32_t, Launches> all_;      // by device
  std::map<std::int32_t, Launches> unknown_;  // those whose clauses are not known
  std::map<std::pair<std::int32_t, std::uint32_t>, Launches> by_list_;  // device, map list
  std::vector<Item> writes_;               // items that a kernel may write, by begin
  std::vector<std::uint64_t> latest_end_;  // of that item and all before it
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> writers_;
};

}  // namespace ompdm::analysis
