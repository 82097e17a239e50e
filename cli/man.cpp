// `ompdm man [COMMAND]`: prints a man page, or writes all of them. For the build and for packagers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "man_page.h"
#include "misspelt.h"
#include "ompdm/error.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

struct ManOptions {
  std::string command;
  std::string folder;
};

std::string page_of_ompdm(const CLI::App& app) {
  std::string description = app.get_description();
  description.erase(description.find_last_not_of('\n') + 1);
  return man_page(description, app.get_footer(), offered_options(app), offered_verbs(app));
}

void write_page(const fs::path& path, const std::string& page) {
  std::ofstream out(path, std::ios::binary);
  out << page;
  out.close();
  if (!out) throw Error(path.string() + ": cannot be written: check the folder and its rights");
}

int run_man(const CLI::App& app, const ManOptions& options) {
  const std::vector<OfferedVerb> verbs = offered_verbs(app);
  if (!options.folder.empty()) {
    write_page(fs::path(options.folder) / "ompdm.1", page_of_ompdm(app));
    for (const OfferedVerb& verb : verbs) {
      write_page(fs::path(options.folder) / ("ompdm-" + verb.name + ".1"), man_page(verb, verbs));
    }
    return 0;
  }
  if (options.command.empty()) {
    fmt::print("{}", page_of_ompdm(app));
    return 0;
  }
  const auto verb = std::ranges::find(verbs, options.command, &OfferedVerb::name);
  if (verb == verbs.end()) throw no_such_verb(app, {options.command});
  fmt::print("{}", man_page(*verb, verbs));
  return 0;
}

}  // namespace

void setup_man(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* verb = app.add_subcommand("man", "Print a man page's source");
  verb->group("");
  verb->add_option("COMMAND", options->command, "One of ompdm's; without it, ompdm itself")
      ->type_name("");
  verb->add_option("--folder", options->folder, "Write all of them into DIR instead")
      ->type_name("DIR");
  set_help(*verb, "ompdm man [COMMAND | --folder DIR]", "", "ompdm man report | man -l -");
  verb->callback([&app, options, &exit_status] { exit_status = run_man(app, *options); });
}

}  // namespace ompdm::cli
