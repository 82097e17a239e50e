// What the source shows of data that one directive sends, or copies back. Kernels may read sent
// data before they overwrite it. Code may read data that was copied back.
#include <gtest/gtest.h>

#include <stdexcept>

#include "asked.h"

namespace ompdm::edit::one_way_test {
namespace {

using testing::EditTest;
using testing::File;

class OneWay : public EditTest {
 protected:
  /// Of u[0:n], which the directive with "// here" names.
  static StretchItemFacts ask(const File& file, const char* kind) {
    Request request = testing::asked(file, {});
    request.is_whole = true;
    const Place at = file.at("// here");
    request.stretches = {{0, kind, {at}, {}, false, {{"u[0:n]", at}}}};
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    return answer.facts.value().stretches.at(0).items.at(0);
  }
  [[nodiscard]] File program(const std::string& body, const std::string& before = {}) const {
    return write("one_way.c",
                 "#include <stdio.h>\n#include <stdlib.h>\n"
                 "void elsewhere(double*);\n" +
                     before +
                     "int main(int argc, char** argv) {\n"
                     "  (void)argv;\n"
                     "  int n = 100;\n"
                     "  double* u = malloc(n * sizeof *u);\n"
                     "  double* v = malloc(n * sizeof *v);\n"
                     "  for (int i = 0; i < n; ++i) u[i] = v[i] = i;\n" +
                     body + "  free(u);\n  free(v);\n  return argc;\n}\n");
  }
  /// "no", or "yes", or the reason of "unknown", of what stands in a `target data` of u and v.
  [[nodiscard]] std::string first(const std::string& inside, const std::string& before = {}) const {
    const StretchItemFacts facts =
        ask(program("#pragma omp target data map(tofrom: u[0:n], v[0:n])  // here\n  {\n" + inside +
                        "  }\n",
                    before),
            "first");
    if (!facts.found) return facts.why;
    return facts.kernel_read.use == "unknown" ? facts.kernel_read.why : facts.kernel_read.use;
  }
  /// Who reads u after such a block whose kernel reads it, and writes v: "host", "kernel", "-".
  [[nodiscard]] std::string rest(const std::string& after,
                                 const std::string& kernel = "v[i] = u[i]") const {
    const StretchItemFacts facts =
        ask(program("#pragma omp target teams loop map(tofrom: u[0:n], v[0:n])  // here\n"
                    "  for (int i = 0; i < n; ++i) " +
                    kernel + ";\n" + after),
            "rest");
    if (!facts.found) return facts.why;
    if (facts.read.use != "no") return "host";
    return facts.kernel_read.use != "no" ? "kernel" : "-";
  }
  static std::string region(const std::string& head, const std::string& statement) {
    return "#pragma omp target teams loop " + head + "\n    for (int i = 0; i < n; ++i) " +
           statement + ";\n";
  }
};

TEST_F(OneWay, SentDataIsOverwrittenWhereTheFirstRegionWritesAllOfIt) {
  EXPECT_EQ(first(region("", "u[i] = v[i]")), "no");
  EXPECT_EQ(first(region("", "v[i] = 1") + region("", "u[i] = v[i]")), "no")
      << "a region before it leaves it alone";
  EXPECT_EQ(first(region("", "u[i] = v[i]") + region("", "v[i] = u[i]")), "no");
  EXPECT_EQ(first("    for (int k = 0; k < 3; ++k) {\n" + region("", "u[i] = v[i]") + "    }\n"),
            "no");
}

TEST_F(OneWay, SentDataIsReadWhereARegionDoes) {
  EXPECT_EQ(first(region("", "v[i] = u[i]") + region("", "u[i] = v[i]")), "yes");
  EXPECT_EQ(first(region("", "u[i] += v[i]")), "yes");
  EXPECT_EQ(first("#pragma omp target teams loop\n    for (int i = 1; i < n; ++i) u[i] = 1;\n"),
            "yes")
      << "one element stays as it was sent";
}

TEST_F(OneWay, SentDataMayBeNeededWhereTheRegionMayBeLeftOut) {
  const std::string written = region("", "u[i] = v[i]");
  EXPECT_EQ(first("    if (argc > 1) {\n" + written + "    }\n"), "may be left out");
  EXPECT_EQ(first("    for (int k = 1; k < argc; ++k) {\n" + written + "    }\n"),
            "may be left out");
  EXPECT_EQ(first("    for (int k = 0; k < 3; ++k) {\n      if (argc > 5) break;\n" + written +
                  "    }\n"),
            "may be left out");
  EXPECT_EQ(first(region("if(argc > 1)", "u[i] = v[i]")), "may be left out");
  EXPECT_EQ(first(region("nowait", "u[i] = v[i]")), "may be left out");
  EXPECT_EQ(first("    n = argc;\n" + written), "changes a name in its section");
  EXPECT_EQ(first("    elsewhere(v);\n" + written), "may run other code");
  EXPECT_EQ(first("    int n = 5;\n" + written), "yes") << "that is another n";
  EXPECT_EQ(first(region("device(argc)", "u[i] = v[i]")), "may be left out");
  EXPECT_EQ(first("#pragma omp target map(tofrom: n)\n    n = n - 1;\n" + written),
            "changes a name in its section");
  EXPECT_EQ(first("#pragma omp target update from(u[0:n])\n" + written), "may use it");
  EXPECT_EQ(first("    w = u;\n" + region("", "v[i] = w[i]") + written, "static double* w;\n"),
            "yes")
      << "it has another name there";
}

TEST_F(OneWay, WhatCameBackIsNotReadWhereNothingReadsItLater) {
  EXPECT_EQ(rest(""), "-");
  EXPECT_EQ(rest("  printf(\"%g\\n\", v[0]);\n"), "-") << "that is other data";
  EXPECT_EQ(rest("  for (int i = 0; i < n; ++i) u[i] = 0;\n"), "-");
}

TEST_F(OneWay, WhatCameBackIsReadByTheHostOrFromTheHost) {
  EXPECT_EQ(rest("  printf(\"%g\\n\", u[0]);\n"), "host");
  EXPECT_EQ(rest("  elsewhere(u);\n"), "host") << "it may";
  EXPECT_EQ(rest("  double* p = u;\n  if (argc > 1) printf(\"%g\\n\", p[0]);\n"), "host");
  EXPECT_EQ(rest(region("map(to: u[0:n]) map(tofrom: v[0:n])", "v[i] += u[i]")), "kernel")
      << "it is sent again";
}

TEST_F(OneWay, WhatCameBackIsNotReadWhereTheHostOverwritesAllOfItFirst) {
  const std::string print = "  printf(\"%g\\n\", u[0]);\n";
  const auto loop = [](const std::string& head, const std::string& body) {
    return "  for (" + head + "; ++i) " + body + "\n";
  };
  const std::string fill = loop("int i = 0; i < n", "u[i] = argc;");
  EXPECT_EQ(rest(fill + print), "-");
  EXPECT_EQ(rest("  if (argc > 2) puts(\"-\");\n" + fill + print), "-");
  EXPECT_EQ(rest(fill + region("map(tofrom: u[0:n], v[0:n])", "v[i] += u[i]")), "-");
  EXPECT_EQ(rest(print + fill), "host");
  EXPECT_EQ(rest(loop("int i = 1; i < n", "u[i] = 0;") + print), "host");
  EXPECT_EQ(rest(loop("int i = 0; i < n", "u[i] += 1;") + print), "host");
  EXPECT_EQ(rest(loop("int i = 0; i < n", "u[i] = u[n - 1];") + print), "host");
  EXPECT_EQ(rest(loop("int i = 0; i < n", "{ if (i == argc) break; u[i] = 0; }") + print), "host");
  EXPECT_EQ(rest("  if (argc > 2) {\n" + fill + "  }\n" + print), "host");
  EXPECT_EQ(rest("  if (argc > 2) return 1;\n" + fill + print), "-") << "nothing reads it then";
  EXPECT_EQ(rest("  if (argc > 2) goto end;\n" + fill + "end:\n" + print), "host");
  EXPECT_EQ(rest("  n = argc;\n" + fill + print), "host") << "it is shorter now";
  EXPECT_EQ(rest("  double* w = u;\n  u = v;\n" + fill + "  u = w;\n" + print), "host")
      << "that is other data";
  EXPECT_EQ(rest("#pragma omp target update to(u[0:n])\n" + fill + print), "host");
  EXPECT_EQ(rest(region("map(tofrom: u[0:n], v[0:n])", "v[i] += u[i]") + fill + print), "host");
  EXPECT_EQ(rest("#pragma omp task\n" + fill + print), "host") << "it may be later";
}

TEST_F(OneWay, WhatCameBackMayBeReadByCodeThatNothingCalls) {
  const std::string late = "code that nothing calls may read it";
  const auto with = [&](const std::string& before, const std::string& after) {
    const StretchItemFacts facts =
        ask(program("#pragma omp target teams loop map(tofrom: u[0:n], v[0:n])  // here\n"
                    "  for (int i = 0; i < n; ++i) v[i] = u[i];\n" +
                        after,
                    before),
            "rest");
    return facts.found ? facts.read.use : facts.why;
  };
  EXPECT_EQ(with("", ""), "no");
  EXPECT_EQ(with("__attribute__((destructor)) static void last(void) { puts(\"-\"); }\n", ""),
            late);
  EXPECT_EQ(with("static void end(double** p) { (void)p; }\n",
                 "  __attribute__((cleanup(end))) double* q = v;\n"),
            late);
  EXPECT_EQ(with("", "  double* p = realloc(u, 1600);\n  printf(\"%g\\n\", p[0]);\n  u = p;\n"),
            "yes");
}

TEST_F(OneWay, WhatCameBackMayBeAResultWhereNoRegionReadsIt) {
  EXPECT_EQ(rest("", "u[i] = 2 * v[i]"), "no region reads it: it may be a result");
}

TEST_F(OneWay, OfALoopAllOfItComesLater) {
  const auto in_loop = [&](const std::string& before) {
    const StretchItemFacts facts =
        ask(program("  for (int k = 0; k < 5; ++k) {\n" + before +
                    "#pragma omp target teams loop map(tofrom: u[0:n], v[0:n])  // here\n"
                    "    for (int i = 0; i < n; ++i) v[i] = u[i];\n  }\n"),
            "rest");
    return facts.found ? facts.read.use + ' ' + facts.kernel_read.use : facts.why;
  };
  EXPECT_EQ(in_loop("    printf(\"%g\\n\", u[0]);\n"), "yes yes");
  EXPECT_EQ(in_loop(""), "no yes");
  EXPECT_EQ(in_loop("    for (int i = 0; i < n; ++i) u[i] = k;\n"), "no no")
      << "each iteration overwrites it";
  EXPECT_EQ(in_loop("    for (int i = 0; i < n; i += 2) u[i] = k;\n"), "no yes");
}

}  // namespace
}  // namespace ompdm::edit::one_way_test
