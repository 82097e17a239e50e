#include "job_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "output.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using summary::RankSet;
using summary::Summary;

std::optional<summary::Source> source_of(const std::string& trace) {
  struct stat file{};
  if (::stat(trace.c_str(), &file) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return summary::Source{static_cast<std::uint64_t>(file.st_size),
                         file.st_mtim.tv_sec * kSecond + file.st_mtim.tv_nsec};
}

/// Writes a temporary file and renames it, so that nobody reads an incomplete file. Follows no
/// link.
bool write(const Summary& one, const std::string& name) {
  const std::string temporary = fmt::format("{}.tmp-{}", name, ::getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) return false;
  const std::string json = summary::to_json(one);
  const bool written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), name.c_str()) == 0) return true;
  std::remove(temporary.c_str());
  return false;
}

std::optional<Summary> kept_summary(const std::string& trace) {
  const std::string name = summary_name(trace);
  try {
    if (summary::is_summary(name)) {
      Summary one = summary::read_summary(name);
      if (one.source && one.source == source_of(named_trace(trace))) return one;
    }
  } catch (const Error&) {
    return std::nullopt;  // it is made again
  }
  return std::nullopt;
}

/// Number of events that are summed in about 0.1 s.
constexpr std::size_t kMostAtOnce = 100'000;

std::size_t events_of(const Trace& trace) {
  return trace.regions.size() + trace.ops.size() + trace.launches.size() + trace.activities.size();
}

bool still_records(const SpoolInfo& spool) { return spool.runs && !spool.finished; }

/// Adds files with names of other ranks, so that an unreadable file is reported.
void add_broken_ranks(const std::vector<std::string>& others, std::set<std::string>& files) {
  std::set<std::string> patterns;
  for (const std::string& file : files) patterns.insert(pattern_of_ranks(file));
  patterns.erase("");
  for (const std::string& name : others) {
    if (patterns.contains(pattern_of_ranks(name))) files.insert(name);
  }
}

/// The traces of a folder, those that its spools will become, and summaries without a trace.
std::vector<std::string> files_in(const std::string& folder) {
  std::set<std::string> files;
  std::vector<std::string> summaries;
  std::vector<std::string> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file(error) || without_trace_ending(name) == name) continue;
    if (summary::is_summary(name)) {
      summaries.push_back(name);
    } else if (!is_older_run(name) && is_trace(name)) {
      files.insert(name);
    } else if (!is_older_run(name)) {
      others.push_back(name);
    }
  }
  if (error) throw Error(folder + ": cannot be read: check its rights");
  for (const SpoolInfo& spool : find_spools(folder)) {
    const std::string name = (fs::path(folder) / spool.path.filename()).string();
    if (still_records(spool)) {
      files.insert(name);
    } else if (name.ends_with(kSpoolEnding)) {
      files.insert(name.substr(0, name.size() - kSpoolEnding.size()));
    }
  }
  add_broken_ranks(others, files);
  std::vector<std::string> all(files.begin(), files.end());
  for (const std::string& name : summaries) {
    const bool has_trace = std::ranges::any_of(
        traces_of_summary(name), [&](const std::string& trace) { return files.contains(trace); });
    if (!has_trace) all.push_back(name);
  }
  if (all.empty()) {
    throw Error(folder + ": holds no trace and no summary: run `ompdm record` there first");
  }
  return all;
}

void merge(Summary& into, const Summary& one, const std::string& who) {
  try {
    summary::merge(into, one);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", who, error.what()));
  }
}

/// The error without the file's name: it may be the same for many files.
std::string reason_of(const std::string& error, const std::string& file) {
  const std::string begin = file + ": ";
  return error.starts_with(begin) ? error.substr(begin.size()) : error;
}

/// "a.json: left out: ", "a.json and 3 more: left out: ".
void print_left_out(const std::vector<std::string>& files, const std::string& why) {
  fmt::print(stderr, "ompdm: {}{}: left out: {}\n", files.front(),
             files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1), why);
}

std::string size_of_job(std::int32_t ranks) {
  return ranks == 0 ? "of unknown size" : fmt::format("of {} rank{}", ranks, ranks == 1 ? "" : "s");
}

/// Reads summaries, and reports at the end which files could not be read.
class Reader {
 public:
  std::optional<Summary> read(const std::string& file) {
    try {
      return summary_of(file);
    } catch (const Error& error) {
      unread_.push_back({file, rank_in_name(file), error.what()});
      return std::nullopt;
    }
  }

  /// Leaves out unread files of ranks that a job of this size does not have.
  void leave_out_from(std::int32_t size) {
    std::vector<std::string> files;
    std::erase_if(unread_, [&](const Unread& one) {
      if (one.rank >= size) files.push_back(one.file);
      return one.rank >= size;
    });
    if (!files.empty()) {
      print_left_out(files, fmt::format("no rank of this job, which is {}", size_of_job(size)));
    }
  }

