// Facts of target regions: what is said of small sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "asked.h"

namespace ompdm::edit::facts_test {
namespace {

using testing::EditTest;
using testing::File;

class FactsTest : public EditTest {
 protected:
  /// Facts of the region whose pragma is in the first line that has "omp target".
  static RegionFacts region_of(const File& file) {
    Request request = testing::asked(file, {});
    request.regions = {file.at("omp target")};
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    return answer.facts.value().regions.at(0);
  }
  /// A kernel over `i` in a function with parameters; `before` stands in front of it.
  [[nodiscard]] File kernel(const std::string& parameters, const std::string& clauses,
                            const std::string& body, const std::string& before = {},
                            const std::string& name = "source.cpp") const {
    return write(name, before + "void k(int n, " + parameters + ") {\n" +
                           "#pragma omp target teams distribute parallel for " + clauses + "\n" +
                           "  for (int i = 0; i < n; ++i) {\n    " + body + "\n  }\n}\n");
  }
  static ItemFacts item(const RegionFacts& region, const std::string& name) {
    const auto found = std::ranges::find(region.items, name, &ItemFacts::name);
    if (found == region.items.end()) throw std::logic_error("no item " + name);
    return *found;
  }
  static ItemFacts item_of(const File& file, const std::string& name) {
    return item(region_of(file), name);
  }
  static std::string use_of(const File& file, const std::string& name) {
    return item_of(file, name).use;
  }
  static std::vector<std::string> names_in(const RegionFacts& region) {
    std::vector<std::string> names;
    for (const ItemFacts& one : region.items) names.push_back(one.name);
    return names;
  }
};

using Names = std::vector<std::string>;

TEST_F(FactsTest, MemoryOfAnotherAllocationIsNotTheData) {
  const File file = source(
      "#include <stdlib.h>\n"
      "int main(void) {\n  int n = 9;\n  double* u = malloc(n * sizeof(double));\n"
      "  double* w = malloc(n * sizeof(double));\n"
      "#pragma omp target enter data map(to: w[0:n])\n"
      "#pragma omp target teams distribute parallel for map(to: u[0:n])  // region\n"
      "  for (int i = 0; i < n; ++i) w[i] = u[i];\n}\n");
  Request request = testing::asked(file, {});
  request.regions = {file.at("// region")};
  const RegionFacts region = answer_to(request).facts.value().regions.at(0);
  EXPECT_EQ(item(region, "u").use, "read");
  EXPECT_EQ(item(region, "w").use, "write");
}

TEST_F(FactsTest, TellHowManyElementsAreOverwrittenBeforeAnyIsRead) {
  const auto of = [&](const std::string& parameters, const std::string& body) {
    return item_of(source("void k(int n, int m, " + parameters +
                          ") {\n#pragma omp target teams distribute parallel for "
                          "map(tofrom: u[0:n])\n" +
                          body + "}\n"),
                   "u")
        .overwritten;
  };
  const std::string pointer = "double* u, double* v";
  EXPECT_EQ(of(pointer, "  for (int i = 0; i < n; ++i) u[i] = v[i];\n"), "n");
  EXPECT_EQ(of(pointer, "  for (int i = 0; i < 100; i++) { u[i] = 0; u[i] += v[i]; }\n"), "100");
  EXPECT_EQ(
      of(pointer,
         "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j) u[i * m + j] = 1;\n"),
      "m*n");
  EXPECT_EQ(
      of(pointer,
         "  for (int j = 0; j < m; ++j)\n    for (int i = 0; i < n; ++i) u[j + i * m] = 1;\n"),
      "m*n");
  EXPECT_EQ(of("double (*u)[10]",
               "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < 10; ++j) u[i][j] = 1;\n"),
            "10*n");
}

TEST_F(FactsTest, LeaveOpenWhatMayNotBeOverwritten) {
  const auto of = [&](const std::string& body) {
    return item_of(source("void k(int n, int m, double* u, double* v) {\n"
                          "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n" +
                          body + "}\n"),
                   "u")
        .overwritten;
  };
  EXPECT_EQ(of("  for (int i = 1; i < n; ++i) u[i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; i += 2) u[i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i <= n; ++i) u[i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) u[i] = u[i] + 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) { v[i] = u[i]; u[i] = 1; }\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) if (i % 2) u[i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) { if (i > m) continue; u[i] = 1; }\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) u[2 * i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) u[m + i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) { u[i] = 1; v[i] = u[n - 1]; }\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) u[i] = 1;\n"), "")
      << "where m is 0 nothing is written";
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) u[i * n + j] = 1;\n"),
            "");
}

