#include "fix/rounds.h"

#include <nlohmann/json.hpp>

#include "ompdm/error.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Replacement, file, offset, length, text, behind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EditPlan, number, refused, replacements, left_out, assumed)

fs::path write_commands(const std::vector<CompileArguments>& all, const fs::path& folder) {
  const fs::path made = folder / "commands";
  fs::create_directories(made);
  Json commands = Json::array();
  for (const CompileArguments& one : all) {
    std::vector<std::string> words = {one.compiler.empty() ? "cc" : one.compiler};
    words.insert(words.end(), one.arguments.begin(), one.arguments.end());
    words.insert(words.end(), {"-c", one.file.string()});
    commands.push_back(
        {{"directory", one.directory.string()}, {"file", one.file.string()}, {"arguments", words}});
  }
  write_text(made / "compile_commands.json", commands.dump());
  return made;
}

std::string plans_text(const std::vector<Verdict>& verdicts) {
  Json all = Json::array();
  for (const Verdict& one : verdicts) {
    all.push_back({{"plan", one.plan},
                   {"place", one.place},
                   {"what", one.what},
                   {"subject", one.subject},
                   {"variables", one.variables}});
    if (one.promised) all.back()["promised"] = *one.promised;
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<Verdict> next_verdicts(const Sandbox& sandbox, const NextRound& asked) {
  std::vector<std::string> words = {
      "fix",    sandbox.trace(0).string(), "--plans", "-p", asked.commands.string(),
      "--tree", asked.tree.string()};
  if (asked.only_proven) words.push_back("--only-proven");
  if (asked.asserts) words.push_back("--asserts");
  std::vector<Verdict> verdicts;
  try {
    for (const Json& one : Json::parse(sandbox.ask(words))) {
      Verdict& made = verdicts.emplace_back();
      made.plan = one.at("plan").get<EditPlan>();
      made.place = one.at("place");
      made.what = one.at("what");
      made.subject = one.at("subject");
      made.variables = one.at("variables").get<std::set<std::string>>();
      if (one.contains("promised")) made.promised = one.at("promised").get<std::uint64_t>();
    }
  } catch (const Error&) {
    return {};  // the patch is verified without a further round
  } catch (const Json::exception&) {
    return {};
  }
  return verdicts;
}

}  // namespace ompdm::cli
