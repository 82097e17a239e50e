// Changes within a directive's own text, and what a kernel's code has against them.
#include "asked.h"
#include "why.h"

namespace ompdm::edit::testing::clauses_test {
namespace {

class Clauses : public EditTest {
 protected:
  /// A region with clauses and a loop's body.
  static std::string region(const std::string& clauses, const std::string& body) {
    return "void run(double* restrict u, double* restrict v, int n) {\n"
           "#pragma omp target teams loop " +
           clauses +
           "\n"
           "  for (int i = 0; i < n; ++i) " +
           body + ";\n}\n";
  }
  static Plan plan(const File& file, const std::string& kind, const Items& items) {
    return plan_of(file, of_clauses(kind, file.at("#pragma"), items));
  }
  static void expect_pragma(const File& file, const Plan& plan, const std::string& line) {
    expect_changes(file, plan, {file.gone("#pragma"), file.behind("#pragma", line)});
  }
};

TEST_F(Clauses, GiveAnItemAnotherMapType) {
  const File file = source(region("map(tofrom: u[0:n])", "u[i] = i"));
  expect_pragma(file, plan(file, "replace", {{"from", {"u[0:n]"}}}),
                "#pragma omp target teams loop map(from: u[0:n])");
}

TEST_F(Clauses, LeaveTheOtherItemsAsTheyAre) {
  const File file = source(region("map(tofrom: u[0:n], v[0:n])", "u[i] += v[i]"));
  expect_pragma(file, plan(file, "replace", {{"to", {"v[0:n]"}}}),
                "#pragma omp target teams loop map(tofrom: u[0:n]) map(to: v[0:n])");
}

TEST_F(Clauses, NameWhatWasNotNamed) {
  const File file = source(
      "void run(double* restrict u, int n, double a) {\n"
      "#pragma omp target teams loop map(tofrom: u[0:n]) // all of it\n"
      "  for (int i = 0; i < n; ++i) u[i] *= a;\n}\n");
  expect_pragma(file, plan(file, "replace", {{"firstprivate", {"a"}}}),
                "#pragma omp target teams loop map(tofrom: u[0:n]) firstprivate(a) // all of it");
}

TEST_F(Clauses, DropWhatTheKernelOverwritesFirst) {
  const File file = source(region("map(tofrom: u[0:n])", "{ u[i] = 0; u[i] += v[i]; }"));
  expect_pragma(file, plan(file, "replace", {{"from", {"u[0:n]"}}}),
                "#pragma omp target teams loop map(from: u[0:n])");
  const File part = source(region("map(tofrom: u[0:2 * n])", "{ u[i] = 0; u[i] += v[i]; }"));
  expect_refused(plan(part, "replace", {{"from", {"u[0:2 * n]"}}}), part.at("#pragma"),
                 why::kMayRead);
}

TEST_F(Clauses, SeeThroughParentheses) {
  const File file = source("#define U(k) (u[(k)])\n" +
                           region("map(tofrom: u[0:n])", "U(i) = U(i) * 2, (U(i)) = v[i]"));
  expect_refused(plan(file, "replace", {{"to", {"u[0:n]"}}}), file.at("#pragma omp"),
                 why::kMayChange);
  const File write =
      source("#define U(k) (u[(k)])\n" + region("map(tofrom: u[0:n])", "(U(i)) = v[i]"));
  expect_pragma(write, plan(write, "replace", {{"from", {"u[0:n]"}}}),
                "#pragma omp target teams loop map(from: u[0:n])");
}

TEST_F(Clauses, KeepWhatTheKernelReads) {
  const File file = source(region("map(tofrom: u[0:n])", "u[i] += 1"));
  expect_refused(plan(file, "replace", {{"from", {"u[0:n]"}}}), file.at("#pragma"), why::kMayRead);
}

TEST_F(Clauses, KeepWhatTheKernelChanges) {
  const File file = source(region("map(tofrom: u[0:n])", "u[i] += 1"));
  expect_refused(plan(file, "replace", {{"to", {"u[0:n]"}}}), file.at("#pragma"), why::kMayChange);
}

// A pointer without a clause finds what is there already.
TEST_F(Clauses, KeepWhatTheKernelMayChangeByAnotherName) {
  std::string text = region("map(tofrom: u[0:n])", "v[i] = u[i]");
  for (std::size_t at = 0; (at = text.find("restrict ", at)) != std::string::npos;) {
    text.erase(at, 9);
  }
  const File file = source(text);
  expect_refused(plan(file, "replace", {{"to", {"u[0:n]"}}}), file.at("#pragma"), why::kMayChange);
}

TEST_F(Clauses, LeaveOutWhatTheKernelDoesNotUse) {
  const File file = source(region("map(tofrom: u[0:n]) map(to: v[0:n])", "u[i] += 1"));
  expect_pragma(file, plan(file, "leave_out", {{"", {"v[0:n]"}}}),
                "#pragma omp target teams loop map(tofrom: u[0:n])");
}

TEST_F(Clauses, LeaveOutOneOfSeveralItems) {
  const File file = source(region("map(to: v[0:n], u[0:n])", "v[i]"));
  expect_pragma(file, plan(file, "leave_out", {{"", {"u[0:n]"}}}),
                "#pragma omp target teams loop map(to: v[0:n])");
}

TEST_F(Clauses, AreNotLeftOutOfWhatTheKernelUses) {
  const File file = source(region("map(tofrom: u[0:n]) map(to: v[0:n])", "u[i] += v[i]"));
  expect_refused(plan(file, "leave_out", {{"", {"v[0:n]"}}}), file.at("#pragma"), why::kUses);
}

TEST_F(Clauses, WithAModifierStay) {
  const File file = source(region("map(always, tofrom: u[0:n])", "u[i] = i"));
  expect_refused(plan(file, "replace", {{"from", {"u[0:n]"}}}), file.at("#pragma"), why::kModifier);
}

TEST_F(Clauses, ThatAreNotThereCannotLoseAnItem) {
  const File file = source(region("map(tofrom: u[0:n])", "u[i] += 1"));
  expect_refused(plan(file, "leave_out", {{"", {"v[0:n]"}}}), file.at("#pragma"), why::kNoClause);
}

TEST_F(Clauses, OfMembersAreChangedAsOthers) {
  const File file = source(
      "struct S { double* p; };\n"
      "void run(struct S* s, int n) {\n"
      "#pragma omp target map(tofrom: s->p[0:n])\n"
      "  s->p[0] = n;\n"
      "}\n");
  expect_pragma(file, plan(file, "replace", {{"from", {"s->p[0:n]"}}}),
                "#pragma omp target map(from: s->p[0:n])");
  expect_refused(plan(file, "replace", {{"to", {"s->p[0:n]"}}}), file.at("#pragma"),
                 why::kMayChange);
}

TEST_F(Clauses, OfAMacroStay) {
  const File file = source(
      "#define ON _Pragma(\"omp target map(tofrom: u[0:n])\")\n"
      "void run(double* u, int n) {\n"
      "  ON\n"
      "  u[0] = n;\n"
      "}\n");
  expect_refused(plan_of(file, of_clauses("replace", file.at("  ON"), {{"from", {"u[0:n]"}}})),
                 file.at("  ON"), why::kMacro);
}

class Directives : public EditTest {
 protected:
  /// A directive between regions with data on the device, which has no further effect. And a
  /// finding that keeps the data on the device, for which all uses of the data are looked at.
  static std::string with(const std::string& directive) {
    return "void run(double* restrict u, int n, int steps) {\n"
           "  for (int t = 0; t < steps; ++t) {\n"
           "#pragma omp target teams loop map(tofrom: u[0:n])\n"
           "    for (int i = 0; i < n; ++i) u[i] += 1;\n" +
           directive +
           "  }\n"
           "}\n";
  }
  static Plan plan(const File& file, const std::string& kind, const Place& at) {
    Finding finding = around_loop(file.at("(int t"), {file.at("#pragma")}, {{"to", {"u[0:n]"}}},
                                  {{"from", {"u[0:n]"}}});
    finding.edits.push_back(of_clauses(kind, at, {{"", {"u[0:n]"}}}).edits[0]);
    return plan_of(file, finding);
  }
};

TEST_F(Directives, AreRemovedWithTheirLine) {
  const File file =
      source(with("#pragma omp target enter data map(to: u[0:n])\n"
                  "#pragma omp target exit data map(from: u[0:n])\n"));
  for (const char* words : {"target enter", "target exit"}) {
    const Plan made = plan_of(file, [&] {
      Finding finding = around_loop(file.at("(int t"), {file.at("target teams")},
                                    {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}});
      finding.edits.push_back(of_clauses("remove", file.at(words), {}).edits[0]);
      return finding;
    }());
    EXPECT_EQ(made.refused, "");
    const Lines all = changes(file, made);
    EXPECT_EQ(std::count(all.begin(), all.end(), file.gone(words)), 1) << words;
    EXPECT_EQ(all.size(), 3u);
  }
}

TEST_F(Directives, WithAllOfTheirLinesGo) {
  const File file =
      source(with("#pragma omp target enter data \\\n    map(to: u[0:n])\n"
                  "#pragma omp target exit data map(from: u[0:n])\n"));
  const Plan made = plan(file, "remove", file.at("target enter"));
  const Lines all = changes(file, made);
  EXPECT_EQ(std::count(all.begin(), all.end(), file.gone("target enter")), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), file.gone("    map(to")), 1);
}

