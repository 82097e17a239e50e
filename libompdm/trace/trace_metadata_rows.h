// The rows of what a trace file begins with, as JSON: trace_schema.h has their words, FORMAT.md
// what they mean.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// A text where a double would not hold it.
nlohmann::ordered_json signed_number(std::int64_t value);

nlohmann::ordered_json row(const Process& process);
nlohmann::ordered_json row(const Recording& recording);
nlohmann::ordered_json row(const Loss& loss);
nlohmann::ordered_json row(const Device& device);
nlohmann::ordered_json row(const Module& module);
nlohmann::ordered_json row(const Thread& thread);
nlohmann::ordered_json row(const Site& site);
nlohmann::ordered_json row(const Variable& variable);
nlohmann::ordered_json row(const DeviceVariable& variable);
nlohmann::ordered_json row(const Kernel& kernel);
nlohmann::ordered_json row(const CodeLoop& loop);
nlohmann::ordered_json row(const CallPlace& place);
nlohmann::ordered_json row(const CallPath& path);
nlohmann::ordered_json row(const std::vector<MapItem>& items);
nlohmann::ordered_json row(const DeviceEvent& event);
nlohmann::ordered_json row(const MappedPointer& pointer);
nlohmann::ordered_json row(const SourceFile& source);

}  // namespace ompdm
