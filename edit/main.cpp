// ompdm-edit: reads a request on standard input, parses the translation unit that it names, and
// writes on standard output where each finding's edits go. `ompdm fix` runs it; see messages.h.
// Exit status: 0 where it could answer, 1 on what is no request.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>

#include "messages.h"

constexpr const char* kHelp =
    "ompdm-edit finds where ompdm fix writes its edits.\n"
    "\n"
    "Usage: ompdm-edit < REQUEST\n"
    "\n"
    "`ompdm fix` starts it, passes it the request and reads its answer. It parses the program's\n"
    "sources by clang's own syntax tree; it is not meant to be typed.\n";

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  try {
    const ompdm::edit::Request request = ompdm::edit::read_request(std::cin);
    ompdm::edit::write_answer(ompdm::edit::answer_to(request), std::cout);
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ompdm-edit: {}\n", failure.what());
    return 1;
  }
}
