// Each reference in the JSON of each scene is the id of an existing row. No two rows of a table
// have the same id.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "goldens.h"
#include "ompdm/report.h"

namespace ompdm::references_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Which table a key's ids are of; empty: it is no reference.
std::string table_of(const std::string& key) {
  if (key == "directive_id" || key == "directive_ids") return "directives";
  if (key == "variable_ids") return "variables";
  if (key == "loop_ids" || key == "parent_id") return "iterations";
  if (key == "device_id") return "devices";
  return {};
}

/// Of which recording a row is: several have rows of the same thing, with the same id.
std::string recording_of(const json& row) {
  for (const char* key : {"run", "rank", "pid"}) {
    if (row.contains(key) && !row[key].is_null()) return row[key].dump();
  }
  return {};
}

using Ids = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

class References : public testing::TestWithParam<std::string> {
 protected:
  /// Collects the ids of all tables; each is there once.
  static Ids ids_of(const json& report) {
    Ids ids;
    for (const auto& [table, rows] : report.items()) {
      if (!rows.is_array()) continue;
      for (const json& row : rows) {
        const std::string id = row.value("id", "");
        EXPECT_EQ(id.size(), 16U) << table << ": " << row;
        // A trace is told apart by its id alone.
        const std::string recording = table == "traces" ? std::string() : recording_of(row);
        EXPECT_TRUE(ids[std::pair(table, recording)].insert(id).second)
            << table << " has " << id << " twice";
      }
    }
    return ids;
  }

  void expect_there(const Ids& ids, const std::string& table, const std::string& recording,
                    const json& id) {
    if (id.is_null()) return;
    ++references_;
    const auto known = ids.find(std::pair(table, recording));
    EXPECT_TRUE(known != ids.end() && known->second.contains(id.get<std::string>()))
        << table << " has no " << id;
  }

  void walk(const Ids& ids, const std::string& recording, const json& value) {
    if (value.is_array()) {
      for (const json& each : value) walk(ids, recording, each);
    }
    if (!value.is_object()) return;
    for (const auto& [key, part] : value.items()) {
      const std::string table = table_of(key);
      if (table.empty()) {
        walk(ids, recording, part);
      } else if (part.is_array()) {
        for (const json& id : part) expect_there(ids, table, recording, id);
      } else {
        expect_there(ids, table, recording, part);
      }
    }
  }

  std::size_t references_ = 0;
};

TEST_P(References, Resolve) {
  const auto analyses =
      test::analyses_of(test::scene_traces(fs::path(OMPDM_GOLDEN_DIR) / GetParam()));
  const json report = json::parse(report::render(analyses, report::Format::kJson));
  const Ids ids = ids_of(report);
  const bool are_several = report["traces"].size() > 1;
  for (const auto& [table, rows] : report.items()) {
    if (!rows.is_array()) continue;
    for (const json& row : rows) walk(ids, are_several ? recording_of(row) : "", row);
  }
  EXPECT_TRUE(references_ > 0 || report["iterations"].empty());
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const test::Scene& scene : test::scenes()) names.push_back(scene.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Scenes, References, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

}  // namespace
}  // namespace ompdm::references_test
