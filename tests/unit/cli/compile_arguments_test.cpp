// What a build's processes say of how sources are compiled.
#include "fix/compile_arguments.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/scratch.h"

namespace ompdm::cli::compile_arguments_test {
namespace {

using Words = std::vector<std::string>;

std::vector<CompileArguments> of(const Words& words) { return compiles_of({"/home/ada", words}); }

TEST(CompileArguments, SplitsACommandAsAShellDoes) {
  EXPECT_EQ(words_of(R"(cc -c "a\b.c" 'c\d.c' e\\f.c "g\"h.c" i\ j.c)"),
            (Words{"cc", "-c", "a\\b.c", "c\\d.c", "e\\f.c", "g\"h.c", "i j.c"}));
}

TEST(CompileArguments, OfASourceAreWhatIsNeitherInputNorOutput) {
  const auto all = of({"/opt/bin/x86_64-linux-gnu-clang++-19", "-O2", "-I", "inc", "-MD", "-MF",
                       "heat.d", "-DN=4", "-c", "../heat.cpp", "-o", "heat.o"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().file, "/home/heat.cpp");
  EXPECT_EQ(all.front().directory, "/home/ada");
  EXPECT_EQ(all.front().arguments, (Words{"-O2", "-I", "inc", "-DN=4"}));
  EXPECT_EQ(all.front().compiler, "/opt/bin/x86_64-linux-gnu-clang++-19");
}

TEST(CompileArguments, OfSeveralSourcesAreARowEach) {
  const auto all = of({"cc", "-fopenmp", "-include", "all.c", "main.c", "wave.c", "-o", "wave"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].file, "/home/ada/wave.c");
  EXPECT_EQ(all[1].arguments, (Words{"-fopenmp", "-include", "all.c"}));
  EXPECT_EQ(all[1].compiler, "");
}

TEST(CompileArguments, StandBehindALauncher) {
  const auto all = of({"/usr/bin/ccache", "clang", "-fopenmp", "-c", "a.c"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().arguments, Words{"-fopenmp"});
  EXPECT_EQ(all.front().compiler, "clang");
}

TEST(CompileArguments, AreNoneOfWhatCompilesNothing) {
  for (const Words& words :
       {Words{"make", "main.c"}, Words{"clang", "main.o", "-o", "main"},
        Words{"clang-19", "-cc1", "-O2", "main.c"}, Words{"gcc", "-MM", "main.c"},
        Words{"clang-linker-wrapper-19", "main.c"}, Words{"ccache"}, Words{"ld", "19"},
        Words{""}}) {
    EXPECT_TRUE(of(words).empty()) << words.front();
  }
}

// To ask a compiler takes as long as to read a small source, and a tree has thousands.
TEST(CompileCommands, AskEachCompilerOnceForItsHeaders) {
  const testing::Scratch scratch;
  const std::filesystem::path compiler = scratch.write(
      "bin/clang-19",
      "#!/bin/sh\necho \"$1\" >>" + (scratch.folder() / "asked").string() + "\necho /headers\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  CompileCommands commands("", {});
  commands.add_seen({{"/gone/a.c", "/gone", {"-O2"}, compiler.string()},
                     {"/src/b.c", "/src", {"-O2"}, compiler.string()}});
  for (const char* source : {"/gone/a.c", "/src/b.c", "/src/b.c"}) {
    EXPECT_EQ(commands.of(source).arguments, (Words{"-resource-dir=/headers", "-O2"})) << source;
  }
  EXPECT_EQ(testing::read_file(scratch.folder() / "asked"), "-print-resource-dir\n");
}

}  // namespace
}  // namespace ompdm::cli::compile_arguments_test
