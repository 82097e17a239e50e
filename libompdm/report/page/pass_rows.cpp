#include "report/page/pass_rows.h"

#include <algorithm>
#include <array>

namespace ompdm::report::page {
namespace {

using analysis::Pass;

constexpr std::size_t kMostPasses = 60'000;  // of all loops
constexpr std::size_t kMostOfOneLoop = 2'000;
constexpr std::array<const char*, analysis::kPassParts> kTimes = {
    "kernel", "htod", "dtoh", "on_device", "allocation", "host"};
constexpr std::array<const char*, analysis::kPassParts> kNeedless = {
    "kernel_needless",    "htod_needless",       "dtoh_needless",
    "on_device_needless", "allocation_needless", "host_needless"};

void add_pass(Pass& sum, const Pass& pass) {
  sum.count += pass.count;
  sum.end = std::max(sum.end, pass.end);
  sum.hashing += pass.hashing;
  sum.wall += pass.wall;
  for (std::size_t part = 0; part < analysis::kPassParts; ++part) {
    sum.time[part] += pass.time[part];
    sum.needless[part] += pass.needless[part];
  }
  sum.htod_bytes += pass.htod_bytes;
  sum.dtoh_bytes += pass.dtoh_bytes;
  sum.needless_bytes += pass.needless_bytes;
}

struct PassRow {
  std::size_t loop = 0;
  Pass pass;
};

template <class Of>
std::vector<std::uint64_t> pass_column(const std::vector<PassRow>& rows, Of of) {
  std::vector<std::uint64_t> values;
  values.reserve(rows.size());
  for (const PassRow& row : rows) values.push_back(static_cast<std::uint64_t>(of(row.pass)));
  return values;
}

}  // namespace

std::vector<Pass> summed_passes(const std::vector<Pass>& passes, std::size_t most) {
  if (passes.size() <= most) return passes;
  const std::size_t together = (passes.size() + most - 1) / most;
  std::vector<Pass> rows;
  for (const Pass& pass : passes) {
    // Those of several entries are summed all the same where entries are short.
    const bool apart =
        rows.empty() || rows.back().count >= together || (rows.size() == 1 && rows.front().first);
    if (apart) {
      rows.push_back(pass);
    } else {
      add_pass(rows.back(), pass);
    }
  }
  return rows;
}

void add_passes(const std::vector<std::vector<Pass>>& loops, std::size_t first_loop,
                Columns& columns) {
  const std::size_t most = std::clamp<std::size_t>(
      kMostPasses / std::max<std::size_t>(loops.size(), 1), 16, kMostOfOneLoop);
  std::vector<PassRow> rows;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (Pass& pass : summed_passes(loops[i], most)) rows.push_back({i, pass});
  }
  columns.begin_block("passes", rows.size());
  std::vector<std::uint64_t> loop;
  for (const PassRow& row : rows) loop.push_back(row.loop + first_loop);
  columns.add_growing("loop", std::move(loop));
  columns.add("begin", pass_column(rows, [](const Pass& p) { return std::max(p.begin, {}); }));
  columns.add("duration", pass_column(rows, [](const Pass& p) { return p.end - p.begin; }));
  columns.add("count", pass_column(rows, [](const Pass& p) { return p.count; }));
  columns.add("first", pass_column(rows, [](const Pass& p) { return p.first; }));
  columns.add("wall", pass_column(rows, [](const Pass& p) { return p.wall; }));
  for (std::size_t part = 0; part < analysis::kPassParts; ++part) {
    columns.add(kTimes[part], pass_column(rows, [&](const Pass& p) { return p.time[part]; }));
    columns.add(kNeedless[part],
                pass_column(rows, [&](const Pass& p) { return p.needless[part]; }));
  }
  columns.add("htod_bytes", pass_column(rows, [](const Pass& p) { return p.htod_bytes; }));
  columns.add("dtoh_bytes", pass_column(rows, [](const Pass& p) { return p.dtoh_bytes; }));
  columns.add("needless_bytes", pass_column(rows, [](const Pass& p) { return p.needless_bytes; }));
}

}  // namespace ompdm::report::page
