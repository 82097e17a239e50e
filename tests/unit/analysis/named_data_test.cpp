// Advice that is safe to copy: devices, objects, names of several functions, and no names at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/found.h"
#include "detectors/edits.h"
#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::named_data_test {
namespace {

using test::contains;
using test::found;
using test::patterns;
using test::TraceBuilder;

constexpr std::uint64_t kArrayBytes = 800'000;

/// A program whose directives map arrays by the names that their functions have for them.
struct Program : TraceBuilder {
  /// One execution of `target map(tofrom: NAME)` on a device.
  void map(Index<Site> site, Index<Variable> what, const std::string& name, int device = 0,
           std::uint64_t bytes = kArrayBytes) {
    const std::uint64_t host = trace.variables[what.value].address;
    begin(site);
    trace.regions.edit(region.value)->device = device;
    trace.regions.edit(region.value)->map_list = static_cast<std::uint32_t>(trace.map_lists.size());
    trace.map_lists.push_back({{what, name, host, host, bytes, 0x23}});
    op(OpKind::kAlloc, what, bytes, 10)->dst_device = device;
    op(OpKind::kHtoD, what, bytes, 1000)->dst_device = device;
    launch(500)->device = device;
    op(OpKind::kDtoH, what, bytes, 700)->src_device = device;
    op(OpKind::kDelete, what, 0, 5)->src_device = device;
    end();
  }
  [[nodiscard]] Finding only() {
    const Analysis analysis = analyze(take());
    EXPECT_EQ(analysis.findings.size(), 1U) << patterns(analysis);
    return analysis.findings.empty() ? Finding() : analysis.findings[0];
  }
};

TEST(NamedData, SeveralDevicesAreNamedInEveryLine) {
  Program program;
  program.trace.host_device = 3;
  const auto solve = program.site(Directive::kTarget, "split.cpp", 7, "main");
  std::vector<Index<Variable>> parts;
  for (int device = 0; device < 3; ++device) parts.push_back(program.variable("a", kArrayBytes));
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (int device = 0; device < 3; ++device) {
      program.map(solve, parts[device], "a[lo:len]", device);
    }
  }
  const Finding finding = program.only();
  EXPECT_EQ(std::get<facts::PerIterationMapping>(finding.facts).devices,
            (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "a target enter data on each of devices 0, 1 and 2 with map(to:) for "
                       "a[lo:len]\n"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding), "exit data on each of devices 0, 1 and 2"));
  EXPECT_TRUE(contains(report::advice_text(finding), "update on each of devices 0, 1 and 2"));
  EXPECT_TRUE(
      contains(report::advice_text(finding), "write these lines for each of devices 0, 1 and 2"));
}

/// By expression, whether the data strays.
std::map<std::string, bool> strays(const Finding& finding) {
  std::map<std::string, bool> all;
  for (const EditData& data : finding.data) all[data.expression] = data.strays;
  return all;
}

// What is certain stays so: it is a finding of its own.
TEST(NamedData, ANameStraysThatStoodForOtherMemory) {
  Program program;
  const auto f = program.site(Directive::kTarget, "a.cpp", 6, "f");
  const auto g = program.site(Directive::kTarget, "a.cpp", 11, "g");
  const auto val = program.variable("val", kArrayBytes);
  const auto y = program.variable("b", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(f, val, "val[0:n]");
    program.map(g, y, "b[0:n]");
    program.map(g, program.variable("b", kArrayBytes), "b[0:n]");
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping per_iteration_mapping");
  for (const Finding& finding : analysis.findings) {
    const bool is_of_b = finding.variable == "b";
    EXPECT_EQ(strays(finding), is_of_b ? (std::map<std::string, bool>{{"b[0:n]", true}})
                                       : (std::map<std::string, bool>{{"val[0:n]", false}}));
    const auto caveat =
        std::ranges::find(finding.caveats, Caveat::Kind::kNamesStray, &Caveat::kind);
    EXPECT_EQ(caveat != finding.caveats.end(), is_of_b);
  }
}

// By its address, in the loop: other storage at one address, and other calls, are not meant.
TEST(NamedData, ANameOfOneAddressInItsLoopDoesNotStray) {
  Program program;
  const auto setup = program.site(Directive::kTarget, "a.cpp", 3, "main");
  const auto f = program.site(Directive::kTarget, "a.cpp", 6, "f");
  const auto g = program.site(Directive::kTarget, "a.cpp", 11, "g");
  const auto val = program.variable("val", kArrayBytes);
  const auto y = program.variable("b", kArrayBytes);
  program.map(g, program.variable("b", kArrayBytes), "b[0:n]");
  program.map(setup, program.variable("s", kArrayBytes), "s[0:n]");
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(f, val, "val[0:n]");
    const std::size_t first = program.trace.ops.size();
    program.map(g, y, "b[0:n]");
    if (iteration == 0) program.trace.ops.edit(first)->storage = 7;
  }
  EXPECT_EQ(strays(program.only()),
            (std::map<std::string, bool>{{"b[0:n]", false}, {"val[0:n]", false}}));
}

