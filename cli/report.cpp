// `ompdm report`: transfers by directive, variable and loop, in one recording or several; `ompdm
// explain`: one finding in full.
#include "ompdm/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <ostream>

#include "job_files.h"
#include "named_traces.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/trace.h"
#include "output.h"
#include "printable.h"
#include "report/json_rows.h"
#include "source_lines.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace {

constexpr int kHolds = 3;     ///< exit status: a condition holds
constexpr int kNotKnown = 1;  ///< exit status: whether a condition holds is not known

struct ReportOptions {
  NamedTraces traces;
  bool ranks = false;
  bool gpu_trace = false;
  bool paths = false;
  std::string from;
  std::string to;
  report::OperationFilter filter;
  std::string section;
  std::size_t top = report::Layout{}.rows;
  bool all = false;
  bool no_source = false;
  std::string mapped;  ///< FILE:LINE; empty: not requested
  std::string patch;   ///< file; empty: none is written
  OutputOptions output;
};

/// The `ompdm compare` command for the named traces, if they are two.
std::string comparison_of(const std::vector<std::string>& traces, const std::string& condition) {
  std::string line = "ompdm compare";
  if (traces.size() != 2) return line + " BEFORE AFTER";
  for (const std::string& trace : traces) line += ' ' + shell_word(trace);
  return line + " --fail-if " + shell_word(condition);
}

std::vector<report::Condition> parse_conditions(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& traces) {
  std::vector<report::Condition> conditions;
  for (const std::string& text : texts) {
    conditions.push_back(report::parse_condition(text));
    if (conditions.back().ratio) {
      throw Error(fmt::format("--fail-if '{}': a number with an x is of two recordings, one over "
                              "the other: leave the x out, or use `{}`",
                              text, comparison_of(traces, text)),
                  Error::Kind::kUsage);
    }
  }
  return conditions;
}

/// kHolds if a condition holds in a report's JSON, else 0. Prints each such condition on stderr.
/// `missing`: why figures are not of the whole run, empty if they are. Conditions that are not
/// known then are printed, too, and give kNotKnown.
int test(const std::vector<report::Condition>& conditions, const report::Json& json,
         const std::string& missing) {
  int exit_status = 0;
  for (const report::Condition& condition : conditions) {
    const double value = report::number_at(condition.path, json);
    const bool holds = report::holds(condition, value);
    if (!missing.empty() && !report::is_known_of_rest(condition, holds)) {
      fmt::print(stderr, "ompdm: --fail-if '{}': not known of the whole run: {}\n", condition.text,
                 missing);
      exit_status = std::max(exit_status, kNotKnown);
      continue;
    }
    if (!holds) continue;
    fmt::print(stderr, "ompdm: {} holds: {} is {}\n", condition.text, condition.path,
               report::plain_number(value));
    exit_status = kHolds;
  }
  return exit_status;
}

/// Throws Error where a condition needs single events, and a run has only aggregates.
void check_recorded(const std::vector<report::Condition>& conditions,
                    const std::vector<analysis::Analysis>& analyses) {
  const auto tells_none = [](const analysis::Analysis& one) {
    return is_only_counted(one.recording, one.process.wall);
  };
  if (std::ranges::none_of(analyses, tells_none)) return;
  for (const report::Condition& condition : conditions) {
    for (const std::string_view of : {"findings", "iterations", "prediction"}) {
      if (!condition.path.starts_with(of)) continue;
      throw Error(
          fmt::format("--fail-if '{}': {} need single events, and this run was aggregated: "
                      "record it without --detail tallies, --after or --until",
                      condition.text, of));
    }
  }
}

/// Why figures are not of whole runs; empty if they are.
std::string missing_of(const std::vector<analysis::Analysis>& analyses) {
  std::string text;
  for (const analysis::Analysis& one : analyses) {
    const std::string why = report::why_not_whole(one);
    if (why.empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.file, why);
  }
  return text;
}

/// The exit status after the tests: kHolds if a condition holds. Prints each such condition on
/// stderr.
int test(const std::vector<report::Condition>& conditions,
         const std::vector<analysis::Analysis>& analyses) {
  if (conditions.empty()) return 0;
  check_recorded(conditions, analyses);
  tell_witness(conditions, analyses);
  const int exit_status = test(conditions, report::report_json(analyses), missing_of(analyses));
  const bool tells_transfers = std::ranges::all_of(analyses, [](const analysis::Analysis& one) {
    return analysis::has_target_events(one) && analysis::knows_transfers(one);
  });
  const bool is_part = std::ranges::any_of(analyses, [](const analysis::Analysis& one) {
    return !is_recorded_whole(one.recording) && !one.recording.is_part();
  });
  if (exit_status == 0 && is_part) {
    fmt::print(
        stderr,
        "ompdm: no condition holds; findings and loops are of the part with single events\n");
  }
  if (exit_status == 0 && !tells_transfers) {
    fmt::print(stderr,
               "ompdm: no condition holds, but transfers were not recorded: see `ompdm doctor`\n");
  }
  return exit_status;
}

