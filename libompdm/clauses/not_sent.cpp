// The rule on data that the host changed and no clause sent: kernels use the device's old data.
#include <algorithm>
#include <map>
#include <utility>

#include "clauses/value_rules.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

class NotSent : ValueRules {
 public:
  NotSent(const Evidence& evidence, ClauseEffects& effects) : ValueRules(evidence, effects) {}

  bool check() {
    for (const UnsentItem& item : trace_.unsent_items) check_unsent(item);
    for (const BlockTouch& touch : trace_.block_touches) check_old(touch);
    return needs_sources_;
  }

 private:
  /// A clause that sent nothing, though the host had changed the data since its last copy.
  void check_unsent(const UnsentItem& unsent) {
    const Region& region = trace_.regions.common(unsent.region.value);
    const Nanoseconds begin = trace_.regions.begin_of(unsent.region.value);
    const std::uint32_t number =
        evidence_.presence.at_instant(region.device, unsent.host, unsent.bytes, begin);
    if (!region.site) return;
    if (number == kNoMapping) {
      check_static(unsent, region, begin);
      return;
    }
    const Mapping& row = evidence_.mapping(number);
    // The host's data was hashed after the directive had ended.
    const std::uint32_t copy = last_copy(number, trace_.regions.end_of(unsent.region.value));
    if (copy == kNoOp && row.is_static) check_static(unsent, region, begin);
    if (copy == kNoOp || row.replaced || has_other_ways(row)) return;
    const DataOp op = trace_.ops[copy];
    if (!has_ended_alone(number, copy, begin)) return;
    const std::uint64_t host = op.kind == OpKind::kHtoD ? op.src : op.dst;
    const bool is_it = host == unsent.host && op.bytes == unsent.bytes && op.fingerprint != 0;
    if (!is_it || op.fingerprint == unsent.fingerprint) return;
    // The first directive that asks is to send it.
    if (unsent_.try_emplace(copy, region.site).first->second != region.site) return;
    const MapItem* item = asking_item(unsent);
    if (item == nullptr) return;
    Nanoseconds until = row.end;
    for (const std::uint32_t next : evidence_.transfers(number)) {
      const bool is_next = trace_.ops.common(next).kind == OpKind::kHtoD && next > copy;
      if (is_next) until = std::min(until, trace_.ops.begin_of(next));
    }
    const Writer writer = writer_of(row, op.end, begin);
    // The device's copy is the newer one, unless the host's content shows that both are new.
    if (writer == Writer::kWriter && !touches_.are_known(row.device, op.end, begin)) return;
    tell(row, {*item, unsent.region, begin, until, writer, op.site});
  }

  /// The same of a `declare target` variable that nothing was sent to yet: the device has what the
  /// program's file holds.
  void check_static(const UnsentItem& unsent, const Region& region, Nanoseconds begin) {
    const auto variable =
        std::ranges::find_if(trace_.device_variables, [&](const DeviceVariable& one) {
          return one.module && one.bytes == unsent.bytes &&
                 one.address + trace_.modules[one.module.value].bias == unsent.host;
        });
    const bool is_known = variable != trace_.device_variables.end() && variable->initial != 0 &&
                          trace_.recording.check.empty();
    if (!is_known || variable->initial == unsent.fingerprint) return;
    const MapItem* item = asking_item(unsent);
    if (item == nullptr) return;
    Mapping row;
    row.device = region.device;
    row.host = unsent.host;
    row.bytes = unsent.bytes;
    row.is_static = true;
    row.end = trace_.process.wall;
    // A kernel before may have written it: the device's copy is the newer one then.
    if (evidence_.kernels.any(region.device, 0, begin)) return;
    tell(row, {*item, unsent.region, begin, row.end, Writer::kNone, {}});
  }

  /// The item of the clause that sent nothing; null: it has a finding already, or no clause has it.
  [[nodiscard]] const MapItem* asking_item(const UnsentItem& unsent) {
    const Index<Site> site = site_of(unsent.region);
    const MapItem* item =
        evidence_.mappings.item_of(unsent.region, unsent.host, unsent.bytes, true);
    const bool is_told = item == nullptr || effects_.count_again(Rule::kNotSent, site, item->name);
    return is_told ? nullptr : item;
  }

