// The man pages, read by what prints them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command.h"

namespace ompdm::cli::man_test {
namespace {

using testing::Ran;

class Man : public testing::Command {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(OMPDM_MAN_PAGES "/ompdm.1")) GTEST_SKIP() << "no help2man here";
    std::filesystem::create_directory_symlink(OMPDM_MAN_PAGES, work() / "man");
  }
};

TEST_F(Man, HasAPageForEachVerb) {
  EXPECT_EQ(run("ls man").out,
            run("(echo ompdm.1; ompdm help | sed -n '/^Record:/,/^Start/s/^  \\([a-z]*\\) .*/"
                "ompdm-\\1.1/p') | LC_ALL=C sort")
                .out);
}

TEST_F(Man, SaysWhatTheHelpSays) {
  if (run("groff --version").status != 0) GTEST_SKIP() << "no groff here";
  const Ran page = run("groff -man -Tascii -P-c -P-b -P-u -rLL=200n man/ompdm-report.1");
  for (const char* text :
       {"ompdm-report - show what moved", "ompdm report [TRACE...] [options]", "--gpu-trace",
        "-o, --output FILE", "--where FILE:LINE", "--top N",
        "ompdm report trace.json --fail-if 'HtoD.count > 3' --fail-if 'findings > 0'\n",
        "ompdm-record(1)"}) {
    EXPECT_NE(page.out.find(text), std::string::npos) << text << '\n' << page.out;
  }
  // CLI11 writes a default as N=10, from 2.4 on as N [10].
  EXPECT_TRUE(page.out.find("--top N=10") != std::string::npos ||
              page.out.find("--top N [10]") != std::string::npos)
      << page.out;
}

TEST_F(Man, IsTakenWithoutAWarning) {
  const bool groff = run("groff --version").status == 0;
  const bool mandoc = run("command -v mandoc").status == 0;
  if (groff) {
    EXPECT_EQ(run("for page in man/*; do groff -man -ww -z -Tutf8 $page; done").err, "");
  }
  if (mandoc) {  // a build that is to give the same each time has no date
    EXPECT_EQ(run("mandoc -T lint -W warning man/* | grep -v 'missing date'").out, "");
  }
  if (!groff && !mandoc) GTEST_SKIP() << "neither groff nor mandoc here";
}

}  // namespace
}  // namespace ompdm::cli::man_test
