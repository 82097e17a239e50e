// Lists the variables of a trace whose transfers took most time: costliest TRACE
#include <ompdm/analysis.h>
#include <ompdm/error.h>
#include <ompdm/trace_file.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace {

using ompdm::analysis::VariableRow;

int list(const char* file) {
  const auto analysis = ompdm::analysis::analyze(ompdm::read_trace(file));
  std::vector<VariableRow> rows = analysis.variables;
  std::ranges::stable_sort(rows, std::greater{},
                           [](const VariableRow& row) { return row.htod.time + row.dtoh.time; });
  for (const VariableRow& row : rows) {
    std::cout << row.htod.time + row.dtoh.time << " ns " << row.htod.bytes + row.dtoh.bytes << " B "
              << (row.name.empty() ? "?" : row.name) << '\n';
  }
  return ompdm::analysis::has_target_events(analysis) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return list(argv[1]);
  } catch (const ompdm::Error& error) {
    std::cerr << "costliest: " << error.what() << '\n';
    return 1;
  }
}
