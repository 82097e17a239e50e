// Whose frame an address lies in, from step to step, on hand-made call paths.
#include <gtest/gtest.h>

#include <string>

#include "model/call_order.h"

namespace ompdm::calls::activations_test {
namespace {

constexpr std::uint64_t kLocal = 0x850;    // of the function called
constexpr std::uint64_t kCallers = 0x950;  // of main

/// main() { for (...) f(); f(); }, where f() { a(); b(); }. Paths 0 and 1 lead to main's calls.
/// Paths 2 and 3 lead through the first to a and b, 4 and 5 through the second.
Trace two_calls() {
  Trace trace;
  trace.loops = {{"main", "f.cpp", 3, 1, {}, true}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    CallPlace place;
    place.address = 16 * (i + 1);
    place.function = i < 2 ? 8 : 40;
    place.code_read = true;
    place.frames = {{i < 2 ? "main" : "f()", "f.cpp", static_cast<int>(i), 1}};
    trace.call_places.push_back(place);
  }
  trace.call_places[0].loop = {0};
  trace.call_places[0].onward = {{1, 1}};
  trace.call_places[2].onward = {{3, 3}};
  trace.call_paths = {{{}, {0}, 0x900, 0xa00},  {{}, {1}, 0x900, 0xa00},  {{0}, {2}, 0x800, 0x900},
                      {{0}, {3}, 0x800, 0x900}, {{1}, {2}, 0x800, 0x900}, {{1}, {3}, 0x800, 0x900}};
  return trace;
}

void add_regions(Trace& trace, const std::vector<std::uint32_t>& paths) {
  for (const std::uint32_t path : paths) {
    Region region;
    region.begin = static_cast<Nanoseconds>(10 * trace.regions.size());
    region.path = {path};
    trace.regions.push_back(region);
  }
}

/// Which of the regions' frames with the address are one: "aabb".
std::string same_frames(const Trace& trace, std::uint64_t address) {
  const CallOrder order(trace);
  const Activations activations(trace, order);
  std::string text;
  std::vector<Activation> seen{0};
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Activation holder = activations.of_region(i, address).activation;
    const auto at = std::find(seen.begin(), seen.end(), holder);
    text += at == seen.begin() ? '-' : static_cast<char>('a' + (at - seen.begin() - 1));
    if (at == seen.end()) seen.push_back(holder);
  }
  return text;
}

TEST(Activations, EndWhereTheCodeCallsAgain) {
  Trace trace = two_calls();
  add_regions(trace, {2, 3, 2, 3, 3, 4, 5});
  EXPECT_EQ(same_frames(trace, kLocal), "aabbcdd");
  EXPECT_EQ(same_frames(trace, kCallers), "aaaaaaa");
}

TEST(Activations, OfOtherThreadsAreOthers) {
  Trace trace = two_calls();
  add_regions(trace, {2, 2, 3, 3});
  trace.regions.edit(1)->thread = trace.regions.edit(3)->thread = 1;
  EXPECT_EQ(same_frames(trace, kLocal), "abab");
}

TEST(Activations, HoldNoOtherAddresses) {
  Trace trace = two_calls();
  add_regions(trace, {2});
  EXPECT_EQ(same_frames(trace, 0x100), "-") << "below the stack";
  EXPECT_EQ(same_frames(trace, 0xa00), "-") << "where main returns to";
  trace.call_paths[0].frame_end = 0;
  EXPECT_EQ(same_frames(trace, kCallers), "-") << "where main's frame ends is not known";
  EXPECT_EQ(same_frames(trace, kLocal), "a");
}

TEST(Activations, OfOneCallOfTheApiAreOne) {
  Trace trace = two_calls();
  for (const std::uint32_t call : {1U, 1U, 2U}) {
    DataOp op;
    op.begin = static_cast<Nanoseconds>(10 * trace.ops.size());
    op.path = {2};
    op.call = call;
    trace.ops.push_back(op);
  }
  const CallOrder order(trace);
  const Activations activations(trace, order);
  const auto of = [&](std::uint32_t op) { return activations.of_op(op, kLocal).activation; };
  EXPECT_EQ(of(0), of(1));
  EXPECT_NE(of(1), of(2));
}

TEST(SourceCalls, RelateCallersToWhatTheyCall) {
  Trace trace = two_calls();
  SourceCalls calls(trace);
  EXPECT_TRUE(calls.are_related({0}, {3}));
  EXPECT_TRUE(calls.are_related({2}, {5})) << "the same function";
  EXPECT_TRUE(calls.are_related({2}, {})) << "not known";
  trace.call_places[3].frames[0].function = "g()";
  SourceCalls others(trace);
  EXPECT_FALSE(others.are_related({2}, {3}));
}

TEST(SourceCalls, CountWhatWasInlinedAsCalled) {
  Trace trace = two_calls();
  for (const std::uint32_t place : {0U, 1U}) {
    trace.call_places[place].frames = {{"f()", "f.cpp", 9, 1},
                                       {"main", "f.cpp", static_cast<int>(place), 1}};
  }
  SourceCalls calls(trace);
  EXPECT_TRUE(calls.are_related({0}, {1}));
  EXPECT_TRUE(calls.in_other_inlined_call({0}, {1}));
  EXPECT_FALSE(calls.in_other_inlined_call({0}, {0}));
  trace.call_places[1].frames[0].function = "g()";
  SourceCalls others(trace);
  EXPECT_FALSE(others.are_related({0}, {1}));
}

}  // namespace
}  // namespace ompdm::calls::activations_test
