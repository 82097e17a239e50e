// The rule on pointers that are members: a clause maps the data of the pointer, and no clause maps
// the pointer. Up to LLVM 21 clang maps the pointer with the data. From LLVM 22 on the pointer is
// set on the device if it is present there (OpenMP 6.0, section 7.9.6). If it is not, a kernel that
// uses it gets the host's address.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/order.h"
#include "clauses/clause_effects.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;

constexpr std::uint64_t kNoData = kMapLiteral | kMapPrivate | kMapReturnParam;

/// Position after "s" in "s.p" and "s->p[0:n]"; npos: the item is no member.
std::size_t end_of_object(const std::string& item) {
  const std::string name = base_of(item);
  const std::size_t dot = name.rfind('.');
  const std::size_t arrow = name.rfind("->");
  if (dot == std::string::npos || arrow == std::string::npos) return std::min(dot, arrow);
  return std::max(dot, arrow);
}

/// The object that "s.p" or "s->p[0:n]" is a member of, as a clause names it: "s", "s[:1]".
std::string object_of(const std::string& item) {
  const std::size_t end = end_of_object(item);
  return item[end] == '.' ? item.substr(0, end) : item.substr(0, end) + "[:1]";
}

class AttachedPointers {
 public:
  AttachedPointers(const Evidence& evidence, ClauseEffects& effects)
      : evidence_(evidence), trace_(evidence.trace), effects_(effects), sources_(trace_) {}

