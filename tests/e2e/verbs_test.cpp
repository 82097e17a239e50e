// What doctor foretells, and whether it comes true; what info tells of a recording.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "offload_build.h"
#include "printable.h"
#include "scratch.h"

namespace ompdm::cli::verbs_test {
namespace {

namespace fs = std::filesystem;
using testing::Ran;
using testing::Scratch;

fs::path programs() { return fs::path(e2e::offload_build().folder) / "verbs"; }

struct Case {
  const char* program;
  bool events;                ///< foretold, and recorded
  const char* finding;        ///< a line of the doctor's, or its beginning
  const char* settings = "";  ///< of the environment
};

const Case kCases[] = {
    {"region", true, "ok:   debug information: lines and variable names\n"},
    {"no_debug", true, "warn: no debug information"},
    {"stripped", true, "warn: stripped, and built without -g"},
    {"stripped_lines", true, "ok:   no debug information is left, but the code itself tells"},
    {"user", true, "ok:   debug information: lines and variable names\n"},
    {"shared_asan", true, "ok:   LD_PRELOAD cannot be used", "ASAN_OPTIONS=detect_leaks=0"},
    {"libgomp", false, "no:   built with gcc's OpenMP (libgomp)"},
    {"own_tool", false, "no:   "},
    {"lost_runtime", false, "no:   libomptarget.so"},
    {"region", false, "no:   OMP_TARGET_OFFLOAD=DISABLED", "OMP_TARGET_OFFLOAD=DISABLED"},
    {"region", true, "warn: OMP_TOOL=disabled", "OMP_TOOL=disabled"},
    {"region", true, "warn: OMP_TOOL_LIBRARIES=/their.so", "OMP_TOOL_LIBRARIES=/their.so"},
};

class Verbs : public ::testing::Test {
 protected:
  Verbs() { fs::create_directory_symlink(programs(), scratch_.folder() / "programs"); }

  /// Runs a line in a folder of its own, where `ompdm` is the command and `programs` a link.
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(scratch_.folder(), "unset LD_PRELOAD LD_LIBRARY_PATH\nompdm() { " +
                                                 shell_word(OMPDM_COMMAND) + " \"$@\"; }\n" + line);
  }

