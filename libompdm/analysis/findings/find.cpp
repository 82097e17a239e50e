#include "analysis/findings/find.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/findings/findings.h"
#include "analysis/findings/settle.h"

namespace ompdm::analysis {
namespace {

void mark(const std::vector<Claim>& claims, Claimed& claimed) {
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) claimed[op] = true;
  }
}

void append(std::vector<Claim>& all, std::vector<Claim> claims) {
  std::ranges::move(claims, std::back_inserter(all));
}

}  // namespace

Needless find_needless(const Trace& trace, const DirectiveTable& directives,
                       const LoopTable& loops) {
  const Evidence evidence(trace, directives, loops);
  std::vector<Claim> claims = per_iteration_mapping(evidence);
  // An operation that a claim already names with its remedy is not named again for being
  // repeated or small.
  Claimed claimed(trace.ops.size());
  mark(claims, claimed);
  append(claims, host_fallback(evidence));
  append(claims, unused_transfer(evidence));
  mark(claims, claimed);
  append(claims, round_trip_transfer(evidence, claimed));
  append(claims, duplicate_transfer(evidence, claimed));
  append(claims, unmodified_copy_back(evidence, claimed));
  append(claims, repeated_copy_back(evidence, claimed));
  append(claims, unused_allocation(evidence));
  Settlement settlement(trace.ops.size());
  claims = settlement.settle(std::move(claims));
  claimed.assign(trace.ops.size(), false);
  mark(claims, claimed);
  append(claims, settlement.settle(repeated_allocation(evidence, claimed)));
  mark(claims, claimed);
  append(claims, small_transfers(evidence, claimed));
  append(claims, serial_kernel(evidence));
  append(claims, pageable_transfer(evidence));
  append(claims, no_overlap(evidence));
  append(claims, device_leak(evidence));

  Needless needless;
  needless.prediction = predict(trace, claims);
  std::vector<std::size_t> order(claims.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Finding& finding = claims[i].finding;
    return std::tuple(-finding.wasted_time, claims[i].ops.empty(), i);
  });
  for (const std::size_t i : order) needless.findings.push_back(std::move(claims[i].finding));
  return needless;
}

}  // namespace ompdm::analysis
