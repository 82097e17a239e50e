#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "attach.h"
#include "ompdm/error.h"
#include "output.h"
#include "printable.h"
#include "verb_help.h"

namespace ompdm::cli {
namespace {

struct EnvOptions {
  std::string shell = "sh";
  std::string output;
  bool unset = false;
};

enum class Syntax { kSh, kFish, kCsh };

Syntax syntax_of(const std::string& shell) {
  if (shell == "fish") return Syntax::kFish;
  return shell == "csh" || shell == "tcsh" ? Syntax::kCsh : Syntax::kSh;
}

// With a semicolon where what comes back from `...` or (...) is one line.
std::string set_line(Syntax syntax, const std::string& name, const std::string& value) {
  const std::string word = shell_word(value);
  if (syntax == Syntax::kFish) return fmt::format("set -gx {} {};", name, word);
  if (syntax == Syntax::kCsh) return fmt::format("setenv {} {};", name, word);
  return fmt::format("export {}={}", name, word);
}

std::string unset_line(Syntax syntax, const std::string& name) {
  if (syntax == Syntax::kFish) return fmt::format("set -e {};", name);
  if (syntax == Syntax::kCsh) return fmt::format("unsetenv {};", name);
  return "unset " + name;
}

/// Who sees the lines has not given them to the shell.
void tell_use(const EnvOptions& options, Syntax syntax) {
  if (::isatty(STDOUT_FILENO) != 1) return;
  const std::string command =
      fmt::format("ompdm env{}{}", options.shell == "sh" ? "" : " --shell " + options.shell,
                  options.unset ? " --unset" : "");
  fmt::print(stderr, "ompdm: these lines are for the shell: {}\n",
             syntax == Syntax::kFish  ? command + " | source"
             : syntax == Syntax::kCsh ? fmt::format("eval `{}`", command)
                                      : fmt::format("eval \"$({})\"", command));
}

int run_env(const EnvOptions& options) {
  EnvironmentChange change;
  if (options.unset) {
    change = detach();
    change.unset.emplace_back("OMPDM_OUTPUT");
  } else {
    const std::filesystem::path recorder = find_recorder();
    if (!fits_preload(recorder)) {
      throw Error(recorder.string() +
                  ": LD_PRELOAD cannot hold a path with spaces or colons: use `ompdm record`, or "
                  "install ompdm elsewhere");
    }
    change = attach_by_preload(recorder);
    if (!options.output.empty()) change.set.emplace_back("OMPDM_OUTPUT", options.output);
  }
  const Syntax syntax = syntax_of(options.shell);
  for (const std::string& name : change.unset) print_exactly(unset_line(syntax, name) + '\n');
  for (const auto& [name, value] : change.set) print_exactly(set_line(syntax, name, value) + '\n');
  tell_use(options, syntax);
  return 0;
}

}  // namespace

void setup_env(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<EnvOptions>();
  CLI::App* verb =
      app.add_subcommand("env", "Print shell lines that attach the recorder to what is run next");
  verb->group("Record");
  verb->add_option("-o,--output", options->output, "Trace to write (OMPDM_OUTPUT)")
      ->check(is_file_name)
      ->type_name("FILE");
  verb->add_option("--shell", options->shell, "Whose syntax, as in $SHELL (default sh)")
      ->type_name("sh|bash|zsh|dash|ksh|fish|csh|tcsh")
      ->transform([](const std::string& shell) { return shell.substr(shell.rfind('/') + 1); })
      ->check(CLI::IsMember({"sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh"}));
  verb->add_flag("--unset", options->unset, "Lines that detach it again");
  set_help(*verb, "ompdm env [-o FILE] [--shell SHELL] [--unset]",
           "Every process that offloads then leaves a trace of its own. What else the recorder\n"
           "looks at:\n"
           "  OMPDM_OUTPUT=FILE    the trace (default trace.json); %p is the pid, %h the host,\n"
           "                       %q{VAR} a variable\n"
           "  OMPDM_SPOOL_DIR=DIR  where to record meanwhile (default beside FILE)\n"
           "  OMPDM_FINISH=off     leave the spool; `ompdm finish` makes the trace of it\n"
           "  OMPDM_HASH=WHAT      contents to look at: off, full, or a percentage of the\n"
           "                       bytes that cross (default 3)\n"
           "  OMPDM_DETAIL=tallies  count events only, for a run of any length\n"
           "  OMPDM_AFTER=TIME, OMPDM_DURATION=TIME, OMPDM_UNTIL=FILE:LINE\n"
           "                       tell the events of this part only, count the rest (TIME is\n"
           "                       as 30s, 500ms or 2min; a number alone is of seconds)\n"
           "  OMPDM_MAX_SPOOL=SIZE  tell events until the recording is this large, then count\n"
           "                       (default a tenth of the free space, at most 8G)\n"
           "  OMPDM_NAMES=off      no names and lines from the runtime's arguments\n"
           "  OMPDM_VERBOSE=on     say what is done",
           "eval \"$(ompdm env)\" && ./heat 1000 10\n"
           "eval \"$(ompdm env --unset)\"\n"
           "ompdm env --shell fish | source\n"
           "eval `ompdm env --shell tcsh`");
  verb->callback([options, &exit_status] { exit_status = run_env(*options); });
}

}  // namespace ompdm::cli
