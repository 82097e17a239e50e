// Advice to keep data on a device: the transfers that it says are still needed, and where there is
// no such advice.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::keep_data_test {
namespace {

using test::contains;
using test::OneArray;
using test::patterns;

TEST(KeptData, CrossesWhereTheHostNeedsIt) {
  OneArray program;
  for (int i = 0; i < 5; ++i) program.map_tofrom(program.solve, 7 + i, 8 + i);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(report::advice_text(analysis.findings[0]),
            "before the loop in main (a.cpp) that runs a.cpp:30: "
            "a target enter data with map(to:) for a\n"
            "leave the map clauses at a.cpp:30 as they are: they then find this data present and "
            "do not move it\n"
            "after the loop, however it is left: "
            "a target exit data with map(from:) for a\n"
            "write release instead of from for data that the host does not read from then on\n"
            "where the host reads a in the loop, or changes a part of it, after a kernel wrote it: "
            "before that: a target update with from()\n"
            "a target region whose if() is false runs on the host, too\n"
            "where the host has changed a in the loop: after that: "
            "a target update with to()\n"
            "in this run, everything that was sent again was on the device already");
  EXPECT_TRUE(analysis.findings[0].with_allocations);
}

// A section is of memory that a pointer points to, a name alone a variable itself.
TEST(KeptData, OfAPointerMayBeAllocatedAnew) {
  OneArray program;
  for (int i = 0; i < 5; ++i) program.map_tofrom(program.solve, 7 + i, 8 + i);
  Finding finding = analyze(program.take()).findings.at(0);
  finding.data.at(0).expression = "a[0:n]";
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "\nif the program allocates this data each time, or later"));
}

// A thread of the program's own is no sign of deferral.
TEST(KeptData, IsWaitedForWhereADirectiveIsNowait) {
  for (const bool nowait : {false, true}) {
    OneArray program;
    program.trace.threads.push_back({4712});
    program.thread = 1;
    for (int i = 0; i < 5; ++i) {
      program.map_tofrom(program.solve, 7 + i, 8 + i);
      program.trace.regions.edit_back()->nowait = nowait;
    }
    const Analysis analysis = analyze(program.take());
    ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
    const char* const waits =
        "after the loop, however it is left, and after the taskwait for nowait regions there:";
    EXPECT_EQ(contains(report::advice_text(analysis.findings[0]), waits), nowait)
        << report::advice_text(analysis.findings[0]);
    EXPECT_EQ(contains(report::advice_text(analysis.findings[0]), "taskwait"), nowait);
  }
}

TEST(KeptData, ThatOnlyGoesOverMayBeAKernelsToChange) {
  OneArray program;
  for (int i = 0; i < 5; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->map_list = 0;
    program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
    program.move(OpKind::kHtoD, 7);
    program.launch(1000);
    program.op(OpKind::kDelete, program.a, 0, 5);
    program.end();
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const std::string advice = report::advice_text(analysis.findings[0]);
  EXPECT_TRUE(contains(
      advice,
      "if a kernel or omp_target_memcpy changes data of a map(to:) or map(alloc:) that ends at "
      "a.cpp:30, which was dropped so far: after that: "
      "a target update with to()\n"));
  EXPECT_FALSE(contains(advice, "update from")) << advice;
  EXPECT_TRUE(contains(advice, "exit data with map(release:)"));
}

/// `target map(to: a)` at a.cpp:35.
void map_to(OneArray& program, std::uint64_t content) {
  program.begin(program.check);
  program.trace.regions.edit_back()->map_list = 0;
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
  program.move(OpKind::kHtoD, content);
  program.launch(1000);
  program.op(OpKind::kDelete, program.a, 0, 5);
  program.end();
}

TEST(KeptData, ThatOneDirectiveForgetsAndAnotherBringsBack) {
  // In each iteration, and in every fifth: then the loop seems to be entered again after it.
  for (const int period : {1, 5}) {
    OneArray program;
    for (int i = 0; i < 20; ++i) {
      program.map_tofrom(program.solve, 7 + i, 8 + i);
      if (i % period == period - 1) map_to(program, 8 + i);
    }
    const Analysis analysis = analyze(program.take());
    ASSERT_EQ(patterns(analysis), "per_iteration_mapping") << period;
    const std::string advice = report::advice_text(analysis.findings[0]);
    EXPECT_TRUE(contains(
        advice,
        "if a kernel at a.cpp:35 changes data of its own map(to:) or map(alloc:), which was "
        "dropped so far: before that: a target update with from()\n"))
        << advice;
    EXPECT_TRUE(contains(advice, "\nand after the end of a.cpp:35: a target update with to()\n"));
  }
}

void names_what_is_not_there(OneArray& program, Index<Site> at) {
  program.begin(at);
  program.trace.regions.edit_back()->map_list = 0;
  program.end();
  program.wait(10);
}

TEST(KeptData, IsNotForDirectivesThatFoundNothingSoFar) {
  OneArray program;
  for (int i = 0; i < 5; ++i) {
    names_what_is_not_there(program, program.to);
    program.map_tofrom(program.solve, 7 + i, 8 + i);
    program.wait(10);
    names_what_is_not_there(program, program.exit);
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  for (const std::string directive :
       {"target update at a.cpp:20", "target exit data at a.cpp:40"}) {
    EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]),
                         "remove the " + directive + ": it found nothing on the device so far"))
        << report::advice_text(analysis.findings[0]);
  }
}

