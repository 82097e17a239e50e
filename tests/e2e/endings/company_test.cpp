// The company the recorder keeps: other tools, other preloaded libraries, other C++ libraries,
// sanitizers, other OpenMP runtimes, and runtimes that cannot be reached.

#include <gtest/gtest.h>

#include <filesystem>

#include "endings/place.h"

namespace ompdm::e2e::endings::company_test {
namespace {

using Names = std::vector<std::string>;

bool built(const std::string& name) { return std::filesystem::exists(program(name)); }

class Built : public ::testing::TestWithParam<std::tuple<const char*, Attach>> {};

TEST_P(Built, InAnotherWayIsRecordedLikeAnyOther) {
  const auto& [name, attach] = GetParam();
  if (!built(name)) GTEST_SKIP() << name << " could not be built here";
  const Place place;
  const Ended ended = place.run({.command = {program(name)}, .attach = attach});
  EXPECT_EQ(ended.status, 14) << ended.err;
  EXPECT_EQ(ended.out, "5 steps\n");
  EXPECT_EQ(lines_of(ended.err).size(), attach == Attach::kRecord ? 2U : 1U) << ended.err;
  EXPECT_EQ(place.files(), Names{"trace.json"});
  expect_steps(place.report(), 5);
}

INSTANTIATE_TEST_SUITE_P(All, Built,
                         ::testing::Combine(::testing::Values("guest", "guest_asan", "guest_libcxx",
                                                              "plain_static_libstdcxx",
                                                              "plain_stripped"),
                                            ::testing::Values(Attach::kRecord, Attach::kPreload)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_under_" +
                                  name_of(std::get<1>(tested.param));
                         });

// A shared sanitizer runtime insists on being loaded first, so that only the other way is open.
INSTANTIATE_TEST_SUITE_P(SharedAsan, Built,
                         ::testing::Combine(::testing::Values("guest_asan_shared"),
                                            ::testing::Values(Attach::kRecord,
                                                              Attach::kToolLibraries)),
                         [](const auto& tested) { return name_of(std::get<1>(tested.param)); });

// A program that is started by one that is not such needs the preloaded recorder to be bearable.
TEST(SharedAsan, StartedByAScriptIsRecorded) {
  if (!built("guest_asan_shared")) GTEST_SKIP() << "could not be built here";
  const Place place;
  const Ended ended =
      place.run({.command = {"/bin/sh", "-c", program("guest_asan_shared") + "; exit $?"},
                 .attach = Attach::kRecord});
  EXPECT_EQ(ended.status, 14) << ended.err;
  EXPECT_EQ(ended.out, "5 steps\n");
  expect_steps(place.report(), 5);
}

TEST(SharedAsan, ThatIsPreloadedStaysTheFirst) {
  if (!built("guest_asan_shared")) GTEST_SKIP() << "there is no shared runtime here";
  const Place place;
  Start run = {.command = {program("plain")}, .attach = Attach::kRecord};
  run.environment["LD_PRELOAD"] = OMPDM_SHARED_ASAN;
  run.environment["ASAN_OPTIONS"] = "detect_leaks=0";  // the OpenMP runtime has some
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 14) << ended.err;
  EXPECT_EQ(ended.out, "5 steps\n");
  expect_steps(place.report(), 5);
}

// Of two versions, say: one records, and nobody says that nothing is recorded.
TEST(TwoRecorders, RecordOnceAndSaySo) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    const Folder other;
    const std::string copy = other.path() / "libompdm.so";
    std::filesystem::copy_file(recorder(), copy);
    Start run = {.command = {program("plain")}, .attach = attach};
    run.environment["OMPDM_COMMAND"] = OMPDM_COMMAND;
    run.environment["LD_PRELOAD"] = attach == Attach::kRecord ? copy : recorder() + ":" + copy;
    run.environment["OMP_TOOL_LIBRARIES"] = copy;
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(ended.out, "5 steps\n");
    EXPECT_EQ(lines_of(ended.err).size(), attach == Attach::kRecord ? 2U : 1U) << ended.err;
    EXPECT_EQ(place.files(), Names{"trace.json"});
    expect_steps(place.report(), 5);
  }
}

TEST(Preload, TheUsersOwnLibraryIsKept) {
  for (const Attach attach : {Attach::kRecord, Attach::kPreload}) {
    const Place place;
    const std::string mine = program("libendings_preloaded.so");
    Start run = {.command = {program("plain")}, .attach = attach};
    run.environment["LD_PRELOAD"] = attach == Attach::kRecord ? mine : mine + ":" + recorder();
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 14);
    EXPECT_NE(ended.out.find("preloaded\n"), std::string::npos);
    EXPECT_NE(ended.out.find("5 steps\n"), std::string::npos);
    expect_steps(place.report(), 5);
  }
}