  bool check() {
    const std::vector<bool> maps =
        trace_.regions.of_shapes([&](const Region& region) { return gather(region); });
    if (std::ranges::find(maps, true) == maps.end()) return false;
    std::erase_if(pointers_, [&](const auto& one) {
      const std::uint64_t begin = one.first;
      return mapped_.overlap(begin, begin + sizeof(void*)) || is_device_variable(trace_, begin);
    });
    if (pointers_.empty()) return false;
    const auto used =
        trace_.regions.of_shapes([&](const Region& region) { return used_by(region); });
    std::set<std::pair<std::uint32_t, std::uint64_t>> told;  // shape, pointer
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const Launch& launch = trace_.launches[i];
      if (!launch.region || !launch.site) continue;
      const std::uint32_t shape = trace_.regions.shape_of(launch.region.value);
      for (const Use& use : used[shape]) {
        if (told.contains({shape, use.pointer}) || !is_there(use.pointer, launch)) continue;
        told.emplace(shape, use.pointer);
        add(use, launch);
      }
    }
    for (auto& [object, found] : found_) {
      effects_.add(object.first, std::move(found.facts), found.confidence);
    }
    return needs_sources_;
  }

 private:
  /// A pointer, by an item that is its data.
  struct Pointer {
    const MapItem* data = nullptr;
    Index<Site> site;
    bool is_attached = false;  ///< the directive has mapped it with the data
  };
  struct Use {
    std::uint64_t pointer = 0;
    bool is_written = false;  ///< its data, as the source shows
    bool is_certain = true;   ///< the kernel uses it, and not only the object that holds it
    SourceLine shown;
  };
  struct Found {
    Effect facts;
    Confidence confidence = Confidence::kLikely;
  };

  /// What clauses of a directive that maps data name: pointers by their data, and all else.
  bool gather(const Region& region) {
    const bool maps = region.site && !region.ends_data && !region.host_fallback &&
                      maps_data(site_of(region).directive) &&
                      site_of(region).directive != Directive::kTargetExitData;
    if (!maps) return false;
    const std::vector<MapItem>& items = items_of(trace_, region);
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>
        members;  // by the object's item
    for (const MapItem& item : items) {
      if ((item.type & (kNoData | kMapImplicit)) != 0 || item.begin == 0 || item.bytes == 0 ||
          item.by_mapper || holds_members(items, item)) {
        continue;
      }
      const std::uint64_t pointer = pointer_of(item);
      const bool is_member = pointer != 0 && end_of_object(item.name) != std::string::npos;
      if (is_member) {
        const bool is_attached = item.attached_to == 0;
        pointers_.try_emplace(pointer, Pointer{&item, region.site, is_attached});
      }
      mapped_.add(item.begin, item.begin + item.bytes);
      const std::uint64_t object = item.type >> kMapMemberOfShift;
      if (object == 0 || pointer != 0) continue;
      // Members are mapped with what lies between them.
      const auto [at, is_new] =
          members.try_emplace(object, std::pair(item.begin, item.begin + item.bytes));
      at->second = {std::min(at->second.first, item.begin),
                    std::max(at->second.second, item.begin + item.bytes)};
    }
    for (const auto& [object, span] : members) mapped_.add(span.first, span.second);
    return true;
  }

  /// Pointers that lie in the data of a target region's own items.
  std::vector<Use> used_by(const Region& region) {
    std::vector<Use> all;
    if (!region.site || site_of(region).directive != Directive::kTarget) return all;
    const std::vector<MapItem>& items = items_of(trace_, region);
    std::set<std::uint64_t> own;
    for (const MapItem& item : items) own.insert(pointer_of(item));
    for (const MapItem& item : items) {
      const bool has_storage = (item.type & kNoData) == 0 && item.begin != 0 && item.bytes > 0 &&
                               !holds_members(items, item);
      if (!has_storage) continue;
      const std::uint64_t end = item.begin + item.bytes;
      for (auto at = pointers_.lower_bound(item.begin);
           at != pointers_.end() && at->first + sizeof(void*) <= end; ++at) {
        if (own.contains(at->first)) continue;
        Use use = {at->first, false, true, {}};
        if (is_used(region, item, use)) all.push_back(std::move(use));
      }
    }
    return all;
  }

  /// A member is an item because the kernel uses it. Of a whole object, the source shows which
  /// members the kernel uses.
  bool is_used(const Region& region, const MapItem& item, Use& use) {
    const SourceFact* fact = nullptr;
    if (item.begin == use.pointer && item.bytes == sizeof(void*)) {
      fact = sources_.of(region.site, item.name);
      needs_sources_ = needs_sources_ || fact == nullptr;
    } else {
      const auto members = sources_.members_of(region.site, item.name);
      const bool is_told = std::ranges::any_of(members, [](const SourceFact* member) {
        return member->offset && member->use != SourceUse::kUnknown;
      });
      needs_sources_ = needs_sources_ || !is_told;
      for (const SourceFact* member : members) {
        if (member->offset && item.begin + *member->offset == use.pointer) fact = member;
      }
      // The kernel uses the object. Only the source would show whether it uses this pointer.
      use.is_certain = fact != nullptr;
      if (fact == nullptr) return !is_told && !pointers_.at(use.pointer).is_attached;
    }
    if (fact != nullptr && fact->use == SourceUse::kNone) return false;
    if (fact != nullptr && fact->use != SourceUse::kUnknown) {
      use.is_written = fact->use == SourceUse::kWritten;
      use.shown = fact->used_at;
    }
    return true;
  }

  /// Whether a pointer and its data are on the device when a kernel runs.
  [[nodiscard]] bool is_there(std::uint64_t pointer, const Launch& launch) const {
    const std::uint64_t data = pointers_.at(pointer).data->begin;
    const Presence& presence = evidence_.presence;
    return presence.is_there(launch.device, data, 1, launch.begin) &&
           presence.is_there(launch.device, pointer, sizeof(void*), launch.begin);
  }

  void add(const Use& use, const Launch& launch) {
    const Pointer& pointer = pointers_.at(use.pointer);
    const Site& site = trace_.sites[pointer.site.value];
    const std::string object = object_of(pointer.data->name);
    const auto [at, is_new] = found_.try_emplace({pointer.site, object});
    Effect& facts = at->second.facts;
    if (is_new) {
      facts.rule = Rule::kPointerNotMapped;
      facts.directive = site.directive;
      facts.place = source_place(site);
      facts.item = object;
      facts.is_attached = pointer.is_attached;
    }
    const auto add_to = [](auto& list, auto&& value) {
      if (std::ranges::find(list, value) == list.end()) list.push_back(value);
    };
    add_to(facts.pointers, pointer.data->name);
    add_to(facts.kernels, source_place(trace_.sites[launch.site.value]));
    add_to(facts.devices, launch.device);
    // The kernel writes to the host's memory, and a copy back replaces this with the device's
    // content.
    const std::uint32_t holder =
        evidence_.presence.at_instant(launch.device, pointer.data->begin, 1, launch.begin);
    const bool is_wrong = use.is_written && !facts.is_attached && holder != kNoMapping &&
                          evidence_.mapping(holder).returned;
    Confidence& confidence = at->second.confidence;
    if (is_wrong) {
      facts.stake = Stake::kWrongValues;
      facts.shown = use.shown;
      confidence = Confidence::kProven;
    } else if (use.is_certain && confidence == Confidence::kLikely) {
      confidence = Confidence::kCertain;
    }
  }

  [[nodiscard]] const Site& site_of(const Region& region) const {
    return trace_.sites[region.site.value];
  }

  const Evidence& evidence_;
  const Trace& trace_;
  ClauseEffects& effects_;
  RegionFacts sources_;
  std::map<std::uint64_t, Pointer> pointers_;  // by address
  Spans<std::uint64_t> mapped_;                // what clauses name, and lies between members
  std::map<std::pair<Index<Site>, std::string>, Found> found_;  // by directive and object
  bool needs_sources_ = false;
};

}  // namespace

bool check_pointers(const Evidence& evidence, ClauseEffects& effects) {
  return AttachedPointers(evidence, effects).check();
}

}  // namespace ompdm::analysis
