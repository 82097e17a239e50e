// The rows of what a trace file begins with, read from JSON: trace_metadata_rows.h's inverse.
// Fields that are not there keep their values; of another type they throw MalformedLine.
#pragma once

#include <nlohmann/json.hpp>

#include "ompdm/trace.h"

namespace ompdm {

void read_row(const nlohmann::json& object, Process& process);
void read_row(const nlohmann::json& object, Recording& recording);
void read_row(const nlohmann::json& object, Loss& loss);
void read_row(const nlohmann::json& object, Device& device);
void read_row(const nlohmann::json& object, Module& module);
void read_row(const nlohmann::json& object, Thread& thread);
void read_row(const nlohmann::json& object, Site& site);
void read_row(const nlohmann::json& object, Variable& variable);
void read_row(const nlohmann::json& object, DeviceVariable& variable);
void read_row(const nlohmann::json& object, Kernel& kernel);
void read_row(const nlohmann::json& object, CodeLoop& loop);
void read_row(const nlohmann::json& object, CallPlace& place);
void read_row(const nlohmann::json& object, CallPath& path);
void read_row(const nlohmann::json& object, MapItem& item);
void read_row(const nlohmann::json& object, DeviceEvent& event);
void read_row(const nlohmann::json& object, MappedPointer& pointer);
void read_row(const nlohmann::json& object, SourceFile& source);

}  // namespace ompdm
