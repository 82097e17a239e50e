#include "edited_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "offload_build.h"
#include "patching.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::map<std::string, std::string> kWithSources = {{"OMPDM_SOURCE", "auto"}};

/// Of a program that does nothing on a device any more.
Json empty_report() {
  Json report = {
      {"findings", Json::array()}, {"directives", Json::array()}, {"variables", Json::array()}};
  for (const char* kind : {"HtoD", "DtoH", "alloc", "delete"}) {
    report["totals"][kind] = {{"bytes", 0}};
  }
  return report;
}

/// The lines of a source with a `target update`.
std::multiset<std::string> updates_in(const std::vector<std::string>& lines) {
  std::multiset<std::string> updates;
  for (const std::string& line : lines) {
    if (line.find("#pragma omp target update") != std::string::npos) updates.insert(line);
  }
  return updates;
}

}  // namespace

Recording::Recording(const AppliedProgram& program, const std::string& path,
                     const AppliedRun& run) {
  Command command = {{OMPDM_COMMAND, "record", "--", path}, program.environment};
  command.words.insert(command.words.end(), run.arguments.begin(), run.arguments.end());
  const Ended ended = e2e::run(command, folder_.path());
  status = ended.status;
  for (const std::string& line : lines_of(ended.out)) {
    if (line.find("time") == std::string::npos) out += line + '\n';
  }
  if (ended.err.find("no target region was executed on a device") != std::string::npos) {
    report = empty_report();
    return;
  }
  const Ended reported = e2e::run(
      {{OMPDM_COMMAND, "report", "--format", "json", "trace.json"}, kWithSources}, folder_.path());
  if (reported.status == 0) {
    report = Json::parse(reported.out);
  } else {
    complaint = ended.err + reported.err;
  }
}

std::string Recording::patch(const std::vector<std::size_t>& only) const {
  std::vector<std::string> words = {OMPDM_COMMAND, "fix", "trace.json", "-o", "fix.patch"};
  if (!only.empty()) words.insert(words.end(), {"--only", fmt::format("{}", fmt::join(only, ","))});
  const Ended ended = e2e::run({words, kWithSources}, folder_.path());
  return ended.status == 0 ? text_of(folder_.path() / "fix.patch") : std::string();
}

EditedProgram::EditedProgram(const AppliedProgram& program, const std::string& patch) {
  copy_sources(program);
  if (!patch.empty()) complaint_ = apply_patch(folder_.path(), patch);
  // Some print their name.
  fs::create_directory(folder_.path() / "built");
  const std::string name = program.path.empty() ? program.name : program.path;
  path_ = folder_.path() / "built" / fs::path(name).filename();
  if (!complaint_.empty()) return;
  note_updates(program);
  build(program);
}

void EditedProgram::copy_sources(const AppliedProgram& program) const {
  for (const std::string& source : program.sources) {
    for (const auto& entry : fs::directory_iterator(fs::path(source).parent_path())) {
      if (!entry.is_regular_file()) continue;
      fs::copy_file(entry, folder_.path() / entry.path().filename(),
                    fs::copy_options::skip_existing);
    }
  }
}

void EditedProgram::note_updates(const AppliedProgram& program) {
  for (const std::string& source : program.sources) {
    const fs::path here = folder_.path() / fs::path(source).filename();
    std::multiset<std::string> before = updates_in(lines_of(text_of(source)));
    int number = 0;
    for (const std::string& line : lines_of(text_of(here))) {
      ++number;
      if (updates_in({line}).empty()) continue;
      const auto known = before.find(line);
      if (known == before.end()) updates_[here].insert(number);
      if (known != before.end()) before.erase(known);
    }
  }
}

void EditedProgram::build(const AppliedProgram& program) {
  const OffloadBuild& build = offload_build();
  std::vector<std::string> words = {program.sources.front().ends_with(".c") ? build.c : build.cxx};
  words.insert(words.end(), build.options.begin(), build.options.end());
  words.insert(words.end(), program.options.begin(), program.options.end());
  // By full paths, as the report gives them.
  for (const std::string& source : program.sources) {
    words.push_back(folder_.path() / fs::path(source).filename());
  }
  words.insert(words.end(), {"-o", path_, "-Wl,-rpath," + build.runtime});
  const Ended ended = e2e::run({words}, folder_.path());
  const std::size_t at = ended.err.find("error: ");
  if (ended.status != 0) complaint_ = ended.err.substr(at == std::string::npos ? 0 : at, 400);
}

std::uint64_t EditedProgram::moved_by_updates(const Json& report) const {
  std::uint64_t bytes = 0;
  for (const Json& row : report["directives"]) {
    const auto file = updates_.find(row["file"].get<std::string>());
    if (file == updates_.end() || !file->second.contains(row["line"])) continue;
    bytes += row["HtoD_bytes"].get<std::uint64_t>() + row["DtoH_bytes"].get<std::uint64_t>();
  }
  return bytes;
}

}  // namespace ompdm::e2e
