// The rule on directives with `nowait`: tasks ran in another order than the program reaches the
// directives, and both use the same data. Where taskwait or depend orders them, that cannot happen.
#include <algorithm>
#include <utility>
#include <vector>

#include "clauses/clause_effects.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

/// What a directive does with an item's data.
struct Use {
  const MapItem* item = nullptr;
  bool writes_device = false;
  bool uses_device = false;
  bool writes_host = false;
  bool uses_host = false;
};

class OrderRules {
 public:
  OrderRules(const Evidence& evidence, ClauseEffects& effects)
      : trace_(evidence.trace), effects_(effects), sources_(trace_) {}

  void check() {
    for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
      const Region& region = trace_.regions.common(i);
      if (region.nowait && region.site && trace_.regions.rare(i).made != 0) check_late(i);
    }
  }

 private:
  /// Later directives are looked at as far as this many regions began in between.
  static constexpr std::uint32_t kMostBetween = 32;

  [[nodiscard]] const Site& site_of(const Region& region) const {
    return trace_.sites[region.site.value];
  }

  /// A task that began when directives had begun that its thread reached later.
  void check_late(std::uint32_t late) {
    const Region& region = trace_.regions.common(late);
    const Nanoseconds made = trace_.regions.rare(late).made;
    std::uint32_t looked = 0;
    for (std::uint32_t at = late; at-- > 0 && looked < kMostBetween; ++looked) {
      const Nanoseconds begin = trace_.regions.begin_of(at);
      if (begin <= made) return;
      const Region& other = trace_.regions.common(at);
      const Nanoseconds its_made = trace_.regions.rare(at).made;
      const std::uint32_t asker = its_made != 0 ? other.maker : other.thread;
      const bool is_later = asker == region.maker && (its_made != 0 ? its_made : begin) > made;
      if (!is_later || !other.site || other.device != region.device || other.host_fallback)
        continue;
      // Two kernels may work on parts of their own, or by atomic operations.
      const bool are_kernels = site_of(region).directive == Directive::kTarget &&
                               site_of(other).directive == Directive::kTarget;
      if (are_kernels) continue;
      for (const Use& use : uses_of(region)) {
        if (conflicts(use, uses_of(other))) return tell(region, use, other);
      }
    }
  }

  void tell(const Region& region, const Use& use, const Region& other) {
    const Site& site = site_of(region);
    Effect facts;
    facts.rule = Rule::kUnordered;
    facts.stake = Stake::kHazard;
    facts.directive = site.directive;
    facts.place = source_place(site);
    facts.item = use.item->name;
    facts.clause = clause_of(*use.item, site.directive);
    facts.bytes = use.item->bytes;
    facts.devices = {region.device};
    facts.holder = source_place(site_of(other));
    facts.held_by = site_of(other).directive;
    facts.at_end = other.ends_data;
    effects_.add(region.site, std::move(facts), Confidence::kLikely);
  }

  [[nodiscard]] std::vector<Use> uses_of(const Region& region) const {
    std::vector<Use> uses;
    const Directive directive = site_of(region).directive;
    for (const MapItem& item : items_of(trace_, region)) {
      const bool has_data =
          item.begin != 0 && !item.name.empty() && (item.type & (kMapLiteral | kMapPrivate)) == 0;
      if (has_data) uses.push_back(use_of(directive, region.site, item));
    }
    return uses;
  }

  [[nodiscard]] Use use_of(Directive directive, Index<Site> site, const MapItem& item) const {
    const bool to = (item.type & kMapTo) != 0;
    const bool from = (item.type & kMapFrom) != 0;
    if (directive == Directive::kTargetUpdate) return {&item, to, true, from, true};
    if (directive == Directive::kTargetExitData) return {&item, true, true, from, from};
    if (directive != Directive::kTarget) return {&item, to, to, false, to};
    const SourceFact* fact = sources_.of(site, item.name);
    const SourceUse use = fact == nullptr ? SourceUse::kUnknown : fact->use;
    // A kernel's own map clauses may find the data there: they move nothing then.
    const bool may_write = use == SourceUse::kWritten || (use == SourceUse::kUnknown && from);
    return {&item, may_write, use != SourceUse::kNone, false, false};
  }

  static bool conflicts(const Use& one, const std::vector<Use>& others) {
    return std::ranges::any_of(others, [&](const Use& other) {
      const std::uint64_t end = one.item->begin + std::max<std::uint64_t>(one.item->bytes, 1);
      const std::uint64_t its_end =
          other.item->begin + std::max<std::uint64_t>(other.item->bytes, 1);
      if (one.item->begin >= its_end || other.item->begin >= end) return false;
      const bool on_device =
          (one.writes_device && other.uses_device) || (other.writes_device && one.uses_device);
      const bool on_host =
          (one.writes_host && other.uses_host) || (other.writes_host && one.uses_host);
      return on_device || on_host;
    });
  }

  const Trace& trace_;
  ClauseEffects& effects_;
  RegionFacts sources_;
};

}  // namespace

void check_order(const Evidence& evidence, ClauseEffects& effects) {
  OrderRules(evidence, effects).check();
}

}  // namespace ompdm::analysis
