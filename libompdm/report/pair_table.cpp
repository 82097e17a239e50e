#include "report/pair_table.h"

#include <optional>

#include "report/units.h"

namespace ompdm::report {
namespace {

std::optional<double> value_of(const Cell& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  return number != nullptr ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

Cell sum(const Cell& a, const Cell& b) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  return left != nullptr && right != nullptr ? Cell(*left + *right) : Cell();
}

}  // namespace

void PairTable::two_columns(const std::string& key, const std::string& title, Unit unit,
                            Audience audience) {
  table_.columns.push_back({"before_" + key, title, unit, audience});
  table_.columns.push_back({"after_" + key, "after", unit, audience});
}

void PairTable::ratio_column(const std::string& key) {
  table_.columns.push_back({key, "x", Unit::kCount, Audience::kReader});
  table_.columns.push_back({key, "", Unit::kCount, Audience::kData});
}

void PairTable::row(bool in_before, bool in_after) {
  table_.rows.emplace_back();
  in_before_ = in_before;
  in_after_ = in_after;
}

void PairTable::two(const TwoCells& cells) {
  cell(cells.before);
  cell(cells.after);
}

void PairTable::ratio(const TwoCells& cells) {
  if (!has_ratios_) {
    cell({});
    cell({});
    return;
  }
  if (!in_before_ || !in_after_) {
    cell(in_after_ ? "new" : "gone");
    cell({});
    return;
  }
  const std::optional<double> before = value_of(cells.before);
  const std::optional<double> after = value_of(cells.after);
  if (!before || !after || *before == 0) {
    cell(before && after && *after > 0 ? Cell("from 0") : Cell());
    cell({});
    return;
  }
  cell(ratio_text(*after / *before));
  cell(*after / *before);
}

std::string PairTable::presence() const {
  if (in_before_ && in_after_) return "both";
  return in_before_ ? "before" : "after";
}

TwoCells operator+(const TwoCells& a, const TwoCells& b) {
  return {sum(a.before, b.before), sum(a.after, b.after)};
}

}  // namespace ompdm::report
