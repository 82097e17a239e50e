// A program run under `ompdm record`: what it did, the trace, and the report on it. The runtime's
// own account of its copies (LIBOMPTARGET_INFO) is asked for in the same process.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"
#include "run.h"

namespace ompdm::e2e {

using Json = nlohmann::json;

struct Recorded {
  Ended ended;
  Trace trace;
  Json report;  ///< `ompdm report --format json`
};

/// Fails the test unless the program ends with 0 and leaves a trace.
Recorded record(const Command& program);

struct Copies {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Copies&) const = default;
};

/// Of one device.
struct Traffic {
  Copies htod;
  Copies dtoh;
  bool operator==(const Traffic&) const = default;
};

/// By device, those without traffic left out.
using TrafficByDevice = std::map<std::int32_t, Traffic>;

/// What the runtime printed about its copies.
TrafficByDevice traffic_told_by_runtime(std::string_view err);

/// What the trace holds, the runtime's internal traffic included: the runtime does not tell them
/// apart.
TrafficByDevice traffic_in(const Trace& trace);

/// Fails the test unless the report agrees with itself, with the sources and with the runtime. Each
/// byte belongs to one directive and one variable, at lines that say so, and nothing was lost.
void expect_consistent(const Recorded& recorded);

/// `programs/NAME` in the build folder, or a kernel's path.
std::string program(const std::string& name);
std::string kernel(const std::string& name);

/// The patterns of a report's findings, in their order.
std::string patterns(const Json& report);

/// Rows of a table with these fields alone, sorted: times differ, and with them the order.
std::vector<Json> rows_of(const Json& table, const std::vector<const char*>& fields);

}  // namespace ompdm::e2e
