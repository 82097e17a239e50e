// `ompdm compare`: two recordings side by side, what changed and what remains; or several in a row,
// each compared with the one before.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <ostream>

#include "named_traces.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "output.h"
#include "report/json_rows.h"
#include "source_lines.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  std::vector<std::string> more;
  NamedTraces traces;  ///< their link and their sources, but not their names
  OutputOptions output;
};

using Ends = std::array<analysis::Analysis, 2>;

std::string number_text(const std::optional<double>& value) {
  return value ? report::plain_number(*value) : "not known";
}

/// Whether a path is about the fates of findings: a number of the comparison that no single report
/// has.
bool is_of_comparison(const std::string& path) {
  constexpr const char* kFates[] = {"findings.came", "findings.stay", "findings.went",
                                    "mapping.came",  "mapping.stay",  "mapping.went"};
  return std::ranges::any_of(kFates, [&](const char* fate) { return path.starts_with(fate); });
}

/// Whether a condition on a path needs a run whose events were all recorded one by one.
bool takes_events(const std::string& path) {
  constexpr const char* kTables[] = {"findings",   "mapping",    "doubted",
                                     "withheld",   "prediction", "iterations",
                                     "host_waits", "device_use", "start_latencies"};
  const std::string first = path.substr(0, path.find('.'));
  return std::ranges::find(kTables, first) != std::end(kTables) || path.ends_with("_union_ns");
}

/// Throws Error if a condition needs events that one of the runs aggregated.
void check_recorded(const report::Condition& condition, const Ends& recordings) {
  if (!takes_events(condition.path)) return;
  for (const analysis::Analysis& one : recordings) {
    if (is_recorded_whole(one.recording)) continue;
    throw Error(fmt::format("'{}': not known of the whole run in {}, which {}: the condition "
                            "cannot be tested",
                            condition.path, &one == &recordings[0] ? "BEFORE" : "AFTER",
                            is_only_counted(one.recording, one.process.wall)
                                ? "was aggregated"
                                : "is recorded event by event only in part"),
                Error::Kind::kUsage);
  }
}

/// Throws if events are missing that a condition depends on.
void check_whole(const report::Condition& condition, bool holds, const Ends& recordings) {
  if (report::is_known_of_rest(condition, holds)) return;
  for (const analysis::Analysis& one : recordings) {
    const std::string why = report::why_not_whole(one);
    if (why.empty()) continue;
    throw Error(fmt::format("--fail-if '{}': not known of the whole run {}: {}", condition.text,
                            &one == &recordings[0] ? "BEFORE" : "AFTER", why));
  }
}

/// Whether the condition holds; prints a line on stderr if it does.
bool test_comparison(const report::Condition& condition, const Ends& recordings) {
  if (condition.ratio) {
    throw Error(fmt::format("'{}': {} is of both recordings: write the number without an x",
                            condition.text, condition.path),
                Error::Kind::kUsage);
  }
  const report::Json json =
      report::Json::parse(report::render_comparison(recordings, report::Format::kJson));
  const double value = report::number_at(condition.path, json);
  if (!report::holds(condition, value)) return false;
  fmt::print(stderr, "ompdm: {} holds: {} is {}\n", condition.text, condition.path,
             report::plain_number(value));
  return true;
}

/// The exit status after the tests: 3 if a condition holds. Prints each such condition on stderr.
int test_ends(const std::vector<report::Condition>& conditions,
              const std::vector<analysis::Analysis>& all) {
  if (conditions.empty()) return 0;
  const Ends recordings = {all.front(), all.back()};
  for (const report::Condition& condition : conditions) check_recorded(condition, recordings);
  tell_witness(conditions, all);
  const report::Json before = report::report_json(std::span(&recordings[0], 1));
  const report::Json after = report::report_json(std::span(&recordings[1], 1));
  int exit_status = 0;
  for (const report::Condition& condition : conditions) {
    if (is_of_comparison(condition.path)) {
      if (test_comparison(condition, recordings)) exit_status = 3;
      continue;
    }
    const report::ValuePair values = report::numbers_at(condition.path, before, after);
    const bool holds = report::holds(condition, values);
    check_whole(condition, holds, recordings);
    if (!holds) continue;
    const std::string ratio =
        condition.ratio ? fmt::format(" ({}x)", report::plain_number(report::ratio(values)))
                        : std::string();
    fmt::print(stderr, "ompdm: {} holds: {} is {} before, {} after{}\n", condition.text,
               condition.path, number_text(values.before), number_text(values.after), ratio);
    exit_status = 3;
  }
  return exit_status;
}

