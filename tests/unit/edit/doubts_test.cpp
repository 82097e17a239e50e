// Regions whose code may not be what was compiled, or what devices run: nothing is said of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "asked.h"

namespace ompdm::edit::doubts_test {
namespace {

using testing::EditTest;
using testing::File;

using LinesOf = std::vector<std::string>;

/// Parts of a source's lines that have code in the program.
struct Code {
  File file;
  LinesOf lines;
};

class DoubtsTest : public EditTest {
 protected:
  /// What is said of the first region of a source. Without `compiled` its options are the build's.
  [[nodiscard]] RegionFacts region_of(const File& file,
                                      std::optional<std::vector<Code>> compiled) const {
    Request request = testing::asked(file, {});
    request.arguments = arguments_;
    request.regions = {file.at("omp target")};
    if (compiled) {
      request.compiled.emplace();
      for (const Code& code : *compiled) {
        CompiledLines& one = request.compiled->emplace_back(CompiledLines{code.file.path, {}});
        for (const std::string& line : code.lines) one.lines.push_back(code.file.at(line).line);
      }
      request.by_clang = true;
    }
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    return answer.facts.value().regions.at(0);
  }
  [[nodiscard]] std::string doubt(const File& file, const LinesOf& lines) const {
    return region_of(file, {{{file, lines}}}).doubt;
  }
  [[nodiscard]] std::string doubt(const File& file) const { return region_of(file, {}).doubt; }
  /// A kernel in a function, behind other code.
  [[nodiscard]] File kernel(const std::string& body, const std::string& before = {},
                            const std::string& name = "source.cpp") const {
    return write(name, before +
                           "void k(int n, double* u, double* v) {\n"
                           "#pragma omp target map(tofrom: u[0:n], v[0:n])\n"
                           "  for (int i = 0; i < n; ++i) {\n" +
                           body + "  }\n}\n");
  }
  std::vector<std::string> arguments_ = {"-fopenmp"};
};

bool is_on(const std::string& doubt, const std::string& macro) {
  return doubt == "depends on macro " + macro + ", which debug information does not tell: give -p";
}

// Clang's debug information does not tell C++20 from C++14.
TEST_F(DoubtsTest, AreNoneOfTheStandard) {
  const File file = kernel("u[i] = twice(v[i]);\n",
                           "template <class T> concept Number = requires(T t) { t + t; };\n"
                           "template <Number T> T twice(T t) { return t + t; }\n");
  arguments_.emplace_back("-std=gnu++17");
  EXPECT_EQ(doubt(file, {"u[i]"}), "");
  EXPECT_THROW(static_cast<void>(doubt(file)), std::logic_error) << "the build's standard is known";
}

// An option tells it, and no other place: any number will do for what reads and writes.
TEST_F(DoubtsTest, AreNoneOfANumberThatAnOptionGives) {
  const File file = kernel("u[i] = SCALE * v[i];\n");
  EXPECT_EQ(doubt(file, {"u[i]"}), "");
  const RegionFacts region = region_of(file, {{{file, {"u[i]"}}}});
  ASSERT_EQ(region.items.size(), 2U);
  EXPECT_EQ(region.items[0].use, "write");
  EXPECT_THROW(static_cast<void>(doubt(file)), std::logic_error)
      << "the build's options have all macros";
  const File type = kernel("u[i] = (REAL)v[i];\n", {}, "type.cpp");
  EXPECT_THROW(static_cast<void>(doubt(type, {"u[i]"})), std::logic_error) << "it is no number";
}

TEST_F(DoubtsTest, AreOfAMacroThatAnErrorAsksFor) {
  const File file = kernel("#if USE_MPI\n    printf(\"%g\", u[i]);\n#endif\n    v[i] = u[i];\n",
                           "#if !defined(USE_MPI)\n#error \"say USE_MPI=0 or 1\"\n#endif\n"
                           "extern \"C\" int printf(const char*, ...);\n");
  EXPECT_EQ(doubt(file, {"for (int", "v[i] ="}), "") << "lines show that it is left out";
  EXPECT_TRUE(is_on(doubt(file, {"v[i] =", "printf(\"%g"}), "USE_MPI"));
}

TEST_F(DoubtsTest, AreOfAConditionThatOptionsDecide) {
  const File file = kernel("#if WR\n    u[i] = 1;\n#else\n    v[i] = u[i];\n#endif\n",
                           "#ifndef WR\n#define WR 0\n#endif\n");
  EXPECT_EQ(doubt(file), "") << "the options are the build's";
  EXPECT_TRUE(is_on(doubt(file, {"for (int"}), "WR"));
  const RegionFacts region = region_of(file, {{{file, {}}}});
  ASSERT_EQ(region.items.size(), 2U);
  EXPECT_EQ(region.items.at(0).use, "unknown");
  EXPECT_EQ(region.items.at(0).why, region.doubt);
  EXPECT_EQ(region.doubt_at.line, file.at("#if WR").line);
  EXPECT_EQ(doubt(file, {"for (int", "v[i] ="}), "") << "code shows the branch";
  EXPECT_TRUE(is_on(doubt(file, {"for (int", "v[i] =", "u[i] ="}), "WR")) << "and denies it";
}

TEST_F(DoubtsTest, GoWhereCallsThatAreLeftOutHaveNoCode) {
  const std::string rest = "    v[i] = u[i];\n";
  const std::string print = "extern \"C\" int printf(const char*, ...);\n";
  const File file = kernel("#ifdef WR\n    printf(\"%g\", u[i]);\n#endif\n" + rest, print);
  EXPECT_EQ(doubt(file, {"for (int", "v[i] ="}), "");
  EXPECT_TRUE(is_on(doubt(file, {"omp target"}), "WR")) << "no line tells of the code around";
  EXPECT_TRUE(is_on(doubt(file, {"v[i] =", "printf(\"%g"}), "WR"));
  for (const char* text : {"double t;", "u[i] = 1;", "if (n > 1) v = u;"}) {
    const File other =
        kernel("#ifdef WR\n    " + std::string(text) + "\n#endif\n" + rest, "", "b.cpp");
    EXPECT_TRUE(is_on(doubt(other, {"v[i] ="}), "WR")) << text << ": it may leave no line";
  }
}

TEST_F(DoubtsTest, AreNotOfTheCompilersOwnMacros) {
  EXPECT_EQ(
      doubt(kernel("_Pragma(\"omp simd\")\n    for (int k = 0; k < 2; ++k) u[k] = __LINE__;\n"),
            {"for (int"}),
      "");
}

TEST_F(DoubtsTest, AreOfMacrosInCode) {
  for (const char* macros :
       {"#ifndef ST\n#define ST(x, y) (void)(x < y)\n#endif\n",
        "#ifdef __FAST_MATH__\n#define ST(x, y) x = y\n#else\n#define ST(x, y) (void)(x < "
        "y)\n#endif\n",
        "#ifdef WR\n#define OP =\n#else\n#define OP +=\n#endif\n#define ST(x, y) x OP y\n",
        "#if WR > 2\n#define ST(x, y) x = y\n#elif WR\n#define ST(x, y)\n#else\n"
        "#define ST(x, y) y = x\n#endif\n"}) {
    const File file = kernel("    ST(u[i], v[i]);\n", macros);
    EXPECT_EQ(doubt(file), "") << macros;
    EXPECT_NE(doubt(file, {"ST(u[i]", "for (int"}), "") << macros;
  }
}

TEST_F(DoubtsTest, AreNotOfWhatTheSourceOrTheTargetDecides) {
  for (const char* macros :
       {"#define ST(x, y) x = y\n", "#define WR 1\n#if WR\n#define ST(x, y) x = y\n#endif\n",
        "#ifdef __linux__\n#define ST(x, y) x = y\n#else\n#define ST(x, y)\n#endif\n",
        "#ifdef __GNUC__\n#define ST(x, y) x = y\n#else\n#define ST(x, y)\n#endif\n",
        "#ifdef __cplusplus\n#define ST(x, y) x = y\n#else\n#define ST(x, y)\n#endif\n"}) {
    const File file = kernel("    ST(u[i], v[i]);\n", macros);
    EXPECT_EQ(doubt(file, {"for (int"}), "") << macros;
  }
  EXPECT_EQ(doubt(kernel("    u[i] = 1;\n", "#ifdef DEBUG\nint debug = 1;\n#endif\n"), {}), "")
      << "the region has nothing to do with it";
}

// What is read and written does not depend on how much.
TEST_F(DoubtsTest, AreNotOfNumbersAndArithmeticTypes) {
  const std::string macros =
      "#ifndef N\n#define N 100\n#endif\n#define SIZE (N * 2)\n"
      "#ifdef SINGLE\n#define REAL float\n#define ABS fabsf\n#else\n#define REAL double\n"
      "#define ABS fabs\n#endif\ndouble fabs(double);\n"
      "#ifdef WIDTH_0\n#define WIDTH WIDTH_0\n#else\n#define WIDTH 4\n#endif\n";
  EXPECT_EQ(
      doubt(kernel("    REAL t = u[SIZE / WIDTH];\n    v[i] = ABS(t);\n", macros), {"for (int"}),
      "");
  const std::string arrays = "#ifdef WR\n#define TO u\n#else\n#define TO v\n#endif\n";
  EXPECT_TRUE(is_on(doubt(kernel("    TO[i] = 1;\n", arrays, "d.cpp"), {"for (int"}), "WR"));
  const std::string store = "template <bool B> void st(double& d) { if constexpr (B) d = 1; }\n";
  EXPECT_TRUE(
      is_on(doubt(kernel("    st<N == 1>(u[i]);\n", macros + store, "b.cpp"), {"for (int"}), "N"))
      << "a template is made for it";
  const std::string constant = macros + store + "constexpr bool kStores = N == 1;\n";
  EXPECT_TRUE(
      is_on(doubt(kernel("    st<kStores>(u[i]);\n", constant, "c.cpp"), {"for (int"}), "N"));
}

TEST_F(DoubtsTest, AreOfFunctionsAndDeclarationsThatCodeLeadsTo) {
  const std::string callee =
      "static void deep(double* p) {\n#ifdef WR\n  *p = 1;\n#else\n  (void)*p;\n#endif\n}\n"
      "static void f(double* p) { deep(p); }\n";
  EXPECT_TRUE(is_on(doubt(kernel("    f(u + i);\n", callee), {"f(u + i)"}), "WR"));
  const std::string other =
      "#ifdef WR\nstatic void f(double* p) { *p = 1; }\n#else\n"
      "static void f(double* p) { (void)*p; }\n#endif\n";
  const File file = kernel("    f(u + i);\n", other, "b.cpp");
  EXPECT_TRUE(is_on(doubt(file, {"f(u + i)"}), "WR"));
  EXPECT_EQ(doubt(file, {"f(u + i)", "(void)*p"}), "");
  const std::string type =
      "#ifdef WR\nstruct S { double& d; void go() { d = 1; } };\n#else\n"
      "struct S { double d; void go() { d = 1; } };\n#endif\n";
  EXPECT_TRUE(
      is_on(doubt(kernel("    S s{u[i]};\n    s.go();\n", type, "c.cpp"), {"s.go()"}), "WR"));
  const std::string members =
      "struct S {\n#ifdef WR\n  double& d;\n#else\n  double d;\n#endif\n"
      "  void go() { d = 1; }\n  void host() {\n#ifdef LOG\n    d = 2;\n#endif\n  }\n};\n";
  const File inner = kernel("    S s{u[i]};\n    s.go();\n", members, "d.cpp");
  EXPECT_TRUE(is_on(doubt(inner, {"s.go()"}), "WR"));
  EXPECT_EQ(doubt(inner, {"s.go()", "  double d;"}), "");
}

TEST_F(DoubtsTest, AreOfWhatNamesStandFor) {
  const std::string choices =
      "struct A { static void st(double& d) { d = 1; } };\n"
      "struct B { static void st(double& d) { (void)d; } };\n"
      "#ifdef WR\n#define CHOICE A\n#else\n#define CHOICE B\n#endif\n"
      "#define ST_0(x) (void)x\n#define ST_1(x) x = 1\n#define JOIN_(x, y) x##y\n"
      "#define JOIN(x, y) JOIN_(x, y)\n#ifndef N\n#define N 0\n#endif\n"
      "template <class T> void go(double& d) { T::st(d); }\n";
  const auto is_doubted = [&](const std::string& before, const std::string& code) {
    return !doubt(kernel("    " + code + "\n", choices + before), {"for (int"}).empty();
  };
  EXPECT_FALSE(is_doubted("using P = A;\n", "P::st(u[i]);"));
  EXPECT_TRUE(is_doubted("using P = CHOICE;\n", "P::st(u[i]);"));
  EXPECT_TRUE(is_doubted("using P = CHOICE;\n", "go<P>(u[i]);"));
  EXPECT_TRUE(is_doubted("struct P : CHOICE {};\n", "P::st(u[i]);"));
  EXPECT_TRUE(is_doubted("", "JOIN(ST_, N)(u[i]);"));
}

TEST_F(DoubtsTest, AreOfATemplateThatOtherCodeMayUse) {
  const File file = write(
      "source.cpp",
      "template <bool W> void k(int n, double* u) {\n#pragma omp target map(tofrom: u[0:n])\n"
      "  for (int i = 0; i < n; ++i) {\n    if constexpr (W) u[i] = 1;\n  }\n}\n"
      "void run(double* u) {\n#ifdef WR\n  k<true>(1, u);\n#else\n  k<false>(1, u);\n#endif\n}\n");
  EXPECT_TRUE(is_on(doubt(file, {"for (int"}), "WR"));
  EXPECT_EQ(doubt(file, {"for (int", "k<false>"}), "");
}

TEST_F(DoubtsTest, AreOfHeadersThatOptionsFind) {
  std::filesystem::create_directory(folder() / "inc");
  const File header =
      write("inc/st.h", "#ifndef ST_H\n#define ST_H\n#define ST(x, y) x = y\n#endif\n");
  const File file = kernel("    ST(u[i], v[i]);\n", "#include <st.h>\n");
  arguments_.push_back("-idirafter" + (folder() / "inc").string());
  EXPECT_EQ(doubt(file), "");
  EXPECT_EQ(doubt(file, {"for (int"}),
            "depends on st.h, which debug information does not tell: give -p");
  EXPECT_EQ(region_of(file, {{{file, {}}, {header, {}}}}).doubt, "") << "it is named";
  const File beside = kernel("    ST(u[i], v[i]);\n", "#include \"inc/st.h\"\n");
  EXPECT_EQ(doubt(beside, {"for (int"}), "");
  const File other = write("other.h", "void f() {}\n");
  EXPECT_NE(region_of(beside, {{{beside, {}}, {other, {"void f()"}}}}).doubt, "")
      << "it was compiled, and is not read";
}

TEST_F(DoubtsTest, AreOfAHeaderThatIsIncludedUnderACondition) {
  const File header = write("st.h", "static void f(double* p) { *p = 1; }\n");
  const File file =
      kernel("    f(u + i);\n", "#ifdef WR\n#include \"st.h\"\n#else\n#include \"st.h\"\n#endif\n");
  EXPECT_TRUE(is_on(doubt(file, {"for (int"}), "WR"));
  EXPECT_EQ(region_of(file, {{{file, {}}, {header, {"*p = 1"}}}}).doubt, "") << "it has code";
}

/// How large an index is hangs on the number: what the region reads and writes does not.
TEST_F(DoubtsTest, AreOfIndicesByAMacroThatOptionsMayDefine) {
  const auto last = [&](const std::string& defined, bool knows_options) {
    const File file =
        write("source.cpp", defined +
                                "void k(double* u) {\n#pragma omp target map(tofrom: u[0:N])\n"
                                "  for (int i = 0; i < N; ++i) {\n    u[i] = 1;\n  }\n}\n");
    std::optional<std::vector<Code>> compiled;
    if (!knows_options) compiled = {{file, {"for (int"}}};
    const RegionFacts region = region_of(file, compiled);
    EXPECT_EQ(region.doubt, "");
    return region.items.at(0).last_index;
  };
  EXPECT_EQ(last("#define N 10\n", false), 9);
  const std::string either = "#ifndef M\n#define M 10\n#endif\n";
  EXPECT_EQ(last(either + "#define N M\n", true), 9);
  EXPECT_EQ(last(either + "#define N M\n", false), std::nullopt);
  EXPECT_EQ(last(either + "const int N = M;\n", false), std::nullopt);
}

TEST_F(DoubtsTest, AreOfAFileThatCodeIncludes) {
  const File body = write("body.h", "#ifdef WR\n    u[i] = 1;\n#else\n    v[i] = u[i];\n#endif\n");
  const File file = kernel("#include \"body.h\"\n");
  EXPECT_TRUE(is_on(doubt(file, {"for (int"}), "WR"));
  EXPECT_EQ(region_of(file, {{{file, {"for (int"}}, {body, {"v[i] ="}}}}).doubt, "");
}

// Only the compilation for the host is parsed.
TEST_F(DoubtsTest, AreOfCodeForDevices) {
  const File macro = kernel("#ifdef __NVPTX__\n    u[i] = 1;\n#else\n    v[i] = u[i];\n#endif\n");
  EXPECT_EQ(doubt(macro),
            "depends on macro __NVPTX__, which compilers for devices set: they may run other code");
  EXPECT_NE(doubt(macro, {"v[i] ="}), "") << "the host's code shows nothing of the devices'";
  for (const char* before :
       {"#if defined(__CUDA_ARCH__) || defined(__AMDGCN__)\n#define ON_DEVICE\n#endif\n"
        "#ifdef ON_DEVICE\n#define ST(x) x = 1\n#else\n#define ST(x) (void)x\n#endif\n",
        "#define ST(x) f(x)\nvoid f(double& d) { (void)d; }\n"
        "#pragma omp begin declare variant match(device = {kind(nohost)})\n"
        "void f(double& d) { d = 1; }\n#pragma omp end declare variant\n"}) {
    EXPECT_NE(doubt(kernel("    ST(u[i]);\n", before)), "") << before;
    EXPECT_EQ(doubt(kernel("    u[i] = v[i];\n", before)), "") << before;
  }
  const std::string choices =
      "struct A { static void st(double& d) { d = 1; } };\n"
      "struct B { static void st(double& d) { (void)d; } };\n"
      "#ifdef __NVPTX__\nusing P = A;\n#define ON 1\n#else\nusing P = B;\n#define ON 0\n#endif\n"
      "template <class T> void go(double& d) { T::st(d); }\n"
      "template <int I> void set(double& d) { if constexpr (I == 1) d = 1; }\n";
  EXPECT_NE(doubt(kernel("    go<P>(u[i]);\n", choices)), "");
  EXPECT_NE(doubt(kernel("    set<ON>(u[i]);\n", choices)), "");
  EXPECT_EQ(doubt(kernel("    u[i] = v[ON];\n", choices)), "") << "both are seen";
  const File meta = kernel(
      "#pragma omp metadirective when(device = {kind(nohost)} : simd) default(nothing)\n"
      "    for (int j = 0; j < n; ++j) u[j] = 1;\n");
  EXPECT_EQ(doubt(meta), "depends on a metadirective: devices may run other code");
}

TEST_F(DoubtsTest, LeaveFormatsThatWrite) {
  const auto use = [&](const std::string& call) {
    const File file =
        kernel("    " + call + "\n",
               "extern \"C\" int printf(const char*, ...);\nextern const char* text;\n");
    const RegionFacts region = region_of(file, {});
    return std::ranges::find(region.items, "u", &ItemFacts::name)->use;
  };
  EXPECT_EQ(use("printf(\"%p %%n %5.3g %ld\", u, u[i], 1L);"), "read");
  EXPECT_EQ(use("printf(\"%-2hhn\", (signed char*)u);"), "unknown");
  EXPECT_EQ(use("printf(text, (int*)u);"), "unknown");
}

}  // namespace
}  // namespace ompdm::edit::doubts_test
