#include "pragmas/directive.h"

#include <gtest/gtest.h>

namespace ompdm::pragmas::directive_test {
namespace {

using Texts = std::vector<std::string>;

std::string line_of(std::string_view text) { return Directive(text).line(); }

TEST(Directive, IsWrittenInOneWay) {
  const std::string line = "#pragma omp target nowait map(to: a[0 : n], b) if(target: k < f(1, 2))";
  EXPECT_EQ(line_of(line), line);
  EXPECT_EQ(
      line_of("  #pragma omp  target nowait,map( to:a[0 : n] ,b ), if ( target: k < f(1, 2) )"),
      line);
  EXPECT_EQ(line_of("omp target /* (, */ nowait \\\n  map(to: a[0 : n], \\\n  b /* in f */) "
                    "if(target: k < f(1, 2))"),
            line);
}

TEST(Directive, KeepsTheOrderOfItsClauses) {
  const std::string line =
      "#pragma omp target map(tofrom: s) nowait reduction(+: s) depend(out: a[0:1]) untied";
  EXPECT_EQ(line_of(line), line);
}

TEST(Directive, KnowsMapTypesFromItems) {
  Directive directive("omp target map(always, to: a[i ? 0 : 1], N::b) map(N::c) map(f(1, 2)[0:n])");
  EXPECT_EQ(directive.items("map"), Texts({"a[i ? 0 : 1]", "N::b", "N::c", "f(1, 2)[0:n]"}));
  EXPECT_TRUE(directive.take("f(1,2)[0:n]"));
  directive.add("always, to", "d");
  EXPECT_EQ(directive.line(),
            "#pragma omp target map(always, to: a[i ? 0 : 1], N::b, d) map(N::c)");
}

TEST(Directive, TakesItemsWhateverTheirBlanks) {
  Directive directive("omp target map(to: a[0 : n * 2], this->b) firstprivate(c) private(d)");
  EXPECT_TRUE(directive.take("a[0:n*2]"));
  EXPECT_TRUE(directive.take("b"));
  for (const char* item : {"a", "c", "d"}) EXPECT_FALSE(directive.take(item)) << item;
  EXPECT_EQ(directive.line(), "#pragma omp target firstprivate(c) private(d)");
}

TEST(Directive, TakesAnItemOutOfAllClausesOfData) {
  Directive directive("omp target map(to: a) map(from: a) reduction(+: a)");
  EXPECT_TRUE(directive.take("a"));
  EXPECT_EQ(directive.line(), "#pragma omp target reduction(+: a)");
}

TEST(Directive, AddsToTheClauseOfThatKind) {
  Directive directive("omp target map(to: a) map(b)");
  directive.add("to", "c");
  directive.add("from", "d");
  directive.add("firstprivate", "e");
  EXPECT_EQ(directive.line(),
            "#pragma omp target map(to: a, c) map(b) map(from: d) firstprivate(e)");
}

TEST(Directive, NamesOnceWhatAClauseNamesAgain) {
  Directive directive("omp target update to(a, b, a) from(a)");
  directive.name_once();
  EXPECT_EQ(directive.line(), "#pragma omp target update to(a, b) from(a)");
}

TEST(Directive, HasArgumentsThatCanBeSet) {
  Directive directive("omp target update device(d /* each of 0, 1 */) from(a)");
  EXPECT_EQ(directive.argument("device"), "d");
  EXPECT_EQ(directive.argument("if"), "");
  EXPECT_EQ(directive.items("to"), Texts());
  directive.set("device", "1");
  directive.set("if", "k > 0");
  EXPECT_EQ(directive.line(), "#pragma omp target update device(1) from(a) if(k > 0)");
}

TEST(Directive, IsIdleWithoutData) {
  for (const char* text : {"omp target update device(1) to(a)", "omp target data if(k) map(a)",
                           "omp target enter data nowait map(to: a)"}) {
    Directive directive(text);
    EXPECT_FALSE(directive.is_idle()) << text;
    EXPECT_TRUE(directive.is_for_data_alone() && directive.take("a")) << text;
    EXPECT_TRUE(directive.is_idle()) << text;
  }
  EXPECT_FALSE(Directive("omp target data use_device_ptr(a)").is_idle());
  EXPECT_FALSE(Directive("omp target if(k)").is_idle());
}

TEST(Directive, StandsAloneOrHasAStatement) {
  for (const char* text : {"#pragma omp target update to(a)", "  #pragma  omp target exit data",
                           "omp taskwait", "omp flush(a)"}) {
    EXPECT_TRUE(stands_alone(text)) << text;
  }
  for (const char* text : {"#pragma omp target data map(a)", "omp target", "omp parallel for",
                           "clang loop unroll(full)", "", "update(a);"}) {
    EXPECT_FALSE(stands_alone(text)) << text;
  }
}

}  // namespace
}  // namespace ompdm::pragmas::directive_test
