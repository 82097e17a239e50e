// The `ompdm` command: its verbs, and how errors are reported.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "ompdm/error.h"
#include "output.h"
#include "printable.h"
#include "verb_help.h"

namespace {

/// Removes the `--` before the program's name in the words of a verb that runs a program. Such a
/// verb takes all words from the program's name on as they are. CLI11 would not accept the `--`.
std::vector<std::string> without_separator(const CLI::App& app, std::vector<std::string> words) {
  const CLI::App* verb = words.empty() ? nullptr : ompdm::cli::find_verb(app, words.front());
  if (verb == nullptr || !verb->get_prefix_command()) return words;
  for (std::size_t i = 1; i < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i] == "--") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    const CLI::Option* option = verb->get_option_no_throw(words[i]);
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
  }
  return words;
}

int run(int argc, char** argv) {
  CLI::App app{
      "ompdm shows where data movement dominates in OpenMP-offload programs, and how to stop "
      "it.\n"};
  app.name("ompdm");
  app.set_version_flag("-V,--version", "ompdm " OMPDM_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  ompdm::cli::set_layout(app);
  int exit_status = 0;
  ompdm::cli::setup_verbs(app, exit_status);
  app.footer(
      "Start here:\n"
      "  ompdm record ./app       run it and write trace.json\n"
      "  ompdm report trace.json  what moved, where and for how long\n"
      "  ompdm fix trace.json     a patch of the findings: --build verifies it\n"
      "  ompdm compare A B        what changed between two runs\n"
      "  ompdm check ./app        wrong results: what is read before it is set, lost, or out of "
      "bounds\n"
      "  ompdm doctor ./app       if nothing was recorded: why, and what to change\n\n"
      "`ompdm help COMMAND`, or its --help, says all of a command, with examples.");
  if (argc < 2) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  try {
    const std::vector<std::string> words =
        without_separator(app, std::vector<std::string>(argv + 1, argv + argc));
    if (!words.front().starts_with('-') && ompdm::cli::find_verb(app, words.front()) == nullptr) {
      throw ompdm::cli::no_such_verb(app, words);
    }
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw ompdm::cli::cannot_parse(app, error);
  }
  return exit_status;
}

/// Opens the descriptors of standard streams that are closed, so that no file gets their numbers
/// and nothing is printed into it. They cannot be used in the stream's direction, and a started
/// program has them closed.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int direction = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int held = ::open("/dev/null", direction | O_CLOEXEC);
  }
}

int fail(const char* message, int exit_status) {
  std::fprintf(stderr, "ompdm: %s\n", ompdm::cli::one_line(message).c_str());
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  hold_closed_streams();
  ompdm::cli::make_stdio_printable();
  int exit_status = 0;
  try {
    exit_status = run(argc, argv);
  } catch (const ompdm::Error& error) {
    exit_status = fail(error.what(), static_cast<int>(error.kind()));
  } catch (const std::exception& error) {
    exit_status = fail(error.what(), 1);
  }
  const std::string lost = ompdm::cli::lost_output();
  return lost.empty() ? exit_status : fail(lost.c_str(), 1);
}
