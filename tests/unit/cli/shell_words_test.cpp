#include <gtest/gtest.h>

#include "printable.h"
#include "scratch.h"

namespace ompdm::cli::shell_words_test {
namespace {

TEST(ShellWords, ComeBackAsTheyWere) {
  for (const std::string word : {"plain", "", "a b", "it's", "$HOME", "a\nb", "*", "-n", "é"}) {
    const auto ran = testing::shell("/", "printf '[%s]' " + shell_word(word));
    EXPECT_EQ(ran.out, "[" + word + "]");
  }
}

TEST(ShellWords, AreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(shell_word("build/trace.json"), "build/trace.json");
  EXPECT_EQ(shell_word("a b"), "'a b'");
}

TEST(TypedPath, IsRelativeBelowTheWorkingFolder) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(typed_path(here + "/out/trace.json"), "out/trace.json");
  EXPECT_EQ(typed_path("/elsewhere/trace.json"), "/elsewhere/trace.json");
}

}  // namespace
}  // namespace ompdm::cli::shell_words_test
