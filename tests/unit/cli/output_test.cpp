// What report and its like write with -o: a name has it whole, or what it had before.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "support/synthetic_trace.h"

namespace ompdm::cli::output_test {
namespace {

namespace fs = std::filesystem;
using testing::Ran;
using testing::read_file;

class OutputFile : public ::testing::Test {
 protected:
  void SetUp() override {
    write_trace(test::synthetic_trace({.events = 100}), scratch_.folder() / "trace.json");
  }
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(scratch_.folder(),
                          "ompdm() { " + shell_word(OMPDM_COMMAND) + " \"$@\"; }\n" + line);
  }

  testing::Scratch scratch_;
};

TEST_F(OutputFile, ThatDoesNotFitLeavesTheNameAsItWas) {
  const std::string page = "ulimit -f 20; ompdm report trace.json --format html -o page; ";
  const Ran gone = run(page + "status=$?; ls; exit $status");
  EXPECT_EQ(gone.status, 1);
  EXPECT_EQ(gone.out, "trace.json\n");
  EXPECT_EQ(gone.err,
            "ompdm: page: cannot be written (File too large): make room or name a file elsewhere "
            "with -o\n");
  EXPECT_EQ(run("echo mine >page; " + page + "cat page").out, "mine\n");
}

TEST_F(OutputFile, TakesThePlaceOfWhatALinkLeadsTo) {
  EXPECT_EQ(
      run("echo old >there; chmod 600 there; ln -s there link; ompdm report trace.json -o link")
          .status,
      0);
  EXPECT_TRUE(fs::is_symlink(scratch_.folder() / "link"));
  EXPECT_NE(read_file(scratch_.folder() / "there").find("Movement"), std::string::npos);
  EXPECT_EQ(fs::status(scratch_.folder() / "there").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFile, IsWrittenIntoWhatIsNoFile) {
  EXPECT_EQ(run("ompdm report trace.json -o /dev/null && test -c /dev/null").status, 0);
  const Ran piped =
      run("mkfifo pipe; cat pipe & ompdm report trace.json -o pipe; wait; test -p pipe");
  EXPECT_EQ(piped.status, 0);
  EXPECT_NE(piped.out.find("Movement"), std::string::npos);
  const Ran appended =
      run("echo first >log; ompdm report trace.json -o /dev/stdout >>log; cat log");
  EXPECT_NE(appended.out.find("Movement"), std::string::npos);
}

TEST_F(OutputFile, OfATraceFromAPipeIsThatOfItsFile) {
  const Ran from_file = run("ompdm report trace.json --format csv --section totals");
  const Ran from_pipe = run("bash -c '" + shell_word(OMPDM_COMMAND) +
                            " report <(cat trace.json) --format csv --section totals'");
  EXPECT_EQ(from_pipe.status, 0) << from_pipe.err;
  EXPECT_FALSE(from_file.out.empty());
  EXPECT_EQ(from_pipe.out, from_file.out);
  EXPECT_EQ(
      run("mkfifo pipe; gzip -c trace.json >pipe & ompdm report pipe --format csv --section totals")
          .out,
      from_file.out);
}

TEST_F(OutputFile, IsNoneOfWhatIsRead) {
  const std::string before = read_file(scratch_.folder() / "trace.json");
  ASSERT_EQ(run("mkdir run; cp trace.json run/t.json; ln -s trace.json link; ln trace.json hard; "
                "ompdm merge trace.json -o summary.json")
                .status,
            0);
  for (const char* line :
       {"report trace.json -o trace.json", "report trace.json --format html -o ./trace.json",
        "report --gpu-trace trace.json -o link", "report trace.json -o hard",
        "report link -o trace.json", "report run -o run/t.json",
        "report - -o trace.json <trace.json", "compare trace.json run/t.json -o run/t.json",
        "explain trace.json 1 -o trace.json", "merge trace.json -o trace.json",
        "merge run trace.json -o hard", "merge summary.json", "merge run -o run/t.json",
        "export trace.json --format json -o hard", "fix trace.json -o link"}) {
    const Ran ran = run(std::string("ompdm ") + line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(ran.err.ends_with(" read: name another file with -o\n")) << line << ran.err;
  }
  EXPECT_EQ(read_file(scratch_.folder() / "trace.json"), before);
  EXPECT_EQ(read_file(scratch_.folder() / "run" / "t.json"), before);
}

TEST_F(OutputFile, CalledMinusIsStandardOutput) {
  const std::string report = run("ompdm report trace.json").out;
  EXPECT_EQ(run("ompdm report trace.json -o -").out, report);
  EXPECT_EQ(run("ompdm explain trace.json 1 -o -").out, run("ompdm explain trace.json 1").out);
  EXPECT_EQ(run("ompdm compare trace.json trace.json -o -").out,
            run("ompdm compare trace.json trace.json").out);
  EXPECT_NE(run("ompdm merge trace.json -o -").out, "");
  for (const char* line : {"record -o - true", "finish x.spool -o -", "env -o -"}) {
    EXPECT_EQ(run(std::string("ompdm ") + line).status, 2) << line;
  }
  EXPECT_EQ(run("ls").out, "trace.json\n");
}

TEST_F(OutputFile, HasNoControlCharactersIfItIsText) {
  Trace trace = test::synthetic_trace({.events = 100});
  const std::string hostile =
      "a\x1b]0;b\x07\x9bm\xc2\x9b"
      "c\xc3\xa9";
  const std::string shown = R"(a\x1b]0;b\x07\x9bm\xc2\x9bc)"
                            "\xc3\xa9";
  trace.process.program = trace.process.arguments.front() = hostile;
  for (Site& site : trace.sites) site.function = site.file = hostile;
  for (Variable& variable : trace.variables) variable.name = hostile;
  for (Kernel& kernel : trace.kernels) kernel.function = hostile;
  write_trace(trace, scratch_.folder() / "hostile.json");
  const auto is_clean = [](const std::string& text) {
    return text.find_first_of("\x1b\x07\x9b\r") == std::string::npos;
  };
  for (const char* line :
       {"report hostile.json", "report hostile.json --format markdown", "report --all hostile.json",
        "report --gpu-trace hostile.json",
        "report --color always hostile.json -o r; grep -v ompdm r "
        "| sed 's/\x1b\\[[0-9]*m//g'",
        "explain hostile.json 1", "compare hostile.json trace.json", "info hostile.json"}) {
    const Ran ran = run(std::string("ompdm ") + line);
    EXPECT_TRUE(is_clean(ran.out + ran.err)) << line << ran.out << ran.err;
  }
  EXPECT_NE(run("ompdm report hostile.json").out.find(shown), std::string::npos);
  const Ran none = run("ompdm report \"$(printf 'no\\033[2Jsuch')\"");
  EXPECT_TRUE(none.err.starts_with("ompdm: no\\x1b[2Jsuch: ")) << none.err;
  EXPECT_TRUE(is_clean(run("ompdm \"$(printf 'x\\033[2J')\"").err));
  EXPECT_EQ(run("ompdm report \"$(printf 'no\\nsuch')\"").err.find('\n'),
            run("ompdm report \"$(printf 'no\\nsuch')\"").err.size() - 1);
  // What is for programs is exact.
  EXPECT_FALSE(is_clean(run("ompdm report hostile.json --format csv").out));
}

TEST(Printable, KeepsTextAndItsLayout) {
  EXPECT_EQ(printable("a\tb\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "a\tb\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[1m\r\x7f\xc2\x85\xc0\xaf\xed\xa0\x80\xe2\x82"),
            R"(\x1b[1m\x0d\x7f\xc2\x85\xc0\xaf\xed\xa0\x80\xe2\x82)");
}

TEST(Printable, TakesPartsOfCharacters) {
  Printable text(true);
  std::string all;
  for (const char byte : std::string("\x1b[1m\xe2\x82\xac\x1b[0m\x1b[2m\xc2")) {
    all += text.part({&byte, 1});
  }
  EXPECT_EQ(all + text.rest(), "\x1b[1m\xe2\x82\xac\x1b[0m\\x1b[2m\\xc2");
}

}  // namespace
}  // namespace ompdm::cli::output_test
