#include "analysis/findings/surplus.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// Compares what each pass sent with what the device had of it before.
void compare_contents(const Evidence& evidence, const std::vector<std::uint32_t>& group,
                      Surplus& surplus) {
  if (!evidence.contents.known()) return;
  for (std::size_t i = 1; i < group.size(); ++i) {
    for (const std::uint32_t op : evidence.mappings.transfers(group[i])) {
      if (evidence.trace.ops.common(op).kind != OpKind::kHtoD) continue;
      const Earlier& before = evidence.contents.before(op);
      if (before.same == Same::kNo) ++surplus.compared;
      if (!before.tells_same()) continue;
      ++surplus.compared;
      ++surplus.equal;
      if (before.same == Same::kYes) ++surplus.equal_in_full;
    }
  }
}

/// Whether what came back need not have come before the loop's end: the next pass sends the data
/// again, and nothing shows that the host had changed it. Whether it has read it does not show.
bool need_not_return(const Surplus& surplus, bool is_sent) {
  return is_sent && !surplus.host_changes();
}

}  // namespace

bool maps_data(Directive directive) {
  return directive == Directive::kTarget || directive == Directive::kTargetData ||
         directive == Directive::kTargetEnterData || directive == Directive::kTargetExitData;
}

bool comes_of_mapping(const Trace& trace, const DataOp& op) {
  const Index<Site> site = op.site;
  return site && maps_data(trace.sites[site.value].directive) && (op.map_type & kMapAlways) == 0;
}

Surplus surplus_of(const Evidence& evidence, const std::vector<std::uint32_t>& group) {
  using OffsetPiece = std::pair<std::uint64_t, std::uint64_t>;  // offset, bytes
  std::map<OffsetPiece, std::uint32_t> arrived;
  std::map<OffsetPiece, std::uint32_t> returned;
  // What was sent of a piece since it was returned: another content, or the one that it had.
  std::set<OffsetPiece> replaced;
  std::set<OffsetPiece> resent;
  const Runs<DataOp>& ops = evidence.trace.ops;
  Surplus surplus;
  compare_contents(evidence, group, surplus);
  const bool never_changes = surplus.equal > 0 && !surplus.host_changes();
  const auto drop = [&](std::uint32_t op, std::uint32_t because_of, bool is_examined,
                        bool is_backed) {
    surplus.ops.push_back(op);
    surplus.rests.push_back({op, because_of});
    surplus.bytes += ops.common(op).bytes;
    if (is_examined) ++surplus.examined;
    if (is_backed) surplus.backed_bytes += ops.common(op).bytes;
  };
  const bool is_sent = std::ranges::any_of(group, [&](std::uint32_t number) {
    return std::ranges::any_of(evidence.mappings.transfers(number), [&](std::uint32_t op) {
      return ops.common(op).kind == OpKind::kHtoD;
    });
  });
  const bool drops_returns = need_not_return(surplus, is_sent);
  for (const std::uint32_t number : group) {
    const Mapping& mapping = evidence.mappings.rows()[number];
    for (const std::uint32_t i : evidence.mappings.transfers(number)) {
      const DataOp& op = ops[i];
      if (!comes_of_mapping(evidence.trace, op)) continue;
      if (op.kind == OpKind::kHtoD) {
        ++surplus.sent;
        const OffsetPiece piece(op.dst - mapping.address, op.bytes);
        const auto [first, is_first] = arrived.try_emplace(piece, i);
        const bool knows = evidence.contents.known();
        const bool is_same = knows && evidence.contents.before(i).tells_same();
        const bool is_news = knows && evidence.contents.before(i).same == Same::kNo;
        if (is_news) replaced.insert(piece);
        if (is_same) resent.insert(piece);
        if (!is_first && !is_news && (is_same || !surplus.host_changes())) {
          drop(i, first->second, is_same, is_same || never_changes);
        } else {
          ++surplus.sent_enough;
        }
      } else {
        ++surplus.returned;
        const OffsetPiece piece(op.src - mapping.address, op.bytes);
        const auto [at, is_first] = returned.try_emplace(piece, i);
        // What came back as it had been sent told the host nothing, whatever it reads. (Where it
        // also changes the data, map(to:) is all there is to say: unmodified_copy_back.)
        // What the host sent instead of it, it may have read before.
        const bool was_replaced = replaced.erase(piece) > 0;
        const bool was_resent = resent.erase(piece) > 0;
        const bool no_news = !is_first && !surplus.host_changes() && evidence.contents.known() &&
                             evidence.contents.sent_before(at->second).tells_same();
        if (!is_first && !was_replaced && (drops_returns || was_resent || no_news)) {
          drop(at->second, i, no_news, no_news);
          if (!no_news) ++surplus.unread;
        } else {
          ++surplus.returned_enough;
        }
        at->second = i;
      }
    }
  }
  if (surplus.bytes == 0) return surplus;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Mapping& mapping = evidence.mappings.rows()[group[i]];
    if (i > 0) surplus.ops.push_back(mapping.alloc.value);
    if (i + 1 < group.size()) surplus.ops.push_back(mapping.remove.value);
  }
  return surplus;
}

}  // namespace ompdm::analysis
