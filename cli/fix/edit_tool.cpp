#include "fix/edit_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "fix/child.h"
#include "ompdm/error.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Beside this command, as it is built and installed.
fs::path find_tool() {
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path() / "ompdm-edit";
  if (!fs::exists(beside, failed)) {
    throw Error(fmt::format("{}: not found: it is built where libclang-19-dev is installed",
                            beside.string()));
  }
  return beside;
}

bool is_header(const fs::path& file) {
  static constexpr std::array<std::string_view, 6> kHeaders = {".h",   ".hh",  ".hpp",
                                                               ".hxx", ".inc", ".cuh"};
  return std::ranges::find(kHeaders, file.extension().string()) != kHeaders.end();
}

}  // namespace

void resolve_places(nlohmann::json& json, const SourceLines& sources, std::vector<fs::path>& near) {
  if (json.is_object() && json.contains("file")) {
    const std::string file = json.at("file");
    const fs::path path = file.empty() ? fs::path() : sources.place_of(file);
    if (!path.empty()) {
      near.insert(near.begin(), fs::absolute(path).lexically_normal());
      json["file"] = near.front().string();
    } else if (!file.empty() && fs::path(file).is_relative()) {
      json["file"] = "";
    }
  }
  for (auto& part : json) {
    if (part.is_structured()) resolve_places(part, sources, near);
  }
}

EditTool::EditTool(Json findings, CompileCommands commands)
    : findings_(std::move(findings)), commands_(std::move(commands)), program_(find_tool()) {}

std::vector<fs::path> EditTool::files_of(std::size_t number) const {
  std::vector<fs::path> files;
  for (const Json& edit : finding(number).at("edits")) {
    for (const Json& place : edit.at("places")) {
      const fs::path file = place.value("file", std::string());
      if (!file.empty() && std::ranges::find(files, file) == files.end()) files.push_back(file);
    }
  }
  return files;
}

Json EditTool::ask(const CompileArguments& unit, std::size_t number, const Wish& wish) const {
  const Json& finding = this->finding(number);
  const Json request = {{"file", unit.file.string()},
                        {"directory", unit.directory.string()},
                        {"arguments", unit.arguments},
                        {"released", wish.released},
                        {"spoil", wish.spoil},
                        {"findings", Json::array({{{"number", number},
                                                   {"pattern", finding.at("pattern")},
                                                   {"edits", finding.at("edits")},
                                                   {"unreached", finding.at("unreached")}}})}};
  const ChildEnd end = run_child({{program_.string()}, "/", {}, request.dump()});
  try {
    return Json::parse(end.output);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: failed: {}", program_.string(), end.errors));
  }
}

void EditTool::add_seen(std::vector<CompileArguments> seen) {
  is_seen_ = true;
  commands_.add_seen(std::move(seen));
}

/// With what the error is of, and what to do.
std::string EditTool::uncompiled(const CompileArguments& unit, const std::string& error) const {
  if (!unit.is_guess) {
    return fmt::format("clang 19 does not compile it as it is built: {}", typed_path(error));
  }
  const char* next = is_seen_ ? "its build did not show how it is compiled; name"
                              : "--build learns how it is compiled; without it name";
  return fmt::format(
      "{}: {} the folder of compile_commands.json with -p (CMake writes it with "
      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for make)",
      typed_path(error), next);
}

EditPlan EditTool::plan_of(std::size_t number, const CompileArguments& unit,
                           const Json& answer) const {
  EditPlan plan{number, {}, {}, {}, 0};
  if (!answer.at("errors").empty()) {
    plan.refused = uncompiled(unit, answer.at("errors").front().get<std::string>());
    return plan;
  }
  const Json& one = answer.at("plans").front();
  if (one.contains("refused")) {
    const Json& why = one.at("refused");
    const std::string file = why.at("file");
    plan.refused = why.at("why");
    if (!file.empty()) {
      plan.refused =
          fmt::format("{}:{}: {}", typed_path(file), why.at("line").get<int>(), plan.refused);
    }
    return plan;
  }
  for (const Json& each : one.at("replacements")) {
    plan.replacements.push_back({each.at("file"), each.at("offset"), each.at("length"),
                                 each.at("text"), each.at("behind")});
  }
  plan.updates = one.at("updates");
  plan.returned = one.at("returned").get<std::vector<std::string>>();
  return plan;
}

EditPlan EditTool::plan(std::size_t number, const Wish& wish) const {
  constexpr std::size_t kMostUnits = 200;
  std::vector<fs::path> units;
  for (const fs::path& file : files_of(number)) {
    if (!is_header(file)) units.push_back(file);
  }
  if (units.empty()) units = commands_.sources();
  if (units.empty()) {
    return {number,
            is_seen_
                ? "its edits are in a header, and its build did not show what includes it: name "
                  "the folder of compile_commands.json with -p"
                : "its edits are in a header: --build learns what includes it; without it name "
                  "the folder of compile_commands.json with -p",
            {},
            {},
            0};
  }
  EditPlan last{number, "no source that was compiled holds all of it", {}, {}, 0};
  for (std::size_t i = 0; i < std::min(units.size(), kMostUnits); ++i) {
    const CompileArguments unit = commands_.of(units[i]);
    const Json answer = ask(unit, number, wish);
    const bool is_here =
        !answer.at("errors").empty() || answer.at("plans").front().at("found").get<bool>();
    if (!is_here) continue;
    last = plan_of(number, unit, answer);
    if (last.refused.empty()) break;
  }
  return last;
}

}  // namespace ompdm::cli
