// `ompdm export`: a name has what was exported whole, or what it had before; nothing lies beside
// it.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "support/synthetic_trace.h"

namespace ompdm::cli::export_test {
namespace {

namespace fs = std::filesystem;
using testing::Ran;
using testing::read_file;

class Export : public ::testing::TestWithParam<const char*> {
 protected:
  /// A whole recording is not replaced by the next: of JSON a part is written.
  [[nodiscard]] static std::string form() {
    return GetParam() == std::string("json") ? "json --from 0ns" : GetParam();
  }
  /// A trace of some hundred kilobytes in either form, or of a few.
  void write(const std::string& name, std::size_t events = 2000, std::int32_t rank = -1) const {
    Trace trace = test::synthetic_trace({.events = events});
    trace.process.rank = rank;
    trace.process.rank_count = rank < 0 ? 0 : 3;
    trace.process.pid += static_cast<std::uint32_t>(rank + 1);
    write_trace(trace, scratch_.folder() / name);
  }
  /// A shell line in which `export` writes FILE in this form.
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(scratch_.folder(), "export_to() { " + shell_word(OMPDM_COMMAND) +
                                                 " export \"$2\" --format " + form() +
                                                 " -o \"$1\"; }\n" + line);
  }
  /// What `ls` shows but for what was there.
  [[nodiscard]] std::string left() const { return run("ls | grep -vx trace.json").out; }

  testing::Scratch scratch_;
};

TEST_P(Export, WhatDoesNotFitLeavesTheNameAsItWas) {
  write("trace.json");
  const Ran ran = run("ulimit -f 20; export_to new trace.json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "ompdm: new: cannot be written (File too large): make room or name a file elsewhere "
            "with -o\n");
  EXPECT_EQ(left(), "");
  write("small.json", 1);
  ASSERT_EQ(run("export_to kept small.json; rm small.json").status, 0);
  const std::string before = read_file(scratch_.folder() / "kept");
  EXPECT_EQ(run("ulimit -f 20; export_to kept trace.json").status, 1);
  EXPECT_EQ(left(), "kept\n");
  EXPECT_EQ(read_file(scratch_.folder() / "kept"), before);
}

TEST_P(Export, AFullDiskIsNamedByTheFileThatWasAskedFor) {
  write("trace.json");
  const Ran ran =
      run("unshare -m sh -c 'mkdir -p full && mount -t tmpfs -o size=64k none full && printf y' ||"
          " exit 77\n");
  if (ran.out != "y") GTEST_SKIP() << "no file system can be mounted here: " << ran.err;
  const Ran full = run("export OMPDM=" + shell_word(OMPDM_COMMAND) + " FORM=" + GetParam() +
                       "\nunshare -m sh -c 'mount -t tmpfs -o size=64k none full && cd full && "
                       "$OMPDM export ../trace.json --format $FORM -o new; echo $?; ls'");
  EXPECT_EQ(full.out, "1\n");
  EXPECT_EQ(full.err,
            "ompdm: new: cannot be written (No space left on device): make room or name a file "
            "elsewhere with -o\n");
}

TEST_P(Export, AFolderThatIsNotOursIsFoundAtOnce) {
  write("trace.json");
  const Ran gone = run("export_to nowhere/new trace.json");
  EXPECT_EQ(gone.status, 1);
  EXPECT_TRUE(gone.err.starts_with("ompdm: nowhere/new: cannot be written (No such file"))
      << gone.err;
  EXPECT_EQ(run("mkdir there; export_to there trace.json").err,
            "ompdm: there: is a folder: choose another name with -o\n");
  // Root may write anywhere.
  const std::string as_nobody =
      ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const Ran refused =
      run("chmod go+rx .; chmod a-w there; " + as_nobody + shell_word(OMPDM_COMMAND) +
          " export trace.json -o there/new --format " + GetParam());
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.err.starts_with("ompdm: there/new: cannot be written (Permission denied)"))
      << refused.err;
}

TEST_P(Export, NeverWaitsForTheOtherEndOfAPipe) {
  write("trace.json");
  const Ran ran = run("mkfifo pipe; timeout 20 " + shell_word(OMPDM_COMMAND) +
                      " export trace.json -o pipe --format " + GetParam());
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.err.starts_with("ompdm: pipe: is a pipe or a device, where no file can be put: "))
      << ran.err;
}

