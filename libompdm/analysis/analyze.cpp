#include <algorithm>
#include <filesystem>

#include "analysis/device_clock.h"
#include "analysis/tables.h"
#include "detectors/findings.h"
#include "ompdm/error.h"
#include "trace_files/trace_schema.h"

namespace ompdm::analysis {

namespace {

bool is_name(const std::string& pattern) {
  return !pattern.empty() &&
         pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

void require_rows(const Finding& finding, const std::vector<std::size_t>& rows, std::size_t size,
                  const char* table) {
  const auto beyond = std::ranges::find_if(rows, [&](std::size_t row) { return row >= size; });
  if (beyond == rows.end()) return;
  throw Error(finding.pattern + ": row " + std::to_string(*beyond) + " of " + table +
              " does not exist: take positions in the same analysis");
}

/// Findings that have all else in common differ by their order.
std::string id_of(const Analysis& analysis, const Finding& finding) {
  const std::string what = "foreign finding\n" + finding.pattern + '\n' +
                           std::filesystem::path(finding.file).filename().string() + '\n' +
                           finding.variable;
  const auto is_taken = [&](const std::string& id) {
    return std::ranges::find(analysis.findings, id, &Finding::id) != analysis.findings.end();
  };
  std::string id = row_id(what);
  for (int i = 2; is_taken(id); ++i) id = row_id(what + '\n' + std::to_string(i));
  return id;
}

}  // namespace

void add_finding(Analysis& analysis, Finding finding) {
  if (!is_name(finding.pattern)) {
    throw Error("'" + finding.pattern +
                "': no name of a pattern: use lower-case letters, digits and _");
  }
  require_rows(finding, finding.directives, analysis.directives.size(), "directives");
  require_rows(finding, finding.variables, analysis.variables.size(), "variables");
  require_rows(finding, finding.loops, analysis.loops.size(), "iterations");
  if (finding.id.empty()) finding.id = id_of(analysis, finding);
  const auto place = std::ranges::find_if(analysis.findings, [&](const Finding& other) {
    return other.wasted_time < finding.wasted_time;
  });
  analysis.findings.insert(place, std::move(finding));
}

namespace {

/// Changes variables from positions in the trace to rows of the table.
void refer_to_rows(Analysis& analysis) {
  std::vector<std::size_t> rows(analysis.variables.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[analysis.variables[i].piece.value] = i;
  const auto change = [&](std::vector<std::size_t>& variables) {
    for (std::size_t& variable : variables) variable = rows[variable];
    std::ranges::sort(variables);
  };
  for (LoopRow& loop : analysis.loops) {
    for (CrossedItem& item : loop.invariant_rows) change(item.variables);
    for (Recurring& item : loop.recurring) change(item.of.variables);
  }
  for (auto* findings : {&analysis.findings, &analysis.too_small}) {
    for (Finding& finding : *findings) {
      change(finding.variables);
      for (EditData& data : finding.data) change(data.variables);
    }
  }
}

/// The parts of an analysis that do not depend on directives or loops.
Analysis tables_of(const Trace& trace) {
  Analysis analysis;
  analysis.file = trace.file;
  analysis.truncated = trace.truncated;
  analysis.process = trace.process;
  analysis.modules = trace.modules;
  analysis.sources = trace.sources;
  analysis.program_wall = program_wall_of(trace);
  analysis.recording = trace.recording;
  analysis.host_device = trace.host_device;
  analysis.devices = trace.devices;
  analysis.losses = trace.losses;
  analysis.totals = totals_of(trace);
  analysis.copy_sizes = copy_sizes_of(trace);
  analysis.activities = activities_of(trace, false);
  analysis.api_calls = activities_of(trace, true);
  analysis.variables = variables_of(trace);
  analysis.memory = device_memory_of(trace);
  return analysis;
}

Analysis analyze_as_it_is(const Trace& trace, Picture* picture) {
  Analysis analysis = tables_of(trace);
  DirectiveTable directives = directives_of(trace);
  const LoopTable loops = loops_of(trace, directives);
  analysis.loops = loops_of(trace, loops, directives);
  add_invariants(trace, loops, directives, analysis.loops);
  std::vector<std::uint32_t> finding_of_op = find_redundant(trace, directives, loops, analysis);
  refer_to_rows(analysis);
  analysis.headline = headline_of(trace, directives.rows);
  analysis.device_use = device_use_of(trace);
  analysis.host_waits = host_waits_of(trace, directives);
  for (const Region& region : trace.regions) {
    if (!region.unfinished) continue;
    const std::uint32_t row = row_of(directives, region.site);
    analysis.unfinished.push_back({row == kNoDirective ? kNoRow : row, region.end - region.begin});
  }
  if (picture != nullptr) {
    picture->iterations = iterations_of(trace, loops, finding_of_op);
    picture->finding_of_op = std::move(finding_of_op);
    for (std::uint32_t site = 0; site < trace.sites.size(); ++site) {
      picture->directive_of_site.push_back(row_of(directives, Index<Site>{site}));
    }
  }
  analysis.directives = std::move(directives.rows);
  return analysis;
}

Analysis analyze_on_device_clock(const Trace& trace, Picture* picture) {
  if (!has_device_times(trace)) return analyze_as_it_is(trace, picture);
  Analysis analysis = analyze_as_it_is(on_device_clock(trace), picture);
  analysis.start_latencies = start_latencies_of(trace);
  return analysis;
}

}  // namespace

Analysis tabulate(const Trace& trace) {
  const auto tables = [](const Trace& timed) {
    Analysis analysis = tables_of(timed);
    analysis.directives = directives_of(timed).rows;
    return analysis;
  };
  return has_device_times(trace) ? tables(on_device_clock(trace)) : tables(trace);
}

Analysis analyze(const Trace& trace) { return analyze_on_device_clock(trace, nullptr); }

Analysis analyze(const Trace& trace, Picture& picture) {
  picture = {};
  return analyze_on_device_clock(trace, &picture);
}

bool has_target_events(const Analysis& analysis) { return !analysis.directives.empty(); }

bool knows_transfers(const Analysis& analysis) { return has_transfers(analysis.recording); }

bool lacks_events(const Analysis& analysis) {
  return analysis.truncated || std::ranges::any_of(analysis.losses, is_of_events);
}

bool is_recorded_whole(const Analysis& analysis) {
  return is_recorded_whole(analysis.recording) && !lacks_events(analysis);
}

bool has_transfers(const Recording& recording) {
  const Recording::Reach reach = recording.reach;
  return reach != Recording::Reach::kNoEmi && reach != Recording::Reach::kUnreachable &&
         reach != Recording::Reach::kOtherRuntime;
}

bool saves_time(const Analysis& analysis) { return saves_time(analysis, analysis.prediction); }

bool saves_time(const Analysis& analysis, const std::optional<Prediction>& prediction) {
  constexpr Nanoseconds kHundredth = 100;
  if (!prediction) return false;
  const Nanoseconds saved = analysis.program_wall - prediction->wall;
  return saved > 0 && kHundredth * saved >= analysis.program_wall;
}

std::string_view directive_name(Directive directive) { return trace_schema::word_of(directive); }

std::string_view activity_type_name(ActivityType type) {
  constexpr std::string_view kNames[] = {"HtoD",   "DtoH",  "DtoD",  "memset",
                                         "kernel", "alloc", "delete"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace ompdm::analysis
