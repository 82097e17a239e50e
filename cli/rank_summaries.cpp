#include "rank_summaries.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "job_files.h"
#include "ompdm/error.h"
#include "open_trace.h"
#include "progress.h"

namespace ompdm::cli {
namespace {

constexpr std::string_view kSpoolEnding = ".spool";

std::optional<summary::Source> source_of(const std::string& trace) {
  struct stat file{};
  if (::stat(trace.c_str(), &file) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return summary::Source{static_cast<std::uint64_t>(file.st_size),
                         file.st_mtim.tv_sec * kSecond + file.st_mtim.tv_nsec};
}

/// Under a name of its own first, so that nobody reads half of it. Never through a link.
bool write(const summary::Summary& one, const std::string& name) {
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

std::optional<summary::Summary> kept_summary(const std::string& trace) {
  const std::string name = summary_name(trace);
  if (!summary::is_summary(name)) return std::nullopt;
  try {
    summary::Summary one = summary::read_summary(name);
    if (one.source && one.source == source_of(named_trace(trace))) return one;
  } catch (const Error&) {  // it is made anew
  }
  return std::nullopt;
}

/// What was wrong, without the file's name, so that it is told once of many.
std::string reason_of(const Error& error, const std::string& file) {
  const std::string text = error.what();
  const std::string begin = file + ": ";
  return text.starts_with(begin) ? text.substr(begin.size()) : text;
}

/// Adds up what is read, rank by rank.
class Merger {
 public:
  void add(const std::string& file, const summary::Summary& one) {
    // All programs of a rank come first among themselves.
    if (rank_.ranks != one.ranks) flush();
    merge(rank_, one, file);
    last_ = file;
  }

  summary::Summary take() {
    flush();
    return std::move(all_);
  }

 private:
  static void merge(summary::Summary& into, const summary::Summary& one, const std::string& file) {
    try {
      summary::merge(into, one);
    } catch (const Error& error) {
      throw Error(fmt::format("{} and what was named before it: {}", file, error.what()));
    }
  }

  void flush() {
    merge(all_, rank_, last_);
    rank_ = {};
  }

  summary::Summary all_;
  summary::Summary rank_;
  std::string last_;
};

}  // namespace

void leave_summary(const FinishResult& finished) {
  const Process& process = finished.model.process;
  if (finished.by_another || process.rank < 0 || process.rank_count == 1) return;
  try {
    summary::Summary one = summary::summarize(finished.model);
    one.source = source_of(finished.trace);
    write(one, summary_name(finished.trace));
  } catch (const std::exception&) {  // the trace is what was asked for
  }
}

summary::Summary summary_of(const std::string& name) {
  if (summary::is_summary(name)) return summary::read_summary(name);
  // What is still to be finished is newer than a trace of its name.
  if (!is_spool(name) && !is_spool(name + std::string(kSpoolEnding))) {
    if (std::optional<summary::Summary> kept = kept_summary(name)) return std::move(*kept);
  }
  const OpenedTrace opened = open_trace(name);
  summary::Summary one = summary::summarize(opened.trace);
  if (opened.running) {
    fmt::print(stderr, "ompdm: {}: rank {} still records: it counts as far as it is\n", name,
               one.ranks.text());
    one.killed = {};
    return one;
  }
  if (opened.trace.process.rank < 0 || is_spool(name)) return one;
  one.source = source_of(named_trace(name));
  if (one.source) write(one, summary_name(name));
  return one;
}

Job merged(const std::vector<std::string>& files) {
  const Progress progress(fmt::format("reading {} ranks", files.size()));
  constexpr std::size_t kMostTold = 8;
  Merger merger;
  std::map<std::string, summary::RankSet> unread;
  std::vector<std::string> errors;
  for (const std::string& file : files) {
    summary::Summary one;
    try {
      one = summary_of(file);
    } catch (const Error& error) {
      errors.emplace_back(error.what());
      if (rank_of(file) >= 0) unread[reason_of(error, file)].add(summary::RankSet(rank_of(file)));
      continue;
    }
    merger.add(file, one);
  }
  Job job{merger.take(), errors.empty()};
  if (job.summary.ranks.empty() && !errors.empty()) throw Error(errors.front());
  for (const auto& [why, ranks] : unread) job.summary.unread[why].add(ranks);
  for (std::size_t i = 0; i < std::min(errors.size(), kMostTold); ++i) {
    fmt::print(stderr, "ompdm: {}\n", errors[i]);
  }
  if (errors.size() > kMostTold) {
    fmt::print(stderr, "ompdm: nor could {} more be read\n", errors.size() - kMostTold);
  }
  return job;
}

}  // namespace ompdm::cli