/// Short names of the files that differ from each other.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  for (const bool with_folder : {false, true}) {
    std::vector<std::string> names;
    for (const std::string& file : files) {
      const std::filesystem::path path(file);
      names.push_back(with_folder ? (path.parent_path().filename() / path.stem()).string()
                                  : path.stem().string());
    }
    const std::set<std::string> distinct(names.begin(), names.end());
    if (distinct.size() == names.size()) return names;
  }
  return files;
}

int run_compare(const CompareOptions& options) {
  std::vector<report::Condition> conditions;
  for (const auto& text : options.output.fail_if)
    conditions.push_back(report::parse_condition(text));
  const bool page_wanted = wants_page(options.output);
  if (page_wanted && goes_to_terminal(options.output)) {
    throw Error("a page is nothing for a terminal: add -o compare.html", Error::Kind::kUsage);
  }
  std::vector<std::string> files = {options.before, options.after};
  files.insert(files.end(), options.more.begin(), options.more.end());
  refuse_input_as_output(options.output.output, files);
  const bool is_ladder = files.size() > 2;
  const OpenedTraces opened = open_each(
      files, options.traces, {.traces = page_wanted, .pictures = page_wanted, .patches = false});
  const std::vector<analysis::Analysis>& recordings = opened.analyses;
  const std::vector<std::string> names =
      is_ladder ? names_of(files) : std::vector<std::string>{"before", "after"};
  refuse_source_as_output(options.output.output, recordings);
  const int exit_status = test_ends(conditions, recordings);
  std::string text;
  if (page_wanted) {
    // Source lines are left out: they have changed since the first recording.
    text = report::render_compared_page(opened.pictured(), recordings, names, {});
  } else {
    text =
        report::render_comparison(recordings, format_of(options.output), layout_of(options.output),
                                  is_ladder ? names : std::vector<std::string>());
  }
  write_out(options.output, [&](std::ostream& out) { out << text; });
  return exit_status;
}

}  // namespace

void setup_compare(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare",
                         "Show what changed between two runs, or in a series of versions")
          ->group("Look");
  verb->add_option("BEFORE", options->before, "A trace or a spool; - is standard input")
      ->required()
      ->type_name("");
  verb->add_option("AFTER", options->after, "Another one, of the changed program")
      ->required()
      ->type_name("");
  verb->add_option("NEXT", options->more, "More traces: a series of versions, in one table")
      ->type_name("");
  add_link_options(*verb, options->traces.model);
  add_source_options(*verb, options->traces.source, options->traces.compile_commands);
  add_output_options(*verb, options->output, "HtoD.bytes > 1.05x", true);
  set_help(
      *verb, "ompdm compare BEFORE AFTER [NEXT...] [options]",
      "COND is PATH OP NUMBER[x]. PATH is a number of the JSON report (HtoD.bytes is short for\n"
      "totals.HtoD.bytes); OP is <, <=, >, >=, == or !=. A NUMBER with an x is tested against\n"
      "AFTER over BEFORE, one without against AFTER. findings.came counts what only AFTER has,\n"
      "findings.went and findings.stay the others; findings.came.PATTERN those of a pattern.\n"
      "mapping.came, .went and .stay count data clauses that do not do what they say.\n"
      "Of more than two, BEFORE is the first and AFTER the last.\n" +
          std::string(kLinkNotes),
      "ompdm compare naive.json optimized.json\n"
      "ompdm compare naive.json data.json collapse.json optimized.json\n"
      "ompdm compare naive.json optimized.json --format html -o compare.html\n"
      "ompdm compare yesterday.json today.json --fail-if 'HtoD.bytes > 1.05x'\n"
      "ompdm compare naive.json optimized.json --fail-if 'findings.came > 0' --format markdown");
  verb->callback([options, &exit_status] { exit_status = run_compare(*options); });
}

}  // namespace ompdm::cli
