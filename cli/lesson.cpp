// `ompdm lesson`: its options and its help. The program ompdm-lesson beside this command does the
// work.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "ompdm/error.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace {

namespace fs = std::filesystem;

struct LessonOptions {
  std::vector<std::string> ladders;
  std::string output = "lesson";
  std::string compiler;
  std::string link = "pcie4x16";
  bool students = false;
  std::string exercise;
  std::string start;
  std::string grade;
  std::string fresh;
};

constexpr const char* kNotes =
    "LADDER is heat, jacobi, product or clauses, or a ladder of your own: a TOML file, or a\n"
    "folder with a ladder.toml. It names the versions of a program, from naive to optimized,\n"
    "and exercises. Without LADDER the lesson has all four.\n"
    "The lesson shows of each version its directives, its transfers, a question and the answer.\n"
    "--students writes an edition without answers, too, into the lesson's folder students.\n"
    "A grade builds and runs SOURCE. Exit status: 0 passed, 1 error, 2 usage, 3 failed.";

/// Replaces this process by ompdm-lesson. Returns only by an exception.
[[noreturn]] void run_lesson(const LessonOptions& options) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path program = self.parent_path() / "ompdm-lesson";
  if (!fs::exists(program)) {
    throw Error(program.string() +
                " is not there: install ompdm as a whole, or build its target all");
  }
  std::vector<std::string> words = {program.string(), "--ompdm", self.string(), "--output",
                                    options.output,   "--link",  options.link};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {std::string("--") + name + '=' + value});
  };
  add("compiler", options.compiler);
  add("exercise", options.exercise);
  add("start", options.start);
  add("grade", options.grade);
  add("new", options.fresh);
  if (options.students) words.emplace_back("--students");
  words.emplace_back("--");
  words.insert(words.end(), options.ladders.begin(), options.ladders.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(program.string() + ": " + std::strerror(errno) + ": it needs python3 3.11 or newer");
}

}  // namespace

void setup_lesson(CLI::App& app, int& /*exit_status*/) {
  auto options = std::make_shared<LessonOptions>();
  CLI::App* verb =
      app.add_subcommand("lesson", "Make a lesson of versions of a program, and grade exercises")
          ->group("Teach");
  verb->add_option("LADDER", options->ladders, "Which ladders (default all of ompdm's)")
      ->type_name("");
  verb->add_option("-o,--output", options->output,
                   "The folder of the lesson's pages (default lesson)")
      ->type_name("FOLDER");
  verb->add_option("--compiler", options->compiler,
                   "A compiler and its options for offload (default: a clang++ for host devices)")
      ->type_name("WORDS");
  verb->add_option("--link", options->link,
                   "The link that is modelled beside this machine's times (default pcie4x16)")
      ->type_name("LINK");
  CLI::Option* students =
      verb->add_flag("--students", options->students,
                     "Write FOLDER/students, too: no answers, solutions or code of later versions");
  CLI::Option* exercise =
      verb->add_option("--exercise", options->exercise, "Which exercise, where there are several")
          ->type_name("NAME");
  CLI::Option* start =
      verb->add_option("--start", options->start, "Write an exercise's source and task there")
          ->type_name("FOLDER")
          ->excludes(students);
  CLI::Option* grade =
      verb->add_option("--grade", options->grade, "Grade a solution of the exercise")
          ->type_name("SOURCE")
          ->excludes(students)
          ->excludes(start);
  CLI::Option* fresh =
      verb->add_option("--new", options->fresh, "Write a ladder.toml for the sources of a folder")
          ->type_name("FOLDER")
          ->excludes(students)
          ->excludes(start)
          ->excludes(grade);
  exercise->excludes(fresh);
  set_help(*verb, "ompdm lesson [OPTIONS] [LADDER...]", kNotes,
           "ompdm lesson                            # then open lesson/index.html\n"
           "ompdm lesson heat --students -o heat\n"
           "ompdm lesson heat --start exercise\n"
           "ompdm lesson heat --grade exercise/heat.cpp\n"
           "ompdm lesson --new my-versions\n"
           "ompdm lesson my-versions -o my-lesson");
  verb->callback([options] { run_lesson(*options); });
}

}  // namespace ompdm::cli
