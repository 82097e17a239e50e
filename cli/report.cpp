// `ompdm report`: what moved, by directive, variable and loop, in one recording or several.
#include "ompdm/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "inputs.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/link.h"
#include "one_run.h"
#include "open_trace.h"
#include "output.h"
#include "verb_help.h"
#include "verbs.h"
#include "waiting_ranks.h"

namespace ompdm::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> traces;
  bool gpu_trace = false;
  bool paths = false;
  std::string as;
  std::string link;
  OutputOptions output;
};

std::vector<report::Condition> parse_conditions(const std::vector<std::string>& texts) {
  std::vector<report::Condition> conditions;
  for (const std::string& text : texts) {
    conditions.push_back(report::parse_condition(text));
    if (conditions.back().ratio) {
      throw Error(
          fmt::format("--fail-if '{}': a ratio (x) needs two recordings: use `ompdm compare`",
                      text),
          Error::Kind::kUsage);
    }
  }
  return conditions;
}

/// Exit status after testing, 3 if a condition holds; each that does is said on stderr.
int test(const std::vector<report::Condition>& conditions,
         const std::vector<analysis::Analysis>& analyses) {
  if (conditions.empty()) return 0;
  const std::string json = report::render(analyses, report::Format::kJson);
  int exit_status = 0;
  for (const report::Condition& condition : conditions) {
    const double value = report::value_of(condition.path, json);
    if (!report::holds(condition, value)) continue;
    fmt::print(stderr, "ompdm: {} holds: {} is {}\n", condition.text, condition.path,
               report::plain_number(value));
    exit_status = 3;
  }
  const bool tells_transfers = std::ranges::all_of(analyses, [](const analysis::Analysis& one) {
    return analysis::has_target_events(one) && analysis::knows_transfers(one);
  });
  const bool cut = std::ranges::any_of(analyses, &analysis::Analysis::truncated);
  if (exit_status == 0 && cut) {
    fmt::print(stderr, "ompdm: no condition holds in what is left of a trace that is cut short\n");
  } else if (exit_status == 0 && !tells_transfers) {
    fmt::print(stderr,
               "ompdm: no condition holds, but transfers were not recorded: see `ompdm doctor`\n");
  }
  return exit_status;
}

template <class Row>
void put_in_order(const std::vector<std::size_t>& order, std::vector<Row>& rows) {
  std::vector<Row> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

/// Older runs are what is asked for where runs on several inputs are.
std::vector<std::string> names_of(const ReportOptions& options) {
  const std::vector<std::string> names = with_waiting_ranks(options.traces);
  return options.as == kAsInputs ? names : without_older_runs(names);
}

int run_report(const ReportOptions& options) {
  const std::vector<report::Condition> conditions = parse_conditions(options.output.fail_if);
  std::optional<analysis::Link> link;
  if (!options.link.empty()) link = analysis::parse_link(options.link);
  // A list of operations is printed from the trace itself.
  const bool analyses_wanted = !options.gpu_trace || !conditions.empty();
  std::vector<OneRecording> recordings;
  std::vector<Trace> traces;
  std::vector<analysis::Analysis> analyses;
  for (const std::string& name : names_of(options)) {
    OpenedTrace opened = open_trace(name);
    if (link) opened.trace = analysis::retime(std::move(opened.trace), *link);
    recordings.push_back({opened.trace.file, opened.trace.process});
    if (analyses_wanted) {
      analyses.push_back(analysis::analyze(opened.trace));
      analyses.back().running = opened.running;
      analyses.back().link = link;
    }
    if (options.gpu_trace) traces.push_back(std::move(opened.trace));
  }
  const Together together = together_of(recordings, options.as);
  if (together == Together::kInputs) {
    if (analyses_wanted) agree_on_inputs(analyses, !options.as.empty());
  } else {
    const std::vector<std::size_t> order = rank_order(recordings);
    if (analyses_wanted) put_in_order(order, analyses);
    if (options.gpu_trace) put_in_order(order, traces);
  }
  const int exit_status = test(conditions, analyses);
  const report::Format format = format_of(options.output);
  report::Layout layout = layout_of(options.output);
  layout.paths = options.paths;
  write_out(options.output, [&](std::ostream& out) {
    if (options.gpu_trace) {
      report::render_gpu_trace(traces, format, layout, out);
    } else {
      out << report::render(analyses, format, layout);
    }
  });
  return exit_status;
}

}  // namespace

void setup_report(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Show what moved, where and for how long");
  verb->group("Look");
  verb->add_option(
          "TRACE", options->traces,
          "Traces or spools; several of one run are shown together, rank by rank; runs of\n"
          "one program on several inputs are held against each other")
      ->required()
      ->type_name("");
  verb->add_flag("--gpu-trace", options->gpu_trace, "List each operation in order of time instead");
  verb->add_flag("--paths", options->paths, "Open directives by the call paths that reached them");
  verb->add_option("--as", options->as,
                   "What several traces are: of one run (job), or runs on several inputs (inputs)")
      ->check(CLI::IsMember({std::string(kAsJob), std::string(kAsInputs)}))
      ->type_name("HOW");
  verb->add_option("--link", options->link,
                   "Show what transfers would take on this link (a model; see below)")
      ->type_name("LINK");
  add_output_options(*verb, options->output, "DtoH.count > 12");
  set_help(*verb, "ompdm report TRACE... [options]",
           "COND is PATH OP NUMBER. PATH is a number of the JSON report (DtoH.count is short for\n"
           "totals.DtoH.count); OP is <, <=, >, >=, == or !=.\n" +
               std::string(kLinkNotes),
           "ompdm report trace.json\n"
           "ompdm report --gpu-trace trace.json\n"
           "ompdm report --paths trace.json\n"
           "ompdm report trace.rank*.json --format csv -o ranks.csv\n"
           "ompdm report --as inputs small.json large.json\n"
           "ompdm report trace.json --link pcie4x16\n"
           "ompdm report trace.json --fail-if 'HtoD.count > 3' --fail-if 'findings > 0'");
  verb->callback([options, &exit_status] { exit_status = run_report(*options); });
}

}  // namespace ompdm::cli
