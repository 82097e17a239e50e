// What of a job's files is reported: whole and broken ones, merged ones, of several programs. Ranks
// are started by a shell that sets a launcher's variables.
#include "job_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "job_folder.h"
#include "printable.h"
#include "scratch.h"
#include "support/synthetic_trace.h"

namespace ompdm::cli::job_files_test {
namespace {

using JobFiles = JobFolder;

TEST_F(JobFiles, ProgramsOfARankAreAddedUp) {
  recorded();
  const Json once = job();
  for (const auto& entry : fs::directory_iterator(scratch_.folder())) fs::remove(entry);
  scratch_.write("both", "\"$ranks\"\nsh -c '\"$ranks\"; true'\n");
  const Ran ran = start("\"$ompdm\" record sh ./both");
  EXPECT_EQ(ran.err,
            "ompdm: wrote trace.rank0.json and other ranks; next: ompdm report --ranks "
            "trace.rank*.json\n");
  const Json twice = job();
  EXPECT_EQ(twice["ranks"]["which"], "0-3");
  EXPECT_EQ(twice["by_rank"]["process_count"]["least"], 2);
  EXPECT_EQ(twice["totals"]["HtoD"]["bytes"], 2 * once["totals"]["HtoD"]["bytes"].get<int>());
  EXPECT_EQ(twice["by_rank"]["HtoD_bytes"]["most"],
            2 * once["by_rank"]["HtoD_bytes"]["most"].get<int>());
  EXPECT_EQ(twice["iterations"][0]["HtoD_bytes"], once["iterations"][0]["HtoD_bytes"]);
  EXPECT_NE(ompdm("report --ranks trace.rank*.json").out.find("8 processes, at most 2 of a rank"),
            std::string::npos);
  const Ran apart = ompdm("report trace.rank0*.json --format json");
  EXPECT_EQ(apart.status, 0) << apart.err;
  EXPECT_EQ(Json::parse(apart.out)["traces"].size(), 2U);
  // As a tree, a rank's programs in one part.
  ASSERT_EQ(ompdm("merge trace.rank[01]*.json -o a.json").status, 0);
  ASSERT_EQ(ompdm("merge trace.rank[23]*.json -o b.json").status, 0);
  ASSERT_EQ(ompdm("merge a.json b.json -o tree.json").status, 0);
  ASSERT_EQ(ompdm("merge trace.rank*.json -o all.json").status, 0);
  EXPECT_EQ(testing::read_file(file("tree.json")), testing::read_file(file("all.json")));
}

TEST_F(JobFiles, ProgramsOfARankUnderARecordAroundAllAreToldOnce) {
  scratch_.write("job",
                 "for r in 0 1; do OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$r sh -c "
                 "'\"$ranks\"; \"$ranks\"' & done; wait\n");
  const Ran ran = ompdm("record sh ./job");
  EXPECT_EQ(ran.err,
            "ompdm: wrote 2 ranks, 4 programs of them; next: ompdm report --ranks "
            "trace.rank*.json\n");
  EXPECT_EQ(job()["by_rank"]["process_count"]["most"], 2);
}

TEST_F(JobFiles, ARankThatIsKilledIsNamed) {
  const Ran ran = start("\"$ompdm\" record \"$ranks\" die 2");
  EXPECT_NE(ran.err.find("ompdm: rank 2 (slurm) was killed by signal 9 (Killed): recovered "),
            std::string::npos)
      << ran.err;
}

TEST_F(JobFiles, AFindingOfOneRankIsExplainedAsThat) {
  recorded();
  const Ran ran = ompdm("explain trace.rank1.json 1");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(
      ran.out.ends_with("\nRank 1 says so, and an edit is made for all 4: which of them "
                        "have it: ompdm report --ranks trace.rank*.json\n"))
      << ran.out;
}

TEST_F(JobFiles, WhatWasMergedMayLieBesideTheRanks) {
  recorded();
  const Json before = job();
  ASSERT_EQ(ompdm("merge trace.rank[01].json -o half.summary.json").status, 0);
  ASSERT_EQ(ompdm("merge . -o all.summary.json").status, 0);
  const Ran ran = ompdm("report . --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out), before);
  EXPECT_NE(ran.err.find("./half.summary.json and 1 more: left out: their ranks are there besides"),
            std::string::npos)
      << ran.err;
  // Of what is nowhere else it is the only source.
  for (const char* name : {"trace.rank0.json", "trace.rank1.json"}) {
    fs::remove(file(name));
    fs::remove(file(std::string(name).replace(12, 4, "summary.json")));
  }
  fs::remove(file("all.summary.json"));
  EXPECT_EQ(job()["totals"], before["totals"]);
}

TEST_F(JobFiles, RanksThatWereCountedAreNamed) {
  ASSERT_EQ(
      start("[ $r != 2 ] || export OMPDM_DETAIL=tallies; \"$ompdm\" record \"$ranks\"").status, 0);
  EXPECT_EQ(job()["ranks"]["counted"], "2");
  EXPECT_EQ(job()["totals"]["HtoD"]["count"], 40);
  EXPECT_NE(ompdm("report .").out.find("! Ranks only counted: 2: "), std::string::npos);
}

TEST_F(JobFiles, LongRunsAreFoundWithAndWithoutTheirSummaries) {
  const Ran ran = start("OMPDM_MOST_IN_JSON=1 \"$ompdm\" record \"$ranks\"");
  ASSERT_TRUE(fs::exists(file("trace.rank3.ompdm"))) << ran.err;
  const Json before = job();
  EXPECT_EQ(before["ranks"]["which"], "0-3");
  for (const char* rank : {"0", "3"}) {
    const fs::path summary = file(std::string("trace.rank") + rank + ".summary.json");
    fs::remove(summary);
    EXPECT_EQ(job(), before);
    EXPECT_TRUE(fs::exists(summary));
  }
  // All of them.
  for (const auto& entry : fs::directory_iterator(scratch_.folder())) {
    if (entry.path().native().ends_with(".summary.json")) fs::remove(entry);
  }
  EXPECT_EQ(job(), before);
  for (const char* rank : {"0", "1", "2", "3"}) {
    EXPECT_TRUE(fs::exists(file(std::string("trace.rank") + rank + ".summary.json"))) << rank;
  }
}

TEST_F(JobFiles, RankZeroThatDoesNotOffloadSaysHowToSeeTheOthers) {
  const Ran ran =
      start("if [ $r = 0 ]; then \"$ompdm\" record true; else \"$ompdm\" record \"$ranks\"; fi");
  EXPECT_EQ(ran.err,
            "ompdm: no target region was recorded in rank 0; next: ompdm report --ranks "
            "trace.rank*.json; if no rank offloads: ompdm doctor true\n");
  EXPECT_EQ(job()["ranks"]["missing"], "0");
}

TEST_F(JobFiles, RanksThatDoNotOffloadAreSilentButOne) {
  const Ran ran =
      start("if [ $r = 0 ]; then \"$ompdm\" record \"$ranks\"; else \"$ompdm\" record true; fi");
  EXPECT_EQ(ran.err,
            "ompdm: wrote trace.rank0.json and other ranks; next: ompdm report --ranks "
            "trace.rank*.json\n");
  // Whatever went wrong is said by each.
  const Ran failed = start("\"$ompdm\" record false");
  EXPECT_EQ(std::ranges::count(failed.err, '\n'), 8) << failed.err;
}

TEST_F(JobFiles, AreNoTraceWhereOneIsWanted) {
  recorded();
  ASSERT_EQ(ompdm("merge . -o job.json").status, 0);
  for (const char* wants_one :
       {"info .", "info job.json", "report job.json --format html -o r.html", "explain job.json 1",
        "report job.json --gpu-trace"}) {
    const Ran ran = ompdm(wants_one);
    EXPECT_EQ(ran.status, 2) << wants_one;
    EXPECT_NE(ran.err.find("tells of the job"), std::string::npos) << wants_one << ran.err;
  }
}

TEST_F(JobFiles, AFolderIsAPageOfItsRanks) {
  recorded();
  const Ran ran = ompdm("report . --format html -o ranks.html");
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::ifstream file_of_page(file("ranks.html"));
  const std::string page((std::istreambuf_iterator<char>(file_of_page)), {});
  for (const char* rank : {"rank 0", "rank 1", "rank 3"}) {
    EXPECT_NE(page.find(rank), std::string::npos) << rank;
  }
}

TEST_F(JobFiles, ABatchScriptOfSlurmIsNoRank) {
  const Ran ran =
      shell("SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_ID=7 \"$ompdm\" record \"$ranks\"");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(fs::exists(file("trace.json"))) << ran.err;
  const Ran step = shell(
      "SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=8 SLURM_JOB_ID=7 \"$ompdm\" record "
      "\"$ranks\"");
  EXPECT_TRUE(fs::exists(file("trace.rank5.json"))) << step.err;
}

TEST_F(JobFiles, AFolderThatCannotBeWrittenIsReportedAllTheSame) {
  recorded();
  const Json before = job();
  for (const char* rank : {"0", "1", "2", "3"}) {
    fs::remove(file(std::string("trace.rank") + rank + ".summary.json"));
  }
  fs::permissions(scratch_.folder(), fs::perms(0555));
  // Root writes where it likes.
  const std::string as_nobody =
      ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  if (!as_nobody.empty() && shell(as_nobody + "test -x \"$ompdm\"").status != 0) {
    GTEST_SKIP() << "nobody else can run " << OMPDM_COMMAND;
  }
  const Ran ran = shell(as_nobody + "\"$ompdm\" report . --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(Json::parse(ran.out), before);
  const Ran merged = shell(as_nobody + "\"$ompdm\" merge . -o - | wc -l");
  EXPECT_EQ(merged.out, "1\n") << merged.err;
  const Ran written = shell(as_nobody + "\"$ompdm\" merge . -o all.json");
  EXPECT_EQ(written.status, 1);
  EXPECT_NE(written.err.find("all.json"), std::string::npos) << written.err;
  fs::permissions(scratch_.folder(), fs::perms(0755));
  EXPECT_FALSE(fs::exists(file("trace.rank0.summary.json")));
}

TEST_F(JobFiles, TheEndOfALongProgramDoesNotWaitForItsSummary) {
  const auto finished = [&](std::size_t events) {
    FinishResult result;
    result.model = test::synthetic_trace({.events = events});
    result.model.process.rank = 3;
    result.model.process.rank_count = 4;
    result.trace = file("trace.rank3.json");
    return result;
  };
  scratch_.write("trace.rank3.json", "");
  const fs::path summary = file("trace.rank3.summary.json");
  leave_summary(finished(200'000), WaitedFor::kYes);
  EXPECT_FALSE(fs::exists(summary));
  leave_summary(finished(200'000), WaitedFor::kNo);
  EXPECT_TRUE(fs::exists(summary));
  fs::remove(summary);
  leave_summary(finished(1000), WaitedFor::kYes);
  EXPECT_TRUE(fs::exists(summary));
}

}  // namespace
}  // namespace ompdm::cli::job_files_test