std::string missing_of(const summary::Summary& job) {
  std::string text;
  if (!job.truncated.empty()) text = "ranks' traces are cut short";
  for (const auto& [name, figure] : job.losses) {
    const Loss loss{name, figure.ranks.sum};
    if (!is_of_events(loss)) continue;
    text += fmt::format("{}events were lost ({} {})", text.empty() ? "" : "; ", name, loss.count);
  }
  return text;
}

report::OperationFilter filter_of(const ReportOptions& options) {
  report::OperationFilter filter = options.filter;
  if (!options.from.empty()) filter.from = parse_instant("--from", options.from);
  if (!options.to.empty()) filter.to = parse_instant("--to", options.to);
  const bool is_limited = !options.from.empty() || !options.to.empty() || !filter.where.empty();
  if (is_limited && !options.gpu_trace) {
    throw Error("--from, --to and --where limit the list of --gpu-trace", Error::Kind::kUsage);
  }
  if (!options.section.empty() && options.output.format != "csv") {
    throw Error("--section is of --format csv", Error::Kind::kUsage);
  }
  return filter;
}

/// Lists operations. Prints on stderr what a list for programs leaves out.
void list_operations(const std::vector<Trace>& traces, report::Format format,
                     const report::Layout& layout, const report::OperationFilter& filter,
                     std::ostream& out) {
  report::render_gpu_trace(traces, format, layout, out, filter);
  if (format == report::Format::kText || format == report::Format::kMarkdown) return;
  for (const Trace& trace : traces) {
    const std::string line = report::unlisted_part(trace);
    if (!line.empty()) fmt::print(stderr, "ompdm: {}: {}\n", trace.file, line);
  }
}

/// Why a text is no number of rows. Empty: it is.
std::string is_from_one(const std::string& text) {
  std::size_t rows = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rows);
  if (error == std::errc() && stop == end && rows >= 1) return {};
  return fmt::format("'{}': write a number from 1 on, or --all for all rows", text);
}

/// The line with control characters replaced by blanks.
std::string plain_text(std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return line;
}

/// Whether the report is of all ranks together, by their summaries.
bool wants_job(const ReportOptions& options) {
  if (options.ranks) return true;
  const bool needs_events = options.gpu_trace || options.paths || wants_page(options.output) ||
                            !options.traces.as.empty() || link_of(options.traces.model).has_value();
  return !needs_events && means_job(options.traces.names);
}

int report_job(const ReportOptions& options, const std::vector<report::Condition>& conditions) {
  if (options.gpu_trace || options.paths || wants_page(options.output) ||
      link_of(options.traces.model).has_value()) {
    throw Error(
        "--gpu-trace, --paths, --link and format html are of single ranks: name a few traces",
        Error::Kind::kUsage);
  }
  const std::vector<std::string> files = job_files(options.traces.names);
  refuse_input_as_output(options.output.output, files);
  const auto [job, is_complete] = merged(files, true);
  const int tested =
      conditions.empty()
          ? 0
          : test(conditions, report::Json::parse(report::render_job(job, report::Format::kJson)),
                 missing_of(job));
  report::Layout layout = layout_of(options.output);
  layout.section = options.section;
  layout.rows = options.all ? 0 : options.top;
  write_out(options.output, [&](std::ostream& out) {
    out << report::render_job(job, format_of(options.output), layout);
  });
  return tested != 0 ? tested : is_complete ? 0 : 1;
}