TEST(KeptData, IsInWordsWhereSomeInstancesFoundNothingSoFar) {
  OneArray program;
  for (int i = 0; i < 10; ++i) {
    names_what_is_not_there(program, program.to);
    program.map_tofrom(program.solve, 7 + i, 8 + i);
    program.wait(10);
  }
  program.map(17);
  program.begin(program.to);
  program.trace.regions.edit_back()->map_list = 0;
  program.move(OpKind::kHtoD, 30);
  program.end();
  program.kernel();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  const auto found = test::found(analysis, "per_iteration_mapping");
  ASSERT_EQ(found.size(), 1U) << patterns(analysis);
  EXPECT_TRUE(found[0].edits.empty()) << report::advice_text(found[0]);
  ASSERT_EQ(found[0].remarks.size(), 1U);
  EXPECT_EQ(found[0].remarks[0].kind, Remark::Kind::kRunsAtTimes);
  EXPECT_EQ(found[0].remarks[0].place.line, 20);
}

TEST(KeptData, IsReleasedWhereItWasDeleted) {
  OneArray program;
  for (int i = 0; i < 5; ++i) {
    program.map(7 + i);
    program.writer();
    program.begin(program.exit);
    program.move(OpKind::kDtoH, 8 + i);
    program.op(OpKind::kDelete, program.a, 0, 5)->map_type = 0xa;
    program.end();
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const std::string advice = report::advice_text(analysis.findings[0]);
  EXPECT_TRUE(contains(advice, "leave the map clauses at a.cpp:10 as they are")) << advice;
  EXPECT_TRUE(contains(advice, "at a.cpp:40, write map(release:) instead of map(delete:)"))
      << advice;
}

/// Outer iterations of five inner ones by one directive and one by another.
Analysis nested(const std::function<std::uint64_t(int outer)>& content) {
  OneArray program;
  for (int outer = 0; outer < 6; ++outer) {
    for (int inner = 0; inner < 5; ++inner) {
      program.map_tofrom(program.solve, content(outer), content(outer));
    }
    program.map_tofrom(program.check, content(outer), content(outer));
  }
  return analyze(program.take());
}

TEST(KeptData, IsKeptOverOneOfTwoLoopsThatNest) {
  const Analysis changing = nested([](int outer) { return 100 + outer; });
  ASSERT_EQ(patterns(changing), "per_iteration_mapping");
  const auto& facts = std::get<facts::PerIterationMapping>(changing.findings[0].facts);
  EXPECT_EQ(facts.iterations, 6U) << "the outer one spares more, though its content changes";
  EXPECT_EQ(facts.sent, 36U);
}

TEST(KeptData, IsKeptOverEachOfTwoLoopsInTurn) {
  OneArray program;
  std::uint64_t content = 7;
  for (const Index<Site> at : {program.solve, program.check}) {
    for (int i = 0; i < 10; ++i, ++content) program.map_tofrom(at, content, content + 1);
  }
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(patterns(analysis), "per_iteration_mapping per_iteration_mapping")
      << "one is over before the other begins";
}

TEST(KeptData, IsNotWhatIsMappedInPartThatReachesBeyond) {
  OneArray program;
  const std::uint64_t host = program.trace.variables[0].address;
  for (int i = 0; i < 10; ++i) {
    for (const std::uint64_t offset : {std::uint64_t{0}, OneArray::kBytes / 2}) {
      program.begin(program.solve);
      const std::size_t first = program.trace.ops.size();
      program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
      program.move(OpKind::kHtoD, 7 + offset);
      program.launch(1000);
      program.op(OpKind::kDelete, program.a, 0, 5);
      program.trace.ops.edit(first)->src = program.trace.ops.edit(first + 1)->src = host + offset;
      program.end();
    }
  }
  EXPECT_EQ(program.patterns(), "") << "the runtime would refuse the second piece";
}

/// Iterations on one device, in each of which another device maps the same array.
Analysis with_another_device(bool brings_back) {
  OneArray program;
  for (int i = 0; i < 10; ++i) {
    program.map_tofrom(program.solve, 7 + i, 8 + i);
    program.begin(program.check);
    const std::size_t first = program.trace.ops.size();
    program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
    program.move(OpKind::kHtoD, 8 + i);
    if (brings_back) program.move(OpKind::kDtoH, 8 + i);
    program.op(OpKind::kDelete, program.a, 0, 5);
    for (std::size_t op = first; op < program.trace.ops.size(); ++op) {
      auto row = program.trace.ops.edit(op);
      const bool from = row->kind == OpKind::kDtoH || row->kind == OpKind::kDelete;
      (from ? row->src_device : row->dst_device) = 2;
    }
    program.launch(1000)->device = 2;
    program.end();
  }
  return analyze(program.take());
}

TEST(KeptData, IsNotWhatAnotherDeviceSharesAndThisOneChanges) {
  for (const bool brings_back : {false, true}) {
    const Analysis analysis = with_another_device(brings_back);
    EXPECT_TRUE(test::found(analysis, "per_iteration_mapping").empty()) << patterns(analysis);
    EXPECT_TRUE(test::found(analysis, "round_trip_transfer").empty()) << patterns(analysis);
  }
}

}  // namespace
}  // namespace ompdm::analysis::keep_data_test
