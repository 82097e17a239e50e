// Names of traces from OMPDM_OUTPUT, ranks and marks.

#include "record/stream/output_name.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace ompdm::record {
namespace {

spool::FileHeader process() {
  spool::FileHeader header{};
  header.pid = 42;
  header.rank = -1;
  std::strcpy(header.host, "node7");
  std::strcpy(header.directory, "/data");
  return header;
}

TEST(OutputName, PlaceholdersAreReplaced) {
  setenv("OMPDM_TEST_RANK", "3", 1);
  EXPECT_STREQ(base_name("a%p-%h-%q{OMPDM_TEST_RANK}-%%.json", process()).text,
               "/data/a42-node7-3-%.json");
  EXPECT_STREQ(base_name("/x/%q{OMPDM_NOT_SET}t.json", process()).text, "/x/t.json");
  EXPECT_STREQ(base_name("odd%z%q{open.json", process()).text, "/data/odd%z%q{open.json");
}

TEST(OutputName, ARankIsPutBeforeTheEnding) {
  auto header = process();
  header.rank = 2;
  header.rank_count = 4;
  EXPECT_STREQ(base_name("trace.json", header).text, "/data/trace.rank2.json");
  EXPECT_STREQ(base_name("trace.json.gz", header).text, "/data/trace.rank2.json.gz");
  EXPECT_STREQ(base_name("trace", header).text, "/data/trace.rank2");
}

TEST(OutputName, WhereNoNameIsLeftTheDefaultStandsForIt) {
  EXPECT_STREQ(base_name("%q{OMPDM_NOT_SET}", process()).text, "/data/trace.json");
  EXPECT_STREQ(base_name("/x/%q{OMPDM_NOT_SET}.json", process()).text, "/x/trace.json");
  EXPECT_STREQ(base_name("/x/%q{OMPDM_NOT_SET}.json.gz", process()).text, "/x/trace.json.gz");
  EXPECT_STREQ(base_name("/x/", process()).text, "/x/trace.json");
  EXPECT_STREQ(base_name("/x/.hidden.json", process()).text, "/x/.hidden.json");
}

TEST(OutputName, IsEmptyWhereThereIsNoWorkingDirectory) {
  auto header = process();
  header.directory[0] = '\0';
  EXPECT_STREQ(base_name("trace.json", header).text, "");
  EXPECT_STREQ(base_name("/x/trace.json", header).text, "/x/trace.json");
}

TEST(OutputName, DotsInFoldersAreNoEnding) {
  Path path;
  path.add("/a.b/trace");
  EXPECT_STREQ(with_mark(path, ".p1").text, "/a.b/trace.p1");
}

TEST(OutputName, WhatDoesNotFitIsToldApart) {
  const std::string longest(2000, 'x');
  EXPECT_FALSE(base_name(longest.c_str(), process()).ok);
}

}  // namespace
}  // namespace ompdm::record
