// Fortran: names, sources and map lists exactly as flang 19.1.7 and 22.1.8 passed them, addresses
// aside.
#include <gtest/gtest.h>

#include "ompdm/finish.h"
#include "spool/spool_builder.h"
#include "symbols/symbol_names.h"

namespace ompdm::test::flang_test {
namespace {

using spool::Entry;
using trace::demangle;
using trace::fortran_name;
using trace::parse_flang_item;

TEST(FlangNames, OfProcedures) {
  EXPECT_EQ(demangle("_QQmain"), "main program");
  EXPECT_EQ(demangle("_QPsub"), "sub");
  EXPECT_EQ(demangle("_QMfieldsPpush"), "fields::push");
  EXPECT_EQ(demangle("_QMfieldsFouterPinner"), "fields::outer::inner");
  EXPECT_EQ(demangle("_QMmodSpartPsub"), "mod::part::sub");
  EXPECT_EQ(demangle("_QFPinner"), "inner") << "of the main program";
  EXPECT_EQ(demangle("_QMfieldsEgrid"), "fields::grid");
  EXPECT_EQ(demangle("_QMmFfB1Evar"), "m::f::var");
}

TEST(FlangNames, OthersAreLeftAlone) {
  for (const char* name : {"main", "legacy_", "_Q", "_QQ", "_QQEnvironmentDefaults", "_QM",
                           "_QXabc", "_QMfieldsTcell", "_ZL1Qv", ""}) {
    EXPECT_FALSE(fortran_name(name)) << name;
  }
}

TEST(FlangNames, OfMappedItems) {
  const auto item = parse_flang_item(";/src/d.f90;w(1:100,1);6;14;;");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->file, "/src/d.f90");
  EXPECT_EQ(item->expression, "w(1:100,1)");
  EXPECT_EQ(item->place, ";6;14;;");
  EXPECT_FALSE(parse_flang_item(";u[0:n * n];/src/heat.cpp;53;68;;"));
  EXPECT_FALSE(parse_flang_item(";unknown;unknown;0;0;;"));
  EXPECT_FALSE(parse_flang_item(";/src"));
  EXPECT_FALSE(parse_flang_item(";/a;1;2;;"));
  EXPECT_FALSE(parse_flang_item(""));
}

TEST(FlangNames, SectionsAndComponents) {
  const auto base = [](const std::string& text) {
    return trace::parse_item(';' + text + ";/src/d.f90;1;1;;").base;
  };
  EXPECT_EQ(base("w(1:100,1)"), "w");
  EXPECT_EQ(base("c%t(1:n)"), "c%t");
  EXPECT_EQ(base("deep(1:10,1:idx(2),2:3)"), "deep");
  EXPECT_EQ(base("a(3)%t"), "a(3)%t");
  EXPECT_EQ(base("v.data()[0:n]"), "v.data()");
  EXPECT_EQ(base("*(p + 1)"), "*(p + 1)");
  EXPECT_EQ(trace::struct_of("w%p%t"), "w%p");
  EXPECT_EQ(trace::struct_of("a[i % 2].b"), "a[i % 2]");
}

Trace read_flang(const std::vector<BufferBuilder>& buffers) {
  return read_spool(write_file("flang", spool_bytes(plain_header(), buffers)));
}

struct Shown {
  std::string file;
  int line = 0;
  std::string function;
  bool operator==(const Shown&) const = default;
};
void PrintTo(const Shown& shown, std::ostream* out) {
  *out << shown.file << ':' << shown.line << " in " << shown.function;
}

Shown shown(const Trace& trace, std::size_t site) {
  const Site& row = trace.sites.at(site);
  return {row.file, row.line, row.function};
}

TEST(Flang, AFileIsThatOfTheVariables) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10, {";FIRModule;_QQmain;10;9;;", {";/src/d.f90;u;4;14;;"}});
  buffer.site(2, Entry::kDataBegin, 0x20, {";FIRModule;MAIN;10;9;;", {";/src/e.f90;u;4;14;;"}});
  buffer.site(3, Entry::kDataUpdate, 0x30,
              {";FIRModule;push;14;11;;", {";/src/fields.f90;unknown;14;25;;"}});
  const Trace trace = read_flang({buffer});
  EXPECT_EQ(shown(trace, 0), (Shown{"/src/d.f90", 10, "main program"}));
  EXPECT_EQ(shown(trace, 1), (Shown{"/src/e.f90", 10, "main program"}));
  EXPECT_EQ(shown(trace, 2), (Shown{"/src/fields.f90", 14, "push"}));
  EXPECT_EQ(trace.sites[0].column, 9);
  EXPECT_EQ(trace.sites[0].source, LineSource::kRuntime);
}

