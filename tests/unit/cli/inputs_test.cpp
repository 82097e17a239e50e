// What a TRACE argument may be besides the name of a trace.
#include <gtest/gtest.h>

#include <string>

#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "support/trace_builder.h"

namespace ompdm::cli::inputs_test {
namespace {

using testing::Ran;
using testing::Scratch;

class Inputs : public ::testing::Test {
 protected:
  Inputs() {
    test::TraceBuilder build;
    build.begin(build.site(Directive::kTarget, "a.cpp", 4, "main"));
    build.op(OpKind::kHtoD, build.variable("a", 8000), 8000, 1000);
    build.end();
    const Trace trace = build.take();
    write_trace(trace, scratch_.folder() / "trace.json.gz");
    write_trace(trace, scratch_.folder() / "trace.json");
  }
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(scratch_.folder(),
                          "ompdm() { " + shell_word(OMPDM_COMMAND) + " \"$@\"; }\n" + line);
  }
  Scratch scratch_;
};

TEST_F(Inputs, ReadStandardInput) {
  const Ran named = run("ompdm report trace.json");
  EXPECT_EQ(named.status, 0) << named.err;
  for (const char* line : {"cat trace.json | ompdm report -", "ompdm report - < trace.json",
                           "cat trace.json.gz | ompdm report -"}) {
    const Ran ran = run(line);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, named.out) << line;
    EXPECT_EQ(ran.err, "") << line;
  }
  EXPECT_NE(run("ompdm info - < trace.json").out.find("file        standard input\n"),
            std::string::npos);
  EXPECT_EQ(run("ompdm compare - trace.json < trace.json").status, 0);
  EXPECT_EQ(run("ompdm compare trace.json - < trace.json").status, 0);
}

TEST_F(Inputs, OfWhichNothingIsToldAreNoEmptyList) {
  test::TraceBuilder build;
  build.trace.recording.detail = Recording::Detail::kAggregates;
  write_trace(build.take(), scratch_.folder() / "counted.json");
  EXPECT_EQ(run("ompdm report --gpu-trace --format csv counted.json").err,
            "ompdm: counted.json: nothing is listed: the run was aggregated\n");
  EXPECT_EQ(run("ompdm report --gpu-trace --format csv trace.json").err, "");
}

TEST_F(Inputs, AreNotHeldAgainstEachOtherByWhatOneDoesNotTell) {
  test::TraceBuilder build;
  build.trace.recording.detail = Recording::Detail::kAggregates;
  write_trace(build.take(), scratch_.folder() / "counted.json");
  for (const char* path : {"findings.came", "findings.came.device_leak", "findings", "iterations",
                           "traces.transfer_union_ns", "prediction.wall_ns"}) {
    for (const char* op : {">", "<"}) {
      const std::string condition = std::string(" --fail-if '") + path + ' ' + op + " 1'";
      const Ran after = run("ompdm compare trace.json counted.json" + condition);
      EXPECT_EQ(after.status, 2) << condition;
      EXPECT_EQ(after.err, "ompdm: '" + std::string(path) +
                               "': not known of the whole run in AFTER, which was aggregated: "
                               "the condition cannot be tested\n");
      EXPECT_EQ(run("ompdm compare counted.json trace.json" + condition).status, 2) << condition;
    }
  }
  EXPECT_EQ(run("ompdm compare trace.json counted.json --fail-if 'HtoD.count > 1'").status, 0);
  EXPECT_EQ(run("ompdm compare trace.json trace.json --fail-if 'findings.came > 0'").status, 0);
}