/// `ompdm report --mapped FILE:LINE`: of each trace.
int report_mapped(const ReportOptions& options) {
  const OpenedTraces opened =
      open_named(options.traces, {.analyses = false, .traces = true, .patches = false});
  std::vector<analysis::DataPresent> all;
  for (const Trace& trace : opened.traces) {
    for (analysis::DataPresent& one : analysis::present_at(trace, options.mapped)) {
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) {
    throw Error(fmt::format(
        "--mapped {}: no directive there was executed: the report's table has the places",
        options.mapped));
  }
  const std::string text =
      report::render_mapped(all, format_of(options.output), layout_of(options.output));
  write_out(options.output, [&](std::ostream& out) { out << text; });
  return opened.complete ? 0 : 1;
}

/// Replaces folders by the traces of the ranks in them. Throws Error where they are too many for a
/// page.
void name_ranks_of_folders(NamedTraces& traces) {
  constexpr std::size_t kMostRanks = 32;  // number of ranks that web/main.js draws below each other
  const bool any = std::ranges::any_of(traces.names, [](const std::string& name) {
    std::error_code error;
    return std::filesystem::is_directory(name, error);
  });
  if (!any) return;
  std::vector<std::string> names = job_traces(traces.names);
  if (names.size() > kMostRanks) {
    throw Error(fmt::format("{}: has {} ranks, and a page shows {}: name some of their traces",
                            traces.names.front(), names.size(), kMostRanks),
                Error::Kind::kUsage);
  }
  traces.names = std::move(names);
}

/// Puts findings below threshold after the others.
void show_all_findings(std::vector<analysis::Analysis>& analyses) {
  for (analysis::Analysis& one : analyses) {
    std::ranges::move(one.too_small, std::back_inserter(one.findings));
    one.too_small.clear();
    one.withheld.findings = 0;
  }
}

int run_report(ReportOptions options) {
  take_newest_if_none(options.traces);
  if (wants_page(options.output) && !options.ranks) name_ranks_of_folders(options.traces);
  const std::vector<report::Condition> conditions =
      parse_conditions(options.output.fail_if, options.traces.names);
  refuse_input_as_output(options.output.output, options.traces.names);
  // A list of operations is printed from the trace itself.
  const bool analyses_wanted = !options.gpu_trace || !conditions.empty();
  const bool page_wanted = wants_page(options.output);
  const report::OperationFilter filter = filter_of(options);
  if (!options.mapped.empty()) {
    if (page_wanted || options.gpu_trace || !conditions.empty()) {
      throw Error("--mapped has no --gpu-trace, --fail-if or format html", Error::Kind::kUsage);
    }
    return report_mapped(options);
  }
  if (wants_job(options)) return report_job(options, conditions);
  if (page_wanted && options.gpu_trace) {
    throw Error("--gpu-trace has no format html: the page's timeline shows each operation",
                Error::Kind::kUsage);
  }
  if (page_wanted && goes_to_terminal(options.output)) {
    throw Error("a page is nothing for a terminal: add -o report.html", Error::Kind::kUsage);
  }
  if (!options.patch.empty()) {
    if (options.traces.names.size() != 1) {
      throw Error("--patch is of one trace: name it alone", Error::Kind::kUsage);
    }
    return write_planned_patch(options.traces.names.front(), options.traces.search(),
                               options.patch);
  }
  OpenedTraces opened = open_named(options.traces, {.analyses = analyses_wanted,
                                                    .traces = options.gpu_trace || page_wanted,
                                                    .pictures = page_wanted,
                                                    .patches = !options.no_source,
                                                    .rest_of_ranks = true});
  if (options.all && options.output.format != "json") show_all_findings(opened.analyses);
  const std::vector<analysis::Analysis>& analyses = opened.analyses;
  const std::filesystem::path folder = options.traces.search().folder;
  refuse_source_as_output(options.output.output, analyses, folder);
  const int holds = test(conditions, analyses);
  const int exit_status = holds != 0 ? holds : opened.complete ? 0 : 1;
  if (page_wanted) {
    std::vector<report::SourceExcerpt> sources;
    if (!options.no_source) sources = source_excerpts(analyses, folder);
    const std::string page = report::render_page(opened.pictured(), analyses, sources);
    write_out(options.output, [&](std::ostream& out) { out << page; });
    return exit_status;
  }
  const report::Format format = format_of(options.output);
  report::Layout layout = layout_of(options.output);
  layout.paths = options.paths;
  layout.section = options.section;
  layout.rows = options.all ? 0 : options.top;
  layout.findings = options.all ? 0 : std::max<std::size_t>(1, options.top / 2);
  layout.traces = spoken_names(options.traces);
  if (!analyses.empty() && !options.no_source) {
    const auto sources = std::make_shared<SourceLines>(analyses.front(), folder);
    layout.source = [sources](const std::string& file, int line) -> std::optional<std::string> {
      const std::vector<std::string>& lines = sources->of(file);
      if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return std::nullopt;
      return plain_text(lines[static_cast<std::size_t>(line) - 1]);
    };
  }
  write_out(options.output, [&](std::ostream& out) {
    if (options.gpu_trace) {
      list_operations(opened.traces, format, layout, filter, out);
    } else {
      out << report::render(analyses, format, layout);
    }
  });
  return exit_status;
}

struct ExplainOptions {
  NamedTraces traces;
  bool all = false;
  OutputOptions output;
};

/// A note that an edit concerns all ranks of a job, where the trace is of one rank.
std::string of_one_rank(const NamedTraces& traces, const analysis::Analysis& one) {
  const std::string pattern =
      traces.names.size() == 1 ? pattern_of_ranks(traces.names.front()) : std::string();
  if (pattern.empty() || one.process.rank_count < 2) return {};
  return fmt::format(
      "\nRank {} says so, and an edit is made for all {}: which of them have it: {}\n",
      one.process.rank, one.process.rank_count, report_of_job(pattern));
}

/// Whether the last argument names a finding: a number or an id that is no existing file, or any
/// word behind traces.
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
  std::vector<analysis::Analysis> analyses = open_named(options.traces).analyses;
  if (options.all) show_all_findings(analyses);
  refuse_source_as_output(options.output.output, analyses, options.traces.search().folder);
  report::Layout layout = layout_of(options.output);
  layout.traces = spoken_names(options.traces);
  const std::string text =
      report::explain(analyses, which, layout) + of_one_rank(options.traces, analyses.front());
  write_out(options.output, [&](std::ostream& out) { out << text; });
  return 0;
}

}  // namespace