// What one is taken of at a time is no list to copy.
TEST(NamedData, OfManyArraysNoListIsRepeated) {
  Program program;
  std::vector<Index<Site>> sites;
  std::vector<Index<Variable>> arrays;
  for (int i = 0; i < 8; ++i) {
    sites.push_back(program.site(Directive::kTarget, "many.cpp", 7 + i, "main"));
    arrays.push_back(program.variable("v" + std::to_string(i), kArrayBytes));
  }
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (int i = 0; i < 8; ++i) {
      program.map(sites[i], arrays[i], "v" + std::to_string(i) + "[0:n]");
    }
  }
  const Finding finding = program.only();
  const std::string advice = report::advice_text(finding);
  std::size_t lists = 0;
  for (std::size_t at = 0; (at = advice.find("v7[0:n]", at)) != std::string::npos; ++at) ++lists;
  EXPECT_EQ(lists, 2U) << "to enter and to exit: " << advice;
  EXPECT_TRUE(contains(advice,
                       "where the host has changed one of these in the loop: after that, for that "
                       "one only: a target update with to()\n"))
      << advice;
  EXPECT_TRUE(report::evidence_text(finding).starts_with("these 8 variables were mapped again "))
      << report::evidence_text(finding);
}

TEST(NamedData, PiecesOfSeveralSizesAreNotThereAtOnce) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "grow.cpp", 7, "main");
  for (const std::uint64_t bytes : {kArrayBytes, 2 * kArrayBytes}) {
    const auto a = program.variable("a", bytes);
    for (int iteration = 0; iteration < 10; ++iteration) program.map(solve, a, "a[0:n]", 0, bytes);
  }
  EXPECT_TRUE(contains(report::advice_text(program.only()),
                       "a[0:n] is 2 pieces of memory (800 KB and 1.60 MB): write these lines "
                       "for each piece, after its allocation and before its end\n"));
}

// Before the loop the name stands for the one piece that each entry has.
TEST(NamedData, PiecesOfOneEntryEachAreThereInTurn) {
  for (const bool in_turn : {true, false}) {
    Program program;
    const auto setup = program.site(Directive::kTarget, "a.cpp", 3, "main");
    const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "solve");
    for (int entry = 0; entry < 3; ++entry) {
      const auto a = program.variable("a", kArrayBytes);
      const auto b = program.variable("a", kArrayBytes);
      program.begin(setup);
      program.launch(100);
      program.end();
      for (int iteration = 0; iteration < 12; ++iteration) {
        program.map(solve, in_turn || iteration % 2 == 0 ? a : b, "a[0:n]");
      }
    }
    const Finding finding = program.only();
    ASSERT_EQ(finding.data.size(), 1U);
    EXPECT_EQ(finding.data[0].in_turn, in_turn);
    EXPECT_EQ(contains(report::advice_text(finding), "pieces of memory"), !in_turn)
        << report::advice_text(finding);
  }
}

TEST(NamedData, InWordsIsInTheOrderOfTheTitle) {
  Program program;
  const auto first = program.site(Directive::kTarget, "a.cpp", 6, "solve");
  const auto second = program.site(Directive::kTarget, "a.cpp", 7, "solve");
  const auto b = program.variable("b", kArrayBytes);
  const auto a = program.variable("a", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(first, b, "b[0:n]");
    program.map(second, a, "a[0:n]");
  }
  const Finding finding = program.only();
  EXPECT_EQ(finding.variable, "a, b");
  EXPECT_TRUE(contains(report::advice_text(finding), "map(to:) for a[0:n] and b[0:n]\n"))
      << report::advice_text(finding);
}

TEST(NamedData, OneDeviceThatIsNotTheFirst) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto a = program.variable("a", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) program.map(solve, a, "a[0:n]", 2);
  const Finding finding = program.only();
  EXPECT_TRUE(
      contains(report::advice_text(finding), "enter data on device 2 with map(to:) for a[0:n]"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding), "update on device 2"));
}

TEST(NamedData, TheFirstDeviceNeedsNoClause) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto a = program.variable("a", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) program.map(solve, a, "a[0:n]");
  EXPECT_FALSE(contains(report::advice_text(program.only()), "device("));
}