// Without debug information: from the same procedure's other directives, or not at all.
TEST(Flang, AFileThatNoVariableTellsIsThatOfTheProcedure) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";FIRModule;push;13;9;;", {";/src/fields.mod;grid;4;10;;"}});
  buffer.site(2, Entry::kDataEnd, 0x20, {";FIRModule;push;17;9;;", {";/src/more.f90;x;8;10;;"}});
  buffer.site(3, Entry::kDataEnd, 0x30,
              {";FIRModule;pull;25;9;;", {";/src/fields.mod;grid;4;10;;"}});
  const Trace trace = read_flang({buffer});
  EXPECT_EQ(shown(trace, 0), (Shown{"/src/more.f90", 13, "push"}));
  EXPECT_EQ(shown(trace, 2), (Shown{"", 25, "pull"}));
}

TEST(Flang, ProceduresOfTwoFilesAreToldApart) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10, {";FIRModule;twin;31;11;;", {";/src/a.f90;v;28;22;;"}});
  buffer.site(2, Entry::kDataEnd, 0x20, {";FIRModule;twin;31;11;;", {";/src/b.f90;v;29;22;;"}});
  buffer.region(1, 1, 2, 10, 20).region(2, 2, 3, 30, 40);
  const Trace trace = read_flang({buffer});
  EXPECT_EQ(trace.sites[0].directive, Directive::kTargetEnterData);
  EXPECT_EQ(trace.sites[1].directive, Directive::kTargetExitData);
}

// Places in a module's file are no places in the source.
TEST(Flang, AModulesVariableHasItsNameAlone) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";FIRModule;push;13;9;;", {";/src/fields.mod;grid(1:100);4;10;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 800, 0x1}});
  buffer.region(1, 1, 2, 10, 20, 1).op(1, argument(alloc(11, 0xa000, 0xd000, 800), 1));
  const Trace trace = read_flang({buffer});
  ASSERT_EQ(trace.variables.size(), 1U);
  EXPECT_EQ(trace.variables[0].name, "grid");
  EXPECT_EQ(trace.variables[0].expression, "grid(1:100)");
  EXPECT_EQ(trace.variables[0].file, "");
  EXPECT_EQ(trace.variables[0].line, 0);
}

void expect_descriptor_told_apart(const Trace& trace, std::uint64_t program_ops) {
  ASSERT_EQ(trace.variables.size(), 1U);
  const Variable& variable = trace.variables[0];
  EXPECT_EQ(variable.name, "b");
  EXPECT_EQ(variable.file, "/src/d.f90");
  EXPECT_EQ(variable.line, 5);
  EXPECT_EQ(variable.bytes, 32000U);
  EXPECT_EQ(variable.pieces, 1U);
  std::uint64_t count = 0;
  for (const DataOp& op : trace.ops) {
    EXPECT_EQ(op.internal, op.bytes != 32000) << op.bytes;
    if (op.internal) continue;
    ++count;
    EXPECT_EQ(op.variable.value, 0U);
  }
  EXPECT_EQ(count, program_ops);
  for (const auto& items : trace.map_lists) {
    for (const MapItem& item : items) EXPECT_EQ(item.variable.value, 0U);
  }
}

TEST(Flang, OfVersion19ADescriptorIsNoPieceOfItsArray) {
  BufferBuilder buffer(0);
  const std::string name = ";/src/d.f90;b;5;33;;";
  buffer.site(1, Entry::kDataBegin, 0x10, {";FIRModule;_QQmain;11;9;;", {name, name, name}});
  buffer.map_list(1, {{0x4220, 0x4220, 72, 0},
                      {0x4220, 0x4220, 72, 0x1000000000001},
                      {0x4220, 0xa4530, 32000, 0x1000000000011}});
  const std::string unknown = ";/src/d.f90;unknown;16;25;;";
  buffer.site(2, Entry::kDataUpdate, 0x20,
              {";FIRModule;_QQmain;16;11;;", {unknown, unknown, unknown}});
  buffer.site(3, Entry::kDataEnd, 0x30, {";FIRModule;_QQmain;19;9;;", {name, name, name}});
  buffer.map_list(2, {{0x4220, 0x4220, 72, 0},
                      {0x4220, 0x4220, 72, 0x1000000000001},
                      {0x4220, 0xa4530, 32000, 0x1000000000011}});
  buffer.map_list(3, {{0x4220, 0x4220, 72, 0},
                      {0x4220, 0x4220, 72, 0x1000000000001},
                      {0x4220, 0xa4530, 32000, 0x1000000000012}});
  buffer.region(1, 1, 2, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0x4220, 0xd000, 72), 1));
  buffer.op(1, argument(to_device(25, 0x4220, 0xd000, 72), 1));
  buffer.op(1, argument(alloc(30, 0xa4530, 0xe000, 32000), 3));
  buffer.op(1, argument(to_device(35, 0xa4530, 0xe000, 32000), 3));
  buffer.op(1, to_device(40, 0x5ad0, 0xd000, 8));
  buffer.region(2, 2, 4, 100, 190, 2);
  buffer.op(2, argument(to_device(120, 0xa4530, 0xe000, 32000), 3));
  buffer.op(2, argument(to_device(130, 0x4220, 0xd000, 72), 1));
  buffer.region(3, 3, 3, 200, 290, 3);
  buffer.op(3, free_on_device(210, 0xe000)).op(3, free_on_device(220, 0xd000));
  expect_descriptor_told_apart(read_flang({buffer}), 4);
}

