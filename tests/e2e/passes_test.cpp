// Iterations of loops that the order of directives does not show, compiled in two ways. As written,
// and with calls inlined, made the function's last jump, and loops unrolled.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::iterations_test {
namespace {

using Loops = std::vector<std::string>;

/// "iterations/entries" of each loop, ">=" where they are at least that, with "x devices" where
/// there are several, and "repeats" where the code has no loop.
Loops loops_of(const std::string& built, const std::string& shape) {
  Loops loops;
  const Json report = record({{program(built), shape}}).report;
  for (const Json& row : report["iterations"]) {
    std::string text = row["at_least"].get<bool>() ? ">=" : "";
    text += std::to_string(row["count"].get<int>()) + '/';
    if (row["entries_at_least"].get<bool>()) text += ">=";
    text += std::to_string(row["entries"].get<int>());
    if (row["devices"] != 1) text += " x" + std::to_string(row["devices"].get<int>());
    if (row["from"] != "code") text += ' ' + row["from"].get<std::string>();
    loops.push_back(text);
  }
  return loops;
}

struct Case {
  const char* shape;
  Loops written;    ///< at -O0
  Loops optimized;  ///< at -O2
  const char* program = "shapes";
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.shape; }

class Iterations : public ::testing::TestWithParam<Case> {};

TEST_P(Iterations, OfTheCodeAsItIsWritten) {
  EXPECT_EQ(loops_of(GetParam().program + std::string("_O0"), GetParam().shape),
            GetParam().written);
}

TEST_P(Iterations, OfOptimizedCode) {
  EXPECT_EQ(loops_of(GetParam().program + std::string("_O2"), GetParam().shape),
            GetParam().optimized);
}

// Iterations of several instantiations are one row, which has the name of none.
TEST(IterationsOfTemplates, AreNamedByTheTemplate) {
  const Json report = record({{program("shapes_O2"), "templates"}}).report;
  ASSERT_EQ(report["iterations"].size(), 1U);
  EXPECT_EQ(report["iterations"][0]["function"], "scale<...>");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Iterations,
    ::testing::Values(
        Case{"optional", {"1000/1"}, {"1000/1"}}, Case{"either", {"1000/1"}, {"1000/1"}},
        Case{"alternating", {"1000/1"}, {"1000/1"}},
        Case{"levels", {"200/1", "600/200"}, {"200/1", "600/200 repeats"}},
        Case{"v_cycles", {"100/1"}, {"100/1"}},
        Case{"w_cycles", {"100/1", "1400/700"}, {"100/1", "1400/700 repeats"}},
        Case{"sweeps", {"20/1"}, {"20/1"}}, Case{"three_solves", {"180/3"}, {"180/3"}},
        Case{"solves_in_a_loop", {"3/1", "180/>=3"}, {"3/1 repeats", "180/>=3"}},
        Case{"three_calls", {"42/3"}, {"42/3"}},
        Case{"nested", {"10/1", "100/10", "1000/100"}, {"10/1", "100/10 repeats"}},
        Case{"one_line", {"10/1", "20/1"}, {"10/1 repeats", "20/1 repeats"}},
        Case{"templates", {"80/2"}, {"80/2"}}, Case{"frames_above", {"25/1"}, {"25/1 repeats"}},
        Case{"devices", {">=30/1 x4"}, {"30/1 x4"}}, Case{"maybe", {">=25/1"}, {">=50/1"}},
        Case{"copies", {"40/1"}, {"40/1"}}),
    [](const auto& tested) { return std::string(tested.param.shape); });

INSTANTIATE_TEST_SUITE_P(
    Forms, Iterations,
    ::testing::Values(
        Case{"peeled", {"6/1"}, {"6/1"}, "forms"}, Case{"unrolled", {"13/1"}, {"13/1"}, "forms"},
        Case{"triangular", {"6/1", "15/5"}, {">=6/1", "15/5"}, "forms"},
        Case{"caught", {">=4/1"}, {">=4/1"}, "forms"},
        Case{"left_early", {">=6/1"}, {"6/1"}, "forms"}, Case{"sorted", {"6/1"}, {"6/1"}, "forms"},
        Case{"threads", {"50/2"}, {"50/2"}, "forms"}, Case{"deferred", {"50/1"}, {"50/1"}, "forms"},
        Case{"unrolled_with_one", {"3/1"}, {"3/1 repeats"}, "forms"},
        Case{"chosen", {"6/1"}, {"6/1"}, "forms"},
        Case{"two_in_a_row", {"9/1", "4/1"}, {"9/1", "4/1 repeats"}, "forms"},
        Case{"unrolled_inside", {"6/1", "18/6"}, {"6/1", "18/6 repeats"}, "forms"},
        Case{"leaves_by_another_way", {"6/1"}, {"6/1"}, "forms"},
        Case{"every_fourth", {"12/1"}, {"12/1"}, "forms"},
        Case{"unrolled_around", {"12/>=1"}, {"12/>=1"}, "forms"},
        Case{"for_each_of_them", {"6/1"}, {"6/1"}, "forms"}),
    [](const auto& tested) { return std::string(tested.param.shape); });

TEST(IterationsOf, ALoopNameItsOwnLine) {
  const Json report = record({{program("shapes_O0"), "levels"}}).report;
  ASSERT_EQ(report["iterations"].size(), 2U);
  const Json& outer = report["iterations"][0];
  const Json& inner = report["iterations"][1];
  EXPECT_EQ(outer["function"].get<std::string>().find("(anonymous namespace)::levels"), 0U);
  EXPECT_EQ(inner["line"].get<int>() - outer["line"].get<int>(), 2);
}

TEST(IterationsOf, ALibrarysLoopNameTheCallOfIt) {
  for (const char* built : {"forms_O0", "forms_O2"}) {
    const Json report = record({{program(built), "for_each_of_them"}}).report;
    ASSERT_EQ(report["iterations"].size(), 1U);
    const Json& loop = report["iterations"][0];
    const std::string file = loop["file"];
    EXPECT_TRUE(file.ends_with("forms.cpp")) << file;
    EXPECT_NE(loop["function"].get<std::string>().find("for_each_of_them"), std::string::npos);
  }
}

}  // namespace
}  // namespace ompdm::e2e::iterations_test
