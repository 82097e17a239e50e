// What is on a device at a directive, as text, CSV, Markdown and JSON.
#include <fmt/format.h>

#include "ompdm/report.h"
#include "report/json_rows.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::DataPresent;
using analysis::PresentData;

std::string spoken(const std::optional<analysis::SourcePlace>& place) {
  return place ? place_text(*place) : std::string("never");
}

Table data_table(const DataPresent& at) {
  return table_of("mapped", "", at.data, [](TableRow& row, const PresentData& data) {
    row.add({"name", "Data"}, data.name);
    row.add({"bytes", "Size", Unit::kBytes}, static_cast<std::int64_t>(data.bytes));
    row.add({"since", "Since"}, place_text(data.since));
    row.add({"references", "References", Unit::kCount},
            data.references ? Cell(static_cast<std::int64_t>(*data.references)) : Cell());
    row.add({"sent", "Last sent"}, spoken(data.sent));
    row.add({"returned", "Last back"}, spoken(data.returned));
    row.add({"named", "Here"}, data.named.empty() ? std::string("not named") : data.named);
  });
}

std::string heading(const DataPresent& at) {
  std::string text = fmt::format("{} on device {} before the {} at {}",
                                 counted(at.data.size(), "piece", "pieces") + " of data", at.device,
                                 analysis::directive_name(at.directive), place_text(at.place));
  if (at.executions > 1) {
    text += fmt::format(", the first of {} executions", at.executions);
    text += at.others == 0 ? " (the same before the others)"
                           : fmt::format(" (another set before {} of them)", at.others);
  }
  return text;
}

Json place_row(const analysis::SourcePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}};
}

Json data_json(const PresentData& data) {
  Json json = {{"name", data.name},     {"host", data.host},
               {"bytes", data.bytes},   {"since", place_row(data.since)},
               {"since_ns", data.time}, {"named", data.named}};
  json["references"] = data.references ? Json(*data.references) : Json(nullptr);
  json["sent"] = data.sent ? place_row(*data.sent) : Json(nullptr);
  json["returned"] = data.returned ? place_row(*data.returned) : Json(nullptr);
  return json;
}

}  // namespace

std::string render_mapped(std::span<const DataPresent> all, Format format, const Layout& layout) {
  if (format == Format::kJson) {
    Json json = {{"schema", kMappedSchema}, {"directives", Json::array()}};
    for (const DataPresent& at : all) {
      Json row = place_row(at.place);
      row.update({{"directive", analysis::directive_name(at.directive)},
                  {"device", at.device},
                  {"time_ns", at.time},
                  {"executions", at.executions},
                  {"other_executions", at.others},
                  {"data", Json::array()}});
      for (const PresentData& data : at.data) row["data"].push_back(data_json(data));
      json["directives"].push_back(std::move(row));
    }
    return json.dump(2) + '\n';
  }
  std::string text;
  for (const DataPresent& at : all) {
    const Table table = data_table(at);
    if (format == Format::kCsv) {
      text += csv_sections({table}, "mapped");
      continue;
    }
    if (!text.empty()) text += '\n';
    text += heading(at) + '\n';
    if (table.rows.empty()) continue;
    text += format == Format::kMarkdown ? '\n' + markdown_section(table)
                                        : aligned(for_readers(table), layout.width, layout.narrow);
  }
  return text;
}

}  // namespace ompdm::report
