// What each thread executed, one directive after the other, as sequences that loops are found in.
// Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/repeats.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

/// The steps of each thread, by position in Trace::threads, in order of time. Symbols are twice the
/// directive's row, plus 1 for the end of a `target data`. The copies that one
/// omp_target_memcpy_rect makes are one step. Of a region's step its position alone is held, since
/// there may be millions.
class Steps {
 public:
  /// Both have to outlive this.
  Steps(const Trace& trace, const DirectiveTable& directives);

  [[nodiscard]] std::size_t threads() const { return threads_.size(); }
  [[nodiscard]] std::size_t size(std::uint32_t thread) const { return threads_[thread].size(); }
  [[nodiscard]] Step at(std::uint32_t thread, std::size_t position) const {
    return step_of(threads_[thread][position]);
  }
  /// Step::path of that step, which most often is asked for alone.
  [[nodiscard]] Index<CallPath> path_at(std::uint32_t thread, std::size_t position) const;
  /// All steps of a thread.
  [[nodiscard]] std::vector<Step> all_of(std::uint32_t thread) const;

 private:
  /// Positions of rows by the region that they are of.
  struct OfRegion {
    std::vector<std::uint32_t> first;  ///< by region, in rows; one more at the end
    std::vector<std::uint32_t> rows;
  };
  template <class Row>
  [[nodiscard]] OfRegion rows_of_regions(const Runs<Row>& rows) const;
  [[nodiscard]] Step step_of(std::uint32_t number) const;
  [[nodiscard]] PassCost cost_of(std::uint32_t region) const;
  [[nodiscard]] Nanoseconds begin_of(std::uint32_t number) const;

  const Trace& trace_;
  const DirectiveTable& directives_;
  OfRegion ops_;
  OfRegion launches_;
  std::vector<Step> api_steps_;
  /// By thread: regions, and from kFirstApi on API calls.
  std::vector<std::vector<std::uint32_t>> threads_;
};

/// Numbers a sequence's devices 0, 1, ... as they come, so that threads which do the same on
/// devices of their own do the same. Returns how many there are.
std::uint32_t number_devices(std::vector<Step>& steps);

}  // namespace ompdm::analysis
