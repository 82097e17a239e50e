#include <ompdm/analysis.h>
#include <ompdm/trace_file.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const ompdm::Trace trace = ompdm::read_trace(argv[1]);
  const ompdm::analysis::Analysis analysis = ompdm::analysis::analyze(trace);
  std::cout << analysis.totals.htod.bytes << " bytes to the device\n";
  return ompdm::analysis::has_target_events(analysis) ? 0 : 1;
}
