// What kernels did to blocks of device memory, of recordings by `ompdm check`. Inside the analysis
// library only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "detectors/mappings.h"

namespace ompdm::analysis {

/// Touches of mappings' blocks.
class Touches {
 public:
  /// A kernel's touch of a block.
  struct Touch {
    Nanoseconds at = 0;  ///< begin of its launch
    Index<Launch> launch;
    bool is_written = false;
    bool is_read_first = false;
  };

  Touches(const Trace& trace, const Mappings& mappings);

  /// Whether all touches of kernels that began in [from, to) on a device are known.
  [[nodiscard]] bool are_known(std::int32_t device, Nanoseconds from, Nanoseconds to) const;
  /// The touches of a mapping (position in Mappings::rows), in order of time.
  [[nodiscard]] std::span<const Touch> of(std::size_t mapping) const;
  /// Whether a kernel that began in [from, to) wrote to the mapping's block.
  [[nodiscard]] bool any_written(std::size_t mapping, Nanoseconds from, Nanoseconds to) const;

  /// A mapping by an address of its block, and an instant; Index<Mapping>::kNone: none had that
  /// block by then. The block may have been freed meanwhile.
  [[nodiscard]] std::uint32_t mapping_at(std::uint64_t block, Nanoseconds at) const;

 private:
  bool is_checked_ = false;
  const Mappings& mappings_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_block_;  // mappings, in order of time
  std::map<std::uint32_t, std::vector<Touch>> touches_;           // by mapping
  std::vector<std::pair<std::int32_t, Nanoseconds>> unknown_;     // launches: device, begin
};

}  // namespace ompdm::analysis
