#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "export/tables.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/tables.h"

namespace ompdm::sqlite {
namespace {

const char* type_of(report::Unit unit) {
  switch (unit) {
    case report::Unit::kText:
      return "TEXT";
    case report::Unit::kPercent:
      return "REAL";
    case report::Unit::kCount:
    case report::Unit::kBytes:
    case report::Unit::kTime:
      break;
  }
  return "INTEGER";
}

}  // namespace

void add_report(Database& database, const analysis::Analysis& analysis) {
  const report::Analyses one(&analysis, 1);
  for (const report::Table& table : report::all_tables(one, report::SourceNames(one), false)) {
    const report::Table data = report::for_data(table);
    std::vector<std::string> columns;
    for (const report::Column& column : data.columns) {
      columns.push_back('"' + column.key + "\" " + type_of(column.unit));
    }
    TableWriter writer(database, "report_" + table.name, columns);
    for (const std::vector<report::Cell>& cells : data.rows) {
      std::vector<Value> row;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        // "enqueue" for a time that is not known: readers with types want numbers or nothing.
        const bool is_word = data.columns[i].unit != report::Unit::kText &&
                             std::holds_alternative<std::string>(cells[i]);
        row.push_back(is_word ? Value() : Value(cells[i]));
      }
      writer.add_row(row);
    }
  }
}

}  // namespace ompdm::sqlite
