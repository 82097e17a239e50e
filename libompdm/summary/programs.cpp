// Several programs of one rank, as a script runs them or a program starts them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "ompdm/error.h"
#include "ompdm/summary.h"
#include "summary/row_texts.h"

namespace ompdm::summary {
namespace {

using Figures = std::map<std::string, Figure>;

/// Whether a figure is the sum of those of the rank's processes; else it is the most of them.
using AddsUp = bool (*)(const std::string& figure);

bool all(const std::string& /*figure*/) { return true; }
bool all_but_size(const std::string& figure) { return figure != "bytes"; }
bool passes_alone(const std::string& figure) { return figure == "count" || figure == "entries"; }

void add(Figures& into, const Figures& other, std::int32_t rank, AddsUp adds_up) {
  for (const auto& [name, figure] : other) {
    Figure& mine = into[name];
    const std::uint64_t before = mine.ranks.sum;
    const std::uint64_t more = figure.ranks.sum;
    mine = {};
    mine.add(rank, adds_up(name) ? before + more : std::max(before, more));
  }
}

/// A rank is told by the strongest confidence that one of its processes gives.
void keep_strongest(std::map<std::string, std::uint64_t>& confidences) {
  for (const char* strongest : {"certain", "likely", "possible"}) {
    if (!confidences.contains(strongest)) continue;
    confidences = {{strongest, 1}};
    return;
  }
}

void add(Rows& into, const Rows& other, std::int32_t rank, AddsUp adds_up) {
  for (const auto& [id, row] : other) {
    Row& mine = into[id];
    join_texts(mine, row);
    add(mine.figures, row.figures, rank, adds_up);
    mine.durations.add(row.durations);
    mine.ranks = row.ranks;
    mine.confidences.insert(row.confidences.begin(), row.confidences.end());
    keep_strongest(mine.confidences);
  }
}

/// How long one of them or several ran.
std::uint64_t wall_of(std::vector<RankProcess> processes) {
  std::ranges::sort(processes, {}, &RankProcess::start_ns);
  std::int64_t wall = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const RankProcess& one : processes) {
    const std::int64_t its_end = one.start_ns + one.wall_ns;
    wall += std::max(std::int64_t{0}, its_end - std::max(end, one.start_ns));
    end = std::max(end, its_end);
  }
  return static_cast<std::uint64_t>(wall);
}

void check(const Summary& rank, const Summary& other) {
  const auto name = [](const RankProcess& one) {
    return std::tuple(one.host, one.pid, one.start_ns);
  };
  for (const RankProcess& one : rank.processes) {
    for (const RankProcess& another : other.processes) {
      if (name(one) == name(another)) {
        throw Error(
            fmt::format("are the same recording of rank {}: name it once", rank.ranks.text()));
      }
    }
  }
  if (rank.processes.empty() || other.processes.empty() ||
      !of_one_run(rank.processes.front(), other.processes.front())) {
    throw Error(fmt::format("are of different runs, both rank {}: name the traces of one run",
                            rank.ranks.text()));
  }
}

}  // namespace

bool of_one_run(const RankProcess& one, const RankProcess& other) {
  if (!one.session.empty() || !other.session.empty()) return one.session == other.session;
  return one.group != 0 && one.group == other.group && one.host == other.host;
}

void add_program(Summary& rank, const Summary& other) {
  check(rank, other);
  const std::int32_t number = rank.ranks.first();
  std::vector<RankProcess> processes;
  std::ranges::merge(rank.processes, other.processes, std::back_inserter(processes));
  rank.processes = std::move(processes);
  rank.begin_ns = std::min(rank.begin_ns, other.begin_ns);
  rank.end_ns = std::max(rank.end_ns, other.end_ns);
  rank.killed.add(other.killed);
  rank.truncated.add(other.truncated);
  for (const auto& [why, ranks] : other.unread) rank.unread[why].add(ranks);
  for (const auto& [fact, values] : other.facts)
    rank.facts[fact].insert(values.begin(), values.end());
  add(rank.totals, other.totals, number, all);
  rank.totals["wall_ns"] = {};
  rank.totals["wall_ns"].add(number, wall_of(rank.processes));
  add(rank.losses, other.losses, number, all);
  add(rank.activities, other.activities, number, all);
  add(rank.directives, other.directives, number, all);
  add(rank.variables, other.variables, number, all_but_size);
  add(rank.loops, other.loops, number, passes_alone);
  add(rank.findings, other.findings, number, all);
  rank.source.reset();
}

}  // namespace ompdm::summary
