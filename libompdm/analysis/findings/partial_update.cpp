#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/findings/unique.h"
#include "analysis/findings/wording.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// The step of "a[0:n:2]", a section of one dimension, as far as it is written as a number.
std::uint64_t step_of(std::string_view name) {
  const bool is_one_dimension = std::ranges::count(name, '[') == 1 && name.ends_with(']') &&
                                std::ranges::count(name, ':') == 2 &&
                                name.find('?') == std::string_view::npos;
  if (!is_one_dimension) return 1;
  const char* begin = name.data() + name.rfind(':') + 1;
  const char* end = name.data() + name.size() - 1;
  std::uint64_t step = 1;
  const auto [stop, error] = std::from_chars(begin, end, step);
  return error == std::errc() && stop == end ? step : 1;
}

enum class Gaps : std::uint8_t {
  kNone,
  kTold,    ///< to the runtime
  kByStep,  ///< only the name has them: the compiler passed a section without
};

Gaps gaps_of(const MapItem& item) {
  if ((item.type & kMapNonContiguous) != 0) return Gaps::kTold;
  return step_of(item.name) > 1 ? Gaps::kByStep : Gaps::kNone;
}

/// What a directive names of one variable by sections with gaps.
struct Named {
  Gaps gaps = Gaps::kNone;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< 0: not known, but some
  std::vector<std::string> names;
  bool is_mixed = false;  ///< by several, which do not tell what is whose
};
using NamedByVariable = std::map<std::uint32_t, Named>;

/// By variable; empty for most lists.
NamedByVariable named_in(const std::vector<MapItem>& items) {
  NamedByVariable named;
  const auto has_none = [](const MapItem& item) { return gaps_of(item) == Gaps::kNone; };
  if (std::ranges::all_of(items, has_none)) return named;
  for (const MapItem& item : items) {
    if (!item.variable || (item.type & (kMapTo | kMapFrom)) == 0) continue;
    const Gaps gaps = gaps_of(item);
    const auto [at, is_new] = named.try_emplace(item.variable.value);
    Named& of = at->second;
    if (is_new) of.gaps = gaps;
    if (is_new) of.begin = item.begin;
    of.is_mixed = of.is_mixed || (!is_new && (gaps != of.gaps || gaps != Gaps::kTold));
    of.bytes += item.bytes;
    add_once(of.names, item.name);
  }
  std::erase_if(named,
                [](const auto& of) { return of.second.gaps == Gaps::kNone || of.second.is_mixed; });
  return named;
}

/// What one execution of a directive moved of one variable.
struct Moved {
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
  bool from_begin = true;  ///< each began where the section does
  std::uint64_t held = 0;  ///< by the device, of the storage
};

bool is_partial(const Named& named, const Moved& moved) {
  if (named.gaps == Gaps::kByStep) {
    return moved.transfers == 1 && moved.from_begin && moved.bytes == named.bytes;
  }
  if (named.bytes == 0) return moved.bytes == 0;
  return moved.bytes < named.bytes && named.bytes <= moved.held;
}

/// Updates of one directive that were partial.
struct Partial {
  std::uint64_t count = 0;
  std::uint64_t moved = 0;
  std::uint64_t named = 0;
  bool is_known = true;  ///< how much the sections name
  bool in_steps = false;
  UniqueTexts names;
  Index<Site> site;
};

void append(Index<Site> site, const Named& named, const Moved& moved, Partial& partial) {
  partial.site = site;
  ++partial.count;
  partial.moved += moved.bytes;
  partial.named += named.bytes;
  partial.is_known = partial.is_known && named.bytes > 0;
  partial.in_steps = partial.in_steps || named.gaps == Gaps::kByStep;
  for (const std::string& name : named.names) partial.names.add(name);
}

std::string evidence_of(const Partial& partial) {
  const std::string updates =
      fmt::format("{} of {} moved", counted(partial.count, "update", "updates"),
                  spoken_list(partial.names.all()));
  if (partial.in_steps) {
    return fmt::format("{} {} that lie next to each other, from the first on: no step was made",
                       updates, size_text(partial.moved));
  }
  return fmt::format("{} {} of {}", updates, size_text(partial.moved),
                     partial.is_known ? size_text(partial.named) : "what that names");
}

std::string advice_of(const Partial& partial, const Site& site) {
  return fmt::format(
      "the rest did not cross: a fault of compiler and runtime, which makes results wrong. At {}, "
      "{}",
      place_of(site),
      partial.in_steps
          ? "name all from the first to the last element, without a step"
          : "name whole rows, or let a loop update each row by a section without gaps");
}

}  // namespace

std::vector<Claim> partial_update(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace)) return {};
  std::vector<NamedByVariable> named;
  for (const std::vector<MapItem>& items : trace.map_lists) named.push_back(named_in(items));
  std::map<std::pair<std::uint32_t, std::uint32_t>, Moved> all;  // by region and variable
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& common = trace.ops.common(i);
    const Index<Region> region = trace.ops.region_of(i);
    if (!region || !common.variable || !is_transfer(common.kind)) continue;
    const Region& of = trace.regions.common(region.value);
    if (of.map_list >= named.size() || !of.site) continue;
    if (trace.sites[of.site.value].directive != Directive::kTargetUpdate) continue;
    const auto section = named[of.map_list].find(common.variable.value);
    if (section == named[of.map_list].end()) continue;
    Moved& moved = all[{region.value, common.variable.value}];
    moved.bytes += common.bytes;
    ++moved.transfers;
    const std::uint64_t host = common.kind == OpKind::kHtoD ? common.src : common.dst;
    moved.from_begin = moved.from_begin && host == section->second.begin;
    if (evidence.mappings.of(i) != Index<Mapping>::kNone) {
      moved.held = evidence.mappings.rows()[evidence.mappings.of(i)].bytes;
    }
  }
  std::map<std::uint32_t, Partial> rows;  // by directive row
  for (const auto& [key, moved] : all) {
    const Region& region = trace.regions.common(key.first);
    const Named& section = named[region.map_list].at(key.second);
    if (!is_partial(section, moved)) continue;
    append(region.site, section, moved, rows[row_of(evidence.directives, region.site)]);
  }
  std::vector<Claim> claims;
  for (const auto& [row, partial] : rows) {
    Claim claim;
    place(claim, "partial_update", trace, partial.site);
    Finding& finding = claim.finding;
    finding.variable = clause_list(partial.names.all());
    finding.count = partial.count;
    finding.examined = finding.of = evidence.directives.rows[row].count;
    finding.confidence = Confidence::kCertain;
    finding.evidence = evidence_of(partial);
    finding.remarks = {advice_of(partial, trace.sites[partial.site.value])};
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
