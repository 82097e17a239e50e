// Operations to variables and sites.
#include <gtest/gtest.h>

#include "ompdm/finish.h"
#include "spool/attributed.h"

namespace ompdm::test::attribution_test {
namespace {

using spool::Entry;

TEST(Attribution, ATargetDataIsOneDirectiveAtItsLine) {
  BufferBuilder buffer(0);
  const BufferBuilder::SiteText text{";a.cpp;main;7;1;;", {";u;a.cpp;3;1;;"}};
  buffer.site(1, Entry::kDataBegin, 0x10, text).site(2, Entry::kDataEnd, 0x20, text);
  buffer.site(3, Entry::kDataBegin, 0x30, {";a.cpp;main;9;1;;", {}});
  buffer.region(1, 1, 2, 10, 20).region(2, 2, 3, 30, 40).region(3, 3, 2, 50, 60);
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.sites[0].directive, Directive::kTargetData);
  EXPECT_EQ(trace.sites[1].directive, Directive::kTargetData);
  EXPECT_EQ(trace.sites[2].directive, Directive::kTargetEnterData);
  EXPECT_FALSE(trace.regions[0].ends_data);
  EXPECT_TRUE(trace.regions[1].ends_data);
  EXPECT_EQ(trace.sites[1].line, 7);
  EXPECT_EQ(trace.sites[1].source, LineSource::kRuntime);
}

TEST(Attribution, WithoutSourceEnterAndExitRemain) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10, {";unknown;unknown;0;0;;", {}});
  buffer.site(2, Entry::kDataEnd, 0x20, {";unknown;unknown;0;0;;", {}});
  buffer.region(1, 1, 2, 10, 20).region(2, 2, 3, 30, 40);
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.sites[0].directive, Directive::kTargetEnterData);
  EXPECT_EQ(trace.sites[1].directive, Directive::kTargetExitData);
}