  /// A kernel read old data, which no clause of it names: `ompdm check` saw it.
  void check_old(const BlockTouch& touch) {
    const Launch launch = trace_.launches[touch.launch.value];
    if (touch.host_content == 0 || !touch.is_read_first || !launch.region || !launch.site) return;
    const std::uint32_t number = touches_.mapping_at(touch.block, launch.begin);
    if (number == kNoMapping || trace_.regions.common(launch.region.value).nowait) return;
    const Mapping& row = evidence_.mapping(number);
    const std::uint32_t copy = last_copy(number, launch.end);
    if (copy == kNoOp || row.is_private || row.replaced) return;
    const DataOp op = trace_.ops[copy];
    const std::uint64_t host = op.kind == OpKind::kHtoD ? op.src : op.dst;
    const bool is_it = host == row.host && op.bytes == row.bytes && op.fingerprint != 0;
    if (!is_it || op.fingerprint == touch.host_content) return;
    if (!has_ended_alone(number, copy, launch.begin)) return;
    // The clause that asks for it has a finding.
    const MapItem* own = evidence_.mappings.item_of(launch.region, row.host, row.bytes, true);
    if (own != nullptr && (own->type & (kMapTo | kMapImplicit)) == kMapTo) return;
    // Of a struct the host may have changed what no kernel uses. An array may be mapped by its
    // name.
    const std::string name = expression_of(trace_, row);
    const SourceFact* fact = sources_.of(launch.site, base_of(name));
    const bool is_section = name.find('[') != std::string::npos && !name.starts_with("this[");
    const bool is_array =
        fact != nullptr && fact->element_bytes > 0 && fact->element_bytes < row.bytes;
    if (!is_section && !is_array) return;
    if (writer_of(row, op.end, launch.begin) != Writer::kNone) return;
    if (unsent_.try_emplace(copy, launch.site).first->second != launch.site) return;
    const bool is_told =
        effects_.count_again(Rule::kNotSent, launch.site, name) ||
        effects_.has(Rule::kNotSent, function_of(site_of(launch.site)), base_of(name));
    if (is_told) return;
    Effect facts = facts_of(Rule::kNotSent, Stake::kWrongValues, launch.site, row, nullptr);
    if (fact != nullptr) facts.shown = fact->read_at;
    facts.kernels = {place_of(launch.site)};
    if (op.site) facts.copied = place_of(op.site);
    effects_.add(launch.site, std::move(facts), Confidence::kLikely);
  }

  static constexpr std::uint32_t kNoOp = Index<DataOp>::kNone;

  /// The last transfer of a mapping that began before an instant; kNoOp: none did.
  [[nodiscard]] std::uint32_t last_copy(std::uint32_t mapping, Nanoseconds at) const {
    const auto all = evidence_.transfers(mapping);
    const auto after = std::ranges::lower_bound(
        all, at, {}, [&](std::uint32_t op) { return trace_.ops.begin_of(op); });
    return after == all.begin() ? kNoOp : *std::prev(after);
  }

  /// Whether a mapping's last transfer had ended at an instant, and no earlier one ran beside it:
  /// the host's data is the transfer's, then, unless the host changed it.
  [[nodiscard]] bool has_ended_alone(std::uint32_t mapping, std::uint32_t copy,
                                     Nanoseconds at) const {
    if (trace_.ops.end_of(copy) > at) return false;
    const Nanoseconds begin = trace_.ops.begin_of(copy);
    return std::ranges::all_of(evidence_.transfers(mapping), [&](std::uint32_t op) {
      return op == copy || trace_.ops.end_of(op) <= begin || trace_.ops.begin_of(op) >= at;
    });
  }

  /// A clause that sent nothing, and what the device had meanwhile.
  struct Unsent {
    const MapItem& item;
    Index<Region> region;
    Nanoseconds begin = 0;  ///< of the directive
    Nanoseconds until = 0;  ///< when the data is sent next
    Writer writer = Writer::kNone;
    Index<Site> copied;  ///< the directive of the last transfer before; none: there was none
  };

  void tell(const Mapping& row, const Unsent& unsent) {
    for (const NamingRegions::Naming& naming : kernels_.of(row, unsent.begin, unsent.until)) {
      SourceLine shown;
      const KernelUse use = use_of(naming, row, shown);
      if (use == KernelUse::kNone) continue;
      if (use == KernelUse::kUnknown) return;
      const bool is_shown = use == KernelUse::kReads && is_kept(unsent.writer);
      const Index<Site> site = site_of(unsent.region);
      Effect facts = facts_of(Rule::kNotSent, is_shown ? Stake::kWrongValues : Stake::kHazard, site,
                              row, &unsent.item);
      facts.shown = shown;
      facts.kernels = {place_of(naming.site)};
      facts.is_static = row.is_static;
      if (unsent.copied) facts.copied = place_of(unsent.copied);
      effects_.add(site, std::move(facts), is_shown ? Confidence::kProven : Confidence::kPossible);
      return;
    }
  }

  /// By the transfer after which the host changed the data: the directive that did not send it.
  std::map<std::uint32_t, Index<Site>> unsent_;
};

}  // namespace

bool check_not_sent(const Evidence& evidence, ClauseEffects& effects) {
  const bool is_known =
      !evidence.trace.unsent_items.empty() || !evidence.trace.block_touches.empty();
  return is_known && NotSent(evidence, effects).check();
}

}  // namespace ompdm::analysis
