// ompdm-edit: reads a request on standard input, parses the translation unit that it names, and
// writes on standard output where each finding's edits go. `ompdm fix` runs it; see request.h and
// answer.h. Exit status: 0 where it could answer, 1 on what is no request.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "messages.h"

int main() {
  try {
    const ompdm::edit::Request request = ompdm::edit::read_request(std::cin);
    ompdm::edit::write_answer(ompdm::edit::answer_to(request), std::cout);
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ompdm-edit: {}\n", failure.what());
    return 1;
  }
}
