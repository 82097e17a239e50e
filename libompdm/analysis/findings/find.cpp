#include "analysis/findings/find.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/findings/findings.h"
#include "analysis/findings/fortran_wording.h"
#include "analysis/findings/settle.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

void mark(const std::vector<Claim>& claims, Claimed& claimed) {
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) claimed[op] = true;
  }
}

/// Takes what is worth a line: where operations would disappear, a thousandth of the run's time or
/// a hundredth of what crosses.
class Claims {
 public:
  explicit Claims(const Trace& trace) : trace_(trace), wall_(program_wall_of(trace)) {
    for (const DataOp& op : trace.ops) moved_ += moved_by(op);
  }

  void append(std::vector<Claim> claims) {
    std::ranges::copy_if(std::make_move_iterator(claims.begin()),
                         std::make_move_iterator(claims.end()), std::back_inserter(all),
                         [&](const Claim& claim) { return is_worthwhile(claim); });
  }

  void append_all(std::vector<Claim> claims) { std::ranges::move(claims, std::back_inserter(all)); }

  std::vector<Claim> all;

 private:
  static std::uint64_t moved_by(const DataOp& op) {
    return is_transfer(op.kind) && !op.internal ? op.bytes : 0;
  }
  [[nodiscard]] bool is_worthwhile(const Claim& claim) const {
    if (claim.ops.empty() || !claim.finding.timed) return true;
    std::uint64_t bytes = 0;
    for (const std::uint32_t op : claim.ops) bytes += moved_by(trace_.ops[op]);
    return 1000 * claim.finding.wasted_time >= wall_ || 100 * bytes >= moved_;
  }

  const Trace& trace_;
  Nanoseconds wall_;
  std::uint64_t moved_ = 0;
};

}  // namespace

Needless find_needless(const Trace& trace, const DirectiveTable& directives,
                       const LoopTable& loops) {
  const Evidence evidence(trace, directives, loops);
  Claims claims(trace);
  claims.append(per_iteration_mapping(evidence));
  // An operation that a claim already names with its remedy is not named again for being
  // repeated or small.
  Claimed claimed(trace.ops.size());
  mark(claims.all, claimed);
  claims.append(host_fallback(evidence));
  claims.append(unused_transfer(evidence));
  mark(claims.all, claimed);
  claims.append(round_trip_transfer(evidence, claimed));
  claims.append(duplicate_transfer(evidence, claimed));
  claims.append(unmodified_copy_back(evidence, claimed));
  claims.append(repeated_copy_back(evidence, claimed));
  claims.append(unused_allocation(evidence));
  Settlement settlement(trace.ops.size());
  claims.all = settlement.settle(std::move(claims.all));
  claimed.assign(trace.ops.size(), false);
  mark(claims.all, claimed);
  claims.append(settlement.settle(repeated_allocation(evidence, claimed)));
  mark(claims.all, claimed);
  claims.append_all(small_transfers(evidence, claimed));  // worth a line for their number
  claims.append(serial_kernel(evidence));
  claims.append(pageable_transfer(evidence));
  claims.append(no_overlap(evidence));
  claims.append(device_leak(evidence));

  Needless needless;
  needless.prediction = predict(trace, claims.all);
  std::vector<std::size_t> order(claims.all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Finding& finding = claims.all[i].finding;
    return std::tuple(-finding.wasted_time, claims.all[i].ops.empty(), i);
  });
  for (const std::size_t i : order) {
    Finding& finding = needless.findings.emplace_back(std::move(claims.all[i].finding));
    if (is_fortran_source(finding.file)) {
      finding.advice = in_fortran(finding.file, std::move(finding.advice));
    }
  }
  return needless;
}

}  // namespace ompdm::analysis
