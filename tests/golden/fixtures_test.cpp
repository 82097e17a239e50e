// Recordings that an earlier version made (fixtures/README.md) are read as that version read them.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"

namespace ompdm::fixtures_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json expected() {
  std::ifstream file(fs::path(OMPDM_GOLDEN_DIR) / "fixtures" / "expected.json");
  return json::parse(file);
}

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  const json all = expected();
  for (const auto& [name, figures] : all.items()) names.push_back(name);
  return names;
}

/// Spools are kept compressed, and read as they were.
class Unpacked {
 public:
  explicit Unpacked(const fs::path& packed)
      : path_(fs::temp_directory_path() /
              ("ompdm-fixture-" + std::to_string(getpid()) + "-" + packed.stem().string())) {
    std::ofstream out(path_, std::ios::binary);
    gzFile in = gzopen(packed.c_str(), "rb");
    std::array<char, 65536> buffer{};
    int got = 0;
    while (in != nullptr && (got = gzread(in, buffer.data(), buffer.size())) > 0) {
      out.write(buffer.data(), got);
    }
    gzclose(in);
  }
  ~Unpacked() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

ompdm::Trace read_fixture(const std::string& name) {
  const fs::path path = fs::path(OMPDM_GOLDEN_DIR) / "fixtures" / name;
  if (!name.ends_with(".spool.gz")) return ompdm::read_trace(path);
  return ompdm::read_spool(Unpacked(path).path());
}

/// What `wanted` has of each of `rows`, in an order of their own.
std::vector<json> in_order(const json& rows, const json& wanted) {
  std::vector<json> found;
  for (const json& row : rows) {
    json& part = found.emplace_back(json::object());
    for (const auto& [key, value] : wanted.front().items()) part[key] = row.value(key, json());
  }
  std::ranges::sort(found, {}, [](const json& row) { return row.dump(); });
  return found;
}

class Fixture : public testing::TestWithParam<std::string> {};

TEST_P(Fixture, CountsAsItDidForTheVersionThatMadeIt) {
  const json wanted = expected().at(GetParam());
  const ompdm::Trace trace = read_fixture(GetParam());
  const std::vector<ompdm::analysis::Analysis> analyses{ompdm::analysis::analyze(trace)};
  const json report = json::parse(ompdm::report::render(analyses, ompdm::report::Format::kJson));

  for (const auto& [name, figures] : wanted.at("totals").items()) {
    for (const auto& [figure, value] : figures.items()) {
      EXPECT_EQ(report.at("totals").at(name).at(figure), value) << name << ' ' << figure;
    }
  }
  for (const char* table : {"directives", "variables"}) {
    EXPECT_EQ(in_order(report.at(table), wanted.at(table)),
              in_order(wanted.at(table), wanted.at(table)))
        << table;
  }
  for (const auto& [field, value] : wanted.at("process").items()) {
    EXPECT_EQ(report.at("traces").at(0).at(field), value) << field;
  }
  for (const json& loss : report.at("traces").at(0).at("losses")) {
    // Whether the runtime's own libraries are those of then depends on this machine.
    if (loss.at("name").get<std::string>().starts_with("modules_")) continue;
    EXPECT_EQ(loss.at("count"), 0) << loss;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.rfind(".gz"));
  std::ranges::replace(name, '.', '_');
  return name;
}

TEST(OldFormat, IsRefusedWithWhatToDo) {
  const Unpacked spool(fs::path(OMPDM_GOLDEN_DIR) / "fixtures" / "old_format.spool.gz");
  std::string said;
  try {
    ompdm::read_spool(spool.path());
  } catch (const ompdm::Error& error) {
    said = error.what();
  }
  EXPECT_EQ(said,
            spool.path().string() +
                ": has spool format 1, this ompdm reads 2: finish it with the ompdm that made it");
}

// Their recorder told of the boot, and had not asked how far the host's clock was off.
TEST(OldRecorder, LeftUnknownWhatItDidNotAsk) {
  const ompdm::Process spool = read_fixture("rank1.spool.gz").process;
  EXPECT_EQ(spool.realtime, ompdm::RealtimeClock());
  EXPECT_EQ(spool.time_namespace, 0U);
  EXPECT_EQ(spool.boot_id.size(), 36U);
  EXPECT_GT(spool.start_monotonic_ns, 0);
  const ompdm::Process trace = read_fixture("rank1.trace.json.gz").process;
  EXPECT_EQ(trace.realtime, ompdm::RealtimeClock());
  EXPECT_EQ(trace.boot_id, "");
  EXPECT_EQ(trace.start_monotonic_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Kept, Fixture, testing::ValuesIn(fixture_names()), test_name);

}  // namespace
}  // namespace ompdm::fixtures_test
