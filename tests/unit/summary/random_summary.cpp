#include "summary/random_summary.h"

#include <random>
#include <string>

namespace ompdm::test {

using summary::RankSet;
using summary::Row;
using summary::Summary;

Summary random_summary(std::int32_t rank, std::int32_t rank_count, unsigned seed) {
  std::mt19937_64 random(seed * 100003U + static_cast<unsigned>(rank));
  std::lognormal_distribution<double> large(14, 4);
  const auto quantity = [&] { return static_cast<std::uint64_t>(large(random)); };
  const auto chance = [&](unsigned of) { return random() % of == 0; };
  Summary one;
  one.ranks = RankSet(rank);
  one.rank_count = rank_count;
  one.begin_ns = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(random() % 1'000'000);
  one.end_ns = one.begin_ns + static_cast<std::int64_t>(quantity());
  if (chance(50)) one.killed = RankSet(rank);
  one.facts["host"]["node" + std::to_string(rank / 64)] = RankSet(rank);
  one.facts["program"]["./heat"] = RankSet(rank);
  for (const char* name : {"wall_ns", "program_wall_ns", "HtoD_bytes", "HtoD_count", "HtoD_ns",
                           "DtoH_bytes", "DtoH_count", "DtoH_ns", "kernel_count", "kernel_ns"}) {
    one.totals[name].add(rank, quantity());
  }
  one.losses["records_no_space"].add(rank, chance(40) ? 3 : 0);
  const auto fill = [&](summary::Rows& rows, const char* kind, int count, auto figures) {
    for (int i = 0; i < count; ++i) {
      if (chance(9)) continue;
      Row& row = rows[std::string(kind) + std::to_string(i)];
      row.ranks = RankSet(rank);
      row.line = 10 + i;
      row.what["file"] = chance(2) ? "/a/heat.cpp" : "/b/heat.cpp";
      for (const char* name : figures) row.figures[name].add(rank, quantity());
      for (int event = 0; event < 5; ++event) row.durations.add(quantity());
    }
  };
  fill(one.directives, "directive", 8,
       std::vector{"count", "HtoD_bytes", "DtoH_bytes", "transfer_ns", "kernel_ns", "time_ns"});
  fill(one.variables, "variable", 6, std::vector{"HtoD_bytes", "DtoH_bytes", "transfer_ns"});
  fill(one.loops, "loop", 3, std::vector{"count", "HtoD_bytes", "DtoH_bytes", "wall_ns"});
  fill(one.findings, "finding", 4, std::vector{"count", "wasted_bytes", "wasted_ns"});
  for (auto& [id, row] : one.findings) {
    row.what["pattern"] = "round_trip_transfer";
    row.confidences[chance(2) ? "likely" : "possible"] = 1;
  }
  return one;
}

}  // namespace ompdm::test
