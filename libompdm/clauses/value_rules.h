// Common parts of the rules on values: the facts of a finding, the writers of data, and its use by
// kernels. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "clauses/clause_effects.h"
#include "clauses/touches.h"
#include "model/map_types.h"

namespace ompdm::analysis {

/// The use of an item by a kernel, as far as it is known.
enum class KernelUse : std::uint8_t {
  kNone,
  kReads,    ///< by its source, the device's content before any kernel writes it
  kIsSent,   ///< the clause sends it and does not copy it back: it is there to be read
  kUnknown,  ///< it may set it
};

class ValueRules {
 protected:
  ValueRules(const Evidence& evidence, ClauseEffects& effects)
      : evidence_(evidence),
        trace_(evidence.trace),
        effects_(effects),
        kernels_(trace_, NamingRegions::Of::kKernels),
        sources_(trace_),
        touches_(trace_, evidence.mappings) {}

  [[nodiscard]] const Site& site_of(Index<Site> site) const { return trace_.sites[site.value]; }
  [[nodiscard]] Index<Site> site_of(Index<Region> region) const {
    return region ? trace_.regions.common(region.value).site : Index<Site>{};
  }
  [[nodiscard]] SourcePlace place_of(Index<Site> site) const { return source_place(site_of(site)); }

  /// Whether the program may set the mapping's memory, or copy it back, by its device address.
  static bool has_other_ways(const Mapping& row) { return row.on_device || row.handed_out; }

  [[nodiscard]] Effect facts_of(Effect::Rule rule, Effect::Stake stake, Index<Site> at,
                                const Mapping& row, const MapItem* item) const {
    const Site& site = site_of(at);
    Effect facts;
    facts.rule = rule;
    facts.stake = stake;
    facts.directive = site.directive;
    facts.place = source_place(site);
    facts.item = item != nullptr && !item->name.empty() ? item->name : expression_of(trace_, row);
    const std::string members = item == nullptr ? std::string() : members_of(trace_, *item);
    if (!members.empty()) facts.item = members;
    if (item != nullptr) facts.clause = clause_of(*item, site.directive);
    facts.bytes = item != nullptr && item->bytes != 0 ? item->bytes : row.bytes;
    facts.devices = {row.device};
    tell_holder(trace_, row, facts);
    return facts;
  }

  [[nodiscard]] std::size_t number_of(const Mapping& row) const {
    return static_cast<std::size_t>(&row - evidence_.mappings.rows().data());
  }

  /// How the mapping's data may have been written. If accesses were watched: whether a kernel wrote
  /// it.
  [[nodiscard]] Writer writer_of(const Mapping& row, Nanoseconds from, Nanoseconds to) const {
    if (!touches_.are_known(row.device, from, to)) {
      return evidence_.kernels.writer_of(row, from, to);
    }
    return touches_.any_written(number_of(row), from, to) ? Writer::kWriter : Writer::kNone;
  }

  /// Whether a kernel may have used the data. If accesses were watched: whether one wrote it.
  [[nodiscard]] bool may_be_written(const Mapping& row, Nanoseconds from, Nanoseconds to) const {
    return touches_.are_known(row.device, from, to) ? touches_.any_written(number_of(row), from, to)
                                                    : evidence_.kernels.may_see(row, from, to);
  }

  /// The use of a mapping's block by a region's kernel; none: it was not watched. kUnknown: the
  /// first access was a write, or is not known.
  [[nodiscard]] std::optional<KernelUse> watched_use(const NamingRegions::Naming& naming,
                                                     const Mapping& row) const {
    const Nanoseconds at = naming.first;
    if (!touches_.are_known(row.device, at, at + 1)) return std::nullopt;
    for (const Touches::Touch& touch : touches_.of(number_of(row))) {
      if (trace_.launches[touch.launch.value].region != naming.region) continue;
      return touch.is_read_first ? KernelUse::kReads : KernelUse::kUnknown;
    }
    return KernelUse::kNone;
  }

  /// The use of an item by the kernels of some regions; `shown`: the statement that reads it.
  KernelUse use_of(const NamingRegions::Naming& naming, const Mapping& row, SourceLine& shown) {
    const std::optional<KernelUse> watched = watched_use(naming, row);
    if (watched) {
      const SourceFact* seen = sources_.of(naming.site, naming.item->name);
      if (*watched == KernelUse::kReads && seen != nullptr && seen->use != SourceUse::kNone) {
        shown = seen->read_at;
      }
      return *watched;
    }
    const SourceFact* fact = sources_.of(naming.site, naming.item->name);
    const SourceUse use = fact == nullptr ? SourceUse::kUnknown : fact->use;
    if (fact == nullptr) needs_sources_ = true;
    if (use == SourceUse::kNone) return KernelUse::kNone;
    if (use == SourceUse::kRead || (fact != nullptr && fact->reads_first)) {
      shown = fact->read_at;
      return KernelUse::kReads;
    }
    const bool is_only_sent = use == SourceUse::kUnknown && naming.item->bytes > 0 &&
                              (naming.item->type & (kMapTo | kMapFrom | kMapImplicit)) == kMapTo;
    return is_only_sent ? KernelUse::kIsSent : KernelUse::kUnknown;
  }

  const Evidence& evidence_;
  const Trace& trace_;
  ClauseEffects& effects_;
  NamingRegions kernels_;
  RegionFacts sources_;
  Touches touches_;
  bool needs_sources_ = false;  ///< facts of regions would show more
};

/// The rule on data that the host changed and no clause sent. Returns whether facts of regions
/// would show more.
bool check_not_sent(const Evidence& evidence, ClauseEffects& effects);

}  // namespace ompdm::analysis