TEST_F(Directives, ThatMapNothingAnyMoreGo) {
  const File file =
      source(with("#pragma omp target enter data map(to: u[0:n])\n"
                  "#pragma omp target exit data map(from: u[0:n])\n"));
  const Lines all = changes(file, plan(file, "leave_out", file.at("target enter")));
  EXPECT_EQ(std::count(all.begin(), all.end(), file.gone("target enter")), 1);
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(Directives, WithABodyStay) {
  const File file = source(with(""));
  expect_refused(plan(file, "remove", file.at("#pragma")), file.at("#pragma"), why::kHasBody);
}

TEST_F(Directives, OfNoRegionAreLookedAtWithALoopAlone) {
  const File file = source(with("#pragma omp target enter data map(to: u[0:n])\n"));
  const Place at = file.at("target enter");
  expect_refused(plan_of(file, of_clauses("remove", at, {})), at, why::kNotLookedInto);
}

TEST_F(Directives, AreNotGuarded) {
  const File file = source(with(""));
  Finding finding = of_clauses("guard", file.at("#pragma"), {});
  expect_refused(plan_of(file, finding), file.at("#pragma"), why::kNotLookedInto);
}

// Directives that the run did not reach may use what a region does not.
TEST_F(Directives, AreNotRemovedWhereOthersWereNotReached) {
  const File file =
      source(with("#pragma omp target enter data map(to: u[0:n])\n"
                  "#pragma omp target exit data map(from: u[0:n])\n"));
  Finding finding = around_loop(file.at("(int t"), {file.at("target teams")}, {{"to", {"u[0:n]"}}},
                                {{"from", {"u[0:n]"}}});
  const Place at = file.at("target enter");
  finding.edits.push_back(of_clauses("remove", at, {}).edits[0]);
  finding.unreached = {file.at("#pragma")};
  expect_refused(plan_of(file, finding), at, why::kNotReached);
}

}  // namespace
}  // namespace ompdm::edit::testing::clauses_test
