// What every verb makes of trace.ompdm: what it makes of the same model's trace.json.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "support/synthetic_trace.h"

namespace ompdm::cli::long_run_test {
namespace {

using testing::Ran;
using testing::Scratch;

namespace fs = std::filesystem;

class LongRun : public ::testing::Test {
 protected:
  LongRun() {
    fs::create_directories(scratch_.folder() / "plain");
    fs::create_directories(scratch_.folder() / "long");
    const Trace trace = test::synthetic_trace({.events = 1200, .threads = 2});
    write_trace(trace, scratch_.folder() / "plain/trace.json");
    write_trace(trace, scratch_.folder() / "long/trace.ompdm");
  }
  /// `ompdm LINE` in one of the folders.
  [[nodiscard]] Ran run(const std::string& folder, const std::string& line) const {
    return testing::shell(scratch_.folder() / folder, shell_word(OMPDM_COMMAND) + " " + line);
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  Scratch scratch_;
};

TEST_F(LongRun, VerbsSayOfItWhatTheySayOfTheSameInJson) {
  for (const char* verb :
       {"report --all", "report --format json", "report --format csv", "report --format markdown",
        "report --format html", "report --gpu-trace", "report --paths", "compare trace.json",
        "compare --format json trace.json", "explain", "fix"}) {
    const std::string words = std::string(verb) + " trace.json" + (*verb == 'e' ? " 1" : "");
    const Ran plain = run("plain", words);
    const Ran of_long = run("long", words);
    EXPECT_EQ(of_long.status, plain.status) << words << of_long.err;
    EXPECT_FALSE(plain.out.empty() && plain.err.empty()) << words;
    EXPECT_EQ(replaced(of_long.out, "trace.ompdm", "trace.json"),
              replaced(plain.out, "trace.ompdm", "trace.json"))
        << words;
  }
}

TEST_F(LongRun, IsReadByItsOwnNameAndFromAPipe) {
  const std::string csv = run("long", "report --format csv trace.ompdm").out;
  EXPECT_NE(csv.find("trace.ompdm"), std::string::npos);
  EXPECT_EQ(run("long", "report --format csv trace.json").out, csv);
  const Ran piped = run("long", "report --format csv - < trace.ompdm");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, replaced(csv, "trace.ompdm", "standard input"));
}

TEST_F(LongRun, InfoTellsTheKindOfFile) {
  EXPECT_NE(run("long", "info trace.json").out.find("trace of a long run (binary)"),
            std::string::npos);
  EXPECT_NE(run("plain", "info trace.json").out.find("trace (JSON)"), std::string::npos);
}

TEST_F(LongRun, ATraceOfTheTypedNameGoesFirst) {
  write_trace(Trace{}, scratch_.folder() / "long/trace.json");
  EXPECT_NE(run("long", "info trace.json").out.find("trace (JSON)"), std::string::npos);
}

}  // namespace
}  // namespace ompdm::cli::long_run_test