TEST(OtherTool, OfTheUsersEnvironmentKeepsItsVariableAndIsToldToWait) {
  const Place place;
  const std::string tool = program("libendings_tool.so");
  Start run = {.command = {"/bin/sh", "-c", "echo $OMP_TOOL_LIBRARIES; exec " + program("plain")},
               .attach = Attach::kRecord};
  run.environment["OMP_TOOL_LIBRARIES"] = tool;
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.out, tool + "\n5 steps\n");
  EXPECT_NE(ended.err.find("OMP_TOOL_LIBRARIES"), std::string::npos) << ended.err;
  expect_steps(place.report(), 5);
}

std::string has_a_tool(const std::string& owner) {
  return "ompdm: " + owner + " has an OMPT tool of its own (ompt_start_tool), which takes the " +
         "recorder's place: nothing is recorded\n";
}

// Unless libomptarget finds the OpenMP runtime by itself, that tool sleeps until the program uses
// OpenMP.
TEST(OtherTool, ThatSleepsIsNotWoken) {
  Start run = {.command = {program("own_tool"), "idle"}, .attach = Attach::kNone};
  const Ended alone = Place().run(run);
  EXPECT_EQ(alone.status, 13);
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    run.attach = attach;
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 13);
    EXPECT_EQ(ended.out, alone.out);
    EXPECT_EQ(ended.err.find(has_a_tool(program("own_tool"))), 0U) << ended.err;
    EXPECT_EQ(place.files(), Names{});
  }
}

TEST(OtherTool, ThatTheProgramWasLinkedWithKeepsItsPlace) {
  for (const Attach attach : {Attach::kNone, Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    const Ended ended = place.run({.command = {program("linked_tool")}, .attach = attach});
    EXPECT_EQ(ended.status, 13);
    EXPECT_EQ(ended.out, "user's tool\n2 steps\n");
    EXPECT_EQ(place.files(), Names{});
    if (attach != Attach::kNone) {
      EXPECT_EQ(ended.err.find(has_a_tool(program("libendings_tool.so"))), 0U) << ended.err;
    }
  }
}

TEST(OtherTool, OfTheEnvironmentIsSaidToWaitWhereTheRecorderIsPreloaded) {
  const Place place;
  Start run = {.command = {program("plain")}, .attach = Attach::kPreload};
  run.environment["OMP_TOOL_LIBRARIES"] = program("libendings_tool.so");
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.out, "5 steps\n");
  EXPECT_EQ(ended.err.find("ompdm: OMP_TOOL_LIBRARIES=" + program("libendings_tool.so") + ": "), 0U)
      << ended.err;
  expect_steps(place.report(), 5);
}

TEST(OtherTool, InsideTheProgramIsLeftAloneAndNamed) {
  for (const Attach attach : {Attach::kNone, Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    Start run = {.command = {program("own_tool")}, .attach = attach};
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 13);
    EXPECT_EQ(ended.out, "own tool\n2 steps\n");
    EXPECT_EQ(place.files(), Names{});
    if (attach != Attach::kNone) {
      EXPECT_EQ(ended.err.find(has_a_tool(program("own_tool"))), 0U) << ended.err;
    }
    if (attach == Attach::kPreload) {
      EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    }
    if (attach == Attach::kRecord) {
      EXPECT_NE(ended.err.find("next: ompdm doctor"), std::string::npos) << ended.err;
      const Ended doctor = place.ompdm({"doctor", program("own_tool")});
      EXPECT_EQ(doctor.status, 1);
      EXPECT_NE(doctor.out.find("ompt_start_tool"), std::string::npos) << doctor.out;
    }
  }
}

TEST(ToolsForbidden, OmpToolDisabledIsObeyedUnlessRecordWasAsked) {
  const Place place;
  Start run = {.command = {program("plain")}, .attach = Attach::kPreload};
  run.environment["OMP_TOOL"] = "disabled";
  const Ended preloaded = place.run(run);
  EXPECT_EQ(preloaded.status, 14);
  EXPECT_EQ(preloaded.out, "5 steps\n");
  EXPECT_EQ(preloaded.err, "");
  EXPECT_EQ(place.files(), Names{});
  run.attach = Attach::kRecord;
  const Ended recorded = place.run(run);
  EXPECT_EQ(recorded.status, 14);
  EXPECT_NE(recorded.err.find("OMP_TOOL=disabled is left out"), std::string::npos) << recorded.err;
  expect_steps(place.report(), 5);
}

