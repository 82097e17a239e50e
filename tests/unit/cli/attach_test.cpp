#include "attach.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "launch.h"
#include "scratch.h"

namespace ompdm::cli::attach_test {
namespace {

using testing::Scratch;
using testing::Variable;
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Attach, PutsTheRecorderBehindWhatIsThere) {
  const Variable tool("OMP_TOOL", std::nullopt);
  const Variable injection("CUDA_INJECTION64_PATH", "/their.so");
  for (const auto& [before, after] : Pairs{{"/a.so /b.so", "/a.so:/b.so:/l/libompdm.so"},
                                           {"/l/libompdm.so:/a.so", "/a.so:/l/libompdm.so"},
                                           {"/old/libompdm.so:/a.so", "/a.so:/l/libompdm.so"}}) {
    const Variable preload("LD_PRELOAD", before);
    EXPECT_EQ(attach_by_preload("/l/libompdm.so").set, (Pairs{{"LD_PRELOAD", after}}));
  }
}

// Where nothing is, the recorder is first.
TEST(Attach, TellsSharedSanitizersToBeContentWithASecondPlace) {
  const Variable tool("OMP_TOOL", std::nullopt);
  const Variable injection("CUDA_INJECTION64_PATH", "/their.so");
  const Variable none("LD_PRELOAD", std::nullopt);
  const std::pair<std::string, std::string> preload("LD_PRELOAD", "/l/libompdm.so");
  {
    const Variable no_options("ASAN_OPTIONS", std::nullopt);
    EXPECT_EQ(attach_by_preload("/l/libompdm.so").set,
              (Pairs{preload, {"ASAN_OPTIONS", "verify_asan_link_order=0"}}));
  }
  {
    const Variable theirs("ASAN_OPTIONS", "a=1:verify_asan_link_order=1");
    EXPECT_EQ(attach_by_preload("/l/libompdm.so").set, (Pairs{preload}));
  }
  const Variable options("ASAN_OPTIONS", "a=1,b=2");
  const EnvironmentChange change = attach_by_preload("/l/libompdm.so");
  EXPECT_EQ(change.set, (Pairs{preload, {"ASAN_OPTIONS", "a=1,b=2:verify_asan_link_order=0"}}));
  const Variable attached("ASAN_OPTIONS", change.set.back().second);
  const Pairs detached = detach().set;
  EXPECT_NE(
      std::ranges::find(detached, std::pair<std::string, std::string>("ASAN_OPTIONS", "a=1,b=2")),
      detached.end());
}

// A runtime starts the first tool that it finds, and a preloaded one before all others.
TEST(Attach, LeavesNoOtherRecorderInThePlaceOfThisOne) {
  const Scratch scratch;
  const Variable injection("CUDA_INJECTION64_PATH", "/old/libompdm.so");
  const Variable tools("OMP_TOOL_LIBRARIES", "/old/libompdm.so:/their.so");
  const Variable preload("LD_PRELOAD", "/old/libompdm.so");
  const auto change = attach(AttachMethod::kToolLibraries, "/l/libompdm.so", "", scratch.folder());
  EXPECT_EQ(change.set, (Pairs{{"OMP_TOOL_LIBRARIES", "/l/libompdm.so:/their.so"},
                               {"LD_PRELOAD", ""},
                               {"CUDA_INJECTION64_PATH", "/l/libompdm.so"}}));
  EXPECT_TRUE(change.unset.empty());
  EXPECT_EQ(other_tools(), "/their.so");
}

TEST(Attach, LetsCudaStartTheRecorderUnlessItIsToStartAnother) {
  const Scratch scratch;
  const std::pair<std::string, std::string> ours("CUDA_INJECTION64_PATH", "/l/libompdm.so");
  {
    const Variable none("CUDA_INJECTION64_PATH", std::nullopt);
    EXPECT_EQ(attach_by_preload("/l/libompdm.so").set.back(), ours);
    EXPECT_EQ(
        attach(AttachMethod::kToolLibraries, "/l/libompdm.so", "", scratch.folder()).set.back(),
        ours);
  }
  const Variable theirs("CUDA_INJECTION64_PATH", "/their.so");
  for (const auto& [name, value] : attach_by_preload("/l/libompdm.so").set) {
    EXPECT_NE(name, ours.first);
  }
  EXPECT_EQ(std::ranges::count(detach().unset, ours.first), 0);
}

TEST(Attach, TakesAwayWhatForbidsTools) {
  const Variable tool("OMP_TOOL", "disabled");
  EXPECT_EQ(attach_by_preload("/l/libompdm.so").unset, std::vector<std::string>{"OMP_TOOL"});
}

TEST(Attach, LinksARecorderWhosePathNoListCanHold) {
  const Scratch scratch;
  const Variable injection("CUDA_INJECTION64_PATH", std::nullopt);
  const Variable none("LD_PRELOAD", std::nullopt);
  const Variable options("ASAN_OPTIONS", "verify_asan_link_order=1");
  const auto recorder = scratch.write("a b/libompdm.so", "");
  const auto change = attach(AttachMethod::kAuto, recorder, "", scratch.folder());
  const auto link = scratch.folder() / "libompdm.so";
  EXPECT_EQ(change.set, (Pairs{{"LD_PRELOAD", link}, {"CUDA_INJECTION64_PATH", link}}));
  EXPECT_EQ(std::filesystem::read_symlink(link), recorder);
}

TEST(Attach, KeepsOtherToolsAfterTheRecorder) {
  const Scratch scratch;
  const Variable injection("CUDA_INJECTION64_PATH", std::nullopt);
  const Variable tools("OMP_TOOL_LIBRARIES", "/their tool.so");
  const auto change = attach(AttachMethod::kToolLibraries, "/l/libompdm.so", "", scratch.folder());
  EXPECT_EQ(change.set, (Pairs{{"OMP_TOOL_LIBRARIES", "/l/libompdm.so:/their tool.so"},
                               {"CUDA_INJECTION64_PATH", "/l/libompdm.so"}}));
}

TEST(Detach, TakesOnlyTheRecorderAway) {
  const Variable options("ASAN_OPTIONS", "a=1");
  const Variable preload("LD_PRELOAD", "/l/libompdm.so:/a.so");
  const Variable tools("OMP_TOOL_LIBRARIES", "/l/libompdm.so");
  const Variable injection("CUDA_INJECTION64_PATH", "/l/libompdm.so");
  const EnvironmentChange change = detach();
  EXPECT_EQ(change.set, (Pairs{{"LD_PRELOAD", "/a.so"}, {"ASAN_OPTIONS", "a=1"}}));
  EXPECT_EQ(change.unset,
            (std::vector<std::string>{"OMP_TOOL_LIBRARIES", "CUDA_INJECTION64_PATH"}));
}

TEST(Preload, IsPossibleForScriptsAndPlainPrograms) {
  const Scratch scratch;
  EXPECT_FALSE(preload_obstacle(scratch.write("script", "#!/bin/sh\n")));
  EXPECT_FALSE(preload_obstacle(find_program("sh")));
  EXPECT_FALSE(preload_obstacle(""));
}

}  // namespace
}  // namespace ompdm::cli::attach_test
