#include "misspelt.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "launch.h"
#include "near_program.h"
#include "ompdm/finish.h"
#include "ompdm/nearest.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// "ompdm" or "ompdm report".
std::string typed_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : "ompdm " + verb.get_name();
}

/// "report: " of a verb, nothing of the command itself.
std::string prefix_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "" : verb.get_name() + ": ";
}

std::string joined(std::string line, const std::vector<std::string>& words) {
  for (const std::string& word : words) line += ' ' + shell_word(word);
  return line;
}

/// The whole command that was meant, without `ompdm`; empty if none is known.
std::string meant_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  if (const std::string verb = nearest(word, verbs); !verb.empty()) return verb;
  if (is_trace(word) || is_spool(word)) return joined("report", words);
  std::vector<std::string> command = words;
  if (find_program(word).empty()) command.front() = near_program(word);
  std::error_code error;
  if (command.front().empty() || fs::is_directory(command.front(), error)) return {};
  return joined("record", command);
}

}  // namespace

Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words) {
  refuse_timeline(words.front());
  const std::string meant = meant_command(app, words);
  const std::string remedy =
      meant.empty() ? "see `ompdm --help`" : fmt::format("did you mean `ompdm {}`?", meant);
  return Error(fmt::format("{}: no such command: {}", words.front(), remedy), Error::Kind::kUsage);
}

Error no_such_option(const CLI::App& verb, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string meant = nearest(name, names);
  const std::string remedy = meant.empty() ? fmt::format("see `{} --help`", typed_name(verb))
                                           : fmt::format("did you mean {}?", meant);
  return Error(fmt::format("{}{}: no such option: {}", prefix_of(verb), name, remedy),
               Error::Kind::kUsage);
}

void check_program_words(const CLI::App& verb, const std::vector<std::string>& words) {
  if (!words.empty() && words.front().starts_with('-')) throw no_such_option(verb, words.front());
}

Error cannot_parse(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  const CLI::App& verb = verbs.empty() ? app : *verbs.front();
  const std::vector<std::string> extras = verb.remaining();
  if (!verb.get_prefix_command() && !extras.empty()) {
    const auto option =
        std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
    if (option != extras.end()) return no_such_option(verb, *option);
    return Error(fmt::format("{}{}: one argument too many: see `{} --help`", prefix_of(verb),
                             extras.front(), typed_name(verb)),
                 Error::Kind::kUsage);
  }
  return Error(
      fmt::format("{}{}: see `{} --help`", prefix_of(verb), error.what(), typed_name(verb)),
      Error::Kind::kUsage);
}

}  // namespace ompdm::cli
