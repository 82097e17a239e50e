#include "edited_program.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include "offload_build.h"
#include "printed.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Of a program that does nothing on a device any more.
Json empty_report() {
  Json report = {
      {"findings", Json::array()}, {"directives", Json::array()}, {"variables", Json::array()}};
  for (const char* kind : {"HtoD", "DtoH", "alloc", "delete"}) {
    report["totals"][kind] = {{"bytes", 0}};
  }
  return report;
}

}  // namespace

Recording record(const AppliedProgram& program, const std::string& path, const AppliedRun& run,
                 bool looks_at_print) {
  const Folder folder;
  Command command = {{OMPDM_COMMAND, "record", "--", path}, program.environment};
  command.words.insert(command.words.end(), run.arguments.begin(), run.arguments.end());
  const Ended ended = e2e::run(command, folder.path());
  Recording recording = {ended.status, {}, {}, {}, {}};
  for (const std::string& line : lines_of(ended.out)) {
    if (line.find("time") == std::string::npos) recording.out += line + '\n';
  }
  if (ended.err.find("no target region was executed on a device") != std::string::npos) {
    recording.report = empty_report();
    return recording;
  }
  const Ended report =
      e2e::run({{OMPDM_COMMAND, "report", "--format", "json", "trace.json"}}, folder.path());
  if (report.status == 0) {
    recording.report = Json::parse(report.out);
    if (looks_at_print) recording.printed_faults = printed_faults(folder.path() / "trace.json");
  } else {
    recording.complaint = ended.err + report.err;
  }
  return recording;
}

EditedProgram::EditedProgram(const AppliedProgram& program, const Applier& applier) {
  write(program, applier);
  // Some print their name.
  fs::create_directory(folder_.path() / "built");
  const std::string name = program.path.empty() ? program.name : program.path;
  path_ = folder_.path() / "built" / fs::path(name).filename();
  build(program);
}

void EditedProgram::write(const AppliedProgram& program, const Applier& applier) {
  for (const std::string& source : program.sources) {
    for (const auto& entry : fs::directory_iterator(fs::path(source).parent_path())) {
      if (!entry.is_regular_file()) continue;
      fs::copy_file(entry, folder_.path() / entry.path().filename(),
                    fs::copy_options::skip_existing);
    }
  }
  for (const auto& [path, result] : applier.results()) {
    const fs::path there = folder_.path() / path.filename();
    std::ofstream(there) << result.text;
    on_condition_[there] = result.on_condition;
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

std::uint64_t EditedProgram::moved_on_condition(const Json& report) const {
  std::uint64_t bytes = 0;
  for (const Json& row : report["directives"]) {
    const auto file = on_condition_.find(row["file"].get<std::string>());
    if (file == on_condition_.end() || !file->second.contains(row["line"])) continue;
    bytes += row["HtoD_bytes"].get<std::uint64_t>() + row["DtoH_bytes"].get<std::uint64_t>();
  }
  return bytes;
}

}  // namespace ompdm::e2e
