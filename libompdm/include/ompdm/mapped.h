// What is on a device at a directive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/findings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Data that is present on a device.
struct PresentData {
  std::string name;        ///< as the directive that mapped it has it: "u[0:n]"
  std::uint64_t host = 0;  ///< where it lies on the host; 0: nowhere (omp_target_alloc)
  std::uint64_t bytes = 0;
  SourcePlace since = {};   ///< the directive that mapped it
  SourcePlace caller = {};  ///< that called that directive's function; no file: not known
  Nanoseconds time = 0;     ///< when it did
  /// The reference count, as far as the map lists of directives are known; none: not known.
  std::optional<std::uint64_t> references = {};
  std::optional<SourcePlace> sent = {};      ///< the directive that sent it last
  std::optional<SourcePlace> returned = {};  ///< and that copied it back last
  /// How the directive names it: "map(to: u[0:n])"; "implicitly"; empty: not at all.
  std::string named;
};

/// What is on the device when an execution of a directive begins.
struct DataPresent {
  SourcePlace place = {};
  Directive directive = Directive::kTarget;
  std::int32_t device = -1;
  Nanoseconds time = 0;                ///< of the execution, the first
  std::uint64_t executions = 0;        ///< of the directive
  std::uint64_t others = 0;            ///< of these, with other data on the device
  std::vector<PresentData> data = {};  ///< most bytes first
};

/// The directives at a place, FILE:LINE, of which FILE may be the end of the path. Empty: no
/// directive there was executed.
std::vector<DataPresent> present_at(const Trace& trace, const std::string& where);

}  // namespace ompdm::analysis
