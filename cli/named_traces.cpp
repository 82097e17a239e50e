#include "named_traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "fix/asked_sources.h"
#include "ompdm/comparison.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "source_lines.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = ".rank";
constexpr std::string_view kDigits = "0123456789";

/// The digits of "trace.rank12.json", or the star of a pattern: their position and their number. 0
/// where there are none.
std::pair<std::size_t, std::size_t> rank_digits(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos || name.find('/', mark) != std::string::npos) return {0, 0};
  const std::size_t begin = mark + kMark.size();
  std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
  if (end == begin && end < name.size() && name[end] == '*') ++end;
  const bool ends = end == name.size() || name[end] == '.';
  return {begin, ends ? end - begin : 0};
}

/// "trace.json" of "trace.~1~.json"; nothing of other names.
std::optional<std::string> newest_name(const std::string& name) {
  const std::size_t file = name.rfind('/') + 1;
  const std::size_t begin = name.find(".~", file);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = name.find_first_not_of(kDigits, begin + 2);
  if (end == begin + 2 || end == std::string::npos || name[end] != '~') return std::nullopt;
  return name.substr(0, begin) + name.substr(end + 1);
}

bool matches(const std::string& pattern, const fs::path& file) {
  return fnmatch(pattern.c_str(), file.filename().c_str(), 0) == 0;
}

fs::path folder_of(const fs::path& pattern) {
  return pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
}

/// Whether all files of the pattern are named.
bool are_all(const std::set<fs::path>& named, const fs::path& pattern) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(pattern), error)) {
    const fs::path name = pattern.parent_path() / entry.path().filename();
    const bool counts = !is_older_run(name) && !name.native().ends_with(kSummaryEnding);
    if (counts && matches(pattern.filename(), name) && !named.contains(name)) return false;
  }
  return true;
}

/// Whether a file has a default name of `ompdm record`, and is no older run and no summary.
bool is_newest_run(const std::string& name) {
  return name.starts_with("trace.") && without_trace_ending(name) != name &&
         !name.ends_with(kSummaryEnding) && !is_older_run(name);
}

std::int64_t end_of(const Process& process) { return process.start_realtime_ns + process.wall; }

/// Warns where ranks on one machine did not run at the same time. Clocks of two machines may
/// differ.
void doubt_separate_runs(const std::vector<OneRecording>& recordings) {
  std::map<std::string, std::pair<const OneRecording*, const OneRecording*>>
      hosts;  // first end, last begin
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) continue;
    auto& [ended, begun] = hosts.try_emplace(one.process.host, &one, &one).first->second;
    if (end_of(one.process) < end_of(ended->process)) ended = &one;
    if (one.process.start_realtime_ns > begun->process.start_realtime_ns) begun = &one;
  }
  for (const auto& [host, extremes] : hosts) {
    const auto& [ended, begun] = extremes;
    if (end_of(ended->process) >= begun->process.start_realtime_ns) continue;
    fmt::print(stderr, "ompdm: {} had ended before {} began: are they of one run?\n", ended->file,
               begun->file);
  }
}

/// Prints which ranks of the job are missing.
void print_missing_ranks(const std::vector<OneRecording>& recordings) {
  if (recordings.size() < 2) return;
  std::set<std::int32_t> missing;
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) return;
    for (std::int32_t rank = 0; rank < one.process.rank_count; ++rank) missing.insert(rank);
  }
  for (const OneRecording& one : recordings) missing.erase(one.process.rank);
  constexpr std::size_t kMostListed = 8;
  if (missing.empty()) return;
  const std::vector<std::int32_t> listed(
      missing.begin(), std::next(missing.begin(), std::min(missing.size(), kMostListed)));
  fmt::print(stderr, "ompdm: of this job's {} ranks {} {} not among these: {}{}\n",
             recordings.front().process.rank_count, missing.size(),
             missing.size() == 1 ? "is" : "are", fmt::join(listed, ", "),
             missing.size() > kMostListed ? ", …" : "");
}

/// Whether two processes may be of one rank: a rank may be a script that runs several programs, or
/// a program that starts others.
bool are_of_one_rank(const Process& one, const Process& other) {
  if (!one.session.empty() && one.session == other.session) return true;
  const bool same_group = one.process_group != 0 && one.process_group == other.process_group;
  return one.host == other.host && (one.ppid == other.ppid || same_group);
}

[[noreturn]] void refuse(const OneRecording& one, const OneRecording& other, std::string_view why) {
  throw Error(
      fmt::format("{} and {}: {}: name the traces of one run, say `--as inputs` of runs "
                  "on several inputs, or `ompdm compare` two",
                  one.file, other.file, why));
}

