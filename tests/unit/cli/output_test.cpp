// What report and its like write with -o: a name has it whole, or what it had before.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ompdm/trace_file.h"
#include "scratch.h"
#include "shell_words.h"
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

}  // namespace
}  // namespace ompdm::cli::output_test
