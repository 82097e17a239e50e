// How translation units are parsed, and which findings are theirs.
#include "asked.h"
#include "why.h"

namespace ompdm::edit::testing::unit_test {
namespace {

constexpr const char* kText =
    "void run(double* restrict u, int n, int steps) {\n"
    "  for (int t = 0; t < steps; ++t) {\n"
    "#pragma omp target teams loop map(tofrom: u[0:n])\n"
    "    for (int i = 0; i < n; ++i) u[i] = i;\n"
    "  }\n"
    "}\n";

class Unit : public EditTest {
 protected:
  static Finding kept(const File& file) {
    return around_loop(file.at("(int t"), {file.at("#pragma")}, {{"to", {"u[0:n]"}}},
                       {{"from", {"u[0:n]"}}});
  }
};

TEST_F(Unit, ThatDoesNotCompileHasErrorsAndNoPlans) {
  const File file = source("int f(void) { return missing; }\nint g(void) { return absent; }\n");
  const Answer answer = answer_to(asked(file, {of_clauses("remove", {file.path, 1}, {})}));
  ASSERT_EQ(answer.errors.size(), 2u);
  EXPECT_EQ(answer.errors[0].find(file.path + ":1: "), 0u) << answer.errors[0];
  EXPECT_NE(answer.errors[0].find("missing"), std::string::npos);
  EXPECT_EQ(answer.errors[1].find(file.path + ":2: "), 0u) << answer.errors[1];
  EXPECT_TRUE(answer.plans.empty());
}

TEST_F(Unit, ThatIsNotThereHasAnError) {
  Request request = asked({(folder() / "absent.c").string(), ""}, {});
  EXPECT_FALSE(answer_to(request).errors.empty());
}

TEST_F(Unit, WithWarningsHasNoErrors) {
  const File file = source(std::string("int f(void) { int unused; }\n") + kText);
  Request request = asked(file, {kept(file)});
  request.arguments.push_back("-Wall");
  const Answer answer = answer_to(request);
  EXPECT_TRUE(answer.errors.empty());
  EXPECT_EQ(answer.plans.size(), 1u);
}

TEST_F(Unit, IsCompiledAsTheProgramIs) {
  const File header = write("sizes.h", "enum { kSize = 8 };\n");
  const File file = source(std::string("#include \"sizes.h\"\nint a[kSize * SCALE];\n") + kText);
  Request request = asked(file, {kept(file)});
  EXPECT_EQ(answer_to(request).errors.size(), 1u) << "SCALE is not defined";
  request.arguments = {"-fopenmp", "-DSCALE=2"};
  EXPECT_TRUE(answer_to(request).errors.empty());
}

// The compilation for the host has all directives.
TEST_F(Unit, IsNotCompiledForDevices) {
  const File file = source(kText);
  Request request = asked(file, {kept(file)});
  request.arguments = {"-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-arch=sm_70"};
  const Answer answer = answer_to(request);
  EXPECT_TRUE(answer.errors.empty());
  ASSERT_EQ(answer.plans.size(), 1u);
  EXPECT_EQ(answer.plans[0].refused, "");
}

TEST_F(Unit, AnswersEachFindingByItsNumber) {
  const File file = source(kText);
  Finding first = kept(file);
  first.number = 3;
  Finding second = of_clauses("replace", file.at("#pragma"), {{"from", {"u[0:n]"}}});
  second.number = 8;
  Finding third = of_clauses("replace", file.at("#pragma"), {{"to", {"u[0:n]"}}});
  third.number = 9;
  const Answer answer = answer_to(asked(file, {first, second, third}));
  ASSERT_EQ(answer.plans.size(), 3u);
  EXPECT_EQ(answer.plans[0].number, 3);
  EXPECT_EQ(answer.plans[0].replacements.size(), 2u);
  EXPECT_EQ(answer.plans[1].number, 8);
  EXPECT_EQ(answer.plans[1].replacements.size(), 1u);
  EXPECT_EQ(answer.plans[2].number, 9);
  expect_refused(answer.plans[2], file.at("#pragma"), why::kMayChange);
}

TEST_F(Unit, RefusesAFindingWithoutEdits) {
  const File file = source(kText);
  const Plan made = plan_of(file, Finding{1, "x", {}, {}});
  expect_refused(made, {}, why::kNoEdits);
}

TEST_F(Unit, SaysThatAFindingIsOfAnother) {
  const File file = source(kText);
  const File other = write("other.c", kText);
  EXPECT_TRUE(plan_of(file, kept(file)).found);
  EXPECT_FALSE(plan_of(file, kept(other)).found);
  EXPECT_FALSE(
      plan_of(file, of_clauses("replace", other.at("#pragma"), {{"from", {"u[0:n]"}}})).found);
}

TEST_F(Unit, RefusesAFindingOfWhichItHasAPart) {
  const File file = source(kText);
  Finding finding = kept(file);
  finding.edits[0].places.push_back({(folder() / "other.c").string(), 3});
  const Plan made = plan_of(file, finding);
  expect_refused(made, finding.edits[0].places[1], why::kElsewhere);
}

// A file under another name is the same file.
TEST_F(Unit, KnowsAFileByItsOtherNames) {
  const File file = source(kText);
  std::filesystem::create_symlink(folder(), folder() / "link");
  Finding finding = kept(file);
  for (Edit& edit : finding.edits) {
    for (Place& place : edit.places) place.file = (folder() / "link" / "source.c").string();
  }
  const Plan made = plan_of(file, finding);
  EXPECT_EQ(made.refused, "");
  EXPECT_TRUE(made.found);
  EXPECT_EQ(made.replacements.size(), 2u);
}

/// A loop in one source, and what it calls in another.
class SourcesBeside : public EditTest {
 protected:
  const File loop = write("loop.c",
                          "#define COUNT 100\n"
                          "void* malloc(unsigned long);\n"
                          "void step(double* a, int n);\n"
                          "int main(void) {\n"
                          "  const int n = COUNT;\n"
                          "  double* u = malloc(sizeof(double) * n);\n"
                          "  for (int i = 0; i < n; ++i) u[i] = i;\n"
                          "  for (int t = 0; t < 9; ++t) {\n"
                          "    step(u, n);\n"
                          "  }\n"
                          "  return u[7];\n"
                          "}\n");
  const File steps = write("steps.c",
                           "#define COUNT 50\n"
                           "void step(double* a, int n) {\n"
                           "#pragma omp target teams loop map(tofrom: a[0:n])\n"
                           "  for (int i = 0; i < n; ++i) a[i] += 1;\n"
                           "}\n");

