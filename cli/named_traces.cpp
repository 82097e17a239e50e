#include "named_traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "job_files.h"
#include "ompdm/comparison.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "open_trace.h"
#include "output.h"
#include "source_lines.h"

namespace ompdm::cli {

namespace {

/// "trace.json" of "trace.~1~.json"; nothing of other names.
std::optional<std::string> newest_name(const std::string& name) {
  const std::size_t file = name.rfind('/') + 1;
  const std::size_t begin = name.find(".~", file);
  if (begin == std::string::npos) return std::nullopt;
  std::size_t end = begin + 2;
  while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
  if (end == begin + 2 || end >= name.size() || name[end] != '~') return std::nullopt;
  return name.substr(0, begin) + name.substr(end + 1);
}

/// Ranks of one job run at the same time. Clocks of two machines may differ.
void doubt_what_ran_apart(const std::vector<OneRecording>& recordings) {
  const auto end = [](const Process& process) { return process.start_realtime_ns + process.wall; };
  std::map<std::string, std::pair<const OneRecording*, const OneRecording*>>
      hosts;  // first end, last begin
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) continue;
    auto& [ended, begun] = hosts.try_emplace(one.process.host, &one, &one).first->second;
    if (end(one.process) < end(ended->process)) ended = &one;
    if (one.process.start_realtime_ns > begun->process.start_realtime_ns) begun = &one;
  }
  for (const auto& [host, apart] : hosts) {
    const auto& [ended, begun] = apart;
    if (end(ended->process) >= begun->process.start_realtime_ns) continue;
    fmt::print(stderr, "ompdm: {} had ended before {} began: are they of one run?\n", ended->file,
               begun->file);
  }
}

/// Says which ranks of their job are not among several recordings.
void tell_missing_ranks(const std::vector<OneRecording>& recordings) {
  if (recordings.size() < 2) return;
  std::set<std::int32_t> missing;
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) return;
    for (std::int32_t rank = 0; rank < one.process.rank_count; ++rank) missing.insert(rank);
  }
  for (const OneRecording& one : recordings) missing.erase(one.process.rank);
  constexpr std::size_t kMostTold = 8;
  if (missing.empty()) return;
  const std::vector<std::int32_t> told(
      missing.begin(), std::next(missing.begin(), std::min(missing.size(), kMostTold)));
  fmt::print(stderr, "ompdm: of this job's {} ranks {} {} not among these: {}{}\n",
             recordings.front().process.rank_count, missing.size(),
             missing.size() == 1 ? "is" : "are", fmt::join(told, ", "),
             missing.size() > kMostTold ? ", …" : "");
}

/// A rank may be a script that runs several programs, or one that starts others.
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

}  // namespace

int rank_in_name(const std::string& name) {
  constexpr std::string_view kMark = ".rank";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return -1;
  int rank = 0;
  std::size_t at = mark + kMark.size();
  const std::size_t begin = at;
  for (; at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0; ++at) {
    rank = 10 * rank + (name[at] - '0');
    if (at - begin > 8) return -1;
  }
  const bool ends = at == name.size() || name[at] == '.';
  return at == begin || !ends ? -1 : rank;
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

void check_apart(const std::vector<OneRecording>& recordings) {
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
  const OneRecording* of_a_job = nullptr;
  for (const OneRecording& one : recordings) {
    const Process& process = one.process;
    if (process.rank < 0) continue;
    const bool other_size = of_a_job != nullptr && process.rank_count > 0 &&
                            of_a_job->process.rank_count != process.rank_count;
    if (other_size) {
      refuse(*of_a_job, one,
             fmt::format("are of runs of {} and of {} ranks", of_a_job->process.rank_count,
                         process.rank_count));
    }
    if (process.rank_count > 0) of_a_job = &one;
    const auto [other, is_new] = ranks.emplace(process.rank, &one);
    if (is_new) continue;
    if (!are_of_one_rank(other->second->process, process)) {
      refuse(*other->second, one, fmt::format("are both rank {}, of different runs", process.rank));
    }
  }
}

void check_one_run(const std::vector<OneRecording>& recordings) {
  check_ranks(recordings);
  doubt_what_ran_apart(recordings);
  tell_missing_ranks(recordings);
}

std::vector<std::size_t> rank_order(const std::vector<OneRecording>& recordings) {
  std::vector<std::size_t> order(recordings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t at) {
    return std::pair(std::max(recordings[at].process.rank, -1), at);
  });
  return order;
}

