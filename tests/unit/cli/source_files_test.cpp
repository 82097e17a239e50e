// The program's own lines in the page: around what is spoken of, and only as they were compiled.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "ompdm/error.h"
#include "scratch.h"
#include "source_lines.h"
#include "support/trace_builder.h"

namespace ompdm::cli::source_files_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class SourceFiles : public ::testing::Test {
 protected:
  void write_source(std::time_t changed) {
    const std::filesystem::path path = scratch_.folder() / "heat.cpp";
    std::ofstream out(path);
    out << text();
    out.close();
    const timespec times[2] = {{changed, 0}, {changed, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  /// 100 lines, with a directive in each of these.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (int line = 1; line <= 100; ++line) {
      all += (directives_.contains(line) ? "  #pragma omp target  // " : "line ") +
             std::to_string(line) + '\n';
    }
    return all;
  }
  /// Of a trace of directives there; `md5`: of the source, where it is known.
  [[nodiscard]] analysis::Analysis analysis_of(const std::vector<int>& lines,
                                               const std::string& md5 = "") const {
    test::TraceBuilder build;
    build.trace.process.directory = scratch_.folder();
    build.trace.process.program = "heat";
    build.trace.process.start_realtime_ns = 2000 * kSecond;
    for (const int line : lines) {
      build.begin(build.site(Directive::kTarget, "heat.cpp", line, "solve"));
      build.launch(1000);
      build.end();
    }
    Trace trace = build.take();
    if (!md5.empty()) trace.sources = {{"heat.cpp", md5}};
    return analysis::analyze(trace);
  }
  /// What is told of it.
  [[nodiscard]] std::vector<report::SourceExcerpt> excerpts(const std::vector<int>& lines,
                                                            const std::string& md5 = "") const {
    return source_excerpts({analysis_of(lines, md5)});
  }
  testing::Scratch scratch_;
  std::set<int> directives_ = {20, 22, 97};
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

TEST_F(SourceFiles, AFileIsWhatWasCompiledByItsContentIfThatIsKnown) {
  write_source(3000);
  EXPECT_EQ(excerpts({20}, md5_of(text())).size(), 1U);
  write_source(1000);
  EXPECT_TRUE(excerpts({20}, md5_of("another")).empty());
}

TEST_F(SourceFiles, AreKnownByTheirAgeAloneWithoutContentAndDirective) {
  const SourceLines sources(analysis_of({20}));
  EXPECT_FALSE(sources.is_known_by_age_alone("heat.cpp"));
  EXPECT_TRUE(sources.is_known_by_age_alone("main.cpp")) << "it may hold the loop alone";
  EXPECT_FALSE(SourceLines(analysis_of({}, "0")).is_known_by_age_alone("heat.cpp"));
}

TEST_F(SourceFiles, AreNoOutput) {
  write_source(1000);
  const std::vector<analysis::Analysis> analyses = {analysis_of({20})};
  EXPECT_THROW(refuse_source_as_output(scratch_.folder() / "heat.cpp", analyses), Error);
  EXPECT_NO_THROW(refuse_source_as_output(scratch_.folder() / "report.html", analyses));
  EXPECT_NO_THROW(refuse_source_as_output("", analyses));
}

// Whoever writes a trace may name any file in it.
TEST_F(SourceFiles, AFileWithoutTheDirectivesOfTheTraceIsLeftOut) {
  directives_ = {20};
  write_source(1000);
  EXPECT_EQ(excerpts({20}).size(), 1U);
  EXPECT_TRUE(excerpts({21}).empty());
  EXPECT_TRUE(excerpts({20, 21}).empty());
}

TEST(Md5, IsThatOfTheStandard) {
  EXPECT_EQ(md5_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5_of("1234567890123456789012345678901234567890123456789012345678901234567890"
                   "1234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_F(SourceFiles, AFileThatWasChangedSinceIsLeftOut) {
  write_source(3000);
  EXPECT_TRUE(excerpts({20}).empty());
}

TEST_F(SourceFiles, AFileThatIsShorterNowThanTheDirectivesLineIsLeftOut) {
  directives_ = {};
  write_source(1000);
  EXPECT_TRUE(excerpts({200}).empty());
}

TEST_F(SourceFiles, AFileThatIsNotThereIsLeftOut) { EXPECT_TRUE(excerpts({20}).empty()); }

// Compilers name sources as they were given them, from the folder in which they ran.
TEST_F(SourceFiles, AreLookedForWhereTheyWereCompiled) {
  write_source(1000);
  test::TraceBuilder build;
  build.trace.process.directory = "/nowhere";
  build.trace.process.program = "heat";
  build.trace.process.start_realtime_ns = 2000 * kSecond;
  build.begin(build.site(Directive::kTarget, "heat.cpp", 20, "solve"));
  build.launch(1000);
  build.end();
  const Trace trace = build.take();
  const std::filesystem::path folder = scratch_.folder();
  EXPECT_EQ(SourceLines(trace).path_of("heat.cpp"), "");
  EXPECT_EQ(SourceLines(trace, {}, {folder, folder / "."}).path_of("heat.cpp"),
            folder / "heat.cpp");
  scratch_.write("other/heat.cpp", text());
  EXPECT_EQ(SourceLines(trace, {}, {folder, folder / "other"}).path_of("heat.cpp"),
            folder / "heat.cpp")
      << "a copy says the same";
  scratch_.write("other/heat.cpp", text() + "// another one\n");
  EXPECT_EQ(SourceLines(trace, {}, {folder, folder / "other"}).path_of("heat.cpp"), "")
      << "it may be either";
}

TEST_F(SourceFiles, LieInTheFolderThatTheUserNames) {
  write_source(3000);
  const std::filesystem::path folder = scratch_.folder();
  EXPECT_EQ(found_in(folder, "/home/ann/heat/heat.cpp"), folder / "heat.cpp");
  EXPECT_EQ(found_in(folder, "/home/ann/heat/other.cpp"), "");
  EXPECT_EQ(found_in("", "/home/ann/heat/heat.cpp"), "");
  scratch_.write("heat/heat.cpp", text());
  EXPECT_EQ(found_in(folder, "/home/ann/heat/heat.cpp"), folder / "heat/heat.cpp")
      << "the longest end of the name";

  const analysis::Analysis analysis = analysis_of({20});
  EXPECT_EQ(SourceLines(analysis).path_of("heat.cpp"), "") << "it is newer than the recording";
  EXPECT_EQ(SourceLines(analysis, folder).path_of("heat.cpp"), folder / "heat.cpp")
      << "a copy of the sources is newer";
  EXPECT_TRUE(SourceLines(analysis, folder).is_as_compiled(folder / "heat.cpp", {}));
  EXPECT_FALSE(SourceLines(analysis, folder / "heat").is_as_compiled(folder / "heat.cpp", {}));
}

TEST_F(SourceFiles, OfACompilationAreAsTheyWereByDigestOrByAge) {
  write_source(1000);
  const std::filesystem::path path = scratch_.folder() / "heat.cpp";
  const SourceLines lines(analysis_of({20}));
  EXPECT_TRUE(lines.is_as_compiled(path, {}));
  EXPECT_TRUE(lines.is_as_compiled(path, {md5_of(text())}));
  EXPECT_FALSE(lines.is_as_compiled(path, {md5_of("")}));
  EXPECT_FALSE(lines.is_as_compiled(path, {md5_of(""), md5_of(text())})) << "it was changed";
  EXPECT_FALSE(lines.is_as_compiled(scratch_.folder() / "gone.h", {}));
  write_source(3000);
  EXPECT_FALSE(lines.is_as_compiled(path, {}));
  EXPECT_TRUE(lines.is_as_compiled(path, {md5_of(text())}));
}

}  // namespace
}  // namespace ompdm::cli::source_files_test