TEST(NamedData, AnObjectGoesWithItsMembers) {
  Program program;
  const auto smooth = program.site(Directive::kTarget, "grid.cpp", 6, "Grid<double>::smooth");
  const auto coarse = program.site(Directive::kTarget, "grid.cpp", 6, "Grid<float>::smooth");
  const auto a = program.variable("this->d", kArrayBytes);
  const auto b = program.variable("this->d", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(smooth, a, "this->d[0:this->n]");
    program.map(coarse, b, "this->d[0:this->n]", 0, kArrayBytes / 2);
  }
  const Finding finding = program.only();
  EXPECT_EQ(finding.variable, "this->d");
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "map this[0:1] with its members, before them by map(to:), and after them by "
                       "map(release:), in a member function that is called once for each object"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "a target exit data with map(from:) for the data that Grid<double>::smooth "
                       "calls this->d[0:this->n]\n"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "this->d[0:this->n] is 2 pieces of memory (800 KB and 400 KB)"));
}

TEST(NamedData, AStructGoesWithItsMembers) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto p = program.variable("s.p", kArrayBytes);
  const auto q = program.variable("t->q", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(solve, p, "s.p[0:s.n]");
    program.map(solve, q, "t->q[0:t->n]");
  }
  const Finding finding = program.only();
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "enter data with map(to:) for s.p[0:s.n] and t->q[0:t->n]\n"))
      << report::advice_text(finding);
  EXPECT_TRUE(
      contains(report::advice_text(finding),
               "map s and t[0:1] with their members, before them by map(to:), and after them "
               "by map(release:)\n"));
}

// What is deleted ends its part of the struct as it is; released besides, it would be another's.
TEST(NamedData, AStructResidenciesWhereItsMembersAreDeleted) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto p = program.variable("s.p", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) program.map(solve, p, "s.p[0:s.n]");
  Finding finding = program.only();
  for (Edit& edit : finding.edits) {
    for (EditClause& clause : edit.clauses) {
      if (edit.directive == Directive::kTargetExitData) clause.kind = "delete";
    }
  }
  EXPECT_TRUE(
      contains(report::advice_text(finding), "exit data with map(delete:) for s.p[0:s.n]\n"))
      << report::advice_text(finding);
}

TEST(NamedData, AStructThatIsPointedToFromAnotherGoesWithBoth) {
  Program program;
  const auto solve = program.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto u = program.variable("s->g->u", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) program.map(solve, u, "s->g->u[0:n]");
  const Finding finding = program.only();
  EXPECT_EQ(finding.data.at(0).objects, (std::vector<std::string>{"s[0:1]", "s->g[0:1]"}));
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "map s[0:1] and s->g[0:1] with their members, before them"))
      << report::advice_text(finding);
}

TEST(NamedData, WhatFunctionsCallTheSameIsToldApart) {
  Program program;
  const auto blur = program.site(Directive::kTarget, "image.cpp", 8, "blur(char*)");
  const auto edge = program.site(Directive::kTarget, "image.cpp", 11, "edge(char*)");
  for (const auto& site : {blur, edge}) {
    program.trace.sites[site.value].callers = {{"main", "image.cpp", 30, 1}};
  }
  const auto b = program.variable("o", kArrayBytes);
  const auto e = program.variable("o", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) {
    program.map(blur, b, "o[0:n]");
    program.map(edge, b, "g[0:n]");
    program.map(edge, e, "o[0:n]");
  }
  const Finding finding = program.only();
  EXPECT_EQ(finding.variable, "o (in blur, edge)");
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "enter data with map(to:) for the data that blur calls o[0:n] and the data "
                       "that edge calls o[0:n]\n"))
      << report::advice_text(finding);
  EXPECT_TRUE(
      contains(report::advice_text(finding), "these names and sizes are those of blur and edge"));
}

TEST(NamedData, WithoutNamesThereIsNoCode) {
  Program program;
  const auto gray = program.site(Directive::kTarget, "", 5, "gray");
  const auto a = program.variable("", kArrayBytes);
  for (int iteration = 0; iteration < 10; ++iteration) program.map(gray, a, "");
  const Finding finding = program.only();
  EXPECT_EQ(finding.variable, "800 KB that gray line 5 maps");
  EXPECT_FALSE(contains(report::advice_text(finding), "\n  #pragma"))
      << report::advice_text(finding);
  EXPECT_FALSE(contains(report::advice_text(finding), "0x")) << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "a target enter data with map(to:) for the 800 KB that gray line 5 maps"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding), "compile with -g"));
}

}  // namespace
}  // namespace ompdm::analysis::named_data_test
