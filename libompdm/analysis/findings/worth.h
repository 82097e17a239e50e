// What is worth a line: what a finding would save of operations and bytes, beside all that the run
// made of them. Never of time, which is another on each machine. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Operations, by what a device pays for.
struct Cost {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;  ///< that they moved
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;

  /// Adds one; the runtime's own count for nothing, and deletes go with their allocations.
  void add(const DataOp& op);
};

class Worth {
 public:
  explicit Worth(const Trace& trace);

  /// Whether a claim saves a hundredth of the bytes that crossed or were allocated; or ten
  /// transfers or allocations, each of which a GPU takes some ten to some hundred microseconds for,
  /// that are a thousandth of all. Claims without operations are: their subject is another.
  [[nodiscard]] bool of(const Claim& claim) const;

 private:
  const Trace& trace_;
  Cost all_;
};

/// What claims would save besides what `claimed` has, each operation once.
Withheld withheld_of(const Trace& trace, const std::vector<Claim>& claims, const Claimed& claimed);

}  // namespace ompdm::analysis