TEST_F(FactsTest, LeaveOpenWhatIsCountedOtherwiseThanTheClauseSays) {
  const auto of = [&](const std::string& body, const std::string& before = {}) {
    return item_of(source(before +
                          "void k(int n, double* u, double (*w)[10]) {\n"
                          "#pragma omp target map(tofrom: u[0:n], w[0:10])\n  {\n" +
                          body + "  }\n}\n"),
                   "u")
        .overwritten;
  };
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) u[i] = 1;\n"), "n");
  EXPECT_EQ(of("  int n = 5;\n  for (int i = 0; i < n; ++i) u[i] = 1;\n"), "") << "another n";
  EXPECT_EQ(of("  for (int i = 0; i < (unsigned char)n; ++i) u[i] = 1;\n"), "");
  EXPECT_EQ(of("  for (int i = 0; i < n; ++i) u[(unsigned char)i] = 1;\n"), "");
  EXPECT_EQ(of("  for (long i = 0; i < n; ++i) u[i] = 1;\n"), "n") << "it is as wide";
  EXPECT_EQ(of("  for (int i = 0; i < m; ++i) u[i] = 1;\n",
               "int m = 9;\n#pragma omp declare target to(m)\n"),
            "")
      << "the device has its own";
  EXPECT_EQ(item_of(source("double w[10][10];\nvoid k(void) {\n#pragma omp target map(tofrom: w)\n"
                           "  for (int i = 0; i < 10; ++i)\n"
                           "    for (int j = 0; j < 10; ++j) w[i][i] = 2;\n}\n"),
                    "w")
                .overwritten,
            "")
      << "a diagonal";
}

TEST_F(FactsTest, LeaveOpenWhatSeveralThreadsCountWithOneVariable) {
  const auto of = [&](const std::string& clauses, const std::string& declared) {
    return item_of(source("void k(int n, int m, double* u) {\n  int i, j;\n"
                          "#pragma omp target teams map(tofrom: u[0:n * m])\n  {\n" +
                          declared + "#pragma omp distribute parallel for " + clauses +
                          "\n    for (i = 0; i < n; ++i)\n"
                          "      for (j = 0; j < m; ++j) u[i * m + j] = 1;\n  }\n}\n"),
                   "u")
        .overwritten;
  };
  EXPECT_EQ(of("", ""), "") << "j is shared";
  EXPECT_EQ(of("", "    int j;\n"), "") << "by the threads of a team, too";
  EXPECT_EQ(of("private(j)", ""), "m*n");
  EXPECT_EQ(of("collapse(2)", ""), "m*n") << "both loops are the directive's";
  EXPECT_EQ(item_of(source("void k(int n, double* u) {\n  int i;\n"
                           "#pragma omp target map(tofrom: u[0:n])\n"
                           "  for (i = 0; i < n; ++i) u[i] = 1;\n}\n"),
                    "u")
                .overwritten,
            "n")
      << "one thread alone counts";
}

TEST_F(FactsTest, AreNotThereWhereNoRegionIsAsked) {
  const File file = kernel("double* u", "map(tofrom: u[0:n])", "u[i] = 1;");
  EXPECT_FALSE(answer_to(testing::asked(file, {})).facts.has_value());
}

TEST_F(FactsTest, SayThatNoRegionBeginsThere) {
  const File file = source("void k(void) {\n}\n");
  Request request = testing::asked(file, {});
  request.regions = {{file.path, 1}};
  const Answer answer = answer_to(request);
  EXPECT_FALSE(answer.facts.value().regions.at(0).found);
}

TEST_F(FactsTest, TellReadsWritesAndBoth) {
  const File file = kernel("double* u, const double* v, double* w, double* z, double* not_used",
                           "map(tofrom: u[0:n], v[0:n], w[0:n], z[0:n], not_used[0:n])",
                           "u[i] = v[i];\n    w[i] += 1;\n    z[i] = z[i] * 2;");
  const RegionFacts region = region_of(file);
  EXPECT_TRUE(region.found);
  EXPECT_EQ(names_in(region), (Names{"u", "v", "w", "z", "not_used"}));
  const ItemFacts u = item(region, "u");
  EXPECT_EQ(u.use, "write");
  EXPECT_TRUE(u.overwritten_first);
  EXPECT_FALSE(u.updates);
  EXPECT_FALSE(u.read_at.has_value());
  EXPECT_EQ(u.written_at.value().line, file.at("u[i] = v").line);
  const ItemFacts v = item(region, "v");
  EXPECT_EQ(v.use, "read");
  EXPECT_FALSE(v.overwritten_first);
  EXPECT_FALSE(v.written_at.has_value());
  EXPECT_EQ(v.read_at.value().line, file.at("u[i] = v").line);
  const ItemFacts w = item(region, "w");
  EXPECT_EQ(w.use, "read_write");
  EXPECT_TRUE(w.updates);
  EXPECT_FALSE(w.overwritten_first);
  const ItemFacts z = item(region, "z");
  EXPECT_EQ(z.use, "read_write");
  EXPECT_TRUE(z.updates);
  EXPECT_EQ(item(region, "not_used").use, "none");
}

