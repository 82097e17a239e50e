// duplicate_transfer, round_trip_transfer and unmodified_copy_back: each planted, and nearly.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "support/trace_builder.h"

namespace ompdm::analysis {
namespace {

using test::contains;
using test::found;
using test::patterns;
using test::TraceBuilder;

constexpr std::uint64_t kBytes = 1'000'000;
constexpr std::uint64_t kTo = 0x1;
constexpr std::uint64_t kToFrom = 0x3;

/// A program with one array and the directives to move it. A content is told by a number; 0 is one
/// that was not looked at.
struct Program : TraceBuilder {
  Index<Variable> a = variable("a", kBytes);
  Index<Site> enter = site(Directive::kTargetEnterData, "a.cpp", 10, "main");
  Index<Site> to = site(Directive::kTargetUpdate, "a.cpp", 20, "main");
  Index<Site> from = site(Directive::kTargetUpdate, "a.cpp", 25, "main");
  Index<Site> solve = site(Directive::kTarget, "a.cpp", 30, "main");
  Index<Site> check = site(Directive::kTarget, "a.cpp", 35, "main");
  Index<Site> exit = site(Directive::kTargetExitData, "a.cpp", 40, "main");
  Index<Site> again = site(Directive::kTargetEnterData, "a.cpp", 50, "main");
  bool zeros = false;
  bool blocks_only = false;

  Program() {
    const std::uint64_t host = trace.variables[0].address;
    trace.map_lists = {
        {{a, "a", host, host, kBytes, kTo}}, {{a, "a", host, host, kBytes, kToFrom}}, {}};
  }

  DataOp& move(OpKind kind, std::uint64_t content, std::uint64_t bytes = kBytes) {
    DataOp& moved = op(kind, a, bytes, 100);
    moved.fingerprint = content;
    if (!blocks_only) moved.hash = content;
    moved.trivial = zeros;
    return moved;
  }
  void map(std::uint64_t content) { map(enter, content); }
  void map(Index<Site> at, std::uint64_t content) {
    begin(at);
    op(OpKind::kAlloc, a, kBytes, 10);
    move(OpKind::kHtoD, content);
    end();
  }
  void send(std::uint64_t content) {
    begin(to);
    move(OpKind::kHtoD, content);
    end();
  }
  void bring(std::uint64_t content) {
    begin(from);
    move(OpKind::kDtoH, content);
    end();
  }
  void unmap() {
    begin(exit);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }
  /// Reads it, by map(to:).
  void reader() { kernel(0); }
  /// May write it, by map(tofrom:).
  void writer() { kernel(1); }
  /// Does not name it.
  void stranger() { kernel(2); }
  void kernel(std::uint32_t list) {
    begin(solve);
    trace.regions.back().map_list = list;
    launch(1000);
    end();
  }
  /// `target map(tofrom: a)` at the one directive or the other.
  void map_tofrom(Index<Site> at, std::uint64_t in, std::uint64_t out) {
    begin(at);
    trace.regions.back().map_list = 1;
    op(OpKind::kAlloc, a, kBytes, 10);
    move(OpKind::kHtoD, in);
    launch(1000);
    move(OpKind::kDtoH, out);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }
};

// ---- duplicate_transfer

TEST(DuplicateTransfer, ToDataThatIsThere) {
  Program program;
  program.map(7);
  program.reader();
  program.send(7);
  program.reader();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 20);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.wasted_time, 100);
  EXPECT_EQ(finding.confidence, Confidence::kLikely) << "equal values prove no more";
  EXPECT_EQ(finding.examined, 1U);
  EXPECT_EQ(finding.of, 1U);
  EXPECT_TRUE(contains(finding.evidence, "by a.cpp:10, in this run")) << finding.evidence;
  EXPECT_TRUE(contains(finding.advice, "drop #pragma omp target update to(a) at a.cpp:20"));
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall - 100);
}