  Scratch scratch_;
};

class Doctor : public Verbs, public ::testing::WithParamInterface<Case> {};

TEST_P(Doctor, ForetellsWhatIsRecorded) {
  const Case& c = GetParam();
  if (!fs::exists(programs() / c.program)) GTEST_SKIP() << c.program << " not built";
  if (std::string(c.program) == "lost_runtime" && run("programs/lost_runtime").status != 127) {
    GTEST_SKIP() << "this machine's loader knows the runtime's folder";
  }
  const std::string settings =
      *c.settings != '\0' ? std::string("export ") + c.settings + "\n" : "";
  const Ran doctor = run(settings + "ompdm doctor programs/" + c.program);
  EXPECT_EQ(doctor.status, c.events ? 0 : 1);
  EXPECT_NE(("\n" + doctor.out).find(std::string("\n") + c.finding), std::string::npos)
      << doctor.out;
  EXPECT_NE(doctor.out.find(c.events ? "\nEvents will come: " : "\nEvents will not come: "),
            std::string::npos)
      << doctor.out;

  const Ran record = run(settings + "ompdm record programs/" + c.program);
  const Ran report = run("ompdm report --format json trace.json");
  if (!c.events) {
    const bool none =
        report.status != 0 || nlohmann::json::parse(report.out)["totals"]["HtoD"]["count"] == 0;
    EXPECT_TRUE(none) << record.err << report.out;
    return;
  }
  ASSERT_EQ(report.status, 0) << record.err << report.err;
  EXPECT_EQ(nlohmann::json::parse(report.out)["totals"]["HtoD"]["bytes"], 4) << record.err;
}

std::string name_of(const ::testing::TestParamInfo<Case>& tested) {
  const std::string settings = tested.param.settings;
  return tested.param.program + settings.substr(0, settings.find('='));
}

INSTANTIATE_TEST_SUITE_P(Programs, Doctor, ::testing::ValuesIn(kCases), name_of);

TEST_F(Verbs, DoctorCanTry) {
  const Ran ran = run("ompdm doctor --run programs/region");
  EXPECT_NE(ran.out.find("ok:   region recorded: regions 1, data operations 4, launches 1"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("the runtime answered: target_emi 5"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nEvents will come: ompdm record programs/region\n")) << ran.out;
  EXPECT_EQ(run("ompdm doctor --run false").status, 1);
}

// The file alone says that it can offload: only a run tells that it did not.
TEST_F(Verbs, RecordOfAProgramThatDidNotOffloadLeadsToARunByDoctor) {
  const Ran record = run("ompdm record programs/region never");
  EXPECT_TRUE(record.err.ends_with("\nompdm: next: ompdm doctor --run programs/region never\n"))
      << record.err;
  const Ran doctor = run("ompdm doctor --run programs/region never");
  EXPECT_EQ(doctor.status, 1);
  EXPECT_EQ(doctor.out.find("Events will come"), std::string::npos) << doctor.out;
  EXPECT_EQ(doctor.out.find("ompdm record"), std::string::npos) << doctor.out;
}

TEST_F(Verbs, ReportAndExplainReadTheNewestTraceHere) {
  const Ran none = run("ompdm report");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "ompdm: no trace here: run `ompdm record PROGRAM` first, or name a trace\n");
  const Ran record =
      run("ompdm record programs/region; cp trace.json trace.~1~.json; touch trace.summary.json");
  EXPECT_EQ(record.status, 0) << record.err;
  const Ran report = run("ompdm report");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_EQ(report.err, "ompdm: no trace is named: trace.json is read\n");
  EXPECT_EQ(report.out, run("ompdm report trace.json").out);
  EXPECT_EQ(run("ompdm explain").out, run("ompdm explain trace.json").out);
  EXPECT_EQ(run("ompdm explain").status, 0);
  EXPECT_EQ(run("ompdm explain 99").status, 2);
  const Ran job = run("mv trace.json trace.rank0.json; ompdm report");
  EXPECT_EQ(job.err, "ompdm: no trace is named: the job in this folder is read\n");
  EXPECT_EQ(job.out, run("ompdm report .").out);
}

TEST_F(Verbs, ReportSaysHowManyRowsThereCanBe) {
  const Ran ran = run("ompdm report --top 0 trace.json");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "ompdm: report: --top: '0': write a number from 1 on, or --all for all rows: see "
            "`ompdm report --help`\n");
}

TEST_F(Verbs, RecordReports) {
  const Ran text = run("ompdm record --report programs/region; ompdm report trace.json > again");
  EXPECT_EQ(text.err, "ompdm: wrote trace.json\n");
  EXPECT_EQ(text.out, run("cat again").out);
  EXPECT_NE(text.out.find("Host device"), std::string::npos) << text.out;
  const Ran json = run("ompdm record --report=json -- programs/region");
  EXPECT_EQ(nlohmann::json::parse(json.out)["totals"]["HtoD"]["bytes"], 4) << json.err;
}

// A name that the user gave decides the kind; a name that nobody gave leaves it to the length.
TEST_F(Verbs, ALongRunLeavesItsOwnKindOfTrace) {
  const Ran run = this->run("OMPDM_MOST_IN_JSON=0 ompdm record programs/region");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("next: ompdm report trace.ompdm"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("ompdm export trace.ompdm --format json"), std::string::npos) << run.err;
  for (const std::string named : {"ompdm record -o named.json programs/region",
                                  "OMPDM_OUTPUT=named.json ompdm record programs/region"}) {
    const Ran json = this->run("rm -f named.*; OMPDM_MOST_IN_JSON=0 " + named + "; ls named.*");
    EXPECT_EQ(json.out, "named.json\n") << named << json.err;
  }
  const Ran report = this->run("ompdm report trace.json");
  EXPECT_EQ(report.status, 0) << report.err;
  const Ran again = this->run(
      "ompdm record --no-finish programs/region && ompdm finish trace.json.spool -o any.ompdm && "
      "ompdm info any.ompdm");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("trace of a long run (binary)"), std::string::npos) << again.out;
}

TEST_F(Verbs, RecordWritesThePageBesideTheTrace) {
  if (run("ompdm record --report=html programs/region").status == 2) GTEST_SKIP();
  EXPECT_EQ(run("ompdm record --report=html programs/region").err,
            "ompdm: wrote trace.json; the older one is trace.~1~.json\nompdm: wrote report.html\n");
  EXPECT_EQ(run("ompdm record --report=html -o naive.json programs/region").err,
            "ompdm: wrote naive.json\nompdm: wrote naive.report.html\n");
  const Ran foreign =
      run("echo mine > own.report.html; "
          "ompdm record --report=html -o own.json programs/region; cat own.report.html");
  EXPECT_EQ(foreign.out, "mine\n");
  EXPECT_NE(foreign.err.find("own.report.html: is no page of ompdm's"), std::string::npos);
}

// An interpreter holds no offload code; the library that it opens does.
TEST_F(Verbs, DoctorBelievesWhatCame) {
  const Ran ran = run("ompdm doctor --run programs/opener $PWD/programs/libpart.so");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("warn: no OpenMP offload code"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("no:   "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("ok:   opener recorded: regions 1,"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nEvents will come: ompdm record programs/opener " +
                                shell_word(scratch_.folder() / "programs/libpart.so") + "\n"))
      << ran.out;
}

TEST_F(Verbs, DoctorDoesNotForetellWhatAProgramOpens) {
  const std::string not_known = "\nNot known before a run: ompdm doctor --run ";
  const Ran opener = run("ompdm doctor programs/opener");
  EXPECT_EQ(opener.status, 0) << opener.out;
  EXPECT_TRUE(opener.out.ends_with(not_known + "programs/opener [ARG...]\n")) << opener.out;
  const Ran script = run("printf '#!/bin/sh\\n' > script; chmod +x script; ompdm doctor ./script");
  EXPECT_TRUE(script.out.ends_with(not_known + "./script [ARG...]\n")) << script.out;
  EXPECT_EQ(run("ompdm doctor --run programs/opener").status, 1);
}

// As a package installs it: not executable.
TEST_F(Verbs, DoctorTellsALibraryFromAProgram) {
  const Ran ran =
      run("cp programs/libpart.so . && chmod 644 libpart.so && ompdm doctor ./libpart.so");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("\nok:   OpenMP offload code in the library\nok:   offload runtime "),
            std::string::npos)
      << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nNot known before a run: ompdm doctor --run PROGRAM [ARG...]\n"))
      << ran.out;
}

// It has no run path of its own: the program that loads it has one, or has not.
TEST_F(Verbs, DoctorDoesNotForetellWhereALibraryFindsItsRuntime) {
  const Ran ran = run("ompdm doctor programs/lost_library");
  if (ran.out.find("is not found by the loader") == std::string::npos) {
    GTEST_SKIP() << "this machine's loader knows the runtime's folder";
  }
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find(" is not found by the loader, unless the program that loads the library "
                         "leads elsewhere: ompdm doctor --run PROGRAM"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find("no:   "), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("would not reach it"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nNot known before a run: ompdm doctor --run PROGRAM [ARG...]\n"))
      << ran.out;
}

TEST_F(Verbs, DoctorKnowsDirectivesThatOnlyMoveData) {
  const Ran ran = run("ompdm doctor --run programs/data_only");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("\nok:   OpenMP offload code in the program\n"), std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find("warn: no OpenMP"), std::string::npos) << ran.out;
}

// What is forgotten most often.
TEST_F(Verbs, DoctorKnowsRegionsThatAreCompiledForTheHostAlone) {
  const Ran ran = run("ompdm doctor programs/host_alone");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.out.find("\nno:   the target regions in the program are compiled for the host "
                         "alone"),
            std::string::npos)
      << ran.out;
  EXPECT_TRUE(ran.out.find("\nEvents will not come: compile and link it with -fopenmp ") !=
              std::string::npos)
      << ran.out;
}

TEST_F(Verbs, DoctorReadsDisabledAsTheRuntimeDoes) {
  const Ran ran = run("OMP_TARGET_OFFLOAD=Disabled ompdm doctor --run programs/region");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.out.find("\nno:   OMP_TARGET_OFFLOAD=Disabled: nothing is offloaded"),
            std::string::npos)
      << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nEvents will not come: unset OMP_TARGET_OFFLOAD\n")) << ran.out;
  const Ran tool = run("OMP_TOOL=Disabled ompdm record programs/region && ls");
  EXPECT_EQ(tool.out, "programs\ntrace.json\n") << tool.err;
}

