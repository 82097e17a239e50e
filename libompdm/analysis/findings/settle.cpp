#include "analysis/findings/settle.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace ompdm::analysis {
namespace {

constexpr std::uint32_t kNone = Index<DataOp>::kNone;

/// The claims taken so far, and one that asks to be.
class Settlement {
 public:
  explicit Settlement(std::size_t op_count)
      : removed_(op_count), rested_on_(op_count), links_(op_count), seen_(op_count) {}

  /// Takes the claim, unless it falls with what was taken before.
  bool take(const Claim& claim) {
    const bool contradicts = std::ranges::any_of(
        claim.clauses, [&](const Clause& clause) { return clauses_.contains(clause); });
    if (contradicts) return false;
    std::vector<std::uint32_t> added;
    for (const std::uint32_t op : claim.ops) {
      if (removed_[op]) continue;
      removed_[op] = true;
      added.push_back(op);
    }
    std::vector<std::uint32_t> linked;
    for (const Rest& rest : claim.rests) {
      if (links_[rest.op].known) continue;
      links_[rest.op] = {rest.on, true};
      linked.push_back(rest.op);
    }
    ++round_;
    const bool stands =
        std::ranges::all_of(claim.rests, [&](const Rest& rest) { return holds(rest.on); }) &&
        std::ranges::all_of(added, [&](std::uint32_t op) { return !rested_on_[op] || holds(op); });
    if (!stands) {
      for (const std::uint32_t op : added) removed_[op] = false;
      for (const std::uint32_t op : linked) links_[op] = {};
      return false;
    }
    clauses_.insert(claim.clauses.begin(), claim.clauses.end());
    for (const Rest& rest : claim.rests) {
      if (rest.on != kNone) rested_on_[rest.on] = true;
    }
    return true;
  }

 private:
  struct Link {
    std::uint32_t on = kNone;
    bool known = false;
  };
  enum class State : std::uint8_t { kOpen, kHolds, kFalls };
  struct Seen {
    std::uint32_t round = 0;
    State state = State::kOpen;
  };

  /// Whether what the operation brought about still comes about: it stays itself, or what it rests
  /// on does. What comes back to itself rests on nothing.
  bool holds(std::uint32_t op) {
    std::vector<std::uint32_t> path;
    State end = State::kHolds;
    while (op != kNone && removed_[op]) {
      Seen& seen = seen_[op];
      if (seen.round == round_) {
        end = seen.state == State::kHolds ? State::kHolds : State::kFalls;
        break;
      }
      seen = {round_, State::kOpen};
      path.push_back(op);
      if (!links_[op].known) {
        end = State::kFalls;
        break;
      }
      op = links_[op].on;
    }
    for (const std::uint32_t one : path) seen_[one].state = end;
    return end == State::kHolds;
  }

  std::vector<bool> removed_;    // all by position in Trace::ops
  std::vector<bool> rested_on_;  // by what was taken
  std::vector<Link> links_;
  std::vector<Seen> seen_;
  std::uint32_t round_ = 0;
  std::set<Clause> clauses_;
};

}  // namespace

std::vector<Claim> settled(std::vector<Claim> claims, std::size_t op_count) {
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Finding& finding = claims[i].finding;
    return std::tuple(~finding.wasted_bytes, finding.confidence, i);
  });
  Settlement settlement(op_count);
  std::vector<bool> stays(claims.size());
  for (const std::size_t i : order) stays[i] = settlement.take(claims[i]);
  std::vector<Claim> kept;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (stays[i]) kept.push_back(std::move(claims[i]));
  }
  return kept;
}

}  // namespace ompdm::analysis
