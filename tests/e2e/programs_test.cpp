// Odd programs: each says at its head what it moves, and why is read off its source.
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "ledger.h"

namespace ompdm::e2e::programs_test {
namespace {

struct Program {
  std::string name;    ///< of the built program
  std::string source;  ///< holds the ledger
  std::vector<std::string> arguments = {};
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class Programs : public testing::TestWithParam<Program> {};

TEST_P(Programs, MoveWhatTheirSourcesSay) {
  const Program& test = GetParam();
  Command command = {{program(test.name)}};
  for (const std::string& argument : test.arguments) command.words.push_back(argument);
  const Recorded recorded = record(command);
  expect_consistent(recorded);
  ASSERT_FALSE(recorded.report.is_null());
  const std::filesystem::path sources = OMPDM_E2E_SOURCES;
  EXPECT_EQ(ledger_of(recorded.report, sources), ledger_in(sources / test.source));
}

const Program kPrograms[] = {
    {"always", "always.c"},
    {"api", "api.c"},
    {"api_async", "api_async.c"},
    {"api_globals", "api_globals.c"},
    {"classes", "classes.cpp"},
    {"conditions", "conditions.c"},
    {"declare_target", "declare_target.c"},
    {"declare_target_O0", "declare_target.c"},
    {"devices", "devices.c"},
    {"firstprivate", "firstprivate.c"},
    {"instances", "instances.cpp"},
    {"load_twice", "load_twice.c", {program("libscale.so")}},
    {"load_twice_gcc", "load_twice.c", {program("libscale.so")}},
    {"mapper", "mapper.c"},
    {"mapper_nested", "mapper_nested.c"},
    {"nested_data", "nested_data.c"},
    {"nested_data_O0", "nested_data.c"},
    {"nowait_depend", "nowait_depend.c"},
    {"nowait_depend_O0", "nowait_depend.c"},
    {"objects", "objects.cpp"},
    {"parallel_regions", "parallel_regions.c"},
    {"reached", "reached.cpp"},
    {"reached_O0", "reached.cpp"},
    {"reductions", "reductions.c"},
    {"reused", "reused.c"},
    {"same_line", "same_line.c"},
    {"strided_update", "strided_update.c"},
    {"struct_members", "struct_members.c"},
    {"struct_members_O0", "struct_members.c"},
    {"templates", "templates.cpp"},
    {"threads", "threads.cpp"},
    {"two_libraries", "two_parts.c"},
    {"two_parts", "two_parts.c"},
    {"unified", "unified.c"},
};

INSTANTIATE_TEST_SUITE_P(, Programs, testing::ValuesIn(kPrograms),
                         [](const auto& test) { return test.param.name; });

TEST(SamePlace, TakenByTwoLibrariesEachHasItsOwnLinesAndVariables) {
  const Command command = {
      {program("same_place"), program("libtenant_one.so"), program("libtenant_two.so")}};
  constexpr int kElsewhere = 77;
  const Folder folder;
  if (run(command, folder.path()).status == kElsewhere) {
    GTEST_SKIP() << "the loader puts the second library elsewhere";
  }
  const Recorded recorded = record(command);
  expect_consistent(recorded);
  ASSERT_FALSE(recorded.report.is_null());
  const std::filesystem::path sources = OMPDM_E2E_SOURCES;
  EXPECT_EQ(ledger_of(recorded.report, sources), ledger_in(sources / "same_place.c"));
  std::set<std::string> kernels;
  for (const Kernel& kernel : recorded.trace.kernels) {
    kernels.insert(std::filesystem::path(kernel.file).filename());
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"same_place.c", "tenant_one.c", "tenant_two.c"}));
}

// The table that names kernels says it, in a row without a name.
TEST(Unified, IsKnownAndKernelsHaveNames) {
  const Recorded recorded = record({{program("unified")}});
  EXPECT_TRUE(recorded.trace.recording.unified_shared_memory);
  ASSERT_FALSE(recorded.trace.kernels.empty());
  for (const Kernel& kernel : recorded.trace.kernels) EXPECT_NE(kernel.name, "");
}

// OMPT does not tell, but the runtime's entry points for data directives do, and a kernel's flags.
TEST(Deferred, DirectivesAreKnownToBe) {
  const Recorded recorded = record({{program("nowait_depend")}});
  for (const Region& region : recorded.trace.regions) {
    ASSERT_TRUE(region.site);
    const Site& site = recorded.trace.sites[region.site.value];
    constexpr int kUndeferred = 24;
    EXPECT_EQ(region.nowait, site.line != kUndeferred) << site.line;
  }
  EXPECT_FALSE(recorded.trace.regions.empty());
}

/// How often each path led to a directive, "step < solve < main: 4", inlined calls included.
std::vector<std::string> paths_of(const Json& row) {
  std::vector<std::string> paths;
  for (const Json& path : row["paths"]) {
    std::string text;
    for (const Json& frame : path["frames"]) {
      const std::string name = frame["function"];
      text += name.substr(0, name.find('(', 1)) + " < ";
    }
    paths.push_back(text + std::to_string(path["count"].get<int>()));
  }
  return paths;
}

TEST(CallPaths, AreToldOfEachDirective) {
  for (const char* built : {"reached", "reached_O0"}) {
    const Json report = record({{program(built)}}).report;
    ASSERT_EQ(report["directives"].size(), 2U) << built;
    std::vector<std::string> steps = paths_of(report["directives"][0]);
    for (std::string& path : steps) {
      constexpr std::string_view kNameless = "(anonymous namespace)::";
      for (auto at = path.find(kNameless); at != std::string::npos; at = path.find(kNameless)) {
        path.erase(at, kNameless.size());
      }
    }
    // Most bytes first: 2 of 100 numbers, 4 of 40, 3 of 33.
    EXPECT_EQ(steps, std::vector<std::string>(
                         {"step < solve < main < 2", "step < solve < main < 4", "step < main < 3"}))
        << built;
    EXPECT_EQ(paths_of(report["directives"][1]), std::vector<std::string>({"main < 1"})) << built;
  }
}

// A row stands for both instantiations. What runs in one, or is called, belongs to that one.
TEST(Templates, AreNotShownUnderOneInstancesName) {
  const Recorded recorded = record({{program("instances")}});
  ASSERT_EQ(recorded.report["directives"].size(), 1U);
  EXPECT_EQ(recorded.report["directives"][0]["function"], "scale<...>");
  EXPECT_EQ(recorded.trace.kernels.size(), 2U);
  for (const Launch& launch : recorded.trace.launches) {
    ASSERT_TRUE(launch.site && launch.kernel);
    EXPECT_EQ(recorded.trace.sites[launch.site.value].function,
              recorded.trace.kernels[launch.kernel.value].function);
  }
  const std::string findings = recorded.report["findings"].dump();
  EXPECT_NE(findings.find("these names and sizes are those of scale<float>"), std::string::npos)
      << findings;
  EXPECT_EQ(findings.find("scale<double>"), std::string::npos) << findings;
}

}  // namespace
}  // namespace ompdm::e2e::programs_test
