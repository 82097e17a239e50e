#include "trace_files/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace ompdm::json_text_test {
namespace {

TEST(JsonText, ValidUtf8StaysAsItIs) {
  const std::string text = "plain caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(to_utf8(text), text);
  EXPECT_EQ(from_utf8(text), text);
}

TEST(JsonText, EveryPairOfBytesSurvives) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string json = json_string(bytes);
      EXPECT_EQ(from_utf8(nlohmann::json::parse(json).get<std::string>()), bytes);
    }
  }
}

TEST(JsonText, TheCharactersThatStandForBytesSurvive) {
  for (const std::string bytes : {"\xf4\x8f\xba\x80", "\xf4\x8f\xbb\xbf", "\xf4\x8f\xb9\xbf",
                                  "\xf4\x8f\xbc\x80", "\xff\xf4\x8f\xba\x80\x80"}) {
    EXPECT_EQ(from_utf8(to_utf8(bytes)), bytes);
  }
}

TEST(JsonText, MalformedCharactersAreNoUtf8) {
  // Overlong, surrogate, beyond the last, cut short, continuation without a lead.
  for (const std::string bytes : {"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80",
                                  "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_NE(to_utf8(bytes), bytes);
    EXPECT_EQ(from_utf8(to_utf8(bytes)), bytes);
  }
}

TEST(JsonText, StringsAreAsciiWithoutControlCharacters) {
  for (const char c : json_string("\x7f\x01\n\xc3\xa9\xff")) {
    EXPECT_GE(c, ' ');
    EXPECT_LT(c, 0x7f);
  }
}

TEST(JsonText, NumbersAreWholeOrNone) {
  EXPECT_EQ(parse_integer<std::uint64_t>("0xffffffffffffffff"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_integer<std::int64_t>("-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  for (const char* text :
       {"", "0x", "-1", "+1", " 1", "1 ", "1.5", "18446744073709551616", "0x10000000000000000"}) {
    EXPECT_FALSE(parse_integer<std::uint64_t>(text)) << text;
  }
  for (const char* text : {"", "-", "1e3", "0x10", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer<std::int64_t>(text)) << text;
  }
}

}  // namespace
}  // namespace ompdm::json_text_test
