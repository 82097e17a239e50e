#include "record/contents/transfer.h"

#include "record/runtime/devices.h"

namespace ompdm::record {

Transfer transfer_of(const Operation& op) noexcept {
  // An address is read only if the runtime says that it is the host's: that its device is none of
  // those that were initialised, and that the other side is one. What the operation is called says
  // less: some plugins call a copy between devices "from device". A rectangle's bytes lie
  // scattered, and what is not known by name may be no transfer at all.
  const ompt_target_data_op_t kind = synchronous_form(op.optype);
  if ((kind != ompt_target_data_transfer_to_device &&
       kind != ompt_target_data_transfer_from_device && kind != ompt_target_data_transfer) ||
      op.bytes == 0) {
    return {};
  }
  if (device_is_known(op.dst_device) && device_is_host(op.src_device)) {
    return {op.src, op.bytes, op.dst_device, true};
  }
  if (device_is_known(op.src_device) && device_is_host(op.dst_device)) {
    return {op.dst, op.bytes, op.src_device, false};
  }
  return {};
}

}  // namespace ompdm::record