TEST_F(FactsTest, NeedAnElementsValueWhereEachWriteReadsIt) {
  const File file =
      kernel("double* u, double* v, double* w, int m", "map(tofrom: u[0:n], v[0:n], w[0:n])",
             "u[i] = 2 * (u[i]) + 1;\n    v[i] = v[i + 1];\n"
             "    w[i] = m > 0 && w[i] > 0 ? w[i] : 1;");
  const RegionFacts region = region_of(file);
  EXPECT_TRUE(item(region, "u").updates);
  EXPECT_FALSE(item(region, "v").updates) << "another element";
  EXPECT_FALSE(item(region, "w").updates) << "in one branch alone";
}

TEST_F(FactsTest, GoByIndexArithmeticAndCasts) {
  const File file = kernel(
      "double* a, double* b, double* c, char* d, double (*e)[8]", "",
      "*(a + i) = 1; (&b[i])[2] = 1; 1[c] = 2; ((float*)d)[i] = *(i + (float*)d); e[i][3] = 1;");
  const RegionFacts region = region_of(file);
  for (const char* name : {"a", "b", "c", "e"}) EXPECT_EQ(item(region, name).use, "write") << name;
  EXPECT_EQ(item(region, "d").use, "read_write");
}

TEST_F(FactsTest, KnowArraysByTheirNames) {
  const File file = source(
      "double a[8][8], b[8];\nvoid k(void) {\n  double c[8];\n#pragma omp target map(to: a) "
      "map(from: b, c)\n  for (int i = 0; i < 8; ++i) {\n    b[i] = a[i][i]; c[i] = 0;\n  }\n}\n");
  const RegionFacts region = region_of(file);
  EXPECT_EQ(item(region, "a").use, "read");
  EXPECT_EQ(item(region, "b").use, "write");
  EXPECT_EQ(item(region, "c").use, "write");
}

TEST_F(FactsTest, LeaveValuesOutThatEachRegionIsGiven) {
  const File file = kernel("double s, double t, double* u", "map(to: t)", "u[i] = s + t;");
  EXPECT_EQ(names_in(region_of(file)), (Names{"t", "u"}));
}

TEST_F(FactsTest, LeaveCopiesOut) {
  const File file = source(
      "void k(double* u) {\n  double a[4], b[4];\n#pragma omp target firstprivate(a) private(b)\n"
      "  { b[0] = a[0]; u[0] = b[0]; }\n}\n");
  EXPECT_EQ(names_in(region_of(file)), (Names{"u"}));
}

TEST_F(FactsTest, TellReductions) {
  const File file =
      kernel("double* u", "map(tofrom: s) reduction(+: s)", "s += u[i];", "static double s;\n");
  const RegionFacts region = region_of(file);
  EXPECT_TRUE(item(region, "s").reduction);
  EXPECT_EQ(item(region, "s").use, "read_write");
  EXPECT_FALSE(item(region, "u").reduction);
}

TEST_F(FactsTest, TellReductionsOfInnerDirectives) {
  const File file = source(
      "void k(double* u, int n) {\n  double s = 0;\n#pragma omp target map(from: s)\n  {\n"
      "    s = 0;\n#pragma omp parallel for reduction(+: s)\n"
      "    for (int i = 0; i < n; ++i) s += u[i];\n  }\n}\n");
  const ItemFacts s = item_of(file, "s");
  EXPECT_TRUE(s.reduction);
  EXPECT_EQ(s.use, "read_write");
  EXPECT_FALSE(s.updates);
}

TEST_F(FactsTest, TakeConditionalCodeForRun) {
  const File file = kernel("double* u, double* v", "", "if (v[i] > 0) u[i] = 1;");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
}

// --- Other names ---

TEST_F(FactsTest, FollowLocalPointers) {
  const File file = kernel("double* a, double* b", "",
                           "double* row = a + i * n; const double* q = &b[i]; row[0] = *q; row++;");
  EXPECT_EQ(use_of(file, "a"), "write");
  EXPECT_EQ(use_of(file, "b"), "read");
}

TEST_F(FactsTest, FollowPointersThatAreSetAnewInALoop) {
  const File file = kernel("double* a, double* b", "",
                           "double* p = a; for (int j = 0; j < 2; ++j) { p[i] = 1; p = b; }");
  EXPECT_EQ(use_of(file, "a"), "write");
  EXPECT_EQ(use_of(file, "b"), "write");
}

