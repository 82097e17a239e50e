#include "attach.h"

#include <gtest/gtest.h>

#include "launch.h"
#include "scratch.h"

namespace ompdm::cli::attach_test {
namespace {

using testing::Scratch;
using testing::Variable;
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Attach, PutsTheRecorderFirstAndKeepsWhatIsThere) {
  const Variable tool("OMP_TOOL", std::nullopt);
  const Variable injection("CUDA_INJECTION64_PATH", "/their.so");
  const Variable none("LD_PRELOAD", std::nullopt);
  EXPECT_EQ(attach_by_preload("/l/libompdm.so").set, (Pairs{{"LD_PRELOAD", "/l/libompdm.so"}}));
  const Variable two("LD_PRELOAD", "/a.so /b.so");
  EXPECT_EQ(attach_by_preload("/l/libompdm.so").set,
            (Pairs{{"LD_PRELOAD", "/l/libompdm.so:/a.so:/b.so"}}));
  const Variable again("LD_PRELOAD", "/a.so:/l/libompdm.so");
  EXPECT_EQ(attach_by_preload("/l/libompdm.so").set,
            (Pairs{{"LD_PRELOAD", "/l/libompdm.so:/a.so"}}));
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
  EXPECT_TRUE(detach("/l/libompdm.so").unset.empty() ||
              detach("/l/libompdm.so").unset.back() != ours.first);
}

TEST(Attach, TakesAwayWhatForbidsTools) {
  const Variable tool("OMP_TOOL", "disabled");
  EXPECT_EQ(attach_by_preload("/l/libompdm.so").unset, std::vector<std::string>{"OMP_TOOL"});
}

TEST(Attach, LinksARecorderWhosePathNoListCanHold) {
  const Scratch scratch;
  const Variable injection("CUDA_INJECTION64_PATH", std::nullopt);
  const Variable none("LD_PRELOAD", std::nullopt);
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
  const Variable preload("LD_PRELOAD", "/l/libompdm.so:/a.so");
  const Variable tools("OMP_TOOL_LIBRARIES", "/l/libompdm.so");
  const Variable injection("CUDA_INJECTION64_PATH", "/l/libompdm.so");
  const EnvironmentChange change = detach("/l/libompdm.so");
  EXPECT_EQ(change.set, (Pairs{{"LD_PRELOAD", "/a.so"}}));
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
