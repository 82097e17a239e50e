#include "report/source_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace ompdm::report::source_names_test {
namespace {

TEST(SourceNames, FunctionsAreCalledWithoutParameters) {
  EXPECT_EQ(without_parameters("solve"), "solve");
  EXPECT_EQ(without_parameters("solve(int, double*)"), "solve");
  EXPECT_EQ(without_parameters("(anonymous namespace)::f(void (*)(int))"),
            "(anonymous namespace)::f");
  EXPECT_EQ(without_parameters("Grid<double>::step(int) const"), "Grid<double>::step");
  EXPECT_EQ(without_parameters("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(without_parameters("Functor::operator()"), "Functor::operator()");
  EXPECT_EQ(without_parameters("main::{lambda(int)#1}"), "main::{lambda(int)#1}");
  EXPECT_EQ(without_parameters(""), "");
}

TEST(SourceNames, AsMuchOfThePathAsTellsFilesApart) {
  std::vector<analysis::Analysis> analyses(1);
  for (const char* file :
       {"/home/ada/a/main.cpp", "/home/ada/b/main.cpp", "/home/ada/heat.cpp", "main.cpp"}) {
    analysis::DirectiveRow row;
    row.file = file;
    analyses[0].directives.push_back(row);
  }
  const SourceNames names{std::span<const analysis::Analysis>(analyses)};
  EXPECT_EQ(names.place("/home/ada/heat.cpp", 41), "heat.cpp:41");
  EXPECT_EQ(names.place("/home/ada/a/main.cpp", 9), "a/main.cpp:9");
  EXPECT_EQ(names.place("/home/ada/b/main.cpp", 9), "b/main.cpp:9");
  EXPECT_EQ(names.place("main.cpp", 9), "main.cpp:9");
  EXPECT_EQ(names.place("/home/ada/heat.cpp", 0), "heat.cpp");
  EXPECT_EQ(names.place("", 3), "");
}

TEST(SourceNames, WhatTheRuntimesOwnTasksDoIsAnAsynchronousCall) {
  analysis::DirectiveRow row;
  row.directive = Directive::kApi;
  row.module = "/usr/lib/llvm-19/lib/libomp.so.5";
  EXPECT_EQ(SourceNames::directive(row), "omp_target_*_async");
  row.module = "/home/ada/heat";
  EXPECT_EQ(SourceNames::directive(row), "api");
  row.api = "omp_target_memcpy";
  EXPECT_EQ(SourceNames::directive(row), "omp_target_memcpy");
}

TEST(SourceNames, WithoutALineTheBinaryTellsThePlace) {
  const SourceNames names{std::span<const analysis::Analysis>()};
  analysis::DirectiveRow row;
  EXPECT_EQ(names.place(row), "-");
  row.module = "/usr/lib/libsolver.so";
  row.address = 0x1234;
  EXPECT_EQ(names.place(row), "libsolver.so+0x1234");
  row.function = "step(int)";
  EXPECT_EQ(names.place(row), "step (+0x1234)");
}

}  // namespace
}  // namespace ompdm::report::source_names_test