TEST(DuplicateTransfer, ToDataThatCouldHaveBeenKept) {
  Program program;
  for (const auto at : {program.enter, program.again}) {
    program.map(at, 7);
    program.reader();
    program.unmap();
    program.wait(1000);
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(found(analysis, "duplicate_transfer").size(), 1U) << patterns(analysis);
  const Finding finding = found(analysis, "duplicate_transfer")[0];
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_time, 100 + 10 + 5) << "its delete and allocation are needless too";
  EXPECT_TRUE(contains(finding.evidence, "could have been kept"));
  EXPECT_TRUE(contains(finding.advice, "  #pragma omp target enter data map(to: a)\n"));
  EXPECT_TRUE(contains(finding.advice, "  #pragma omp target exit data map(release: a)"));
}

TEST(DuplicateTransfer, AtAnotherAddressOfTheDevice) {
  Program program;
  program.map(7);
  program.reader();
  program.unmap();
  program.map(program.again, 7);
  for (auto& op : program.trace.ops) {
    if (op.begin > 1100) op.dst += 0x1000;
  }
  program.reader();
  program.unmap();
  program.trace.ops.back().src += 0x1000;
  EXPECT_EQ(patterns(analyze(program.take())), "duplicate_transfer");
}

TEST(DuplicateTransfer, KernelsThatDoNotNameItCannotHaveChangedIt) {
  Program program;
  program.map(7);
  program.stranger();
  program.send(7);
  program.reader();
  program.unmap();
  EXPECT_EQ(patterns(analyze(program.take())), "duplicate_transfer");
}

TEST(DuplicateTransfer, NearMisses) {
  Program changed;
  changed.map(7);
  changed.reader();
  changed.send(8);
  changed.reader();
  changed.unmap();
  EXPECT_EQ(patterns(analyze(changed.take())), "") << "the host changed it";

  Program written;
  written.map(7);
  written.writer();
  written.send(7);
  written.reader();
  written.unmap();
  EXPECT_EQ(patterns(analyze(written.take())), "") << "a kernel may have changed it";

  Program unknown;
  unknown.map(7);
  unknown.begin(unknown.solve);
  unknown.launch(1000);
  unknown.end();
  unknown.send(7);
  unknown.reader();
  unknown.unmap();
  EXPECT_EQ(patterns(analyze(unknown.take())), "") << "what the kernel's directive maps is unknown";

  Program dropped;
  for (const auto at : {dropped.enter, dropped.again}) {
    dropped.map(at, 7);
    dropped.writer();
    dropped.unmap();
  }
  EXPECT_EQ(patterns(analyze(dropped.take())), "")
      << "what the kernel left there was not what had been sent";

  Program parts;
  parts.map(7);
  parts.reader();
  parts.begin(parts.to);
  parts.move(OpKind::kHtoD, 9, kBytes / 2);
  parts.end();
  parts.reader();
  parts.send(7);
  parts.reader();
  parts.unmap();
  EXPECT_EQ(patterns(analyze(parts.take())), "") << "a part had been overwritten in between";

  Program device;
  device.map(7);
  device.reader();
  device.unmap();
  device.map(device.again, 7);
  for (auto& op : device.trace.ops) {
    if (op.begin > 1100) op.dst_device = 2;
  }
  device.begin(device.solve);
  device.trace.regions.back().map_list = 0;
  device.launch(1000).device = 2;
  device.end();
  device.unmap();
  device.trace.ops.back().src_device = 2;
  EXPECT_EQ(patterns(analyze(device.take())), "") << "another device had it";

  Program zeros;
  zeros.zeros = true;
  zeros.map(7);
  zeros.reader();
  zeros.send(7);
  zeros.reader();
  zeros.unmap();
  EXPECT_EQ(patterns(analyze(zeros.take())), "") << "all bytes equal are no evidence";

  Program unhashed;
  unhashed.map(0);
  unhashed.reader();
  unhashed.send(0);
  unhashed.reader();
  unhashed.unmap();
  EXPECT_EQ(patterns(analyze(unhashed.take())), "") << "nothing was looked at";
}

