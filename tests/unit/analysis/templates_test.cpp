// Instantiations of a template stand at one place in the source.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/names.h"
#include "detectors/loops.h"
#include "ompdm/analysis.h"
#include "report/source_names.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::templates_test {
namespace {

const std::string kDouble = "void scale<double>(double*, int)";
const std::string kFloat = "void scale<float>(float*, int)";

/// Two iterations over each of these functions' directive, called from main.
Trace iterations_of(const std::vector<std::string>& functions) {
  test::TraceBuilder build;
  const auto u = build.variable("u", 8000, "scale.cpp", 3);
  for (const std::string& function : functions) {
    const auto at = build.site(Directive::kTarget, "scale.cpp", 5, function);
    build.trace.sites[at.value].callers = {{"main", "scale.cpp", 20, 3}};
    for (int iteration = 0; iteration < 2; ++iteration) {
      build.begin(at);
      build.op(OpKind::kHtoD, u, 8000, 1000);
      build.launch(500);
      build.end();
    }
  }
  return build.take();
}

std::vector<std::string> rows_of(const std::vector<std::string>& functions) {
  std::vector<std::string> rows;
  for (const DirectiveRow& row : analyze(iterations_of(functions)).directives) {
    rows.push_back(row.function);
  }
  return rows;
}

TEST(Templates, AreARowUnderTheTemplatesName) {
  EXPECT_EQ(rows_of({kDouble, kFloat}), std::vector<std::string>{"scale<...>"});
}

TEST(Templates, OfOneInstanceAreUnderItsName) {
  EXPECT_EQ(rows_of({kDouble, kDouble}), std::vector<std::string>{kDouble});
}

TEST(Templates, WithAnUnknownInstanceAreNotUnderTheKnownOnes) {
  EXPECT_EQ(rows_of({"scale", kFloat}), std::vector<std::string>{"scale<...>"});
}

TEST(Templates, OtherFunctionsOfAPlaceAreOtherRows) {
  EXPECT_EQ(rows_of({"first", "second"}).size(), 2U);
}

TEST(Templates, KernelsAreInstances) {
  std::vector<std::string> kernels;
  for (const Activity& row : analyze(iterations_of({kDouble, kFloat})).activities) {
    if (row.type == ActivityType::kKernel) kernels.push_back(row.function);
  }
  EXPECT_EQ(kernels, (std::vector<std::string>{kDouble, kFloat}));
}

TEST(Templates, ACallIsOfTheInstanceThatWasCalled) {
  const Trace trace = iterations_of({kDouble, kFloat});
  EXPECT_EQ(report::loop_text(unplaced_loop(trace, {}, {Index<Site>{1}})),
            "the loop that runs scale.cpp:5 (in scale<float>, or in main, which calls scale<float> "
            "at scale.cpp:20)");
  EXPECT_EQ(report::loop_text(unplaced_loop(trace, {}, {Index<Site>{0}, Index<Site>{1}})),
            "the loop that runs scale.cpp:5 (in scale<...>, or in main, which calls scale<...> at "
            "scale.cpp:20)")
      << "main need not have one";
}

TEST(Templates, HaveTheNameThatTheirInstancesShare) {
  EXPECT_EQ(template_name(kDouble), "scale<...>");
  EXPECT_EQ(template_name("void a::V<std::pair<int, int> >::run<3>(double*)"),
            "a::V<...>::run<...>");
  EXPECT_EQ(template_name("solve(int)"), "solve");
  EXPECT_EQ(plain_name("void a::V<int>::run<3>(double*)"), "run");
  EXPECT_EQ(common_function(std::vector<std::string>{"void V<int>::run()", "void V<char>::run()"}),
            "V<...>::run");
  EXPECT_EQ(common_function(std::vector<std::string>{"run", "V::run(int)"}), "V::run(int)");
}

}  // namespace
}  // namespace ompdm::analysis::templates_test