  /// Reports errors on stderr and in the summary. Returns whether there are none. Throws the first
  /// error where nothing was read.
  bool report_errors(Summary& all) const {
    constexpr std::size_t kMost = 8;
    if (all.ranks.empty() && !unread_.empty()) throw Error(unread_.front().error);
    for (std::size_t i = 0; i < std::min(unread_.size(), kMost); ++i) {
      fmt::print(stderr, "ompdm: {}\n", unread_[i].error);
    }
    if (unread_.size() > kMost) {
      fmt::print(stderr, "ompdm: nor could {} more be read\n", unread_.size() - kMost);
    }
    for (const Unread& one : unread_) {
      if (one.rank >= 0) all.unread[reason_of(one.error, one.file)].add(RankSet(one.rank));
    }
    return unread_.empty();
  }

 private:
  struct Unread {
    std::string file;
    int rank;  // in its name; -1: none
    std::string error;
  };
  std::vector<Unread> unread_;
};

/// The ranks and parts of one job, in any order.
class Merger {
 public:
  void add(Summary one, const std::string& file) {
    begin_ns = files.empty() ? one.begin_ns : std::max(begin_ns, one.begin_ns);
    files.push_back(file);
    if (one.ranks.size() > 1) {
      parts_.emplace_back(std::move(one.ranks), file);
      return;
    }
    // All programs of one rank are merged first.
    if (rank_.ranks == one.ranks) {
      merge(rank_, one, last_ + " and " + file);
    } else {
      add_rank();
      rank_ = std::move(one);
    }
    last_ = file;
  }

  Summary take(Reader& reader) {
    add_rank();
    std::ranges::stable_sort(parts_, {}, [](const auto& part) { return part.first.size(); });
    for (const auto& [ranks, file] : parts_) add_part(ranks, file, reader);
    if (!left_out_.empty()) {
      print_left_out(left_out_, fmt::format("{} ranks are there besides",
                                            left_out_.size() == 1 ? "its" : "their"));
    }
    return std::move(all_);
  }

  std::int64_t begin_ns = 0;       ///< when the last of its ranks began, REALTIME
  std::vector<std::string> files;  ///< all that were added

 private:
  void add_rank() {
    merge(all_, rank_, last_ + " and what was named before it");
    rank_ = {};
  }

  /// Adds a merged summary, unless its ranks were added one by one.
  void add_part(const RankSet& ranks, const std::string& file, Reader& reader) {
    RankSet with_it = all_.ranks;
    with_it.add(ranks);
    if (with_it == all_.ranks) {
      left_out_.push_back(file);
      return;
    }
    // The summary was not kept in memory, as there may be many.
    const std::optional<Summary> part = reader.read(file);
    if (part) merge(all_, *part, file + " and what was named besides");
  }

  Summary all_;
  Summary rank_;      ///< the rank that is added now: more of its programs may follow
  std::string last_;  ///< the last file of it
  std::vector<std::pair<RankSet, std::string>> parts_;
  std::vector<std::string> left_out_;
};

/// Whether a file may be left over from an earlier job with more ranks. Its name is that of this
/// job's files, for a rank that this job does not have.
bool is_leftover(const std::string& file, const std::string& of_job, std::int32_t size) {
  const auto stem = [](const std::string& name) { return name.substr(0, name.rfind(".rank")); };
  return size > 0 && rank_in_name(file) >= size && rank_in_name(of_job) >= 0 &&
         stem(file) == stem(of_job);
}

/// The last job. A job replaces the files of its ranks, so that files of an earlier job with more
/// ranks remain: they are left out. Throws Error where there are other files.
Merger last_of(std::map<std::int32_t, Merger> by_size) {
  const auto last =
      std::ranges::max_element(by_size, {}, [](const auto& job) { return job.second.begin_ns; });
  const auto& [own_size, own] = *last;
  for (const auto& [size, job] : by_size) {
    if (size == own_size) continue;
    for (const std::string& file : job.files) {
      if (is_leftover(file, own.files.front(), own_size)) continue;
      throw Error(fmt::format("{} and {}: are of jobs {} and {}: name the ranks of one job", file,
                              own.files.front(), size_of_job(size), size_of_job(own_size)));
    }
    print_left_out(job.files,
                   fmt::format("of an earlier job, {}: this one is {}: name the ranks of the other "
                               "alone to see it",
                               size_of_job(size), size_of_job(own_size)));
  }
  return std::move(last->second);
}

struct MergeOptions {
  std::vector<std::string> names;
  std::string output = "summary.json";
};

int run_merge(const MergeOptions& options) {
  refuse_input_as_output(options.output, options.names);
  std::vector<std::string> files = job_files(options.names);
  // The output of an earlier merge is no part of the next.
  std::error_code error;
  const auto is_output = [&](const std::string& file) {
    return std::filesystem::equivalent(file, options.output, error);
  };
  if (files.size() > 1) std::erase_if(files, is_output);
  const Job job = merged(files, false);
  const std::string json = summary::to_json(job.summary);
  OutputOptions output;
  output.format = "json";
  output.output = options.output;
  write_out(output, [&](std::ostream& out) { out << json; });
  return job.complete ? 0 : 1;
}

}  // namespace

