// What the surroundings do to a run: no device allowed, none used, or more bytes than 32 bits hold.
#include <gtest/gtest.h>

#include <fstream>

#include "ledger.h"

namespace ompdm::e2e::circumstances_test {
namespace {

const std::filesystem::path kSources = OMPDM_E2E_SOURCES;

std::string text_report(const Command& command) {
  const Folder folder;
  Command recorded = command;
  recorded.words.insert(recorded.words.begin(), {OMPDM_COMMAND, "record", "--"});
  EXPECT_EQ(run(recorded, folder.path()).status, 0);
  return run({{OMPDM_COMMAND, "report", "trace.json"}}, folder.path()).out;
}

TEST(Circumstances, WhereOffloadIsDisabledKernelsRunOnTheHost) {
  const Command command = {{program("nested_data")}, {{"OMP_TARGET_OFFLOAD", "DISABLED"}}};
  const Recorded recorded = record(command);
  ASSERT_FALSE(recorded.report.is_null());
  EXPECT_EQ(ledger_of(recorded.report, kSources), ledger({"total:", "target@work x6: fallback 6"}));
  EXPECT_EQ(
      lines_of(text_report(command)).at(0),
      "nothing ran on a device: 6 kernels ran on the host: OMP_TARGET_OFFLOAD=DISABLED forbids "
      "it");
}

TEST(Circumstances, AProgramThatNeverOffloadsLeavesNoTrace) {
  const Folder folder;
  const Ended ended = run({{OMPDM_COMMAND, "record", program("host_only")}}, folder.path());
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(lines_of(ended.err).at(0),
            "ompdm: no target region was recorded: no target region was executed on a device");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// The initial device is the host; its number is omp_get_num_devices(), 4 here.
TEST(Circumstances, WhereTheHostIsTheDefaultDeviceKernelsRunThere) {
  const Recorded recorded = record({{program("nested_data")}, {{"OMP_DEFAULT_DEVICE", "4"}}});
  ASSERT_FALSE(recorded.report.is_null());
  EXPECT_EQ(ledger_of(recorded.report, kSources), ledger({"total:", "target@work x6: fallback 6"}));
  ASSERT_EQ(recorded.report["findings"].size(), 1U);
  const std::string advice = recorded.report["findings"][0]["advice"];
  EXPECT_TRUE(advice.starts_with("the program asked for the host")) << advice;
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t kibibytes = 0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") file >> kibibytes;
  }
  return kibibytes << 10;
}

TEST(Circumstances, SizesBeyond32Bits) {
  constexpr std::uint64_t kSize = 5ULL << 30;
  if (available_memory() < 2 * kSize) GTEST_SKIP() << "needs 10 GiB of memory";
  const Recorded recorded = record({{program("huge"), "5"}});
  expect_consistent(recorded);
  ASSERT_FALSE(recorded.report.is_null());
  const std::string size = std::to_string(kSize);
  EXPECT_EQ(ledger_of(recorded.report, kSources),
            ledger({"total: HtoD 1 " + size + ", DtoH 1 1, alloc 1 " + size + ", delete 1 " + size +
                        ", kernel 1",
                    "target data@send x1: HtoD 1 " + size + ", alloc 1", "target@work x1: kernel 1",
                    "target update@fetch x1: DtoH 1 1", "a: HtoD 1 " + size + ", DtoH 1 1"}));
}

}  // namespace
}  // namespace ompdm::e2e::circumstances_test
