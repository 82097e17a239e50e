// Rules on where data is: present in part, at the address of another variable or of device memory,
// on two devices, or absent.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clauses/clause_effects.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

/// Sections of longer lists are not compared with each other.
constexpr std::size_t kFewItems = 64;

/// An item that the rules on presence check.
struct Looked {
  const MapItem* item = nullptr;
  bool has_clause = false;  ///< and bytes: all of it has to be present
  /// Another item of the directive, whose section begins before this one and ends in it.
  const MapItem* reached_by = nullptr;
  /// The source shows an index by which the kernel uses it.
  const SourceFact* used = nullptr;
};

/// The item of a region whose section reaches into another one, of another pointer; null: none
/// does.
const MapItem* reached_by(const Trace& trace, const Region& region, const MapItem& item) {
  const std::vector<MapItem>& items = items_of(trace, region);
  if (items.size() < 2 || items.size() > kFewItems || item.base == 0) return nullptr;
  const auto reaches = [&](const MapItem& other) {
    const std::uint64_t end = other.begin + other.bytes;
    const bool is_section = other.begin != 0 && other.bytes > 0 && !other.name.empty() &&
                            (other.type & (kMapLiteral | kMapPrivate | kMapImplicit)) == 0 &&
                            (other.type >> kMapMemberOfShift) == 0;
    return is_section && other.base != item.base && other.begin < item.begin && item.begin < end &&
           end < item.begin + item.bytes;
  };
  const auto found = std::ranges::find_if(items, reaches);
  return found == items.end() ? nullptr : &*found;
}

/// Blocks of device memory, by their addresses there.
class DeviceBlocks {
 public:
  explicit DeviceBlocks(const std::vector<Mapping>& rows) : rows_(rows) {
    std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>>
        blocks;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Mapping& row = rows[i];
      if (row.address != 0) blocks[{row.device, row.address, row.bytes}].push_back(i);
    }
    for (auto& [block, mappings] : blocks) {
      const auto& [device, address, bytes] = block;
      overlaps_.add(address, address + std::max<std::uint64_t>(bytes, 1));
      mappings_.push_back(std::move(mappings));
    }
    overlaps_.build();
  }

  /// The mapping whose block holds an address at an instant; kNoMapping: none does.
  [[nodiscard]] std::uint32_t at(std::int32_t device, std::uint64_t address,
                                 Nanoseconds instant) const {
    std::uint32_t found = kNoMapping;
    overlaps_.each(address, address + 1, [&](std::uint32_t block) {
      const std::vector<std::uint32_t>& mappings = mappings_[block];
      const auto after = std::ranges::upper_bound(
          mappings, instant, {}, [&](std::uint32_t one) { return rows_[one].begin; });
      if (after == mappings.begin()) return;
      const Mapping& row = rows_[*std::prev(after)];
      if (row.device == device && instant < row.end) found = *std::prev(after);
    });
    return found;
  }

 private:
  const std::vector<Mapping>& rows_;
  std::vector<std::vector<std::uint32_t>> mappings_;  // of one block, in order of time
  Overlaps overlaps_;                                 // parallel to mappings_
};

class PresenceRules {
 public:
  PresenceRules(const Evidence& evidence, ClauseEffects& effects)
      : evidence_(evidence),
        trace_(evidence.trace),
        effects_(effects),
        blocks_(evidence.mappings.rows()),
        sources_(trace_) {
    for (const Mapping& row : evidence.mappings.rows()) {
      if (row.base < row.host) shifted_.push_back(&row);
    }
    for (std::uint32_t i = 0; i < trace_.ops.size(); ++i) {
      if (trace_.ops.common(i).kind != OpKind::kAssociate) continue;
      const DataOp op = trace_.ops[i];
      for (const std::uint64_t begin : {op.src, op.dst}) {
        if (begin != 0) associated_.emplace_back(begin, begin + op.bytes);
      }
    }
    for (const std::vector<MapItem>& items : trace_.map_lists) {
      for (const MapItem& item : items) {
        const bool is_empty = item.bytes == 0 && (item.type & kMapImplicit) == 0;
        if (is_empty) empty_.insert(item.begin);
        const bool comes_back =
            item.bytes == sizeof(void*) && (item.type & (kMapFrom | kMapImplicit)) == kMapFrom;
        if (comes_back) set_by_kernels_.insert(item.name);
      }
    }
  }

