// What a build's processes say of how sources are compiled.
#include "fix/compile_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>

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

// It may be anybody's, whose sources one looks at.
TEST(CompileCommands, TakeNoCodeFromAFileThatWasFound) {
  const testing::Scratch scratch;
  const std::string folder = scratch.folder().string();
  const std::filesystem::path compiler =
      scratch.write("bin/clang", "#!/bin/sh\ntouch " + folder + "/ran\necho /headers\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  const std::filesystem::path source = scratch.write("a.c", "");
  scratch.write("compile_commands.json",
                R"([{"directory": ")" + folder + R"(", "file": "a.c", "arguments": [")" +
                    compiler.string() +
                    R"(", "-O2", "-march=native", "-DN=4", "-I", "inc", "-include", "all.h",
                     "-fopenmp", "-fplugin=a.so", "-Xclang", "-load", "-Xclang", "a.so", "@more",
                     "-fpass-plugin=a.so", "-B.", "--config=a", "-Wall", "-mllvm", "-load=a.so",
                     "-resource-dir=/tmp", "-c", "a.c"]}])");
  const auto without_resources = [&](const CompileCommands& commands) {
    std::vector<std::string> all = commands.of(source).arguments;
    std::erase_if(all,
                  [](const std::string& one) { return one.starts_with("-resource-dir=/usr"); });
    return all;
  };
  EXPECT_EQ(without_resources(CompileCommands("", {source})),
            (Words{"-O2", "-march=native", "-DN=4", "-Iinc", "-includeall.h", "-fopenmp"}));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "ran"));
  const Words named = without_resources(CompileCommands(folder, {}));
  EXPECT_TRUE(std::ranges::count(named, "-fplugin=a.so") == 1) << "the user named it";
}

TEST(CompileCommands, OfABuildAreNotNewerThanItsProgram) {
  const testing::Scratch scratch;
  const std::filesystem::path commands = scratch.write("build/compile_commands.json", "[]");
  const std::filesystem::path program = scratch.write("build/bin/program", "");
  EXPECT_EQ(commands_of_build(program), std::vector{commands});
  const auto built = std::filesystem::last_write_time(program);
  std::filesystem::last_write_time(commands, built + std::chrono::seconds(30));
  EXPECT_EQ(commands_of_build(program), std::vector{commands}) << "as bear writes it";
  std::filesystem::last_write_time(commands, built + std::chrono::hours(1));
  EXPECT_TRUE(commands_of_build(program).empty()) << "it was configured anew";
  EXPECT_TRUE(commands_of_build(scratch.folder() / "gone").empty());
  EXPECT_TRUE(commands_of_build({}).empty());
}

using Arguments = std::vector<std::string>;

