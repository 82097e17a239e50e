// What sources say is believed only where they are known to be parsed as they were compiled.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "project.h"
#include "recorded.h"

namespace ompdm::e2e::source_doubts_test {
namespace {

namespace fs = std::filesystem;

/// Two arrays and a kernel that only reads them in this run, and writes `x` in another where `body`
/// says so.
std::string program_of(const std::string& body, const std::string& before = {}) {
  return "#include <stdio.h>\n#include <stdlib.h>\nenum { N = 20000 };\n" + before +
         "int main(int argc, char** argv) {\n"
         "  (void)argv;\n"
         "  double* x = malloc(N * sizeof *x);\n"
         "  double* y = malloc(N * sizeof *y);\n"
         "  for (int i = 0; i < N; i++) { x[i] = i; y[i] = 2.0 * i; }\n"
         "#pragma omp target teams distribute parallel for map(tofrom : x[0 : N], y[0 : N])\n"
         "  for (int i = 0; i < N; i++) {\n" +
         body +
         "  }\n"
         "  printf(\"%g %g\\n\", x[N - 1], y[N - 1]);\n"
         "  free(x);\n  free(y);\n}\n";
}

const std::string kChosen =
    "#if WR\n    if (argc > 1) x[i] = y[i];\n#else\n    (void)(x[i] > y[i]);\n#endif\n";
const std::string kDefault = "#ifndef WR\n#define WR 0\n#endif\n";

using Found = std::map<std::string, std::string>;

class SourceDoubts : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text;
  }
  /// As a shell runs it, in the folder; `cc` is the compiler with its options.
  void shell(const std::string& command) const {
    const Ended ended =
        run({{"sh", "-c", "set -e; cc() { " + compile_line(true) + " \"$@\"; }; " + command}},
            folder_.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
  }
  void record(const std::string& program, const std::string& directory = ".") const {
    const Ended ended =
        run({{OMPDM_COMMAND, "record", "-o", trace(), "--", program}}, folder_.path() / directory);
    ASSERT_EQ(ended.status, 0) << ended.err;
  }
  /// Confidences of findings by their variables, and what is printed on standard error.
  Found found(const std::vector<std::string>& options, std::string& err) const {
    std::vector<std::string> words = {OMPDM_COMMAND, "report", "--format", "json", trace()};
    words.insert(words.end(), options.begin(), options.end());
    const Ended reported = run({words}, folder_.path());
    EXPECT_EQ(reported.status, 0) << reported.err;
    err = reported.err;
    Found all;
    const Json report = Json::parse(reported.out);
    for (const Json& finding : report["findings"]) {
      all[finding["variable"]] =
          finding["pattern"].get<std::string>() + ' ' + finding["confidence"].get<std::string>();
    }
    return all;
  }
  /// Expects that the sources say nothing, and why.
  void expect_doubt(const std::string& why) const {
    std::string err;
    const Found off = found({"--source", "off"}, err);
    EXPECT_EQ(found({"--source", "auto"}, err), off);
    EXPECT_NE(err.find(why), std::string::npos) << err;
  }
  void expect_known(const Found& known, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> all = {"--source", "auto"};
    all.insert(all.end(), options.begin(), options.end());
    std::string err;
    EXPECT_EQ(found(all, err), known);
    EXPECT_EQ(err, "");
  }
  [[nodiscard]] std::string trace() const { return (folder_.path() / "trace.json").string(); }
  Folder folder_;
};

const Found kWritten = {{"y", "unmodified_copy_back proven"}};

TEST_F(SourceDoubts, AreOfAMacroToWhichTheBuildGaveAnotherValue) {
  write("a.c", program_of(kChosen, kDefault));
  shell("cc -DWR=1 a.c -o a");
  record("./a");
  expect_doubt(
      "a.c:12: it says nothing of its data: it depends on macro WR, which debug "
      "information does not tell: give -p\n");
  write("compile_commands.json", Json({{{"directory", folder_.path().string()},
                                        {"file", "a.c"},
                                        {"command", compile_line(true) + " -DWR=1 -c a.c"}}})
                                     .dump());
  expect_known(kWritten);
  const fs::path commands = folder_.path() / "compile_commands.json";
  fs::last_write_time(commands, fs::last_write_time(commands) + std::chrono::hours(1));
  expect_doubt("give -p");
  expect_known(kWritten, {"-p", folder_.path().string()});
  shell("cc -DWR=1 -grecord-command-line a.c -o a");
  record("./a");
  expect_known(kWritten);
}

TEST_F(SourceDoubts, AreNotWhereLinesShowWhatWasCompiled) {
  write("a.c", program_of("#ifdef WR\n    if (argc > 1) x[i] = y[i];\n#else\n"
                          "    if (x[i] < y[i] - 1e9) __builtin_trap();\n#endif\n"));
  shell("cc -DWR a.c -o a");
  record("./a");
  expect_known(kWritten);
  shell("cc a.c -o a");
  record("./a");
  expect_known({{"x, y", "unmodified_copy_back proven"}});
}

TEST_F(SourceDoubts, AskEachTimeThatASourceIsCompiled) {
  write("k.c",
        "enum { N = 20000 };\nvoid NAME(double* x, double* y, int w) {\n"
        "#pragma omp target teams distribute parallel for map(tofrom : x[0 : N]) map(tofrom : y[0 "
        ": N])\n  for (int i = 0; i < N; i++) {\n"
        "#ifdef WR\n    if (w) x[i] = y[i];\n#else\n"
        "    if (x[i] < y[i] - 1e9 + w) __builtin_trap();\n#endif\n  }\n}\n");
  write("a.c",
        "#include <stdlib.h>\nenum { N = 20000 };\nvoid one(double*, double*, int);\n"
        "void two(double*, double*, int);\nint main(int argc, char** argv) {\n  (void)argv;\n"
        "  double* x = malloc(N * sizeof *x);\n  double* y = malloc(N * sizeof *y);\n"
        "  for (int i = 0; i < N; i++) { x[i] = i; y[i] = 2.0 * i; }\n"
        "  one(x, y, argc > 1);\n  two(x, y, argc > 1);\n}\n");
  shell(
      "cc -c -DNAME=one k.c -o one.o; cc -c -DNAME=two -DWR k.c -o two.o; cc a.c one.o two.o -o a");
  record("./a");
  std::string err;
  for (const auto& [variable, finding] : found({"--source", "auto"}, err)) {
    const bool is_settled = finding == "unmodified_copy_back proven";
    EXPECT_TRUE(!is_settled || variable == "y") << variable << ' ' << finding << err;
  }
}

TEST_F(SourceDoubts, AreOfAHeaderThatWasChanged) {
  const std::string reads =
      "static void use(double* x, double y) { if (*x < y - 1e9) __builtin_trap(); }\n";
  write("use.h", reads);
  write("a.c", program_of("    use(x + i, y[i]);\n", "#include \"use.h\"\n"));
  shell("cc a.c -o a");
  record("./a");
  expect_known({{"x, y", "unmodified_copy_back proven"}});
  write("use.h", "static void use(double* x, double y) { (void)x; (void)y; }\n");
  fs::remove(folder_.path() / "trace.facts");
  expect_doubt("use.h is not known to be as it was compiled");
  // Written again with the same contents.
  write("use.h", reads);
  expect_known({{"x, y", "unmodified_copy_back proven"}});
}

TEST_F(SourceDoubts, AreNotOfANameRelativeToWhereItWasCompiled) {
  write("src/a.c", program_of("    if (x[i] < y[i] - 1e9) __builtin_trap();\n"));
  write("run/input", "");
  shell("mkdir bin; cd src; cc a.c -o ../bin/a");
  record("../bin/a", "run");
  expect_known({{"x, y", "unmodified_copy_back proven"}});
}

TEST_F(SourceDoubts, AreNotOfSourcesThatLieWhereTheUserSays) {
  fs::create_directories(folder_.path() / "built/inc");
  write("built/inc/work.h",
        "static inline void work(double* x, double* y, int i) { y[i] = x[i]; }\n");
  write("built/src/a.c", program_of("    work(x, y, i);\n", "#include \"work.h\"\n"));
  shell("cc -Ibuilt/inc $PWD/built/src/a.c -o a");
  record("./a");
  shell("mv built copied");
  std::string err;
  const Found off = found({"--source", "off"}, err);
  EXPECT_EQ(found({"--source", "auto"}, err), off);
  EXPECT_NE(err.find("built/src/a.c: not read: it is missing"), std::string::npos) << err;
  const Found known = {{"x", "unmodified_copy_back proven"}};
  std::vector<std::string> there = {"--source", (folder_.path() / "copied").string()};
  EXPECT_NE(off, known);
  EXPECT_EQ(found(there, err), known) << err;
  // What they said stands beside the trace, and goes along with its parts.
  EXPECT_EQ(found({"--source", "auto"}, err), known) << err;
  const std::string part = (folder_.path() / "part.json").string();
  const Ended exported =
      run({{OMPDM_COMMAND, "export", trace(), "--format", "json", "-o", part}}, folder_.path());
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_TRUE(fs::exists(folder_.path() / "part.facts"));
}

TEST_F(SourceDoubts, OfAGateAreSaid) {
  write("a.c", program_of("    y[i] = x[i];\n"));
  shell("cc a.c -o a");
  record("./a");
  const auto gate = [&](const std::string& source) {
    const Ended ended = run({{OMPDM_COMMAND, "report", trace(), "--source", source, "--fail-if",
                              "findings.proven > 0"}},
                            folder_.path());
    return std::pair(ended.status, ended.err);
  };
  const auto [asked, asked_err] = gate("auto");
  EXPECT_EQ(asked, 3);
  EXPECT_NE(asked_err.find("with the program's sources"), std::string::npos) << asked_err;
  const auto [off, off_err] = gate("off");
  EXPECT_EQ(off, 0);
  EXPECT_NE(off_err.find("by the trace alone"), std::string::npos) << off_err;
}

}  // namespace
}  // namespace ompdm::e2e::source_doubts_test
