#include "ompdm/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

#include "ompdm/analysis.h"
#include "ompdm/error.h"

namespace ompdm::summary {

namespace {

std::int32_t number_of(std::string_view text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw Error(fmt::format("'{}' is no rank", text));
  }
  return value;
}

using Figures = std::map<std::string, Figure>;

/// Whether a figure is the sum of those of the rank's processes; else it is the most of them.
using AddsUp = bool (*)(const std::string& figure);

bool all(const std::string& /*figure*/) { return true; }
bool all_but_size(const std::string& figure) { return figure != "bytes"; }
bool passes_alone(const std::string& figure) { return figure == "count" || figure == "entries"; }

/// The tables, and how their figures add up over the processes of a rank.
constexpr std::pair<Rows Summary::*, AddsUp> kTables[] = {
    {&Summary::activities, all},         {&Summary::directives, all},
    {&Summary::variables, all_but_size}, {&Summary::loops, passes_alone},
    {&Summary::findings, all},           {&Summary::mapping, all}};

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
  for (const char* strongest : analysis::kConfidences) {
    if (!confidences.contains(strongest)) continue;
    confidences = {{strongest, 1}};
    return;
  }
}

/// Joins the texts of two rows of one id. Folders and lines may differ where ids do not: of these
/// the first in order stays, whichever row comes first.
void join_texts(Row& into, const Row& other) {
  for (const auto& [key, text] : other.what) {
    const auto [known, is_new] = into.what.try_emplace(key, text);
    if (!is_new) known->second = std::min(known->second, text);
  }
  if (into.line == 0 || (other.line != 0 && other.line < into.line)) into.line = other.line;
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

/// Adds the facts that two parts of a job have in any case.
void add_facts(Summary& into, const Summary& other) {
  into.begin_ns = std::min(into.begin_ns, other.begin_ns);
  into.end_ns = std::max(into.end_ns, other.end_ns);
  into.killed.add(other.killed);
  into.truncated.add(other.truncated);
  for (const auto& [fact, values] : other.facts) {
    for (const auto& [value, of] : values) into.facts[fact][value].add(of);
  }
  into.source.reset();
}

void add_unread(Summary& into, const std::map<std::string, RankSet>& unread) {
  for (const auto& [why, ranks] : unread) into.unread[why].add(ranks);
}

void add(Figures& into, const Figures& other) {
  for (const auto& [name, figure] : other) into[name].add(figure);
}

/// Adds a row of other ranks.
void add(Row& into, const Row& other) {
  join_texts(into, other);
  add(into.figures, other.figures);
  into.durations.add(other.durations);
  into.ranks.add(other.ranks);
  for (const auto& [confidence, ranks] : other.confidences) into.confidences[confidence] += ranks;
}

}  // namespace

RankSet::RankSet(std::string_view text) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::int32_t first = number_of(range.substr(0, dash));
    const std::int32_t last =
        dash == std::string_view::npos ? first : number_of(range.substr(dash + 1));
    if (last < first || (!ranges_.empty() && first <= ranges_.back().second)) {
      throw Error(fmt::format("'{}' is out of order", range));
    }
    ranges_.emplace_back(first, last);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

bool RankSet::add(const RankSet& other) {
  decltype(ranges_) sorted;
  std::ranges::merge(ranges_, other.ranges_, std::back_inserter(sorted));
  decltype(ranges_) joined;
  bool apart = true;
  for (const auto& [first, last] : sorted) {
    if (!joined.empty() && first <= joined.back().second) apart = false;
    if (!joined.empty() && first - 1 <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, last);
    } else {
      joined.emplace_back(first, last);
    }
  }
  ranges_ = std::move(joined);
  return apart;
}

bool RankSet::contains(std::int32_t rank) const { return RankSet(rank).without(*this).empty(); }

std::uint64_t RankSet::size() const {
  std::uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += static_cast<std::uint64_t>(last - first) + 1;
  return count;
}

RankSet RankSet::missing(std::int32_t count) const {
  RankSet all;
  if (count > 0) all.ranges_ = {{0, count - 1}};
  return all.without(*this);
}

RankSet RankSet::without(const RankSet& other) const {
  RankSet rest;
  for (const auto& [first, last] : ranges_) {
    std::int32_t next = first;
    for (const auto& [from, to] : other.ranges_) {
      if (to < next || from > last) continue;
      if (next < from) rest.ranges_.emplace_back(next, from - 1);
      next = to + 1;
    }
    if (next <= last) rest.ranges_.emplace_back(next, last);
  }
  return rest;
}

std::string RankSet::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

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
  add_facts(rank, other);
  add_unread(rank, other.unread);
  add(rank.totals, other.totals, number, all);
  rank.totals["wall_ns"] = {};
  rank.totals["wall_ns"].add(number, wall_of(rank.processes));
  add(rank.losses, other.losses, number, all);
  for (const auto& [table, adds_up] : kTables) {
    add(rank.*table, other.*table, number, adds_up);
  }
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
    const auto unread = std::move(into.unread);
    into = other;
    return add_unread(into, unread);
  }
  into.rank_count = std::max(into.rank_count, other.rank_count);
  add_unread(into, other.unread);
  if (other.ranks.empty()) return;
  into.ranks = std::move(ranks);
  add_facts(into, other);
  add(into.totals, other.totals);
  add(into.losses, other.losses);
  for (const auto& [table, adds_up] : kTables) {
    for (const auto& [id, row] : other.*table) add((into.*table)[id], row);
  }
  into.processes.clear();
}

}  // namespace ompdm::summary
