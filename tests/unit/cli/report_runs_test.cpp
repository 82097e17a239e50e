// `ompdm report` of several traces: those of one run, rank by rank.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "spool_format/format.h"
#include "support/trace_builder.h"

namespace ompdm::cli::report_runs_test {
namespace {

using testing::Ran;
using testing::Scratch;

constexpr std::int64_t kSecond = 1'000'000'000;

class ReportRuns : public ::testing::Test {
 protected:
  struct Run {
    std::int32_t rank = -1;
    std::int32_t ranks = 0;
    std::uint32_t ppid = 100;
    std::int64_t start = 1000 * kSecond;
    std::string input = {};
    std::string build = {};
  };

  /// A second of one region that sends 8000 bytes.
  void write(const std::string& name, const Run& run) {
    test::TraceBuilder build;
    Process& process = build.trace.process;
    process.pid = ++pid_;
    process.ppid = run.ppid;
    process.rank = run.rank;
    process.rank_count = run.ranks;
    process.start_realtime_ns = run.start;
    process.program = build.trace.modules[0].path;
    if (!run.input.empty()) process.arguments.push_back(run.input);
    if (!run.build.empty()) build.trace.modules[0].build_id = run.build;
    const auto at = build.site(Directive::kTarget, "a.cpp", 4, "main");
    build.begin(at);
    build.op(OpKind::kHtoD, build.variable("a", 8000), 8000, kSecond);
    build.end();
    write_trace(build.take(), scratch_.folder() / name);
  }
  [[nodiscard]] Ran report(const std::string& arguments) const {
    return testing::shell(scratch_.folder(),
                          shell_word(OMPDM_COMMAND) + " report --format json " + arguments);
  }
  static std::vector<int> ranks(const Ran& ran) {
    std::vector<int> ranks;
    const auto json = nlohmann::json::parse(ran.out);
    for (const auto& trace : json.at("traces")) ranks.push_back(trace.at("rank").get<int>());
    return ranks;
  }

