// What of a loop's movement never changes.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::invariant_test {
namespace {

using test::TraceBuilder;

/// Ten iterations that send `a` and `x`. `content` tells the content of each. `x` is copied back.
template <class Content>
LoopRow loop_with(Content content) {
  TraceBuilder build;
  const auto a = build.variable("a", 1000);
  const auto x = build.variable("x", 50);
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (std::uint64_t iteration = 0; iteration < 10; ++iteration) {
    build.begin(target);
    for (const auto& [what, bytes] : {std::pair(a, 1000), std::pair(x, 50)}) {
      auto sent = build.op(OpKind::kHtoD, what, static_cast<std::uint64_t>(bytes), 10);
      sent->fingerprint = sent->hash = content(what == a, iteration);
    }
    build.launch(10);
    build.op(OpKind::kDtoH, x, 50, 10)->hash = 100 + iteration;
    build.end();
  }
  return analyze(build.take()).loops.at(0);
}

template <class Content>
std::optional<std::uint64_t> invariant_of(Content content) {
  return loop_with(content).invariant_bytes;
}

TEST(InvariantItems, AreNamedByWhatMovesMost) {
  using Items = std::vector<std::string>;
  EXPECT_EQ(loop_with([](bool, std::uint64_t) { return 7U; }).invariant_items,
            (Items{"a (a.cpp:5)", "x (a.cpp:5)"}));
  EXPECT_EQ(loop_with([](bool is_a, std::uint64_t iteration) {
              return is_a ? 7 + iteration : 9;
            }).invariant_items,
            (Items{"x (a.cpp:5)"}));
}

// What lies at its address had its name from a clause elsewhere.
TEST(InvariantItems, OfACallWithoutAKnownVariableAreNamedByIt) {
  for (const bool is_known : {false, true}) {
    TraceBuilder build;
    const auto s = is_known ? build.variable("s", 1000) : Index<Variable>();
    const auto copy = build.api("omp_target_memcpy", "a.cpp", 5, "main");
    for (int iteration = 0; iteration < 10; ++iteration) {
      auto sent = build.op(OpKind::kHtoD, s, 1000, 10);
      sent->site = copy;
      sent->fingerprint = sent->hash = 7;
    }
    const Analysis analysis = analyze(build.take());
    ASSERT_EQ(analysis.loops.size(), 1U);
    EXPECT_EQ(analysis.loops[0].invariant_items,
              std::vector<std::string>{is_known ? "s (a.cpp:5)" : "omp_target_memcpy (a.cpp:5)"});
  }
}

TEST(Recurring, IsWhatChangesNowAndThen) {
  const LoopRow loop = loop_with(
      [](bool is_a, std::uint64_t iteration) { return is_a ? 7 + iteration / 5 : 10 + iteration; });
  ASSERT_EQ(loop.recurring.size(), 1U) << "x changes in each pass";
  EXPECT_EQ(loop.recurring[0].item, "a (a.cpp:5)");
  EXPECT_EQ(loop.recurring[0].unchanged, 8U);
  EXPECT_EQ(loop.recurring[0].compared, 9U);
  EXPECT_EQ(loop.recurring[0].bytes, 10'000U);
}

TEST(InvariantBytes, AreThoseOfPiecesThatNeverChange) {
  EXPECT_EQ(
      invariant_of([](bool is_a, std::uint64_t iteration) { return is_a ? 7 : 10 + iteration; }),
      1000U);
  EXPECT_EQ(invariant_of([](bool, std::uint64_t) { return 7U; }), 1050U);
  EXPECT_EQ(invariant_of([](bool, std::uint64_t iteration) { return 7 + iteration; }), 0U);
}

TEST(InvariantBytes, ASampleStandsForTheOthersUntilOneDiffers) {
  const auto sampled = [](bool, std::uint64_t iteration) { return iteration % 5 < 2 ? 7U : 0U; };
  EXPECT_EQ(invariant_of(sampled), 1050U);
  const auto late = [&](bool is_a, std::uint64_t iteration) {
    return is_a && iteration == 6 ? 8U : sampled(is_a, iteration);
  };
  EXPECT_EQ(invariant_of(late), 50U);
}

TEST(InvariantBytes, AreNotKnownWhereNothingCouldBeCompared) {
  TraceBuilder build;
  const auto a = build.variable("a", 1000);
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (int iteration = 0; iteration < 10; ++iteration) {
    build.begin(target);
    build.op(OpKind::kHtoD, a, 1000, 10)->hash = iteration == 3 ? 7 : 0;
    build.end();
  }
  EXPECT_FALSE(analyze(build.take()).loops.at(0).invariant_bytes.has_value());
}

TEST(InvariantBytes, OfALoopThatIsEnteredWithOtherDataEachTime) {
  TraceBuilder build;
  const auto a = build.variable("a", 1000);
  const auto outer = build.site(Directive::kTarget, "a.cpp", 5, "main");
  const auto inner = build.site(Directive::kTarget, "a.cpp", 7, "main");
  for (std::uint64_t i = 0; i < 4; ++i) {
    build.begin(outer);
    build.launch(10);
    build.end();
    for (int j = 0; j < 5; ++j) {
      build.begin(inner);
      build.op(OpKind::kHtoD, a, 1000, 10)->hash = 7 + i;
      build.end();
    }
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 2U);
  EXPECT_EQ(analysis.loops[0].invariant_bytes, 0U) << "it changes from pass to pass";
  EXPECT_EQ(analysis.loops[1].invariant_bytes, 1000U) << "within each entry it does not";
}

// One element of a large array changes in each iteration; only every other iteration is looked at
// in full.
TEST(Invariant, BlocksShowNothingOfWhatWasSeenToChange) {
  constexpr std::uint64_t kLarge = 4'000'000;
  TraceBuilder build;
  const auto a = build.variable("a", kLarge);
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (std::uint64_t iteration = 0; iteration < 10; ++iteration) {
    build.begin(target);
    build.op(OpKind::kHtoD, a, kLarge, 10)->fingerprint = 7;
    if (iteration % 4 < 2) build.trace.ops.edit_back()->hash = 10 + iteration;
    build.launch(10);
    build.end();
  }
  const LoopRow loop = analyze(build.take()).loops.at(0);
  EXPECT_EQ(loop.invariant_bytes, 0U);
  EXPECT_TRUE(loop.recurring.empty());
}

}  // namespace
}  // namespace ompdm::analysis::invariant_test
