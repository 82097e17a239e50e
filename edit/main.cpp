// ompdm-edit answers requests about sources. It reads requests on standard input, one in each line.
// It parses the translation units that a request names. It writes an answer to standard output, one
// in each line: facts of the source, and where edits go. `ompdm` runs it; see messages.h. Exit
// status: 0 where it could answer, 1 where the input is no request.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "messages.h"

constexpr const char* kHelp =
    "ompdm-edit answers questions of ompdm about a program's sources.\n"
    "\n"
    "Usage: ompdm-edit < REQUESTS\n"
    "\n"
    "`ompdm report` and `ompdm fix` start it, write requests, a line each, and read its answers.\n"
    "It parses the program's sources by clang's own syntax tree; it is not meant to be typed.\n";

namespace {

/// Limit of processor time for one answer, in seconds.
constexpr time_t kMostSeconds = 120;

void give_up(int /*signal*/) {
  constexpr std::string_view kWhy =
      "reading took two minutes of processor time, and was given up\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kWhy.data(), kWhy.size());
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  std::signal(SIGPROF, give_up);
  // The parent process may be killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    ompdm::edit::Answers answers;
    for (std::string line; std::getline(std::cin, line);) {
      const itimerval most{{0, 0}, {kMostSeconds, 0}};
      setitimer(ITIMER_PROF, &most, nullptr);
      std::istringstream in(line);
      ompdm::edit::write_answer(answers.to(ompdm::edit::read_request(in)), std::cout);
      std::cout.flush();
    }
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ompdm-edit: {}\n", failure.what());
    return 1;
  }
}
