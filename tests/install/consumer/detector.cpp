// A report with a detector of its own, of single transfers that exceed what one wants to wait for:
// detector TRACE BYTES
#include <ompdm/analysis.h>
#include <ompdm/error.h>
#include <ompdm/report.h>
#include <ompdm/trace_file.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <string>

namespace {

using ompdm::analysis::Analysis;
using ompdm::analysis::Finding;

/// One finding a directive.
std::map<std::uint32_t, Finding> oversized_transfers(const ompdm::Trace& trace,
                                                     std::uint64_t limit) {
  std::map<std::uint32_t, Finding> findings;
  for (const ompdm::DataOp& op : trace.ops) {
    const bool is_transfer = op.kind == ompdm::OpKind::kHtoD || op.kind == ompdm::OpKind::kDtoH;
    if (!is_transfer || op.internal || !op.site || op.bytes <= limit) continue;
    Finding& finding = findings[op.site.value];
    finding.pattern = "oversized_transfer";
    finding.file = trace.sites[op.site.value].file;
    finding.line = trace.sites[op.site.value].line;
    finding.confidence = ompdm::analysis::Confidence::kCertain;
    ++finding.count;
    ++finding.examined;
    ++finding.of;
    finding.wasted_bytes += op.bytes - limit;
    finding.timed = false;
  }
  return findings;
}

int report(const char* file, std::uint64_t limit) {
  const ompdm::Trace trace = ompdm::read_trace(file);
  Analysis analysis = ompdm::analysis::analyze(trace);
  for (const auto& [site, finding] : oversized_transfers(trace, limit)) {
    ompdm::analysis::add_finding(analysis, finding);
  }
  ompdm::report::Layout layout;
  layout.findings = 0;
  std::cout << ompdm::report::render({&analysis, 1}, ompdm::report::Format::kText, layout)
            << ompdm::report::render({&analysis, 1}, ompdm::report::Format::kJson);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    return report(argv[1], std::stoull(argv[2]));
  } catch (const ompdm::Error& error) {
    std::cerr << "detector: " << error.what() << '\n';
    return 1;
  }
}
