// Jobs of eight real ranks, started by the launchers that are installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "printable.h"
#include "scratch.h"

namespace ompdm::cli::ranks_test {
namespace {

using Json = nlohmann::json;
using testing::Ran;
using testing::Scratch;

constexpr int kRanks = 8;
constexpr std::uint64_t kBytes = 5 * 80'000;  // of rank 0; rank R has R + 1 times as many

class Ranks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (testing::shell(scratch_.folder(), "command -v " + launcher()).status != 0) {
      GTEST_SKIP() << launcher() << " is not installed";
    }
  }

  [[nodiscard]] static std::string launcher() { return "mpirun." + GetParam(); }
  [[nodiscard]] static std::string program() {
    return std::string(OMPDM_RANKS_FOLDER "/") + GetParam();
  }

  /// The job, with what stands before the program in each rank.
  [[nodiscard]] Ran start(const std::string& before, const std::string& arguments = "",
                          const std::string& around = "") const {
    const std::string options =
        GetParam() == "openmpi" ? " --allow-run-as-root --oversubscribe" : "";
    return testing::shell(scratch_.folder(), "OMP_NUM_THREADS=1 " + around + launcher() + options +
                                                 " -n 8 " + before + " " + program() + " " +
                                                 arguments);
  }
  [[nodiscard]] Ran ompdm(const std::string& arguments) const {
    return testing::shell(scratch_.folder(), shell_word(OMPDM_COMMAND) + " " + arguments);
  }
  [[nodiscard]] Json job() const { return Json::parse(ompdm("report . --format json").out); }

  [[nodiscard]] Json json_of_info(int rank) const {
    return Json::parse(ompdm("info --format json trace.rank" + std::to_string(rank) + ".json").out);
  }

  /// What ompdm said; launchers have words of their own (hwloc, where it finds no topology).
  static std::string said(const Ran& ran) {
    std::istringstream lines(ran.err);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("ompdm: ")) text += line + '\n';
    }
    return text;
  }

  static std::string record() { return shell_word(OMPDM_COMMAND) + " record"; }

  Scratch scratch_;
};

TEST_P(Ranks, AreOneReport) {
  const Ran ran = start(record());
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(std::ranges::count(said(ran), '\n'), 1) << ran.err;
  EXPECT_NE(ran.err.find("next: ompdm report --ranks trace.rank*.json"), std::string::npos)
      << ran.err;
  const Json report = job();
  EXPECT_EQ(report["schema"], "ompdm.job/1");
  EXPECT_EQ(report["ranks"]["which"], "0-7");
  EXPECT_EQ(report["ranks"]["of"], kRanks);
  EXPECT_EQ(report["ranks"]["missing"], "");
  EXPECT_EQ(report["ranks"]["killed"], "");
  const Json& sent = report["by_rank"]["HtoD_bytes"];
  EXPECT_EQ(sent["least_rank"], 0);
  EXPECT_EQ(sent["most_rank"], 7);
  EXPECT_EQ(sent["most"].get<std::uint64_t>() - sent["least"].get<std::uint64_t>(), 7 * kBytes);
  EXPECT_EQ(report["directives"][0]["which"], "0-7");
  // The same as from the traces, one by one.
  std::uint64_t bytes = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    const Json one =
        Json::parse(ompdm("report --format json trace.rank" + std::to_string(rank) + ".json").out);
    bytes += one["totals"]["HtoD"]["bytes"].get<std::uint64_t>();
  }
  EXPECT_EQ(report["totals"]["HtoD"]["bytes"], bytes);
  const Ran text = ompdm("report .");
  EXPECT_LE(std::ranges::count(text.out, '\n'), 60) << text.out;
}

/// Data that goes to another rank by way of the host; from device to device there is none, and the
/// result is the same.
TEST_P(Ranks, StageDataThroughTheHost) {
  std::string printed;
  for (const std::string way : {"staged", "direct"}) {
    const std::string halo = program() + "_halo_" + way;
    if (!std::filesystem::exists(halo)) GTEST_SKIP() << "built without the headers of MPI";
    const Scratch folder;
    const std::string options =
        GetParam() == "openmpi" ? " --allow-run-as-root --oversubscribe" : "";
    const Ran ran = testing::shell(folder.folder(), "OMP_NUM_THREADS=1 " + launcher() + options +
                                                        " -n 3 " + record() + " " + halo);
    ASSERT_EQ(ran.status, 0) << ran.err;
    if (printed.empty()) printed = ran.out;
    EXPECT_EQ(ran.out, printed);
    const Json report =
        Json::parse(testing::shell(folder.folder(), shell_word(OMPDM_COMMAND) +
                                                        " report --format json trace.rank0.json "
                                                        "trace.rank1.json trace.rank2.json")
                        .out);
    const Json& staging = report["staging"];
    if (way == "direct") {
      EXPECT_EQ(staging, Json::array());
      continue;
    }
    ASSERT_EQ(staging.size(), 1U) << staging;
    EXPECT_EQ(staging[0]["from"]["item"], "u[N:HALO]");
    EXPECT_EQ(staging[0]["to"]["item"], "u[0:HALO]");
    EXPECT_EQ(staging[0]["count"], 30);
    EXPECT_EQ(staging[0]["of"], 30);
    EXPECT_EQ(staging[0]["bytes"], 30 * 200 * 8);
    EXPECT_EQ(staging[0]["ranks"].size(), 3U);
  }
}

