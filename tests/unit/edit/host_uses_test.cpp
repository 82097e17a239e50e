// What the host does with data that stays on the device meanwhile, and what is updated for it.
#include "asked.h"
#include "why.h"

namespace ompdm::edit::testing::host_uses_test {
namespace {

constexpr const char* kFrom = "#pragma omp target update from(u[0:n])";
constexpr const char* kTo = "#pragma omp target update to(u[0:n])";
constexpr const char* kElement = "#pragma omp target update from(u[7:1])";
constexpr const char* kToElement = "#pragma omp target update to(u[7:1])";

class HostUses : public EditTest {
 protected:
  /// A loop with a region that changes u and one that reads it, and statements of the host's behind
  /// these.
  static std::string looping(const std::string& host, const std::string& functions = "",
                             const std::string& region = "u[i] += 1") {
    return "void* malloc(unsigned long);\n" + functions +
           "double run(int steps) {\n"
           "  const int n = 100;\n"
           "  double sum = 0;\n"
           "  double* u = malloc(sizeof(double) * n);\n"
           "  double* w = malloc(sizeof(double) * n);\n"
           "  for (int i = 0; i < n; ++i) u[i] = w[i] = i;\n"
           "  for (int t = 0; t < steps; ++t) {\n"
           "#pragma omp target teams loop map(tofrom: u[0:n]) map(to: w[0:n])\n"
           "    for (int i = 0; i < n; ++i) " +
           region +
           ";\n"
           "#pragma omp target teams loop map(to: u[0:n]) map(tofrom: w[0:n])\n"
           "    for (int i = 0; i < n; ++i) w[i] += u[i];\n" +
           host +
           "  }\n"
           "  return sum + u[7];\n"
           "}\n";
  }

  static Finding kept(const File& file) {
    return around_loop(file.at("(int t"), {file.at("#pragma")}, {{"to", {"u[0:n]"}}},
                       {{"from", {"u[0:n]"}}});
  }
  static Plan plan(const File& file) { return plan_of(file, kept(file)); }

