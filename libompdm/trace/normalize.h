// The one place where what runtimes disagree on is made equal: device numbers, kinds of operations,
// device-to-device copies in two halves, memset as a transfer, clocks of asynchronous devices.
// Nothing later looks at an optype.
#pragma once

#include "trace/draft.h"

namespace ompdm::trace {

/// What an operation of this ompt_target_data_op_t is called before its devices are known: of a
/// copy that names no direction, kDtoD; of what no specification knows, kMemset.
OpKind told_kind(std::uint16_t optype);

/// Makes the operations' kinds and devices right and drops the halves of bounced copies. Expects
/// the draft as decoded: the halves of a copy are found by their being neighbours in their lane.
void normalize_operations(Draft& draft);

}  // namespace ompdm::trace