namespace {

/// A launcher that starts one rank alone makes no job of it.
bool is_in_job(const OneRecording& one) {
  return one.process.rank >= 0 && one.process.rank_count != 1;
}

std::int64_t end_of(const Process& process) { return process.start_realtime_ns + process.wall; }

/// Two that ran at the same time; nothing if all ran one after the other.
struct Overlap {
  const OneRecording* one = nullptr;
  const OneRecording* other = nullptr;
};

Overlap overlap_of(const std::vector<OneRecording>& recordings) {
  std::vector<const OneRecording*> by_start;
  for (const OneRecording& one : recordings) by_start.push_back(&one);
  std::ranges::sort(by_start, {},
                    [](const OneRecording* one) { return one->process.start_realtime_ns; });
  const OneRecording* last = by_start.front();
  for (std::size_t i = 1; i < by_start.size(); ++i) {
    if (by_start[i]->process.start_realtime_ns < end_of(last->process)) return {last, by_start[i]};
    last = by_start[i];
  }
  return {};
}

bool are_of_one_program(const std::vector<OneRecording>& recordings) {
  return std::ranges::all_of(recordings, [&](const OneRecording& one) {
    return one.process.program == recordings.front().process.program;
  });
}

Together guess(const std::vector<OneRecording>& recordings) {
  if (recordings.size() < 2 || std::ranges::any_of(recordings, is_in_job)) return Together::kOneRun;
  if (!are_of_one_program(recordings)) return Together::kOneRun;
  const Overlap overlap = overlap_of(recordings);
  if (overlap.one == nullptr) return Together::kInputs;
  if (overlap.one->process.arguments != overlap.other->process.arguments) {
    fmt::print(stderr,
               "ompdm: {} and {} ran at the same time: taken for one run; `--as inputs` holds runs "
               "on several inputs against each other\n",
               overlap.one->file, overlap.other->file);
  }
  return Together::kOneRun;
}

/// What to say of two that are not one program; empty if they are, as far as they tell.
std::string objection(const analysis::Analysis& one, const analysis::Analysis& other) {
  switch (analysis::same_program(one, other)) {
    case analysis::SameProgram::kOtherBuild:
      return fmt::format("{} and {} are of different builds of {}", one.file, other.file,
                         one.process.program);
    case analysis::SameProgram::kOtherProgram:
      return fmt::format("{} and {} are of different programs, {} and {}", one.file, other.file,
                         one.process.program, other.process.program);
    case analysis::SameProgram::kYes:
    case analysis::SameProgram::kByName:
      break;
  }
  return {};
}

}  // namespace

Together together_of(const std::vector<OneRecording>& recordings, std::string_view as) {
  check_apart(recordings);
  if (as == kAsInputs) return recordings.size() < 2 ? Together::kOneRun : Together::kInputs;
  const Together together = as == kAsJob ? Together::kOneRun : guess(recordings);
  if (together == Together::kOneRun) check_one_run(recordings);
  return together;
}

void agree_on_inputs(std::vector<analysis::Analysis>& runs, bool asked) {
  for (const analysis::Analysis& run : runs) {
    const std::string text = objection(runs.front(), run);
    if (text.empty()) continue;
    if (asked) {
      throw Error(text + ": record each input with one build, or `ompdm compare` two");
    }
    fmt::print(stderr, "ompdm: {}: their findings are not held against each other\n", text);
    return;
  }
  const bool is_sure = std::ranges::all_of(runs, [&](const analysis::Analysis& run) {
    return analysis::same_program(runs.front(), run) == analysis::SameProgram::kYes;
  });
  if (!is_sure) {
    fmt::print(stderr, "ompdm: {} has no build id: that all are of one build is not known\n",
               runs.front().process.program);
  }
  analysis::agree(runs);
}

namespace {

namespace fs = std::filesystem;

bool matches(const std::string& pattern, const fs::path& file) {
  return fnmatch(pattern.c_str(), file.filename().c_str(), 0) == 0;
}

/// "out/trace.rank*.json" of "out/trace.rank12.json" and of itself; empty for other names.
fs::path pattern_of(const fs::path& name) {
  const std::string file = name.filename();
  constexpr std::string_view kMark = ".rank";
  const std::size_t mark = file.find(kMark);
  if (mark == std::string::npos) return {};
  std::size_t end = mark + kMark.size();
  const auto is_number = [&] { return end < file.size() && std::isdigit(file[end]) != 0; };
  if (end < file.size() && file[end] == '*') {
    ++end;
  } else {
    while (is_number()) ++end;
  }
  if (end == mark + kMark.size() || (end < file.size() && file[end] != '.')) return {};
  return name.parent_path() / (file.substr(0, mark) + ".rank*" + file.substr(end));
}

fs::path folder_of(const fs::path& pattern) {
  return pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
}

bool are_all(const std::set<fs::path>& named, const fs::path& pattern) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(pattern), error)) {
    const fs::path name = pattern.parent_path() / entry.path().filename();
    const bool older = entry.path().filename().native().find(".~") != std::string::npos;
    const bool summary = name.native().ends_with(".summary.json");
    if (matches(pattern.filename(), name) && !older && !summary && !named.contains(name))
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names) {
  std::set<fs::path> named(names.begin(), names.end());
  std::set<fs::path> patterns;
  std::vector<std::string> all;
  std::error_code error;
  for (const std::string& name : names) {
    const fs::path pattern = pattern_of(name);
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