/// Whether recordings seem to be runs of one program on several inputs: they are of no job, and one
/// ran after the other.
bool seem_inputs(const std::vector<OneRecording>& recordings) {
  const bool may_be = std::ranges::all_of(recordings, [&](const OneRecording& one) {
    const bool is_in_job = one.process.rank >= 0 && one.process.rank_count != 1;
    return !is_in_job && one.process.program == recordings.front().process.program;
  });
  if (recordings.size() < 2 || !may_be) return false;
  std::vector<const OneRecording*> by_start;
  for (const OneRecording& one : recordings) by_start.push_back(&one);
  std::ranges::sort(by_start, {}, [](const auto* one) { return one->process.start_realtime_ns; });
  const auto overlap = std::ranges::adjacent_find(by_start, [](const auto* one, const auto* next) {
    return next->process.start_realtime_ns < end_of(one->process);
  });
  if (overlap == by_start.end()) return true;
  const OneRecording& one = *overlap[0];
  const OneRecording& other = *overlap[1];
  if (one.process.arguments != other.process.arguments) {
    fmt::print(stderr,
               "ompdm: {} and {} ran at the same time: taken for one run; `--as inputs` holds runs "
               "on several inputs against each other\n",
               one.file, other.file);
  }
  return false;
}

/// Compares the runs' findings (analysis::agree). Where the runs are not of one build, this is an
/// Error if the user has `asked` for it. Otherwise a line on stderr says so, and the findings do
/// not change.
void agree_on_inputs(std::vector<analysis::Analysis>& runs, bool asked) {
  using analysis::SameProgram;
  const analysis::Analysis& first = runs.front();
  bool is_sure = true;
  for (const analysis::Analysis& run : runs) {
    const SameProgram same = analysis::same_program(first, run);
    is_sure = is_sure && same == SameProgram::kYes;
    if (same == SameProgram::kYes || same == SameProgram::kByName) continue;
    const std::string text = fmt::format(
        "{} and {} are of different {}", first.file, run.file,
        same == SameProgram::kOtherBuild
            ? "builds of " + first.process.program
            : fmt::format("programs, {} and {}", first.process.program, run.process.program));
    if (asked) throw Error(text + ": record each input with one build, or `ompdm compare` two");
    fmt::print(stderr, "ompdm: {}: their findings are not held against each other\n", text);
    return;
  }
  if (!is_sure) {
    fmt::print(stderr, "ompdm: {} has no build id: that all are of one build is not known\n",
               first.process.program);
  }
  analysis::agree(runs);
}