TEST(NothingOffloaded, BecauseItWasSwitchedOff) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord, Attach::kToolLibraries}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    Start run = {.command = {program("plain")}, .attach = attach};
    run.environment["OMP_TARGET_OFFLOAD"] = "DISABLED";
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(ended.out, "5 steps\n");
    if (place.files().empty()) {
      EXPECT_NE(ended.err.find("OMP_TARGET_OFFLOAD=DISABLED, so nothing was offloaded"),
                std::string::npos)
          << ended.err;
    } else {
      const Json report = place.report();
      EXPECT_EQ(report["totals"]["HtoD"]["count"], 0);
      const Ended text = place.ompdm({"report", "trace.json"});
      EXPECT_TRUE(text.out.starts_with("nothing ran on a device")) << text.out;
    }
  }
}

TEST(RuntimeWithoutEmi, TellsNamesAndSizesAndClaimsNoTransfers) {
  if (!built("old_runtime")) {
    GTEST_SKIP() << "no compiler with an OpenMP offload runtime of LLVM 14 to 16 was found: name "
                    "one with -DOMPDM_OLD_OFFLOAD_CXX";
  }
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    const Ended ended = place.run({.command = {program("old_runtime")}, .attach = attach});
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(ended.out, "5 steps\n");
    EXPECT_NE(ended.err.find("this OpenMP runtime reports no target events"), std::string::npos)
        << ended.err;
    EXPECT_EQ(ended.err.find("nothing lost"), std::string::npos) << ended.err;
    const Json report = place.report();
    EXPECT_EQ(report["totals"]["HtoD"]["count"], 0);
    EXPECT_EQ(report["totals"]["region"]["count"], 5);
    EXPECT_EQ(report["findings"], Json::array());
    ASSERT_EQ(report["directives"].size(), 1U);
    const Json& step = report["directives"][0];
    EXPECT_EQ(step["directive"], "target");
    EXPECT_EQ(step["line"], source_line("steps.h", "#pragma omp target"));
    EXPECT_EQ(step["count"], 5);
    EXPECT_EQ(step["mapped_bytes"], 5 * 4000);
    ASSERT_EQ(report["variables"].size(), 1U);
    EXPECT_EQ(report["variables"][0]["name"], "values");
    EXPECT_EQ(report["variables"][0]["bytes"], 4000);
    EXPECT_TRUE(place.ompdm({"report", "trace.json"})
                    .out.starts_with("how much data moved is not known: this OpenMP runtime offers "
                                     "no EMI callbacks"));
  }
  const Ended doctor = Place().ompdm({"doctor", program("old_runtime")});
  EXPECT_EQ(doctor.status, 1);
  EXPECT_NE(doctor.out.find("has no target events, only names and mapped sizes come"),
            std::string::npos)
      << doctor.out;
}

TEST(UnreachableRuntime, IsSaidAtOnceWithTheOneThingToSet) {
  const Place place;
  Start run = {.command = {program("plain")}, .attach = Attach::kToolLibraries};
  run.environment["LD_LIBRARY_PATH"] = "";
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.out, "5 steps\n");
  if (place.files() == Names{"trace.json"} && place.report()["totals"]["HtoD"]["count"] == 5) {
    GTEST_SKIP() << "the loader finds libomp.so here";
  }
  EXPECT_NE(ended.err.find("set LD_LIBRARY_PATH=" + runtime_folder()), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("ompdm record"), std::string::npos) << ended.err;
}

// Not with LLVM's folder on the path: from 22 on a libgomp.so.1 of its own lies there.
TEST(AnotherRuntime, OfGccIsLeftInPeace) {
  if (!built("libgomp")) GTEST_SKIP() << "no g++ here";
  for (const Attach attach : {Attach::kPreload, Attach::kToolLibraries, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    const Ended ended = place.run({.command = {program("libgomp")},
                                   .attach = attach,
                                   .environment = {{"LD_LIBRARY_PATH", ""}}});
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(ended.out, "5 steps\n");
    if (attach != Attach::kRecord) {
      EXPECT_EQ(ended.err, "");
    }
    EXPECT_EQ(place.files(), Names{});
  }
}

// The reader of standard error is gone when the recorder says what became of the recording.
TEST(Messages, ThatNobodyReadsKillNothing) {
  const Place place;
  Start run = {
      .command = {"/bin/bash", "-c", "exec 2> >(exec true); sleep 0.1; exec " + program("plain")},
      .attach = Attach::kPreload};
  EXPECT_EQ(place.run(run).status, 14);
}

}  // namespace
}  // namespace ompdm::e2e::endings::company_test