TEST(Attribution, NamesComeFromTheArguments) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10,
              {";a.cpp;main;7;1;;", {";u[0:n*n];a.cpp;3;1;;", ";t[0:n];a.cpp;4;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 0x23}, {0xb000, 0xb000, 40, 0x21}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0xa000, 0xd000, 80), 1));
  buffer.op(1, argument(to_device(30, 0xa000, 0xd000, 80), 1));
  buffer.op(1, argument(alloc(40, 0xb000, 0xe000, 40), 2));
  buffer.op(1, free_on_device(60, 0xd000));
  const Trace trace = read({buffer});
  EXPECT_EQ(variable_of(trace, 0), "u");
  EXPECT_EQ(variable_of(trace, 1), "u");
  EXPECT_EQ(variable_of(trace, 2), "t");
  EXPECT_EQ(variable_of(trace, 3), "u");
  EXPECT_EQ(trace.ops[1].map_type, 0x23U);
  EXPECT_EQ(trace.variables[0].expression, "u[0:n*n]");
  EXPECT_EQ(trace.variables[0].line, 3);
  EXPECT_EQ(trace.variables[0].bytes, 80U);
  ASSERT_EQ(trace.map_lists.size(), 1U);
  EXPECT_EQ(trace.map_lists[0][1].name, "t[0:n]");
  EXPECT_EQ(trace.map_lists[0][1].variable.value, 1U);
}

// From LLVM 22 on: without TO and FROM it would read as data that a kernel may change.
TEST(Attribution, AttachItemsAreNoData) {
  BufferBuilder buffer(0);
  buffer.site(
      1, Entry::kKernel, 0x10,
      {";a.cpp;main;7;1;;", {";a[0:n];a.cpp;3;1;;", ";a[0:n];a.cpp;3;1;;", ";n;a.cpp;4;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 0x21}, {0x7f00, 0xa000, 8, 0x4000}, {9, 9, 4, 0x320}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, argument(to_device(30, 0xa000, 0xd000, 80), 1));
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.map_lists.size(), 1U);
  ASSERT_EQ(trace.map_lists[0].size(), 2U);
  EXPECT_EQ(trace.map_lists[0][0].name, "a[0:n]");
  EXPECT_EQ(trace.map_lists[0][1].name, "n");
  EXPECT_EQ(variable_of(trace, 0), "a");
}

// The attach item lies where the data does: what the recorder took for it says how the data moves.
TEST(Attribution, ACopyIsOfTheItemThatMapsItNotOfTheOneThatAttaches) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10,
              {";a.cpp;main;7;1;;", {";a[0:n];a.cpp;3;1;;", ";a[0:n];a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 0x25}, {0x7f00, 0xa000, 8, 0x4000}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, argument(to_device(30, 0xa000, 0xd000, 80), 2));
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.ops[0].map_type, 0x25U);
  EXPECT_EQ(variable_of(trace, 0), "a");
}

TEST(Attribution, AnUpdateOfPresentDataIsItsVariables) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10, {";a.cpp;main;7;1;;", {";u;a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 0x1}});
  buffer.site(2, Entry::kDataUpdate, 0x20, {";a.cpp;main;8;1;;", {}});
  buffer.region(1, 1, 2, 10, 20, 1).op(1, argument(alloc(11, 0xa000, 0xd000, 80), 1));
  buffer.region(2, 2, 4, 30, 40).op(2, from_device(31, 0xd010, 0xa010, 8));
  const Trace trace = read({buffer});
  EXPECT_EQ(variable_of(trace, 1), "u");
  EXPECT_EQ(trace.variables.size(), 1U);
}

TEST(Attribution, PointerAttachIsTheRuntimesOwn) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";a.cpp;main;7;1;;", {";s;a.cpp;3;1;;", ";s.p[:n];a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 56, 0x1}, {0xa028, 0xb000, 400, 0x1000000000011}});
  buffer.region(1, 1, 2, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0xa000, 0xd000, 56), 1));
  buffer.op(1, argument(to_device(30, 0xa000, 0xd000, 56), 1));
  buffer.op(1, argument(alloc(40, 0xb000, 0xe000, 400), 2));
  buffer.op(1, argument(to_device(50, 0xb000, 0xe000, 400), 2));
  buffer.op(1, to_device(60, 0x5ad0, 0xd028, 8));
  const Trace trace = read({buffer});
  EXPECT_TRUE(trace.ops[4].internal);
  EXPECT_EQ(variable_of(trace, 4), "(none)");
  EXPECT_FALSE(trace.ops[3].internal);
  EXPECT_EQ(variable_of(trace, 3), "s.p");
}

TEST(Attribution, AMappedPointerMemberIsTheProgramsOwn) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10).region(1, 1, 2, 10, 90);
  buffer.op(1, alloc(20, 0xa000, 0xd000, 64)).op(1, to_device(30, 0xa028, 0xd028, 8));
  // A struct of which members are mapped is padded in front on the device.
  buffer.op(1, alloc(40, 0xb008, 0xe000, 60)).op(1, to_device(50, 0xb008, 0xe008, 8));
  const Trace trace = read({buffer});
  EXPECT_FALSE(trace.ops[1].internal);
  EXPECT_FALSE(trace.ops[3].internal);
}

TEST(Attribution, MembersMappedTogetherAreTheirStruct) {
  BufferBuilder buffer(0);
  buffer.site(
      1, Entry::kKernel, 0x10,
      {";a.cpp;main;7;1;;", {";unknown;unknown;0;0;;", ";s.b;a.cpp;3;1;;", ";s.n;a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa008, 44, 0x20},
                      {0xa000, 0xa008, 32, 0x1000000000003},
                      {0xa000, 0xa030, 4, 0x1000000000001}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0xa008, 0xd000, 52), 2));
  buffer.op(1, argument(to_device(30, 0xa030, 0xd030, 4), 3));
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.variables.size(), 1U);
  EXPECT_EQ(trace.variables[0].name, "s");
  EXPECT_EQ(trace.variables[0].bytes, 44U);
  EXPECT_TRUE(trace.variables[0].aliases.empty());
  EXPECT_EQ(trace.ops[0].map_type, 0x20U);
}

