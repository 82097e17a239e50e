// The names of data that stays on a device: other names of it, extents, macros, and what is left
// out of several.
#include "asked.h"
#include "why.h"

namespace ompdm::edit::testing::names_test {
namespace {

class Names : public EditTest {
 protected:
  /// A function of pointers, whose region changes u.
  static std::string of(const std::string& parameters, const std::string& host) {
    return "void run(" + parameters +
           ", int n, int steps) {\n"
           "  for (int t = 0; t < steps; ++t) {\n"
           "#pragma omp target teams loop map(tofrom: u[0:n])\n"
           "    for (int i = 0; i < n; ++i) u[i] += 1;\n" +
           host +
           "  }\n"
           "}\n";
  }
  static Finding kept(const File& file, const std::string& item = "u[0:n]") {
    return around_loop(file.at("(int t"), {file.at("#pragma")}, {{"to", {item}}},
                       {{"from", {item}}});
  }
  static Plan plan(const File& file, const std::string& item = "u[0:n]") {
    return plan_of(file, kept(file, item));
  }
};

TEST_F(Names, OfTwoParametersMayBeOfTheSameData) {
  const File file = source(of("double* u, double* v", "    v[3] = t;\n"));
  expect_refused(plan(file), file.at("v[3] = t"), why::kOtherName);
}

TEST_F(Names, ThatAreRestrictAreOfTheirOwnData) {
  const File file = source(of("double* restrict u, double* v", "    v[3] = t;\n"));
  EXPECT_EQ(plan(file).refused, "");
}

TEST_F(Names, OfUnlikeTypesAreOfTheirOwnData) {
  const File file = source(of("double* u, int* v", "    v[3] = t;\n"));
  EXPECT_EQ(plan(file).refused, "");
}

// char may lead to anything.
TEST_F(Names, OfCharactersMayBeOfAnyData) {
  const File file = source(of("double* u, char* v", "    v[3] = t;\n"));
  expect_refused(plan(file), file.at("v[3] = t"), why::kOtherName);
}

TEST_F(Names, ThatEachCallHandsApartAreOfTheirOwnData) {
  std::string text = of("double* u, double* v", "    v[3] = t;\n");
  text.insert(0, "static ");
  text +=
      "int main(void) {\n"
      "  double a[10];\n"
      "  double b[10];\n"
      "  run(a, b, 10, 5);\n"
      "  return 0;\n"
      "}\n";
  const File apart = write("apart.c", text);
  EXPECT_EQ(plan(apart).refused, "");
  text.replace(text.find("run(a, b"), 8, "run(a, a");
  const File same = write("same.c", text);
  expect_refused(plan(same), same.at("v[3] = t"), why::kOtherName);
}

TEST_F(Names, OfAPartOfTheDataAreItsOwn) {
  const File file = source(of("double* restrict u, double* restrict v",
                              "    double* row = u + 5;\n    v[0] += row[1];\n"));
  const Plan made = plan(file);
  EXPECT_EQ(made.refused, "");
  EXPECT_EQ(made.updates, 1u);
  const Lines all = changes(file, made);
  EXPECT_EQ(std::count(all.begin(), all.end(),
                       file.before("v[0] += row", "#pragma omp target update from(u[0:n])")),
            1);
}

TEST_F(Names, OfExtentsMustNotBeSetInTheLoop) {
  const File file = source(of("double* restrict u", "    n = n / 2;\n"));
  expect_refused(plan(file), file.at("n = n / 2"), why::kExtentIsSet);
}

// What is handed on by reference to const, and a field that is read, are not set.
TEST_F(Names, OfExtentsMayBeReadByReference) {
  const std::string call = "    look(n);\n";
  const std::string look = "int seen;\nstatic void look(const int& m) { seen += m; }\n";
  const File read = write("read.cpp", look + of("double* __restrict u", call));
  EXPECT_EQ(plan(read).refused, "");
  const std::string set = "static void look(int& m) { m = 2; }\n";
  const File handed = write("handed.cpp", set + of("double* __restrict u", call));
  expect_refused(plan(handed), handed.at("look(n)"), why::kExtentMayBeSet);
}

TEST_F(Names, OfExtentsMustNotBeSetByTheirAddress) {
  const File file = source(of("double* restrict u", "    int* p = &n;\n    *p = 3;\n"));
  expect_refused(plan(file), file.at("(int t"), why::kExtentAddress);
}

TEST_F(Names, OfExtentsAreNamesAndNumbers) {
  std::string text = of("double* restrict u, int* restrict m", "");
  text.replace(text.find("u[0:n]"), 6, "u[0:m[0]]");
  const File file = source(text);
  expect_refused(plan(file, "u[0:m[0]]"), file.at("(int t"), why::kExtentIsMore);
}

TEST_F(Names, OfOneValueAreOneExtent) {
  std::string text = of("double* restrict u", "");
  text.replace(text.find("  for (int t"), 0, "  const int m = n;\n");
  const std::string region =
      text.substr(text.find("#pragma"), text.find("  }\n") - text.find("#pragma"));
  std::string other = region;
  other.replace(other.find("u[0:n]"), 6, "u[0:m]");
  text.insert(text.find("  }\n"), other);
  const File same = write("same.c", text);
  const Place first = same.at("u[0:n]");
  const Place second = same.at("u[0:m]");
  const auto both = [&](const File& file) {
    Finding finding =
        around_loop(file.at("(int t"), {{file.path, first.line}, {file.path, second.line}},
                    {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}});
    finding.edits[1].clauses[0].items.push_back({"u[0:m]", {file.path, second.line}});
    return finding;
  };
  const Plan made = plan_of(same, both(same));
  expect_changes(
      same, made,
      {same.before("(int t", "#pragma omp target enter data map(to: u[0:n])"),
       std::to_string(second.line + 3) + "+#pragma omp target exit data map(from: u[0:n])"});
  text.replace(text.find("m = n;"), 6, "m = 5;");
  const File several = write("several.c", text);
  const Plan unlike = plan_of(several, both(several));
  EXPECT_FALSE(unlike.refused.empty() && unlike.left_out.empty());
}

// The compiler tells an item with the values of macros.
TEST_F(Names, OfMacrosAreWrittenAsTheProgramDoes) {
  std::string text = of("double* restrict u", "");
  text.replace(text.find("u[0:n]"), 6, "u[0:SIZE]");
  text.insert(0, "#define SIZE 100\n");
  const File file = source(text);
  const Plan made = plan(file, "u[0:100]");
  EXPECT_EQ(made.refused, "");
  EXPECT_EQ(changes(file, made).at(0),
            file.before("(int t", "#pragma omp target enter data map(to: u[0:SIZE])"));
}

TEST_F(Names, OfMacrosMustNotMeanSeveralThings) {
  std::string text = of("double* restrict u", "");
  text.replace(text.find("u[0:n]"), 6, "u[0:SIZE]");
  text.insert(0, "#define SIZE 100\n#undef SIZE\n#define SIZE 50\n");
  const File file = source(text);
  expect_refused(plan(file, "u[0:SIZE]"), file.at("(int t"), why::kRedefined);
}

TEST_F(Names, OfADirectiveThatAMacroMakesAreFound) {
  std::string text = of("double* restrict u", "");
  const std::string pragma = "#pragma omp target teams loop map(tofrom: u[0:n])";
  text.replace(text.find(pragma), pragma.size(), "ON_DEVICE");
  text.insert(0, "#define ON_DEVICE _Pragma(\"omp target teams loop map(tofrom: u[0:n])\")\n");
  const File file = source(text);
  const Plan made = plan_of(file, around_loop(file.at("(int t"), {file.at("  for (int i")},
                                              {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  EXPECT_FALSE(made.found) << "the line of its use is another one";
  const Plan there =
      plan_of(file, around_loop(file.at("(int t"), {{file.path, file.at("(int t").line + 1}},
                                {{"to", {"u[0:n]"}}}, {{"from", {"u[0:n]"}}}));
  EXPECT_EQ(there.refused, "");
  EXPECT_EQ(changes(file, there).size(), 2u);
}

// What cannot stay goes on moving; the rest stays.
TEST_F(Names, OfWhatCannotStayAreLeftOut) {
  const File file = source(
      "void* malloc(unsigned long);\n"
      "void show(double*);\n"
      "double run(int steps) {\n"
      "  const int n = 100;\n"
      "  double* u = malloc(sizeof(double) * n);\n"
      "  double* v = malloc(sizeof(double) * n);\n"
      "  for (int t = 0; t < steps; ++t) {\n"
      "#pragma omp target teams loop map(tofrom: u[0:n], v[0:n])\n"
      "    for (int i = 0; i < n; ++i) u[i] += v[i] += 1;\n"
      "    show(v);\n"
      "  }\n"
      "  return u[7] + v[7];\n"
      "}\n");
  const Plan made =
      plan_of(file, around_loop(file.at("(int t"), {file.at("#pragma")},
                                {{"to", {"u[0:n]", "v[0:n]"}}}, {{"from", {"u[0:n]", "v[0:n]"}}}));
  expect_left_out(made, "v[0:n]", file.at("show(v)"), why::kUnseen);
  EXPECT_EQ(changes(file, made).at(0),
            file.before("(int t", "#pragma omp target enter data map(to: u[0:n])"));
}

// A parameter stands for other data at each call: what enters by one name of it leaves, too.
TEST_F(Names, WhatAParameterStandsForLeavesAsItEntered) {
  const File file = source(
      "#include <stdlib.h>\n"
      "static double dot(int m, const double* a, const double* b) {\n"
      "  double s = 0;\n"
      "#pragma omp target map(tofrom: s) map(to: a[0:m], b[0:m])\n"
      "  for (int i = 0; i < m; ++i) s += a[i] * b[i];\n"
      "  return s;\n"
      "}\n"
      "int main(void) {\n"
      "  int m = 100;\n"
      "  double *r = malloc(m * sizeof *r), *p = malloc(m * sizeof *p);\n"
      "  for (int i = 0; i < m; ++i) r[i] = p[i] = i;\n"
      "  double s = dot(m, r, r);\n"
      "#pragma omp target enter data map(to: p[0:m], r[0:m])\n"
      "  s += dot(m, p, r);\n"
      "#pragma omp target exit data map(from: p[0:m], r[0:m])\n"
      "  s += r[0];\n"
      "  free(r);\n"
      "  free(p);\n"
      "  return s > 0;\n"
      "}\n");
  const Place region = file.at("#pragma omp target map");
  const Place enter = file.at("#pragma omp target enter");
  Finding finding = around_statements({region, enter, file.at("#pragma omp target exit")},
                                      {{"to", {"a[0:m]"}}}, {{"release", {"r[0:m]"}}});
  finding.edits[2].clauses[0].items[0].named_at = enter;
  const std::string text = applied(file, plan_of(file, finding));
  EXPECT_NE(text.find("#pragma omp target enter data map(to: p[0:m], r[0:m])\n  double s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("#pragma omp target exit data map(release: p[0:m], r[0:m])\n  s += r[0]"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace ompdm::edit::testing::names_test