  [[nodiscard]] Request request() const {
    return asked(loop, {around_loop(loop.at("(int t"), {steps.at("#pragma")}, {{"to", {"a[0:n]"}}},
                                    {{"from", {"a[0:n]"}}})});
  }
};

TEST_F(SourcesBeside, ShowWhatTheyCall) {
  EXPECT_FALSE(plan_of(request()).found) << "the directive stands in the other";
  Request both = request();
  both.beside = {steps.path};
  const Plan made = plan_of(both);
  expect_changes(loop, made,
                 {loop.before("(int t", "#pragma omp target enter data map(to: u[0:n])"),
                  loop.before("return u", "#pragma omp target exit data map(from: u[0:n])")});
  EXPECT_TRUE(changes(steps, made).empty());
}

// COUNT is another thing in each: that is no error.
TEST_F(SourcesBeside, DoNotShareMacros) {
  Request both = request();
  both.beside = {steps.path};
  both.arguments.push_back("-Werror");
  EXPECT_TRUE(answer_to(both).errors.empty());
}

TEST_F(SourcesBeside, AreChangedThemselves) {
  const File reads = write("reads.c",
                           "double last;\n"
                           "void step(double* a, int n) {\n"
                           "#pragma omp target teams loop map(tofrom: a[0:n])\n"
                           "  for (int i = 0; i < n; ++i) a[i] += 1;\n"
                           "  last = a[7];\n"
                           "}\n");
  Request both = asked(loop, {around_loop(loop.at("(int t"), {reads.at("#pragma")},
                                          {{"to", {"a[0:n]"}}}, {{"from", {"a[0:n]"}}})});
  both.beside = {reads.path};
  expect_refused(plan_of(both), reads.at("{"), why::kNotOnlyHere);
  both.is_whole = true;
  const Plan made = plan_of(both);
  EXPECT_EQ(made.refused, "");
  EXPECT_EQ(changes(reads, made),
            Lines{reads.before("last = a", "#pragma omp target update from(a[7:1])")});
}

}  // namespace
}  // namespace ompdm::edit::testing::unit_test
