#include "report/table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report::table_test {
namespace {

Table small_table() {
  return {"sample",
          "Sample",
          {{"count", "Count", Unit::kCount},
           {"bytes", "Bytes", Unit::kBytes},
           {"empty", "Empty", Unit::kCount, Audience::kAll, true},
           {"line", "", Unit::kCount, Audience::kData},
           {"name", "Name"}},
          {{std::int64_t{3}, std::int64_t{2048}, std::int64_t{0}, std::int64_t{41}, "a,\"b\" | c"},
           {Cell(), std::int64_t{8}, Cell(), std::int64_t{7}, "short"}}};
}

TEST(Tables, AlignedForReaders) {
  EXPECT_EQ(aligned(for_readers(small_table()), 80, true),
            "  Count    Bytes  Name\n"
            "      3  2.05 KB  a,\"b\" | c\n"
            "      -      8 B  short\n");
}

TEST(Tables, CsvIsRawAndQuoted) {
  EXPECT_EQ(csv(for_data(small_table())),
            "count,bytes,empty,line,name\n"
            "3,2048,0,41,\"a,\"\"b\"\" | c\"\n"
            ",8,,7,short\n");
}

TEST(Tables, MarkdownIsEscaped) {
  EXPECT_EQ(markdown(for_readers(small_table())),
            "| Count | Bytes | Name |\n"
            "| ---: | ---: | --- |\n"
            "| 3 | 2.05 KB | a,\"b\" \\| c |\n"
            "| - | 8 B | short |\n");
}

TEST(Tables, NamesLoseTheirMiddle) {
  EXPECT_EQ(shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(shortened("abcdefghij", 8), "abc...ij");
  EXPECT_EQ(shortened("abcdefghij", 2), "..");
  // By characters, not by bytes.
  EXPECT_EQ(shortened("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6", 7),
            "\u00e4\u00f6...\u00e4\u00f6");
  EXPECT_EQ(display_width("\u00e4\u00f6\u00fc"), 3U);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

Table of_an_api() {
  Table table{"t",
              "T",
              {{.key = "n", .title = "Count", .unit = Unit::kCount},
               {.key = "k", .title = "Kernels", .unit = Unit::kCount, .drop_priority = 1},
               {.key = "where", .title = "Where"},
               {.key = "what", .title = "Directive"},
               {.key = "in", .title = "In", .drop_if_tight = true}},
              {}};
  table.rows.push_back({std::int64_t{1}, std::int64_t{2}, "a.cpp:1, b.cpp:2, c.cpp:3",
                        "omp_target_associate_ptr", "function_that_calls_it"});
  return table;
}

TEST(Tables, WhatGivesWayIsThereOnlyIfAllFits) {
  EXPECT_NE(aligned(of_an_api(), 93, false).find("function_that_calls_it"), std::string::npos);
  EXPECT_EQ(aligned(of_an_api(), 92, false),
            "  Count  Kernels  Where                      Directive\n"
            "      1        2  a.cpp:1, b.cpp:2, c.cpp:3  omp_target_associate_ptr\n");
}

TEST(Tables, TextIsSetInLinesBeforeAnyIsCut) {
  EXPECT_EQ(aligned(of_an_api(), 62, false),
            "  Count  Kernels  Where              Directive\n"
            "      1        2  a.cpp:1, b.cpp:2,  omp_target_associate_ptr\n"
            "                  c.cpp:3\n");
}

TEST(Tables, ANarrowPageIsSparedColumnsAndNamesThem) {
  EXPECT_EQ(aligned(of_an_api(), 45, true),
            "  Count  Where     Directive\n"
            "      1  a.cpp:1,  omp_target_associate_ptr\n"
            "         b.cpp:2,\n"
            "         c.cpp:3\n"
            "  (no room for Kernels)\n");
  EXPECT_EQ(aligned(of_an_api(), 45, false),
            "  Count  Kernels  Where     Directive\n"
            "      1        2  a.cpp:1,  omp_target_associate_ptr\n"
            "                  b.cpp:2,\n"
            "                  c.cpp:3\n");
}

TEST(Tables, NoLineIsWiderThanThePage) {
  for (std::size_t width = 34; width < 120; ++width)
    EXPECT_LE(widest_line(aligned(of_an_api(), width, true)), width)
        << aligned(of_an_api(), width, true);
}

TEST(Tables, TheWidestTextGivesWay) {
  Table table{"t", "T", {{"n", "N", Unit::kCount}, {"name", "Name"}}, {}};
  table.rows.push_back({std::int64_t{1}, std::string(100, 'x')});
  const std::string text = aligned(table, 60, false);
  EXPECT_EQ(text.find('\n', text.find('\n') + 1) - text.find('\n') - 1, 60U);
}

}  // namespace
}  // namespace ompdm::report::table_test
