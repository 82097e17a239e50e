// A program that is its own OMPT tool. With an argument it offloads nothing.

#include <omp-tools.h>

#include "steps.h"

namespace {

int initialize(ompt_function_lookup_t, int, ompt_data_t*) {
  std::puts("own tool");
  return 1;
}
void finalize(ompt_data_t*) {}

ompt_start_tool_result_t result = {initialize, finalize, {}};

}  // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) { return &result; }

int main(int argc, char**) {
  if (argc == 1) say_steps(2);
  return 13;
}
