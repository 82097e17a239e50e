// The decoded trace of a spool, before names and storage are known.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/map_types.h"
#include "ompdm/aggregates.h"
#include "ompdm/columns.h"
#include "ompdm/trace.h"
#include "spool_format/activities.h"
#include "spool_format/aggregates.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"

namespace ompdm::trace {

/// Rows of samples have threads of their own, from this number on, until they are taken out. So no
/// stage takes them for rows between others.
inline constexpr std::uint32_t kFirstSample = std::uint32_t{1} << 31U;

/// The aggregate of a sample, and the sample's thread.
struct AggregateExtra {
  std::uint32_t thread = 0;
  bool is_known = false;  ///< the aggregate was read
  spool::AggregateOf of = spool::AggregateOf::kRegion;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;
  std::uint32_t joined = kNotJoined;  ///< of a second half, the first half's position
  /// Its rows of Trace::op_aggregates and Trace::launch_aggregates.
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> launches;
  static constexpr std::uint32_t kNotJoined = 0xffffffff;
};

/// Not yet known, in the columns of a decoded trace.
inline constexpr std::uint32_t kNoList = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint8_t kNoKind = 0;

/// A frame of a call path.
struct DecodedFrame {
  Index<Module> module;
  std::uint64_t address = 0;  ///< in the module's file
  std::uint64_t stack = 0;    ///< the address of its return address
};

/// The call path of a site.
struct DecodedPath {
  Index<Site> site;
  std::uint64_t stack = 0;           ///< the address of the return address of the site's own call
  std::uint64_t end = 0;             ///< the same of the outermost function; 0: not known
  std::vector<DecodedFrame> frames;  ///< innermost first
};

/// Parallel to Trace::sites.
struct SiteExtra {
  spool::Entry entry = spool::Entry::kNone;
  std::uint64_t codeptr = 0;
  std::uint64_t kernel = 0;  ///< host_ptr of the launched kernel
  std::string psource;
  std::vector<std::string> names;     ///< of the mapped items, as the compiler gives them
  std::vector<DecodedFrame> callers;  ///< innermost first
  bool in_runtime = false;            ///< codeptr lies in the OpenMP runtime's own libraries
  bool is_fortran = false;            ///< flang's: its items may be descriptors
};

/// Parallel to Trace::ops.
struct OpExtra {
  spool::CallId api_call = spool::CallId::kNone;
  std::uint16_t optype = 0;
  std::uint16_t argument = 0;        ///< 1 + index into the region's map list
  bool from_initial_device = false;  ///< its source was omp_initial_device (-1)
};

/// The ids (spool::external_id) of an operation's calls of the driver.
struct OpExternals {
  std::uint64_t id = 0;
  std::uint64_t second = 0;  ///< of its other half, where two operations were joined
};

/// Parallel to Trace::regions.
struct RegionExtra {
  std::uint8_t kind = kNoKind;  ///< ompt_target_t without its nowait forms
  bool from_wrapper = false;
};

/// Activities that were aggregated, until the operations that asked for them are known.
struct ActivityAggregateExtra {
  ActivityAggregate row;
  std::uint32_t name = kNoList;   ///< in DecodedTrace::activity_names
  std::uint32_t owner = kNoList;  ///< in DecodedTrace::aggregates
};

/// A CUDA device's row, by its ordinal, which is its number too where OpenMP's is not known.
struct CudaDevice {
  std::int32_t ordinal = 0;
  Device row;
};

/// Storage that a `declare mapper` added to a region.
struct MapperPiece {
  Index<Region> region;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t type = 0;  ///< libomptarget's map type bits
  std::uint32_t name = 0;  ///< position in DecodedTrace::mapper_names
};

/// An entry of a module's offload table.
struct OffloadSymbol {
  Index<Module> module;
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: a kernel
};

/// The addresses of a module in the process.
struct ModuleRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A column that may have millions of rows.
template <class Row>
using Column = std::vector<Row, LargePages<Row>>;

/// The bytes in lower-case hexadecimal, as Module::build_id has them.
std::string hex_of(std::span<const std::byte> bytes);

/// Removes from a column that is parallel to rows the elements whose rows DedupColumn::keep
/// removed. `moved` is the result of DedupColumn::keep. An empty column remains empty.
template <class Column>
void keep_beside(const std::vector<std::uint32_t>& moved, Column& column) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (moved[i] != kNoList) column[kept++] = std::move(column[i]);
  }
  column.resize(kept);
}

/// Puts the elements of a column in an order, unless one of the two is empty.
template <class Column>
void rearrange(const std::vector<std::uint32_t>& order, Column& column) {
  if (order.empty() || column.empty()) return;
  Column sorted;
  sorted.reserve(column.size());
  for (const std::uint32_t at : order) sorted.push_back(std::move(column[at]));
  column = std::move(sorted);
}

/// Whether operations of this kind transfer data between memories.
constexpr bool is_copy(OpKind kind) {
  return kind == OpKind::kHtoD || kind == OpKind::kDtoH || kind == OpKind::kDtoD;
}

struct DecodedTrace {
  Trace trace;
  std::vector<ModuleRange> module_ranges;  ///< parallel to Trace::modules
  std::vector<SiteExtra> site_extras;
  std::vector<DecodedPath> paths;  ///< that Region::path means until call paths are resolved
  Column<OpExtra> op_extras;
  Column<RegionExtra> region_extras;
  std::vector<std::uint64_t> launch_kernels;  ///< host_ptr, parallel to Trace::launches
  /// Parallel to Trace's columns; empty if no call of a driver was recorded.
  std::vector<OpExternals> op_externals;
  std::vector<std::uint64_t> region_externals;
  std::vector<std::uint64_t> launch_externals;
  /// tie_activities() changes times of activities and synchronizations from CUPTI's to the
  /// recording's, and devices from CUDA's ordinals.
  std::vector<std::uint32_t> names_of_activities;  ///< parallel to Trace::activities
  std::vector<std::string> activity_names;
  std::unordered_map<std::uint32_t, std::uint64_t> external_ids;  ///< by CUPTI's correlation
  std::vector<spool::CuptiClock> cupti_clock;
  std::vector<CudaDevice> cuda_devices;
  std::vector<Index<Site>> list_sites;  ///< parallel to Trace::map_lists
  std::vector<OffloadSymbol> symbols;
  std::vector<std::string> mapper_names;  ///< as the compiler gives them
  std::vector<MapperPiece> mapper_pieces;
  std::vector<AggregateExtra> aggregates;  ///< by sample
  std::vector<ActivityAggregateExtra> activity_aggregates;
};

}  // namespace ompdm::trace
