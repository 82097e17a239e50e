// What --after, --duration, --until and --max-spool take, which is what the recorder takes.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "command.h"
#include "verb_help.h"

namespace ompdm::cli::detail_test {
namespace {

/// What `ompdm record` says against a value of the option; empty: nothing.
std::string refusal(const char* option, const std::string& value) {
  CLI::App app;
  int exit_status = 0;
  setup_record(app, exit_status);
  return (*app.get_subcommand("record")->get_option(option)->get_validator(0))(value);
}

std::string is_time(const std::string& value) { return refusal("--after", value); }
std::string is_place(const std::string& value) { return refusal("--until", value); }
std::string is_spool_size(const std::string& value) { return refusal("--max-spool", value); }

class RecorderTimes : public testing::Command {};

TEST(Detail, TimesHaveAUnit) {
  for (const char* taken :
       {"30s", "500ms", "20us", "40ns", "2min", "2m", "1h", "007s", "1.5s", "1e3us"}) {
    EXPECT_EQ(is_time(taken), "") << taken;
  }
  for (const char* refused : {"", "s", "0", "0s", "-1s", "30", "30 s", "3d", "1e3", "s30", "nans",
                              "infs", "99999999999999999999s"}) {
    EXPECT_NE(is_time(refused), "") << refused;
  }
  EXPECT_EQ(is_time("30"), "30 has no unit: write it as 30s, 30ms or 30min");
}

TEST_F(RecorderTimes, AreWholeMicroseconds) {
  for (const auto& [typed, read] : {std::pair("30s", "30000000us"), std::pair("1.5ms", "1500us"),
                                    std::pair("40ns", "1us"), std::pair("2min", "120000000us")}) {
    const std::string err =
        run(std::string("ompdm record --verbose --after ") + typed + " true").err;
    EXPECT_NE(err.find(std::string("OMPDM_AFTER=") + read + '\n'), std::string::npos) << err;
  }
}

TEST(Detail, SizesHaveAUnitOrAreBytes) {
  for (const char* taken : {"none", "100000", "500K", "500M", "2G", "1T", "64KB", "64MiB"}) {
    EXPECT_EQ(is_spool_size(taken), "") << taken;
  }
  for (const char* refused : {"", "0", "None", "2g", "1.5G", "G", "10%"}) {
    EXPECT_NE(is_spool_size(refused), "") << refused;
  }
}

TEST(Detail, WhatIsTooMuchIsSaidWithTheMost) {
  EXPECT_EQ(is_time("18446744073s"), "18446744073s is too long: 2500000h at most");
  EXPECT_EQ(is_spool_size("9223373T"), "9223373T is too large: 9223372T at most");
  EXPECT_EQ(is_place("foo:3:4"), "foo:3:4 has a column: FILE:LINE is expected, as heat.cpp:56");
}

TEST(Detail, PlacesAreAFileAndALine) {
  for (const char* taken : {"heat.cpp:56", "src/a:b.c:1", "/a/b.f90:10"}) {
    EXPECT_EQ(is_place(taken), "") << taken;
  }
  for (const char* refused : {"", "heat.cpp", "heat.cpp:", ":56", "heat.cpp:0", "heat.cpp:56x",
                              "foo:3:4", "heat.cpp:2147483648", "heat.cpp:99999999999999999999"}) {
    EXPECT_NE(is_place(refused), "") << refused;
  }
}

}  // namespace
}  // namespace ompdm::cli::detail_test
