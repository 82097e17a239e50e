#include "program_list.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "recorded.h"

namespace ompdm::e2e {

std::vector<AppliedRun> runs_of(const Words& words, const Words& behind) {
  std::vector<AppliedRun> runs;
  for (const std::string& word : words) {
    AppliedRun& run = runs.emplace_back(AppliedRun{{word}});
    run.arguments.insert(run.arguments.end(), behind.begin(), behind.end());
  }
  return runs;
}

AppliedProgram& ProgramList::add(const std::string& name, const std::string& folder,
                                 const Words& sources, std::vector<AppliedRun> runs,
                                 Words options) {
  AppliedProgram program = {name, e2e::program(name), {}, std::move(options), std::move(runs)};
  const std::filesystem::path e2e = std::filesystem::path(OMPDM_E2E_SOURCES).parent_path();
  for (const std::string& source : sources) program.sources.push_back(e2e / folder / source);
  const bool is_c = !sources.empty() && sources.front().ends_with(".c");
  if (!is_c) program.options.insert(program.options.begin(), "-std=c++20");
  return all_.emplace_back(std::move(program));
}

std::vector<AppliedProgram> ProgramList::take() { return std::move(all_); }

}  // namespace ompdm::e2e
