#include "report/row_called.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace ompdm::report {
namespace {

using ReportJson = nlohmann::json;

constexpr const char* kNames[] = {"name", "pattern", "type", "function", "confidence", "id"};

std::string text_of(const ReportJson& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "src/heat.cpp:41"; empty where a row has no place.
std::string place_of(const ReportJson& row) {
  const std::string file = text_of(row, "file");
  if (file.empty() || !row.contains("line")) return {};
  return fmt::format("{}:{}", file, row["line"].get<std::int64_t>());
}

/// A pair of a comparison is called what its later row is.
const ReportJson& named_row(const ReportJson& row) {
  const auto after = row.find("after");
  return after != row.end() && after->is_object() ? *after : row;
}

}  // namespace

bool is_called(const ReportJson& pair, std::string_view name) {
  if (!pair.is_object()) return false;
  const ReportJson& row = named_row(pair);
  if (std::ranges::any_of(kNames, [&](const char* key) {
        const std::string text = text_of(row, key);
        return !text.empty() && text == name;
      })) {
    return true;
  }
  const std::string place = place_of(row);
  return !place.empty() && (place == name || (place.size() > name.size() && place.ends_with(name) &&
                                              place[place.size() - name.size() - 1] == '/'));
}

std::vector<std::string> names_of_row(const ReportJson& pair) {
  std::vector<std::string> names;
  if (!pair.is_object()) return names;
  const ReportJson& row = named_row(pair);
  for (const char* key : kNames) {
    if (std::string text = text_of(row, key); !text.empty()) names.push_back(std::move(text));
  }
  if (const std::string place = place_of(row); !place.empty()) {
    names.push_back(place.substr(place.rfind('/') + 1));
  }
  return names;
}

}  // namespace ompdm::report