TEST_F(FactsTest, TakeEitherOfTwo) {
  const File file =
      kernel("double* a, double* b, bool c", "", "double* p = c ? a : b; p[i] += p[i + 1];");
  EXPECT_EQ(use_of(file, "a"), "read_write");
  EXPECT_EQ(use_of(file, "b"), "read_write");
}

TEST_F(FactsTest, FollowReferences) {
  const File file = kernel("double* u, double* v", "",
                           "double& x = u[i]; const double& y = v[i]; x = y; auto& z = x; z = 2;");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
}

TEST_F(FactsTest, FollowObjectsThatHoldPointers) {
  const File file =
      kernel("double* u, double* v", "", "View w{u, n}; View x = w; x.at(i) = 1; Sum(v).add(2);",
             "struct View { double* p; int n; double& at(int i) const { return p[i]; } };\n"
             "struct Sum { double* p; explicit Sum(double* q) : p(q) {} void add(int i) { p[i] += "
             "1; } };\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read_write");
  EXPECT_TRUE(item_of(file, "v").updates);
}

TEST_F(FactsTest, KnowDataByAPointerThatTheRegionIsGiven) {
  const File file = source(
      "struct S { double* u; double* v; };\nvoid k(struct S* s, int n) {\n"
      "  double* q = s->u; double* p = q + 1;\n"
      "#pragma omp target map(tofrom: s->u[0:n], s->v[0:n])\n  p[0] = 1;\n}\n");
  EXPECT_EQ(use_of(file, "s->u"), "write");
  EXPECT_EQ(use_of(file, "s->v"), "none");
}

TEST_F(FactsTest, KeepItemsOfClausesApart) {
  const File file = source(
      "void k(double* u, int n) {\n  double* v = u + n;\n"
      "#pragma omp target map(to: u[0:n]) map(from: v[0:n])\n  v[0] = u[0];\n}\n");
  EXPECT_EQ(use_of(file, "u"), "read");
  EXPECT_EQ(use_of(file, "v"), "write");
}

