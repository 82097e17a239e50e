#include "merged_ranks.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Reads ranks and parts of the job in any order.
class Merger {
  static constexpr std::size_t kMost = 8;  ///< that are told by their names

 public:
  void read(const std::string& file) {
    Summary one;
    if (!read(file, one)) return;
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

  Job take() {
    add_rank();
    std::ranges::stable_sort(parts_, {}, [](const auto& part) { return part.first.size(); });
    for (const auto& [ranks, file] : parts_) add_part(ranks, file);
    if (all_.ranks.empty() && !errors_.empty()) throw Error(errors_.front());
    for (const auto& [why, ranks] : unread_) all_.unread[why].add(ranks);
    tell_left_out();
    tell_errors();
    return {std::move(all_), errors_.empty()};
  }

 private:
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

  void add_rank() {
    merge(all_, rank_, last_ + " and what was named before it");
    rank_ = {};
  }

  /// What was merged may lie beside what it was merged from.
  void add_part(const RankSet& ranks, const std::string& file) {
    RankSet with_it = all_.ranks;
    with_it.add(ranks);
    if (with_it == all_.ranks) {
      left_out_.push_back(file);
      return;
    }
    Summary part;  // it was not kept: there may be many
    if (read(file, part)) merge(all_, part, file + " and what was named besides");
  }

  void tell_left_out() const {
    if (left_out_.empty()) return;
    const std::size_t others = left_out_.size() - 1;
    fmt::print(stderr, "ompdm: {}{}: left out: {} ranks are there besides\n", left_out_.front(),
               others == 0 ? "" : fmt::format(" and {} more", others),
               others == 0 ? "its" : "their");
  }

  void tell_errors() const {
    for (std::size_t i = 0; i < std::min(errors_.size(), kMost); ++i) {
      fmt::print(stderr, "ompdm: {}\n", errors_[i]);
    }
    if (errors_.size() > kMost) {
      fmt::print(stderr, "ompdm: nor could {} more be read\n", errors_.size() - kMost);
    }
  }

  Summary all_;
  Summary rank_;      ///< of which more programs may come
  std::string last_;  ///< that was read of it
  std::vector<std::pair<RankSet, std::string>> parts_;
  std::map<std::string, RankSet> unread_;
  std::vector<std::string> left_out_;
  std::vector<std::string> errors_;
};

}  // namespace

Job merged(const std::vector<std::string>& files) {
  const Progress progress(fmt::format("reading {} ranks", files.size()));
  Merger merger;
  for (const std::string& file : files) merger.read(file);
  return merger.take();
}

}  // namespace ompdm::cli
