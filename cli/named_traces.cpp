#include "named_traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <utility>

#include "inputs.h"
#include "job_files.h"
#include "loop_code.h"
#include "ompdm/error.h"
#include "one_run.h"
#include "open_trace.h"
#include "progress.h"
#include "waiting_ranks.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// Whether a file is named as `ompdm record` names a trace unless told otherwise, and as no older
/// run (trace.~1~.json) and no summary.
bool is_newest_run(const std::string& name) {
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  return name.starts_with("trace.") && (ends(".json") || ends(".json.gz") || ends(".ompdm")) &&
         !ends(".summary.json") && name.find(".~") == std::string::npos;
}

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

void take_in(OpenedTrace& opened, const std::optional<analysis::Link>& link,
             std::vector<OneRecording>& recordings) {
  if (link) opened.trace = analysis::retime(std::move(opened.trace), *link);
  settle_begins_of_loops(opened.trace);
  recordings.push_back({opened.trace.file, opened.trace.process});
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

analysis::Analysis analyzed(const OpenedTrace& opened, const std::string& name,
                            const std::optional<analysis::Link>& link, analysis::Picture* picture) {
  const Progress progress("analyzing " + name);
  analysis::Analysis made = picture != nullptr ? analysis::analyze(opened.trace, *picture)
                                               : analysis::analyze(opened.trace);
  keep_code_that_fits(made);
  made.running = opened.running;
  made.link = link;
  return made;
}

/// By rank, or as they were named where they are runs on several inputs. Throws Error where they
/// cannot be taken together.
std::vector<std::size_t> settled_order(const NamedTraces& named,
                                       const std::vector<OneRecording>& recordings,
                                       std::vector<analysis::Analysis>& analyses) {
  if (together_of(recordings, named.as) != Together::kInputs) return rank_order(recordings);
  if (!analyses.empty()) agree_on_inputs(analyses, !named.as.empty());
  std::vector<std::size_t> as_named(recordings.size());
  std::iota(as_named.begin(), as_named.end(), std::size_t{0});
  return as_named;
}

}  // namespace

void add_trace_options(CLI::App& verb, NamedTraces& named) {
  verb.add_option("TRACE", named.names,
                  "Traces or spools; several of one run are shown together, rank by rank; runs of\n"
                  "one program on several inputs are held against each other")
      ->type_name("");
  verb.add_option("--as", named.as,
                  "What several traces are: of one run (job), or runs on several inputs (inputs)")
      ->check(CLI::IsMember({std::string(kAsJob), std::string(kAsInputs)}))
      ->type_name("job|inputs");
  add_link_options(verb, named.model);
}

void take_newest_if_none(NamedTraces& named) {
  if (!named.names.empty()) return;
  std::string newest;
  fs::file_time_type written;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(".", error)) {
    const std::string name = entry.path().filename();
    if (!is_newest_run(name) || !entry.is_regular_file(error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!newest.empty() && time <= written) continue;
    newest = name;
    written = time;
  }
  // A process that was killed left a spool: opening its trace finishes it.
  if (newest.empty() && fs::exists("trace.json.spool", error)) newest = "trace.json";
  if (newest.empty()) {
    throw Error("no trace here: run `ompdm record PROGRAM` first, or name a trace",
                Error::Kind::kUsage);
  }
  if (rank_in_name(newest) >= 0) newest = ".";
  fmt::print(stderr, "ompdm: no trace is named: {} is read\n",
             newest == "." ? "the job in this folder" : newest);
  named.names.push_back(std::move(newest));
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
    if (goes_on && rank_in_name(name) >= 0) {
      error = open_or_tell(name, opened);
      if (!error.empty()) {
        all.complete = false;
        continue;
      }
    } else {
      opened = open_trace(name);
    }
    take_in(opened, link, recordings);
    if (wanted.analyses) {
      analysis::Picture* picture = wanted.pictures ? &all.pictures.emplace_back() : nullptr;
      all.analyses.push_back(analyzed(opened, name, link, picture));
    }
    if (wanted.traces) all.traces.push_back(std::move(opened.trace));
  }
  if (recordings.empty()) throw Error(error);
  const std::vector<std::size_t> order = settled_order(named, recordings, all.analyses);
  if (wanted.analyses) put_in_order(order, all.analyses);
  if (wanted.traces) put_in_order(order, all.traces);
  if (wanted.pictures) put_in_order(order, all.pictures);
  return all;
}

TakenTraces take_named(const NamedTraces& named, const std::function<void(const Trace&)>& take) {
  const std::optional<analysis::Link> link = link_of(named.model);
  std::vector<std::string> names = without_older(named);
  if (named.as != kAsInputs) std::ranges::stable_sort(names, {}, rank_in_name);
  std::vector<OneRecording> recordings;
  TakenTraces all;
  for (const std::string& name : names) {
    OpenedTrace opened = open_trace(name);
    take_in(opened, link, recordings);
    all.analyses.push_back(analyzed(opened, name, link, nullptr));
    take(opened.trace);
  }
  all.order = settled_order(named, recordings, all.analyses);
  put_in_order(all.order, all.analyses);
  return all;
}

std::string spoken_names(const NamedTraces& named) {
  constexpr std::size_t kFew = 3;
  if (named.names.size() > kFew) return {};
  return fmt::format("{}", fmt::join(named.names, " "));
}

}  // namespace ompdm::cli
