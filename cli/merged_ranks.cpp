#include "merged_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

#include "job_files.h"
#include "ompdm/error.h"
#include "one_run.h"
#include "progress.h"
#include "rank_summaries.h"

namespace ompdm::cli {
namespace {

using summary::RankSet;
using summary::Summary;

void merge(Summary& into, const Summary& one, const std::string& who) {
  try {
    summary::merge(into, one);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", who, error.what()));
  }
}

/// What was wrong, without the file's name, so that it is told once of many.
std::string reason_of(const std::string& error, const std::string& file) {
  const std::string begin = file + ": ";
  return error.starts_with(begin) ? error.substr(begin.size()) : error;
}

/// Reads summaries, and tells in the end what could not be read and what was left out.
class Reader {
  static constexpr std::size_t kMost = 8;  ///< that are told by their names

 public:
  bool read(const std::string& file, Summary& one) {
    try {
      one = summary_of(file);
      return true;
    } catch (const Error& error) {
      errors_.emplace_back(error.what());
      const int rank = rank_in_name(file);
      if (rank >= 0) unread_[reason_of(errors_.back(), file)].add(RankSet(rank));
      return false;
    }
  }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] const std::map<std::string, RankSet>& unread() const { return unread_; }

  void tell_errors() const {
    for (std::size_t i = 0; i < std::min(errors_.size(), kMost); ++i) {
      fmt::print(stderr, "ompdm: {}\n", errors_[i]);
    }
    if (errors_.size() > kMost) {
      fmt::print(stderr, "ompdm: nor could {} more be read\n", errors_.size() - kMost);
    }
  }

 private:
  std::map<std::string, RankSet> unread_;
  std::vector<std::string> errors_;
};

/// "a.json: left out: ", "a.json and 3 more: left out: ".
void tell_left_out(const std::vector<std::string>& files, const std::string& why) {
  fmt::print(stderr, "ompdm: {}{}: left out: {}\n", files.front(),
             files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1), why);
}

/// The ranks and parts of one job, in any order.
class Merger {
 public:
  void add(Summary one, const std::string& file) {
    begin_ns_ = files_.empty() ? one.begin_ns : std::max(begin_ns_, one.begin_ns);
    files_.push_back(file);
    if (one.ranks.size() > 1) {
      parts_.emplace_back(std::move(one.ranks), file);
      return;
    }
    // All programs of a rank come first among themselves.
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
      tell_left_out(left_out_, fmt::format("{} ranks are there besides",
                                           left_out_.size() == 1 ? "its" : "their"));
    }
    return std::move(all_);
  }

  /// When the last of its ranks began, REALTIME.
  [[nodiscard]] std::int64_t begin_ns() const { return begin_ns_; }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  void add_rank() {
    merge(all_, rank_, last_ + " and what was named before it");
    rank_ = {};
  }

  /// What was merged may lie beside what it was merged from.
  void add_part(const RankSet& ranks, const std::string& file, Reader& reader) {
    RankSet with_it = all_.ranks;
    with_it.add(ranks);
    if (with_it == all_.ranks) {
      left_out_.push_back(file);
      return;
    }
    Summary part;  // it was not kept: there may be many
    if (reader.read(file, part)) merge(all_, part, file + " and what was named besides");
  }

  Summary all_;
  Summary rank_;      ///< of which more programs may come
  std::string last_;  ///< that was read of it
  std::int64_t begin_ns_ = 0;
  std::vector<std::string> files_;
  std::vector<std::pair<RankSet, std::string>> parts_;
  std::vector<std::string> left_out_;
};

std::string spoken_size_of_job(std::int32_t ranks) {
  return ranks == 0 ? "of unknown size" : fmt::format("of {} ranks", ranks);
}

/// A job takes the names of the ranks that it has: what an earlier one of more ranks left there
/// besides is no part of it.
Merger newest(std::map<std::int32_t, Merger> by_size) {
  const auto last =
      std::ranges::max_element(by_size, {}, [](const auto& job) { return job.second.begin_ns(); });
  for (const auto& [size, job] : by_size) {
    if (size == last->first) continue;
    tell_left_out(job.files(),
                  fmt::format("of an earlier job, {}: this one is {}: name the ranks of the other "
                              "alone to see it",
                              spoken_size_of_job(size), spoken_size_of_job(last->first)));
  }
  return std::move(last->second);
}

}  // namespace

Job merged(const std::vector<std::string>& files, Sizes sizes) {
  const Progress progress(fmt::format("reading {} ranks", files.size()));
  Reader reader;
  std::map<std::int32_t, Merger> jobs;  // by their size
  for (const std::string& file : files) {
    Summary one;
    if (!reader.read(file, one)) continue;
    const bool is_apart = sizes == Sizes::kNewest && one.rank_count > 0;
    const std::int32_t size = is_apart ? one.rank_count : 0;
    jobs[size].add(std::move(one), file);
  }
  if (jobs.empty() && !reader.errors().empty()) throw Error(reader.errors().front());
  Summary all;
  if (!jobs.empty()) all = newest(std::move(jobs)).take(reader);
  for (const auto& [why, ranks] : reader.unread()) all.unread[why].add(ranks);
  reader.tell_errors();
  return {std::move(all), reader.errors().empty()};
}

}  // namespace ompdm::cli
