// Sets that are joined, each told by one of its members. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace ompdm::analysis {

class Joined {
 public:
  /// So many members, each a set of its own.
  explicit Joined(std::uint32_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), 0U);
  }

  /// The member that tells its set.
  std::uint32_t find(std::uint32_t one) {
    while (leader_[one] != one) one = leader_[one] = leader_[leader_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) { leader_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> leader_;
};

}  // namespace ompdm::analysis
