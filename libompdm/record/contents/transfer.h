// Which data operations move host memory to or from a device. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/runtime/ompt.h"

namespace ompdm::record {

/// What the runtime tells of a data operation.
struct Operation {
  const void* src;
  const void* dst;
  std::uint64_t bytes;
  std::int32_t src_device;
  std::int32_t dst_device;
  ompt_target_data_op_t optype;
};

/// A transfer between host memory and a device.
struct Transfer {
  const void* host = nullptr;  ///< null: the operation is no such transfer
  std::uint64_t bytes = 0;
  int device = -1;
  bool to_device = false;

  [[nodiscard]] bool is_of(const Operation& op) const noexcept {
    return host == (to_device ? op.src : op.dst) && bytes == op.bytes;
  }
};

/// The transfer that an operation is, of host memory as far as the devices known tell.
Transfer transfer_of(const Operation& op) noexcept;

}  // namespace ompdm::record
