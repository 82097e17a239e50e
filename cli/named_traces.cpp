#include "named_traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "inputs.h"
#include "job_files.h"
#include "ompdm/error.h"
#include "one_run.h"
#include "open_trace.h"
#include "progress.h"
#include "waiting_ranks.h"

namespace ompdm::cli {
namespace {

template <class Row>
void put_in_order(const std::vector<std::size_t>& order, std::vector<Row>& rows) {
  std::vector<Row> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

/// Older runs are what is asked for where runs on several inputs are.
std::vector<std::string> without_older(const NamedTraces& named) {
  const std::vector<std::string> names = with_waiting_ranks(without_summaries(named.names));
  return named.as == kAsInputs ? names : without_older_runs(names);
}

/// What is wrong with a trace that cannot be read; empty if it was opened.
std::string open_or_tell(const std::string& name, OpenedTrace& opened) {
  try {
    opened = open_trace(name);
    return {};
  } catch (const Error& error) {
    fmt::print(stderr, "ompdm: {}\n", error.what());
    return error.what();
  }
}

}  // namespace

void add_trace_options(CLI::App& verb, NamedTraces& named) {
  verb.add_option("TRACE", named.names,
                  "Traces or spools; several of one run are shown together, rank by rank; runs of\n"
                  "one program on several inputs are held against each other")
      ->required()
      ->type_name("");
  verb.add_option("--as", named.as,
                  "What several traces are: of one run (job), or runs on several inputs (inputs)")
      ->check(CLI::IsMember({std::string(kAsJob), std::string(kAsInputs)}))
      ->type_name("job|inputs");
  add_link_options(verb, named.model);
}

OpenedTraces open_named(const NamedTraces& named, const Wanted& wanted) {
  const std::optional<analysis::Link> link = link_of(named.model);
  std::vector<OneRecording> recordings;
  OpenedTraces all;
  const std::vector<std::string> names = without_older(named);
  const bool goes_on = wanted.rest_of_ranks && names.size() > 1;
  std::string error;
  for (const std::string& name : names) {
    OpenedTrace opened;
    if (goes_on && rank_of(name) >= 0) {
      error = open_or_tell(name, opened);
      if (!error.empty()) {
        all.complete = false;
        continue;
      }
    } else {
      opened = open_trace(name);
    }
    if (link) opened.trace = analysis::retime(std::move(opened.trace), *link);
    recordings.push_back({opened.trace.file, opened.trace.process});
    if (wanted.analyses) {
      const Progress progress("analyzing " + name);
      all.analyses.push_back(wanted.pictures
                                 ? analysis::analyze(opened.trace, all.pictures.emplace_back())
                                 : analysis::analyze(opened.trace));
      all.analyses.back().running = opened.running;
      all.analyses.back().link = link;
    }
    if (wanted.traces) all.traces.push_back(std::move(opened.trace));
  }
  if (recordings.empty()) throw Error(error);
  if (together_of(recordings, named.as) == Together::kInputs) {
    if (wanted.analyses) agree_on_inputs(all.analyses, !named.as.empty());
    return all;
  }
  const std::vector<std::size_t> order = rank_order(recordings);
  if (wanted.analyses) put_in_order(order, all.analyses);
  if (wanted.traces) put_in_order(order, all.traces);
  if (wanted.pictures) put_in_order(order, all.pictures);
  return all;
}

std::string spoken_names(const NamedTraces& named) {
  constexpr std::size_t kFew = 3;
  if (named.names.size() > kFew) return {};
  return fmt::format("{}", fmt::join(named.names, " "));
}

}  // namespace ompdm::cli
