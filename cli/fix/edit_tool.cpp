#include "fix/edit_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>
#include <span>

#include "elf_file.h"
#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "printable.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// The source files that the edits of a finding name.
std::vector<fs::path> files_named(const nlohmann::json& finding) {
  std::vector<fs::path> files;
  for (const auto& edit : finding.at("edits")) {
    for (const auto& place : edit.at("places")) {
      const fs::path file = place.value("file", std::string());
      if (!file.empty() && std::ranges::find(files, file) == files.end()) files.push_back(file);
    }
  }
  return files;
}

/// "ompdm record ./heat 1000": the command to type in the folder of the recorded run.
std::string record_again(const Process& process) {
  return "ompdm record " + typed_command(process.arguments);
}

using Json = nlohmann::json;

/// The path of ompdm-edit, which is built and installed beside this command.
fs::path find_tool() {
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path() / "ompdm-edit";
  if (!fs::exists(beside, failed)) {
    throw Error(fmt::format("{}: not found: it is built where libclang-19-dev is installed",
                            beside.string()));
  }
  return beside;
}

/// Why an edit cannot be made, with the statements that prevent it: "cg.c:12: this jumps away".
std::string sentence_of(const Json& refusal) {
  const auto sentence = [](const Json& one) {
    const std::string why = one.at("why");
    const std::string file = one.at("file");
    return file.empty()
               ? why
               : fmt::format("{}:{}: {}", typed_path(file), one.at("line").get<int>(), why);
  };
  constexpr std::size_t kMostTold = 3;
  std::string all = sentence(refusal);
  const Json& others = refusal.at("also");
  for (std::size_t i = 0; i < std::min(others.size(), kMostTold); ++i) {
    all += "; " + sentence(others[i]);
  }
  if (others.size() > kMostTold) all += fmt::format("; and {} more", others.size() - kMostTold);
  return all;
}

/// "u is not used here (cg.c:12)"
/// "... (cg.c:12, cg.c:30)": the same assumption at several places is one entry.
std::vector<std::string> assumptions_of(const Json& assumed) {
  std::map<std::string, std::set<std::string>> places;
  for (const Json& one : assumed) {
    const bool is_tested = one.at("is_tested");
    std::set<std::string>& known = places[one.at("what").get<std::string>() +
                                          (is_tested ? ", which assert() checks in part" : "")];
    const std::string file = one.at("file");
    if (file.empty()) continue;
    known.insert(
        fmt::format("{}:{}", fs::path(file).filename().string(), one.at("line").get<int>()));
  }
  std::vector<std::string> all;
  for (const auto& [what, where] : places) {
    all.push_back(where.empty() ? what : fmt::format("{} ({})", what, fmt::join(where, ", ")));
  }
  return all;
}

bool are_without_openmp(const std::vector<SourceUnit>& units) {
  return std::ranges::none_of(units, [](const SourceUnit& unit) {
    return std::ranges::any_of(unit.compiled.arguments, [](const std::string& one) {
      return one.starts_with("-fopenmp") || one.starts_with("--offload");
    });
  });
}

/// The fact that the debug information lacks for a source with such an error, with a colon. Empty:
/// it is another error.
std::string lack_of(const std::string& error) {
  static const std::regex kName("(?:use of undeclared identifier|unknown type name) '(\\w+)'");
  static const std::regex kHeader("'([^']+)' file not found");
  std::smatch found;
  if (std::regex_search(error, found, kHeader)) {
    return fmt::format("the debug information does not tell where {} lies: ", found[1].str());
  }
  if (std::regex_search(error, found, kName)) {
    return fmt::format("the debug information has no -D options, maybe -D{0} is missing: ",
                       found[1].str());
  }
  return {};
}

/// The source of the loop that the edits go around. Empty: there is none.
fs::path home_of(const Json& finding) {
  for (const Json& edit : finding.at("edits")) {
    const bool is_around = edit.at("kind") == "insert" && edit.at("of") == "loop";
    if (is_around && !edit.at("places").empty()) {
      return edit.at("places").front().value("file", std::string());
    }
  }
  return {};
}

/// Whether the sources show that one of a finding's conditions comes true.
bool is_refuted(const Json& finding) {
  return finding.contains("answers") &&
         std::ranges::any_of(finding.at("answers"),
                             [](const Json& answer) { return answer.at("answer") == "yes"; });
}

/// Whether the whole program's sources decide all conditions of a finding.
bool is_settled(const Json& finding) {
  // These patterns rest on what the sources show of any run.
  const std::string pattern = finding.value("pattern", std::string());
  if (pattern == "unread_copy_back" || pattern == "overwritten_transfer") return true;
  const auto is_no = [](const Json& answer) { return answer.at("answer") == "no"; };
  return finding.contains("answers") && std::ranges::all_of(finding.at("answers"), is_no) &&
         finding.at("unless").empty();
}

}  // namespace

