// `ompdm compare` and `--link` on recordings of heat, naive and optimized.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::compare_test {
namespace {

constexpr std::uint64_t kGrid = 60 * 60 * 8;
constexpr std::uint64_t kSteps = 5;

class Compare : public testing::Test {
 protected:
  Compare() {
    for (const std::string rung : {"naive", "optimized"}) {
      const Ended ended = ompdm({"record", "-o", rung + ".json", kernel("heat"), "--variant", rung,
                                 "60", std::to_string(kSteps)});
      EXPECT_EQ(ended.status, 0) << ended.err;
    }
  }

  [[nodiscard]] Ended ompdm(std::vector<std::string> words) const {
    words.insert(words.begin(), OMPDM_COMMAND);
    return run({words}, folder_.path());
  }
  [[nodiscard]] Json compared(std::vector<std::string> words) const {
    words.insert(words.begin(), "compare");
    words.insert(words.end(), {"--format", "json"});
    const Ended ended = ompdm(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out);
  }

  Folder folder_;
};

TEST_F(Compare, HeatNaiveAndOptimized) {
  const Json all = compared({"naive.json", "optimized.json"});
  EXPECT_EQ(all["schema"], "ompdm.compare/1");
  const Json& htod = all["totals"]["HtoD"];
  EXPECT_EQ(htod["bytes"]["before"], 2 * kGrid * kSteps);
  EXPECT_EQ(htod["bytes"]["after"], 2 * kGrid);
  EXPECT_EQ(htod["bytes"]["ratio"], 1.0 / kSteps);
  EXPECT_EQ(all["totals"]["DtoH"]["bytes"]["after"], kGrid);

  // The kernel is in another function: it is the only `target` of either.
  ASSERT_EQ(all["directives"].size(), 3U) << all["directives"];
  const auto function = [&](const char* side) {
    return all["directives"][0][side]["function"].get<std::string>();
  };
  EXPECT_TRUE(function("before").starts_with("solve_naive"));
  EXPECT_TRUE(function("after").starts_with("solve_optimized"));
  EXPECT_EQ(all["directives"][0]["ratio"]["count"], 1);
  EXPECT_EQ(all["directives"][1]["before"], nullptr);
  ASSERT_EQ(all["variables"].size(), 2U) << all["variables"];
  for (const Json& pair : all["variables"]) {
    EXPECT_EQ(pair["before"]["name"], pair["after"]["name"]);
  }
  ASSERT_EQ(all["iterations"].size(), 1U) << all["iterations"];
  EXPECT_EQ(all["iterations"][0]["ratio"]["HtoD_bytes"], 0);
}

TEST_F(Compare, SeveralAreALadder) {
  const Ended recorded = ompdm({"record", "-o", "data.json", kernel("heat"), "--variant", "data",
                                "60", std::to_string(kSteps)});
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  const Json all = compared({"naive.json", "data.json", "optimized.json"});
  EXPECT_EQ(all["schema"], "ompdm.ladder/1");
  ASSERT_EQ(all["rungs"].size(), 3U);
  EXPECT_EQ(all["rungs"][1]["name"], "data");
  EXPECT_EQ(all["rungs"][0]["totals"]["HtoD"]["bytes"], 2 * kGrid * kSteps);
  EXPECT_EQ(all["rungs"][1]["totals"]["HtoD"]["bytes"], 2 * kGrid);
  EXPECT_EQ(all["rungs"][0]["needless_bytes"], 4 * kGrid * (kSteps - 1));
  EXPECT_EQ(all["rungs"][2]["needless_bytes"], 0);
  // The kernels are of three functions, the loops too: each is one row.
  ASSERT_EQ(all["directives"].size(), 3U) << all["directives"];
  ASSERT_EQ(all["iterations"].size(), 1U) << all["iterations"];
  EXPECT_EQ(all["iterations"][0][2]["HtoD_bytes"], 0);
  ASSERT_EQ(all["variables"].size(), 2U) << all["variables"];
  // Conditions are on the first and the last.
  const Ended ended = ompdm({"compare", "naive.json", "data.json", "optimized.json", "--fail-if",
                             "HtoD.bytes < 0.5x", "--fail-if", "findings.went > 0"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find("HtoD.bytes is 288000 before, 57600 after"), std::string::npos);
  EXPECT_NE(ended.err.find("findings.went is 1"), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("Differ   argument 2: naive → data → optimized\n"), std::string::npos)
      << ended.out;
}

TEST_F(Compare, ConditionsDecideTheExitStatus) {
  const std::vector<std::string> words = {"compare", "naive.json", "optimized.json", "--fail-if"};
  const auto ended = [&](const std::string& condition) {
    std::vector<std::string> all = words;
    all.push_back(condition);
    return ompdm(all);
  };
  EXPECT_EQ(ended("HtoD.bytes > 1.05x").status, 0);
  const Ended less = ended("HtoD.bytes < 0.5x");
  EXPECT_EQ(less.status, 3);
  EXPECT_EQ(less.err,
            "ompdm: HtoD.bytes < 0.5x holds: HtoD.bytes is 288000 before, 57600 after (0.2x)\n");
  EXPECT_EQ(ended("HtoD.count > 1").status, 3);
  EXPECT_EQ(ended("HtoD.nonsense > 1x").status, 2);
}

TEST_F(Compare, WhatCameAndWentDecidesToo) {
  const auto ended = [&](const std::string& before, const std::string& after,
                         const std::string& condition) {
    return ompdm({"compare", before, after, "--fail-if", condition});
  };
  EXPECT_EQ(ended("naive.json", "optimized.json", "findings.came > 0").status, 0);
  EXPECT_EQ(ended("naive.json", "optimized.json", "findings.went > 0").status, 3);
  const Ended worse = ended("optimized.json", "naive.json", "findings.came > 0");
  EXPECT_EQ(worse.status, 3);
  EXPECT_NE(worse.err.find("ompdm: findings.came > 0 holds: findings.came is "), std::string::npos)
      << worse.err;
  EXPECT_EQ(ended("optimized.json", "naive.json", "findings.came.per_iteration_mapping > 0").status,
            3);
  EXPECT_EQ(ended("optimized.json", "naive.json", "findings.came.device_leak > 0").status, 0);
  EXPECT_EQ(ended("naive.json", "naive.json", "findings.stay.per_iteration_mapping == 1").status,
            3);
  EXPECT_EQ(ended("naive.json", "naive.json", "findings.came > 1x").status, 2);
  EXPECT_EQ(ended("naive.json", "naive.json", "findings.came.nonsense > 0").status, 2);
}

TEST_F(Compare, ASpoolIsTakenLikeATrace) {
  const Ended left = run({{kernel("heat"), "--variant", "optimized", "60", std::to_string(kSteps)},
                          {{"LD_PRELOAD", plain_path(OMPDM_RECORDER)}, {"OMPDM_FINISH", "off"}}},
                         folder_.path());
  ASSERT_EQ(left.status, 0) << left.err;
  const Json all = compared({"optimized.json", "trace.json.spool"});
  EXPECT_EQ(all["totals"]["HtoD"]["bytes"]["ratio"], 1);
  EXPECT_EQ(all["directives"].size(), 3U);
}

// At a nanosecond a byte and no latency, a transfer's time is its bytes.
TEST_F(Compare, OnAModelOfALink) {
  const Json all = compared({"naive.json", "optimized.json", "--link", "1GB/s,0us"});
  for (const std::string side : {"before", "after"}) {
    for (const std::string way : {"HtoD", "DtoH"}) {
      EXPECT_EQ(all["totals"][way]["time_ns"][side], all["totals"][way]["bytes"][side]) << way;
    }
  }
  EXPECT_EQ(all["link"]["bytes_per_second"], 1e9);
  const Ended text = ompdm({"report", "naive.json", "--link", "pcie4x16"});
  EXPECT_EQ(text.out.find("on a model of pcie4x16, data movement takes "), 0U) << text.out;
  EXPECT_NE(text.out.find("! a model, not a measurement"), std::string::npos);
}

// Shares of the time are told where kernels have a device's speed, too.
TEST_F(Compare, OnAModelOfALinkAndOfKernels) {
  const Json host = compared({"naive.json", "naive.json", "--link", "1GB/s,0us"});
  const Json device =
      compared({"naive.json", "naive.json", "--link", "1GB/s,0us", "--kernels", "10"});
  EXPECT_EQ(host["link"]["kernel_factor"], nullptr);
  EXPECT_EQ(device["link"]["kernel_factor"], 10);
  const auto kernels = [](const Json& all) {
    return all["totals"]["kernel"]["time_ns"]["after"].get<double>();
  };
  EXPECT_NEAR(kernels(device), kernels(host) / 10, 10.0 * kSteps);
  EXPECT_EQ(device["totals"]["HtoD"]["time_ns"], host["totals"]["HtoD"]["time_ns"]);
  const Ended text = ompdm({"report", "naive.json", "--link", "pcie4x16", "--kernels", "10"});
  EXPECT_EQ(text.out.find("on a model of pcie4x16 and of kernels 10 times as fast, data movement "),
            0U)
      << text.out;
  EXPECT_EQ(ompdm({"report", "naive.json", "--kernels", "10"}).status, 2);
  EXPECT_EQ(ompdm({"report", "naive.json", "--link", "pcie4x16", "--kernels", "0"}).status, 2);
}

}  // namespace
}  // namespace ompdm::e2e::compare_test
