#include "support/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ompdm::test {
namespace {

template <class Rows>
std::string compare(const char* column, const Rows& a, const Rows& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!(a[i] == b[i])) return fmt::format("{}[{}] differs", column, i);
  }
  if (a.size() != b.size()) return fmt::format("{} has {} rows and {}", column, a.size(), b.size());
  return {};
}

}  // namespace

std::string difference(const Trace& a, const Trace& b) {
  if (!(a.process == b.process)) return "process differs";
  if (!(a.recording == b.recording)) return "recording differs";
  if (a.host_device != b.host_device) return "host_device differs";
  for (const std::string& found :
       {compare("losses", a.losses, b.losses),
        compare("devices", a.devices, b.devices),
        compare("modules", a.modules, b.modules),
        compare("threads", a.threads, b.threads),
        compare("sites", a.sites, b.sites),
        compare("variables", a.variables, b.variables),
        compare("kernels", a.kernels, b.kernels),
        compare("map_lists", a.map_lists, b.map_lists),
        compare("device_events", a.device_events, b.device_events),
        compare("mapped_pointers", a.mapped_pointers, b.mapped_pointers),
        compare("block_touches", a.block_touches, b.block_touches),
        compare("bad_accesses", a.bad_accesses, b.bad_accesses),
        compare("unsent_items", a.unsent_items, b.unsent_items),
        compare("sources", a.sources, b.sources),
        compare("regions", a.regions, b.regions),
        compare("ops", a.ops, b.ops),
        compare("launches", a.launches, b.launches),
        compare("region_tallies", a.region_aggregates, b.region_aggregates),
        compare("op_tallies", a.op_aggregates, b.op_aggregates),
        compare("launch_tallies", a.launch_aggregates, b.launch_aggregates),
        compare("activity_tallies", a.activity_aggregates, b.activity_aggregates),
        compare("activities", a.activities, b.activities),
        compare("synchronizations", a.synchronizations, b.synchronizations)}) {
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace ompdm::test
