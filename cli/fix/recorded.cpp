#include "fix/recorded.h"

#include <optional>
#include <utility>
#include <variant>

#include "elf_file.h"
#include "fix/edit_tool.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "ompdm/told_part.h"
#include "open_trace.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// Whether entries of a loop that were not seen as such need more than the finding leaves.
bool promises_at_most(const analysis::Finding& finding) {
  const auto* mapped = std::get_if<analysis::facts::PerIterationMapping>(&finding.facts);
  return mapped != nullptr && mapped->entries_at_least;
}

std::string build_id_in(const Trace& trace, const fs::path& program) {
  for (const Module& module : trace.modules) {
    if (module.path == program) return module.build_id;
  }
  return {};
}

}  // namespace

RecordedRun recorded_run(const std::string& file) {
  Trace trace = open_trace(file).trace;
  const Process process = trace.process;
  RecordedRun run;
  run.directory = process.directory;
  run.program = (run.directory / process.program).lexically_normal();
  run.arguments = process.arguments;
  if (!run.arguments.empty()) run.arguments.front() = run.program.string();
  run.build_id = build_id_in(trace, run.program);
  std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  if (is_only_counted(trace.recording, trace.process.wall)) {
    throw Error(file +
                ": was counted, not told event by event: record it without --detail tallies, in a "
                "window that it reaches");
  }
  // What a run did not reach the source shows.
  for (analysis::Finding& finding : analyses.front().findings) {
    if (!finding.unreached.empty()) finding.edits = finding.withheld_edits;
    run.facts.push_back({{}, promises_at_most(finding)});
  }
  nlohmann::json report = nlohmann::json::parse(report::render(analyses, report::Format::kJson));
  run.findings = std::move(report.at("findings"));
  const SourceLines lines(analyses.front());
  for (std::size_t i = 0; i < run.facts.size(); ++i) {
    run.facts[i].source = source_state(run.findings.at(i), lines, process);
  }
  run.near = {run.program};
  resolve_places(run.findings, lines, run.near);
  return run;
}

bool is_built_as_recorded(const RecordedRun& run, const fs::path& built) {
  const std::optional<ElfFile> program = read_elf(run.program);
  return program && !run.build_id.empty() && program->build_id == run.build_id &&
         is_of_same_sources(run.program, built);
}

}  // namespace ompdm::cli
