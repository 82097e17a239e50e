// The call chain above a site: which frames are kept, and what finish makes of them.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "ompdm/finish.h"
#include "record/recording.h"

namespace ompdm::test::callers_test {
namespace {

// One function calls the directive's function, which calls the runtime. None may be a tail call.
[[gnu::noinline]] void runtime_entry(int kind) {
  const void* codeptr = __builtin_return_address(0);
  FakeRuntime::begin(kind, 0, codeptr);
  FakeRuntime::end(kind, 0, codeptr);
  asm volatile("");
}

[[gnu::noinline]] void directive_function() {
  runtime_entry(4);
  asm volatile("");
}

[[gnu::noinline]] void loop_function() {
  for (int i = 0; i < 3; ++i) {
    directive_function();
  }
  asm volatile("");
}

Trace trace_of(const std::function<void()>& body,
               const std::map<std::string, std::string>& environment = {}) {
  const Folder folder;
  in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        body();
        runtime.finish();
      },
      environment);
  return read_spool(folder.path() / "trace.json.spool");
}

TEST(Callers, TheFirstCalledTheDirectivesFunction) {
  const Trace trace = trace_of(loop_function);
  ASSERT_EQ(trace.regions.size(), 3U);
  ASSERT_EQ(trace.sites.size(), 1U);
  const Site& site = trace.sites[0];
  ASSERT_FALSE(site.callers.empty());
  EXPECT_NE(site.function.find("directive_function"), std::string::npos) << site.function;
  const Frame& caller = site.callers[0];
  EXPECT_NE(caller.function.find("loop_function"), std::string::npos) << caller.function;
  EXPECT_TRUE(caller.file.ends_with("callers_test.cpp")) << caller.file;
  EXPECT_GT(caller.line, 20);
  EXPECT_LE(site.callers.size(), 64U) << "16 calls, and what is inlined in them";
}

TEST(Callers, OfAThreadTheyEndWithTheProgramsOwn) {
  const Trace trace = trace_of([] { std::thread(loop_function).join(); });
  ASSERT_EQ(trace.sites.size(), 1U);
  ASSERT_FALSE(trace.sites[0].callers.empty());
  for (const Frame& frame : trace.sites[0].callers) {
    EXPECT_EQ(frame.function.find("start_thread"), std::string::npos);
    EXPECT_EQ(frame.function.find("clone"), std::string::npos);
  }
}

// A task's operations come on a thread that did not call the site.
TEST(Callers, NoneWhereTheSiteIsNotOnTheStack) {
  const Trace trace = trace_of([] {
    FakeRuntime::begin(4, 0, address(0x1000));
    FakeRuntime::end(4, 0, address(0x1000));
  });
  ASSERT_EQ(trace.sites.size(), 1U);
  EXPECT_TRUE(trace.sites[0].callers.empty());
}

TEST(Callers, NoneWithoutNames) {
  const Trace trace = trace_of(loop_function, {{"OMPDM_NAMES", "off"}});
  ASSERT_EQ(trace.sites.size(), 1U);
  EXPECT_TRUE(trace.sites[0].callers.empty());
}

}  // namespace
}  // namespace ompdm::test::callers_test
