// `ompdm help [COMMAND]`: what `ompdm COMMAND --help` prints.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "misspelt.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

int run_help(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // The command's own help() would be that of the verb that runs.
    fmt::print("{}",
               app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return 0;
  }
  const auto verbs =
      app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  if (verbs.empty()) throw no_such_verb(app, {name});
  fmt::print("{}", verbs.front()->help());
  return 0;
}

}  // namespace

void setup_help(CLI::App& app, int& exit_status) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("help", "Print the help of a command");
  verb->group("Help");
  verb->add_option("COMMAND", *name, "One of ompdm's; without it, they are listed")->type_name("");
  set_help(*verb, "ompdm help [COMMAND]", "",
           "ompdm help\n"
           "ompdm help report");
  verb->callback([&app, name, &exit_status] { exit_status = run_help(app, *name); });
}

}  // namespace ompdm::cli