// What a run lost can only add to what is too much already.
TEST_F(Inputs, OfWhichEventsAreMissingDoNotIteration) {
  test::TraceBuilder build;
  build.begin(build.site(Directive::kTarget, "a.cpp", 4, "main"));
  build.op(OpKind::kHtoD, build.variable("a", 8000), 8000, 1000);
  build.end();
  build.trace.losses = {{"records_no_space", 18481}};
  write_trace(build.take(), scratch_.folder() / "lost.json");
  const auto tested = [&](const std::string& words) { return run("ompdm " + words).status; };
  EXPECT_EQ(tested("report trace.json --fail-if 'HtoD.count > 2000'"), 0);
  EXPECT_EQ(tested("report lost.json --fail-if 'HtoD.count > 2000'"), 1);
  EXPECT_EQ(tested("report lost.json --fail-if 'HtoD.count < 2000'"), 1);
  EXPECT_EQ(tested("report lost.json --fail-if 'HtoD.count > 0'"), 3);
  EXPECT_EQ(tested("report lost.json --fail-if 'HtoD.count > 9' --fail-if 'HtoD.count > 0'"), 3);
  EXPECT_EQ(tested("report lost.json --fail-if 'traces.0.truncated > 0'"), 0);
  EXPECT_EQ(tested("report --ranks lost.json --fail-if 'HtoD.count > 2000'"), 1);
  EXPECT_EQ(tested("report --ranks trace.json --fail-if 'HtoD.count > 2000'"), 0);
  EXPECT_EQ(tested("compare trace.json lost.json --fail-if 'HtoD.count > 1.05x'"), 1);
  EXPECT_EQ(tested("compare trace.json lost.json --fail-if 'HtoD.count > 0'"), 3);
  EXPECT_EQ(run("ompdm report lost.json --fail-if 'HtoD.count > 2000'").err,
            "ompdm: --fail-if 'HtoD.count > 2000': not known of the whole run: lost.json: events "
            "were lost (records_no_space 18481)\n");
}

TEST_F(Inputs, TellATerminalWhatTakesLong) {
  const std::string slow = "{ sleep 1.3; cat trace.json; } | " OMPDM_COMMAND " report - > report";
  const Ran ran = run("script -qec '" + slow + "' /dev/null < /dev/null");
  if (ran.status == 127) GTEST_SKIP() << "no script(1) here";
  EXPECT_TRUE(ran.out.starts_with("\r\033[Kompdm: reading standard input, 1 s")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\r\033[K")) << ran.out;
  EXPECT_EQ(run("cat report").out, run("ompdm report trace.json").out);
}

TEST_F(Inputs, SaysWhatIsWrongWithStandardInput) {
  const Ran empty = run("ompdm report - < /dev/null");
  EXPECT_EQ(empty.status, 1);
  EXPECT_TRUE(empty.err.starts_with("ompdm: standard input: ")) << empty.err;
  const Ran foreign = run("echo text | ompdm report -");
  EXPECT_EQ(foreign.status, 1);
  EXPECT_TRUE(foreign.err.starts_with("ompdm: standard input: ")) << foreign.err;
  const Ran twice = run("ompdm compare - - < trace.json");
  EXPECT_EQ(twice.status, 2);
  EXPECT_EQ(twice.err, "ompdm: standard input: named twice: name a file\n");
  const Ran terminal = run("script -qec '" OMPDM_COMMAND " report -' /dev/null < /dev/null");
  if (terminal.status == 127) return;  // no script(1) here
  EXPECT_EQ(terminal.status, 2);
  EXPECT_NE(terminal.out.find("standard input: is a terminal"), std::string::npos) << terminal.out;
}

TEST_F(Inputs, KnowWhatBecameOfASpool) {
  const Ran finish = run("ompdm finish trace.json.spool");
  EXPECT_EQ(finish.status, 0);
  EXPECT_EQ(finish.out,
            "trace.json.spool is finished already: its trace is trace.json\n"
            "next: ompdm report trace.json\n");
  const Ran elsewhere = run("ompdm finish trace.json.spool -o other.json");
  EXPECT_EQ(elsewhere.status, 1);
  EXPECT_EQ(elsewhere.err,
            "ompdm: trace.json.spool: is finished already: its trace is trace.json: copy that to "
            "other.json\n");
  const Ran report = run("ompdm report trace.json.spool");
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.err, "ompdm: trace.json.spool: is finished: its trace trace.json is read\n");
  EXPECT_EQ(report.out, run("ompdm report trace.json").out);
  EXPECT_EQ(run("ompdm report other.json.spool").status, 1);
  EXPECT_EQ(run("ompdm finish other.json.spool").status, 1);
}

}  // namespace
}  // namespace ompdm::cli::inputs_test
