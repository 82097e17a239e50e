// What findings rest on, in words: facts in, sentences out.
#include <gtest/gtest.h>

#include "ompdm/report.h"

namespace ompdm::report::evidence_test {
namespace {

using analysis::Caveat;
using analysis::Finding;
using analysis::Remark;
using analysis::SourcePlace;
namespace facts = analysis::facts;

const SourcePlace kPlace{"/src/heat.cpp", 41, "sweep", 0};
const SourcePlace kOther{"/src/heat.cpp", 52, "norm", 0};

Finding of(analysis::Facts facts, std::uint64_t count = 1, std::uint64_t instances = 1) {
  Finding finding;
  finding.facts = std::move(facts);
  finding.count = count;
  finding.examined = finding.of = instances;
  return finding;
}

TEST(Evidence, OfNothingIsNothing) { EXPECT_EQ(evidence_text({}), ""); }

TEST(Evidence, OfALoop) {
  facts::PerIterationMapping facts{.names = {"u"},
                                   .devices = {0},
                                   .iterations = 6,
                                   .sent = 36,
                                   .sent_enough = 1,
                                   .returned = 6,
                                   .returned_enough = 6};
  EXPECT_EQ(evidence_text(of(facts)),
            "u was mapped again in a loop (6 iterations): sent in 36 transfers where 1 would do");
  facts.names = {"u", "v"};
  facts.devices = {0, 1, 2};
  facts.loop = {kPlace};
  facts.iterations_at_least = true;
  facts.entries = 3;
  facts.returned_enough = 2;
  facts.enough_at_most = true;
  facts.compared = 19;
  facts.same = {19, 0};
  facts.may_be_read = true;
  EXPECT_EQ(evidence_text(of(facts)),
            "u and v were mapped again on devices 0, 1 and 2, in the loop at heat.cpp:41 in sweep "
            "(>= 6 iterations in all, entered 3 times): sent in 36 transfers where at most 1 would "
            "do, copied back in 6 transfers where at most 2 would do. All 19 compared transfers "
            "had the content that was on the device. They were compared by blocks only "
            "(OMPDM_HASH=full compares every byte). The trace cannot show whether the host read "
            "the copied-back data");
  facts = {.names = {"u"}, .devices = {0}, .loop = {kPlace, true}, .iterations = 21};
  facts.entries = 1;
  facts.entries_at_least = true;
  facts.returned = 21;
  facts.returned_enough = 3;
  EXPECT_EQ(
      evidence_text(of(facts)),
      "u was mapped again in the calls repeated at heat.cpp:41 in sweep (21 iterations in all, "
      "entered once or more often): copied back in 21 transfers where 3 or more would do");
}

TEST(Evidence, OfWhatWentAgain) {
  facts::Resends facts{.items = {"a[0:n]"},
                       .devices = {0},
                       .before = {kPlace, kOther},
                       .same = {11, 11},
                       .all = 400};
  Finding finding = of(facts, 400, 400);
  finding.examined = 11;
  EXPECT_EQ(evidence_text(finding),
            "a[0:n] went to device 0 in 400 transfers with a content that had been sent "
            "there by heat.cpp:41 and heat.cpp:52 (11 of 400 were compared)");
  facts.how = facts::Resends::How::kBoth;
  EXPECT_TRUE(evidence_text(of(facts, 400, 400))
                  .starts_with("a[0:n] went to device 0 in 400 transfers with a content that the "
                               "device had at "));
  facts.how = facts::Resends::How::kCameBack;
  facts.is_mapped_again = true;
  facts.before.clear();
  EXPECT_EQ(evidence_text(of(facts)),
            "a[0:n] went to device 0 in 1 transfer unchanged since copied back by elsewhere "
            "(400 transfers in all). Its memory there could have been kept");
}

TEST(Evidence, OfWhatCameBack) {
  EXPECT_EQ(
      evidence_text(of(facts::UnmodifiedCopyBack{{"a", "b"}, {30, 2}}, 30)),
      "a and b were copied back unchanged in 30 transfers. 28 of them were compared by blocks "
      "only (OMPDM_HASH=full compares every byte)");
  facts::RepeatedCopyBack facts{.items = {"a"}, .before = {kPlace}, .same = {1, 1}, .all = 1};
  Finding finding = of(facts);
  finding.caveats = {{Caveat::Kind::kFewCompared}, {Caveat::Kind::kHostChanged, {"a"}}};
  EXPECT_EQ(evidence_text(finding),
            "a was copied back in 1 transfer with the content that heat.cpp:41 had copied back. In "
            "between nothing was sent, and no kernel could have changed it. Possible only, "
            "because too few contents were compared, and because the trace cannot show whether "
            "the host changed its own copy, and wants it restored");
}

TEST(Evidence, ThatNoEditFollowsFromSaysWhatToLookFor) {
  EXPECT_EQ(
      advice_text(of(facts::Resends{.items = {"a"}, .all = 40}, 39)),
      "look for changes of the host's copy before each transfer. A transfer without one is not "
      "needed");
  EXPECT_EQ(advice_text(of(facts::UnusedTransfer{"a", {0}, 4, 5}, 4)),
            "keep the last of the transfers that have no kernel in between");
  EXPECT_EQ(advice_text(of(facts::UnusedTransfer{"a", {0}, 3, 5}, 4)),
            "send only data that a kernel will read");
  EXPECT_EQ(advice_text(of(facts::UnusedAllocation{{"memory of omp_target_alloc"}, {0}})),
            "remove this allocation, or make it where a kernel needs it");
  Finding finding = of(facts::PerIterationMapping{.names = {"a"}});
  finding.remarks = {{Remark::Kind::kRunsAtTimes, {"a"}, kPlace}};
  EXPECT_EQ(
      advice_text(finding),
      "keep a on the device only if you can say when heat.cpp:41 has to run. Part of its work is "
      "needed then, and part is wrong");
}

// Of an array that the place does not know there is no value to write.
TEST(Evidence, AnArrayThatIsDeclaredLaterIsNoValue) {
  Finding finding = of(facts::PerIterationMapping{.names = {"a"}});
  analysis::EditData data;
  data.expression = "a[0:n]";
  data.named_at = {"heat.cpp", 50, "main", 0};
  data.local_line = data.scope_line = 45;
  data.pieces = {8000};
  finding.data = {data};
  analysis::Edit edit;
  edit.directive = Directive::kTargetEnterData;
  edit.anchor = {
      analysis::Anchor::Side::kBefore, analysis::Anchor::Of::kLoop, {{"heat.cpp", 41, "main", 0}}};
  edit.clauses = {{"to", {0}}};
  finding.edits = {edit};
  EXPECT_EQ(advice_text(finding).find("values"), std::string::npos) << advice_text(finding);
  finding.data[0].local_line = 30;
  EXPECT_NE(advice_text(finding).find("write their values"), std::string::npos);
}

TEST(Evidence, IsPossibleOnlyWhereAKernelMayWriteTheSame) {
  Finding finding = of(facts::UnmodifiedCopyBack{{"a"}, {1, 1}});
  finding.caveats = {{Caveat::Kind::kSameWritten}, {Caveat::Kind::kNamesStray, {"u", "v"}}};
  EXPECT_EQ(evidence_text(finding),
            "a was copied back unchanged in 1 transfer. Possible only, because a kernel may have "
            "written the values that were there, and others in another run, and because u and v "
            "stand for other data too, which is not kept");
}

TEST(Evidence, OfMemory) {
  EXPECT_EQ(evidence_text(of(facts::UnusedTransfer{"a", {0}, 3, 40}, 4)),
            "a went to device 0 in 4 transfers that no kernel there could have used: 3 overwritten "
            "and 1 deleted unused; 40 in all");
  EXPECT_EQ(evidence_text(of(facts::UnusedAllocation{{"a", "b"}, {0, 1}}, 2)),
            "a and b were on devices 0 and 1 (2 allocations), and no kernel there could have "
            "used them");
  EXPECT_EQ(
      evidence_text(of(facts::RepeatedAllocation{{"a"}, {0}, {kPlace}, 12, 3}, 9)),
      "9 allocations of a on device 0, by heat.cpp:41, were of memory that had been allocated "
      "there before");
}

TEST(Evidence, OfWhatWasLeft) {
  facts::DeviceLeak facts{.devices = {0}, .directive = Directive::kApi, .place = kPlace};
  facts.api = "omp_target_alloc";
  EXPECT_EQ(evidence_text(of(facts)),
            "memory was still on device 0 when the program ended, left by omp_target_alloc at "
            "heat.cpp:41 (1 allocation)");
  EXPECT_EQ(advice_text(of(facts)), "");
  facts = {.is_mapped = true, .items = {"u"}, .devices = {0}, .place = kPlace};
  facts.directive = Directive::kTargetEnterData;
  facts.asked_back = {kOther};
  facts.other_names = {"v", "w"};
  EXPECT_EQ(evidence_text(of(facts)),
            "u was still on device 0 when the program ended, left by target enter data at "
            "heat.cpp:41 (1 allocation). map(from: ...) or map(tofrom: ...) at heat.cpp:52 found "
            "it present and copied nothing back. The host never got the device's results");
  EXPECT_EQ(advice_text(of(facts)),
            "if the host still needs the device's results, write target update from(...) before "
            "that\n"
            "it may be called v or w by then: these pointers are swapped");
}

TEST(Evidence, OfSmallTransfers) {
  facts::SmallTransfers facts{.largest = 800, .to_device = true, .place = kPlace};
  EXPECT_EQ(evidence_text(of(facts, 32)),
            "32 transfers of at most 800 B to the device: their latency is over half of the "
            "device's time there");
  facts.enough = 1;
  facts.neighbours = facts.repeated = facts.one_place = true;
  facts.items = {"*this"};
  EXPECT_EQ(evidence_text(of(facts, 32)),
            "32 transfers of at most 800 B to the device, of neighbouring memory, many without a "
            "kernel in between: 1 would do");
  EXPECT_EQ(advice_text(of(facts, 32)),
            "at heat.cpp:41, copy once, after the loop that runs heat.cpp:41. No kernel runs in "
            "between, so only the last copy is needed");
  facts.one_place = false;
  facts.directive = Directive::kTargetUpdate;
  facts.device = 2;
  facts.loop = {kOther};
  EXPECT_EQ(advice_text(of(facts, 32)),
            "after the loop at heat.cpp:52 in norm, in place of the update there, write one "
            "for device 2 with to() over all the pieces this[0:1]");
}

TEST(Evidence, OfScalarsAndComponents) {
  EXPECT_EQ(
      evidence_text(of(
          facts::MappedScalars{
              .names = {"n"}, .largest = 8, .launches = 40, .places = {kPlace}, .transfers = 120},
          40)),
      "in 40 launches at heat.cpp:41, 40 of 120 transfers of at most 8 B carried n, not "
      "copied back. A kernel argument takes no transfer");
  Finding walk = of(facts::MapperWalk{.most = 3001,
                                      .bytes = 80,
                                      .transfers = 5,
                                      .wall = 20'000,
                                      .names = {"a"},
                                      .place = kPlace},
                    6002, 2);
  walk.wasted_time = 18'000;
  EXPECT_EQ(evidence_text(walk),
            "2 executions walked 6002 components in all, 3001 at a time, which moved 80 B in 5 "
            "transfers. 90 % of their time is neither copies nor kernels");
  EXPECT_EQ(advice_text(walk),
            "for a, keep the data of the structs in one array, and offsets in the structs. One "
            "clause then maps it all, without a mapper");
}

TEST(Evidence, OfPartialUpdates) {
  facts::PartialUpdate facts{.names = {"a[0:9][0:5]"}, .moved = 240, .named = 12'000};
  facts.place = kPlace;
  EXPECT_EQ(evidence_text(of(facts, 3)), "3 updates of a[0:9][0:5] moved 240 B of 12.0 KB");
  facts.moved = 0;
  EXPECT_EQ(evidence_text(of(facts)), "1 update of a[0:9][0:5] moved nothing");
  facts.moved = 4000;
  facts.in_steps = true;
  EXPECT_EQ(evidence_text(of(facts)),
            "1 update of a[0:9][0:5] moved 4.00 KB that lie next to each other, from the first on: "
            "the step was left out");
}

TEST(Evidence, OfKernels) {
  using Shape = facts::SerialKernel::Shape;
  facts::SerialKernel facts{.shape = Shape::kOneTeam, .place = kPlace};
  EXPECT_EQ(evidence_text(of(facts)),
            "1 launch of a target region without a teams construct: one team, and one thread but "
            "for parallel constructs within");
  facts.run = {.blocks = 4, .threads = 64, .multiprocessors = 132};
  facts.run->occupancy = {256, 2048, facts::KernelRun::Limit::kRegisters};
  facts.has_teams = true;
  EXPECT_EQ(evidence_text(of(facts)),
            "1 launch as one team, ran as 4 blocks of 64 threads: 4 of 132 multiprocessors had "
            "work");
  facts.shape = Shape::kLowOccupancy;
  facts.trip_count = 1'000'000;
  facts.run->blocks = 132;
  EXPECT_EQ(evidence_text(of(facts, 2)),
            "2 launches of 1000000 loop iterations, ran as 132 blocks of 64 threads: registers let "
            "256 of 2048 threads be on a multiprocessor at once");
  facts = {.shape = Shape::kFew, .num_teams = 4, .thread_limit = 64, .trip_count = 1'000'000};
  EXPECT_EQ(evidence_text(of(facts)),
            "1 launch of 1000000 loop iterations with num_teams(4) and thread_limit(64)");
  EXPECT_EQ(advice_text(of(facts)),
            "at the kernel, leave num_teams and thread_limit to the runtime");
}

TEST(Evidence, OfCopiesAndTheHost) {
  facts::PageableTransfer copies;
  copies.ways[0] = {5, {40'000'000, 10'000'000}, {50'000'000, 2'000'000}};
  EXPECT_EQ(evidence_text(of(copies, 5)),
            "5 transfers of 40.0 MB in all from pageable host memory, at 4.00 GB/s, where "
            "page-locked memory reached 25.00 GB/s in this run");
  copies.ways[1] = {1, {8'000'000, 1'000'000}, {}};
  EXPECT_EQ(evidence_text(of(copies, 6)),
            "5 transfers of 40.0 MB in all from pageable host memory, at 4.00 GB/s, where "
            "page-locked memory reached 25.00 GB/s in this run; 1 transfer of 8.0 MB in all to "
            "pageable host memory, at 8.00 GB/s");
  EXPECT_EQ(evidence_text(of(facts::NoOverlap{{"a"}, kPlace}, 2)),
            "2 transfers of a began only after the kernel of heat.cpp:41, whose maps do not name "
            "it");
  EXPECT_EQ(evidence_text(of(facts::HostFallback{}, 2, 3)),
            "the region's kernel was called and ran on the host in 2 of 3 executions");
  EXPECT_EQ(advice_text(of(facts::HostFallback{facts::HostFallback::Cause::kDisabled, "./heat"})),
            "OMP_TARGET_OFFLOAD=DISABLED forbids devices: run without it to use them");
}

TEST(Evidence, RemarksFollow) {
  Finding finding;
  finding.remarks = {{Remark::Kind::kMakeOnce, {"u", "v"}, kPlace}};
  EXPECT_EQ(
      advice_text(finding),
      "map the data that u and v point to around the loop at heat.cpp:41, by names that are known "
      "there\n"
      "if the loop allocates it, allocate it once, before the loop\n"
      "in the loop, write target update for the data that has to be copied");
}

}  // namespace
}  // namespace ompdm::report::evidence_test
