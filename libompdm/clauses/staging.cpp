#include "ompdm/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/names.h"
#include "analysis/tables.h"
#include "detectors/mappings.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint64_t kLeastStaged = 64;
/// A fingerprint of so many bytes is a hash of them all (DataOpRare::fingerprint).
constexpr std::uint64_t kAllInFingerprint = std::uint64_t{64} * 4096;

/// 0: not known byte by byte.
std::uint64_t content_of(const DataOp& op) {
  if (op.trivial || op.bytes <= kLeastStaged) return 0;
  return op.bytes <= kAllInFingerprint ? op.fingerprint : op.hash;
}

/// The item of a region's clauses that has the transfer's data.
std::string named_item(const Trace& trace, const DataOp& op) {
  if (!op.region) return {};
  const std::uint64_t host = op.kind == OpKind::kHtoD ? op.src : op.dst;
  for (const MapItem& item : items_of(trace, trace.regions.common(op.region.value))) {
    if (item.begin == host && item.bytes == op.bytes) return item.name;
  }
  return {};
}

/// A content, and its size.
using Content = std::pair<std::uint64_t, std::uint64_t>;

class Stagings {
 public:
  explicit Stagings(std::span<const RankTransfers> ranks) : ranks_(ranks) {
    for (const RankTransfers& rank : ranks) {
      for (const RankTransfers::Transfer& one : rank.transfers) {
        if (!one.is_sent) returned_[{one.bytes, one.content}].emplace_back(&rank, &one);
      }
    }
  }

  std::vector<Staging> find() {
    for (const RankTransfers& rank : ranks_) look_at(rank);
    std::vector<Staging> all;
    for (auto& [places, found] : found_) {
      for (const std::int32_t rank : found.receivers) {
        found.staging.of += sent_[{places.second, rank}];
      }
      const bool is_steady =
          found.contents.size() > 1 && 2 * found.staging.count >= found.staging.of;
      if (!is_steady) continue;
      std::tie(found.staging.from, found.staging.to) = places;
      all.push_back(std::move(found.staging));
    }
    std::ranges::stable_sort(all, std::greater<>(), &Staging::bytes);
    RowIds ids;
    for (Staging& row : all) {
      std::string what = "staging";
      for (const TransferPlace& at : {row.from, row.to}) {
        what += fmt::format("\n{}\n{}\n{}\n{}\n{}", last_name(at.place.file), at.place.function,
                            directive_name(at.directive), at.api, at.item);
      }
      row.id = ids.of(what);
    }
    return all;
  }

 private:
  using Source = std::pair<const RankTransfers*, const RankTransfers::Transfer*>;
  struct Found {
    Staging staging;
    std::set<Content> contents;
    std::set<std::int32_t> receivers;
  };

  void look_at(const RankTransfers& rank) {
    for (const RankTransfers::Transfer& one : rank.transfers) {
      if (!one.is_sent) continue;
      const TransferPlace& to = rank.places[one.place];
      ++sent_[{to, rank.rank}];
      const Content content{one.bytes, one.content};
      const auto sources = returned_.find(content);
      if (sources == returned_.end()) continue;
      const bool is_own = std::ranges::any_of(
          sources->second, [&](const Source& source) { return source.first == &rank; });
      if (is_own) continue;
      const auto& [sender, transfer] = sources->second.front();
      Found& found = found_[{sender->places[transfer->place], to}];
      found.contents.insert(content);
      found.receivers.insert(rank.rank);
      found.staging.ranks.emplace(sender->rank, rank.rank);
      ++found.staging.count;
      found.staging.bytes += one.bytes;
      found.staging.time += one.time + transfer->time;
    }
  }

  std::span<const RankTransfers> ranks_;
  std::map<Content, std::vector<Source>> returned_;
  std::map<std::pair<TransferPlace, TransferPlace>, Found> found_;
  std::map<std::pair<TransferPlace, std::int32_t>, std::uint64_t> sent_;  ///< by place and rank
};

}  // namespace

RankTransfers rank_transfers(const Trace& trace) {
  RankTransfers all;
  if (trace.process.rank < 0 || trace.process.rank_count < 2) return all;
  all.rank = trace.process.rank;
  std::map<TransferPlace, std::uint32_t> places;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const OpKind kind = trace.ops.common(i).kind;
    if (kind != OpKind::kHtoD && kind != OpKind::kDtoH) continue;
    const DataOp op = trace.ops[i];
    const std::uint64_t content = content_of(op);
    if (content == 0 || op.internal || !op.site) continue;
    const Site& site = trace.sites[op.site.value];
    const TransferPlace place{source_place(site), site.directive, site.api, named_item(trace, op)};
    const auto number = static_cast<std::uint32_t>(places.size());
    const auto [known, is_new] = places.try_emplace(place, number);
    if (is_new) all.places.push_back(place);
    all.transfers.push_back(
        {op.bytes, content, known->second, kind == OpKind::kHtoD, op.end - op.begin});
  }
  return all;
}

std::vector<Staging> staging_of(std::span<const RankTransfers> ranks) {
  return Stagings(ranks).find();
}

}  // namespace ompdm::analysis