  /// Those lines within the directives around the loop, at the words' line.
  static void expect_updates(const File& file, const Lines& updates) {
    const Plan made = plan(file);
    Lines expected = {file.before("(int t", "#pragma omp target enter data map(to: u[0:n])")};
    expected.insert(expected.end(), updates.begin(), updates.end());
    expected.push_back(file.before("return sum", "#pragma omp target exit data map(from: u[0:n])"));
    expect_changes(file, made, expected);
    EXPECT_EQ(made.updates, updates.size());
  }
};

TEST_F(HostUses, NeedNothingWhereTheHostUsesOtherData) {
  expect_updates(source(looping("    sum += w[7];\n    w[3] = t;\n")), {});
}

TEST_F(HostUses, OfAReadNeedWhatTheDeviceHas) {
  const File file = source(looping("    sum += u[7];\n"));
  expect_updates(file, {file.before("sum += u", kElement)});
}

// Another element was changed on the device: where the element is not known, the rest of the data
// has to be there before.
TEST_F(HostUses, OfAWriteAreSentBehindIt) {
  const File file = source(looping("    *(u + 7) = t;\n"));
  expect_updates(file, {file.before("*(u + 7)", kFrom), file.behind("*(u + 7)", kTo)});
}

TEST_F(HostUses, OfAnElementAreOfNoMore) {
  const File set = source(looping("    u[7] = t;\n"));
  expect_updates(set, {set.behind("u[7] = t", kToElement)});
  const File changed = source(looping("    u[7] += t;\n"));
  expect_updates(changed,
                 {changed.before("u[7] +=", kElement), changed.behind("u[7] +=", kToElement)});
  const File copied = source(looping("    u[7] = u[t];\n"));
  expect_updates(copied, {copied.before("u[7] =", "#pragma omp target update from(u[t:1])"),
                          copied.behind("u[7] =", kToElement)});
  const File twice = source(looping("    u[7] = t;\n    sum += u[7];\n    u[7] = sum;\n"));
  expect_updates(twice, {twice.behind("u[7] = t", kToElement), twice.before("sum += u", kElement),
                         twice.behind("u[7] = sum", kToElement)});
}

// Of an index that changes between two uses each update is its own.
TEST_F(HostUses, OfElementsWhoseIndexChangesAreNotOne) {
  const File file =
      source(looping("    int j = t;\n    sum += u[j];\n    j += 1;\n    sum -= u[j];\n"));
  const char* element = "#pragma omp target update from(u[j:1])";
  expect_updates(file, {file.before("sum += u", element), file.before("sum -= u", element)});
}

TEST_F(HostUses, OfWhatMayBeOtherElementsAreOfAll) {
  const auto of_all = [&](const std::string& host, const std::string& before = {}) {
    const Plan made = plan(source(looping(host, before)));
    return std::ranges::any_of(made.replacements, [](const Replacement& one) {
      return one.text.find("update from(u[0:n])") != std::string::npos;
    });
  };
  EXPECT_TRUE(of_all("    const double* v = &u[7];\n    sum += v[1];\n"));
  EXPECT_TRUE(of_all("    for (int i = 0; i < 3; ++i) sum += u[i];\n"));
  EXPECT_TRUE(of_all("    if (t > 3) {\n      sum += u[t] + u[(int)sum];\n    }\n"));
  EXPECT_TRUE(of_all("    sum += u[0] + u[1] + u[2] + u[3] + u[4];\n"));
  EXPECT_TRUE(of_all("    sum += t ? u[50 / t] : 1;\n")) << "it is not evaluated in any case";
  EXPECT_TRUE(of_all("    if (t && u[50 / t] > 3) sum += 1;\n"));
  EXPECT_TRUE(of_all("    for (int i = 0; i < t; ++i) sum += u[50 / t];\n"));
  EXPECT_TRUE(of_all("    int j = t;\n    int* k = &j;\n    sum += u[j] + ++*k;\n"));
  EXPECT_TRUE(of_all("    sum += u[0 + J + 0];\n", "#define J 3\n"));
  EXPECT_TRUE(of_all("    sum += u[j];\n", "int j;\n")) << "others may set it";
}

TEST_F(HostUses, OfAReadNeedNothingWhereNoKernelWrites) {
  expect_updates(source(looping("    sum += u[7];\n", "", "sum += 0 * u[i]")), {});
}

TEST_F(HostUses, OfAReadMayStandAnywhereWhereNoKernelWrites) {
  const std::string macro = "    ADD(sum, u[7]);\n";
  constexpr const char* kAdd = "#define ADD(to, what) do { to += what; } while (0)\n";
  expect_updates(source(looping(macro, kAdd, "sum += 0 * u[i]")), {});
  const File file = source(looping(macro, kAdd));
  expect_refused(plan(file), file.at("ADD(sum"), why::kNoRoom);
}

/// The lines between "// from" and "// to".
std::string between_marks(const std::string& text) {
  const std::size_t begin = text.find('\n', text.find("// from")) + 1;
  const std::size_t end = text.rfind('\n', text.find("// to")) + 1;
  return text.substr(begin, end - begin);
}

// OpenMP 5.2, section 5.2: a directive without a body is no statement of a branch, or of a label.
TEST_F(HostUses, GetBracesWhereTheyAreAllThatABranchOrALabelHas) {
  const auto between = [&](const std::string& code) {
    const File file = source(looping("    // from\n" + code + "    // to\n"));
    return between_marks(applied(file, plan(file)));
  };
  EXPECT_EQ(between("    if (t % 10 == 0) sum += u[7];\n"),
            "    if (t % 10 == 0) {\n"
            "#pragma omp target update from(u[7:1])\n"
            "      sum += u[7];\n"
            "    }\n");
  EXPECT_EQ(between("    if (t % 10 == 0)\n      u[7] = t;  // now and then\n    else sum = 0;\n"),
            "    if (t % 10 == 0)\n"
            "    {\n"
            "      u[7] = t;  // now and then\n"
            "#pragma omp target update to(u[7:1])\n"
            "    }\n"
            "    else sum = 0;\n");
  EXPECT_EQ(between("    if (t > 3) sum = 0; else if (t) sum += u[7]; else sum = 1;\n"),
            "    if (t > 3) sum = 0; else if (t) {\n"
            "#pragma omp target update from(u[7:1])\n"
            "      sum += u[7];\n"
            "    } else sum = 1;\n");
  EXPECT_EQ(between("    switch (t) {\n      case 1: sum += u[7];\n    }\n"),
            "    switch (t) {\n"
            "      case 1: {\n"
            "#pragma omp target update from(u[7:1])\n"
            "        sum += u[7];\n"
            "      }\n"
            "    }\n");
}

TEST_F(HostUses, GetLinesOfTheirOwnInALineThatHoldsOtherCode) {
  const File file = source(looping("    // from\n    sum += 1; u[7] += t; sum -= 1;\n    // to\n"));
  EXPECT_EQ(between_marks(applied(file, plan(file))),
            "    sum += 1;\n"
            "#pragma omp target update from(u[7:1])\n"
            "    u[7] += t;\n"
            "#pragma omp target update to(u[7:1])\n"
            "     sum -= 1;\n");
}

// Once for all iterations: a branch in such a loop would copy all of the data back in each.
TEST_F(HostUses, OfBranchesOfALoopAreUpdatedAroundTheLoop) {
  const File file =
      source(looping("    for (int i = 0; i < n; ++i) {\n      if (i % 3) u[i] *= 2;\n    }\n"));
  const int line = file.at("u[i] *= 2").line;
  expect_updates(file,
                 {std::to_string(line - 1) + '+' + kFrom, std::to_string(line + 2) + '+' + kTo});
}

TEST_F(HostUses, OfAWriteNeedNothingBeforeWhereNoKernelWrites) {
  const File file = source(looping("    u[7] = t;\n", "", "sum += 0 * u[i]"));
  const Plan made = plan(file);
  EXPECT_EQ(made.refused, "");
  const Lines all = changes(file, made);
  EXPECT_EQ(std::count(all.begin(), all.end(), file.behind("u[7] = t", kToElement)), 1);
  EXPECT_EQ(made.updates, 1u);
}

// A loop that leaves the device alone is one use.
TEST_F(HostUses, AreUpdatedAroundALoopOfTheHosts) {
  const File file = source(looping("    for (int i = 0; i < n; ++i) {\n      u[i] *= 2;\n    }\n"));
  const int line = file.at("u[i] *= 2").line;
  expect_updates(file,
                 {std::to_string(line - 1) + '+' + kFrom, std::to_string(line + 2) + '+' + kTo});
}

// What a branch does not reach needs no update.
TEST_F(HostUses, AreUpdatedInTheBranchThatHasThem) {
  const File file = source(looping("    if (t % 10 == 0) {\n      sum += u[7];\n    }\n"));
  expect_updates(file, {file.before("sum += u", std::string("      ").substr(6) + kElement)});
}

TEST_F(HostUses, AreBroughtBackOnceForAllReadsInARow) {
  const File file = source(looping("    sum += u[7];\n    sum -= u[7];\n"));
  expect_updates(file, {file.before("sum += u[7]", kElement)});
}

TEST_F(HostUses, OfACalledFunctionAreUpdatedAtTheCall) {
  const File file = source(looping("    sum += total(u, n);\n",
                                   "static double total(const double* a, int n) {\n"
                                   "  double s = 0;\n"
                                   "  for (int i = 0; i < n; ++i) s += a[i];\n"
                                   "  return s;\n"
                                   "}\n"));
  expect_updates(file, {file.before("sum += total", kFrom)});
}

TEST_F(HostUses, OfACalledFunctionThatWritesAreSentBehindTheCall) {
  const File file =
      source(looping("    set(u, t);\n", "static void set(double* a, double v) { a[0] = v; }\n"));
  expect_updates(file, {file.before("    set(u", kFrom), file.behind("    set(u", kTo)});
}

/// A loop with one region, whose clauses are given, and statements of the host's behind it.
std::string with_one_region(const std::string& clauses, const std::string& host) {
  return "void* malloc(unsigned long);\n"
         "double run(int steps, int k) {\n"
         "  const int n = 100;\n"
         "  double sum = 0;\n"
         "  double* u = malloc(sizeof(double) * n);\n"
         "  for (int i = 0; i < n; ++i) u[i] = i;\n"
         "  for (int t = 0; t < steps; ++t) {\n"
         "#pragma omp target teams loop map(tofrom: u[0:n])" +
         clauses +
         "\n"
         "    for (int i = 0; i < n; ++i) u[i] += 1;\n" +
         host +
         "  }\n"
         "  return sum + u[7];\n"
         "}\n";
}

TEST_F(HostUses, AsOftenAsWhatGoesAreNoEdit) {
  const std::string as_many = "as many updates of u would be needed where the host uses it";
  EXPECT_EQ(plan(source(with_one_region("", "    *(u + 7) = t;\n"))).refused, as_many);
  EXPECT_EQ(
      plan(source(with_one_region("", "    if (t) *(u + 7) = t;\n    else *u = t;\n"))).refused,
      as_many)
      << "in both arms";
  EXPECT_EQ(plan(source(with_one_region("", "    u[7] = t;\n"))).refused, "") << "one element";
  EXPECT_EQ(plan(source(with_one_region("", "    sum += u[7];\n"))).refused, "");
  EXPECT_EQ(plan(source(with_one_region("", "    if (t % 5 == 0) u[7] = t;\n"))).refused, "");
}

TEST_F(HostUses, OfARegionThatItsIfLeavesToTheHost) {
  const File constant = source(with_one_region(" if(k == 0)", ""));
  expect_changes(
      constant, plan(constant),
      {constant.before("(int t", "#pragma omp target enter data map(to: u[0:n]) if(k == 0)"),
       constant.before("return sum", "#pragma omp target exit data map(from: u[0:n]) if(k == 0)")});
  EXPECT_EQ(plan(source(with_one_region(" if(t > 3)", ""))).refused,
            "as many updates of u would be needed where the host uses it")
      << "how often it holds is not known";
}

TEST_F(HostUses, BehindATaskThatIsWaitedForAtOnce) {
  const File waited =
      source(with_one_region(" nowait", "#pragma omp taskwait\n    sum += u[7];\n"));
  EXPECT_EQ(plan(waited).refused, "");
  EXPECT_NE(plan(source(with_one_region(" nowait", "    sum += u[7];\n"))).refused, "");
}

TEST_F(HostUses, BehindTasksThatAreWaitedForTogether) {
  const std::string other =
      "#pragma omp target teams loop map(tofrom: k) nowait\n"
      "    for (int i = 0; i < 1; ++i) k += 1;\n";
  const std::string wait = "#pragma omp taskwait\n";
  const std::string use = "    sum += u[7];\n";
  EXPECT_EQ(plan(source(with_one_region(" nowait", other + wait + use))).refused, "");
  EXPECT_NE(plan(source(with_one_region(" nowait", other + use + wait))).refused, "");
  EXPECT_NE(plan(source(with_one_region(" nowait", use + other + wait))).refused, "");
}

TEST_F(HostUses, OfAFunctionThatIsNotSeenAreRefused) {
  const File file = source(looping("    show(u);\n", "void show(double*);\n"));
  expect_refused(plan(file), file.at("show(u)"), why::kUnseen);
}

TEST_F(HostUses, OfACallByPointerAreRefused) {
  const File file = source(looping("    show(u);\n", "extern void (*show)(double*);\n"));
  expect_refused(plan(file), file.at("show(u)"), why::kByPointer);
}

TEST_F(HostUses, OfTheCLibraryAreKnownByItsNames) {
  const File file = source(looping("    memcpy(w, u, sizeof(double) * n);\n",
                                   "void* memcpy(void*, const void*, unsigned long);\n"));
  expect_updates(file, {file.before("    memcpy", kFrom)});
}

TEST_F(HostUses, OfAnAddressAloneNeedNothing) {
  expect_updates(source(looping("    if (u == w) sum += 1;\n")), {});
}

TEST_F(HostUses, AreRefusedInAStatementThatRunsRegions) {
  const File file = source(looping("    sum += u[7] + next(w, n);\n",
                                   "static double next(double* a, int n) {\n"
                                   "#pragma omp target map(tofrom: a[0:n])\n"
                                   "  a[0] += 1;\n"
                                   "  return a[0];\n"
                                   "}\n"));
  const Place region = file.at("#pragma omp target teams");
  const Plan made = plan_of(
      file, around_loop(file.at("(int t"), {region}, {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  expect_refused(made, file.at("sum += u[7]"), why::kWithRegions);
}

// Its region writes by the parameter's name, and the host reads by it.
TEST_F(HostUses, OfAFunctionWithRegionsAreUpdatedInIt) {
  const std::string text =
      "void* malloc(unsigned long);\n"
      "static double step(double* a, int m) {\n"
      "#pragma omp target teams loop map(tofrom: a[0:m])\n"
      "  for (int i = 0; i < m; ++i) a[i] += 1;\n"
      "  return a[7];\n"
      "}\n"
      "double run(int steps) {\n"
      "  const int n = 100;\n"
      "  double sum = 0;\n"
      "  double* u = malloc(sizeof(double) * n);\n"
      "  for (int i = 0; i < n; ++i) u[i] = i;\n"
      "  for (int t = 0; t < steps; ++t) {\n"
      "    sum += step(u, n);\n"
      "  }\n"
      "  return sum + u[7];\n"
      "}\n";
  const File file = source(text);
  const Finding finding = around_loop(file.at("(int t"), {file.at("#pragma")}, {{"to", {"a[0:m]"}}},
                                      {{"from", {"a[0:m]"}}});
  expect_changes(file, plan_of(file, finding),
                 {file.before("return a[7]", "#pragma omp target update from(a[7:1])"),
                  file.before("(int t", "#pragma omp target enter data map(to: u[0:n])"),
                  file.before("return sum", "#pragma omp target exit data map(from: u[0:n])")});
}

// Other files may call it with data that does not stay.
TEST_F(HostUses, OfAFunctionThatOthersMayCallAreRefused) {
  const std::string text =
      "void* malloc(unsigned long);\n"
      "double step(double* a, int m) {\n"
      "#pragma omp target teams loop map(tofrom: a[0:m])\n"
      "  for (int i = 0; i < m; ++i) a[i] += 1;\n"
      "  return a[7];\n"
      "}\n"
      "double run(int steps) {\n"
      "  const int n = 100;\n"
      "  double sum = 0;\n"
      "  double* u = malloc(sizeof(double) * n);\n"
      "  for (int t = 0; t < steps; ++t) {\n"
      "    sum += step(u, n);\n"
      "  }\n"
      "  return sum + u[7];\n"
      "}\n";
  const File file = source(text);
  Request request = asked(file, {around_loop(file.at("(int t"), {file.at("#pragma")},
                                             {{"to", {"a[0:m]"}}}, {{"from", {"a[0:m]"}}})});
  expect_refused(plan_of(request), file.at("double step("), why::kNotOnlyHere);
  request.is_whole = true;
  EXPECT_EQ(plan_of(request).refused, "");
}

// The program's own updates of data that stays are not needed where uses are cared for.
TEST_F(HostUses, TakeThePlaceOfTheProgramsOwnUpdates) {
  const File file =
      source(looping("#pragma omp target update from(u[0:n]) // for the sum\n    sum += u[7];\n"));
  const Plan made =
      plan_of(file, around_loop(file.at("(int t"), {file.at("#pragma omp target teams")},
                                {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  EXPECT_EQ(made.refused, "");
  EXPECT_EQ(changes(file, made),
            (Lines{file.before("(int t", "#pragma omp target enter data map(to: u[0:n])"),
                   file.gone("#pragma omp target update"), file.before("sum += u", kElement),
                   file.before("return sum", "#pragma omp target exit data map(from: u[0:n])")}));
}

}  // namespace
}  // namespace ompdm::edit::testing::host_uses_test
