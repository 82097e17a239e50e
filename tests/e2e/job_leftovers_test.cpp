// What lies in a job's folder and is none of its ranks, or not yet one, or no longer.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "job_folder.h"

namespace ompdm::cli::job_leftovers_test {
namespace {

using JobLeftovers = JobFolder;

TEST_F(JobLeftovers, RanksOfTwoRunsAreRefusedByTheirNames) {
  recorded();
  ASSERT_EQ(start("\"$ompdm\" record -o other.json \"$ranks\"").status, 0);
  const Ran both = ompdm("report .");
  EXPECT_EQ(both.status, 1);
  EXPECT_NE(both.err.find("other.rank0.json and ./trace.rank0.json: are of different runs, both "
                          "rank 0: name the traces of one run"),
            std::string::npos)
      << both.err;
}

TEST_F(JobLeftovers, LeftoversOfAnEarlierLargerJobAreNoPartOfIt) {
  recorded();
  const Ran smaller = shell(
      "for r in 0 1; do OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$r \"$ompdm\" record "
      "\"$ranks\"; done");
  ASSERT_EQ(smaller.status, 0) << smaller.err;
  const Ran ran = ompdm("report . --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["ranks"]["which"], "0-1");
  EXPECT_EQ(Json::parse(ran.out)["ranks"]["of"], 2);
  EXPECT_EQ(ran.err,
            "ompdm: ./trace.rank2.json and 1 more: left out: of an earlier job, of 4 ranks: this "
            "one is of 2 ranks: name the ranks of the other alone to see it\n");
  EXPECT_EQ(ompdm("merge . -o all.summary.json").status, 1) << "parts of a tree are of one job";
  // Broken ones are no part of it either.
  for (const char* name : {"trace.rank2.json", "trace.rank3.json"}) {
    fs::remove(file(std::string(name).replace(12, 4, "summary.json")));
    scratch_.write(name, "");
  }
  const Ran broken = ompdm("report . --format json");
  EXPECT_EQ(broken.status, 0) << broken.err;
  EXPECT_TRUE(Json::parse(broken.out)["ranks"]["unread"].empty()) << broken.out;
}

TEST_F(JobLeftovers, AnotherProgramOfTheFolderHidesNoJob) {
  recorded();
  ASSERT_EQ(ompdm("record \"$ranks\"").status, 0);
  const Ran ran = ompdm("report .");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.err.find("are of jobs of 4 ranks and of 1 rank: name the ranks of one job"),
            std::string::npos)
      << ran.err;
}

TEST_F(JobLeftovers, ARankThatWaitsIsFinishedFirst) {
  recorded();
  fs::remove(file("trace.rank2.json"));
  fs::remove(file("trace.rank2.summary.json"));
  const Ran waits = shell(
      "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2 \"$ompdm\" record --no-finish \"$ranks\"");
  ASSERT_EQ(waits.status, 0) << waits.err;
  EXPECT_EQ(job()["ranks"]["which"], "0-3");
}

TEST_F(JobLeftovers, BrokenTracesAreNamedAndTheRestIsReported) {
  recorded();
  const std::string whole = testing::read_file(file("trace.rank2.json"));
  scratch_.write("trace.rank1.json", "no trace at all");
  scratch_.write("trace.rank2.json", whole.substr(0, 3000) + "\n\x01{,\n" + whole.substr(3000));
  const Ran ran = ompdm("report . --format json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 2) << ran.err;
  const Json ranks = Json::parse(ran.out)["ranks"];
  EXPECT_EQ(ranks["which"], "0,3");
  EXPECT_EQ(ranks["missing"], "");
  ASSERT_EQ(ranks["unread"].size(), 2U) << ranks;
  EXPECT_EQ(ranks["unread"][0]["ranks"], "1");
  EXPECT_NE(ompdm("report .").out.find("! 1 rank not read: 2 (line "), std::string::npos);
  EXPECT_EQ(ompdm("report . --fail-if 'HtoD.count > 0'").status, 3);
  // What is merged says the same.
  EXPECT_EQ(ompdm("merge . -o part.json").status, 1);
  const Ran part = ompdm("report part.json --format json");
  EXPECT_EQ(part.status, 0);
  EXPECT_EQ(Json::parse(part.out)["ranks"], ranks);
  // One that is cut short is read as far as it goes.
  scratch_.write("trace.rank2.json", whole.substr(0, whole.size() - 200));
  EXPECT_EQ(job()["ranks"]["truncated"], "2");
  // Also where a few are told one by one.
  const Ran few = ompdm("report trace.rank0.json trace.rank1.json trace.rank3.json --format json");
  EXPECT_EQ(few.status, 1);
  EXPECT_EQ(Json::parse(few.out)["traces"].size(), 2U);
  const Ran none = ompdm("report --ranks trace.rank1.json");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "");
}

}  // namespace
}  // namespace ompdm::cli::job_leftovers_test