template <class Row>
void put_in_order(const std::vector<std::size_t>& order, std::vector<Row>& rows) {
  if (rows.empty()) return;
  std::vector<Row> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

/// Opens a trace and adds the results that are wanted.
void open_one(const std::string& name, const NamedTraces& named, const Wanted& wanted,
              EditProcess& process, OpenedTraces& all) {
  const std::optional<analysis::Link> link = link_of(named.model);
  const SourceSearch search = named.search();
  OpenedTrace opened = open_trace(name);
  Trace trace = link ? analysis::retime(std::move(opened.trace), *link) : std::move(opened.trace);
  resolve_begins_of_loops(trace, search.folder);
  std::optional<AskedSources> sources;
  if (named.source != "off" && wanted.analyses) {
    sources.emplace(trace, search, process);
    sources->add_facts(!named.source.empty());
  }
  if (wanted.analyses) {
    const Progress progress("analyzing " + name);
    analysis::Picture picture;
    analysis::Analysis& analysis = all.analyses.emplace_back(
        wanted.pictures ? analysis::analyze(trace, picture) : analysis::analyze(trace));
    if (sources && wanted.patches) sources->add_patches(analysis);
    if (sources) sources->keep();
    analysis.running = opened.running;
    analysis.link = link;
    all.transfers.push_back(analysis::rank_transfers(trace));
    if (wanted.pictures) all.pictures.push_back(std::move(picture));
  }
  all.recordings.push_back({trace.file, trace.process});
  if (wanted.take) wanted.take(trace);
  if (wanted.traces) all.traces.push_back(std::move(trace));
}

/// Positions in the order of ranks. Recordings without a rank come first, in the order of their
/// names on the command line. So do all runs on several inputs. `as`, if given, says whether
/// recordings are such runs. Throws Error where two are the same, or cannot be of one run.
std::vector<std::size_t> resolved_order(std::string_view as, OpenedTraces& all) {
  const std::vector<OneRecording>& recordings = all.recordings;
  std::vector<std::size_t> order(recordings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  check_distinct(recordings);
  if (as == kAsInputs ? recordings.size() > 1 : as != kAsJob && seem_inputs(recordings)) {
    if (!all.analyses.empty()) agree_on_inputs(all.analyses, !as.empty());
    return order;
  }
  if (as != kAsInputs) {
    check_ranks(recordings);
    doubt_separate_runs(recordings);
    print_missing_ranks(recordings);
  }
  std::ranges::stable_sort(
      order, {}, [&](std::size_t at) { return std::max(recordings[at].process.rank, -1); });
  return order;
}

}  // namespace

int rank_in_name(const std::string& name) {
  constexpr std::size_t kMostDigits = 9;
  const auto [begin, count] = rank_digits(name);
  if (count == 0 || count > kMostDigits || name[begin] == '*') return -1;
  int rank = 0;
  std::from_chars(&name[begin], &name[begin] + count, rank);
  return rank;
}

std::string pattern_of_ranks(const std::string& trace) {
  const auto [begin, count] = rank_digits(trace);
  return count == 0 ? std::string() : std::string(trace).replace(begin, count, "*");
}

std::string pattern_of_job(const std::string& output) {
  if (output.find('%') != std::string::npos) return {};
  const std::string stem = without_trace_ending(output);
  return stem + std::string(kMark) + '*' + output.substr(stem.size());
}

std::string report_of_job(const std::string& pattern) {
  // The star must not be quoted, so that a shell expands it.
  const std::size_t star = pattern.rfind('*');
  const std::string begin = pattern.substr(0, star);
  return "ompdm report --ranks " + (begin.empty() ? "" : shell_word(begin)) + pattern.substr(star);
}

std::string without_trace_ending(const std::string& name) {
  for (const std::string_view ending : kTraceEndings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

std::string summary_name(const std::string& trace) {
  return without_trace_ending(trace) + std::string(kSummaryEnding);
}

std::vector<std::string> traces_of_summary(const std::string& summary) {
  std::vector<std::string> traces;
  if (!summary.ends_with(kSummaryEnding)) return traces;
  const std::string stem = summary.substr(0, summary.size() - kSummaryEnding.size());
  for (const std::string_view ending : kTraceEndings) traces.push_back(stem + std::string(ending));
  return traces;
}

std::vector<std::string> without_summaries(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::error_code error;
  std::ranges::copy_if(names, std::back_inserter(others), [&](const std::string& name) {
    return std::ranges::none_of(traces_of_summary(name),
                                [&](const std::string& trace) { return fs::exists(trace, error); });
  });
  return others.empty() ? names : others;
}

bool is_older_run(const std::string& name) {
  return name.find(".~", name.rfind('/') + 1) != std::string::npos;
}

std::vector<std::string> without_older_runs(const std::vector<std::string>& names) {
  const std::set<std::string> named(names.begin(), names.end());
  std::vector<std::string> newest;
  for (const std::string& name : names) {
    const std::optional<std::string> newer = newest_name(name);
    if (newer && named.contains(*newer)) {
      fmt::print(stderr, "ompdm: {}: left out: it is an older run than {}\n", name, *newer);
    } else {
      newest.push_back(name);
    }
  }
  return newest;
}

std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names) {
  std::set<fs::path> named(names.begin(), names.end());
  std::set<fs::path> patterns;
  std::vector<std::string> all;
  std::error_code error;
  for (const std::string& name : names) {
    const fs::path pattern = pattern_of_ranks(name);
    if (!pattern.empty()) patterns.insert(pattern);
    if (fs::path(name) != pattern) all.push_back(name);
  }
  for (const fs::path& pattern : patterns) {
    named.erase(pattern);
    if (!are_all(named, pattern)) continue;
    for (const SpoolInfo& spool : find_spools(folder_of(pattern))) {
      const fs::path trace = pattern.parent_path() / spool.output.filename();
      const bool here = fs::equivalent(folder_of(spool.output), folder_of(pattern), error);
      if (here && matches(pattern.filename(), trace) && named.insert(trace).second) {
        all.push_back(trace);
      }
    }
  }
  return all.empty() ? names : all;
}

std::string newest_trace_here() {
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
  return rank_in_name(newest) >= 0 ? "." : newest;
}

void check_distinct(const std::vector<OneRecording>& recordings) {
  std::map<std::tuple<std::string, std::uint32_t, std::int64_t>, const OneRecording*> processes;
  for (const OneRecording& one : recordings) {
    const Process& process = one.process;
    const auto same =
        processes.emplace(std::tuple(process.host, process.pid, process.start_realtime_ns), &one);
    if (!same.second && process.pid != 0) {
      throw Error(fmt::format("{} and {} are the same recording: name it once",
                              same.first->second->file, one.file));
    }
  }
}

void check_ranks(const std::vector<OneRecording>& recordings) {
  std::map<std::int32_t, const OneRecording*> ranks;
  const OneRecording* sized = nullptr;  // the last that knows the job's size
  for (const OneRecording& one : recordings) {
    const auto& [rank, rank_count] = std::tie(one.process.rank, one.process.rank_count);
    if (rank < 0) continue;
    if (sized != nullptr && rank_count > 0 && sized->process.rank_count != rank_count) {
      refuse(
          *sized, one,
          fmt::format("are of runs of {} and of {} ranks", sized->process.rank_count, rank_count));
    }
    if (rank_count > 0) sized = &one;
    const auto [other, is_new] = ranks.emplace(rank, &one);
    if (is_new || are_of_one_rank(other->second->process, one.process)) continue;
    refuse(*other->second, one, fmt::format("are both rank {}, of different runs", rank));
  }
}

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
  add_source_options(verb, named.source, named.compile_commands);
}

void add_source_options(CLI::App& verb, std::string& source, std::string& compile_commands) {
  verb.add_option(
          "--source", source,
          "Read the program's sources: where they were compiled (auto, the default), or in DIR.\n"
          "off: judge by the trace alone")
      ->check(CLI::IsMember({"auto", "off"}) | CLI::ExistingDirectory)
      ->envname("OMPDM_SOURCE")
      ->type_name("auto|off|DIR");
  verb.add_option("-p", compile_commands,
                  "Folder of the compile_commands.json of the build, for --source auto")
      ->type_name("DIR");
}

void take_newest_if_none(NamedTraces& named) {
  if (!named.names.empty()) return;
  std::string newest = newest_trace_here();
  if (newest.empty()) {
    throw Error("no trace here: run `ompdm record PROGRAM` first, or name a trace",
                Error::Kind::kUsage);
  }
  fmt::print(stderr, "ompdm: no trace is named: {} is read\n",
             newest == "." ? "the job in this folder" : newest);
  named.names.push_back(std::move(newest));
}

SourceSearch NamedTraces::search() const {
  const bool is_folder = !source.empty() && source != "auto" && source != "off";
  return {is_folder ? fs::path(source) : fs::path(), compile_commands};
}

std::vector<report::Pictured> OpenedTraces::pictured() const {
  std::vector<report::Pictured> all;
  for (std::size_t i = 0; i < traces.size(); ++i) all.push_back({&traces[i], &pictures[i]});
  return all;
}

OpenedTraces open_each(const std::vector<std::string>& names, const NamedTraces& named,
                       const Wanted& wanted) {
  OpenedTraces all;
  EditProcess process;
  std::string error;
  for (const std::string& name : names) {
    try {
      open_one(name, named, wanted, process, all);
    } catch (const Error& wrong) {
      if (!wanted.rest_of_ranks || names.size() < 2 || rank_in_name(name) < 0) throw;
      error = wrong.what();
      fmt::print(stderr, "ompdm: {}\n", error);
    }
  }
  if (all.recordings.empty()) throw Error(error);
  all.complete = all.recordings.size() == names.size();
  return all;
}

OpenedTraces open_named(const NamedTraces& named, const Wanted& wanted) {
  std::vector<std::string> names = with_waiting_ranks(without_summaries(named.names));
  // Runs on several inputs may be older runs of one name.
  if (named.as != kAsInputs) names = without_older_runs(names);
  if (named.as != kAsInputs && wanted.take) std::ranges::stable_sort(names, {}, rank_in_name);
  OpenedTraces all = open_each(names, named, wanted);
  all.order = resolved_order(named.as, all);
  put_in_order(all.order, all.analyses);
  put_in_order(all.order, all.traces);
  put_in_order(all.order, all.pictures);
  const bool are_ranks = all.analyses.size() > 1 && all.analyses.front().run == 0;
  if (are_ranks) all.analyses.front().staging = analysis::staging_of(all.transfers);
  return all;
}

std::string spoken_names(const NamedTraces& named) {
  constexpr std::size_t kFew = 3;
  if (named.names.size() > kFew) return {};
  return fmt::format("{}", fmt::join(named.names, " "));
}

}  // namespace ompdm::cli
