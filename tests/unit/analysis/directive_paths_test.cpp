// The sums of directives' executions by the call paths that led to them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::directive_paths_test {
namespace {

using test::TraceBuilder;

/// A program whose one directive, `step` at line 5, sends ten bytes each time.
class Program {
 public:
  void run(Index<CallPath> path) {
    build.begin(step);
    build.trace.regions.edit_back()->path = path;
    build.op(OpKind::kHtoD, u, 10, 100);
    build.launch(50);
    build.end();
  }
  Index<CallPath> from(Index<CallPath> caller) { return build.call(caller, "step", "a.cpp", 5); }
  Index<CallPath> main_at(int line) { return build.call({}, "main", "a.cpp", line); }
  /// "count: caller < caller" of each path.
  std::vector<std::string> paths() {
    const Analysis analysis = analyze(build.take());
    const DirectiveRow& row = analysis.directives.front();
    DirectiveFigures sum;
    std::vector<std::string> texts;
    for (const DirectivePath& path : row.paths) {
      add(sum, path);
      texts.push_back(std::to_string(path.count) + ':');
      for (const Frame& frame : path.frames) {
        texts.back() += ' ' + frame.function + ' ' + std::to_string(frame.line);
      }
    }
    if (!row.paths.empty()) {
      EXPECT_EQ(sum.count, row.count);
      EXPECT_EQ(sum.htod, row.htod);
      EXPECT_EQ(sum.kernel_time, row.kernel_time);
      EXPECT_EQ(sum.time, row.time);
    }
    return texts;
  }

  TraceBuilder build;

 private:
  Index<Site> step = build.site(Directive::kTarget, "a.cpp", 5, "step");
  Index<Variable> u = build.variable("u", 10);
};

using Paths = std::vector<std::string>;

TEST(DirectivePaths, AddUpToTheRowMostBytesFirst) {
  Program program;
  const auto one = program.from(program.main_at(9));
  const auto other = program.from(program.main_at(10));
  program.run(one);
  program.run(other);
  program.run(other);
  EXPECT_EQ(program.paths(), Paths({"2: step 5 main 10", "1: step 5 main 9"}));
}

TEST(DirectivePaths, OfWhichTheSourceTellsNoneApartAreOne) {
  Program program;
  program.run(program.from(program.main_at(9)));
  program.run(program.from(program.main_at(9)));
  EXPECT_EQ(program.paths(), Paths({"2: step 5 main 9"}));
}

TEST(DirectivePaths, WithoutALineAreTheOnlyOneTheyCanBe) {
  Program program;
  program.run(program.from(program.main_at(9)));
  program.run(program.from(program.main_at(0)));
  EXPECT_EQ(program.paths(), Paths({"2: step 5 main 9"}));
}

TEST(DirectivePaths, WithoutALineStayApartWhereTheyCanBeSeveral) {
  Program program;
  for (const int line : {9, 9, 9, 10, 10, 0}) program.run(program.from(program.main_at(line)));
  EXPECT_EQ(program.paths(), Paths({"3: step 5 main 9", "2: step 5 main 10", "1: step 5 main 0"}));
}

TEST(DirectivePaths, ThatAreNotKnownAreTold) {
  Program program;
  program.run(program.from(program.main_at(9)));
  program.run({});
  program.run({});
  EXPECT_EQ(program.paths(), Paths({"2:", "1: step 5 main 9"}));
}

TEST(DirectivePaths, AreNoneIfNoneIsKnown) {
  Program program;
  program.run({});
  EXPECT_EQ(program.paths(), Paths{});
}

TEST(DirectivePaths, TellALibraryWithoutLinesOnce) {
  Program program;
  auto path = program.main_at(9);
  program.build.trace.modules.push_back({"/usr/lib/libpool.so.1", "", 0});
  for (const char* function : {"pool_run", ""}) {
    path = program.build.call(path, function, "", 0);
    program.build.trace.call_places.back().module = {1};
  }
  program.run(program.from(path));
  EXPECT_EQ(program.paths(), Paths({"1: step 5 [libpool.so.1] 0 main 9"}));
}

}  // namespace
}  // namespace ompdm::analysis::directive_paths_test
