// `ompdm merge`: one summary of a job's ranks, or of parts.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>
#include <system_error>

#include "job_files.h"
#include "output.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace {

struct MergeOptions {
  std::vector<std::string> names;
  std::string output = "summary.json";
};

int run_merge(const MergeOptions& options) {
  refuse_input_as_output(options.output, options.names);
  std::vector<std::string> files = job_files(options.names);
  // An earlier merge into a folder is no part of the next.
  std::error_code error;
  const auto is_output = [&](const std::string& file) {
    return std::filesystem::equivalent(file, options.output, error);
  };
  if (files.size() > 1) std::erase_if(files, is_output);
  const Job job = merged(files, Sizes::kRefused);
  const std::string json = summary::to_json(job.summary);
  OutputOptions output;
  output.format = "json";
  output.output = options.output;
  write_out(output, [&](std::ostream& out) { out << json; });
  return job.complete ? 0 : 1;
}

}  // namespace

void setup_merge(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb = app.add_subcommand("merge", "Make one summary of a job's ranks, or of parts");
  verb->group("Look");
  verb->add_option(
          "SUMMARY", options->names,
          "Summaries, traces, or folders of them; all programs of a rank together, in any order")
      ->required()
      ->type_name("");
  add_output_option(*verb, options->output, "The summary to write; - is standard output");
  verb->get_option("-o")->capture_default_str();
  set_help(*verb, "ompdm merge SUMMARY|TRACE|DIR... [-o FILE]",
           "Merging is exact in any order and grouping: parts can be merged where they lie, and\n"
           "then each other. `ompdm report` shows a summary as the report of its job.",
           "ompdm merge run/\n"
           "ompdm merge trace.rank*.json -o node7.summary.json\n"
           "ompdm merge node*.summary.json -o - | gzip > job.json.gz");
  verb->callback([options, &exit_status] { exit_status = run_merge(*options); });
}

}  // namespace ompdm::cli
