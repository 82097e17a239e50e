#include "built.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <utility>

#include "run.h"

namespace ompdm::random_programs {
namespace {

namespace fs = std::filesystem;

/// Runs again if LLVM's runtime ends it by an assertion of its own, with the recorder or without. A
/// helper thread may still be ending a `nowait` task when the waiting thread makes teams.
e2e::Ended run_words(const std::vector<std::string>& words, const Build& build,
                     const fs::path& folder) {
  constexpr int kMostTries = 32;
  for (int tries = 1;; ++tries) {
    e2e::Ended ended = e2e::run({words, build.environment}, folder);
    const bool is_llvm =
        ended.status != 0 && ended.err.find("Assertion failure at kmp_") != std::string::npos;
    if (!is_llvm || tries == kMostTries) return ended;
  }
}

std::string printed(const e2e::Ended& ended) {
  return ended.status == 0 ? ended.out : fmt::format("exit status {}: {}", ended.status, ended.err);
}

}  // namespace

Built::Built(const Build& build, fs::path folder, std::string name)
    : build_(build), folder_(std::move(folder)), name_(std::move(name)) {
  fs::create_directories(folder_);
}

std::vector<std::string> Built::build_words() const {
  std::vector<std::string> words = build_.compiler;
  for (const fs::path& file : files()) words.push_back(file.string());
  words.insert(words.end(), {"-o", (folder_ / name_).string()});
  return words;
}

std::vector<fs::path> Built::files() const {
  std::vector<fs::path> all = {folder_ / (name_ + ".cpp")};
  const fs::path other = folder_ / (name_ + "_parts.cpp");
  if (fs::exists(other)) all.push_back(other);
  return all;
}

std::string Built::build(const Source& source) const {
  const auto write = [&](const char* end, const std::vector<std::string>& lines) {
    std::ofstream file(folder_ / (name_ + end));
    for (const std::string& line : lines) file << line << '\n';
  };
  write(".cpp", source.main);
  if (!source.other.empty()) write("_parts.cpp", source.other);
  return build();
}

std::string Built::build() const {
  const e2e::Ended ended = e2e::run({build_words(), {}, std::chrono::seconds(300)}, folder_);
  if (ended.status == 0) return "";
  const std::size_t at = ended.err.find("error: ");
  return at == std::string::npos ? ended.err : ended.err.substr(at, ended.err.find('\n', at) - at);
}

std::string Built::run(int input) const {
  return printed(run_words(words(input), build_, folder_));
}

Built::Ran Built::record() const {
  const std::string trace = name_ + ".json";
  std::vector<std::string> command = {OMPDM_COMMAND, "record", "-o", trace, "--"};
  const std::vector<std::string> program = words(0);
  command.insert(command.end(), program.begin(), program.end());
  Ran ran = {.out = printed(run_words(command, build_, folder_))};
  const e2e::Ended report =
      e2e::run({{OMPDM_COMMAND, "report", "--source", "auto", "--format", "json", trace}}, folder_);
  if (report.status == 0) ran.report = nlohmann::json::parse(report.out);
  return ran;
}

std::string Built::patch() const {
  const std::string file = name_ + ".patch";
  const e2e::Ended ended = e2e::run(
      {{OMPDM_COMMAND, "report", "--source", "auto", name_ + ".json", "--patch", file}}, folder_);
  return ended.status == 0 ? e2e::text_of(folder_ / file) : "";
}

std::vector<std::string> Built::words(int input) const {
  return {(folder_ / name_).string(), std::to_string(input)};
}

std::uint64_t moved(const nlohmann::json& report) {
  const nlohmann::json& totals = report["totals"];
  return totals["HtoD"]["bytes"].get<std::uint64_t>() +
         totals["DtoH"]["bytes"].get<std::uint64_t>();
}

}  // namespace ompdm::random_programs
