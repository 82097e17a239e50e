// ompdm-edit: reads a request on standard input, parses the translation unit that it names, and
// writes on standard output where each finding's edits go. `ompdm fix` runs it; see request.h and
// answer.h. Exit status: 0 where it could answer, 1 on what is no request.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "answer.h"
#include "plan.h"
#include "program.h"
#include "request.h"
#include "unit.h"

namespace {

using namespace ompdm::edit;

Answer answer(const Request& request) {
  Answer result;
  const auto unit = parsed_unit(request, result.errors);
  if (unit == nullptr) return result;
  const Program program(*unit, request);
  for (const Finding& finding : request.findings) {
    result.plans.push_back(plan(program, finding, request));
  }
  return result;
}

}  // namespace

int main() {
  try {
    write_answer(answer(read_request(std::cin)), std::cout);
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ompdm-edit: {}\n", failure.what());
    return 1;
  }
}
