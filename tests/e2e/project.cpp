#include "project.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "offload_build.h"

namespace ompdm::e2e {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string compile_line(bool is_c) {
  const Compiling compiling = for_host_devices();
  return is_c ? compiling.c : compiling.cxx;
}

Compiling for_host_devices() {
  const OffloadBuild& build = offload_build();
  std::string options = " -Wl,-rpath," + build.runtime;
  for (const std::string& option : build.options) options += ' ' + option;
  return {.c = build.c + options,
          .cxx = build.cxx + " -std=c++20" + options,
          .programs = build.folder + "/fix"};
}

Project::Project(const fs::path& source, const std::vector<fs::path>& others,
                 const Compiling& compiling)
    : name_(source.stem().string()),
      programs_(compiling.programs),
      environment_(compiling.environment) {
  environment_["TMPDIR"] = scratch_.path().string();
  fs::copy_file(source, folder() / source.filename());
  for (const fs::path& header : others) fs::copy_file(header, folder() / header.filename());
  const std::string& words = source.extension() == ".c" ? compiling.c : compiling.cxx;
  std::string sources;
  nlohmann::json rows = nlohmann::json::array();
  std::vector<fs::path> all = {source};
  all.insert(all.end(), others.begin(), others.end());
  for (const fs::path& one : all) {
    if (one.extension() != source.extension()) continue;
    const std::string file = one.filename().string();
    sources += ' ' + file;
    rows.push_back(
        {{"directory", folder().string()}, {"file", file}, {"command", words + " -c " + file}});
  }
  std::ofstream(folder() / "Makefile")
      << name_ << ':' << sources << "\n\t" << words << " -o " << name_ << sources << '\n';
  std::ofstream(folder() / "compile_commands.json") << rows;
}

void Project::set(const std::string& variable, const std::string& value) {
  environment_[variable] = value;
}

Ended Project::start(const std::vector<std::string>& words) const {
  return run({words, environment_, std::chrono::seconds(240)}, folder());
}

bool Project::make() const {
  const Ended made = start({"make"});
  EXPECT_EQ(made.status, 0) << made.err;
  return made.status == 0;
}

void Project::take(const std::string& built) const {
  fs::copy_file(programs_ / built, folder() / name_, fs::copy_options::overwrite_existing);
}

bool Project::record(const std::vector<std::string>& arguments) const {
  if (!fs::exists(folder() / name_)) take(name_);
  std::vector<std::string> words = {OMPDM_COMMAND, "record", "-o", "trace.json", "./" + name_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Ended recorded = start(words);
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  return recorded.status == 0;
}

Ended Project::fix(const std::vector<std::string>& options) const {
  std::vector<std::string> words = {OMPDM_COMMAND, "fix", "trace.json"};
  words.insert(words.end(), options.begin(), options.end());
  return start(words);
}

Ended Project::fix_built(const std::vector<std::string>& options,
                         const std::string& where_edited) const {
  std::vector<std::string> words = {"--build", build_of(where_edited), "--timed-runs", "0"};
  words.insert(words.end(), options.begin(), options.end());
  return fix(words);
}

std::string Project::build_of(const std::string& where_edited) const {
  const std::string all = "cat *.[ch]*";
  const Ended kept =
      start({"sh", "-c", "mkdir kept; cp " + name_ + " kept; " + all + " >kept/all"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  return "cp kept/" + name_ + " . && { " + all + " | cmp -s - kept/all || { " + where_edited +
         "; }; }";
}

void Project::build_by(const std::string& makefile) const {
  fs::remove(folder() / "compile_commands.json");
  std::ofstream(folder() / "Makefile") << makefile;
}

std::string Project::text(const std::string& file) const { return text_of(folder() / file); }

bool Project::left_nothing() const { return fs::is_empty(scratch_.path()); }

std::string Project::patched(const std::string& patch, const std::string& file) const {
  const Ended applied = start({"git", "apply", "--unsafe-paths", patch});
  EXPECT_EQ(applied.status, 0) << applied.err;
  return text(file);
}

std::string Project::planned(const std::string& file) const {
  const Ended ended = fix({"-o", "plan.patch"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  return patched("plan.patch", file);
}

}  // namespace ompdm::e2e
