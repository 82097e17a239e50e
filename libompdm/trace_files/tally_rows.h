// Aggregates in a trace's metadata.
#pragma once

#include <nlohmann/json.hpp>

#include "ompdm/trace.h"

namespace ompdm {

nlohmann::ordered_json row(const RegionTally& tally);
nlohmann::ordered_json row(const OpTally& tally);
nlohmann::ordered_json row(const LaunchTally& tally);
nlohmann::ordered_json row(const ActivityTally& tally);

void read_row(const nlohmann::json& object, RegionTally& tally);
void read_row(const nlohmann::json& object, OpTally& tally);
void read_row(const nlohmann::json& object, LaunchTally& tally);
void read_row(const nlohmann::json& object, ActivityTally& tally);

}  // namespace ompdm
