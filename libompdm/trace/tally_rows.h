// The rows of what was counted, as JSON and back: FORMAT.md says what they mean. Fields that are
// not there keep their values; of another type they throw MalformedLine.
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
