#include <fmt/format.h>

#include <algorithm>

#include "ompdm/error.h"
#include "ompdm/summary.h"
#include "summary/row_texts.h"

namespace ompdm::summary {
namespace {

void add_all(std::map<std::string, Figure>& into, const std::map<std::string, Figure>& other) {
  for (const auto& [name, figure] : other) into[name].add(figure);
}

void add(Row& into, const Row& other) {
  join_texts(into, other);
  add_all(into.figures, other.figures);
  into.durations.add(other.durations);
  into.ranks.add(other.ranks);
  for (const auto& [confidence, ranks] : other.confidences) into.confidences[confidence] += ranks;
}

void add_all(Rows& into, const Rows& other) {
  for (const auto& [id, row] : other) add(into[id], row);
}

}  // namespace

void join_texts(Row& into, const Row& other) {
  for (const auto& [key, text] : other.what) {
    const auto [known, is_new] = into.what.try_emplace(key, text);
    if (!is_new) known->second = std::min(known->second, text);
  }
  if (into.line == 0 || (other.line != 0 && other.line < into.line)) into.line = other.line;
}

void Figure::add(std::int32_t rank, std::uint64_t value) {
  Figure one;
  one.ranks.add(value);
  one.least_rank = rank;
  one.most_rank = rank;
  add(one);
}

void Figure::add(const Figure& other) {
  if (other.ranks.count == 0) return;
  const bool none = ranks.count == 0;
  if (none || other.ranks.least < ranks.least ||
      (other.ranks.least == ranks.least && other.least_rank < least_rank)) {
    least_rank = other.least_rank;
  }
  if (none || other.ranks.most > ranks.most ||
      (other.ranks.most == ranks.most && other.most_rank < most_rank)) {
    most_rank = other.most_rank;
  }
  ranks.add(other.ranks);
}

void merge(Summary& into, const Summary& other) {
  if (into.rank_count != 0 && other.rank_count != 0 && into.rank_count != other.rank_count) {
    throw Error(fmt::format("are of jobs of {} and of {} ranks: name the ranks of one job",
                            into.rank_count, other.rank_count));
  }
  if (into.ranks.size() == 1 && into.ranks == other.ranks) {
    add_program(into, other);
    return;
  }
  RankSet ranks = into.ranks;
  if (!ranks.add(other.ranks)) {
    throw Error(
        fmt::format("ranks {} and {} have some in common: name each rank once, and all "
                    "programs of a rank together",
                    into.ranks.text(), other.ranks.text()));
  }
  if (into.ranks.empty()) {
    auto unread = std::move(into.unread);
    into = other;
    for (const auto& [why, of] : unread) into.unread[why].add(of);
    return;
  }
  into.rank_count = std::max(into.rank_count, other.rank_count);
  for (const auto& [why, of] : other.unread) into.unread[why].add(of);
  if (other.ranks.empty()) return;
  into.ranks = std::move(ranks);
  into.begin_ns = std::min(into.begin_ns, other.begin_ns);
  into.end_ns = std::max(into.end_ns, other.end_ns);
  into.killed.add(other.killed);
  into.truncated.add(other.truncated);
  for (const auto& [fact, values] : other.facts) {
    for (const auto& [value, of] : values) into.facts[fact][value].add(of);
  }
  add_all(into.totals, other.totals);
  add_all(into.losses, other.losses);
  add_all(into.activities, other.activities);
  add_all(into.directives, other.directives);
  add_all(into.variables, other.variables);
  add_all(into.loops, other.loops);
  add_all(into.findings, other.findings);
  into.processes.clear();
  into.source.reset();
}

}  // namespace ompdm::summary