TEST_F(FactsTest, FollowMemoryOfTheRegion) {
  const File file =
      kernel("double* u, double* v", "",
             "S* s = new S{u}; s->p[i] = 1; S* t = (S*)malloc(8); t->p = v; t->p[i] = 1;",
             "#include <stdlib.h>\nstruct S { double* p; };\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_NE(use_of(file, "v"), "none");
  EXPECT_NE(use_of(file, "v"), "read");
}

TEST_F(FactsTest, SeeWhatObjectsDoWhenTheyEnd) {
  const File file = kernel("double* u", "map(to: u[0:n])", "G g{u};",
                           "struct G { double* p; ~G() { p[0] = 1; } };\n");
  EXPECT_EQ(use_of(file, "u"), "write");
}

TEST_F(FactsTest, SeeWhatIsReadForExtentsAndClauses) {
  const File file = source(
      "void k(int* m, int* t, double* u) {\n#pragma omp target map(to: m[0:1], t[0:1])\n  {\n"
      "    double a[m[0]]; a[0] = 1; u[0] = a[0];\n"
      "#pragma omp parallel for num_threads(t[0])\n    for (int i = 0; i < 4; ++i) u[i] = 1;\n"
      "  }\n}\n");
  EXPECT_EQ(use_of(file, "m"), "read");
  EXPECT_EQ(use_of(file, "t"), "read");
  EXPECT_EQ(use_of(file, "u"), "write");
}

TEST_F(FactsTest, FollowLists) {
  const File file = kernel("N* head, double* out", "map(from: out[0:1])",
                           "for (N* at = head; at; at = at->next) out[0] = at->value;",
                           "struct N { double value; N* next; };\n");
  EXPECT_EQ(names_in(region_of(file)), (Names{"out", "head", "head->next"}));
  EXPECT_EQ(use_of(file, "out"), "write");
  EXPECT_EQ(use_of(file, "head->next"), "read");
}

TEST_F(FactsTest, FollowRangesAndBindings) {
  const File file =
      write("source.cpp",
            "struct P { double x, y; };\ndouble a[8]; P b[8]; double c[8];\n"
            "void k() {\n#pragma omp target map(a, b, c)\n  {\n"
            "    for (double& x : a) x = 1;\n"
            "    for (auto& [x, y] : b) x = y;\n    auto [p, q] = b[0]; c[0] = p + q;\n"
            "  }\n}\n");
  EXPECT_EQ(use_of(file, "a"), "write");
  EXPECT_EQ(use_of(file, "b"), "read_write");
  EXPECT_EQ(use_of(file, "c"), "write");
}

TEST_F(FactsTest, SeeWhatIsReachedThroughAVector) {
  const File file = write("source.cpp",
                          "#include <vector>\nvoid k(std::vector<double>& v, double* u) {\n"
                          "#pragma omp target map(tofrom: u[0:9])\n  u[0] = v[1];\n}\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
}

TEST_F(FactsTest, DoNotTakeAnAddressForAnAccess) {
  const File file = kernel("double* u, double* v", "map(to: u[0:n])",
                           "double* p = &u[i]; if (p != nullptr && sizeof(u[0]) == 8) v[i] = 1;");
  EXPECT_EQ(use_of(file, "u"), "none");
}

TEST_F(FactsTest, SeeThatConstIsCastAway) {
  const File file = kernel("const double* u", "map(to: u[0:n])", "((double*)u)[i] = 1;");
  EXPECT_EQ(use_of(file, "u"), "write");
}

TEST_F(FactsTest, DoNotKnowWhereANumberPointsTo) {
  const File file = kernel("double* u, unsigned long at", "", "u[i] = *(double*)at;");
  EXPECT_EQ(use_of(file, "u"), "unknown");
  EXPECT_NE(item_of(file, "u").why.find("unknown origin"), std::string::npos);
}

TEST_F(FactsTest, DoNotKnowDataThatHoldsPointers) {
  const File file = kernel("double** a", "map(to: a[0:n])", "a[i][0] = 1;");
  EXPECT_EQ(use_of(file, "a"), "unknown");
  EXPECT_EQ(item_of(file, "a").why, "holds pointers");
}

// --- Members ---

TEST_F(FactsTest, NameMembersByTheirPath) {
  const std::string type = "struct S { double* u; double* v; double w[4]; int n; };\n";
  const File by_pointer = kernel("S* s", "map(tofrom: s->u[0:n]) map(to: s->v[0:n])",
                                 "s->u[i] = s->v[i];", type, "pointer.cpp");
  EXPECT_EQ(names_in(region_of(by_pointer)), (Names{"s->u", "s->v", "s"}));
  EXPECT_EQ(use_of(by_pointer, "s->u"), "write");
  EXPECT_EQ(use_of(by_pointer, "s->v"), "read");
  const File by_value = kernel("S s", "map(tofrom: s.u[0:n])", "s.u[i] = s.v[i] + s.n;", type);
  EXPECT_EQ(names_in(region_of(by_value)), (Names{"s.u", "s", "s.v", "s.n"}));
  EXPECT_EQ(use_of(by_value, "s.u"), "write");
  EXPECT_EQ(use_of(by_value, "s.v"), "read");
  EXPECT_EQ(use_of(by_value, "s.n"), "read");
}

/// Where loops count from a number to a number, and the code is run in any case.
TEST_F(FactsTest, KnowTheLargestIndex) {
  const auto last = [&](const std::string& body,
                        const std::string& loops = "for (int i = 1; i < N; ++i) {") {
    const File file =
        write("source.cpp",
              "enum { N = 100 };\nvoid k(int n, double* u, int* v, const bool c) {\n"
              "#pragma omp target teams distribute parallel for map(tofrom: u[0:N])\n" +
                  loops + "\n    " + body + "\n  }\n}\n");
    return item_of(file, "u");
  };
  EXPECT_EQ(last("u[i] = 1;").last_index, 99);
  EXPECT_TRUE(last("u[i] = 1;").last_is_written);
  const ItemFacts read = last("v[0] += u[i + 8] + u[i];");
  EXPECT_EQ(read.last_index, 107);
  EXPECT_FALSE(read.last_is_written);
  EXPECT_EQ(read.last_line, 5);
  EXPECT_EQ(last("u[2 * (N - i) + 3] = 1;").last_index, 201);
  EXPECT_EQ(last("for (int j = 0; j <= 3; ++j) u[4 * i + j] = 1;").last_index, 399);
  EXPECT_EQ(last("u[i] = 1;", "for (int i = 0; i < n; ++i) {").last_index, std::nullopt);
  EXPECT_EQ(last("if (c) u[i + 8] = 1; u[i - 1] = c ? u[i + 9] : 0;").last_index, 98);
  EXPECT_EQ(last("u[i - 1] = c && u[i + 9] > 0;").last_index, 98);
  EXPECT_EQ(last("if (c) continue; u[i + 8] = 1;").last_index, std::nullopt);
  EXPECT_EQ(last("u[v[i]] = 1;").last_index, std::nullopt);
  EXPECT_EQ(last("for (int j = 0; j < 9; ++j) { u[j] = 1; j += 1; }").last_index, std::nullopt);
  EXPECT_EQ(last("for (int j = 5; j < 5; ++j) u[j] = 1;").last_index, std::nullopt);
}

TEST_F(FactsTest, KnowThatALoopSetsItsCounter) {
  const File file = write("source.cpp",
                          "void k(int n, double* u) {\n  int d;\n#pragma omp target map(from: d)\n"
                          "#pragma omp teams distribute parallel for simd linear(d)\n"
                          "  for (d = 0; d < n; d++) u[d] = 1;\n}\n");
  EXPECT_EQ(use_of(file, "d"), "write");
  EXPECT_FALSE(item_of(file, "d").updates);
}

TEST_F(FactsTest, KnowNoIndexOfElementsOfSeveralSizes) {
  const File file = write("source.cpp",
                          "template <class T> void k(T* u) {\n"
                          "#pragma omp target map(tofrom: u[0:9])\n"
                          "  for (int i = 0; i < 9; ++i) u[i] = 1;\n}\n"
                          "template void k<float>(float*);\ntemplate void k<double>(double*);\n");
  EXPECT_EQ(item_of(file, "u").last_index, std::nullopt);
  EXPECT_EQ(item_of(file, "u").element_bytes, 0U);
}

TEST_F(FactsTest, KnowWhereMembersLie) {
  const std::string type = "struct B { int n; };\nstruct S : B { double x; double* u; };\n";
  const File file = kernel("S s", "", "s.u[i] = s.x + s.n;", type);
  EXPECT_EQ(item_of(file, "s.n").offset, 0U);
  EXPECT_EQ(item_of(file, "s.x").offset, 8U);
  EXPECT_EQ(item_of(file, "s.u").offset, 16U);
  EXPECT_EQ(item_of(file, "s").offset, std::nullopt);
}

/// A pointer that is a member is read on the way to its data.
TEST_F(FactsTest, KnowObjectsThatHoldPointers) {
  const File file = kernel("S* s", "", "s->u[i] = 1;", "struct S { double* u; };\n");
  EXPECT_EQ(use_of(file, "s"), "read");
  EXPECT_EQ(use_of(file, "s->u"), "write");
}

TEST_F(FactsTest, KnowFieldsOfElements) {
  const File file = kernel("P* p, Q* q", "map(tofrom: p[0:n])", "p[i].x[1] += p[i].v; q[i].y = 0;",
                           "struct P { double x[3], v; };\nstruct Q { double y; };\n");
  EXPECT_EQ(use_of(file, "p"), "read_write");
  EXPECT_EQ(use_of(file, "q"), "write");
}

TEST_F(FactsTest, CountPointersOfAMappedObjectAsRead) {
  const File file = kernel("S* s", "map(tofrom: s[0:1]) map(tofrom: s->u[0:n])", "s->u[i] = 1;",
                           "struct S { double* u; };\n");
  EXPECT_EQ(use_of(file, "s"), "read");
  EXPECT_EQ(use_of(file, "s->u"), "write");
}

TEST_F(FactsTest, NameMembersOfThisAsTheyAreWritten) {
  const File file = write("source.cpp",
                          "struct F {\n  double* u; double* v; int n; double f;\n  void k() {\n"
                          "#pragma omp target teams distribute parallel for map(this->u[0:n])\n"
                          "    for (int i = 0; i < 9; ++i) this->u[i] = v[i] * f;\n  }\n};\n");
  EXPECT_EQ(names_in(region_of(file)), (Names{"this->u", "v", "f"}));
  EXPECT_EQ(use_of(file, "this->u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
  EXPECT_EQ(use_of(file, "f"), "read");
}

// --- Functions ---

TEST_F(FactsTest, FollowFunctionsThatAreSeen) {
  const std::string before =
      "static double get(const double* p, int i) { return p[i]; }\n"
      "static void set(double& x, double value) { x = value; }\n"
      "static double* at(double* p, int i) { return p + i; }\n";
  const File file = kernel("double* u, double* v, double* w", "",
                           "set(u[i], get(v, i)); *at(w, i) += 1;", before);
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
  EXPECT_EQ(use_of(file, "w"), "read_write");
  EXPECT_EQ(item_of(file, "u").written_at.value().line, file.at("void set").line);
}

TEST_F(FactsTest, KeepCallsOfOneFunctionApart) {
  const File file = kernel("double* u, double* v", "", "f(u, 1, 0); f(v, 0, 1);",
                           "static void f(double* p, int i, int j) { double* q = p; q[i] = j; }\n"
                           "static void g(double* p) { p[0] = 1; }\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "write");
}

TEST_F(FactsTest, DoNotBelieveConstOfFunctionsOfOtherSources) {
  const File file = kernel("double* u, double* v, double* w", "", "w[i] = f(u, v[i]);",
                           "double f(const double* p, const double& x);\n");
  EXPECT_EQ(use_of(file, "u"), "unknown") << "it may cast that away";
  EXPECT_EQ(use_of(file, "v"), "unknown");
  EXPECT_EQ(use_of(file, "w"), "write");
}

TEST_F(FactsTest, DoNotKnowWhatFunctionsDoThatAreNotSeen) {
  const File file =
      kernel("double* u, double* v", "", "f(u);\n    v[i] = 1;", "void f(double* p);\n");
  const ItemFacts u = item_of(file, "u");
  EXPECT_EQ(u.use, "unknown");
  EXPECT_EQ(u.why, "is handed to f(), whose body is not seen");
  EXPECT_EQ(u.at.line, file.at("f(u);").line);
  EXPECT_EQ(use_of(file, "v"), "write");
}

TEST_F(FactsTest, DoNotKnowWhatIsReachedFromWhatIsHandedOver) {
  const std::string before =
      "struct S { double* u; };\nvoid change(S* s);\nvoid look(const S* s);\n";
  const File changed = kernel("S* s", "map(s->u[0:n])", "change(s); s->u[i] = 1;", before, "a.cpp");
  EXPECT_EQ(use_of(changed, "s->u"), "unknown");
  const File looked = kernel("S* s", "map(s[0:1], s->u[0:n])", "look(s);", before);
  EXPECT_EQ(use_of(looked, "s"), "unknown");
  EXPECT_EQ(use_of(looked, "s->u"), "unknown");
  const File local = kernel("double* u", "map(u[0:n])", "S s{u}; look(&s);", before, "b.cpp");
  EXPECT_EQ(use_of(local, "u"), "unknown");
}

TEST_F(FactsTest, DoNotKnowGlobalDataOfFunctionsThatAreNotSeen) {
  const File file = kernel("double* u", "", "u[i] = f(i) + table[i];",
                           "#pragma omp declare target\nstatic double table[9];\ndouble f(int);\n"
                           "#pragma omp end declare target\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "table"), "unknown");
}

TEST_F(FactsTest, DoNotFollowFunctionsThatCallThemselves) {
  const File file = kernel("double* u", "", "f(u, i);",
                           "static void f(double* p, int i) { if (i > 0) f(p, i - 1); }\n");
  EXPECT_EQ(use_of(file, "u"), "unknown");
  EXPECT_NE(item_of(file, "u").why.find("calls itself"), std::string::npos);
}

TEST_F(FactsTest, DoNotBelieveABodyThatMayBeReplaced) {
  const File weak = kernel("double* u", "", "f(u);",
                           "__attribute__((weak)) void f(double* p) { (void)(*p > 0); }\n");
  EXPECT_EQ(use_of(weak, "u"), "unknown");
  const File variant = kernel("double* u", "", "f(u);",
                              "void g(double* p);\n"
                              "#pragma omp declare variant(g) match(device = {kind(nohost)})\n"
                              "void f(double* p) { (void)(*p > 0); }\n");
  EXPECT_EQ(use_of(variant, "u"), "unknown");
}

TEST_F(FactsTest, DoNotKnowAnIntegerThatIsMadeOfAPointer) {
  const File file = kernel("double* u", "",
                           "unsigned long at[1] = {(unsigned long)(u + i)};\n"
                           "    double* p = *(double**)at;\n"
                           "    *p = 1;");
  EXPECT_EQ(use_of(file, "u"), "unknown");
}

TEST_F(FactsTest, DoNotFollowPointersToFunctions) {
  const File file = kernel("double* u, void (*f)(double*)", "", "f(u);");
  EXPECT_EQ(item_of(file, "u").why, "is handed to a function by pointer");
}

TEST_F(FactsTest, DoNotKnowWhatOverridesAMember) {
  const File file = kernel("double* u, B* b", "", "b->f(u);",
                           "struct B { virtual void f(double* p) { p[0] = 1; } };\n");
  EXPECT_EQ(use_of(file, "u"), "unknown");
}

TEST_F(FactsTest, KnowFunctionsOfTheLibrary) {
  const File file = kernel("double* u, double* v, double* w, double* x", "",
                           "memcpy(u, v, 8); memset(w, 0, 8); x[i] = sqrt(fabs(x[i + 1]));",
                           "#include <math.h>\n#include <string.h>\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
  EXPECT_EQ(use_of(file, "w"), "write");
  EXPECT_EQ(use_of(file, "x"), "read_write");
}

TEST_F(FactsTest, KnowThatElementsAreSwapped) {
  const File file = kernel("double* u, double* v, double* w", "",
                           "std::swap(u[i], v[i]); w[i] = std::max(w[i], 0.0);",
                           "#include <algorithm>\n#include <utility>\n");
  EXPECT_EQ(use_of(file, "u"), "read_write");
  EXPECT_EQ(use_of(file, "v"), "read_write");
  EXPECT_EQ(item_of(file, "u").written_at.value().line, file.at("std::swap").line);
  EXPECT_EQ(use_of(file, "w"), "read_write");
}

TEST_F(FactsTest, FollowPointersThatAreSwapped) {
  const File file =
      kernel("double* u, double* v", "", "double *p = u, *q = v; std::swap(p, q); p[i] = q[i];",
             "#include <utility>\n");
  EXPECT_EQ(use_of(file, "u"), "read_write");
  EXPECT_EQ(use_of(file, "v"), "read_write");
}

TEST_F(FactsTest, FollowLambdas) {
  const File file =
      kernel("double* u, double* v, double* w", "",
             "auto f = [=](int j) { u[j] = v[j]; }; f(i); [p = w](int j) { p[j] = 1; }(i);");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "v"), "read");
  EXPECT_EQ(use_of(file, "w"), "write");
}

TEST_F(FactsTest, FollowLambdasThatAreHandedToTheRegion) {
  const File file =
      write("source.cpp",
            "template <class F> void each(int n, F f) {\n"
            "#pragma omp target teams distribute parallel for\n"
            "  for (int i = 0; i < n; ++i) f(i);\n}\n"
            "void k(double* u, double* v, int n) {\n  each(n, [=](int i) { u[i] += v[i]; });\n}\n");
  EXPECT_EQ(use_of(file, "u"), "read_write");
  EXPECT_EQ(use_of(file, "v"), "read");
}

TEST_F(FactsTest, TakeAllThatATemplateIsMadeInto) {
  const File file =
      write("source.cpp",
            "template <bool kAdd> void f(double* u, const double* v, int n) {\n"
            "#pragma omp target teams distribute parallel for\n  for (int i = 0; i < n; ++i) {\n"
            "    if constexpr (kAdd) u[i] += v[i]; else u[i] = 1;\n  }\n}\n"
            "template void f<true>(double*, const double*, int);\n"
            "template void f<false>(double*, const double*, int);\n");
  EXPECT_EQ(use_of(file, "u"), "read_write");
  EXPECT_FALSE(item_of(file, "u").updates);
  EXPECT_EQ(use_of(file, "v"), "read");
}

TEST_F(FactsTest, FollowOperatorsOfClasses) {
  const File file = kernel("double* u, Z* z", "", "A a{u}; a[i] = 1; z[i] += Z{1, 2};",
                           "struct A { double* p; double& operator[](int i) { return p[i]; } };\n"
                           "struct Z { double x, y; Z& operator+=(const Z& o) { x += o.x; y += "
                           "o.y; return *this; } };\n");
  EXPECT_EQ(use_of(file, "u"), "write");
  EXPECT_EQ(use_of(file, "z"), "read_write");
  EXPECT_TRUE(item_of(file, "z").updates);
}

TEST_F(FactsTest, KnowWhatIsUpdatedByAtomics) {
  const File file = kernel("double* u, int* at", "", "\n#pragma omp atomic\n    u[at[i]] += 1;");
  EXPECT_TRUE(item_of(file, "u").updates);
  EXPECT_EQ(use_of(file, "at"), "read");
}

TEST_F(FactsTest, DoNotKnowWhatAssemblerDoes) {
  const File file =
      kernel("double* u", "", "u[i] = 1; asm volatile(\"\" : : \"r\"(u) : \"memory\");");
  EXPECT_EQ(use_of(file, "u"), "unknown");
}

TEST_F(FactsTest, AreWrittenInJson) {
  Request request = testing::asked(source("void f(double*);\nvoid k(double* u, double* v) {\n"
                                          "#pragma omp target map(u[0:1], v[0:1])\n"
                                          "  { v[0] = 1; f(u); }\n}\n"),
                                   {});
  request.regions = {{request.file, 3}};
  std::ostringstream out;
  write_answer(answer_to(request), out);
  const auto region = nlohmann::json::parse(out.str()).at("facts").at("regions").at(0);
  EXPECT_EQ(region.at("line"), 3);
  EXPECT_EQ(region.at("found"), true);
  EXPECT_EQ(region.at("items").at(0).at("use"), "unknown");
  EXPECT_EQ(region.at("items").at(0).at("line"), 4);
  EXPECT_EQ(region.at("items").at(1).at("written_at").at("line"), 4);
  EXPECT_EQ(region.at("items").at(1).at("overwritten_first"), true);
  EXPECT_FALSE(region.at("items").at(1).contains("read_at"));
}

}  // namespace
}  // namespace ompdm::edit::facts_test
