// Data kept on the device by the trail of the whole program. The data has other names in the
// functions that map it. Some of its uses are shown by no source.
#include <gtest/gtest.h>

#include "asked.h"

namespace ompdm::edit::testing {
namespace {

/// A loop of a function that calls kernel(), with code of its own behind the call.
class ByTrail : public EditTest {
 protected:
  [[nodiscard]] Plan planned(const File& file, const Items& items, bool may_assume = true) const {
    Request request = asked(file, {around_loop(file.at("for (int t"), {file.at("#pragma")}, items,
                                               {{"from", items.front().second}})});
    request.may_assume = may_assume;
    return plan_of(request);
  }
};

constexpr const char* kStruct =
    "struct vectors { int n; double *x, *y; };\n"
    "static void kernel(struct vectors* s) {\n"
    "  int n = s->n;\n"
    "  const double* x = s->x;\n"
    "#pragma omp target map(to: x[0:n]) map(tofrom: s->y[0:n])\n"
    "  for (int i = 0; i < n; ++i) s->y[i] += x[i];\n"
    "}\n"
    "double run(void);\n"
    "void* malloc(unsigned long);\n"
    "int main(void) {\n"
    "  struct vectors v;\n"
    "  v.n = 100;\n"
    "  v.x = malloc(800);\n"
    "  v.y = malloc(800);\n"
    "  for (int t = 0; t < 9; ++t) {\n"
    "    kernel(&v);\n";

TEST_F(ByTrail, MembersHaveTheNamesOfTheLoop) {
  const File file = source(std::string(kStruct) + "  }  // last\n  return 0;\n}\n");
  const Plan plan = planned(file, {{"to", {"x[0:n]", "s->y[0:n]"}}});
  expect_changes(
      file, plan,
      {file.before("  for (int t", "#pragma omp target enter data map(to: v.x[0:v.n], v.y[0:v.n])"),
       file.behind("  }  // last",
                   "#pragma omp target exit data map(from: v.y[0:v.n]) "
                   "map(release: v.x[0:v.n])")});
  EXPECT_TRUE(plan.assumed.empty());
}

TEST_F(ByTrail, NothingIsMadeWhereNothingMayBeAssumed) {
  const File file = source(std::string(kStruct) + "  }\n  return 0;\n}\n");
  EXPECT_FALSE(planned(file, {{"to", {"x[0:n]", "s->y[0:n]"}}}, false).refused.empty());
}

TEST_F(ByTrail, TheHostsUsesAreUpdatedInTheirBranch) {
  const File file =
      source(std::string(kStruct) + "    if (t % 3 == 0) v.y[0] = 0;\n  }\n  return 0;\n}\n");
  const std::string text = applied(file, planned(file, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(text.find("    if (t % 3 == 0) {\n"
                      "#pragma omp target update from(v.y[0:v.n])\n"
                      "      v.y[0] = 0;\n"
                      "#pragma omp target update to(v.y[0:v.n])\n"
                      "    }\n"),
            std::string::npos)
      << text;
}

/// The program with another kernel, and with code of the host's behind its call.
std::string with_kernel(const std::string& clauses, const std::string& behind) {
  std::string text = std::string(kStruct) + behind + "  }  // last\n  return 0;\n}\n";
  text.insert(text.find(" map(to: x"), clauses);
  return text;
}

TEST_F(ByTrail, RegionsBesideTheHostAreWaitedForAtTheEnd) {
  const File file =
      source(with_kernel(" nowait depend(inout: s->y[0])",
                         "    if (t == 4) {\n#pragma omp taskwait\n      v.y[0] = 0;\n"
                         "    }\n"));
  EXPECT_FALSE(planned(file, {{"to", {"s->y[0:n]"}}}, false).refused.empty());
  const Plan plan = planned(file, {{"to", {"s->y[0:n]"}}});
  const std::string text = applied(file, plan);
  for (const char* part :
       {"#pragma omp taskwait\n#pragma omp target enter data map(to: v.y[0:v.n])\n",
        "#pragma omp taskwait\n#pragma omp target update from(v.y[0:v.n])\n",
        "  }  // last\n#pragma omp taskwait\n#pragma omp target exit data"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  ASSERT_EQ(plan.assumed.size(), 1u);
  EXPECT_EQ(plan.assumed[0].at.line, file.at("#pragma").line);
}

// A loop of the host's may hold what waits for the region.
TEST_F(ByTrail, UpdatesStayBehindWhatWaitsForRegions) {
  const std::string loop =
      "    for (int i = 0; i < 9; ++i) {\n#pragma omp taskwait\n      v.y[i] = 0;\n    }\n";
  const File file = source(with_kernel(" nowait depend(inout: s->y[0])", loop));
  const std::string text = applied(file, planned(file, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(text.find("#pragma omp taskwait\n#pragma omp target update from("), std::string::npos)
      << text;
}

TEST_F(ByTrail, RegionsThatTheHostRunsAtTimesAreUpdatedAround) {
  const File file = source(with_kernel(" if(s->n > 10)", ""));
  const std::string text = applied(file, planned(file, {{"to", {"x[0:n]", "s->y[0:n]"}}}));
  EXPECT_NE(text.find("#pragma omp target update from(s->y[0:n]) if(!(s->n > 10))\n"
                      "#pragma omp target if(s->n > 10)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("#pragma omp target update to(s->y[0:n]) if(!(s->n > 10))\n}\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("update from(x"), std::string::npos) << text;
  const File calls = source("int ask(void);\n" + with_kernel(" if(ask())", ""));
  EXPECT_FALSE(planned(calls, {{"to", {"s->y[0:n]"}}}).refused.empty());
}

TEST_F(ByTrail, ADeviceThatIsChosenIsAssumedToBeTheOne) {
  const File file = source("static int where;\n" + with_kernel(" device(where)", ""));
  EXPECT_FALSE(planned(file, {{"to", {"s->y[0:n]"}}}, false).refused.empty());
  const Plan plan = planned(file, {{"to", {"s->y[0:n]"}}});
  EXPECT_EQ(plan.refused, "");
  EXPECT_EQ(plan.assumed.size(), 1u);
}

// Where it is another one at times, that one has what the host has.
TEST_F(ByTrail, ADeviceThatChangesIsAskedForAgain) {
  const File file =
      source("static int where;\n" + with_kernel(" device(where)", "    where = t % 2;\n"));
  const std::string text = applied(file, planned(file, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(text.find("#pragma omp target update from(s->y[0:n]) if((where) != 0)\n"
                      "#pragma omp target device(where)"),
            std::string::npos)
      << text;
}

constexpr const char* kWithin =
    "#pragma omp target enter data map(to: v.y[0:v.n]) if(t % 2 == 0)\n"
    "#pragma omp target map(tofrom: v.y[0:v.n])\n"
    "    for (int i = 0; i < 9; ++i) v.y[i] += 1;\n";

// What a condition lets in it also lets out: what a kernel does is not dropped in between.
TEST_F(ByTrail, MappingsUnderConditionsEndAsTheyBegan) {
  const std::string exit = "#pragma omp target exit data map(from: v.y[0:v.n]) if(t % 2 == 0)\n";
  const File file = source(with_kernel("", kWithin + exit));
  EXPECT_EQ(planned(file, {{"to", {"s->y[0:n]"}}}).refused, "");
  const std::string release =
      "#pragma omp target exit data map(release: v.y[0:v.n]) "
      "if(t % 2 != 0)\n";
  const File other = source(with_kernel("", kWithin + release));
  EXPECT_NE(planned(other, {{"to", {"s->y[0:n]"}}}).refused, "");
}

TEST_F(ByTrail, WhatARegionSetsIsAskedAgain) {
  const std::string begin =
      "    int flag = t % 2;\n"
      "#pragma omp target enter data map(to: v.y[0:v.n]) if(flag == 1)\n"
      "#pragma omp target map(tofrom: v.y[0:v.n])\n"
      "    for (int i = 0; i < 9; ++i) v.y[i] += 1;\n";
  const std::string end = "#pragma omp target exit data map(from: v.y[0:v.n]) if(flag == 1)\n";
  const File same = source(with_kernel("", begin + end));
  EXPECT_EQ(planned(same, {{"to", {"s->y[0:n]"}}}).refused, "");
  for (const char* set : {"#pragma omp target map(tofrom: flag)\n    flag = 2;\n",
                          "#pragma omp target update from(flag)\n"}) {
    const File other = source(with_kernel("", begin + set + end));
    EXPECT_NE(planned(other, {{"to", {"s->y[0:n]"}}}).refused, "") << set;
  }
}

TEST_F(ByTrail, MappingsThatTheCodeHasNotBegunAreNotEndedThere) {
  const File file =
      source(with_kernel("", "#pragma omp target exit data map(release: v.y[0:v.n]) if(t == 3)\n"));
  expect_refused(planned(file, {{"to", {"s->y[0:n]"}}}), file.at("#pragma omp target exit"),
                 "has not begun");
}

TEST_F(ByTrail, UpdatesForTheHostsShareOfANowaitRegionWait) {
  const File file = source(with_kernel(" nowait if(s->n > 10)", ""));
  std::string waited = file.text;
  waited.replace(waited.find("    kernel(&v);\n"), 15, "    kernel(&v);\n#pragma omp taskwait\n");
  const File with_wait = source(waited);
  const std::string text = applied(with_wait, planned(with_wait, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(text.find("#pragma omp taskwait\n#pragma omp target update to(s->y[0:n]) "
                      "if(!(s->n > 10))\n"),
            std::string::npos)
      << text;
}

TEST_F(ByTrail, AConditionThatItsRegionSetsIsNotAskedAgain) {
  std::string text =
      "#pragma omp declare target\nstatic int flag;\n#pragma omp end declare target\n" +
      with_kernel(" if(flag == 1)", "");
  EXPECT_EQ(planned(source(text), {{"to", {"s->y[0:n]"}}}).refused, "");
  text.replace(text.find("s->y[i] += x[i];"), 16, "{ s->y[i] += x[i]; flag = 2; }");
  EXPECT_TRUE(planned(source(text), {{"to", {"s->y[0:n]"}}}).replacements.empty());
}

TEST_F(ByTrail, TheDefaultDeviceIsNoNumberWhereItIsChosen) {
  const std::string other =
      "#pragma omp target device(0) map(tofrom: v.y[0:v.n])\n    for (int i = 0; i < 9; ++i) "
      "v.y[i] += 1;\n";
  const std::string text = "void omp_set_default_device(int);\n" + with_kernel("", other);
  EXPECT_EQ(planned(source(text), {{"to", {"s->y[0:n]"}}}).refused, "");
  std::string chosen = text;
  chosen.replace(chosen.find("  for (int t"), 0, "  omp_set_default_device(v.n);\n");
  EXPECT_NE(planned(source(chosen), {{"to", {"s->y[0:n]"}}}).refused, "");
}

TEST_F(ByTrail, AllObstaclesAreTold) {
  const File file =
      source("void free(void*);\n" +
             with_kernel("",
                         "    free(v.y);\n    v.y = malloc(800);\n    kernel(&v);\n"
                         "#pragma omp target enter data map(always, to: v.y[0:v.n])\n"));
  const Plan plan = planned(file, {{"to", {"s->y[0:n]"}}});
  EXPECT_EQ(plan.in_the_way.line, file.at("    free(v.y);").line);
  ASSERT_FALSE(plan.others.empty());
  EXPECT_EQ(plan.others.back().at.line, file.at("#pragma omp target enter").line);
}

TEST_F(ByTrail, AssumptionsAreAsserted) {
  const File file = source("double* shared(void);\nvoid share(double*);\n" +
                           with_kernel("", "    other[0] = t;\n"));
  std::string text = file.text;
  text.replace(text.find("  for (int t"), 0, "  share(v.y);\n  double* other = shared();\n");
  const File known = source(text);
  Request request = asked(known, {around_loop(known.at("for (int t"), {known.at("#pragma")},
                                              {{"to", {"s->y[0:n]"}}}, {{"from", {"s->y[0:n]"}}})});
  request.may_assume = true;
  request.asserts = true;
  const Plan plan = plan_of(request);
  ASSERT_EQ(plan.refused, "");
  ASSERT_EQ(plan.assumed.size(), 1u) << plan.assumed.front().what;
  const std::string made = applied(known, plan);
  EXPECT_NE(made.find("#include <assert.h>\nint main(void) {\n"), std::string::npos) << made;
  EXPECT_NE(made.find("  assert((const char*)other < (const char*)v.y || (const char*)other >= "
                      "(const char*)(v.y + (v.n)));\n"),
            std::string::npos)
      << made;
}

// What another device runs uses what the host has.
TEST_F(ByTrail, RegionsOfOtherDevicesAreUpdatedAround) {
  const std::string other =
      "#pragma omp target device(1) map(tofrom: v.y[0:v.n])\n    for (int i = 0; i < 9; ++i) "
      "v.y[i] += 1;\n";
  const File file = source(with_kernel("", other));
  const std::string text = applied(file, planned(file, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(text.find("#pragma omp target update from(v.y[0:v.n])\n#pragma omp target device(1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("v.y[i] += 1;\n#pragma omp target update to(v.y[0:v.n])\n"),
            std::string::npos)
      << text;
}

TEST_F(ByTrail, WhatCodeThatIsNotSeenKnowsIsAssumedToBeLeftAlone) {
  const File file = source("void keep(double*);\nvoid note(void);\n" + std::string(kStruct) +
                           "    note();\n  }\n  return 0;\n}\n");
  std::string text = file.text;
  text.replace(text.find("  for (int t"), 0, "  keep(v.y);\n");
  const File kept = source(text);
  const Plan plan = planned(kept, {{"to", {"s->y[0:n]"}}});
  EXPECT_TRUE(plan.refused.empty()) << plan.refused;
  ASSERT_EQ(plan.assumed.size(), 1U);
  EXPECT_NE(plan.assumed.front().what.find("v.y"), std::string::npos);
  EXPECT_EQ(plan.assumed.front().at.line, kept.at("    note();").line);
}

TEST_F(ByTrail, StorageThatIsMadeInTheLoopStaysWhereItIs) {
  const File file = source("void free(void*);\n" + std::string(kStruct) +
                           "    free(v.y);\n    v.y = malloc(800);\n  }\n  return 0;\n}\n");
  expect_refused(planned(file, {{"to", {"s->y[0:n]"}}}), file.at("    free(v.y);"),
                 "made or freed here");
}

TEST_F(ByTrail, ALocalPointerOfTheLoopIsDeclaredBeforeIt) {
  const File file = write("source.cpp",
                          "struct domain { double* m; };\n"
                          "int main() {\n"
                          "  domain d{new double[100]()};\n"
                          "  domain* all = &d;\n"
                          "  for (int t = 0; t < 9; ++t) {\n"
                          "    domain& one = *all;\n"
                          "    double* m = &one.m[0];\n"
                          "#pragma omp target map(tofrom: m[0:100])\n"
                          "    m[0] += t;\n"
                          "  }\n"
                          "}\n");
  const std::string text = applied(file, planned(file, {{"to", {"m[0:100]"}}}));
  EXPECT_NE(text.find("  auto *m_kept = &(*all).m[0];\n"
                      "#pragma omp target enter data map(to: m_kept[0:100])\n  for (int t"),
            std::string::npos)
      << text;
}

TEST_F(ByTrail, PointersThatAreExchangedGetNamesThatStay) {
  const File file = write("source.cpp",
                          "#include <utility>\n"
                          "struct field { double* data; };\n"
                          "static void kernel(field* a, field* b) {\n"
                          "  double* c = a->data;\n"
                          "  double* p = b->data;\n"
                          "#pragma omp target map(tofrom: c[0:100], p[0:100])\n"
                          "  for (int i = 0; i < 100; ++i) c[i] = p[i] + 1;\n"
                          "}\n"
                          "int main() {\n"
                          "  field x{new double[100]()}, y{new double[100]()};\n"
                          "  for (int t = 0; t < 9; ++t) {\n"
                          "    kernel(&x, &y);\n"
                          "    std::swap(x, y);\n"
                          "  }\n"
                          "}\n");
  const Plan plan = planned(file, {{"to", {"c[0:100]", "p[0:100]"}}});
  const std::string text = applied(file, plan);
  EXPECT_NE(text.find("  auto *c = x.data;\n  auto *p = y.data;\n"
                      "#pragma omp target enter data map(to: c[0:100], p[0:100])\n"),
            std::string::npos)
      << text << plan.refused;
}

TEST_F(ByTrail, FunctionsOfOtherSourcesAreFollowed) {
  const File other = write("other.c",
                           "void step(double* a, int n) {\n"
                           "#pragma omp target map(tofrom: a[0:n])\n"
                           "  for (int i = 0; i < n; ++i) a[i] += 1;\n"
                           "}\n");
  const File file = source(
      "void step(double*, int);\n"
      "void* malloc(unsigned long);\n"
      "int main(void) {\n"
      "  double* u = malloc(800);\n"
      "  for (int t = 0; t < 9; ++t) step(u, 100);\n"
      "  return 0;\n"
      "}\n");
  Finding finding = around_loop(file.at("  for (int t"), {other.at("#pragma")},
                                {{"to", {"a[0:n]"}}}, {{"from", {"a[0:n]"}}});
  Request request = asked(other, {finding});
  request.may_assume = true;
  const Request there = asked(file, {});
  request.units = {{there.file, there.directory, there.arguments}};
  const Plan plan = plan_of(request);
  EXPECT_NE(applied(file, plan).find("#pragma omp target enter data map(to: u[0:100])\n"),
            std::string::npos)
      << plan.refused;
}

// A directive that names two members maps the object from one to the other. Where only a part of
// that is present, the program ends (LLVM: "explicit extension not allowed").
TEST_F(ByTrail, MembersThatOtherDirectivesNameInOtherPartsGetPointers) {
  std::string text = with_kernel("", "");
  text.replace(text.find("map(to: x[0:n])"), 15, "map(to: s->x[0:n])");
  const File file = source(text);
  const std::string made = applied(file, planned(file, {{"to", {"s->y[0:n]"}}}));
  EXPECT_NE(made.find("  double *v_y = v.y;\n#pragma omp target enter data map(to: v_y[0:v.n])\n"),
            std::string::npos)
      << made;
}

// What a container of numbers or texts does is done to it alone, when it ends, too.
TEST_F(ByTrail, ContainersOfPlainElementsUseNothingElse) {
  const std::string head =
      "#include <map>\n#include <string>\n#include <vector>\n"
      "struct Grid { int n; std::vector<double> u; explicit Grid(int m) : n(m), u(m) {} };\n"
      "static double cached(const std::vector<double>& a, int k) {\n"
      "  std::map<int, double> known;\n"
      "  known[k] = a[0];\n";
  const std::string rest =
      "  for (const auto& [key, value] : known) k += key;\n"
      "  std::string name = \"k\";\n"
      "  name += std::to_string(k);\n"
      "  return known[k] + name.size();\n"
      "}\n"
      "static void kernel(Grid& g) {\n"
      "  double* u = g.u.data();\n"
      "  const int n = g.n;\n"
      "#pragma omp target map(tofrom: u[0:n])\n"
      "  for (int i = 0; i < n; ++i) u[i] += 1;\n"
      "}\n"
      "int main() {\n"
      "  Grid g(100);\n"
      "  std::vector<double> own(10);\n"
      "  double sum = 0;\n"
      "  for (int t = 0; t < 9; ++t) {\n"
      "    kernel(g);\n"
      "    sum += cached(own, t);\n"
      "  }\n"
      "  return sum + g.u[0] > 9;\n"
      "}\n";
  const Plan plan = planned(write("plain.cpp", head + rest), {{"to", {"u[0:n]"}}});
  EXPECT_EQ(plan.refused, "");
  for (const Assumption& one : plan.assumed) ADD_FAILURE() << one.what;
  // What a container of pointers leads to may be any data.
  const File pointers =
      write("pointers.cpp", head +
                                "  std::map<int, double*> others;\n"
                                "  others[k] = const_cast<double*>(&a[0]);\n  *others[k] = 1;\n" +
                                rest);
  const Plan doubted = planned(pointers, {{"to", {"u[0:n]"}}});
  EXPECT_FALSE(doubted.assumed.empty() && doubted.refused.empty());
}

TEST_F(ByTrail, CodeOfOtherBuildsIsAssumedToLeaveTheDataAlone) {
  const File file = source(with_kernel("", "#ifdef VERIFY\n    v.y[0] = t;\n#endif\n"));
  const Plan plan = planned(file, {{"to", {"s->y[0:n]"}}});
  ASSERT_EQ(plan.assumed.size(), 1u);
  EXPECT_EQ(plan.assumed[0].at.line, file.at("    v.y[0] = t;").line);
  const File other = source(with_kernel("", "#ifdef VERIFY\n    v.n = t;\n#endif\n"));
  EXPECT_TRUE(planned(other, {{"to", {"s->y[0:n]"}}}).assumed.empty());
}

}  // namespace
}  // namespace ompdm::edit::testing
