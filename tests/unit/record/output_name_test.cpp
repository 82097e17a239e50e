// Names of traces from OMPDM_OUTPUT, ranks and marks.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "record/spool_writer.h"

namespace ompdm::record::output_name_test {
namespace {

spool::FileHeader process() {
  spool::FileHeader header{};
  header.pid = 42;
  header.rank = -1;
  std::strcpy(header.host, "node7");
  std::strcpy(header.directory, "/data");
  return header;
}

Path named(const char* pattern, const spool::FileHeader& process) {
  Path path;
  base_name(pattern, process, path);
  return path;
}

TEST(OutputName, PlaceholdersAreReplaced) {
  setenv("OMPDM_TEST_RANK", "3", 1);
  EXPECT_STREQ(named("a%p-%h-%q{OMPDM_TEST_RANK}-%%.json", process()).text,
               "/data/a42-node7-3-%.json");
  EXPECT_STREQ(named("/x/%q{OMPDM_NOT_SET}t.json", process()).text, "/x/t.json");
  EXPECT_STREQ(named("odd%z%q{open.json", process()).text, "/data/odd%z%q{open.json");
}

TEST(OutputName, ARankIsPutBeforeTheEnding) {
  auto header = process();
  header.rank = 2;
  header.rank_count = 4;
  EXPECT_STREQ(named("trace.json", header).text, "/data/trace.rank2.json");
  EXPECT_STREQ(named("trace.json.gz", header).text, "/data/trace.rank2.json.gz");
  EXPECT_STREQ(named("trace", header).text, "/data/trace.rank2");
}

TEST(OutputName, WhereNoNameIsLeftTheDefaultStandsForIt) {
  EXPECT_STREQ(named("%q{OMPDM_NOT_SET}", process()).text, "/data/trace.json");
  EXPECT_STREQ(named("/x/%q{OMPDM_NOT_SET}.json", process()).text, "/x/trace.json");
  EXPECT_STREQ(named("/x/%q{OMPDM_NOT_SET}.json.gz", process()).text, "/x/trace.json.gz");
  EXPECT_STREQ(named("/x/", process()).text, "/x/trace.json");
  EXPECT_STREQ(named("/x/.hidden.json", process()).text, "/x/.hidden.json");
}

TEST(OutputName, IsEmptyWhereThereIsNoWorkingDirectory) {
  auto header = process();
  header.directory[0] = '\0';
  EXPECT_STREQ(named("trace.json", header).text, "");
  EXPECT_STREQ(named("/x/trace.json", header).text, "/x/trace.json");
}

TEST(OutputName, DotsInFoldersAreNoEnding) {
  Path path;
  path.add("/a.b/trace");
  path.add_mark(".p1");
  EXPECT_STREQ(path.text, "/a.b/trace.p1");
}

TEST(OutputName, WhatDoesNotFitIsToldApart) {
  const std::string longest(2000, 'x');
  EXPECT_FALSE(named(longest.c_str(), process()).ok);
  Path path;
  path.add(std::string(Path::kCapacity - 3, 'x').c_str());
  path.add_mark(".p");
  EXPECT_TRUE(path.ok);
  path.add_mark("y");
  EXPECT_FALSE(path.ok);
}

}  // namespace
}  // namespace ompdm::record::output_name_test
