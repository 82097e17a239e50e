#include "fix/source_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <vector>

#include "elf_file.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// Those of its edits that have a line.
std::set<std::string> files_named(const nlohmann::json& finding) {
  std::set<std::string> files;
  for (const auto& edit : finding.at("edits")) {
    for (const auto& place : edit.at("places")) files.insert(place.value("file", std::string()));
  }
  files.erase("");
  return files;
}

/// "ompdm record ./heat 1000", as it is to be typed in the folder that it ran in.
std::string record_again(const Process& process) {
  std::vector<std::string> words = {"ompdm", "record"};
  for (const std::string& word : process.arguments) words.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

SourceState source_state(const nlohmann::json& finding, const SourceLines& sources,
                         const Process& process) {
  const std::set<std::string> files = files_named(finding);
  if (files.empty()) {
    return {"the trace has no lines of the source: compile with -g, and record again: " +
            record_again(process)};
  }
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename().string();
    const fs::path place = sources.place_of(file);
    if (place.empty()) return {file + " is not found: fix needs the source beside the program"};
    if (!sources.path_of(file).empty()) continue;
    if (sources.is_known_by_age_alone(file) && !sources.is_newer(file)) continue;
    const bool may_be_same = sources.may_be_compiled(file);
    if (sources.is_older_than_rebuilt_program(place)) {
      return {"the program was built anew after it was recorded: record it again: " +
                  record_again(process),
              may_be_same};
    }
    const char* what = sources.is_newer(file) ? " was written after the program was built"
                                              : " is not what the program was built of";
    return {name + what + ": build it, and record it again: " + record_again(process), may_be_same};
  }
  return {};
}

bool is_of_same_sources(const fs::path& one, const fs::path& other) {
  for (const char* section : {".text", ".debug_line"}) {
    const std::string text = section_of(one, section);
    if (text.empty() || text != section_of(other, section)) return false;
  }
  return true;
}

}  // namespace ompdm::cli
