#include "report/row_refs.h"

#include <fmt/format.h>

#include <algorithm>

#include "ompdm/row_id.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::SourcePlace;

template <class Row>
Json ids_of(const std::vector<Row>& table, const std::vector<std::size_t>& rows) {
  Json ids = Json::array();
  for (const std::size_t row : rows) ids.push_back(table[row].id);
  return ids;
}

template <class Row, class IsThere>
Json ids_if(const std::vector<Row>& table, IsThere is_there) {
  Json ids = Json::array();
  for (const Row& row : table) {
    if (is_there(row)) ids.push_back(row.id);
  }
  return ids;
}

bool is_at_line(const std::string& file, int line, const SourcePlace& place) {
  return place.line > 0 && line == place.line && file == place.file;
}

}  // namespace

Json directive_id(const Analysis& of, std::size_t row) {
  return row == analysis::kNoRow ? Json(nullptr) : Json(of.directives[row].id);
}

Json directive_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.directives, rows);
}

Json variable_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.variables, rows);
}

Json loop_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.iterations, rows);
}

Json directive_ids_at(const Analysis& of, const SourcePlace& place) {
  return ids_if(of.directives, [&](const analysis::DirectiveRow& row) {
    return is_at_line(row.file, row.line, place) ||
           (row.line == 0 && place.address != 0 && row.address == place.address);
  });
}

Json loop_ids_at(const Analysis& of, const SourcePlace& place) {
  return ids_if(of.iterations, [&](const analysis::Iteration& row) {
    return is_at_line(row.file, row.line, place);
  });
}

std::string id_of(const Device& device) {
  return analysis::row_id(fmt::format("device\n{}\n{}", device.number, device.type));
}

Json device_id(const Analysis& of, std::int32_t number) {
  const auto at = std::ranges::find(of.devices, number, &Device::number);
  return at != of.devices.end() ? Json(id_of(*at)) : Json(nullptr);
}

}  // namespace ompdm::report
