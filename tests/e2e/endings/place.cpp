#include "endings/place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "offload_build.h"

namespace ompdm::e2e::endings {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const Start& run) {
  std::vector<std::string> words;
  if (run.attach == Attach::kRecord) {
    words = {OMPDM_COMMAND, "record"};
    words.insert(words.end(), run.record_options.begin(), run.record_options.end());
    words.emplace_back("--");
  }
  words.insert(words.end(), run.command.begin(), run.command.end());
  return words;
}

std::map<std::string, std::string> environment_of(const Start& run) {
  std::map<std::string, std::string> environment = run.environment;
  if (run.attach == Attach::kPreload) {
    environment.emplace("LD_PRELOAD", recorder());
  } else if (run.attach == Attach::kToolLibraries) {
    environment.emplace("OMP_TOOL_LIBRARIES", recorder());
    environment.emplace("LD_LIBRARY_PATH", runtime_folder());
  }
  return environment;
}

/// Until no process that was handed a spool here is at it any more.
void wait_for_finishers(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".spool") continue;
    const int spool = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (spool < 0) continue;
    flock(spool, LOCK_EX);
    close(spool);
  }
}

}  // namespace

std::string name_of(Attach attach) {
  switch (attach) {
    case Attach::kNone:
      return "none";
    case Attach::kRecord:
      return "record";
    case Attach::kPreload:
      return "preload";
    case Attach::kToolLibraries:
      return "tool_libraries";
  }
  return {};
}

Place::Place() : own_(std::in_place), folder_(own_->path()) {}

Place::Place(fs::path folder) : folder_(std::move(folder)) {}

Ended Place::run(const Start& run) const {
  const Ended ended = e2e::run(
      {.words = words_of(run), .environment = environment_of(run), .before_exec = run.before_exec},
      folder_);
  EXPECT_FALSE(ended.timed_out);
  if (run.waits) wait_for_finishers(folder_);
  return ended;
}

Ended Place::ompdm(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), OMPDM_COMMAND);
  return run({.command = std::move(arguments), .attach = Attach::kNone, .waits = false});
}

Json Place::report(const std::vector<std::string>& traces) const {
  std::vector<std::string> arguments = {"report", "--format", "json"};
  arguments.insert(arguments.end(), traces.begin(), traces.end());
  const Ended ended = ompdm(std::move(arguments));
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out, nullptr, false);
}

std::vector<std::string> Place::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string program(const std::string& name) {
  return plain_path(fs::path(offload_build().folder) / "endings" / name);
}

std::string runtime_folder() { return offload_build().runtime; }

std::string recorder() { return plain_path(OMPDM_RECORDER); }

int source_line(const std::string& source, const std::string& text) {
  std::ifstream file(fs::path(OMPDM_ENDINGS_SOURCES) / source);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  return 0;
}

Json losses(const Json& report) {
  Json counted = Json::object();
  for (const Json& loss : report["traces"][0]["losses"]) {
    if (loss["count"] != 0) counted[loss["name"].get<std::string>()] = loss["count"];
  }
  return counted;
}

void expect_steps(const Json& report, int count) {
  ASSERT_TRUE(report.is_object());
  const Json& totals = report["totals"];
  const int bytes = count * 4000;
  EXPECT_EQ(totals["HtoD"]["bytes"], bytes);
  EXPECT_EQ(totals["HtoD"]["count"], count);
  EXPECT_EQ(totals["DtoH"]["bytes"], bytes);
  EXPECT_EQ(totals["kernel"]["count"], count);
  EXPECT_EQ(losses(report), Json::object());
}

}  // namespace ompdm::e2e::endings
