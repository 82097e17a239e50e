// Resolves conflicts between candidates. Inside the analysis library only.
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>

#include "detectors/findings.h"

namespace ompdm::analysis {

/// Where a directive stands, and one of its items as its clause has it.
using ItemAt = std::pair<SourcePlace, std::string>;

/// The items of existing directives that an edit changes.
inline std::set<ItemAt> edited_items(const Finding& finding, const Edit& edit) {
  std::set<ItemAt> items;
  if (edit.kind == EditKind::kInsert || edit.kind == EditKind::kKeep) return items;
  for (const SourcePlace& place : edit.anchor.places) {
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        items.emplace(place, finding.data[number].expression);
      }
    }
  }
  return items;
}

/// Whether a directive, or a call, transfers data that is present.
inline bool is_motion(Directive directive) {
  return directive == Directive::kTargetUpdate || directive == Directive::kApi;
}

/// Items that edits rewrite in a map clause, or remove from it.
inline std::set<ItemAt> rewritten_items(const Finding& finding) {
  std::set<ItemAt> all;
  for (const Edit& edit : finding.edits) {
    if (!is_motion(edit.directive)) all.merge(edited_items(finding, edit));
  }
  return all;
}

inline bool share_one(const std::set<ItemAt>& some, const std::set<ItemAt>& others) {
  return std::ranges::any_of(some, [&](const ItemAt& item) { return others.contains(item); });
}

/// Whether two pieces that overlap in part would be on a device at one time: the runtime refuses to
/// extend a mapping.
inline bool overlap_in_part(std::vector<Residency> residencies) {
  std::ranges::sort(residencies, {}, &Residency::from);
  std::map<std::pair<std::int32_t, std::uint64_t>, Residency> there;  // apart from each other
  for (Residency residency : residencies) {
    auto at = there.lower_bound({residency.device, residency.host + residency.bytes});
    while (at != there.begin()) {
      const auto before = std::prev(at);
      const Residency& other = before->second;
      if (other.device != residency.device || other.host + other.bytes <= residency.host) break;
      const bool is_same = other.host == residency.host && other.bytes == residency.bytes;
      if (!is_same && other.to > residency.from) return true;
      if (is_same) residency.to = std::max(residency.to, other.to);
      at = there.erase(before);
    }
    there[{residency.device, residency.host}] = residency;
  }
  return false;
}

/// Takes candidates that do not conflict with those taken before. Two candidates conflict where
/// - an operation of the one is redundant only because of an operation that the other removes (two
///   transfers of the same data, of which either would do),
/// - both rewrite an item of a map clause, or one rewrites an item that the other counts on,
/// - both keep the same storage on a device at one time,
/// - one counts on a transfer that does not take place while the other keeps the data.
class Conflicts {
 public:
  explicit Conflicts(const Evidence& evidence)
      : evidence_(evidence),
        removed_(evidence.trace.ops.size()),
        depended_on_(removed_.size()),
        stayed_(removed_.size()),
        counted_on_(removed_.size()),
        links_(removed_.size(), kUnlinked),
        seen_(removed_.size()) {}