TEST_F(Verbs, DoctorSaysOnceThatKernelsRanOnTheHost) {
  for (const std::string setting : {"OMP_TARGET_OFFLOAD=disabled", "OMP_DEFAULT_DEVICE=4"}) {
    const Ran ran = run("export " + setting + "; ompdm doctor --run programs/region fail");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_NE(ran.out.find("\nwarn: the program ran and exited with 5: run it by itself"),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("\nno:   region: nothing ran on a device: 1 kernel ran on the host\n"),
              std::string::npos)
        << ran.out;
    EXPECT_EQ(ran.out.find("no target region"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("data operations 0"), std::string::npos) << ran.out;
  }
}

TEST_F(Verbs, DoctorTellsTheDeathBeforeTheFirstRegion) {
  const Ran doctor = run("ompdm doctor --run programs/region die");
  EXPECT_EQ(doctor.status, 1);
  EXPECT_NE(doctor.out.find("no:   the program was killed by signal 11 (Segmentation fault), and "
                            "no target region was recorded"),
            std::string::npos)
      << doctor.out;
  const Ran record = run("ompdm record programs/region die");
  EXPECT_EQ(record.status, 139);
  EXPECT_NE(record.err.find("killed by signal 11 (Segmentation fault)"), std::string::npos)
      << record.err;
}

TEST_F(Verbs, DoctorKnowsADamagedProgram) {
  const Ran ran =
      run("head -c 5000 programs/region > cut; chmod +x cut; ompdm doctor ./cut\n"
          "printf '#!/bin/sh\\n' > script; chmod +x script; ompdm doctor ./script");
  EXPECT_NE(ran.out.find("warn: ./script is a script"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST_F(Verbs, FinishLeavesAProcessThatRunsAlone) {
  const std::string start =
      "mkfifo end; ompdm record programs/region wait <end & exec 3>end\n"
      "until ompdm finish | grep -q region; do sleep 0.05; done\n";
  const Ran running = run(start + "ompdm finish; exec 3>&-; wait");
  EXPECT_NE(running.out.find("trace.json.spool  "), std::string::npos) << running.out;
  EXPECT_NE(
      running.out.find(", still runs)\nnone waits yet: `ompdm report trace.json.spool` shows "),
      std::string::npos)
      << running.out;
  EXPECT_EQ(running.out.find("next: "), std::string::npos) << running.out;
}

TEST_F(Verbs, InfoTellsWhatATraceHoldsAndLost) {
  EXPECT_EQ(run("ompdm record programs/region").status, 0);
  const Ran text = run("ompdm info trace.json");
  EXPECT_EQ(text.status, 0) << text.err;
  for (const std::string line :
       {"\nending      by itself\n", "\n  target_emi              5  always\n",
        "\n             1 region\n", "\n             4 data operations\n",
        "\nLost\n  No events lost (", "\nattached by LD_PRELOAD\n",
        "\nWhat these words mean: ompdm info --help\n"}) {
    EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  }
  const Ran help = run("ompdm info --help");
  for (const std::string word : {"reach", "names", "clock", "callbacks", "data operation", "launch",
                                 "device activity", "site", "device event", "lost"}) {
    EXPECT_NE(help.out.find("\n  " + word + " "), std::string::npos) << word << help.out;
  }
  const auto json = nlohmann::json::parse(run("ompdm info --format json trace.json").out);
  EXPECT_EQ(json["schema"], "ompdm.info/1");
  EXPECT_EQ(json["counts"]["data_operations"], 4);
  EXPECT_EQ(json["process"]["program"], (programs() / "region").string());
  EXPECT_EQ(json["recording"]["registered"]["target_data_op_emi"], 5);
  const std::string runtime = json["recording"]["runtime"];
  const std::string version = "LLVM " + std::to_string(e2e::offload_build().llvm) + ".";
  EXPECT_TRUE(runtime.starts_with(version)) << runtime;
  EXPECT_FALSE(json["losses"].empty());
}

TEST_F(Verbs, InfoReadsASpoolToo) {
  const Ran record = run("ompdm record --no-finish programs/region");
  EXPECT_EQ(record.err, "ompdm: kept trace.json.spool: ompdm finish trace.json.spool\n");
  const auto json = nlohmann::json::parse(run("ompdm info --format json trace.json.spool").out);
  EXPECT_EQ(json["counts"]["regions"], 1);
  EXPECT_EQ(run("ompdm finish trace.json.spool && ls").out.find("trace.json.spool"),
            std::string::npos);
}

TEST_F(Verbs, ReportIsAsWideAsColumnsSays) {
  const Ran recorded = run("ompdm record -o trace.json programs/region");
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const Ran report = run("COLUMNS=80 ompdm report trace.json | grep -v '^Program\\|pragma'");
  std::istringstream lines(report.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_EQ(run("COLUMNS=wide ompdm report trace.json").out, run("ompdm report trace.json").out);
}

TEST_F(Verbs, RecordAttachesByToolLibrariesWhereToldTo) {
  const Ran ran =
      run("ompdm record --attach tool-libraries programs/region; ompdm info trace.json");
  EXPECT_NE(ran.out.find("\nattached by OMP_TOOL_LIBRARIES\n"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("\nreach       ok\n"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace ompdm::cli::verbs_test
