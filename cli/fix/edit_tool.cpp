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

/// Why something cannot be done, with the place of the statement in the way.
std::string sentence_of(const Json& refusal) {
  const std::string why = refusal.at("why");
  const std::string file = refusal.at("file");
  return file.empty()
             ? why
             : fmt::format("{}:{}: {}", typed_path(file), refusal.at("line").get<int>(), why);
}

EditPlan plan_of(std::size_t number, const Json& answer) {
  EditPlan plan{number, {}, {}, {}, 0};
  if (!answer.at("errors").empty()) {
    plan.refused = fmt::format(
        "the source does not compile as it was asked to: {}: name the folder "
        "of its compile_commands.json with -p",
        answer.at("errors").front().get<std::string>());
    return plan;
  }
  const Json& one = answer.at("plans").front();
  if (one.contains("refused")) {
    plan.refused = sentence_of(one.at("refused"));
    return plan;
  }
  for (const Json& each : one.at("left_out")) {
    plan.left_out.push_back(
        fmt::format("{}: {}", each.at("expression").get<std::string>(), sentence_of(each)));
  }
  for (const Json& each : one.at("replacements")) {
    plan.replacements.push_back({each.at("file"), each.at("offset"), each.at("length"),
                                 each.at("text"), each.at("behind")});
  }
  plan.updates = one.at("updates");
  plan.returned = one.at("returned").get<std::vector<std::string>>();
  return plan;
}

}  // namespace

void resolve_places(nlohmann::json& json, const SourceLines& sources, std::vector<fs::path>& near) {
  if (json.is_object() && json.contains("file")) {
    const std::string file = json.at("file");
    const fs::path path = file.empty() ? fs::path() : sources.path_of(file);
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

EditPlan EditTool::plan(std::size_t number, const Wish& wish) const {
  constexpr std::size_t kMostUnits = 200;
  std::vector<fs::path> units;
  for (const fs::path& file : files_of(number)) {
    if (!is_header(file)) units.push_back(file);
  }
  if (units.empty()) units = commands_.sources();
  if (finding(number).at("edits").empty()) return {number, "it has no edits", {}, {}, 0};
  if (files_of(number).empty()) {
    return {
        number, "its source is not at hand, or was changed after the program was built", {}, {}, 0};
  }
  if (units.empty()) {
    return {number,
            "its edits are in a header: name the folder of compile_commands.json with -p",
            {},
            {},
            0};
  }
  EditPlan last{number, "no source that was compiled holds all of it", {}, {}, 0};
  for (std::size_t i = 0; i < std::min(units.size(), kMostUnits); ++i) {
    const Json answer = ask(commands_.of(units[i]), number, wish);
    const bool is_here =
        !answer.at("errors").empty() || answer.at("plans").front().at("found").get<bool>();
    if (!is_here) continue;
    last = plan_of(number, answer);
    if (last.refused.empty()) break;
  }
  return last;
}

}  // namespace ompdm::cli
