#include "analysis/findings/doubt.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/findings/tallies.h"

namespace ompdm::analysis {
namespace {

/// nullptr: known.
const char* reason_of(Writer writer) {
  switch (writer) {
    case Writer::kByAddress:
      return "device_address";
    case Writer::kByPointer:
      return "mapped_pointer";
    case Writer::kByGlobal:
      return "declare_target_pointer";
    case Writer::kByTable:
      return "pointer_table";
    case Writer::kUnnamed:
      return "unnamed_data";
    case Writer::kNone:
    case Writer::kScratch:
    case Writer::kNamed:
      break;
  }
  return nullptr;
}

}  // namespace

std::vector<Doubt> doubts_of(const Evidence& evidence, const Claimed& claimed,
                             const std::vector<Claim>& told) {
  if (!evidence.contents.known()) return {};
  const Runs<DataOp>& ops = evidence.trace.ops;
  std::set<std::pair<std::int32_t, std::uint32_t>> kept;  // device, storage
  for (const Claim& claim : told) {
    for (const Stay& stay : claim.stays) kept.emplace(stay.device, stay.storage);
  }
  std::map<std::optional<Writer>, Doubt> doubts;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (claimed[i] || !is_transfer(ops.common(i).kind) || !is_judged(evidence, i)) continue;
    const Earlier& before = evidence.contents.before(i);
    if (!before.tells_same()) continue;
    const bool is_return = ops.common(i).kind == OpKind::kDtoH;
    // What came back anew may have been restored on the host.
    const bool is_there = before.kept() && !is_return;
    const Mapping& row = evidence.mappings.rows()[evidence.contents.mapping_of(i)];
    if (is_there && kept.contains({row.device, row.storage})) continue;
    const char* reason = is_there ? Doubt::kNoChangeKnown : reason_of(before.writer);
    if (reason == nullptr) continue;
    // What comes back as it was sent is judged by its contents, whoever may write it.
    if (is_return && ops.common(before.op).kind != OpKind::kDtoH) continue;
    Doubt& doubt = doubts[is_there ? std::nullopt : std::optional(before.writer)];
    doubt.reason = reason;
    ++doubt.transfers;
    doubt.bytes += ops.common(i).bytes;
  }
  std::vector<Doubt> list;
  for (auto& [writer, doubt] : doubts) list.push_back(std::move(doubt));
  return list;
}

}  // namespace ompdm::analysis