TEST(DuplicateTransfer, TwoArraysOfEqualContent) {
  Program program;
  const auto b = program.variable("b", kBytes);
  for (const auto one : {program.a, b}) {
    program.begin(program.enter);
    program.op(OpKind::kAlloc, one, kBytes, 10);
    DataOp& sent = program.op(OpKind::kHtoD, one, kBytes, 100);
    sent.fingerprint = sent.hash = 7;
    program.end();
  }
  program.reader();
  for (const auto one : {program.a, b}) {
    program.begin(program.exit);
    program.op(OpKind::kDelete, one, 0, 5);
    program.end();
  }
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(DuplicateTransfer, SampledWithGaps) {
  const auto run = [](bool host_changes) {
    Program program;
    program.map(7);
    for (int i = 0; i < 400; ++i) {
      program.reader();
      program.wait(1'000'000);
      // Pairs of occurrences are looked at, so that neighbours can be compared.
      const bool sampled = i % 40 < 2;
      program.send(!sampled ? 0 : host_changes && i % 80 == 1 ? 8 : 7);
    }
    program.reader();
    program.unmap();
    return analyze(program.take());
  };
  const Analysis same = run(false);
  ASSERT_EQ(patterns(same), "duplicate_transfer");
  EXPECT_EQ(same.findings[0].count, 400U) << "no sample speaks against the others";
  EXPECT_EQ(same.findings[0].examined, 11U) << "ten pairs, and the first with the mapping";
  EXPECT_EQ(same.findings[0].of, 400U);
  EXPECT_EQ(same.findings[0].confidence, Confidence::kLikely);
  EXPECT_TRUE(contains(same.findings[0].evidence, "11 of 400 compared"));

  const Analysis some = run(true);
  ASSERT_EQ(patterns(some), "duplicate_transfer");
  EXPECT_EQ(some.findings[0].count, 6U) << "only what was seen to be equal";
}

TEST(DuplicateTransfer, BlocksOfALargeArrayMakeItPossibleOnly) {
  Program program;
  program.blocks_only = true;
  program.map(7);
  program.reader();
  program.send(7);
  program.reader();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_TRUE(contains(analysis.findings[0].evidence, "as far as blocks of it tell"));
}

// ---- round_trip_transfer

TEST(RoundTrip, ResidentData) {
  Program program;
  program.map(7);
  program.writer();
  program.bring(8);
  program.send(8);
  program.writer();
  program.bring(9);
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 20);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  EXPECT_TRUE(contains(finding.evidence, "brought back by a.cpp:25")) << finding.evidence;
  EXPECT_TRUE(contains(finding.advice, "drop #pragma omp target update to(a) at a.cpp:20"));
}

TEST(RoundTrip, BetweenTwoDirectivesThatMapIt) {
  Program program;
  program.map_tofrom(program.solve, 7, 8);
  program.wait(1'000'000);
  program.map_tofrom(program.check, 8, 9);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 35);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_time, 100 + 10 + 5);
  EXPECT_TRUE(contains(finding.advice, "keep the data on the device from a.cpp:30 to a.cpp:35"))
      << finding.advice;
  EXPECT_TRUE(contains(finding.advice, "  #pragma omp target enter data map(to: a)\n"));
  EXPECT_TRUE(contains(finding.advice, "  #pragma omp target update from(a)\n"));
  EXPECT_TRUE(contains(finding.advice, "  #pragma omp target exit data map(from: a)"));
}