// As clang 19 maps the object of a member function whose kernel calls another member.
TEST(Attribution, AnObjectThatIsMappedWithoutAClauseIsThis) {
  BufferBuilder buffer(0);
  const std::string unknown = ";unknown;unknown;0;0;;";
  buffer.site(1, Entry::kKernel, 0x10, {";a.cpp;step;7;1;;", {unknown, ";n;a.cpp;3;1;;", unknown}});
  buffer.map_list(1, {{0xa000, 0xa000, 496, 0x223}, {0, 0, 4, 0x320}, {0, 0, 8, 0x320}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0xa000, 0xd000, 496), 1));
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.variables.size(), 1U);
  EXPECT_EQ(trace.variables[0].name, "this");
  EXPECT_EQ(trace.variables[0].expression, "this[:1]");
  EXPECT_EQ(trace.variables[0].line, 7);
}

TEST(Attribution, PackedFirstprivateArgumentsAreTheProgramsWithTheirNames) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10,
              {";a.cpp;main;7;1;;", {";c1;a.cpp;3;1;;", ";n;a.cpp;4;1;;", ";c2;a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 160, 0xa1}, {0, 0, 4, 0x320}, {0xb000, 0xb000, 128, 0xa1}});
  buffer.region(1, 1, 1, 10, 90, 1);
  buffer.op(1, alloc(20, 0x7e30, 0xd000, 288)).op(1, to_device(30, 0x7e30, 0xd000, 288));
  buffer.op(1, free_on_device(80, 0xd000));
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.variables.size(), 1U);
  EXPECT_EQ(trace.variables[0].name, "firstprivate");
  EXPECT_EQ(trace.variables[0].expression, "c1, c2");
  EXPECT_EQ(variable_of(trace, 1), "firstprivate");
  EXPECT_EQ(variable_of(trace, 2), "firstprivate");
  EXPECT_FALSE(trace.ops[1].internal);
  EXPECT_EQ(trace.map_lists[0][0].variable.value, 0U);
  EXPECT_FALSE(trace.map_lists[0][1].variable);
}

TEST(Attribution, WhatADeclareMapperBringsIsNotTakenForFirstprivate) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {";p;a.cpp;3;1;;", ";c;a.cpp;4;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 16, 0x23}, {0xb000, 0xb000, 32, 0xa1}});
  buffer.region(1, 1, 1, 10, 90, 1).op(1, alloc(20, 0xf000, 0xd000, 800));
  const Trace trace = read({buffer});
  EXPECT_EQ(variable_of(trace, 0), "");
  EXPECT_EQ(trace.variables[0].line, 7);
}

TEST(Attribution, DeclareTargetVariablesHaveTheNamesOfTheOffloadTable) {
  BufferBuilder buffer(0);
  buffer.symbol(0xa000, 400, "table").symbol(0xc000, 8, "linked_decl_tgt_ref_ptr");
  buffer.site(1, Entry::kDataUpdate, 0x10).region(1, 1, 4, 10, 90);
  buffer.op(1, to_device(20, 0xa010, 0xd010, 8)).op(1, to_device(30, 0x5ad0, 0xd800, 8));
  buffer.op(1, to_device(40, 0xc000, 0xd800, 8));
  const Trace trace = read({buffer});
  EXPECT_EQ(variable_of(trace, 0), "table");
  EXPECT_EQ(trace.variables[0].bytes, 400U);
  EXPECT_FALSE(trace.ops[0].internal);
  EXPECT_TRUE(trace.ops[1].internal);
  EXPECT_TRUE(trace.ops[2].internal);
}

