// Rows of a report as JSON. Inside the report library only.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "ompdm/analysis.h"
#include "report/source_names.h"

namespace ompdm::report {

using Json = nlohmann::ordered_json;

Json totals_json(const analysis::Totals& totals);
/// `of`: the recording that the row is of, whose rows it refers to by their ids. `offset`: where
/// the recording's directives begin in the document's table.
Json trace_json(const analysis::Analysis& one, std::size_t offset);

/// The same beside another one's: unions of time that are of a part of the run are not known.
Json compared_trace_json(const analysis::Analysis& analysis);
Json device_json(const Device& device);
Json activity_json(const analysis::Activity& row, const analysis::Analysis& of,
                   const SourceNames& names);
Json device_use_json(const analysis::DeviceUse& row, const analysis::Analysis& of);
Json host_wait_json(const analysis::HostWait& row, const analysis::Analysis& of,
                    std::size_t offset);
Json start_latency_json(const analysis::StartLatency& row);
Json directive_json(const analysis::DirectiveRow& row);
Json variable_json(const analysis::VariableRow& row);

/// `loops_before`: rows of the table that come of other traces.
Json iteration_json(const analysis::Iteration& row, const analysis::Analysis& of,
                    std::size_t offset, std::size_t loops_before);

Json finding_json(const analysis::Finding& row, const analysis::Analysis& of);
Json doubt_json(const analysis::Doubt& doubt);

/// The model that the transfers' times are of.
Json link_json(const analysis::Link& link);

}  // namespace ompdm::report
