// `ompdm explain`: all that is known of one finding of a report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "job_files.h"
#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "output.h"
#include "source_lines.h"
#include "verb_help.h"

namespace ompdm::cli {
namespace {

struct ExplainOptions {
  NamedTraces traces;
  OutputOptions output;
};

/// An edit is made for all ranks of a job, of which one trace tells one.
std::string of_one_rank(const NamedTraces& traces, const analysis::Analysis& one) {
  const std::string pattern =
      traces.names.size() == 1 ? pattern_of_ranks(traces.names.front()) : std::string();
  if (pattern.empty() || one.process.rank_count < 2) return {};
  return fmt::format(
      "\nRank {} says so, and an edit is made for all {}: which of them have it: {}\n",
      one.process.rank, one.process.rank_count, report_of_job(pattern));
}

/// Whether the last argument names a finding: a number or an id, and no file that is there; or
/// anything else behind traces.
bool names_finding(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.back() == "-") return false;
  std::error_code error;
  if (std::filesystem::exists(arguments.back(), error)) return false;
  constexpr std::size_t kDigitsOfId = 16;
  const std::string& last = arguments.back();
  const bool is_number = last.find_first_not_of("0123456789") == std::string::npos;
  const bool is_id =
      last.size() == kDigitsOfId && last.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_number || is_id;
}

int run_explain(ExplainOptions options) {
  std::string which;
  if (names_finding(options.traces.names)) {
    which = options.traces.names.back();
    options.traces.names.pop_back();
  }
  take_newest_if_none(options.traces);
  refuse_input_as_output(options.output.output, options.traces.names);
  const auto [analyses, traces, pictures, complete] = open_named(options.traces);
  refuse_source_as_output(options.output.output, analyses);
  report::Layout layout = layout_of(options.output);
  layout.traces = spoken_names(options.traces);
  const std::string text =
      report::explain(analyses, which, layout) + of_one_rank(options.traces, analyses.front());
  write_out(options.output, [&](std::ostream& out) { out << text; });
  return 0;
}

}  // namespace

void setup_explain(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = app.add_subcommand(
      "explain", "Show one finding in full: evidence, each edit, each condition");
  verb->group("Look");
  add_trace_options(*verb, options->traces);
  add_page_options(*verb, options->output);
  set_help(
      *verb, "ompdm explain [TRACE...] [N] [options]",
      "N is the finding's number in the report, from 1, or its id in the JSON report. Without N\n"
      "all findings are listed; a finding that is the only one is shown. Without TRACE the\n"
      "newest trace of the current folder is read.\n" +
          std::string(kLinkNotes),
      "ompdm explain 1\n"
      "ompdm explain trace.json 1\n"
      "ompdm explain small.json large.json 2");
  verb->callback([options, &exit_status] { exit_status = run_explain(*options); });
}

}  // namespace ompdm::cli