TEST_P(Export, NeverReplacesARecording) {
  write("trace.json");
  write("other.json", 10);
  const std::string before = read_file(scratch_.folder() / "trace.json");
  for (const char* itself : {"trace.json", "./trace.json", "link"}) {
    const Ran ran = run("ln -sf trace.json link; export_to " + std::string(itself) + " trace.json");
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(ran.err.starts_with(std::string("ompdm: ") + itself + ": is ")) << ran.err;
    EXPECT_TRUE(ran.err.ends_with(" read: name another file with -o\n")) << ran.err;
  }
  EXPECT_EQ(read_file(scratch_.folder() / "trace.json"), before);
  const Ran other = run("export_to other.json trace.json");
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(other.err, "ompdm: other.json: holds a recording: choose another name with -o\n");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(run("export_to new trace.json").status, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Export, ::testing::Values("sqlite", "json"));

using ExportJson = Export;

TEST_P(ExportJson, GoesToStandardOutput) {
  write("trace.json");
  for (const char* name : {"-", "/dev/stdout"}) {
    const Ran ran = run("export_to " + std::string(name) + " trace.json | cat >out.json; ls");
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(ran.out, "out.json\ntrace.json\n");
    EXPECT_TRUE(is_part(scratch_.folder() / "out.json"));
  }
}

TEST_P(ExportJson, IsOfWhatIsToldAlone) {
  Trace trace = test::synthetic_trace({.events = 200});
  trace.process.wall = 100'000'000;
  trace.recording.detail = Recording::Detail::kSpoolLimit;
  trace.recording.recorded_to = 25'600'000;
  write_trace(trace, scratch_.folder() / "trace.json");
  const std::string command = shell_word(OMPDM_COMMAND) + " export trace.json --format json ";
  const std::string told = "ompdm: trace.json: its events are recorded from 0 ns to 25.6 ms: ";
  for (const char* outside : {"--from 30ms --to 40ms", "--from 200ms"}) {
    const Ran ran = run(command + outside);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.err, told + "choose --from and --to within\n") << outside;
  }
  EXPECT_EQ(run(command + "--from=-5ms --to 1ms").err,
            "ompdm: --from -5ms: is before the run: times are counted from its start\n");
  const Ran cut = run(command + "--from 1ms --to 40ms");
  EXPECT_EQ(cut.status, 0);
  EXPECT_EQ(cut.err, told + "the part is cut to that\nompdm: wrote trace.window.json\n");
  const Recording part = read_trace(scratch_.folder() / "trace.window.json").recording;
  EXPECT_EQ(part.recorded_from, 1'000'000);
  EXPECT_EQ(part.recorded_to, 25'600'000);
}

TEST_P(ExportJson, OfACountedRunHasNoPart) {
  Trace trace = test::synthetic_trace({.events = 1});
  trace.recording.detail = Recording::Detail::kAggregates;
  write_trace(trace, scratch_.folder() / "trace.json");
  const Ran ran = run("export_to new trace.json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(
      ran.err.starts_with("ompdm: trace.json: has aggregates and no events: there is no part"))
      << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Forms, ExportJson, ::testing::Values("json"));

class ExportDatabase : public Export {
 protected:
  /// The first row of the answer.
  [[nodiscard]] std::string ask(const char* query) const {
    sqlite3* database = nullptr;
    sqlite3_open((scratch_.folder() / "job.sqlite").c_str(), &database);
    std::string answer;
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "NULL";
      return 0;
    };
    sqlite3_exec(database, query, take, &answer, nullptr);
    sqlite3_close(database);
    return answer;
  }
};

TEST_P(ExportDatabase, DoesNotGoToStandardOutput) {
  write("trace.json");
  const Ran ran = run("export_to - trace.json; status=$?; ls; exit $status");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "trace.json\n");
  EXPECT_EQ(ran.err,
            "ompdm: -: a database cannot be written to standard output: name a file with -o\n");
}

// Its recording still comes, through a pipe: the file is surely half made.
TEST_P(ExportDatabase, ASignalLeavesNothing) {
  write("trace.json");
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const Ran ran = run(
        "mkfifo pipe; env --default-signal=INT " + shell_word(OMPDM_COMMAND) +
        " export - --format sqlite -o job.sqlite <pipe & exec 9>pipe\n"
        "until ls job.sqlite.tmp-*; do sleep 0.02; done >seen 2>/dev/null; kill -" +
        signal +
        " $!; wait $!; status=$?; rm pipe; exec 9>&-; test -s seen && rm seen; ls; exit $status");
    EXPECT_EQ(ran.status, status) << ran.err;
    EXPECT_EQ(ran.out, "trace.json\n");
  }
}

// The names do not tell the ranks: they are known after the rows have been written.
TEST_P(ExportDatabase, RecordingsAreInTheOrderOfTheirRanks) {
  write("a.json", 30, 2);
  write("b.json", 10, 0);
  write("c.json", 20, 1);
  const Ran ran = testing::shell(
      scratch_.folder(),
      shell_word(OMPDM_COMMAND) + " export a.json b.json c.json --format sqlite -o job.sqlite");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* table : {"traces", "ops", "losses", "report_totals", "report_directives"}) {
    const std::string from = std::string(" FROM ") + table;
    EXPECT_EQ(ask(("SELECT count(*)" + from + " WHERE trace IS NOT rank").c_str()), "0") << table;
    EXPECT_EQ(ask(("SELECT count(DISTINCT trace)" + from).c_str()), "3") << table;
  }
  EXPECT_EQ(
      ask("SELECT group_concat(trace || file, ' ') FROM (SELECT * FROM traces ORDER BY trace)"),
      "0b.json 1c.json 2a.json");
}

INSTANTIATE_TEST_SUITE_P(Forms, ExportDatabase, ::testing::Values("sqlite"));

}  // namespace
}  // namespace ompdm::cli::export_test
