// What runtimes tell differently, made alike.
#pragma once

#include <string>
#include <string_view>

#include "spool_reader/draft.h"

namespace ompdm::trace {

/// "LLVM 22.1 (libomptarget.so.22.1)", from what the runtime says of itself, which with LLVM is the
/// same text in every version, and the path of its libomptarget. What has no version in its file's
/// name keeps its text, with the path behind it; an empty path says that libomptarget was not met.
std::string runtime_name(std::string_view told, std::string_view library);

/// What an operation of this ompt_target_data_op_t is called before its devices are known: of a
/// copy that names no direction, kDtoD; of what no specification knows, kMemset.
OpKind told_kind(std::uint16_t optype);

/// Makes the operations' kinds and devices right and drops the halves of bounced copies. Expects
/// the draft as decoded: the halves of a copy are found by their being neighbours in their lane.
void normalize_operations(Draft& draft);

}  // namespace ompdm::trace
