// The compiler's names, as text.
#include <gtest/gtest.h>

#include "symbols/symbol_names.h"

namespace ompdm::trace::names_test {
namespace {

TEST(Names, SourceOfADirective) {
  const auto source = parse_source(";heat.cpp;main;12;3;;");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->file, "heat.cpp");
  EXPECT_EQ(source->function, "main");
  EXPECT_EQ(source->line, 12);
  EXPECT_EQ(source->column, 3);
}

TEST(Names, ASourceWithoutDebugInformationIsNone) {
  EXPECT_FALSE(parse_source(";unknown;unknown;0;0;;"));
  EXPECT_FALSE(parse_source(""));
  EXPECT_FALSE(parse_source("garbage"));
  EXPECT_FALSE(parse_source(";;;;;"));
}

TEST(Names, ItemOfAMap) {
  const ItemName item = parse_item(";u[0:n * n];src/heat.cpp;13;32;;");
  EXPECT_EQ(item.expression, "u[0:n * n]");
  EXPECT_EQ(item.base, "u");
  EXPECT_EQ(item.file, "src/heat.cpp");
  EXPECT_EQ(item.line, 13);
}

TEST(Names, OnlySectionsAtTheEndAreDropped) {
  EXPECT_EQ(parse_item(";a[0:n][:m];f.c;1;1;;").base, "a");
  EXPECT_EQ(parse_item(";a[i].b[0:n];f.c;1;1;;").base, "a[i].b");
  EXPECT_EQ(parse_item(";s.p[idx[2]:n];f.c;1;1;;").base, "s.p");
  EXPECT_EQ(parse_item(";*p;f.c;1;1;;").base, "*p");
  EXPECT_EQ(parse_item(";];f.c;1;1;;").base, "]");
}

TEST(Names, UnknownItems) {
  EXPECT_EQ(parse_item(";unknown;unknown;0;0;;"), ItemName{});
  EXPECT_EQ(parse_item(""), ItemName{});
}

TEST(Names, KernelEntries) {
  const auto kernel = parse_kernel("__omp_offloading_fd00_1234ab__ZN1VIdE5scaleEd_l41_1");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->function, "_ZN1VIdE5scaleEd");
  EXPECT_EQ(kernel->line, 41);
  EXPECT_EQ(demangle(kernel->function), "V<double>::scale(double)");
  EXPECT_FALSE(parse_kernel("main"));
  EXPECT_FALSE(parse_kernel("__omp_offloading_"));
  EXPECT_FALSE(parse_kernel("__omp_offloading_fd00_12_main_lx"));
  EXPECT_FALSE(parse_kernel("__omp_offloading_fd00_12__l7"));
}

TEST(Names, FunctionsThatTheCompilerOutlined) {
  EXPECT_EQ(written_function("__omp_offloading_fe00_a7__ZL4stepPdS_i_l16_debug__"),
            "_ZL4stepPdS_i");
  EXPECT_EQ(written_function("main.omp_outlined_debug__"), "main");
  EXPECT_EQ(written_function(".omp_task_entry."), "");
  EXPECT_EQ(written_function("heat"), "heat");
}

TEST(Names, PlainFunctions) {
  EXPECT_EQ(plain_function("a::V<int, b::W>::run(double*, int) const"), "run");
  EXPECT_EQ(plain_function("void f<int>(int)"), "f");
  EXPECT_EQ(plain_function("main"), "main");
  EXPECT_EQ(plain_function(""), "");
}

TEST(Names, StructsOfMembers) {
  EXPECT_EQ(struct_of("s.b"), "s");
  EXPECT_EQ(struct_of("this->n"), "*this");
  EXPECT_EQ(struct_of("p->s.b"), "p->s");
  EXPECT_EQ(struct_of("u"), "");
}

}  // namespace
}  // namespace ompdm::trace::names_test
