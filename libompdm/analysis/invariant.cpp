

#include "analysis/invariant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/findings/contents.h"
#include "analysis/findings/enclosing_loops.h"
#include "analysis/findings/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// What crosses again and again: entry into a loop, whether to the device, device, place on the
/// host, size.
using EntryPiece = std::tuple<std::uint32_t, bool, std::int32_t, std::uint64_t, std::uint64_t>;

struct Crossings {
  std::uint32_t first = 0;                      ///< position in Trace::ops
  std::uint32_t latest = Index<DataOp>::kNone;  ///< whose content is known
  /// The latest of which all bytes are known, if what was seen of it since is the same.
  std::uint32_t whole = Index<DataOp>::kNone;
  std::uint64_t compared = 0;   ///< in full, or found to differ
  std::uint64_t unchanged = 0;  ///< of these
  std::uint64_t alike = 0;      ///< of which blocks were the same, and more was not compared
  std::uint64_t bytes = 0;
  bool changes = false;
};

void add(const Trace& trace, std::uint32_t number, Crossings& crossings) {
  crossings.bytes += trace.ops.common(number).bytes;
  const auto& own = trace.ops.rare(number);
  if (own.hash == 0 && own.fingerprint == 0) return;
  if (crossings.latest != Index<DataOp>::kNone) {
    Same same = same_content(trace.ops[crossings.latest], trace.ops[number]);
    if (same == Same::kUnknown) return;
    if (same == Same::kLikely && own.hash != 0 && crossings.whole != Index<DataOp>::kNone) {
      same = same_content(trace.ops[crossings.whole], trace.ops[number]);
    }
    if (same == Same::kNo) crossings.whole = Index<DataOp>::kNone;
    if (same == Same::kLikely) {
      ++crossings.alike;
    } else {
      ++crossings.compared;
    }
    if (same == Same::kNo) crossings.changes = true;
    if (same == Same::kYes) ++crossings.unchanged;
  }
  crossings.latest = number;
  if (own.hash != 0) crossings.whole = number;
}

/// "table (lookup.cpp:16)"; of a call of the API without a known variable the call's name:
/// "omp_target_memcpy (lookup.cpp:20)"; empty if neither is known.
std::string item_of(const Trace& trace, const DataOp& op) {
  const Site* site = op.site ? &trace.sites[op.site.value] : nullptr;
  std::string name = op.variable ? trace.variables[op.variable.value].name : std::string();
  if (name.empty() && site != nullptr && site->directive == Directive::kApi) name = site->api;
  if (name.empty() || site == nullptr) return name;
  return fmt::format("{} ({})", name, place_of(*site));
}

/// Adds what an operation is of: variables by their position in Trace::variables.
void add(const DataOp& op, const DirectiveTable& directives, CrossedItem& item) {
  const std::uint32_t row = row_of(directives, op.site);
  if (row != kNoDirective) item.directive = row;
  if (!op.variable) return;
  const std::size_t variable = op.variable.value;
  if (std::ranges::find(item.variables, variable) != item.variables.end()) return;
  item.variables.push_back(variable);
}

struct Unchanged {
  std::uint64_t bytes = 0;
  CrossedItem of;
};

/// Those with most bytes first, each once.
void add_by_bytes(const std::map<std::string, Unchanged>& items, Invariant& invariant) {
  std::vector<std::pair<std::string, Unchanged>> rows(items.begin(), items.end());
  sort_rows(rows, [](const auto& row) { return ~row.second.bytes; });
  for (auto& [item, unchanged] : rows) {
    invariant.items.push_back(item);
    invariant.rows.push_back(std::move(unchanged.of));
  }
}

/// Those that are mostly unchanged, the ones with most bytes first.
std::vector<Recurring> mostly_unchanged(std::map<std::string, Recurring> items) {
  std::vector<Recurring> rows;
  for (auto& [name, item] : items) {
    if (2 * item.unchanged >= item.compared) rows.push_back(std::move(item));
  }
  sort_rows(rows, [](const Recurring& row) { return ~row.bytes; });
  return rows;
}

}  // namespace

std::vector<std::optional<Invariant>> invariants_of(const Trace& trace, const LoopTable& loops,
                                                    const DirectiveTable& directives) {
  std::vector<std::optional<Invariant>> invariants(loops.rows.size());
  bool any = false;
  trace.ops.each_rare([&](std::size_t, const RowParts<DataOp>::Rare& rare) {
    any = any || rare.hash != 0 || rare.fingerprint != 0;
  });
  if (!any) return invariants;
  const EnclosingLoops enclosing(loops);
  std::map<EntryPiece, Crossings> pieces;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool to_device = op.kind == OpKind::kHtoD;
    if (op.internal || (!to_device && op.kind != OpKind::kDtoH)) continue;
    // What a region's helper threads move is part of the pass that runs the region.
    const Asker asked = asker_of(trace, i);
    const Index<Region> region = trace.ops.region_of(i);
    const Nanoseconds end = region ? trace.regions.end_of(region.value) : trace.ops.end_of(i);
    std::uint32_t entry = enclosing.innermost(asked.thread, asked.time, end);
    for (; entry != EnclosingEntry::kNoEntry; entry = enclosing.entries()[entry].parent) {
      const EntryPiece piece(entry, to_device, to_device ? op.dst_device : op.src_device,
                             to_device ? op.src : op.dst, op.bytes);
      const auto [at, is_new] = pieces.try_emplace(piece);
      if (is_new) at->second.first = i;
      add(trace, i, at->second);
    }
  }
  std::vector<std::uint64_t> total(loops.rows.size());
  std::vector<bool> compared(loops.rows.size());
  std::vector<std::map<std::string, Unchanged>> items(loops.rows.size());
  std::vector<std::map<std::string, Recurring>> changing(loops.rows.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names;  // by variable and site
  for (const auto& [piece, crossings] : pieces) {
    if (crossings.compared + crossings.alike == 0) continue;
    const std::size_t loop = enclosing.entries()[std::get<0>(piece)].loop;
    compared[loop] = true;
    const DataOp& first = trace.ops.common(crossings.first);
    const auto [name, is_new] = names.try_emplace({first.variable.value, first.site.value});
    if (is_new) name->second = item_of(trace, first);
    const std::string& item = name->second;
    // What was seen to change may have changed where no block was looked at, too.
    if (crossings.changes) {
      Recurring& row = changing[loop][item];
      row.item = item;
      add(first, directives, row.of);
      row.bytes += crossings.bytes;
      row.unchanged += crossings.unchanged;
      row.compared += crossings.compared;
      continue;
    }
    total[loop] += crossings.bytes;
    if (item.empty() || crossings.bytes == 0) continue;
    items[loop][item].bytes += crossings.bytes;
    add(first, directives, items[loop][item].of);
  }
  for (std::size_t loop = 0; loop < loops.rows.size(); ++loop) {
    if (!compared[loop]) continue;
    const double passes = static_cast<double>(loops.rows[loop].passes);
    Invariant& invariant = invariants[loop].emplace();
    invariant.bytes =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(total[loop]) / passes));
    add_by_bytes(items[loop], invariant);
    invariant.recurring = mostly_unchanged(std::move(changing[loop]));
  }
  return invariants;
}

}  // namespace ompdm::analysis