void setup_report(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb =
      app.add_subcommand("report", "Show what moved, where and for how long")->group("Look");
  add_trace_options(*verb, options->traces);
  verb->add_flag("--ranks", options->ranks,
                 "Tell all ranks of a job together (also of a folder, or of more than 8 traces)");
  verb->add_flag("--gpu-trace", options->gpu_trace, "List each operation in order of time instead");
  verb->add_option("--from", options->from,
                   "Of --gpu-trace: operations that began at TIME (as 12.5ms) or later")
      ->type_name("TIME");
  verb->add_option("--to", options->to, "Of --gpu-trace: operations that began at TIME or before")
      ->type_name("TIME");
  verb->add_option("--where", options->filter.where,
                   "Of --gpu-trace: operations of the directive there, as heat.cpp:56")
      ->type_name("FILE:LINE");
  verb->add_option("--mapped", options->mapped,
                   "Show the data on the device at the directive there instead, as heat.cpp:56")
      ->type_name("FILE:LINE");
  verb->add_option("--section", options->section, "Of --format csv, this table alone")
      ->type_name("TABLE");
  verb->add_flag("--paths", options->paths, "Open directives by the call paths that reached them");
  verb->add_option("--top", options->top, "Show N rows of a table and half as many findings")
      ->check(is_from_one)
      ->capture_default_str()
      ->type_name("N");
  verb->add_flag("--all", options->all, "Show all rows and findings");
  verb->add_flag("--no-source", options->no_source, "Leave the program's own lines out");
  verb->add_option(
          "--patch", options->patch,
          "Write the findings' edits to FILE as a patch instead, as ompdm fix does without\n"
          "--build")
      ->type_name("FILE");
  add_output_options(*verb, options->output, "DtoH.count > 12", true);
  set_help(
      *verb, "ompdm report [TRACE...] [options]",
      "Without TRACE the newest trace of the current folder is read.\n"
      "COND is PATH OP NUMBER. PATH is a number of the JSON report (DtoH.count is short for\n"
      "totals.DtoH.count); OP is <, <=, >, >=, == or !=; NUMBER may have a unit (2GB, 5ms).\n" +
          std::string(kLinkNotes),
      "ompdm report\n"
      "ompdm report trace.json\n"
      "ompdm report trace.json --format html -o report.html\n"
      "ompdm report --gpu-trace --from 20ms --to 25ms --where heat.cpp:56 trace.json\n"
      "ompdm report --mapped heat.cpp:56 trace.json\n"
      "ompdm report --paths trace.json\n"
      "ompdm report trace.rank*.json --format csv -o ranks.csv\n"
      "ompdm report run/\n"
      "ompdm report --as inputs small.json large.json\n"
      "ompdm report trace.json --link pcie4x16\n"
      "ompdm report trace.json --fail-if 'HtoD.count > 3' --fail-if 'findings > 0'\n"
      "ompdm report trace.json --fail-if 'memory.peak > 2GB'");
  verb->callback([options, &exit_status] { exit_status = run_report(*options); });
}

void setup_explain(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb =
      app.add_subcommand("explain", "Show one finding in full: evidence, each edit, each condition")
          ->group("Look");
  add_trace_options(*verb, options->traces);
  verb->add_flag("--all", options->all, "Count findings as `ompdm report --all` does");
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
