// Data kept on the device around a loop: where directives go, and by which ways it must not be
// left.
#include "asked.h"
#include "why.h"

namespace ompdm::edit::testing::loops_test {
namespace {

constexpr const char* kRegion =
    "#pragma omp target teams loop map(tofrom: u[0:n])\n"
    "    for (int i = 0; i < n; ++i) u[i] += 1;\n";

constexpr const char* kEnter = "#pragma omp target enter data map(to: u[0:n])";
constexpr const char* kExit = "#pragma omp target exit data map(from: u[0:n])";

/// A function with memory of its own, and a loop in it.
std::string with_loop(const std::string& loop) {
  return "void* malloc(unsigned long);\n"
         "void exit(int);\n"
         "int run(int steps) {\n"
         "  const int n = 100;\n"
         "  double* u = malloc(sizeof(double) * n);\n"
         "  for (int i = 0; i < n; ++i) u[i] = i;\n" +
         loop +
         "  return u[7];\n"
         "}\n";
}

std::string time_loop(const std::string& behind_region) {
  return with_loop("  for (int t = 0; t < steps; ++t) {\n" + std::string(kRegion) + behind_region +
                   "  }\n");
}

class AroundLoop : public EditTest {
 protected:
  static Finding kept(const File& file, const std::string& loop) {
    return around_loop(file.at(loop), {file.at("#pragma omp target")}, {{"to", {"u[0:n]"}}},
                       {{"from", {"u[0:n]"}}});
  }
  static Plan plan(const File& file) { return plan_of(file, kept(file, "(int t")); }
};

TEST_F(AroundLoop, WritesBeforeAndBehindAFor) {
  const File file = source(time_loop(""));
  expect_changes(file, plan(file),
                 {file.before("(int t", kEnter), file.before("return u[7]", kExit)});
}

// What repeats the directive may be the loop that it stands in: nothing is said of that.
TEST_F(AroundLoop, IsNotAskedForByTheOnlyDirectiveOfABlock) {
  const File file = source(time_loop(""));
  const Place region = file.at("#pragma omp target");
  const Plan plan =
      plan_of(file, around_statements({region}, {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  expect_refused(plan, region, why::kAloneNothing);
  EXPECT_EQ(plan.refused.find("repeats"), std::string::npos) << plan.refused;
}

TEST_F(AroundLoop, WritesMacrosForTheirValues) {
  const auto with = [&](const char* section) {
    return source(
        "#define M 100\n#define N (M / 2)\nint run(int steps, double (*u)[N]) {\n"
        "  for (int t = 0; t < steps; ++t) {\n"
        "#pragma omp target teams loop map(tofrom: u" +
        std::string(section) +
        ")\n"
        "    for (int i = 0; i < M; ++i) u[i][0] += 1;\n  }\n  return 0;\n}\n");
  };
  // As the compiler tells them.
  for (const char* section : {"[0:M]", "[0:M][0:N]"}) {
    const File file = with(section);
    const Finding finding = around_loop(file.at("(int t"), {file.at("#pragma omp target")},
                                        {{"to", {"u[0:100]"}}}, {{"from", {"u[0:100]"}}});
    expect_changes(file, plan_of(file, finding),
                   {file.before("(int t", "#pragma omp target enter data map(to: u[0:M])"),
                    file.before("return 0", "#pragma omp target exit data map(from: u[0:M])")});
  }
}

TEST_F(AroundLoop, WritesBeforeAndBehindAWhile) {
  const File file = source(with_loop("  while (steps-- > 0) {\n" + std::string(kRegion) + "  }\n"));
  expect_changes(file, plan_of(file, kept(file, "while")),
                 {file.before("while", kEnter), file.before("return u[7]", kExit)});
}

// Debug information has the line of its condition.
TEST_F(AroundLoop, WritesBehindTheConditionOfADo) {
  const File file =
      source(with_loop("  do {\n" + std::string(kRegion) + "  } while (--steps > 0);\n"));
  for (const char* line : {"  do {", "while (--steps"}) {
    expect_changes(file, plan_of(file, kept(file, line)),
                   {file.before("  do {", kEnter), file.before("return u[7]", kExit)});
  }
}

TEST_F(AroundLoop, IsFoundByALineInIt) {
  const File file = source(
      with_loop("  for (;;) {\n" + std::string(kRegion) + "    if (--steps <= 0) break;\n  }\n"));
  Finding finding = kept(file, "for (;;)");
  for (Edit& edit : finding.edits) {
    if (!is_around(edit)) continue;
    edit.inside = file.at("break");
    edit.places = {{"", 0}};
  }
  expect_changes(file, plan_of(file, finding),
                 {file.before("for (;;)", kEnter), file.before("return u[7]", kExit)});
}

TEST_F(AroundLoop, IndentsAsTheProgramsDirectivesDo) {
  std::string text = time_loop("");
  text.insert(text.find("#pragma"), "    ");
  const File file = source(text);
  expect_changes(file, plan(file),
                 {file.before("(int t", "  " + std::string(kEnter)),
                  file.before("return u[7]", "  " + std::string(kExit))});
}

TEST_F(AroundLoop, EndsLinesAsTheProgramDoes) {
  std::string text = time_loop("");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  const File file = source(text);
  expect_changes(file, plan(file),
                 {file.before("(int t", std::string(kEnter) + '\r'),
                  file.before("return u[7]", std::string(kExit) + '\r')});
}

TEST_F(AroundLoop, NamesTheDevice) {
  std::string text = time_loop("");
  text.insert(text.find(" map("), " device(1)");
  const File file = source(text);
  Finding finding = kept(file, "(int t");
  for (Edit& edit : finding.edits) edit.devices = {1};
  expect_changes(
      file, plan_of(file, finding),
      {file.before("(int t", "#pragma omp target enter data device(1) map(to: u[0:n])"),
       file.before("return u[7]", "#pragma omp target exit data device(1) map(from: u[0:n])")});
}

// Another device may be the default when the program is run again.
TEST_F(AroundLoop, NamesTheDeviceAsTheProgramDoes) {
  std::string text = time_loop("");
  text.insert(text.find(" map("), " device(HERE)");
  const File file = source("enum { HERE = 0 };\n" + text);
  const Finding finding = kept(file, "(int t");
  expect_changes(
      file, plan_of(file, finding),
      {file.before("(int t", "#pragma omp target enter data device(HERE) map(to: u[0:n])"),
       file.before("return u[7]", "#pragma omp target exit data device(HERE) map(from: u[0:n])")});
}

// What the run did not change another one may: the kernel can.
TEST_F(AroundLoop, BringsBackWhatAKernelMayChange) {
  const File file = source(time_loop(""));
  Finding finding = kept(file, "(int t");
  finding.edits[2].clauses[0].kind = "release";
  expect_changes(file, plan_of(file, finding),
                 {file.before("(int t", kEnter), file.before("return u[7]", kExit)});
}

TEST_F(AroundLoop, LeavesOnTheDeviceWhatIsReleasedAndSpoilsItOnTheHost) {
  const File file = source(time_loop(""));
  Request request = asked(file, {kept(file, "(int t")});
  request.released = {"u"};
  const std::string exit = "#pragma omp target exit data map(release: u[0:n])";
  expect_changes(file, plan_of(request),
                 {file.before("(int t", kEnter), file.before("return u[7]", exit)});
  request.spoil = true;
  const std::string spoiled = "__builtin_memset(u + (0), 0x5a, sizeof(*u) * (n));";
  expect_changes(file, plan_of(request),
                 {file.before("(int t", kEnter), file.before("return u[7]", exit),
                  file.before("return u[7]", spoiled)});
}

TEST_F(AroundLoop, SaysWhatItsFunctionDoesNotReadBehind) {
  EXPECT_TRUE(plan(source(time_loop(""))).returned.empty());
  std::string text = time_loop("");
  text.replace(text.find("return u[7]"), 11, "return steps");
  EXPECT_EQ(plan(source(text)).returned, Lines{"u"});
}

TEST_F(AroundLoop, IsRefusedWhereTheLoopIsLeftByReturn) {
  const File file = source(time_loop("    if (t == 5) return 1;\n"));
  expect_refused(plan(file), file.at("return 1"), why::kReturn);
}

TEST_F(AroundLoop, IsRefusedWhereTheLoopIsLeftByGoto) {
  std::string text = time_loop("    if (t == 5) goto done;\n");
  text.insert(text.find("  return u[7]"), "done:\n");
  const File file = source(text);
  expect_refused(plan(file), file.at("goto done"), why::kGoto);
}

TEST_F(AroundLoop, IsRefusedWhereTheLoopMayBeJumpedInto) {
  std::string text = time_loop("  again:;\n");
  text.insert(text.find("  for (int t"), "  if (steps > 5) goto again;\n");
  const File file = source(text);
  expect_refused(plan(file), file.at("again:;"), why::kLabel);
}

// The loop's own break comes to what stands behind it.
TEST_F(AroundLoop, LetsTheLoopBeLeftByBreakAndContinue) {
  const File file = source(time_loop("    if (t == 5) break;\n    if (t == 3) continue;\n"));
  expect_changes(file, plan(file),
                 {file.before("(int t", kEnter), file.before("return u[7]", kExit)});
}

TEST_F(AroundLoop, IsRefusedWhereStatementsAreLeftByBreak) {
  const std::string block = "  for (int t = 0; t < steps; ++t) {\n" + std::string(kRegion) +
                            "    if (t == 5) break;\n" +
                            "#pragma omp target teams loop map(tofrom: u[0:n])\n"
                            "    for (int i = 0; i < n; ++i) u[i] += 2;\n"
                            "  }\n";
  const File file = source(with_loop(block));
  const Place first = file.at("#pragma");
  // The second one stands three lines on.
  const Plan plan = plan_of(file, around_statements({first, {first.file, first.line + 3}},
                                                    {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  expect_refused(plan, file.at("break"), why::kBreak);
}

// For local data nobody sees whether it was copied back.
TEST_F(AroundLoop, LetsTheProgramEndInTheLoopUnlessItsDataIsGlobal) {
  const std::string end = "    if (t == 5) exit(1);\n";
  const File local = source(time_loop(end));
  EXPECT_EQ(plan(local).refused, "");
  std::string text = time_loop(end);
  text.replace(text.find("  double* u = malloc(sizeof(double) * n);\n"), 42, "");
  text.replace(text.find("  const int n = 100;\n"), 21, "");
  text.insert(text.find("int run("), "enum { n = 100 };\nstatic double u[n];\n");
  const File global = source(text);
  expect_refused(plan(global), global.at("exit(1)"), why::kEnd);
}

TEST_F(AroundLoop, GetsBracesWhereALoopIsABranchWithoutThem) {
  std::string text = time_loop("");
  text.insert(text.find("  for (int t"), "  if (steps > 2)\n");
  const File file = source(text);
  const std::string made = applied(file, plan(file));
  EXPECT_NE(made.find("  if (steps > 2)\n  {\n#pragma omp target enter data"), std::string::npos)
      << made;
  const std::size_t end = made.find("#pragma omp target exit data");
  EXPECT_EQ(made.substr(made.find('\n', end), 5), "\n  }\n") << made;
}

TEST_F(AroundLoop, GetsALineOfItsOwn) {
  std::string text = time_loop("");
  text.replace(text.find("  for (int t"), 2, "  ++steps; ");
  const File file = source(text);
  const std::string made = applied(file, plan(file));
  EXPECT_NE(made.find("  ++steps;\n#pragma omp target enter data"), std::string::npos) << made;
}

TEST_F(AroundLoop, GetsBracesBehindALabel) {
  std::string text = time_loop("");
  text.replace(text.find("  for (int t"), 2, "again: ");
  const File file = source(text);
  const std::string made = applied(file, plan(file));
  EXPECT_NE(made.find("again: {\n#pragma omp target enter data"), std::string::npos) << made;
}

TEST_F(AroundLoop, IsRefusedWhereTheLoopComesFromAMacro) {
  std::string text = time_loop("");
  text.replace(text.find("for (int t = 0; t < steps; ++t)"), 31, "EACH(t)");
  text.insert(0, "#define EACH(at) for (int at = 0; at < steps; ++at)\n");
  const File file = source(text);
  expect_refused(plan_of(file, kept(file, "EACH(t)")), file.at("EACH(t)"), why::kMacro);
}

TEST_F(AroundLoop, IsRefusedWhereNoLoopIs) {
  const File file = source(time_loop(""));
  expect_refused(plan_of(file, kept(file, "double* u")), file.at("double* u"), why::kNoLoop);
}

TEST_F(AroundLoop, IsRefusedWhereThreadsShareTheData) {
  std::string text = time_loop("");
  text.insert(text.find("  for (int t"), "#pragma omp parallel\n  {\n");
  text.insert(text.find("  return u[7]"), "  }\n");
  const File file = source(text);
  expect_refused(plan(file), file.at("omp parallel"), why::kThreads);
}

// Another input may come by where nothing is allocated.
TEST_F(AroundLoop, IsRefusedWhereTheDataMayHaveNoMemory) {
  std::string text = time_loop("");
  text.replace(text.find("malloc(sizeof"), 27, "steps > 3 ? malloc(sizeof(double) * n) : 0;");
  text.insert(text.find("#pragma"), "    if (steps > 3)\n");
  const File file = source(text);
  expect_refused(plan(file), file.at("(int t"), why::kNoMemory);
}

class Exchange : public EditTest {
 protected:
  /// Kernels from u to v, of which the loop then says what is next.
  static std::string stepping(const std::string& last) {
    return "void* malloc(unsigned long);\n"
           "double run(int steps) {\n"
           "  const int n = 100;\n"
           "  double* u = (double*)malloc(sizeof(double) * n);\n"
           "  double* v = (double*)malloc(sizeof(double) * n);\n"
           "  double* w = (double*)malloc(sizeof(double) * n);\n"
           "  for (int i = 0; i < n; ++i) u[i] = i;\n"
           "  for (int t = 0; t < steps; ++t) {\n"
           "#pragma omp target teams loop map(to: u[0:n]) map(from: v[0:n])\n"
           "    for (int i = 0; i < n; ++i) v[i] = u[i] + 1;\n" +
           last +
           "  }\n"
           "  return u[7] + v[7] + w[7];\n"
           "}\n";
  }
  static Plan plan(const File& file) {
    return plan_of(file, around_loop(file.at("(int t"), {file.at("#pragma")},
                                     {{"to", {"u[0:n]"}}, {"alloc", {"v[0:n]"}}},
                                     {{"from", {"v[0:n]"}}, {"release", {"u[0:n]"}}}));
  }
  /// What is exchanged is what a kernel writes, whatever its name at the end.
  static Lines around(const File& file) {
    return {
        file.before("(int t", "#pragma omp target enter data map(alloc: v[0:n]) map(to: u[0:n])"),
        file.before("return u[7]", "#pragma omp target exit data map(from: u[0:n], v[0:n])")};
  }
};

TEST_F(Exchange, IsMadeByAThirdPointer) {
  const File file = source(stepping("    double* old = u;\n    u = v;\n    v = old;\n"));
  expect_changes(file, plan(file), around(file));
}

TEST_F(Exchange, IsMadeByStdSwap) {
  const File file = write("source.cpp",
                          "namespace std { template <class T> void swap(T& a, T& b) { T c = a; a = "
                          "b; b = c; } }\nextern \"C\" " +
                              stepping("    std::swap(u, v);\n"));
  expect_changes(file, plan(file), around(file));
}

TEST_F(Exchange, LeavesOutWhatIsExchangedWithOtherData) {
  const File file = write("source.cpp",
                          "namespace std { template <class T> void swap(T& a, T& b) { T c = a; a = "
                          "b; b = c; } }\nextern \"C\" " +
                              stepping("    std::swap(u, w);\n"));
  expect_left_out(plan(file), "u[0:n]", file.at("std::swap(u"), why::kOtherData);
}

TEST_F(Exchange, LeavesOutAPointerThatIsSetAnew) {
  const File file = source(stepping("    u = (double*)malloc(sizeof(double) * n);\n"));
  expect_left_out(plan(file), "u[0:n]", file.at("    u = "), why::kSetAnew);
}

TEST_F(Exchange, IsNotMadeByHalf) {
  const File file = source(stepping("    u = v;\n"));
  const Plan made = plan(file);
  EXPECT_NE(made.refused, "");
  EXPECT_TRUE(made.replacements.empty());
}

}  // namespace
}  // namespace ompdm::edit::testing::loops_test
