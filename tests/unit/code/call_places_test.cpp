// Calls in loops, read from the machine code of this program itself.

#include "machine_code/call_places.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "machine_code/runtime_calls.h"

extern "C" {
void called();
void code_branch();
void code_switch();
void code_tail_call();
void code_unknown_jump();
void code_launch();
void code_launch_if();
void code_launch_or_call();
void code_updates();
}

namespace ompdm::trace::call_places_test {
namespace {

class CallPlaces : public ::testing::Test {
 protected:
  CallPlaces() {
    elf_version(EV_CURRENT);
    file_ = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    elf_ = elf_begin(file_, ELF_C_READ, nullptr);
  }
  ~CallPlaces() override {
    elf_end(elf_);
    close(file_);
  }

  static std::uint64_t address_of(void (*function)()) {
    Dl_info info;
    link_map* map = nullptr;
    auto* address = reinterpret_cast<void*>(function);
    dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
    return reinterpret_cast<std::uint64_t>(address) - map->l_addr;
  }

  /// Of all calls of `called` (opcode E8 and the distance) in the function.
  FunctionCalls calls_of(void (*function)()) {
    const ModuleCode code(elf_);
    const CodeRange range = code.function_at(address_of(function)).value();
    const auto bytes = code.bytes(range.begin, range.end - range.begin);
    std::vector<std::uint64_t> returns;
    for (std::size_t i = 0; i + 5 <= bytes.size(); ++i) {
      std::int32_t distance = 0;
      std::memcpy(&distance, bytes.data() + i + 1, sizeof(distance));
      const std::uint64_t next = range.begin + i + 5;
      const std::uint64_t target = next + static_cast<std::uint64_t>(std::int64_t{distance});
      if (bytes[i] == std::byte{0xe8} && target == address_of(called)) returns.push_back(next);
    }
    return FunctionCalls(code, range, returns);
  }

  int file_ = -1;
  Elf* elf_ = nullptr;
};

TEST_F(CallPlaces, FunctionsBeginAndEndWhereTheyDo) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  Elf* elf = elf_begin(file, ELF_C_READ, nullptr);
  const ModuleCode code(elf);
  const std::uint64_t begin = address_of(code_branch);
  const auto range = code.function_at(begin + 7);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, begin);
  EXPECT_EQ(range->end, address_of(code_switch));
  EXPECT_FALSE(code.function_at(1));
  EXPECT_TRUE(code.bytes(~std::uint64_t{0}, 8).empty());
  elf_end(elf);
  close(file);
}

TEST_F(CallPlaces, OfABranchMayBeLeftOut) {
  const FunctionCalls found = calls_of(code_branch);
  ASSERT_TRUE(found.read());
  ASSERT_EQ(found.loops().size(), 1U);
  EXPECT_EQ(found.loops()[0].branches.size(), 1U);
  ASSERT_EQ(found.calls().size(), 3U);
  EXPECT_EQ(found.calls()[0].onward, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(found.calls()[1].onward, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(found.calls()[2].onward, (std::vector<bool>{false, false, false}));
  EXPECT_TRUE(found.counts_all(0, {true, true, true}));
  EXPECT_TRUE(found.counts_all(0, {false, false, true}));
  // Two iterations with only the middle call look like one only if the others are not recorded.
  EXPECT_FALSE(found.counts_all(0, {false, true, false}));
  EXPECT_TRUE(found.always_calls({true, false, false}));
  EXPECT_FALSE(found.always_calls({false, true, false}));
}

TEST_F(CallPlaces, OfASwitchAreFoundThroughItsTable) {
  const FunctionCalls found = calls_of(code_switch);
  ASSERT_TRUE(found.read());
  ASSERT_EQ(found.calls().size(), 2U);
  for (const CallInLoop& call : found.calls()) {
    EXPECT_TRUE(call.known);
    EXPECT_EQ(call.loop, 0U);
    EXPECT_EQ(call.onward, (std::vector<bool>{false, false}));
  }
}

TEST_F(CallPlaces, BeforeAnIndirectTailCallAreKnown) {
  const FunctionCalls found = calls_of(code_tail_call);
  ASSERT_TRUE(found.read());
  ASSERT_EQ(found.calls().size(), 1U);
  EXPECT_EQ(found.calls()[0].loop, 0U);
}

TEST_F(CallPlaces, BesideAJumpToNobodyKnowsWhereAreNot) {
  EXPECT_FALSE(calls_of(code_unknown_jump).read());
}

TEST_F(CallPlaces, InALoopAreAllOfItsCalls) {
  const ModuleCode code(elf_);
  const CodeRange range = code.function_at(address_of(code_branch)).value();
  const FunctionCalls found(code, range, {range.begin + 5});
  ASSERT_EQ(found.loops().size(), 1U);
  EXPECT_EQ(found.calls_in(0).size(), 3U);
}

TEST_F(CallPlaces, OfTheRuntimeAreKnownByTheirEntries) {
  const ModuleCode code(elf_);
  RuntimeCalls calls(code);
  const CodeCalls& launch = calls.in(address_of(code_launch));
  ASSERT_EQ(launch.runtime.size(), 1U);
  EXPECT_EQ(launch.runtime.begin()->second.entry, "__tgt_target_kernel");
  EXPECT_EQ(launch.runtime.begin()->second.source, ";heat.c;f;7;1;;");
  ASSERT_EQ(launch.functions.size(), 2U);
  EXPECT_EQ(launch.functions.rbegin()->second, address_of(code_updates));
  const CodeCalls& update = calls.in(address_of(code_updates));
  ASSERT_EQ(update.runtime.size(), 1U) << "nothing but an exception leads to the other";
  EXPECT_EQ(update.runtime.begin()->second.entry, "__tgt_target_data_update_mapper");
  EXPECT_EQ(update.runtime.begin()->second.source, ";heat.c;f;7;1;;");
}

TEST_F(CallPlaces, ThatLaunchMayHaveAWayAroundThem) {
  const ModuleCode code(elf_);
  RuntimeCalls calls(code);
  const auto on_host = [&](void (*function)()) {
    const CodeCalls& found = calls.in(address_of(function));
    return found.runtime.size() == 1 && found.runtime.begin()->second.on_host;
  };
  EXPECT_FALSE(on_host(code_launch));
  EXPECT_TRUE(on_host(code_launch_if));
  EXPECT_TRUE(on_host(code_launch_or_call));
}

}  // namespace
}  // namespace ompdm::trace::call_places_test