void leave_summary(const FinishResult& finished, WaitedFor waited) {
  const Process& process = finished.model.process;
  if (finished.by_another || process.rank < 0 || process.rank_count == 1) return;
  if (waited == WaitedFor::kYes && events_of(finished.model) > kMostAtOnce) return;
  try {
    Summary one = summary::summarize(finished.model);
    one.source = source_of(finished.trace);
    write(one, summary_name(finished.trace));
  } catch (const std::exception&) {
    return;  // the user wants the trace, which is written already
  }
}

Summary summary_of(const std::string& name) {
  if (summary::is_summary(name)) return summary::read_summary(name);
  // A spool is newer than the summary of its trace.
  const bool is_passing = is_pipe(name);
  if (!is_passing && !is_spool(name) && !is_spool(name + std::string(kSpoolEnding))) {
    if (std::optional<Summary> kept = kept_summary(name)) return std::move(*kept);
  }
  const OpenedTrace opened = open_trace(name);
  Summary one = summary::summarize(opened.trace);
  if (opened.running) {
    fmt::print(stderr, "ompdm: {}: rank {} still records: it counts as far as it is\n", name,
               one.ranks.text());
    one.killed = {};
    return one;
  }
  if (is_passing || opened.trace.process.rank < 0 || is_spool(name)) return one;
  one.source = source_of(named_trace(name));
  if (one.source) write(one, summary_name(name));
  return one;
}

bool report_job_once(FinishedSession& finished) {
  if (finished.traces.empty()) return false;
  const std::string& first = finished.traces.front();
  const std::string pattern = pattern_of_ranks(first);
  const auto begin_of = [](const std::string& name) { return name.substr(0, name.rfind('*')); };
  const bool one_job = !pattern.empty() && std::ranges::all_of(finished.traces, [&](auto& trace) {
    return begin_of(pattern_of_ranks(trace)) == begin_of(pattern);
  });
  if (!one_job) return false;
  std::erase_if(finished.lines, [](const std::string& line) { return line.starts_with("wrote "); });
  std::set<int> ranks;
  for (const std::string& trace : finished.traces) ranks.insert(rank_in_name(trace));
  if (ranks.size() == 1 && *ranks.begin() != 0) return true;
  std::string wrote = fmt::format("wrote {} ranks", ranks.size());
  if (ranks.size() == 1) {
    wrote = fmt::format("wrote {} and other ranks", first);
  } else if (ranks.size() != finished.traces.size()) {
    wrote += fmt::format(", {} programs of them", finished.traces.size());
  }
  finished.lines.push_back(fmt::format("{}; next: {}", wrote, report_of_job(pattern)));
  return true;
}

std::vector<std::string> job_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& name : names) {
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    for (std::string& file : files_in(name)) files.push_back(std::move(file));
  }
  files = without_older_runs(with_waiting_ranks(without_summaries(files)));
  std::ranges::stable_sort(files, {}, [](const std::string& name) {
    return std::pair(rank_in_name(name) < 0, rank_in_name(name));
  });
  return files;
}

std::vector<std::string> job_traces(const std::vector<std::string>& names) {
  std::vector<std::string> traces;
  for (std::string& name : job_files(names)) {
    if (summary::is_summary(name)) {
      std::vector<std::string> beside = traces_of_summary(name);
      const auto trace = std::ranges::find_if(beside, [](auto& file) { return is_trace(file); });
      if (trace == beside.end()) {
        throw Error(name + ": is a summary, which has no events: name the trace that it is of");
      }
      name = std::move(*trace);
    }
    if (std::ranges::find(traces, name) == traces.end()) traces.push_back(std::move(name));
  }
  return traces;
}

bool means_job(const std::vector<std::string>& names) {
  constexpr std::size_t kShownOneByOne = 8;
  std::error_code error;
  const std::vector<std::string> traces = without_summaries(names);
  const bool is_named = std::ranges::any_of(traces, [&](const std::string& name) {
    return fs::is_directory(name, error) || summary::is_summary(name);
  });
  return is_named || (traces.size() > kShownOneByOne && std::ranges::all_of(traces, [](auto& name) {
                        return rank_in_name(name) >= 0;
                      }));
}

Job merged(const std::vector<std::string>& files, bool newest) {
  const Progress progress(fmt::format("reading {} ranks", files.size()));
  Reader reader;
  std::map<std::int32_t, Merger> jobs;  // by their size
  for (const std::string& file : files) {
    std::optional<Summary> one = reader.read(file);
    if (one) jobs[newest ? one->rank_count : 0].add(std::move(*one), file);
  }
  Summary all;
  auto of_any_size = jobs.extract(0);
  if (!jobs.empty()) all = last_of(std::move(jobs)).take(reader);
  if (all.rank_count > 0) reader.leave_out_from(all.rank_count);
  if (!of_any_size.empty()) {
    merge(all, of_any_size.mapped().take(reader), of_any_size.mapped().files.front());
  }
  const bool is_complete = reader.report_errors(all);
  return {std::move(all), is_complete};
}

void setup_merge(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb =
      app.add_subcommand("merge", "Make one summary of a job's ranks, or of parts")->group("Look");
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