TEST(Flang, OfVersion22ADescriptorsPiecesAreNoneOfItsArray) {
  BufferBuilder buffer(0);
  const std::string name = ";/src/d.f90;b;5;33;;";
  const std::string unknown = ";/src/d.f90;unknown;5;33;;";
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";FIRModule;MAIN;11;9;;", {name, name, name, unknown, unknown}});
  buffer.map_list(1, {{0x4220, 0x4220, 72, 0},
                      {0x4220, 0x4220, 0, 0x1000000000005},
                      {0x4220, 0x4228, 64, 0x1000000000005},
                      {0x4220, 0x4220, 8, 0x1000000000001},
                      {0x4220, 0xa4530, 32000, 0x1000000000011}});
  buffer.region(1, 1, 2, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0x4220, 0xd000, 72), 4));
  buffer.op(1, argument(to_device(25, 0x4228, 0xd008, 64), 3));
  buffer.op(1, argument(to_device(27, 0x4220, 0xd000, 8), 4));
  buffer.op(1, argument(alloc(30, 0xa4530, 0xe000, 32000), 5));
  buffer.op(1, argument(to_device(35, 0xa4530, 0xe000, 32000), 5));
  buffer.op(1, to_device(40, 0x5ad0, 0xd000, 8));
  buffer.op(1, free_on_device(60, 0xe000)).op(1, free_on_device(70, 0xd000));
  const Trace trace = read_flang({buffer});
  expect_descriptor_told_apart(trace, 3);
  EXPECT_EQ(trace.map_lists[0][4].name, "b");
}

// map(tofrom: a%t, a%k): the struct's memory is the program's, its descriptor's bytes are not.
TEST(Flang, ADescriptorMayBeAComponent) {
  BufferBuilder buffer(0);
  const std::string unknown = ";/src/d.f90;unknown;38;21;;";
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";FIRModule;DER;38;9;;",
               {";/src/d.f90;unknown;27;17;;", ";/src/d.f90;a%t;38;21;;", unknown, unknown,
                ";/src/d.f90;a%k;38;21;;"}});
  buffer.map_list(1, {{0x4210, 0x4210, 72, 0},
                      {0x4210, 0x4210, 48, 0x1000000000005},
                      {0x4210, 0x4210, 8, 0x1000000000003},
                      {0x4210, 0xbfe70, 800, 0x1000000000013},
                      {0x4210, 0x4240, 24, 0x1000000000003}});
  buffer.region(1, 1, 2, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0x4210, 0xd000, 72), 3));
  buffer.op(1, argument(to_device(25, 0x4210, 0xd000, 48), 2));
  buffer.op(1, argument(to_device(27, 0x4210, 0xd000, 8), 3));
  buffer.op(1, argument(alloc(30, 0xbfe70, 0xe000, 800), 4));
  buffer.op(1, argument(to_device(35, 0xbfe70, 0xe000, 800), 4));
  buffer.op(1, argument(to_device(45, 0x4240, 0xd030, 24), 5));
  const Trace trace = read_flang({buffer});
  std::vector<bool> internal;
  for (const DataOp& op : trace.ops) internal.push_back(op.internal);
  EXPECT_EQ(internal, (std::vector<bool>{false, true, true, false, false, false}));
  const auto name = [&](std::size_t op) {
    return trace.variables.at(trace.ops[op].variable.value).name;
  };
  EXPECT_EQ(name(0), "a");
  EXPECT_EQ(name(4), "a%t");
  EXPECT_EQ(name(5), "a");
}

// A struct of C that begins with a pointer has the same shape.
TEST(Flang, WhatClangMapsIsNoDescriptor) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kDataBegin, 0x10,
              {";a.cpp;main;7;1;;", {";s;a.cpp;3;1;;", ";s.p[:n];a.cpp;3;1;;"}});
  buffer.map_list(1, {{0xa000, 0xa000, 48, 0x1}, {0xa000, 0xb000, 400, 0x1000000000011}});
  buffer.region(1, 1, 2, 10, 90, 1);
  buffer.op(1, argument(alloc(20, 0xa000, 0xd000, 48), 1));
  buffer.op(1, argument(to_device(30, 0xa000, 0xd000, 48), 1));
  const Trace trace = read_flang({buffer});
  EXPECT_FALSE(trace.ops[0].internal);
  EXPECT_FALSE(trace.ops[1].internal);
}

}  // namespace
}  // namespace ompdm::test::flang_test