TEST_P(Ranks, AreToldOnceByARecordAroundTheLauncher) {
  const Ran ran = start("", "", record() + " ");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(said(ran), "ompdm: wrote 8 ranks; next: ompdm report --ranks trace.rank*.json\n");
  EXPECT_EQ(job()["ranks"]["which"], "0-7");
}

TEST_P(Ranks, ThatDieAreNamed) {
  const Ran ran = start(record(), "die 3");
  EXPECT_NE(ran.status, 0);
  const Json report = job();
  EXPECT_EQ(report["ranks"]["which"], "0-7");
  EXPECT_EQ(report["ranks"]["killed"], "3");
  EXPECT_NE(ompdm("report .").out.find("! 1 rank killed, or left by _exit, quick_exit or exec: 3"),
            std::string::npos);
}

TEST_P(Ranks, OfWhichSomeAreMissingAreNamed) {
  ASSERT_EQ(start(record()).status, 0);
  for (const char* rank : {"2", "5"}) {
    const std::string stem = "trace.rank" + std::string(rank);
    std::filesystem::remove(scratch_.folder() / (stem + ".json"));
    std::filesystem::remove(scratch_.folder() / (stem + ".summary.json"));
  }
  EXPECT_EQ(job()["ranks"]["missing"], "2,5");
}

TEST_P(Ranks, OnTwoHostsAreToldByHost) {
  if (testing::shell(scratch_.folder(), "unshare --uts true").status != 0) {
    GTEST_SKIP() << "no host name of its own can be had here";
  }
  scratch_.write("on_node",
                 "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                 "exec unshare --uts sh -c 'hostname node$1; shift; exec \"$@\"' sh $((rank / 4)) "
                 "\"$@\"\n");
  const Ran ran = start("sh ./on_node " + record());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json hosts = job()["facts"]["host"];
  ASSERT_EQ(hosts.size(), 2U) << hosts;
  EXPECT_EQ(hosts[0]["value"], "node0");
  EXPECT_EQ(hosts[0]["ranks"], "0-3");
  EXPECT_EQ(hosts[1]["ranks"], "4-7");
}

// Ranks of this machine have one clock, whatever names its containers have.
TEST_P(Ranks, AreOneTimeline) {
  ASSERT_EQ(start(record()).status, 0);
  const Ran ran = ompdm("export . --format json --rank 2,5-7");
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.err.find(": times are of one clock\nompdm: wrote trace.timeline.json\n"),
            std::string::npos)
      << ran.err;
  const Json file = Json::parse(testing::read_file(scratch_.folder() / "trace.timeline.json"));
  std::vector<std::string> names;
  std::set<int> pids;
  for (const Json& event : file["traceEvents"]) {
    if (event["name"] != "process_name") continue;
    names.push_back(event["args"]["name"].get<std::string>().substr(0, 7));
    pids.insert(event["pid"].get<int>());
  }
  EXPECT_EQ(pids.size(), names.size());
  EXPECT_TRUE(std::ranges::is_sorted(names));
  names.erase(std::ranges::unique(names).begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"rank 2:", "rank 5:", "rank 6:", "rank 7:"}));
  EXPECT_EQ(json_of_info(2)["process"]["boot_id"], json_of_info(7)["process"]["boot_id"]);
}

TEST_P(Ranks, AreMergedAsATree) {
  ASSERT_EQ(start(record()).status, 0);
  for (const char* command :
       {"merge trace.rank[0-2].json -o a.json", "merge trace.rank[3-7].summary.json -o b.json",
        "merge b.json a.json -o tree.json", "merge trace.rank*.json -o all.json"}) {
    const Ran ran = ompdm(command);
    EXPECT_EQ(ran.status, 0) << command << ran.err;
  }
  EXPECT_EQ(testing::read_file(scratch_.folder() / "tree.json"),
            testing::read_file(scratch_.folder() / "all.json"));
  const Ran twice = ompdm("merge a.json trace.rank1.json");
  EXPECT_EQ(twice.status, 1);
  EXPECT_NE(twice.err.find("have some in common"), std::string::npos) << twice.err;
}

TEST_P(Ranks, SummariesAreMadeAnewWhereTheyAreOfAnotherTraceOrGone) {
  ASSERT_EQ(start(record()).status, 0);
  const Json before = job();
  const auto summary = [&](int rank) {
    return scratch_.folder() / ("trace.rank" + std::to_string(rank) + ".summary.json");
  };
  const std::string whole = testing::read_file(summary(2));
  std::filesystem::remove(summary(2));
  std::filesystem::copy_file(summary(7), summary(6),
                             std::filesystem::copy_options::overwrite_existing);
  scratch_.write("trace.rank4.summary.json", "{\"schema\":\"ompdm.summary/1\",");
  EXPECT_EQ(job(), before);
  EXPECT_EQ(testing::read_file(summary(2)), whole);
  EXPECT_EQ(job(), before);
}

INSTANTIATE_TEST_SUITE_P(Launchers, Ranks, ::testing::Values("openmpi", "mpich"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ompdm::cli::ranks_test
