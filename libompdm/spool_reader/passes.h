// The stages that process the draft of a spool, in the order in which read_spool() calls them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spool_reader/draft.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// "LLVM 22.1 (libomptarget.so.22.1)", from the runtime's own text and the path of its
/// libomptarget. (The text of LLVM is the same in every version.) If the library's file name has no
/// version, the text remains, with the path after it. An empty path: libomptarget was not loaded.
std::string runtime_name(std::string_view told, std::string_view library);

/// The kind of an operation of this ompt_target_data_op_t before its devices are known. A copy that
/// names no direction is kDtoD. A type that no specification knows is kMemset.
OpKind kind_of_optype(std::uint16_t optype);

/// Corrects the operations' kinds and devices, and drops the halves of bounced copies. Expects the
/// draft as decoded: the halves of a copy are neighbours in their thread buffer.
void normalize_operations(DecodedTrace& decoded);

/// Rewrites the sources and names in notes of flang's sites, and mapper names. flang (19 to 22)
/// leaves out a directive's file. It is the file of the debug information, else that of the
/// variables which are declared in it. A module's variable in another file is declared where debug
/// information says.
void read_flang(DecodedTrace& decoded, Symbols& symbols);

/// Fills the sites. Needs the operations normalised. The runtime's own line is preferred to that of
/// the kernel's name, and this to debug information.
void resolve_sites(DecodedTrace& decoded, Symbols& symbols);

/// Fills the kernels and binds the launches to them. Needs the sites.
void resolve_kernels(DecodedTrace& decoded);

/// Makes Trace::call_paths, call_places and loops of the spool's call paths, and lets regions and
/// API calls refer to them. Needs the sites.
void resolve_call_paths(DecodedTrace& decoded, Symbols& symbols);

/// Replays the run's mappings: fills variables, the operations' variable, map type, `internal`,
/// missing bytes and sites, and the map lists' names. Needs operations normalised and in order, and
/// the sites.
void attribute(DecodedTrace& decoded);

/// Gives the trace's nameless variables the names of the globals that they lie in. Needs them
/// attributed.
void name_globals(DecodedTrace& decoded, Symbols& symbols);

/// Fills the trace's device variables, and marks those of its variables that are tables of
/// pointers. Needs the variables.
void find_pointers(DecodedTrace& decoded, Symbols& symbols);

/// Takes the samples out of the decoded rows, and makes the trace's aggregates of them.
void take_samples(DecodedTrace& decoded);

/// Brings the activities to the recording's clock, OpenMP's device numbers and order of begin, and
/// finds the operation, launch, region and kernel of each. `attach`: CLOCK_MONOTONIC at attach.
/// Needs the kernels, and operations and launches in their final order. Adds the losses
/// `activities_missing` (copies and launches of CUDA devices that no activity stands for) and
/// `activities_unequal` (activities whose bytes are not their operation's).
void tie_activities(DecodedTrace& decoded, std::uint64_t attach);

}  // namespace ompdm::trace