  /// Returns whether the source of regions would show more.
  bool check() {
    // By region: when its kernel began, if it ran.
    constexpr Nanoseconds kNever = -1;
    std::vector<Nanoseconds> ran(trace_.regions.size(), kNever);
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const Launch& launch = trace_.launches[i];
      if (launch.region) ran[launch.region.value] = launch.begin;
    }
    const auto looked_at = [&](const Region& region) { return looked_of(region); };
    const std::vector<std::vector<Looked>> of_shape = trace_.regions.of_shapes(looked_at);
    for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
      for (const Looked& looked : of_shape[trace_.regions.shape_of(i)]) {
        if (looked.reached_by != nullptr) check_overlap(i, looked);
        if (looked.has_clause) {
          check_named(i, *looked.item);
        } else if (ran[i] != kNever) {
          check_pointer(i, *looked.item);
        }
        if (looked.used != nullptr && ran[i] != kNever) check_end(i, looked, ran[i]);
      }
    }
    for (const IdleDirectives::Item& item : evidence_.idle_directives.items()) check_idle(item);
    check_devices();
    return needs_sources_;
  }

 private:
  [[nodiscard]] const Site& site_of(Index<Site> site) const { return trace_.sites[site.value]; }

  /// The items of a region that the thread waits for. (A deferred task may begin after its data was
  /// deleted.)
  [[nodiscard]] std::vector<Looked> looked_of(const Region& region) const {
    std::vector<Looked> all;
    if (region.nowait || region.ends_data || region.host_fallback || !region.site) return all;
    const Directive directive = site_of(region.site).directive;
    const bool begins = directive != Directive::kTargetUpdate &&
                        directive != Directive::kTargetExitData && maps_data(directive);
    for (const MapItem& item : items_of(trace_, region)) {
      const bool has_memory = item.begin != 0 && (item.type & (kMapLiteral | kMapPrivate)) == 0 &&
                              (item.type & kMapReturnParam) == 0 && !item.by_mapper;
      if (!has_memory || !begins) continue;
      const bool is_kernel = directive == Directive::kTarget;
      const SourceFact* fact = is_kernel ? sources_.of(region.site, item.name) : nullptr;
      // `ompdm check` sees the first byte that is touched.
      // An item may be the pointer itself.
      const bool is_data = item.bytes != sizeof(void*) || base_of(item.name) != item.name;
      const bool is_used = is_data && fact != nullptr && fact->last_index &&
                           fact->element_bytes > 0 && trace_.recording.check.empty();
      const SourceFact* used = is_used ? fact : nullptr;
      if (item.bytes > 0) all.push_back({&item, true, reached_by(trace_, region, item), used});
      const bool is_bare = item.bytes == 0 && (item.type & kMapImplicit) != 0;
      if (is_bare && is_kernel) all.push_back({&item, false, nullptr, used});
    }
    return all;
  }

  [[nodiscard]] Effect facts_of(Rule rule, Stake stake, Index<Region> at, const MapItem& item,
                                std::uint32_t holder) const {
    const Region& region = trace_.regions.common(at.value);
    const Site& site = site_of(region.site);
    Effect facts;
    facts.rule = rule;
    facts.stake = stake;
    facts.directive = site.directive;
    facts.place = source_place(site);
    facts.item = item.name;
    if (!holds_members(items_of(trace_, region), item))
      facts.clause = clause_of(item, site.directive);
    facts.bytes = item.bytes;
    facts.devices = {region.device};
    if (holder != kNoMapping) tell_holder(trace_, evidence_.mapping(holder), facts);
    return facts;
  }

  void check_named(std::uint32_t number, const MapItem& item) {
    const Region& region = trace_.regions.common(number);
    const Nanoseconds begin = trace_.regions.begin_of(number);
    if (item.name.empty()) return;
    const std::uint32_t holder =
        evidence_.presence.at_instant(region.device, item.begin, item.bytes, begin);
    if (holder != kNoMapping) {
      const Mapping& row = evidence_.mapping(holder);
      const bool is_inside =
          item.begin >= row.host && item.begin + item.bytes <= row.host + row.bytes;
      if (is_other_frame(region, item, row)) {
        if (!framed_.emplace(holder, base_of(item.name)).second) return;
        effects_.add(region.site,
                     facts_of(Rule::kEndedFrame, Stake::kWrongValues, {number}, item, holder),
                     Confidence::kLikely);
      } else if (!is_inside && (item.type & kMapImplicit) != 0) {
        check_members(number, item, holder);
      } else if (!is_inside) {
        Effect facts = facts_of(Rule::kPartlyPresent, Stake::kHazard, {number}, item, holder);
        facts.held_bytes = std::min(item.begin + item.bytes, row.host + row.bytes) -
                           std::max(item.begin, row.host);
        effects_.add(region.site, std::move(facts), Confidence::kCertain);
      }
      return;
    }
    const std::uint32_t block = blocks_.at(region.device, item.begin, begin);
    if (block == kNoMapping) return;
    effects_.add(region.site, facts_of(Rule::kDeviceAddress, Stake::kHazard, {number}, item, block),
                 Confidence::kCertain);
  }

  /// A kernel names an object by no clause, and the device has some of its members. The kernel gets
  /// the address of these, which is right if it uses no others.
  void check_members(std::uint32_t number, const MapItem& item, std::uint32_t holder) {
    const Index<Site> at = trace_.regions.common(number).site;
    if (site_of(at).directive != Directive::kTarget) return;
    const std::vector<const SourceFact*> used = sources_.members_of(at, item.name);
    needs_sources_ = needs_sources_ || used.empty();
    const std::int32_t device = trace_.regions.common(number).device;
    const Nanoseconds begin = trace_.regions.begin_of(number);
    for (const SourceFact* member : used) {
      const bool is_known = member->offset && *member->offset < item.bytes;
      if (!is_known ||
          evidence_.presence.is_there(device, item.begin + *member->offset, 1, begin)) {
        continue;
      }
      Effect facts = facts_of(Rule::kPartlyPresent, Stake::kWrongValues, {number}, item, holder);
      facts.shown = member->used_at;
      facts.member = member->name;
      effects_.add(at, std::move(facts), Confidence::kProven);
      return;
    }
  }

  /// A kernel uses an element behind the end of what is mapped, as its source shows.
  void check_end(std::uint32_t number, const Looked& looked, Nanoseconds at) {
    const MapItem& item = *looked.item;
    const Index<Site> site = trace_.regions.common(number).site;
    if (effects_.count_again(Rule::kOutOfSection, site, item.name)) return;
    const std::int32_t device = trace_.regions.common(number).device;
    const std::uint64_t base = item.base != 0 ? item.base : item.begin;
    const std::uint64_t bytes = looked.used->element_bytes;
    const std::uint64_t element =
        base + static_cast<std::uint64_t>(looked.used->last_index.value_or(0)) * bytes;
    const std::uint32_t holder = evidence_.presence.at_instant(
        device, item.begin, std::max<std::uint64_t>(item.bytes, 1), at);
    if (holder == kNoMapping || evidence_.presence.is_there(device, element, bytes, at)) return;
    const Mapping& row = evidence_.mapping(holder);
    if (element < row.host + row.bytes || row.is_private) return;
    Effect facts = facts_of(Rule::kOutOfSection, Stake::kWrongValues, {number}, item, holder);
    facts.bytes = row.bytes;
    facts.offset = static_cast<std::int64_t>(element - row.host);
    facts.is_write = looked.used->last_is_written;
    facts.element_bytes = bytes;
    facts.shown = {looked.used->file, looked.used->last_line};
    effects_.add(site, std::move(facts), Confidence::kProven);
  }

  /// A section that reaches into that of another pointer of the directive.
  void check_overlap(std::uint32_t number, const Looked& looked) {
    const Index<Site> at = trace_.regions.common(number).site;
    const MapItem& longer = *looked.reached_by;
    if (effects_.count_again(Rule::kPartlyPresent, at, longer.name)) return;
    Effect facts = facts_of(Rule::kPartlyPresent, Stake::kHazard, {number}, longer, kNoMapping);
    facts.holder = facts.place;
    facts.held_by = facts.directive;
    facts.held_as = looked.item->name;
    facts.held_bytes = longer.begin + longer.bytes - looked.item->begin;
    effects_.add(at, std::move(facts), Confidence::kCertain);
  }

  /// Whether both are locals, of functions of which one has ended.
  [[nodiscard]] bool is_other_frame(const Region& region, const MapItem& item,
                                    const Mapping& row) const {
    if (!item.automatic || row.item == nullptr || !row.item->automatic || !row.site) return false;
    const Site& here = site_of(region.site);
    const Site& there = site_of(row.site);
    const bool is_one = here.function == there.function && here.file == there.file;
    return !is_one && base_of(item.name) != base_of(row.item->name);
  }

  /// A pointer that no clause of the kernel names, and whose data is not on the device. It is
  /// checked on host devices only. A GPU cannot use its host's memory, or the driver migrates it.
  /// If a run on a GPU went well, the memory could be used.
  void check_pointer(std::uint32_t number, const MapItem& item) {
    const Region& region = trace_.regions.common(number);
    const auto device = std::ranges::find(trace_.devices, region.device, &Device::number);
    const bool is_host = device != trace_.devices.end() && device->emulated;
    // The compiler's own pointers have names that no program can write.
    const bool is_named = !item.name.empty() && item.name.front() != '.';
    if (!is_host || !is_named) return;
    const Nanoseconds begin = trace_.regions.begin_of(number);
    const auto is_there = [&](std::uint64_t address) {
      return evidence_.presence.is_there(region.device, address, 1, begin) ||
             blocks_.at(region.device, address, begin) != kNoMapping;
    };
    if (empty_.contains(item.begin)) return;          // a clause names none of its elements
    if (set_by_kernels_.contains(item.name)) return;  // perhaps to memory that a kernel allocated
    if (is_associated(item.begin)) return;
    if (is_there(item.begin) || is_device_variable(trace_, item.begin) ||
        is_base(region.device, item.begin, begin))
      return;
    const SourceFact* fact = sources_.of(region.site, item.name);
    // The kernel uses the pointer alone.
    const bool is_none = fact != nullptr
                             ? fact->use == SourceUse::kNone
                             : sources_.are_known(region.site) && is_variable_name(item.name);
    if (is_none) return;
    needs_sources_ = needs_sources_ || fact == nullptr;
    Effect facts = facts_of(Rule::kHostAddress, Stake::kHazard, {number}, item, kNoMapping);
    const bool is_shown = fact != nullptr && fact->use != SourceUse::kUnknown;
    if (is_shown) facts.shown = fact->used_at;
    effects_.add(region.site, std::move(facts), Confidence::kCertain);
  }

  /// Whether the program has given the runtime device memory for it, at any time.
  [[nodiscard]] bool is_associated(std::uint64_t address) const {
    return std::ranges::any_of(associated_, [&](const auto& memory) {
      return address >= memory.first && address < memory.second;
    });
  }

  /// Whether a section of this pointer is there that begins behind it.
  [[nodiscard]] bool is_base(std::int32_t device, std::uint64_t address, Nanoseconds at) const {
    return std::ranges::any_of(shifted_, [&](const Mapping* row) {
      return row->device == device && row->base <= address && address < row->host + row->bytes &&
             row->begin <= at && at < row->end;
    });
  }

  void check_idle(const IdleDirectives::Item& item) {
    if (item.idle.size() != item.instances || !item.site || item.named->name.empty()) return;
    if (is_device_variable(trace_, item.named->begin)) return;  // it is always there
    const Site& site = site_of(item.site);
    Effect facts;
    facts.rule = Rule::kNotPresent;
    facts.stake = Stake::kNoEffect;
    facts.directive = site.directive;
    facts.place = source_place(site);
    facts.item = item.named->name;
    facts.clause = clause_of(*item.named, site.directive);
    facts.bytes = item.bytes;
    facts.devices = {item.device};
    if (const Mapping* meant = section_of(item)) {
      facts.stake = Stake::kHazard;
      tell_holder(trace_, *meant, facts);
    } else {
      tell_deleted(item, facts);
    }
    for (std::uint64_t i = 0; i < item.instances; ++i) {
      effects_.add(item.site, facts, Confidence::kCertain);
    }
  }

  /// The data had been on the device, and a directive deleted all of it by the name of a part.
  void tell_deleted(const IdleDirectives::Item& item, Effect& facts) const {
    const Mapping* last = nullptr;
    for (const Mapping& row : evidence_.mappings.rows()) {
      const bool had_it = row.device == item.device && row.host != 0 && row.remove &&
                          row.host <= item.named->begin &&
                          item.named->begin + item.bytes <= row.host + row.bytes &&
                          row.end <= item.idle.front();
      if (had_it && (last == nullptr || last->end < row.end)) last = &row;
    }
    const Index<Region> region =
        last == nullptr ? Index<Region>() : trace_.ops.region_of(last->remove.value);
    if (!region || !trace_.regions.common(region.value).site) return;
    for (const MapItem& part : items_of(trace_, trace_.regions.common(region.value))) {
      const bool is_part = (part.type & kMapDelete) != 0 && part.bytes < last->bytes &&
                           part.begin >= last->host &&
                           part.begin + part.bytes <= last->host + last->bytes;
      if (!is_part || part.name.empty()) continue;
      const Site& site = site_of(trace_.regions.common(region.value).site);
      facts.stake = Stake::kHazard;
      facts.ended = source_place(site);
      facts.member = part.name;
      facts.held_as = expression_of(trace_, *last);
      return;
    }
  }

  /// The mapping of a section of the pointer that an item names by itself; null: there was none.
  [[nodiscard]] const Mapping* section_of(const IdleDirectives::Item& item) const {
    const std::string& name = item.named->name;
    if (item.bytes != sizeof(void*) || base_of(name) != name) return nullptr;
    const Site& here = site_of(item.site);
    const std::vector<Mapping>& rows = evidence_.mappings.rows();
    const auto meant = std::ranges::find_if(rows, [&](const Mapping& row) {
      const bool is_there = row.device == item.device && row.begin <= item.idle.front() &&
                            item.idle.front() < row.end;
      return is_there && row.item != nullptr && row.site && row.item->name != name &&
             base_of(row.item->name) == name && site_of(row.site).function == here.function;
    });
    return meant == rows.end() ? nullptr : &*meant;
  }

  /// Two devices had the same memory at one time, and kernels of both may write it. The copy back
  /// from one device lacks the data that the other had copied back meanwhile.
  void check_devices() {
    const std::vector<Mapping>& rows = evidence_.mappings.rows();
    // Mappings of one piece on one device come one after the other.
    using ByDevice = std::map<std::int32_t, std::vector<std::uint32_t>>;
    std::map<std::pair<std::uint64_t, std::uint64_t>, ByDevice> pieces;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const bool counts = rows[i].host != 0 && rows[i].returned && !rows[i].is_private;
      if (counts) pieces[{rows[i].host, rows[i].bytes}][rows[i].device].push_back(i);
    }
    for (const auto& [piece, devices] : pieces) {
      if (devices.size() < 2) continue;
      for (const auto& [device, numbers] : devices) {
        for (const auto& [elsewhere, others] : devices) {
          if (device == elsewhere) continue;
          for (const std::uint32_t later : numbers) {
            auto at = std::ranges::upper_bound(others, rows[later].begin, {},
                                               [&](std::uint32_t one) { return rows[one].end; });
            for (; at != others.end() && rows[*at].begin < rows[later].end; ++at) {
              check_pair(later, *at);
            }
          }
        }
      }
    }
  }

  /// Whether a mapping is copied back after another one was, which took place during the mapping.
  [[nodiscard]] bool comes_back_after(std::uint32_t later, std::uint32_t other) const {
    const auto is_back = [&](std::uint32_t op) {
      return trace_.ops.common(op).kind == OpKind::kDtoH;
    };
    const auto mine = evidence_.transfers(later);
    const auto theirs = evidence_.transfers(other);
    const auto last = std::find_if(mine.rbegin(), mine.rend(), is_back);
    if (last == mine.rend()) return false;
    const Nanoseconds since = evidence_.mapping(later).begin;
    return std::ranges::any_of(theirs, [&](std::uint32_t op) {
      return op < *last && is_back(op) && trace_.ops.begin_of(op) > since;
    });
  }

  void check_pair(std::uint32_t later, std::uint32_t other) {
    const Mapping& mine = evidence_.mapping(later);
    const Mapping& theirs = evidence_.mapping(other);
    if (theirs.end <= mine.begin || mine.end <= theirs.begin) return;
    if (!comes_back_after(later, other)) return;
    Nanoseconds sent = mine.begin;  // from then on `mine` has the host's content
    Nanoseconds since = theirs.begin;
    std::optional<std::uint32_t> brought;
    both_.clear();
    std::ranges::merge(evidence_.transfers(later), evidence_.transfers(other),
                       std::back_inserter(both_));
    for (const std::uint32_t op : both_) {
      const bool is_mine = evidence_.mappings.of(op) == later;
      const bool is_back = trace_.ops.common(op).kind == OpKind::kDtoH;
      const Nanoseconds begin = trace_.ops.begin_of(op);
      if (is_mine && !is_back) {
        sent = begin;
        brought.reset();
      } else if (!is_mine) {
        const bool is_new =
            is_back && evidence_.kernels.writer_of(theirs, since, begin) >= Writer::kNamed;
        if (is_new && begin > sent) brought = op;
        since = trace_.ops.end_of(op);
      } else if (brought && same_content(trace_.ops[op], trace_.ops[*brought]) == Same::kNo) {
        const Index<Site> site = trace_.ops.common(op).site;
        if (!site || site_of(site).directive == Directive::kApi) return;
        Effect facts;
        facts.rule = Rule::kTwoDevices;
        facts.stake = Stake::kHazard;
        facts.directive = site_of(site).directive;
        facts.place = source_place(site_of(site));
        facts.item = expression_at(trace_, evidence_.mappings, op);
        facts.bytes = trace_.ops.common(op).bytes;
        facts.devices = {mine.device, theirs.device};
        tell_holder(trace_, theirs, facts);
        effects_.add(site, std::move(facts), Confidence::kLikely);
        return;
      }
    }
  }

  const Evidence& evidence_;
  const Trace& trace_;
  ClauseEffects& effects_;
  DeviceBlocks blocks_;
  RegionFacts sources_;
  bool needs_sources_ = false;
  std::vector<std::uint32_t> both_;      // transfers of two mappings
  std::vector<const Mapping*> shifted_;  // sections that begin behind their pointers
  std::vector<std::pair<std::uint64_t, std::uint64_t>> associated_;  // begin, end
  // Pointers that are copied back.
  std::set<std::string> set_by_kernels_;
  std::set<std::uint64_t> empty_;                           // where sections of no element begin
  std::set<std::pair<std::uint32_t, std::string>> framed_;  // mapping, local that lies there
};

}  // namespace

bool check_presence(const Evidence& evidence, ClauseEffects& effects) {
  return PresenceRules(evidence, effects).check();
}

}  // namespace ompdm::analysis
