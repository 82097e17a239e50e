#include "record/contents/sampling.h"

#include <bit>

#include "record/contents/budget.h"
#include "record/contents/digest.h"
#include "record/process/clock.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kRun = 4;
constexpr std::uint64_t kSmall = 4096;

// The budget is asked once a run, when its first transfer is to be examined.
bool run_is_affordable(Sampling& sampling, std::uint64_t now) noexcept {
  if (!sampling.checked) {
    sampling.checked = true;
    sampling.refused = !budget.allows(now, kRun * sampling.cost);
    if (sampling.refused) {
      budget.refused(now);
    } else {
      budget.afforded(now);
    }
  }
  return !sampling.refused;
}

}  // namespace

void Sampling::begin_occurrence() noexcept {
  const std::uint32_t occurrence = occurrences++;
  if (running != 0) {
    cost = running;
    running = 0;
  }
  if (occurrence % kRun != 0) {
    return;
  }
  // Of small transfers the first 16 runs are examined, then 8 in each doubling of their number.
  constexpr std::uint32_t kRunsAtFirst = 16;
  const std::uint32_t run = occurrence / kRun;
  const std::uint32_t rarer = run < kRunsAtFirst ? 1 : std::bit_floor(run / (kRunsAtFirst / 2));
  const auto each = [run](std::uint32_t power_of_two) { return (run & (power_of_two - 1)) == 0; };
  large = each(std::uint32_t{1} << budget.thinning());
  small = large && each(rarer);
  checked = false;
  refused = false;
}

Turns::Variable& Turns::variable_of(const SiteSlot& site, const Transfer& transfer) noexcept {
  const auto hash = (reinterpret_cast<std::uint64_t>(transfer.host) >> 4U) * 0x9e3779b97f4a7c15U ^
                    reinterpret_cast<std::uint64_t>(&site) * 0xd6e8feb86659fd93U ^
                    (transfer.to_device ? 0 : ~std::uint64_t{0});
  Variable& variable = variables_[(hash >> 32U) % kVariables];
  if (variable.host != transfer.host || variable.site != &site ||
      variable.to_device != transfer.to_device) {
    if (variable.owed) {
      budget.release(variable.promised);
    }
    variable = {transfer.host, &site, 0, 0, transfer.to_device, false};
  }
  return variable;
}

Look Turns::look_at(const SiteSlot& site, Sampling& sampling, const Transfer& transfer) noexcept {
  if (budget.unlimited()) {
    return Look::kWhole;
  }
  const bool large = transfer.bytes > kFingerprintBytes;
  Variable* variable = large ? &variable_of(site, transfer) : nullptr;
  if (variable != nullptr && variable->owed) {
    variable->owed = false;
    budget.release(variable->promised);
    return Look::kWhole;
  }
  if (transfer.bytes > kSmall ? !sampling.large : !sampling.small) [[likely]] {
    return Look::kNone;
  }
  const std::uint64_t now = ticks();
  const std::uint64_t read = large ? kFingerprintBytes : transfer.bytes;
  if (!run_is_affordable(sampling, now) || !budget.allows(now, budget.expected(read))) {
    return Look::kNone;
  }
  if (variable == nullptr) {
    return Look::kFingerprint;
  }
  // All of it, this time and the next, or not at all.
  constexpr std::uint16_t kMostTurns = 7;
  const std::uint64_t each = budget.expected(transfer.bytes);
  if (!budget.allows_dear(now, 2 * each * (std::uint64_t{1} + variable->turns))) {
    return Look::kFingerprint;
  }
  variable->turns = variable->turns < kMostTurns ? variable->turns + 1 : kMostTurns;
  variable->promised = each;
  variable->owed = true;
  budget.charge(each);
  return Look::kWhole;
}

}  // namespace ompdm::record
