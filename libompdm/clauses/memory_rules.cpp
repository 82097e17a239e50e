// Rules on device memory, of recordings by `ompdm check`: accesses that its fences caught, and data
// that depends on memory which nothing had set.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "clauses/value_rules.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

class MemoryRules : ValueRules {
 public:
  MemoryRules(const Evidence& evidence, ClauseEffects& effects) : ValueRules(evidence, effects) {
    for (const BlockTouch& touch : trace_.block_touches) {
      if (touch.is_read_first) reads_[touch.launch.value].push_back(&touch);
    }
  }

  void check() {
    for (const BadAccess& access : trace_.bad_accesses) tell(access);
    for (const Index<DataOp> op : trace_.unset_transfers) tell_unset(op.value);
  }

 private:
  /// The launch that ran at an instant, of several the last that began; none: no launch ran.
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

  /// The directive, or the call, whose operation ran at an instant; none: no operation ran.
  [[nodiscard]] Index<Site> copy_at(Nanoseconds instant) const {
    for (std::uint32_t i = 0; i < trace_.ops.size() && trace_.ops.begin_of(i) <= instant; ++i) {
      if (trace_.ops.end_of(i) >= instant) return trace_.ops.common(i).site;
    }
    return {};
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
    facts.bytes = row.bytes;
    facts.offset = access.offset;
    facts.is_write = access.is_write;
    const bool has_end = rule == Rule::kUsedAfterDelete || rule == Rule::kFreedWhileMapped;
    if (row.remove && has_end) {
      const Index<Site> end = trace_.ops.common(row.remove.value).site;
      if (end) facts.ended = source_place(site_of(end));
    }
    if (const SourceFact* fact = sources_.of(at, facts.item)) {
      facts.element_bytes = fact->element_bytes;
    }
    effects_.add(at, std::move(facts), Confidence::kCertain);
  }

  /// Adds a finding on a copy back whose content depends on the bytes that fill fresh memory.
  void tell_unset(std::uint32_t op) {
    const std::uint32_t number = evidence_.mappings.of(op);
    const Index<Site> site = trace_.ops.common(op).site;
    if (number == kNoMapping || !site) return;
    const Mapping& row = evidence_.mapping(number);
    const Index<Region> region = trace_.ops.region_of(op);
    const MapItem* item = evidence_.mappings.item_of(region, row.host, row.bytes, true);
    Effect facts = facts_of(Rule::kUninitialised, Stake::kWrongValues, site, row, item);
    // The kernels that wrote the copied data.
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
      add_unset_reads(touch.launch, facts.unset_reads);
    }
    effects_.add(site, std::move(facts), Confidence::kCertain);
  }

  /// Names of data that a kernel read, and that nothing had set before.
  void add_unset_reads(Index<Launch> at, std::vector<std::string>& names) const {
    constexpr std::size_t kMost = 4;
    const auto reads = reads_.find(at.value);
    if (reads == reads_.end()) return;
    const Launch launch = trace_.launches[at.value];
    for (const BlockTouch* touch : reads->second) {
      const std::uint32_t number = touches_.mapping_at(touch->block, launch.begin);
      if (number == kNoMapping || names.size() == kMost) continue;
      const Mapping& row = evidence_.mapping(number);
      const bool is_sent = std::ranges::any_of(evidence_.transfers(number), [&](std::uint32_t op) {
        return trace_.ops.common(op).kind == OpKind::kHtoD &&
               trace_.ops.begin_of(op) < launch.begin;
      });
      const bool is_set =
          is_sent || row.handed_out || touches_.any_written(number, row.begin, launch.begin);
      const std::string name = expression_of(trace_, row);
      if (!is_set && !name.empty() && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }

  std::map<std::uint32_t, std::vector<const BlockTouch*>> reads_;  // first accesses, by launch
};

}  // namespace

void check_memory(const Evidence& evidence, ClauseEffects& effects) {
  if (evidence.trace.recording.check.empty()) return;
  MemoryRules(evidence, effects).check();
}

}  // namespace ompdm::analysis
