// The man pages, read by what prints them.
#include <gtest/gtest.h>

#include <string>

#include "command.h"

namespace ompdm::cli::man_test {
namespace {

using testing::Ran;

class Man : public testing::Command {
 protected:
  Man() { (void)run("mkdir man; ompdm man --folder man"); }
};

TEST_F(Man, HasAPageForEachVerb) {
  EXPECT_EQ(run("ls man").out,
            run("(echo ompdm.1; ompdm help | sed -n '/^Record:/,/^Start/s/^  \\([a-z]*\\) .*/"
                "ompdm-\\1.1/p') | LC_ALL=C sort")
                .out);
  EXPECT_EQ(run("ompdm man report").out, run("cat man/ompdm-report.1").out);
  EXPECT_EQ(run("ompdm man").out, run("cat man/ompdm.1").out);
  EXPECT_EQ(run("ompdm man reprot").status, 2);
  EXPECT_EQ(run("ompdm man --folder nowhere").status, 1);
}

TEST_F(Man, SaysWhatTheHelpSays) {
  if (run("groff --version").status != 0) GTEST_SKIP() << "no groff here";
  const Ran page = run("ompdm man report | groff -man -Tascii -P-c -P-b -P-u -rLL=200n");
  for (const char* text :
       {"ompdm-report - show what moved", "ompdm report [TRACE...] [options]", "--gpu-trace",
        "-o, --output FILE", "--fail-if 'findings > 0'", "ompdm-record(1)"}) {
    EXPECT_NE(page.out.find(text), std::string::npos) << text << '\n' << page.out;
  }
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
