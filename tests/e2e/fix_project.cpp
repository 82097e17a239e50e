#include "fix_project.h"

#include <gtest/gtest.h>

#include <fstream>

#include "offload_build.h"

namespace ompdm::e2e {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string compile_line(bool is_c) {
  const OffloadBuild& build = offload_build();
  std::string words = (is_c ? build.c : build.cxx + " -std=c++20") + " -Wl,-rpath," + build.runtime;
  for (const std::string& option : build.options) words += ' ' + option;
  return words;
}

Project::Project(const fs::path& source, const std::vector<fs::path>& headers,
                 const std::string& more)
    : name_(source.stem().string()) {
  fs::copy_file(source, folder() / source.filename());
  for (const fs::path& header : headers) fs::copy_file(header, folder() / header.filename());
  const std::string file = source.filename().string();
  const std::string words = compile_line(source.extension() == ".c");
  std::ofstream(folder() / "Makefile") << name_ << ": " << file << "\n\t" << words << " -o "
                                       << name_ << ' ' << file << ' ' << more << '\n';
  std::ofstream(folder() / "compile_commands.json")
      << R"([{"directory": ")" << folder().string() << R"(", "file": ")" << file
      << R"(", "command": ")" << words << " -c " << file << R"("}])";
}

bool Project::record(const std::vector<std::string>& arguments) const {
  const Ended made = run({{"make"}}, folder());
  EXPECT_EQ(made.status, 0) << made.err;
  std::vector<std::string> words = {OMPDM_COMMAND, "record", "-o", "trace.json", "./" + name_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Ended recorded = run({words}, folder());
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  return made.status == 0 && recorded.status == 0;
}

Ended Project::fix(const std::vector<std::string>& options) const {
  std::vector<std::string> words = {OMPDM_COMMAND, "fix", "trace.json"};
  words.insert(words.end(), options.begin(), options.end());
  return run({words, {{"TMPDIR", scratch().string()}}, std::chrono::seconds(240)}, folder());
}

void Project::build_by(const std::string& makefile) const {
  fs::remove(folder() / "compile_commands.json");
  std::ofstream(folder() / "Makefile") << makefile;
}

std::string Project::text(const std::string& file) const { return text_of(folder() / file); }

bool Project::left_nothing() const { return fs::is_empty(scratch()); }

std::string Project::patched(const std::string& patch, const std::string& file) const {
  const Ended applied = run({{"git", "apply", "--unsafe-paths", patch}}, folder());
  EXPECT_EQ(applied.status, 0) << applied.err;
  return text(file);
}

}  // namespace ompdm::e2e
