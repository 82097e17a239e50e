// `ompdm report`: what moved, by directive, variable and loop, in one recording or several.
#include "ompdm/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "open_trace.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

const std::map<std::string, report::Format> kFormats = {{"text", report::Format::kText},
                                                        {"json", report::Format::kJson},
                                                        {"csv", report::Format::kCsv},
                                                        {"markdown", report::Format::kMarkdown}};

struct ReportOptions {
  std::vector<std::string> traces;
  std::string format = "text";
  bool gpu_trace = false;
  std::vector<std::string> fail_if;
  std::string output;
  std::string color = "auto";
};

/// The terminal's width, or one that suits a pager and a printout where there is none.
std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return report::Layout{}.width;
}

report::Layout layout_for(const ReportOptions& options) {
  report::Layout layout;
  const bool to_terminal = options.output.empty() && isatty(STDOUT_FILENO) == 1;
  if (to_terminal) layout.width = terminal_width();
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  layout.color = options.color == "always" || (options.color == "auto" && to_terminal && !refused);
  return layout;
}

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
  if (exit_status == 0 && !tells_transfers) {
    fmt::print(stderr,
               "ompdm: no condition holds, but transfers were not recorded: see `ompdm doctor`\n");
  }
  return exit_status;
}

/// Writes to FILE, or to standard output. Throws Error if FILE cannot be written.
template <class Write>
void write_out(const std::string& file, Write write) {
  if (file.empty()) {
    write(std::cout);
    std::cout.flush();
    return;
  }
  std::ofstream out(file, std::ios::binary);
  write(out);
  out.close();
  if (!out)
    throw Error(file + ": cannot be written: check the folder, its rights and the free space");
}

int run_report(const ReportOptions& options) {
  const std::vector<report::Condition> conditions = parse_conditions(options.fail_if);
  std::vector<Trace> traces;
  std::vector<analysis::Analysis> analyses;
  for (const std::string& name : options.traces) {
    OpenedTrace opened = open_trace(name);
    analyses.push_back(analysis::analyze(opened.trace));
    analyses.back().running = opened.running;
    if (options.gpu_trace) traces.push_back(std::move(opened.trace));
  }
  const int exit_status = test(conditions, analyses);
  const report::Format format = kFormats.at(options.format);
  write_out(options.output, [&](std::ostream& out) {
    if (options.gpu_trace) {
      report::render_gpu_trace(traces, format, layout_for(options), out);
    } else {
      out << report::render(analyses, format, layout_for(options));
    }
  });
  return exit_status;
}

}  // namespace

void setup_report(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Show what moved, where and for how long");
  verb->group("Look");
  verb->add_option("TRACE", options->traces,
                   "Traces or spools; several are shown together, rank by rank")
      ->required()
      ->type_name("");
  verb->add_option("--format", options->format, "How to print it (default text)")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}))
      ->type_name("text|json|csv|markdown");
  verb->add_flag("--gpu-trace", options->gpu_trace, "List each operation in order of time instead");
  verb->add_option("--fail-if", options->fail_if,
                   "Exit with 3 if this holds, as 'DtoH.count > 12'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("COND");
  verb->add_option("-o,--output", options->output, "Write to FILE instead of standard output")
      ->type_name("FILE");
  verb->add_option("--color", options->color,
                   "Colors: auto is for terminals unless NO_COLOR is set")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  set_help(*verb, "ompdm report TRACE... [options]",
           "COND is PATH OP NUMBER. PATH is a number of the JSON report (DtoH.count is short for\n"
           "totals.DtoH.count); OP is <, <=, >, >=, == or !=.",
           "ompdm report trace.json\n"
           "ompdm report --gpu-trace trace.json\n"
           "ompdm report trace.rank*.json --format csv -o ranks.csv\n"
           "ompdm report trace.json --fail-if 'HtoD.count > 3' --fail-if 'findings > 0'");
  verb->callback([options, &exit_status] { exit_status = run_report(*options); });
}

}  // namespace ompdm::cli