TEST(RoundTrip, NearMisses) {
  Program changed;
  changed.map_tofrom(changed.solve, 7, 8);
  changed.map_tofrom(changed.check, 10, 9);
  EXPECT_EQ(patterns(analyze(changed.take())), "") << "the host changed it in between";

  Program written;
  written.map(7);
  written.writer();
  written.bring(8);
  written.writer();
  written.send(8);
  written.reader();
  written.unmap();
  EXPECT_EQ(patterns(analyze(written.take())), "") << "the device had changed it again";

  Program zeros;
  zeros.zeros = true;
  zeros.map_tofrom(zeros.solve, 7, 8);
  zeros.map_tofrom(zeros.check, 8, 9);
  EXPECT_EQ(patterns(analyze(zeros.take())), "");

  Program lost;
  lost.map_tofrom(lost.solve, 7, 8);
  lost.map_tofrom(lost.check, 8, 9);
  lost.trace.losses[0].count = 1;
  EXPECT_EQ(patterns(analyze(lost.take())), "") << "a kernel may have been lost";
}

// ---- unmodified_copy_back

TEST(UnmodifiedCopyBack, OfATarget) {
  Program program;
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 30);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  EXPECT_TRUE(contains(finding.evidence, "in this run")) << finding.evidence;
  EXPECT_TRUE(contains(finding.advice, "at a.cpp:30, write map(to: a)")) << finding.advice;
}

TEST(UnmodifiedCopyBack, SeveralVariablesOfADirectiveAreOneFinding) {
  Program program;
  const auto b = program.variable("b", kBytes);
  program.begin(program.solve);
  for (const auto one : {program.a, b}) {
    program.op(OpKind::kAlloc, one, kBytes, 10);
    program.op(OpKind::kHtoD, one, kBytes, 100).hash = 7 + one.value;
  }
  program.launch(1000);
  for (const auto one : {program.a, b}) {
    program.op(OpKind::kDtoH, one, kBytes, 100).hash = 7 + one.value;
    program.op(OpKind::kDelete, one, 0, 5);
  }
  program.end();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].variable, "a, b");
  EXPECT_EQ(analysis.findings[0].count, 2U);
  EXPECT_TRUE(contains(analysis.findings[0].advice, "map(to: a, b)"));
}

TEST(UnmodifiedCopyBack, NearMisses) {
  Program written;
  written.map_tofrom(written.solve, 7, 8);
  EXPECT_EQ(patterns(analyze(written.take())), "") << "the device wrote it";

  Program once;
  once.map_tofrom(once.solve, 7, 7);
  once.wait(1'000'000);
  once.map_tofrom(once.check, 17, 17);
  once.map_tofrom(once.check, 27, 28);
  const auto back = found(analyze(once.take()), "unmodified_copy_back");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].line, 30) << "the other directive did bring news once";

  Program zeros;
  zeros.zeros = true;
  zeros.map_tofrom(zeros.solve, 7, 7);
  EXPECT_EQ(patterns(analyze(zeros.take())), "") << "a kernel may have computed zeros";

  Program made;
  made.begin(made.solve);
  made.op(OpKind::kAlloc, made.a, kBytes, 10);
  made.launch(1000);
  made.move(OpKind::kDtoH, 7);
  made.op(OpKind::kDelete, made.a, 0, 5);
  made.end();
  EXPECT_EQ(patterns(analyze(made.take())), "") << "it was made there";
}

TEST(UnmodifiedCopyBack, WhatARoundTripBringsBackUnchangedIsADuplicate) {
  Program program;
  program.map_tofrom(program.solve, 7, 7);
  program.wait(1'000'000);
  program.map_tofrom(program.check, 7, 7);
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(found(analysis, "unmodified_copy_back").size(), 2U);
  EXPECT_EQ(found(analysis, "duplicate_transfer").size(), 1U);
  EXPECT_TRUE(found(analysis, "round_trip_transfer").empty());
  // Three needless transfers, one delete and one allocation, each counted once.
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall - 3 * 100 - 10 - 5);
}

}  // namespace
}  // namespace ompdm::analysis
