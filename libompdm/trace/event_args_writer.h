// The args of each kind of event of trace.json: all of a row that the event's own keys do not tell.
#pragma once

#include <cstdint>

#include "ompdm/trace.h"
#include "trace/event_line.h"

namespace ompdm {

/// Whether `ts` and `dur` hold these times to the nanosecond; else the args repeat them.
bool is_exact(Nanoseconds begin, Nanoseconds end);

/// Each opens the args and leaves them open.
void write_args(const Region& region, EventLine& line);
/// `in_flow`: the event's bind_id tells its region. `host_device`: what an absent `from` or `to`
/// means.
void write_args(const DataOp& op, bool in_flow, std::int32_t host_device, EventLine& line);
void write_args(const Launch& launch, EventLine& line);
void write_args(const DeviceActivity& activity, EventLine& line);
void write_args(const Synchronization& wait, EventLine& line);

}  // namespace ompdm
