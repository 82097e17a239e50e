// How the tables of a comparison are filled: columns that come in twos, and ratios that may not
// exist. Inside the report library only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/trace.h"
#include "report/table.h"

namespace ompdm::report {

/// BEFORE's figure and AFTER's; empty where a side has no such row or does not know it.
struct TwoCells {
  Cell before;
  Cell after;
};

/// A table whose rows are pairs. Columns and cells are added in the same order.
class PairTable {
 public:
  /// `has_ratios`: the two sides' figures can be divided.
  PairTable(std::string name, std::string title, bool has_ratios) : has_ratios_(has_ratios) {
    table_.name = std::move(name);
    table_.title = std::move(title);
  }

  /// Two columns, "before_KEY" and "after_KEY".
  void two_columns(const std::string& key, const std::string& title, Unit unit,
                   Audience audience = Audience::kAll);

  /// AFTER over BEFORE: a text for readers, a number for programs.
  void ratio_column(const std::string& key);

  void column(Column column) { table_.columns.push_back(std::move(column)); }

  /// Begins a row.
  void row(bool in_before, bool in_after);
  void two(const TwoCells& cells);

  /// "gone" or "new" for readers where a row is on one side only. Nothing without ratios.
  void ratio(const TwoCells& cells);
  void cell(Cell cell) { table_.rows.back().push_back(std::move(cell)); }

  /// "both", "before" or "after": which recordings have the row.
  [[nodiscard]] std::string presence() const;

  Table take() { return std::move(table_); }

 private:
  Table table_;
  bool has_ratios_;
  bool in_before_ = true;
  bool in_after_ = true;
};

/// The sum of two figures, each side by itself; unknown if either is.
TwoCells operator+(const TwoCells& a, const TwoCells& b);

}  // namespace ompdm::report
