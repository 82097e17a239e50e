// Facts about the host's code: what it does with data in a loop, or from one directive to another.
#include <gtest/gtest.h>

#include <stdexcept>

#include "asked.h"

namespace ompdm::edit::host_code_test {
namespace {

using testing::EditTest;
using testing::File;

class HostCodeTest : public EditTest {
 protected:
  static StretchItemFacts ask(const File& file, Stretch stretch, std::vector<Unit> units = {},
                              bool is_whole = true) {
    Request request = testing::asked(file, {});
    for (Unit& unit : units) {
      unit.directory = request.directory;
      unit.arguments = request.arguments;
    }
    request.units = std::move(units);
    request.is_whole = is_whole;
    request.stretches = {std::move(stretch)};
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    return answer.facts.value().stretches.at(0).items.at(0);
  }
  /// Of the loop in the line that has "// loop", and of an item that the first region names.
  static StretchItemFacts in_loop(const File& file, const std::string& item = "u[0:n]",
                                  const std::vector<Unit>& units = {}, bool is_whole = true) {
    const Place region = file.at("omp target teams");
    return ask(file, {0, "loop", {file.at("// loop")}, {}, false, {{item, region}}}, units,
               is_whole);
  }
  /// From the directive in the line with "omp target update" or "// from" to that with "// to".
  static StretchItemFacts on_way(const File& file, const std::string& from, const std::string& to,
                                 const std::string& item = "u[0:n]") {
    return ask(file, {0, "way", {file.at(to)}, {file.at(from)}, false, {{item, file.at(from)}}});
  }
  /// A program with a region in `step` that `main` calls in a loop; `in_loop` stands beside it.
  [[nodiscard]] File stepping(const std::string& in_loop, const std::string& before_main = {},
                              const std::string& in_main = {}) const {
    return write("source.cpp",
                 "#include <cstdio>\n#include <cstdlib>\n#include <utility>\n#include <vector>\n"
                 "void step(double* u, int n) {\n"
                 "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
                 "  for (int i = 0; i < n; ++i) u[i] += 1;\n"
                 "}\n" +
                     before_main +
                     "int main() {\n"
                     "  int n = 100;\n"
                     "  std::vector<double> a(n), b(n);\n"
                     "  double* c = static_cast<double*>(std::malloc(n * sizeof(double)));\n" +
                     in_main +
                     "  for (int k = 0; k < 10; ++k) {  // loop\n"
                     "    step(a.data(), n);\n" +
                     in_loop +
                     "  }\n"
                     "  std::printf(\"%g %g\\n\", a[0], c[0]);\n"
                     "}\n");
  }
  /// A loop that maps u[0:n], with code before it and in it.
  [[nodiscard]] StretchItemFacts in_loop_of(const std::string& before,
                                            const std::string& in_loop) const {
    return HostCodeTest::in_loop(
        write("section.cpp",
              "static void shrink(int& n) { n -= 1; }\n"
              "int main() {\n  int n = 100;\n  static double all[200];\n"
              "  double* u = all;\n" +
                  before +
                  "  for (int k = 0; k < 10; ++k) {  // loop\n"
                  "#pragma omp target teams distribute parallel for map(tofrom: "
                  "u[0:n])\n"
                  "    for (int i = 0; i < n; ++i) u[i] += 1;\n" +
                  in_loop + "  }\n  shrink(n);\n}\n"));
  }
  /// "-", "r", "w", "rw" and so on, with "m" for storage that is made again, and "?" for unknown.
  static std::string does(const StretchItemFacts& facts) {
    if (!facts.found) return "? " + facts.why;
    std::string text;
    const auto add = [&](const HostUse& use, const char* letter) {
      if (use.use == "unknown") text += "?";
      if (use.use != "no") text += letter;
    };
    add(facts.read, "r");
    add(facts.written, "w");
    add(facts.renewed, "m");
    return text.empty() ? "-" : text;
  }
  [[nodiscard]] std::string beside(const std::string& in_loop, const std::string& before_main = {},
                                   const std::string& in_main = {}) const {
    return does(HostCodeTest::in_loop(stepping(in_loop, before_main, in_main)));
  }
};

TEST_F(HostCodeTest, TellWhatIsDoneAsOftenAsTheDataIsMapped) {
  const auto always = [&](const std::string& in_loop) {
    const StretchItemFacts facts = HostCodeTest::in_loop(stepping(in_loop));
    return std::string(facts.read.always ? "r" : "") + (facts.written.always ? "w" : "");
  };
  EXPECT_EQ(always("    a[0] += 1;\n"), "rw");
  EXPECT_EQ(always("    for (double x : a) b[0] += x;\n"), "r");
  EXPECT_EQ(always("    if (k == 5) a[0] += 1;\n"), "");
  EXPECT_EQ(always("    if (k == 5) { a[0] = 1; } std::printf(\"%g\\n\", a[1]);\n"), "r");
  EXPECT_EQ(always("    for (int j = 0; j < 9; ++j) step(a.data(), n);\n    a[0] = 1;\n"), "w");
}

TEST_F(HostCodeTest, ARegionThatAnIfClauseLeavesToTheHostMayBeRunAsOftenByIt) {
  const auto always = [&](const std::string& code, const std::string& in_loop = {}) {
    const StretchItemFacts facts = HostCodeTest::in_loop(
        source("int main(void) {\n  int n = 9, m = 0; static double u[9], w[9];\n"
               "  for (int k = 0; k < 3; ++k) {  // loop\n" +
               in_loop +
               "#pragma omp target teams distribute parallel for if(k > m) map(tofrom: u[0:n])\n"
               "    for (int i = 0; i < n; ++i) {\n      " +
               code + "\n    }\n  }\n}\n"));
    return std::string(facts.read.always ? "r" : "") + (facts.written.always ? "w" : "");
  };
  const std::string update = "#pragma omp target update to(u[0:n])\n  ;\n";
  EXPECT_EQ(always("w[i] = u[i];"), "r");
  EXPECT_EQ(always("u[i] += 1;"), "rw");
  EXPECT_EQ(always("w[i] = u[i];", update), "r");
  EXPECT_EQ(always("u[i] += 1;", update), "") << "what is sent each time shows how often";
}

TEST_F(HostCodeTest, DataThatEachThreadMakesIsNoOtherThreads) {
  const auto in_thread = [&](const std::string& code) {
    return does(HostCodeTest::in_loop(
        source("#include <stdlib.h>\n"
               "int main(void) {\n  int n = 9; double* shared[2] = {0, 0};\n"
               "#pragma omp parallel num_threads(2)\n  {\n"
               "    double* u = malloc(n * sizeof(double));\n"
               "    u[0] = 1;\n" +
               code +
               "    for (int k = 0; k < 3; ++k) {  // loop\n"
               "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
               "      for (int i = 0; i < n; ++i) u[i] += 1;\n    }\n"
               "    free(u);\n  }\n}\n")));
  };
  EXPECT_EQ(in_thread(""), "-");
  EXPECT_EQ(in_thread("    double* v = u;\n    v[1] = 2;\n"), "-");
  EXPECT_EQ(in_thread("    shared[n % 2] = u;\n"), "wm") << "another thread may use it";
}

TEST_F(HostCodeTest, ALoopIsComeToAgainUnseenUnlessADirectiveIsInBetween) {
  const auto again = [&](const std::string& code) {
    const File file = source(
        "static void inner(double* u, int n) {\n"
        "  for (int k = 0; k < 3; ++k) {  // loop\n"
        "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
        "    for (int i = 0; i < n; ++i) u[i] += 1;\n  }\n}\n"
        "static void send(double* u, int n, int now) {\n  if (!now) return;\n"
        "#pragma omp target update to(u[0:n])\n  ;\n}\n"
        "int main(void) {\n  int n = 9, m = 0; static double u[9];\n" +
        code + "}\n");
    return HostCodeTest::in_loop(file).again.use;
  };
  const std::string update = "#pragma omp target update to(u[0:n])\n  ;\n";
  EXPECT_EQ(again("  inner(u, n);\n"), "no");
  EXPECT_EQ(again("  inner(u, n);\n  inner(u, n);\n"), "unknown");
  EXPECT_EQ(again("  inner(u, n);\n" + update + "  inner(u, n);\n"), "no");
  EXPECT_EQ(again("  for (int t = 0; t < 9; ++t) inner(u, n);\n"), "yes");
  EXPECT_EQ(again("  for (int t = 0; t < 9; ++t) {\n  inner(u, n);\n" + update + "  }\n"), "no");
  EXPECT_EQ(again("  for (int t = 0; t < 9; ++t) {\n  inner(u, n);\n  send(u, n, t > m);\n  }\n"),
            "yes");
  EXPECT_EQ(again("  for (int t = 0; t < 9; ++t) {\n  inner(u, n);\n  if (t > m) {\n" + update +
                  "  }\n  }\n"),
            "yes");
}

TEST_F(HostCodeTest, OtherDataIsNotTheData) {
  EXPECT_EQ(beside("    b[0] = 1; c[1] = b[2];\n"), "-");
  EXPECT_EQ(beside("    double x[2]; x[0] = k; std::printf(\"%g\\n\", x[0]);\n"), "-");
}

TEST_F(HostCodeTest, ReadsAndWritesAreFoundByTheDataNotByTheName) {
  EXPECT_EQ(beside("    std::printf(\"%g\\n\", a[3]);\n"), "r");
  EXPECT_EQ(beside("    a.at(1) = 2;\n"), "w");
  EXPECT_EQ(beside("    for (double& x : a) x = 0;\n"), "w");
  EXPECT_EQ(beside("    double* p = &a[1]; p[2] = 1;\n"), "w");
  EXPECT_EQ(beside("    use(a);\n", "double use(const std::vector<double>& v) { return v[0]; }\n"),
            "r");
  EXPECT_EQ(beside("    auto f = [&] { a[0] += 1; }; f();\n"), "rw");
}

TEST_F(HostCodeTest, WhatOneFunctionAllocatesTwiceIsNotTheSame) {
  const std::string make = "double* make(int n) { return (double*)std::malloc(n * 8); }\n";
  EXPECT_EQ(
      beside("    step(d, n); e[0] = 1;\n", make, "  double* d = make(n); double* e = make(n);\n"),
      "-");
}

TEST_F(HostCodeTest, PointersThatAreExchangedLeadToEither) {
  const std::string two = "  double* d = new double[n]; double* e = new double[n];\n";
  EXPECT_EQ(beside("    step(d, n); std::swap(d, e); e[0] = 1;\n", {}, two), "w?m");
  EXPECT_EQ(beside("    step(d, n); double* t = d; d = e; e = t; e[0] = 1;\n", {}, two), "w?m");
}

TEST_F(HostCodeTest, PointersThatAreExchangedAreNamedByOtherRegionsToo) {
  const std::string two = "  double* d = new double[n]; double* e = new double[n];\n";
  const auto mapped = [](const std::string& name) {
    return "#pragma omp target teams distribute parallel for map(to: " + name + "[0:n])\n" +
           "    for (int i = 0; i < n; ++i) (void)" + name + "[i];\n";
  };
  const std::string step = "    step(d, n);\n";
  EXPECT_EQ(beside(step + mapped("d") + mapped("e") + "    std::swap(d, e);\n", {}, two), "-");
  EXPECT_EQ(beside(step + mapped("d") + "    std::swap(d, e);\n", {}, two), "?m")
      << "step() has another name for d";
}

TEST_F(HostCodeTest, StorageIsMadeAnewInTheLoop) {
  EXPECT_EQ(beside("    double* d = new double[n]; step(d, n); delete[] d;\n"), "m");
  EXPECT_EQ(beside("    std::vector<double> t(n); step(t.data(), n);\n"), "wm");
  EXPECT_EQ(beside("    double t[100]; step(t, n);\n"), "m");
  EXPECT_EQ(beside("    c = (double*)std::realloc(c, n * 8); step(c, n);\n"), "rm");
  EXPECT_EQ(beside("    double* d = (double*)std::malloc(8); d[0] = 1; std::free(d);\n"), "-");
}

TEST_F(HostCodeTest, AVectorsStorageIsItsOwnUntilItMayBeAllocatedAgain) {
  EXPECT_EQ(beside("    b.push_back(k); b.resize(9); b.clear();\n"), "-");
  EXPECT_EQ(beside("    a.resize(n + k);\n"), "wm");
  EXPECT_EQ(beside("    a.push_back(k);\n"), "wm");
  EXPECT_EQ(beside("    a = b;\n"), "wm");
  EXPECT_EQ(beside("    b = a;\n"), "r");
  EXPECT_EQ(beside("    std::vector<double> t(a);\n"), "r");
  EXPECT_EQ(beside("    std::vector<double> t(a.begin(), a.end());\n"), "r");
  EXPECT_EQ(beside("    *(a.end() - 1) = 1;\n"), "w");
  EXPECT_EQ(beside("    a.front() = 1;\n"), "w");
  EXPECT_EQ(beside("    if (a.empty() || a.size() < 3) return 1;\n"), "-");
  EXPECT_EQ(beside("    a.clear();\n"), "w");
}

TEST_F(HostCodeTest, AVectorEndsWithItsObject) {
  EXPECT_EQ(beside("    { std::vector<double> t = std::move(b); }\n"), "-");
  EXPECT_EQ(beside("    { std::vector<double> t = std::move(a); }\n"), "m");
  EXPECT_EQ(beside("    take(std::move(a));\n", "void take(std::vector<double>) {}\n"), "m");
  EXPECT_EQ(beside("    if (k == 9) delete p;\n    step(p->data(), n);\n", {},
                   "  auto* p = new std::vector<double>(n);\n"),
            "m");
}

TEST_F(HostCodeTest, ASectionThatChangesIsNotTheSameData) {
  const auto of = [&](const std::string& before, const std::string& in_loop) {
    return does(in_loop_of(before, in_loop));
  };
  EXPECT_EQ(of("", "    ;\n"), "-");
  EXPECT_EQ(of("", "    n -= 1;\n"), "?m");
  EXPECT_EQ(of("  int* q = &n;\n", "    *q -= 1;\n"), "?m");
  EXPECT_EQ(of("  auto less = [&] { n -= 1; };\n", "    less();\n"), "?m");
  EXPECT_EQ(of("", "    u += 1;\n"), "?m");
  EXPECT_EQ(of("", "    shrink(n);\n"), "?m");
  EXPECT_EQ(of("  int m = n;\n", "    m -= 1;\n"), "-") << "it is a copy";
}

TEST_F(HostCodeTest, VectorsThatAreExchangedLeadToEither) {
  EXPECT_EQ(beside("    std::swap(a, b); b[0] = 1;\n"), "w?m");
  EXPECT_EQ(beside("    a.swap(b); b[0] = 1;\n"), "w?m");
  EXPECT_EQ(beside("    b = std::move(a); b[0] = 1;\n").find('w'), 0U);
}

TEST_F(HostCodeTest, VectorsThatAreReturnedOrHandedOnAreFollowed) {
  const std::string make =
      "std::vector<double> make(int n) { std::vector<double> v(n); v[0] = 1; return v; }\n";
  EXPECT_EQ(beside("    std::vector<double> t = make(n); t[0] = 2;\n", make), "-");
  EXPECT_EQ(beside("    fill(a);\n", "void fill(std::vector<double>& v) { v[0] = 1; }\n"), "w");
}

TEST_F(HostCodeTest, APointerThatNothingSetsMeanwhileLeadsToOnePiece) {
  const std::string two =
      "  double* p = n > 5 ? (double*)std::malloc(8 * n) : (double*)std::malloc(16 * n);\n";
  EXPECT_EQ(beside("    step(p, n);\n", {}, two), "?m") << "the parameter is set by each call";
  const File file = source(
      "#include <stdlib.h>\n"
      "int main(int argc, char** argv) {\n  int n = 9;\n"
      "  double* u = argc > 1 ? malloc(80) : malloc(72);\n"
      "  for (int k = 0; k < 3; ++k) {  // loop\n"
      "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
      "    for (int i = 0; i < n; ++i) u[i] += 1;\n  }\n}\n");
  EXPECT_EQ(does(in_loop(file)), "-");
}

TEST_F(HostCodeTest, TheDefaultDeviceIsADoubtOnlyWhereItIsSetMeanwhile) {
  const std::string declared = "extern \"C\" void omp_set_default_device(int);\n";
  EXPECT_EQ(beside({}, declared, "  omp_set_default_device(1);\n"), "-");
  EXPECT_EQ(beside("    omp_set_default_device(k % 2);\n", declared).substr(0, 1), "?");
}

TEST_F(HostCodeTest, DataStaysWithinACallOfTheFunctionThatLeadsToAllDirectives) {
  const File file = source(
      "#include <stdlib.h>\n"
      "static void both(double* u, int n) {\n"
      "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])  // first\n"
      "  for (int i = 0; i < n; ++i) u[i] += 1;\n"
      "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])  // second\n"
      "  for (int i = 0; i < n; ++i) u[i] += 2;\n"
      "}\n"
      "int main(void) {\n  int n = 9; static double u[9];\n"
      "  for (int k = 0; k < 3; ++k) {\n    both(u, n);\n    u[0] = k;\n  }\n}\n");
  const std::vector<Place> places = {file.at("// first"), file.at("// second")};
  const std::vector<Item> items = {{"u[0:n]", places[0]}};
  EXPECT_EQ(does(ask(file, {0, "span", places, {}, false, items})), "-");
  EXPECT_EQ(does(ask(file, {0, "span", places, {}, true, items})), "w");
}

TEST_F(HostCodeTest, DataThatAnIterationMakesIsNotThereInAnother) {
  const auto in_lifetime = [&](const std::string& head, const std::string& between,
                               const char* kind = "lifetime") {
    const File file = source(
        "#include <stdlib.h>\n"
        "int main(void) {\n  int n = 9, m = 1; double* u = NULL; double* kept = NULL;\n"
        "  for (int k = 0; k < 3; ++k) {\n" +
        head + "    u[0] = k;\n" +
        "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])  // first\n"
        "    for (int i = 0; i < n; ++i) u[i] += 1;\n" +
        between +
        "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])  // second\n"
        "    for (int i = 0; i < n; ++i) u[i] += 2;\n"
        "    m += u[3];\n    free(u);\n  }\n  return m;\n}\n");
    const std::vector<Place> places = {file.at("// first"), file.at("// second")};
    return does(ask(file, {0, kind, places, {}, false, {{"u[0:n]", places[0]}}}));
  };
  const std::string made = "    u = malloc(n * sizeof(double));\n";
  EXPECT_EQ(in_lifetime(made, ""), "-");
  EXPECT_EQ(in_lifetime(made, "", "span"), "rwm");
  EXPECT_EQ(in_lifetime(made, "    m += u[1];\n"), "r");
  EXPECT_EQ(in_lifetime(made, "    if (m) u[1] = 7;\n"), "w");
  EXPECT_EQ(in_lifetime(made, "    free(u);\n" + made), "rwm");
  EXPECT_EQ(in_lifetime("    if (m == k) u = malloc(n * sizeof(double));\n", ""), "rwm")
      << "another iteration may have made it";
  EXPECT_EQ(in_lifetime(made + "    kept = malloc(n * sizeof(double));\n"
                               "    if (m == k) { double* w = u; u = kept; kept = w; }\n",
                        ""),
            "rwm")
      << "pointers are exchanged in some iterations";
}

TEST_F(HostCodeTest, AnItemOfADirectiveAroundTheWayIsKnown) {
  const File file = source(
      "int main(void) {\n  int n = 9; static double u[9];\n"
      "#pragma omp target data map(alloc: u[0:n])  // data\n  {\n"
      "  u[1] = 1;\n"
      "  for (int k = 0; k < 3; ++k) {\n"
      "#pragma omp target update to(u[0:n])  // to\n    ;\n  }\n  }\n}\n");
  const Item item = {"u[0:n]", file.at("// data")};
  EXPECT_EQ(does(ask(file, {0, "way", {file.at("// to")}, {file.at("// to")}, false, {item}})),
            "-");
  EXPECT_EQ(
      does(ask(
          file,
          {0, "way", {file.at("// to")}, {file.at("// data"), file.at("// to")}, false, {item}})),
      "w");
}

TEST_F(HostCodeTest, MembersLeadToTheirOwnData) {
  const std::string grid =
      "struct Grid {\n  int n; std::vector<double> now, next;\n"
      "  explicit Grid(int m) : n(m), now(m), next(m) {}\n"
      "  void run() { step(now.data(), n); next[0] = 1; }\n"
      "  double norm() const { return now[0]; }\n};\n";
  EXPECT_EQ(beside("    g.run();\n", grid, "  Grid g(n);\n"), "-");
  EXPECT_EQ(beside("    g.run(); if (k == 9) std::printf(\"%g\\n\", g.norm());\n", grid,
                   "  Grid g(n);\n"),
            "r");
  EXPECT_EQ(beside("    g.run(); h.norm();\n", grid, "  Grid g(n); Grid h(n);\n"), "-");
}

TEST_F(HostCodeTest, CodeThatIsNotSeenIsTakenByItsTypes) {
  EXPECT_EQ(beside("    show(a.data());\n", "void show(const double*);\n"), "r");
  EXPECT_EQ(beside("    change(a.data());\n", "void change(double*);\n"), "?r?w");
  EXPECT_EQ(beside("    other();\n", "void other();\n"), "-") << "nobody handed it the data";
  EXPECT_EQ(beside("    other();\n", "void keep(double*);\nvoid other();\n", "  keep(a.data());\n"),
            "?r?w");
}

TEST_F(HostCodeTest, FunctionsThatAreCalledByPointerAreFollowed) {
  EXPECT_EQ(beside("    f(a.data());\n", "void set(double* p) { p[0] = 1; }\n",
                   "  void (*f)(double*) = set;\n"),
            "w");
  const std::string classes =
      "struct Base { virtual void use(double*) {} };\n"
      "struct Derived : Base { void use(double* p) override { p[0] = 1; } };\n";
  EXPECT_EQ(beside("    one->use(a.data());\n", classes, "  Base* one = new Derived;\n"), "w");
}

TEST_F(HostCodeTest, AFunctionThatCallsItselfIsFollowed) {
  const std::string recursive =
      "void down(double* p, double* q, int k) {\n"
      "  if (k == 0) { p[0] = 1; return; }\n  down(q, p, k - 1);\n}\n";
  EXPECT_EQ(beside("    down(b.data(), c, 3);\n", recursive), "-");
  EXPECT_EQ(beside("    down(b.data(), a.data(), 3);\n", recursive), "w");
}

TEST_F(HostCodeTest, GlobalPointersLeadToWhatTheyWereSetTo) {
  const std::string global = "static double* all;\nvoid touch() { all[0] = 1; }\n";
  EXPECT_EQ(beside("    touch();\n", global, "  all = a.data();\n"), "w");
  EXPECT_EQ(beside("    touch();\n", global, "  all = b.data();\n"), "-");
}

TEST_F(HostCodeTest, ARegionThatMayRunOnTheHostCounts) {
  EXPECT_EQ(beside("    double* p = a.data();\n"
                   "#pragma omp target if(k > 3) map(tofrom: p[0:n])\n    p[0] = 1;\n"),
            "w");
  EXPECT_EQ(beside("    double* p = a.data();\n"
                   "#pragma omp target map(tofrom: p[0:n])\n    p[0] = 1;\n"),
            "-");
}

TEST_F(HostCodeTest, AddressesOfTheDeviceAreNotTheHosts) {
  EXPECT_EQ(beside("    double* p = a.data();\n"
                   "#pragma omp target data use_device_ptr(p)\n    change(p);\n",
                   "void change(double*);\n"),
            "-");
}

TEST_F(HostCodeTest, ATaskMayRunLater) {
  EXPECT_EQ(beside({}, {}, "#pragma omp task shared(a)\n  a[0] = 1;\n"), "w");
  EXPECT_EQ(beside({}, {}, "  a[0] = 1;\n"), "-");
}

TEST_F(HostCodeTest, ParametersOfAFunctionThatNobodyCallsMayBeTheSame) {
  const auto of = [&](const std::string& type) {
    return does(in_loop(source("void run(int n, double* u, " + type +
                               " v) {\n"
                               "  for (int k = 0; k < 3; ++k) {  // loop\n"
                               "#pragma omp target teams distribute parallel for map(tofrom: "
                               "u[0:n])\n"
                               "    for (int i = 0; i < n; ++i) u[i] += 1;\n"
                               "    v[0] = 1;\n  }\n}\n")));
  };
  EXPECT_EQ(of("double*"), "?r?w");
  EXPECT_EQ(of("double* restrict"), "-");
  EXPECT_EQ(of("float*"), "-");
}

TEST_F(HostCodeTest, OtherSourcesOfTheProgramAreFollowed) {
  const File other = write("other.c", "void help(double* p) { p[0] = 1; }\n");
  const File file = source(
      "void help(double*);\n"
      "int main(void) {\n  int n = 9; static double u[9]; static double w[9];\n"
      "  for (int k = 0; k < 3; ++k) {  // loop\n"
      "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
      "    for (int i = 0; i < n; ++i) u[i] += 1;\n"
      "    help(w);\n  }\n}\n");
  EXPECT_EQ(does(in_loop(file)), "-") << "it was not handed over";
  EXPECT_EQ(does(in_loop(file, "u[0:n]", {{other.path, {}, {}}})), "-");
  const File user = write("user.c", "double* kept; void help(double* p) { kept[0] = p[0]; }\n");
  const File shared = source(
      "extern double* kept; void help(double*);\n"
      "int main(void) {\n  int n = 9; static double u[9]; kept = u;\n"
      "  for (int k = 0; k < 3; ++k) {  // loop\n"
      "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
      "    for (int i = 0; i < n; ++i) u[i] += 1;\n"
      "    static double w[9]; help(w);\n  }\n}\n");
  EXPECT_EQ(does(in_loop(shared, "u[0:n]", {{user.path, {}, {}}})), "w");
  EXPECT_EQ(does(in_loop(shared, "u[0:n]", {}, false)), "?r?w");
}

/// Two updates in a function; `between` stands between them, and code before and behind.
class WayTest : public HostCodeTest {
 protected:
  [[nodiscard]] std::string between(const std::string& code, const std::string& head = {},
                                    const std::string& tail = {}) const {
    const File file = source(
        "int main(void) {\n  int n = 9, m = 1; static double u[9];\n"
        "  u[0] = 1;\n" +
        head + "#pragma omp target update to(u[0:n])  // from\n  ;\n" + code +
        "#pragma omp target update to(u[0:n])  // to\n  ;\n" + tail + "  u[1] = u[2];\n}\n");
    return does(on_way(file, "// from", "// to"));
  }
};

TEST_F(WayTest, OnlyWhatIsBetweenCounts) {
  EXPECT_EQ(between(""), "-");
  EXPECT_EQ(between("  u[3] = 1;\n"), "w");
  EXPECT_EQ(between("  if (m) u[3] = 1;\n"), "w");
}

TEST_F(WayTest, AnIterationOfALoopAroundBothEndsItInEachOfThem) {
  EXPECT_EQ(between("", "  for (int k = 0; k < 3; ++k) {\n  u[4] = k;\n", "  }\n"), "-");
  EXPECT_EQ(between("  }\n", "  for (int k = 0; k < 3; ++k) {\n  u[4] = k;\n  if (k) {\n", "  }\n"),
            "w");
  EXPECT_EQ(between("", "  for (int k = 0; k < 3; ++k) {\n  if (k == m) continue;\n",
                    "  u[4] = k;\n  }\n"),
            "w");
  EXPECT_EQ(between("",
                    "  for (int j = 0; j < 3; ++j) {\n  u[3] = j;\n"
                    "  for (int k = 0; k < 3; ++k) {\n  u[4] = k;\n",
                    "  }\n  }\n"),
            "-")
      << "each iteration of the inner loop comes by the first";
}

TEST_F(WayTest, AFunctionThatReturnsEarlyMayNotComeByTheFirst) {
  const File file = source(
      "static void send(double* u, int n, int k) {\n  if (k == 1) return;\n"
      "#pragma omp target update to(u[0:n])  // from\n  ;\n}\n"
      "int main(void) {\n  int n = 9; static double u[9];\n"
      "  for (int k = 0; k < 3; ++k) {\n  u[4] = k;\n  send(u, n, k);\n"
      "#pragma omp target update to(u[0:n])  // to\n  ;\n  }\n}\n");
  EXPECT_EQ(does(on_way(file, "// from", "// to")), "w");
}

TEST_F(WayTest, AFunctionsReturnIsNoneOfTheLoop) {
  const File file = source(
      "static int twice(int k) { return 2 * k; }\n"
      "int main(void) {\n  int n = 9, m; static double u[9];\n"
      "  for (int k = 0; k < 3; ++k) {\n  u[4] = k;\n  m = twice(k);\n"
      "#pragma omp target update to(u[0:n])  // from\n  ;\n  }\n"
      "#pragma omp target update to(u[0:n])  // to\n  ;\n  return m;\n}\n");
  EXPECT_EQ(does(on_way(file, "// from", "// to")), "-");
}

TEST_F(WayTest, ALoopAroundOneOfThemIsGoneThrough) {
  EXPECT_EQ(between("  for (int k = 0; k < 3; ++k) {\n", {}, "  u[4] = 1;\n  }\n"), "w")
      << "a later iteration comes to it again";
  EXPECT_EQ(between("  u[4] = 1; }\n", "  for (int k = 0; k < 3; ++k) {\n"), "w");
  EXPECT_EQ(between("  }\n", "  for (int k = 0; k < 3; ++k) {\n  u[4] = 1;\n"), "-");
}

TEST_F(HostCodeTest, ADirectiveLeadsToItselfByTheLoopAroundIt) {
  const File file = source(
      "int main(void) {\n  int n = 9; static double u[9];\n"
      "  for (int k = 0; k < 3; ++k) {\n"
      "#pragma omp target update to(u[0:n])  // from\n"
      "  u[1] = 1;\n  }\n}\n");
  EXPECT_EQ(does(on_way(file, "// from", "// from")), "w");
}

TEST_F(HostCodeTest, ACopyBackAtTheEndOfADirectiveIsBehindItsCode) {
  const auto of = [&](const std::string& inside, const std::string& behind) {
    const File file = source(
        "int main(void) {\n  int n = 9; static double u[9];\n"
        "#pragma omp target data map(tofrom: u[0:n])  // from\n  {\n" +
        inside + "  }\n" + behind + "}\n");
    const Place data = file.at("// from");
    return does(ask(file, {0, "way", {data}, {data}, false, {{"u[0:n]", data}}, true}));
  };
  EXPECT_EQ(of("  u[1] = 1;\n", ""), "w");
  EXPECT_EQ(of("", "  u[1] = 1;\n"), "-");
}

TEST_F(HostCodeTest, KernelsAreToldApartFromTheHost) {
  const StretchItemFacts facts = in_loop(stepping(""));
  EXPECT_EQ(facts.kernel_written.use, "yes");
  EXPECT_EQ(facts.kernel_read.use, "yes");
  EXPECT_EQ(facts.written.use, "no");
  EXPECT_EQ(facts.no_iteration.use, "no") << "ten iterations, and more than none in the region";
}

TEST_F(HostCodeTest, ALoopWhoseBoundIsNotConstantMayHaveNoIteration) {
  const auto of = [&](const std::string& bound) {
    const File file = source(
        "int main(int argc, char** argv) {\n  int n = 9; int m = 4; int s = 1; if (argc > 2) s = "
        "0; (void)argv;\n"
        "  static double u[9];\n"
        "  for (int k = 0; k < " +
        bound +
        "; ++k) {  // loop\n"
        "#pragma omp target teams distribute parallel for map(tofrom: u[0:n])\n"
        "    for (int i = 0; i < n; ++i) u[i] += 1;\n  }\n  if (argc > 5) n = m;\n}\n");
    return in_loop(file).no_iteration.use;
  };
  EXPECT_EQ(of("3"), "no");
  EXPECT_EQ(of("m"), "no");
  EXPECT_EQ(of("argc"), "unknown");
  EXPECT_EQ(of("n"), "no") << "it is set later";
  EXPECT_EQ(of("s"), "unknown") << "it may have been set before";
  EXPECT_EQ(of("0"), "unknown");
}

TEST_F(HostCodeTest, WhatCannotBeAnsweredSaysWhy) {
  EXPECT_EQ(does(in_loop(stepping(""), "v[0:n]")), "? the directive does not name it");
  const File file = stepping("");
  EXPECT_FALSE(
      ask(file, {0, "loop", {{file.path, 1}}, {}, false, {{"u[0:n]", file.at("omp target teams")}}})
          .found);
}

}  // namespace
}  // namespace ompdm::edit::host_code_test
