#include "analysis/findings/untaken.h"

#include <algorithm>
#include <set>

#include "analysis/findings/loop_place.h"
#include "analysis/findings/references.h"
#include "analysis/findings/settle.h"

namespace ompdm::analysis {
namespace {

using CodeLoops = std::set<std::uint32_t>;  // positions in Trace::loops

/// Adds the loops that a call path leads through.
void add_loops_of(const Trace& trace, Index<CallPath> path, CodeLoops& loops) {
  for (; path; path = trace.call_paths[path.value].caller) {
    Index<CodeLoop> loop = trace.call_places[trace.call_paths[path.value].place.value].loop;
    for (; loop; loop = trace.loops[loop.value].parent) loops.insert(loop.value);
  }
}

/// Loops that the run went through while the claim's data was there, though its own directives are
/// in none of them.
CodeLoops loops_meanwhile(const Trace& trace, const Claim& claim) {
  CodeLoops loops;
  if (claim.spans.empty()) return loops;
  CodeLoops own;
  for (const std::uint32_t op : claim.ops) {
    const Index<Region> region = trace.ops.region_of(op);
    add_loops_of(trace,
                 region ? trace.regions.common(region.value).path : trace.ops.common(op).path, own);
  }
  Spans<Nanoseconds> spans;
  for (const auto& [from, to] : claim.spans) spans.add(from, to);
  std::set<std::uint32_t> paths;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Index<CallPath> path = trace.regions.common(i).path;
    const bool is_new = path && !paths.contains(path.value);
    if (!is_new || !spans.overlap(trace.regions.begin_of(i), trace.regions.end_of(i))) continue;
    paths.insert(path.value);
    add_loops_of(trace, path, loops);
  }
  std::erase_if(loops, [&](std::uint32_t loop) { return own.contains(loop); });
  return loops;
}

}  // namespace

void withhold_edits(const Evidence& evidence, Claim& claim) {
  const Trace& trace = evidence.trace;
  Finding& finding = claim.finding;
  const bool any = std::ranges::any_of(
      trace.loops, [](const CodeLoop& loop) { return !loop.unreached.empty(); });
  if (!any || finding.edits.empty() || claim.stands_alone) return;
  std::set<UnreachedDirective> unreached;
  for (const std::size_t row : loops_of(evidence, claim)) {
    const Loop& loop = evidence.loops.rows[row];
    std::vector<Index<CodeLoop>> loops = loops_around(trace, evidence.loops, loop);
    if (loop.code) loops.push_back(loop.code);
    for (const Index<CodeLoop> code : loops) {
      const std::vector<UnreachedDirective>& rows = trace.loops[code.value].unreached;
      unreached.insert(rows.begin(), rows.end());
    }
  }
  for (const std::uint32_t code : loops_meanwhile(trace, claim)) {
    const std::vector<UnreachedDirective>& rows = trace.loops[code].unreached;
    unreached.insert(rows.begin(), rows.end());
  }
  if (unreached.empty()) return;
  finding.unreached.assign(unreached.begin(), unreached.end());
  finding.withheld_edits = std::move(finding.edits);
  finding.edits.clear();
  finding.unless.clear();
  claim.stays.clear();
}

}  // namespace ompdm::analysis
