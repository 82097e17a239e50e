// Recordings that are long in one respect each, where an analysis that looks at pairs would take
// minutes. For tests and benchmarks only.
#pragma once

#include <cstdint>

#include "ompdm/trace.h"

namespace ompdm::test {

/// A loop that is entered `entries` times, of 3 iterations which map an array made for that entry,
/// in a loop that updates a scalar. With call paths, or to be found from the order of events.
Trace inner_loops(std::uint32_t entries, bool with_paths);

/// One array that is on the device, of which `pieces` different pieces are updated there and back,
/// a kernel on the whole in between.
Trace pieces_updated(std::uint32_t pieces);

/// One array of the host of which `pieces` different pieces are each mapped to a kernel while the
/// whole is on the device, too.
Trace pieces_mapped(std::uint32_t pieces);

/// A loop of some iterations over `names` directives, each of which maps a variable of its own; or
/// over one directive that maps them all.
Trace names_in_a_loop(std::uint32_t names, bool by_one_directive);

/// A directive with so many items, again and again: all are present already, or all are copied.
Trace long_map_list(std::uint32_t items, std::uint32_t instances, bool is_present);

/// So many executions of some thousand directives on two devices, in an order that never repeats.
Trace irregular_steps(std::uint32_t steps);

}  // namespace ompdm::test
