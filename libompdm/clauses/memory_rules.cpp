// Rules on device memory, of recordings by `ompdm check`: accesses that its fences caught, and data
// that hung on what memory held before anything set it.
#include <algorithm>
#include <optional>
#include <utility>

#include "clauses/clause_effects.h"
#include "clauses/touches.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

class MemoryRules {
 public:
  MemoryRules(const Evidence& evidence, ClauseEffects& effects)
      : evidence_(evidence),
        trace_(evidence.trace),
        effects_(effects),
        touches_(trace_, evidence.mappings),
        sources_(trace_) {}

  void check() {
    for (const BadAccess& access : trace_.bad_accesses) tell(access);
    for (const Index<DataOp> op : trace_.unset_transfers) tell_unset(op.value);
  }

 private:
  [[nodiscard]] const Site& site_of(Index<Site> site) const { return trace_.sites[site.value]; }

  /// The launch that ran at an instant, the last that began; none: none did.
  [[nodiscard]] std::optional<Launch> launch_at(Nanoseconds instant) const {
    std::optional<Launch> found;
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const Launch launch = trace_.launches[i];
      if (launch.begin > instant) break;
      const bool is_running = launch.end >= instant || launch.unfinished;
      if (is_running && launch.site) found = launch;
    }
    return found;
  }

  /// The directive, or the call, whose operation ran at an instant; none: none did.
  [[nodiscard]] Index<Site> copy_at(Nanoseconds instant) const {
    for (std::uint32_t i = 0; i < trace_.ops.size() && trace_.ops.begin_of(i) <= instant; ++i) {
      if (trace_.ops.end_of(i) >= instant) return trace_.ops.common(i).site;
    }
    return {};
  }

  [[nodiscard]] Effect facts_of(Rule rule, Stake stake, Index<Site> at, const Mapping& row,
                                const MapItem* item) const {
    const Site& site = site_of(at);
    Effect facts;
    facts.rule = rule;
    facts.stake = stake;
    facts.directive = site.directive;
    facts.place = source_place(site);
    facts.item = item != nullptr && !item->name.empty() ? item->name : expression_of(trace_, row);
    if (item != nullptr) facts.clause = clause_of(*item, site.directive);
    facts.bytes = row.bytes;
    facts.devices = {row.device};
    tell_holder(trace_, row, facts);
    return facts;
  }

  void tell(const BadAccess& access) {
    const bool is_host = access.of >= BadAccess::Of::kHost;
    if (is_host && trace_.recording.unified_shared_memory) return;
    const std::uint32_t number = touches_.mapping_at(access.block, access.time);
    if (number == kNoMapping) return;
    const Mapping& row = evidence_.mapping(number);
    if (row.is_private) return;
    const std::optional<Launch> launch = is_host ? std::nullopt : launch_at(access.time);
    const Index<Site> copy = is_host || launch ? Index<Site>{} : copy_at(access.time);
    const Index<Site> at = launch ? launch->site : copy ? copy : row.site;
    if (!at) return;
    const MapItem* item =
        launch ? evidence_.mappings.item_of(launch->region, row.host, row.bytes, true) : nullptr;
    constexpr Rule kRules[] = {Rule::kOutOfSection, Rule::kOutOfSection, Rule::kUsedAfterDelete,
                               Rule::kHostAccess, Rule::kFreedWhileMapped};
    const Rule rule = kRules[static_cast<std::size_t>(access.of)];
    Effect facts = facts_of(rule, is_host ? Stake::kHazard : Stake::kWrongValues, at, row, item);
    facts.offset = access.offset;
    facts.is_write = access.is_write;
    const bool has_end = rule == Rule::kUsedAfterDelete || rule == Rule::kFreedWhileMapped;
    if (row.remove && has_end) {
      const Index<Site> end = trace_.ops.common(row.remove.value).site;
      if (end) facts.ended = source_place(site_of(end));
    }
    if (const SourceFact* fact = sources_.of(at, facts.item)) {
      facts.shown = {fact->file, fact->use_line};
      facts.element_bytes = fact->element_bytes;
    }
    effects_.add(at, std::move(facts), Confidence::kCertain);
  }

  /// What came back hung on the bytes that fresh memory was filled with.
  void tell_unset(std::uint32_t op) {
    const std::uint32_t number = evidence_.mappings.of(op);
    const Index<Site> site = trace_.ops.common(op).site;
    if (number == kNoMapping || !site) return;
    const Mapping& row = evidence_.mapping(number);
    const Index<Region> region = trace_.ops.region_of(op);
    const MapItem* item = evidence_.mappings.item_of(region, row.host, row.bytes, true);
    Effect facts = facts_of(Rule::kUninitialised, Stake::kWrongValues, site, row, item);
    // The kernels that wrote what came back.
    for (const Touches::Touch& touch : touches_.of(number)) {
      const Index<Site> kernel = trace_.launches[touch.launch.value].site;
      if (!touch.is_written || touch.at > trace_.ops.begin_of(op) || !kernel) continue;
      const SourcePlace place = source_place(site_of(kernel));
      constexpr std::uint32_t kNoTeams = 0xffffffff;
      const Launch launch = trace_.launches[touch.launch.value];
      facts.asks_threads = facts.asks_threads || launch.thread_limit != 0 ||
                           (launch.num_teams != 0 && launch.num_teams != kNoTeams);
      if (std::ranges::find(facts.kernels, place) == facts.kernels.end()) {
        facts.kernels.push_back(place);
      }
    }
    effects_.add(site, std::move(facts), Confidence::kCertain);
  }

  const Evidence& evidence_;
  const Trace& trace_;
  ClauseEffects& effects_;
  Touches touches_;
  RegionFacts sources_;
};

}  // namespace

void check_memory(const Evidence& evidence, ClauseEffects& effects) {
  if (evidence.trace.recording.check.empty()) return;
  MemoryRules(evidence, effects).check();
}

}  // namespace ompdm::analysis
