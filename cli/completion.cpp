// `ompdm completion SHELL`: prints a script that completes commands in that shell.
#include "completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

int run_completion(const CLI::App& app, const std::string& shell) {
  const std::vector<OfferedVerb> verbs = offered_verbs(app);
  const std::vector<OfferedOption> options = offered_options(app);
  const std::string script = shell == "zsh"    ? complete_zsh(verbs, options)
                             : shell == "fish" ? complete_fish(verbs, options)
                                               : complete_bash(verbs, options);
  fmt::print("{}", script);
  return 0;
}

}  // namespace

Source source_of(const OfferedOption& option) {
  if (!option.choices.empty()) return Source::kChoices;
  const bool is_place = !option.names.empty() && !option.names.front().starts_with('-');
  const std::string& kind = is_place ? option.names.front() : option.kind;
  if (kind == "COMMAND") return Source::kVerbs;
  if (kind == "DIR") return Source::kFolders;
  return is_place || kind == "FILE" ? Source::kFiles : Source::kNothing;
}

std::string single_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'') {
      quoted += "'\\''";
    } else {
      quoted += character;
    }
  }
  return quoted + '\'';
}

void setup_completion(CLI::App& app, int& exit_status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script that completes ompdm's commands in a shell");
  verb->group("Help");
  verb->add_option("SHELL", *shell, "Whose script")
      ->required()
      ->type_name("bash|zsh|fish")
      ->transform([](const std::string& name) { return name.substr(name.rfind('/') + 1); })
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  set_help(*verb, "ompdm completion bash|zsh|fish",
           "`cmake --install` puts these where the shells look for them.",
           "source <(ompdm completion bash)\n"
           "source <(ompdm completion zsh)\n"
           "ompdm completion fish | source");
  verb->callback([&app, shell, &exit_status] { exit_status = run_completion(app, *shell); });
}

}  // namespace ompdm::cli