  Scratch scratch_;
  std::uint32_t pid_ = 200;
};

TEST_F(ReportRuns, AreInTheOrderOfRanks) {
  for (const int rank : {0, 1, 2, 10, 11}) {
    write("trace.rank" + std::to_string(rank) + ".json", {rank, 12});
  }
  const Ran ran = report("trace.rank*.json");
  EXPECT_EQ(ranks(ran), (std::vector<int>{0, 1, 2, 10, 11}));
  EXPECT_EQ(ran.err, "ompdm: of this job's 12 ranks 7 are not among these: 3, 4, 5, 6, 7, 8, 9\n");
}

// A shell cannot expand a pattern to what is not written yet.
TEST_F(ReportRuns, TakeInTheRanksThatWaitAsSpools) {
  write("trace.rank0.json", {0, 2});
  spool::FileHeader header{};
  std::memcpy(header.magic, spool::kMagic, sizeof(header.magic));
  header.version = spool::kVersion;
  header.header_size = sizeof(header);
  header.pid = 1;
  header.rank = 1;
  header.rank_count = 2;
  header.state = spool::State::kFinished;
  header.file_size = sizeof(header);
  header.attach = {1000, 1000, 1000 * kSecond};
  header.trailer = {2000, 2000, 1000 * kSecond + 1000};
  const std::string output = scratch_.folder() / "trace.rank1.json";
  std::memcpy(header.output, output.c_str(), output.size() + 1);
  std::ofstream(output + ".spool", std::ios::binary)
      .write(reinterpret_cast<const char*>(&header), sizeof(header));
  const Ran ran = report("trace.rank*.json");
  EXPECT_EQ(ranks(ran), (std::vector<int>{0, 1})) << ran.err;
}

TEST_F(ReportRuns, LeaveOutWhatIsKeptOfOlderOnes) {
  for (const int rank : {0, 1}) {
    const std::string stem = "trace.rank" + std::to_string(rank);
    write(stem + ".~1~.json", {rank, 2, 100, 500 * kSecond});
    write(stem + ".json", {rank, 2, 101});
  }
  const Ran ran = report("trace.rank*.json");
  EXPECT_EQ(ranks(ran), (std::vector<int>{0, 1}));
  EXPECT_EQ(ran.err,
            "ompdm: trace.rank0.~1~.json: left out: it is an older run than trace.rank0.json\n"
            "ompdm: trace.rank1.~1~.json: left out: it is an older run than trace.rank1.json\n");
  EXPECT_EQ(nlohmann::json::parse(ran.out)["totals"]["HtoD"]["bytes"], 16000);
  EXPECT_EQ(ranks(report("trace.rank*.~1~.json")), (std::vector<int>{0, 1}));
}

TEST_F(ReportRuns, WithARankTwiceAreRefused) {
  write("new.json", {0, 2, 101});
  write("old.json", {0, 2, 100, 500 * kSecond});
  const Ran ran = report("new.json old.json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "ompdm: new.json and old.json: are both rank 0, of different runs: name the traces of "
            "one run, say `--as inputs` of runs on several inputs, or `ompdm compare` two\n");
}

TEST_F(ReportRuns, MayHaveSeveralProgramsInARank) {
  write("trace.rank0.json", {0, 2});
  write("trace.rank0.p202.json", {0, 2, 100, 1001 * kSecond});
  EXPECT_EQ(report("trace.rank*.json").status, 0);
}

TEST_F(ReportRuns, OfOtherSizesAreRefused) {
  write("trace.rank0.json", {0, 2});
  write("trace.rank3.json", {3, 4});
  const Ran ran = report("trace.rank*.json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("are of runs of 2 and of 4 ranks"), std::string::npos) << ran.err;
}

TEST_F(ReportRuns, ThatRanApartAreDoubted) {
  write("trace.rank0.json", {0, 2});
  write("trace.rank1.json", {1, 2, 100, 500 * kSecond});
  const Ran ran = report("trace.rank*.json");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "ompdm: trace.rank1.json had ended before trace.rank0.json began: are they of one "
            "run?\n");
}

// What ran one after the other, of one program and in no job, had several inputs.
TEST_F(ReportRuns, OneAfterTheOtherAreOfSeveralInputs) {
  write("small.json", {.start = 1000 * kSecond, .input = "10"});
  write("large.json", {.start = 2000 * kSecond, .input = "1000"});
  const Ran ran = report("small.json large.json");
  EXPECT_EQ(ran.err, "");
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["traces"][0]["run"], 1);
  EXPECT_EQ(json["traces"][1]["run"], 2);
  EXPECT_EQ(json["directives"][1]["run"], 2);
  const Ran job = report("--as job small.json large.json");
  EXPECT_FALSE(nlohmann::json::parse(job.out)["traces"][0].contains("run"));
}

TEST_F(ReportRuns, AtTheSameTimeAreOneRunUnlessItIsSaid) {
  write("small.json", {.input = "10"});
  write("large.json", {.input = "1000"});
  const Ran ran = report("small.json large.json");
  EXPECT_FALSE(nlohmann::json::parse(ran.out)["traces"][0].contains("run"));
  EXPECT_EQ(ran.err,
            "ompdm: small.json and large.json ran at the same time: taken for one run; `--as "
            "inputs` holds runs on several inputs against each other\n");
  const Ran inputs = report("--as inputs small.json large.json");
  EXPECT_EQ(inputs.err, "");
  EXPECT_EQ(nlohmann::json::parse(inputs.out)["traces"][1]["run"], 2);
}

TEST_F(ReportRuns, OfSeveralBuildsAreNotHeldAgainstEachOther) {
  write("old.json", {.start = 1000 * kSecond, .build = "aa"});
  write("new.json", {.start = 2000 * kSecond, .build = "bb"});
  const Ran ran = report("old.json new.json");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "ompdm: old.json and new.json are of different builds of /home/ada/heat/heat: their "
            "findings are not held against each other\n");
  EXPECT_FALSE(nlohmann::json::parse(ran.out)["traces"][0].contains("run"));
  const Ran asked = report("--as inputs old.json new.json");
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, "");
  EXPECT_NE(asked.err.find("record each input with one build"), std::string::npos) << asked.err;
}

// A job's rank comes twice where the job was run twice.
TEST_F(ReportRuns, OfJobsAreOfSeveralInputsIfItIsSaid) {
  write("small.json", {0, 2, 100, 500 * kSecond});
  write("large.json", {0, 2, 101});
  const auto json = nlohmann::json::parse(report("--as inputs small.json large.json").out);
  EXPECT_EQ(json["traces"][1]["run"], 2);
}

TEST_F(ReportRuns, KeepOlderOnesWhereInputsAreMeant) {
  write("trace.~1~.json", {.start = 500 * kSecond});
  write("trace.json", {});
  EXPECT_EQ(nlohmann::json::parse(report("trace.json trace.~1~.json").out)["traces"].size(), 1U);
  EXPECT_EQ(
      nlohmann::json::parse(report("--as inputs trace.json trace.~1~.json").out)["traces"].size(),
      2U);
}

TEST_F(ReportRuns, WithARecordingTwiceAreRefused) {
  write("trace.json", {});
  const Ran ran = report("trace.json ./trace.json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("are the same recording"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace ompdm::cli::report_runs_test