  /// The candidates without conflict, in their order. Of candidates in conflict the one that saves
  /// most bytes remains. For an unmodified copy back that is kPossible, a quarter of the bytes
  /// counts. At equal bytes the surest candidate remains, then the first. Bytes decide, since they
  /// are the same in every run; times are not.
  std::vector<Candidate> resolve(std::vector<Candidate> candidates) {
    std::vector<bool> is_unread(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      is_unread[i] = is_left_unread(evidence_.trace, candidates[i]);
    }
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) {
      const Finding& finding = candidates[i].finding;
      // During a residency data is not copied back. So a candidate on copies back alone must save
      // far more.
      constexpr std::uint64_t kFar = 4;
      std::uint64_t bytes = std::max(finding.wasted_bytes, finding.allocated_bytes);
      if (is_unread[i]) {
        for (const Dependence& one : candidates[i].unread) {
          bytes += evidence_.trace.ops.common(one.op).bytes;
        }
      }
      const bool is_weak =
          finding.pattern == "unmodified_copy_back" && finding.confidence == Confidence::kPossible;
      return std::tuple(~(is_weak ? bytes / kFar : bytes), finding.confidence, i);
    });
    std::vector<bool> is_kept(candidates.size());
    for (const std::size_t i : order) is_kept[i] = take(candidates[i]);
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (is_kept[i]) kept.push_back(std::move(candidates[i]));
    }
    return kept;
  }

 private:
  static constexpr std::uint32_t kUnlinked = kNoOp - 1;
  struct Seen {
    std::uint32_t round = 0;
    bool holds = false;
  };

  /// The items whose map clauses a candidate rewrites, of which it removes updates, or which it
  /// needs as they are.
  struct Items {
    std::set<ItemAt> rewritten;
    /// As `rewritten`, of data that kernels only read. It does not exclude `needed`: the data may
    /// still remain on the device.
    std::set<ItemAt> narrowed;
    std::set<ItemAt> thinned;
    std::set<ItemAt> needed;
  };

  [[nodiscard]] Items items_of(const Candidate& candidate) const {
    const Trace& trace = evidence_.trace;
    const auto item_at = [&](const Site& site, std::uint32_t op) {
      return ItemAt(source_place(site), expression_at(trace, evidence_.mappings, op));
    };
    Items items{rewritten_items(candidate.finding), {}, {}, {}};
    const auto* copy_back = std::get_if<facts::UnmodifiedCopyBack>(&candidate.finding.facts);
    if (copy_back != nullptr && copy_back->is_only_read && candidate.stands_alone) {
      std::swap(items.rewritten, items.narrowed);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // site, mapping
    for (const std::uint32_t op : candidate.ops) {
      const DataOp& sent = trace.ops.common(op);
      if (!sent.site || sent.kind != OpKind::kHtoD) continue;
      const Site& site = trace.sites[sent.site.value];
      if (!is_motion(site.directive) ||
          !known.emplace(sent.site.value, evidence_.mappings.of(op)).second)
        continue;
      items.thinned.insert(item_at(site, op));
    }
    for (const std::uint32_t op : candidate.needed) {
      const Index<Site> site = trace.ops.common(op).site;
      if (site) items.needed.insert(item_at(trace.sites[site.value], op));
    }
    return items;
  }

  bool take(const Candidate& candidate) {
    Items items = items_of(candidate);
    if (contradicts(items) || contradicts(candidate)) return false;
    std::vector<std::uint32_t> added;
    for (const std::uint32_t op : candidate.ops) {
      if (removed_[op]) continue;
      removed_[op] = true;
      added.push_back(op);
    }
    std::vector<std::uint32_t> linked;
    for (const Dependence& rest : candidate.depends_on) {
      if (links_[rest.op] != kUnlinked) continue;
      links_[rest.op] = rest.on;
      linked.push_back(rest.op);
    }
    ++round_;
    const bool stands =
        std::ranges::all_of(candidate.depends_on,
                            [&](const Dependence& rest) { return holds(rest.on); }) &&
        std::ranges::all_of(added,
                            [&](std::uint32_t op) { return !depended_on_[op] || holds(op); });
    if (!stands) {
      for (const std::uint32_t op : added) removed_[op] = false;
      for (const std::uint32_t op : linked) links_[op] = kUnlinked;
      return false;
    }
    taken_.rewritten.merge(items.rewritten);
    taken_.narrowed.merge(items.narrowed);
    taken_.thinned.merge(items.thinned);
    taken_.needed.merge(items.needed);
    for (const Residency& residency : candidate.residencies) keep(residency);
    for (const std::uint32_t op : candidate.sends) counted_on_[op] = true;
    if (candidate.host_copy_stale) {
      for (const std::uint32_t op : candidate.ops) stayed_[op] = true;
    }
    for (const Dependence& rest : candidate.depends_on) {
      if (rest.on != kNoOp) depended_on_[rest.on] = true;
    }
    return true;
  }

  [[nodiscard]] bool contradicts(const Items& items) const {
    return share_one(items.rewritten, taken_.rewritten) ||
           share_one(items.rewritten, taken_.narrowed) ||
           share_one(items.narrowed, taken_.rewritten) ||
           share_one(items.rewritten, taken_.needed) || share_one(items.thinned, taken_.needed) ||
           share_one(items.needed, taken_.rewritten) || share_one(items.needed, taken_.thinned);
  }

  [[nodiscard]] bool contradicts(const Candidate& candidate) const {
    return overlap_in_part(candidate.residencies) ||
           std::ranges::any_of(candidate.residencies,
                               [&](const Residency& residency) { return is_kept(residency); }) ||
           std::ranges::any_of(candidate.sends, [&](std::uint32_t op) { return stayed_[op]; }) ||
           (candidate.host_copy_stale &&
            std::ranges::any_of(candidate.ops, [&](std::uint32_t op) { return counted_on_[op]; }));
  }

  [[nodiscard]] bool is_kept(const Residency& residency) const {
    const auto found = kept_.find({residency.device, residency.storage});
    if (found == kept_.end()) return false;
    const Kept& kept = found->second;
    const std::uint64_t end = residency.host + residency.bytes;
    if (!kept.addresses.overlap(residency.host, end)) return false;
    for (auto at = kept.times.lower_bound({end, 0}); at != kept.times.begin();) {
      --at;
      const auto& [host, bytes] = at->first;
      if (host + kept.widest <= residency.host) break;
      if (host + bytes > residency.host && at->second.overlap(residency.from, residency.to))
        return true;
    }
    return false;
  }

  void keep(const Residency& residency) {
    Kept& kept = kept_[{residency.device, residency.storage}];
    kept.addresses.add(residency.host, residency.host + residency.bytes);
    kept.times[{residency.host, residency.bytes}].add(residency.from, residency.to);
    kept.widest = std::max(kept.widest, residency.bytes);
  }

  /// Whether the effect of an operation remains: it is kept, or its chain of substitutes ends in an
  /// operation that is. A chain that leads back to itself has no such end.
  bool holds(std::uint32_t op) {
    std::vector<std::uint32_t> path;
    bool end = true;
    while (op != kNoOp && removed_[op]) {
      Seen& seen = seen_[op];
      if (seen.round == round_) {
        end = seen.holds;
        break;
      }
      seen = {round_, false};
      path.push_back(op);
      if (links_[op] == kUnlinked) {
        end = false;
        break;
      }
      op = links_[op];
    }
    for (const std::uint32_t one : path) seen_[one].holds = end;
    return end;
  }

  const Evidence& evidence_;
  std::vector<bool> removed_;      // all by position in Trace::ops
  std::vector<bool> depended_on_;  // by candidates that were taken
  std::vector<bool> stayed_;       // removed by a residency: the host's content may differ
  std::vector<bool> counted_on_;   // transfers that show the host's content
  std::vector<std::uint32_t> links_;
  std::vector<Seen> seen_;
  std::uint32_t round_ = 0;
  Items taken_;
  /// What is kept of a storage on a device.
  struct Kept {
    Spans<std::uint64_t> addresses;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Spans<Nanoseconds>>
        times;  // by address, bytes
    std::uint64_t widest = 0;
  };
  std::map<std::pair<std::int32_t, std::uint32_t>, Kept> kept_;
};

}  // namespace ompdm::analysis
