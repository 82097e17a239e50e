// Rows of devices, and of what the host waited for.
#include <fmt/format.h>

#include <string>

#include "ompdm/row_id.h"
#include "report/json_rows.h"
#include "report/row_refs.h"

namespace ompdm::report {

using analysis::Analysis;

Json device_json(const Device& device) {
  return {{"id", id_of(device)},
          {"number", device.number},
          {"type", device.type},
          {"name", device.name},
          {"is_host", device.is_host}};
}

Json device_use_json(const analysis::DeviceUse& row, const Analysis& of) {
  return {{"id", analysis::row_id(fmt::format("device_use\n{}", row.device))},
          {"device", row.device},
          {"device_id", device_id(of, row.device)},
          {"span_ns", row.span},
          {"copies_ns", row.copies},
          {"kernels_ns", row.kernels},
          {"both_ns", row.both},
          {"idle_ns", row.idle}};
}

Json host_wait_json(const analysis::HostWait& row, const Analysis& of, std::size_t offset) {
  const bool known = row.directive != analysis::kNoRow;
  const std::string at = known ? of.directives[row.directive].id : std::string();
  return {{"id", analysis::row_id("host_wait\n" + at)},
          {"directive", known ? Json(offset + row.directive) : Json(nullptr)},
          {"directive_id", directive_id(of, row.directive)},
          {"count", row.count},
          {"total_ns", row.total},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"kernels_ns", row.kernels},
          {"copies_ns", row.copies},
          {"neither_ns", row.neither}};
}

Json start_latency_json(const analysis::StartLatency& row) {
  const std::string type(analysis::activity_type_name(row.type));
  return {{"id", analysis::row_id("start_latency\n" + type)},
          {"type", type},
          {"count", row.count},
          {"min_ns", row.minimum},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"queued_count", row.queued}};
}

}  // namespace ompdm::report
