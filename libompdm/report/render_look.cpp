#include <fmt/format.h>

#include <algorithm>

#include "ompdm/report.h"
#include "report/aligned_table.h"
#include "report/sentences.h"
#include "report/source_names.h"
#include "report/tables.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Flow;
using analysis::Totals;

std::string moved_text(const Totals& totals) {
  return fmt::format("HtoD {} in {}, DtoH {} in {}, {}", spoken_size(totals.htod.bytes),
                     counted(totals.htod.count, "copy", "copies"), spoken_size(totals.dtoh.bytes),
                     counted(totals.dtoh.count, "copy", "copies"),
                     counted(totals.kernel.count, "kernel", "kernels"));
}

/// What a second of the time between two looks moved.
std::string rate_text(std::uint64_t bytes, Nanoseconds time) {
  constexpr double kSecond = 1e9;
  const double rate = static_cast<double>(bytes) / (static_cast<double>(time) / kSecond);
  return spoken_size(static_cast<std::uint64_t>(rate)) + "/s";
}

}  // namespace

std::string render_look(const Analysis& now, const Analysis* before, const Layout& layout) {
  std::string text = fmt::format("{} of process {}: {}\n", spoken_time(now.process.wall),
                                 now.process.pid, moved_text(now.totals));
  if (!now.recording.detail.empty()) text += told_part(now) + '\n';
  if (before != nullptr && now.process.wall > before->process.wall) {
    const Nanoseconds time = now.process.wall - before->process.wall;
    text += fmt::format("in the last {}: HtoD {}, DtoH {}, {}\n", spoken_time(time),
                        rate_text(now.totals.htod.bytes -
                                      std::min(now.totals.htod.bytes, before->totals.htod.bytes),
                                  time),
                        rate_text(now.totals.dtoh.bytes -
                                      std::min(now.totals.dtoh.bytes, before->totals.dtoh.bytes),
                                  time),
                        counted(now.totals.kernel.count -
                                    std::min(now.totals.kernel.count, before->totals.kernel.count),
                                "kernel", "kernels"));
  }
  const std::span<const Analysis> one{&now, 1};
  Table table = directives_table(one, SourceNames(one), false);
  const std::size_t all = table.rows.size();
  if (layout.rows != 0 && all > layout.rows) table.rows.resize(layout.rows);
  text += '\n' + aligned(for_readers(table), layout.width, layout.narrow);
  if (table.rows.size() < all) {
    text +=
        fmt::format("and {} more\n", counted(all - table.rows.size(), "directive", "directives"));
  }
  return text;
}

}  // namespace ompdm::report
