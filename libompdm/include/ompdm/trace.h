// The trace model: plain values in columns, normalised, in nanoseconds since the recorder was
// attached. What a spool is turned into, what trace.json holds, and what every analysis reads. No
// I/O and no behaviour here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/activities.h"
#include "ompdm/call_paths.h"
#include "ompdm/definitions.h"
#include "ompdm/events.h"
#include "ompdm/recording.h"
#include "ompdm/runs.h"
#include "ompdm/tallies.h"

namespace ompdm {

/// A whole recording of one process. Regions, operations and launches are in order of their begin.
struct Trace {
  std::string file;        ///< where it was read from
  bool truncated = false;  ///< the file ends before its last line
  Process process;
  Recording recording;
  std::int32_t host_device = -1;  ///< the host's device number, -1 if never seen
  std::vector<Loss> losses;       ///< every known loss, zeros too
  std::vector<Device> devices;
  std::vector<Module> modules;
  std::vector<Thread> threads;
  std::vector<Site> sites;
  std::vector<Variable> variables;
  std::vector<DeviceVariable> device_variables;
  std::vector<Kernel> kernels;
  std::vector<CodeLoop> loops;  ///< outer before inner
  std::vector<CallPlace> call_places;
  std::vector<CallPath> call_paths;  ///< callers before what they called
  std::vector<std::vector<MapItem>> map_lists;
  std::vector<DeviceEvent> device_events;
  std::vector<MappedPointer> mapped_pointers;  ///< in the order of their threads
  /// Of files that rows name: those whose content debug information tells. A name that stands for
  /// several files has a row for each content.
  std::vector<SourceFile> sources;
  Runs<Region> regions;
  Runs<DataOp> ops;
  Runs<Launch> launches;
  std::vector<RegionTally> region_tallies;  ///< of what is in none of these rows
  std::vector<OpTally> op_tallies;
  std::vector<LaunchTally> launch_tallies;
  std::vector<ActivityTally> activity_tallies;
  std::vector<DeviceActivity> activities;         ///< in order of their begin
  std::vector<Synchronization> synchronizations;  ///< in order of their begin
};

}  // namespace ompdm
