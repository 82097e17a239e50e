// The program's own lines in the page: around what is spoken of, and only as they were compiled.
#include "source_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "scratch.h"
#include "support/trace_builder.h"

namespace ompdm::cli::source_files_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class SourceFiles : public ::testing::Test {
 protected:
  void write_source(std::time_t changed) {
    const std::filesystem::path path = scratch_.folder() / "heat.cpp";
    std::ofstream out(path);
    for (int line = 1; line <= 100; ++line) out << "line " << line << '\n';
    out.close();
    const timespec times[2] = {{changed, 0}, {changed, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  [[nodiscard]] std::vector<report::SourceExcerpt> excerpts(const std::vector<int>& lines) const {
    test::TraceBuilder build;
    build.trace.process.directory = scratch_.folder();
    build.trace.process.program = "heat";
    build.trace.process.start_realtime_ns = 2000 * kSecond;
    for (const int line : lines) {
      build.begin(build.site(Directive::kTarget, "heat.cpp", line, "solve"));
      build.launch(1000);
      build.end();
    }
    const std::vector<Trace> traces = {build.take()};
    return source_excerpts(traces, {analysis::analyze(traces[0])});
  }
  testing::Scratch scratch_;
};

TEST_F(SourceFiles, LinesAroundEachDirectiveAreShownOnce) {
  write_source(1000);
  const auto rows = excerpts({20, 22, 97});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].file, "heat.cpp");
  EXPECT_EQ(rows[0].first_line, 12);
  EXPECT_EQ(rows[0].lines.size(), 19U);
  EXPECT_EQ(rows[0].lines.front(), "line 12");
  EXPECT_EQ(rows[1].first_line, 89);
  EXPECT_EQ(rows[1].lines.back(), "line 100");
}

TEST_F(SourceFiles, AFileThatWasChangedSinceIsLeftOut) {
  write_source(3000);
  EXPECT_TRUE(excerpts({20}).empty());
}

TEST_F(SourceFiles, AFileThatIsShorterNowThanTheDirectivesLineIsLeftOut) {
  write_source(1000);
  EXPECT_TRUE(excerpts({200}).empty());
}

TEST_F(SourceFiles, AFileThatIsNotThereIsLeftOut) { EXPECT_TRUE(excerpts({20}).empty()); }

}  // namespace
}  // namespace ompdm::cli::source_files_test
