#include "report/table.h"

#include <gtest/gtest.h>

namespace ompdm::report {
namespace {

Table sample() {
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
  EXPECT_EQ(aligned(for_readers(sample()), 80),
            "  Count     Bytes  Name\n"
            "      3  2.0480KB  a,\"b\" | c\n"
            "      -        8B  short\n");
}

TEST(Tables, CsvIsRawAndQuoted) {
  EXPECT_EQ(csv(for_data(sample())),
            "count,bytes,empty,line,name\n"
            "3,2048,0,41,\"a,\"\"b\"\" | c\"\n"
            ",8,,7,short\n");
}

TEST(Tables, MarkdownIsEscaped) {
  EXPECT_EQ(markdown(for_readers(sample())),
            "| Count | Bytes | Name |\n"
            "| ---: | ---: | --- |\n"
            "| 3 | 2.0480KB | a,\"b\" \\| c |\n"
            "| - | 8B | short |\n");
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

TEST(Tables, TheWidestTextGivesWay) {
  Table table{"t", "T", {{"n", "N", Unit::kCount}, {"name", "Name"}}, {}};
  table.rows.push_back({std::int64_t{1}, std::string(100, 'x')});
  const std::string text = aligned(table, 60);
  EXPECT_EQ(text.find('\n', text.find('\n') + 1) - text.find('\n') - 1, 60U);
}

}  // namespace
}  // namespace ompdm::report
