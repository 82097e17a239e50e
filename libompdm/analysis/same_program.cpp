#include <algorithm>
#include <map>
#include <string>

#include "ompdm/agreement.h"

namespace ompdm::analysis {
namespace {

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

const Module* program_of(const Analysis& one) {
  const auto is_program = [&](const Module& module) { return module.path == one.process.program; };
  const auto at = std::ranges::find_if(one.modules, is_program);
  return at != one.modules.end() ? &*at : nullptr;
}

/// Build ids by the names of the modules that have one.
std::map<std::string, std::string> builds_of(const Analysis& one) {
  std::map<std::string, std::string> builds;
  for (const Module& module : one.modules) {
    if (!module.build_id.empty()) builds.emplace(last_name(module.path), module.build_id);
  }
  return builds;
}

}  // namespace

SameProgram same_program(const Analysis& one, const Analysis& other) {
  const std::map<std::string, std::string> mine = builds_of(one);
  const std::map<std::string, std::string> theirs = builds_of(other);
  const Module* program = program_of(one);
  const Module* its_program = program_of(other);
  const bool has_ids = program != nullptr && its_program != nullptr && !program->build_id.empty() &&
                       !its_program->build_id.empty();
  // A copy of it under another name is the same program.
  const bool is_same = has_ids && program->build_id == its_program->build_id;
  const bool has_name = last_name(one.process.program) == last_name(other.process.program);
  if (!is_same && !has_name) return SameProgram::kOtherProgram;
  for (const auto& [name, build] : mine) {
    const auto same = theirs.find(name);
    if (same != theirs.end() && same->second != build) return SameProgram::kOtherBuild;
  }
  return is_same ? SameProgram::kYes : SameProgram::kByName;
}

}  // namespace ompdm::analysis