TEST(Attribution, ADeleteAfterItsRegionsEndIsStillItsSites) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernelNowait, 0x10, {";a.cpp;main;7;1;;", {";u;a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 0x23}});
  buffer.region(1, 1, 1, 10, 30, 1).op(1, argument(alloc(11, 0xa000, 0xd000, 80), 1));
  BufferBuilder helper(1);
  helper.module(1, "/usr/lib/libomp.so.5", 0).site(1, Entry::kNone, 0x99, {}, 0, 1);
  helper.api_op(1, free_on_device(50, 0xd000));
  const Trace trace = read({buffer, helper});
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.ops[1].site, trace.ops[0].site);
  EXPECT_FALSE(trace.ops[1].region);
  EXPECT_EQ(variable_of(trace, 1), "u");
}

TEST(Attribution, AnAddressThatIsUsedAgainByAnotherThreadIsNotConfused) {
  // The second allocation begins before the first is freed, and gets its address.
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kNone, 0x10).region(1, 1, 2, 10, 90);
  buffer.op(1, alloc(20, 0xa000, 0xd000, 80)).op(1, free_on_device(42, 0xd000));
  BufferBuilder other(1);
  Operation late = alloc(40, 0xb000, 0xd000, 16);
  late.end = tick(60);
  other.site(1, Entry::kNone, 0x20).region(1, 1, 2, 30, 90).op(1, late);
  other.op(1, free_on_device(70, 0xd000));
  const Trace trace = read({buffer, other});
  ASSERT_EQ(trace.ops.size(), 4U);
  EXPECT_EQ(trace.ops[2].bytes, 80U);
  EXPECT_EQ(trace.ops[3].bytes, 16U);
}

TEST(Attribution, AssociationsLieOverAllocations) {
  BufferBuilder buffer(0);
  Operation associate = to_device(20, 0xa000, 0xd000, 80);
  associate.optype = 5;
  Operation disassociate = to_device(60, 0xa000, 0, 0);
  disassociate.optype = 6;
  buffer.site(1, Entry::kNone, 0x10);
  buffer.api_op(1, alloc(10, 0, 0xd000, 80)).api_op(1, associate);
  buffer.site(2, Entry::kDataUpdate, 0x20).region(1, 2, 4, 30, 40);
  buffer.op(1, to_device(31, 0xa000, 0xd000, 80)).api_op(1, disassociate);
  buffer.api_op(1, free_on_device(70, 0xd000));
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.ops[2].variable, trace.ops[1].variable);
  EXPECT_EQ(trace.ops[3].bytes, 80U);
  EXPECT_EQ(trace.ops[4].bytes, 80U);
  EXPECT_EQ(trace.sites[0].directive, Directive::kApi);
}

Operation from_initial_device(Operation op) {
  op.src_device = -1;
  return op;
}

// LLVM 23 tells of what it uploads for its own code: an image's and a launch's environment.
TEST(Attribution, EnvironmentsAreTheRuntimesOwn) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").symbol(0xb000, 48, "table");
  buffer.site(1, Entry::kNone, 0x10)
      .site(2, Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {";u;a.cpp;3;1;;"}});
  buffer.site(3, Entry::kMemcpy, 0x20).map_list(1, {{0xa000, 0xa000, 80, 0x23}});
  buffer.api_op(1, from_initial_device(to_device(5, 0x7fff0, 0xd800, 48)));
  buffer.region(1, 2, 1, 10, 90, 1);
  buffer.op(1, from_initial_device(alloc(20, 0xa000, 0xd000, 80)));
  buffer.op(1, from_initial_device(to_device(30, 0xa000, 0xd000, 80)));
  buffer.op(1, from_initial_device(to_device(40, 0xb000, 0xdf00, 48)));
  buffer.op(1, from_initial_device(to_device(50, 0x5ad0, 0xd900, 48)));
  buffer.api_op(3, from_initial_device(to_device(95, 0xc000, 0xcada0000, 48)));
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.ops.size(), 6U);
  EXPECT_TRUE(trace.ops[0].internal);
  EXPECT_FALSE(trace.ops[2].internal);
  EXPECT_FALSE(trace.ops[3].internal) << "a declare target variable";
  EXPECT_TRUE(trace.ops[4].internal);
  EXPECT_FALSE(trace.ops[5].internal) << "what the program copied to memory of another library";
}

}  // namespace
}  // namespace ompdm::test::attribution_test