SourceState source_state(const nlohmann::json& finding, const SourceLines& sources,
                         const Process& process) {
  std::set<std::string> files;
  for (const fs::path& file : files_named(finding)) files.insert(file.string());
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
      return {"the program was built again after it was recorded. Record it again: " +
                  record_again(process),
              may_be_same};
    }
    const char* what = sources.is_newer(file)
                           ? " was written after the program was built"
                           : " differs from the source that the program was built of";
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

Json EditProcess::ask(const Json& request) {
  if (running_ == nullptr)
    running_ = std::make_unique<Dialogue>(Child{{find_tool().string()}, "/"});
  try {
    return Json::parse(running_->ask(request.dump(-1, ' ', false, Json::error_handler_t::replace)));
  } catch (const Error&) {
    running_.reset();  // the next request starts another process
    throw;
  }
}

std::string EditProcess::identity() {
  const fs::path tool = find_tool();
  return fmt::format("{} {}", fs::file_size(tool),
                     fs::last_write_time(tool).time_since_epoch().count());
}

Json unit_json(const CompileArguments& unit) {
  Json json = {{"file", unit.file.string()},
               {"directory", unit.directory.string()},
               {"arguments", unit.arguments}};
  if (unit.said_by == CompiledBy::kCommand) return json;
  // The options lack macros. Lines with code show which parts of the files were compiled.
  json["by_clang"] = unit.by_clang;
  json["compiled"] = Json::array();
  for (const CompiledFile& file : unit.files) {
    json["compiled"].push_back({{"file", file.path}, {"lines", file.lines}});
  }
  return json;
}

EditTool::EditTool(Json findings, CompileCommands commands, EditProcess& process)
    : findings_(std::move(findings)), commands_(std::move(commands)), process_(process) {}

std::vector<fs::path> EditTool::files_of(std::size_t number) const {
  return files_named(finding(number));
}

/// Asks about all findings at once, so that a source is parsed only once. Options are for one
/// finding.
Json EditTool::ask(const SourceUnit& unit, std::size_t number, const EditOptions& options) const {
  Json request = unit_json(unit.compiled);
  request["beside"] = unit.beside;
  request["is_whole"] = unit.is_whole;
  request["has_all_units"] = commands_.knows_all_sources();
  request["units"] = Json::array();
  constexpr std::size_t kMostUnits = 60;
  const std::vector<fs::path> sources = commands_.sources();
  for (const fs::path& source : sources) {
    // In a tree that was moved, the sources still lie beside each other.
    const fs::path here = unit.compiled.file.parent_path() / source.filename();
    const bool is_moved =
        here != source && fs::exists(here) && read_text(here) == read_text(source);
    const fs::path& file = is_moved ? here : source;
    const bool is_in =
        file == unit.compiled.file || std::ranges::find(unit.beside, file) != unit.beside.end();
    if (is_in || is_header(source) || report::is_fortran_source(source.string())) continue;
    if (request["units"].size() == kMostUnits) {
      request["has_all_units"] = false;
      break;
    }
    CompileArguments other = commands_.of(source);
    other.file = file;
    request["units"].push_back(unit_json(other));
  }
  request["released"] = options.released;
  request["spoil"] = options.spoil;
  request["may_assume"] = may_assume_;
  request["asserts"] = asserts_;
  request["findings"] = Json::array();
  for (std::size_t each = 1; each <= size(); ++each) {
    const Json& finding = this->finding(each);
    const bool is_asked = options.released.empty() ? !finding.at("edits").empty() : each == number;
    if (!is_asked) continue;
    request["findings"].push_back({{"number", each},
                                   {"pattern", finding.at("pattern")},
                                   {"edits", finding.at("edits")},
                                   {"settled", is_settled(finding)},
                                   {"refuted", is_refuted(finding)},
                                   {"unreached", finding.at("unreached")}});
  }
  Json answer = answer_to(request);
  std::erase_if(answer.at("plans").get_ref<Json::array_t&>(),
                [&](const Json& plan) { return plan.at("number") != number; });
  return answer;
}

const Json& EditTool::answer_to(const Json& request) const {
  const std::string key = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto known = answers_.find(key);
  if (known != answers_.end()) return known->second;
  return answers_.emplace(key, process_.ask(request)).first->second;
}

void EditTool::add_seen(std::vector<CompileArguments> seen) {
  is_seen_ = true;
  commands_.add_seen(std::move(seen));
}

/// The compiler's error, its cause, and a remedy.
std::string EditTool::uncompiled(const CompileArguments& unit, const std::string& error) const {
  if (unit.said_by == CompiledBy::kCommand) {
    return fmt::format("clang 19 does not compile it as it is built: {}", typed_path(error));
  }
  const bool is_guess = unit.said_by == CompiledBy::kGuess;
  const std::string lack = is_guess ? "" : lack_of(error);
  const char* next = is_seen_ ? "its build did not show how it is compiled; name"
                              : "--build learns how it is compiled; without it name";
  return fmt::format(
      "{}: {}{} the folder of compile_commands.json with -p (CMake writes it with "
      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for make)",
      typed_path(error), lack, next);
}

