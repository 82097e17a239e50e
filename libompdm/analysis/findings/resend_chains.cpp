#include "analysis/findings/resend_chains.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/findings/joined.h"

namespace ompdm::analysis {
namespace {

std::uint64_t bytes_of(const Evidence& evidence, const ResendGroup& group) {
  std::uint64_t bytes = 0;
  for (const Tally::Pair& pair : group.content.pairs) {
    bytes += evidence.trace.ops.common(pair.op).bytes;
  }
  return bytes;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> chains_of(const Evidence& evidence,
                                                  const std::vector<ResendGroup>& groups) {
  Joined joined(static_cast<std::uint32_t>(groups.size()));
  std::map<std::uint32_t, std::uint32_t> first;  // group by mapping
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    const std::vector<Tally::Pair>& pairs = groups[i].content.pairs;
    const auto mapping_of = [&](std::uint32_t op) { return evidence.contents.mapping_of(op); };
    const auto is_resident = [&](const Tally::Pair& pair) {
      return mapping_of(pair.earlier) == mapping_of(pair.op);
    };
    if (std::ranges::any_of(pairs, is_resident)) continue;
    for (const Tally::Pair& pair : pairs) {
      for (const std::uint32_t op : {pair.earlier, pair.op}) {
        const auto [at, is_new] = first.try_emplace(mapping_of(op), i);
        if (!is_new) joined.join(i, at->second);
      }
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < groups.size(); ++i) sets[joined.find(i)].push_back(i);
  std::vector<std::vector<std::uint32_t>> chains;
  for (auto& [leader, members] : sets) chains.push_back(std::move(members));
  std::ranges::sort(chains);
  return chains;
}

ResendGroup joined_of(const Evidence& evidence, const std::vector<ResendGroup>& groups,
                      const std::vector<std::uint32_t>& chain) {
  ResendGroup all = groups[chain.front()];
  std::map<Resend, std::uint64_t> bytes = {{all.relation, bytes_of(evidence, all)}};
  for (const std::uint32_t i : std::span(chain).subspan(1)) {
    const ResendGroup& group = groups[i];
    all.content.join(group.content);
    all.all.insert(group.all.begin(), group.all.end());
    all.filling.insert(group.filling.begin(), group.filling.end());
    all.others_are_needed = all.others_are_needed || group.others_are_needed;
    all.is_other = all.is_other || group.is_other;
    bytes[group.relation] += bytes_of(evidence, group);
  }
  all.is_mixed = bytes.size() > 1;
  all.relation =
      std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; })->first;
  return all;
}

}  // namespace ompdm::analysis
