// Tables of rows whose figures have several values each: of versions, or of ranks. Inside the
// report library only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/table.h"

namespace ompdm::report {

/// A column of such a table: a label of the row, or what is shown of a figure.
struct FigureColumn {
  enum class Shown {
    kLabel,   ///< a text or number of the whole row
    kValue,   ///< of each version; the sum over the ranks
    kRest,    ///< kValue, and 0 in a version that lacks a row of the one before
    kRatio,   ///< AFTER over BEFORE; the rank with most, and most over mean
    kLeast,   ///< over the ranks, and which rank has it
    kMedian,  ///< over the ranks
    kMost,    ///< over the ranks
  };
  Column column;
  Shown shown = Shown::kValue;
  std::vector<std::string> figures = {};  ///< that are added up; none: the one of the column's key

  static FigureColumn label(Column column) { return {std::move(column), Shown::kLabel}; }

  [[nodiscard]] std::vector<std::string> names() const {
    return figures.empty() ? std::vector<std::string>{column.key} : figures;
  }
};

/// Puts a table together from rows of labels and of figures' cells.
class FigureTable {
 public:
  /// `heads(column)`: the columns that a figure becomes.
  template <class Heads>
  FigureTable(std::string name, std::string title, std::vector<FigureColumn> columns, Heads heads)
      : columns_(std::move(columns)) {
    table_.name = std::move(name);
    table_.title = std::move(title);
    for (const FigureColumn& column : columns_) {
      if (column.shown == FigureColumn::Shown::kLabel) {
        table_.columns.push_back(column.column);
        continue;
      }
      for (Column& head : heads(column)) table_.columns.push_back(std::move(head));
    }
  }

  /// `labels`: of the columns that are labels, in their order. `cells(column)`: a figure's cells,
  /// as many as it has columns.
  template <class Cells>
  void add(std::vector<Cell> labels, Cells cells) {
    std::vector<Cell>& row = table_.rows.emplace_back();
    auto label = labels.begin();
    for (const FigureColumn& column : columns_) {
      if (column.shown == FigureColumn::Shown::kLabel) {
        row.push_back(std::move(*label++));
        continue;
      }
      for (Cell& cell : cells(column)) row.push_back(std::move(cell));
    }
  }

  Table take() { return std::move(table_); }

 private:
  std::vector<FigureColumn> columns_;
  Table table_;
};

}  // namespace ompdm::report
