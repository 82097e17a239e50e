// A tool library of the user's own.

#include <omp-tools.h>

#include <cstdio>

namespace {

int initialize(ompt_function_lookup_t, int, ompt_data_t*) {
  std::puts("user's tool");
  return 1;
}
void finalize(ompt_data_t*) {}

ompt_start_tool_result_t result = {initialize, finalize, {}};

}  // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) { return &result; }