/// Programs that are compiled here, and what their debug information says of their sources.
class RecordedCompiles : public ::testing::Test {
 protected:
  /// Runs the compiler in the folder.
  void compile(const std::string& command) const {
    const testing::Ran ran = testing::shell(scratch_.folder(), command);
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  [[nodiscard]] RecordedProgram program_of(const std::string& program) const {
    Trace trace;
    trace.process.start_realtime_ns = std::numeric_limits<std::int64_t>::max();
    trace.modules = {{(scratch_.folder() / program).string(), "", 0}};
    trace.sites.emplace_back().module = {0};
    return RecordedProgram(compile_units(trace));
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (scratch_.folder() / name).string();
  }
  /// Those of a source, without the compiler's own folder.
  [[nodiscard]] static Arguments arguments(const CompileCommands& commands,
                                           const std::string& source) {
    Arguments all = commands.of(source).arguments;
    std::erase_if(all, [](const std::string& one) { return one.starts_with("-resource-dir="); });
    return all;
  }
  testing::Scratch scratch_;
};

bool has(const Arguments& all, const std::string& one) { return std::ranges::count(all, one) == 1; }

TEST_F(RecordedCompiles, TellLanguageStandardAndFolders) {
  scratch_.write("src/include/size.h", "struct Size { int n; };\n");
  scratch_.write("src/wave.c", "#include \"size.h\"\nint n(struct Size* s) { return s->n; }\n");
  scratch_.write("src/heat.cpp",
                 "#include <cstdlib>\n#include <size.h>\n"
                 "int m(Size* s) { return std::abs(s->n); }\nint main() {}\n");
  compile(
      "cd src && gcc -g -std=gnu99 -Iinclude -c wave.c && g++ -g -std=c++17 -Iinclude -c "
      "heat.cpp && g++ wave.o heat.o -o heat");
  const CompileCommands commands("", {}, program_of("src/heat"));
  EXPECT_EQ(arguments(commands, path("src/wave.c")),
            (Arguments{"-std=gnu99", "-fopenmp", "-I" + path("src"), "-I" + path("src/include")}));
  const Arguments cxx = arguments(commands, path("src/heat.cpp"));
  EXPECT_TRUE(has(cxx, "-std=c++17") || has(cxx, "-std=gnu++17"));
  EXPECT_TRUE(has(cxx, "-I" + path("src/include")));
  for (const std::string& one : cxx) EXPECT_FALSE(one.starts_with("-I/usr")) << one;
  EXPECT_EQ(commands.of(path("src/wave.c")).said_by, CompiledBy::kDebugInfo);
  EXPECT_EQ(commands.of(path("src/other.c")).said_by, CompiledBy::kGuess);
  EXPECT_EQ(commands.sources().size(), 2U);
}

// Headers of macros leave no trace in the debug information.
TEST_F(RecordedCompiles, FindHeadersAboveAndBesideTheKnownOnes) {
  scratch_.write("common/limits_of.h", "#include \"lib/deep.h\"\n#define N 4\n");
  scratch_.write("include/lib/deep.h", "#define M 4\n");
  scratch_.write("src/wave.c", "#include <limits_of.h>\nint main(void) { return N - M; }\n");
  compile("cd src && gcc -g -I../common -I../include wave.c -o ../wave");
  EXPECT_EQ(arguments(CompileCommands("", {}, program_of("wave")), path("src/wave.c")),
            (Arguments{"-std=gnu17", "-fopenmp", "-I" + path("src"), "-idirafter" + path("common"),
                       "-idirafter" + path("include")}));
}

// A unit's debug information leaves out headers of which it defines all that it takes from there.
TEST_F(RecordedCompiles, NameHeadersThatAnotherSourceNames) {
  scratch_.write("include/step.h", "struct Grid { int n; };\nint step(struct Grid* grid);\n");
  scratch_.write("include/size.h", "struct Size { int n; };\n");
  scratch_.write("other/size.h", "struct Size { int n, m; };\n");
  scratch_.write("other/own.h", "struct Own { int n; };\n");
  scratch_.write("main.c",
                 "#include \"size.h\"\n#include \"step.h\"\n"
                 "int main(void) { struct Size s = {0}; struct Grid g = {s.n}; return g.n; }\n");
  scratch_.write("wave.c", "#include \"own.h\"\nint wave(struct Own* own) { return own->n; }\n");
  compile("gcc -g -Iinclude -Iother main.c wave.c -o wave");
  const CompileCommands commands("", {}, program_of("wave"));
  std::map<std::string, bool> has_lines;
  for (const CompiledFile& file : commands.of(path("wave.c")).files) {
    has_lines[file.path] = !file.lines.empty();
  }
  EXPECT_EQ(has_lines, (std::map<std::string, bool>{{path("include/step.h"), false},
                                                    {path("other/own.h"), true},
                                                    {path("wave.c"), true}}))
      << "which size.h it includes is open";
}

// A folder with a time.h of its own would hide the system's.
TEST_F(RecordedCompiles, HideNoHeaderOfTheSystem) {
  scratch_.write("src/time.h", "struct Time { int s; };\n");
  scratch_.write("src/wave.c",
                 "#include \"time.h\"\nint s(struct Time* t) { return t->s; }\n"
                 "int main(void) {}\n");
  compile("gcc -g src/wave.c -o wave");
  const Arguments all = arguments(CompileCommands("", {}, program_of("wave")), path("src/wave.c"));
  EXPECT_TRUE(has(all, "-iquote" + path("src")));
  EXPECT_FALSE(has(all, "-I" + path("src")));
}

// Without these macros the parser would see other code than what ran.
TEST_F(RecordedCompiles, TellMacrosThatCodeNeeds) {
  scratch_.write("shim.h", "typedef struct { int n; } Shim;\nextern Shim shim;\n");
  scratch_.write("wave.c",
                 "#define OWN\n"
                 "#ifndef NO_MPI\n#include <mpi.h>\n#else\n#include \"shim.h\"\n#endif\n"
                 "int run(void) {\n"
                 "#if defined(DEVICE) && defined (FAST)\n  shim.n = 1;\n"
                 "#elif OTHER\n  shim.n = 2;\n#endif\n"
                 "#ifdef OWN\n  shim.n += 1;\n#endif\n"
                 "#ifdef SLOW\n  shim.n += 2;\n#else\n  shim.n += 3;\n#endif\n"
                 "#if VERSION > 2\n  shim.n += 4;\n#endif\n"
                 "  return shim.n;\n}\nShim shim;\nint main(void) { return run(); }\n");
  compile("gcc -g -DNO_MPI -DDEVICE -DFAST -DVERSION=3 wave.c -o wave");
  EXPECT_EQ(arguments(CompileCommands("", {}, program_of("wave")), path("wave.c")),
            (Arguments{"-std=gnu17", "-fopenmp", "-DDEVICE", "-DFAST", "-DNO_MPI",
                       "-I" + scratch_.folder().string()}));
}

TEST_F(RecordedCompiles, FollowATreeThatWasMoved) {
  scratch_.write("old/src/wave.c",
                 "#include <size.h>\nint n(Size* s) { return s->n; }\n"
                 "int main(void) {}\n");
  scratch_.write("old/include/size.h", "typedef struct { int n; } Size;\n");
  compile("cd old && gcc -g -Iinclude src/wave.c -o wave && cd .. && mv old new");
  const CompileCommands commands("", {}, program_of("new/wave"));
  EXPECT_TRUE(has(arguments(commands, path("new/src/wave.c")), "-I" + path("new/include")));
  EXPECT_EQ(commands.of(path("new/src/wave.c")).directory, path("new"));
}

TEST_F(RecordedCompiles, GoBehindCommandsAndBeforeTheGuess) {
  const CompileUnit unit{"a.c", "/src", false, "gnu11", {}, {}};
  CompileCommands commands("", {}, RecordedProgram({unit}));
  EXPECT_EQ(arguments(commands, "/src/a.c"), (Arguments{"-std=gnu11", "-fopenmp"}));
  commands.add_seen({{"/src/a.c", "/src", {"-O2"}, ""}});
  EXPECT_EQ(arguments(commands, "/src/a.c"), Arguments{"-O2"});
  EXPECT_EQ(arguments(commands, "/src/b.c"), (Arguments{"-std=gnu17", "-fopenmp"}));
}

// A trace, and the program that it names, come from anybody.
TEST_F(RecordedCompiles, TakeNoOptionThatLoadsOrWrites) {
  CompileUnit unit{"a.cc", "/src", true, "", {}, {}};
  unit.words = {"clang",
                "version",
                "19",
                "-I",
                "inc",
                "-DNAME=\"a b\"",
                "-U",
                "B",
                "-x",
                "c++",
                "-x",
                "ir",
                "-fplugin=/tmp/a.so",
                "-fpass-plugin=a.so",
                "-load",
                "a.so",
                "-o",
                "/etc/a",
                "-Xclang",
                "-add-plugin",
                "@file",
                "-B/tmp",
                "-std=c++20",
                "-fno-exceptions",
                "--config=/tmp/a",
                "-MF",
                "b",
                "-isystem",
                "sys"};
  EXPECT_EQ(arguments(CompileCommands("", {}, RecordedProgram({unit})), "/src/a.cc"),
            (Arguments{"-std=gnu++17", "-fopenmp", "-Iinc", "-DNAME=\"a b\"", "-UB", "-xc++",
                       "-std=c++20", "-fno-exceptions", "-isystemsys"}));
}

}  // namespace
}  // namespace ompdm::cli::compile_arguments_test