EditPlan EditTool::plan_of(std::size_t number, const CompileArguments& unit,
                           const Json& answer) const {
  EditPlan plan = {.number = number};
  if (!answer.at("errors").empty()) {
    plan.refused = uncompiled(unit, answer.at("errors").front().get<std::string>());
    plan.is_compiled = false;
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
  plan.assumed = assumptions_of(one.at("assumed"));
  plan.updates = one.at("updates");
  plan.returned = one.at("returned").get<std::vector<std::string>>();
  return plan;
}

EditPlan EditTool::joint_plan(const std::vector<std::size_t>& numbers) const {
  EditPlan none = {.number = numbers.front(), .refused = "two findings change the same place"};
  Json all = finding(numbers.front());
  for (const std::size_t number : std::span(numbers).subspan(1)) {
    for (const Json& edit : finding(number).at("edits")) all["edits"].push_back(edit);
    for (const Json& one : finding(number).at("unless")) all["unless"].push_back(one);
    for (const Json& one : finding(number).at("unreached")) all["unreached"].push_back(one);
  }
  const bool are_texts = std::ranges::all_of(all.at("edits"), [](const Json& edit) {
    return edit.at("kind") != "insert" && edit.at("kind") != "keep";
  });
  if (!are_texts) return none;
  // The joint finding is the only one of a tool of its own.
  EditTool tool(Json::array({all}), commands_, process_);
  tool.may_assume_ = may_assume_;
  tool.asserts_ = asserts_;
  EditPlan plan = tool.plan(1);
  plan.number = numbers.front();
  plan.joined.assign(numbers.begin() + 1, numbers.end());
  return plan;
}

EditPlan EditTool::plan(std::size_t number, const EditOptions& options) const {
  const std::vector<fs::path> named = files_of(number);
  const auto is_fortran = [](const fs::path& file) {
    return report::is_fortran_source(file.native());
  };
  if (std::ranges::any_of(named, is_fortran)) {
    return {
        .number = number,
        .refused =
            "its source is Fortran, and fix edits C and C++: `ompdm explain` shows what to write"};
  }
  const auto units = single_units(commands_, named);
  if (units.empty()) {
    return {
        .number = number,
        .refused =
            is_seen_
                ? "its edits are in a header, and its build did not show what includes it: name "
                  "the folder of compile_commands.json with -p"
                : "its edits are in a header: --build learns what includes it; without it name "
                  "the folder of compile_commands.json with -p"};
  }
  EditPlan best = plan_in(units, number, options);
  if (best.refused.empty() && best.left_out.empty()) return best;
  fs::path home = home_of(finding(number));
  if (home.empty()) home = named.front();
  for (const SourceUnit& unit : joined_units(commands_, named, home)) {
    if (unit.beside.size() >= options.most_joined) continue;
    EditPlan wider = plan_in({unit}, number, options);
    const bool is_better = wider.refused.empty() &&
                           (!best.refused.empty() || wider.left_out.size() < best.left_out.size());
    // A unit of more sources gives better reasons why no plan can be made.
    const bool tells_more = !best.refused.empty() && wider.is_compiled;
    if (is_better || tells_more) best = std::move(wider);
  }
  return best;
}

/// The first plan that can be made. The edits of a header have to be the same in all sources that
/// include it.
EditPlan EditTool::plan_in(const std::vector<SourceUnit>& units, std::size_t number,
                           const EditOptions& options) const {
  constexpr std::size_t kMostUnits = 200;
  EditPlan best = {.number = number,
                   .refused = are_without_openmp(units)
                                  ? "its sources are compiled without -fopenmp"
                                  : "no source that was compiled holds all of it"};
  bool is_made = false;
  for (std::size_t i = 0; i < std::min(units.size(), kMostUnits); ++i) {
    const Json answer = ask(units[i], number, options);
    const bool is_here =
        !answer.at("errors").empty() || answer.at("plans").front().at("found").get<bool>();
    if (!is_here) continue;
    EditPlan plan = plan_of(number, units[i].compiled, answer);
    if (is_made && plan.replacements != best.replacements) {
      plan.refused = plan.refused.empty() ? "sources that include it would need different edits"
                                          : plan.refused;
      plan.replacements.clear();
      return plan;
    }
    is_made = plan.refused.empty();
    best = std::move(plan);
    const bool is_of_one = std::ranges::all_of(best.replacements, [&](const Replacement& each) {
      return fs::path(each.file) == units[i].compiled.file;
    });
    if (is_made && is_of_one) break;
  }
  return best;
}

}  // namespace ompdm::cli
