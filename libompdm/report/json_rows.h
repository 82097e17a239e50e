// A report as JSON values: text is made of them where it leaves the process.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "report/source_names.h"

namespace ompdm::report {

using Json = nlohmann::ordered_json;

/// The whole report as a value (docs/formats/REPORT.md): every figure, in nanoseconds and bytes;
/// null where a figure is not known. Rows of several recordings carry `rank` or `pid`. Needs at
/// least one analysis.
Json report_json(std::span<const analysis::Analysis> analyses);

/// A value as the whole of a document.
inline std::string document_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// The value of a path in a report. Throws Error: kUsage if there is no such path, kFailure if its
/// value is unknown (null) in this report.
double number_at(std::string_view path, const Json& report);

/// Of two reports. A path that only one of them has is 0 in the other: a row came or went. Throws
/// Error (kUsage) if neither has the path.
ValuePair numbers_at(std::string_view path, const Json& before, const Json& after);

/// A recording beside another: unions of time that are of a part of the run are not known.
Json compared_trace_json(const analysis::Analysis& analysis);

Json totals_json(const analysis::Totals& totals);

/// The model that the transfers' times are of.
Json link_json(const analysis::Link& link);

/// Rows of the report's tables. `of`: the recording that a row is of, whose rows it refers to by
/// their ids.
Json activity_json(const analysis::Activity& row, const analysis::Analysis& of,
                   const SourceNames& names);
Json directive_json(const analysis::DirectiveRow& row);
Json variable_json(const analysis::VariableRow& row);
Json finding_json(const analysis::Finding& row, const analysis::Analysis& of);
/// Of Analysis::mapping.
Json mapping_json(const analysis::Finding& row, const analysis::Analysis& of);

/// `offset`: where the recording's directives begin in the document's table. `loops_before`: rows
/// of the document's table of loops that come of other recordings.
Json loop_json(const analysis::LoopRow& row, const analysis::Analysis& of, std::size_t offset,
               std::size_t loops_before);

}  // namespace ompdm::report
