// How JSON refers to rows: by the ids of rows of one recording. Inside the report library only.
#pragma once

#include <cstddef>
#include <vector>

#include "ompdm/analysis.h"
#include "report/json_rows.h"

namespace ompdm::report {

/// The id of a row of the recording's directives; null for kNoRow.
Json directive_id(const analysis::Analysis& of, std::size_t row);

/// Ids of rows, in the order of these.
Json directive_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);
Json variable_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);
Json loop_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);

/// Ids of the directives, and of the loops, that stand at a place: several may stand on one line.
Json directive_ids_at(const analysis::Analysis& of, const analysis::SourcePlace& place);
Json loop_ids_at(const analysis::Analysis& of, const analysis::SourcePlace& place);

/// The id of a device by its number; null if the recording has no such device.
Json device_id(const analysis::Analysis& of, std::int32_t number);
std::string id_of(const Device& device);

}  // namespace ompdm::report
