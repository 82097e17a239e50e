// Which loops a directive is printed around as code, by the lines of their source.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "source_lines.h"

namespace ompdm::cli::loop_code_test {
namespace {

/// A function whose loop begins in the line that has "for", "while" or "do" first, or in line 2,
/// and whose directive maps x[0:n].
bool fits(std::vector<std::string> lines, int loop = 2) {
  lines.insert(lines.begin(), "void f(double *x, int n) {");
  lines.emplace_back("}");
  int directive = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("#pragma omp target") == 0) directive = static_cast<int>(i) + 1;
  }
  return fits_around(lines, loop, {directive}, {"x", "n"}, false);
}

constexpr const char* kTarget = "#pragma omp target map(tofrom: x[0:n])";
constexpr const char* kKernel = "for (int i = 0; i < n; ++i) x[i] += 1;";

TEST(LoopCode, FitsAroundALoopThatOnlyReadsItsNames) {
  EXPECT_TRUE(fits({"for (int t = 0; t < 9; ++t) {", kTarget, kKernel, "std::swap(x, y);", "}"}));
  EXPECT_TRUE(fits({"while (more(n)) {", kTarget, kKernel, "}"}));
  EXPECT_TRUE(fits({"for (int t = 0; t < 9; ++t)", kTarget, kKernel}));
  EXPECT_TRUE(fits({"for (int t = 0; t < 9; ++t) {  // n = steps", kTarget, kKernel,
                    "sum += n == 3 && x[0] <= n;", "}", "n = 3;"}))
      << "behind the loop it may change";
}

TEST(LoopCode, IsWordsWhereTheLineIsNoLoop) {
  EXPECT_FALSE(fits({"if (s < 0) break;", kTarget, kKernel}));
  EXPECT_FALSE(fits({"}", kTarget, kKernel}));
  EXPECT_FALSE(fits({"top: if (k == 6) goto done;", kTarget, kKernel}));
  EXPECT_FALSE(fits({"TIMELOOP(", kTarget, kKernel, ")"}));
  EXPECT_FALSE(fits({"do {", kTarget, kKernel, "} while (more);"}, 5)) << "that is its end";
}

TEST(LoopCode, IsWordsWhereNoStatementMayStandBefore) {
  for (const char* before : {"if (n > 3)", "else", "case 1:", "#pragma omp single",
                             "for (int o = 0; o < 2; ++o)", "#pragma omp parallel \\"}) {
    EXPECT_FALSE(fits({before, "for (int t = 0; t < 9; ++t) {", kTarget, kKernel, "}"}, 3))
        << before;
  }
  for (const char* before : {"n += 1;", "{", "}", "", "// a comment", "#endif"}) {
    EXPECT_TRUE(fits({before, "for (int t = 0; t < 9; ++t) {", kTarget, kKernel, "}"}, 3))
        << before;
  }
}

TEST(LoopCode, IsWordsWhereANameHasAnotherValueInTheLoop) {
  for (const char* sets :
       {"x = work;", "x += 100;", "double *x = work;", "if (t == 7) n = 10;", "int n = 50;", "n--;",
        "++n;", "read(&n);", "double *x(work);", "std::vector<double> x(9);", "int n;"}) {
    EXPECT_FALSE(fits({"for (int t = 0; t < 9; ++t) {", sets, kTarget, kKernel, "}"})) << sets;
    EXPECT_FALSE(fits({"for (int t = 0; t < 9; ++t) {", kTarget, kKernel, sets, "}"})) << sets;
  }
  EXPECT_FALSE(fits({"for (int n = 100, t = 0; t < 9; ++t) {", kTarget, kKernel, "}"}));
  EXPECT_FALSE(fits({"while (double *x = take()) {", kTarget, kKernel, "}"}));
}

TEST(LoopCode, OfFortranIsReadByItsOwnWords) {
  const std::vector<std::string> lines = {"do t = 1, 9", "!$omp target map(tofrom: x(1:n))",
                                          "x(1) = 2", "!$omp end target", "end do"};
  EXPECT_TRUE(fits_around(lines, 1, {2}, {"x", "n"}, true));
  EXPECT_FALSE(fits_around(lines, 5, {2}, {"x", "n"}, true));
}

}  // namespace
}  // namespace ompdm::cli::loop_code_test
