#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "clauses/clause_effects.h"
#include "model/map_types.h"
#include "ompdm/mapped.h"

namespace ompdm::analysis {
namespace {

/// Whether "src/heat.cpp:41" is the place of a site: all of its file's path, or its end.
bool is_at(const Site& site, const std::string& where) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos) return false;
  int line = 0;
  const char* const end = where.data() + where.size();
  if (std::from_chars(where.data() + colon + 1, end, line).ptr != end) return false;
  const std::string file = where.substr(0, colon);
  const bool is_end = site.file.size() > file.size() && site.file.ends_with(file) &&
                      site.file[site.file.size() - file.size() - 1] == '/';
  return site.line == line && !file.empty() && (site.file == file || is_end);
}

class Present {
 public:
  explicit Present(const Trace& trace) : trace_(trace), mappings_(trace) {}

  [[nodiscard]] std::vector<DataPresent> at(const std::string& where) const {
    std::map<std::pair<std::uint32_t, std::int32_t>, DataPresent> found;  // site, device
    std::map<std::pair<std::uint32_t, std::int32_t>, std::set<std::uint32_t>> first;  // pieces
    for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
      const Region& region = trace_.regions.common(i);
      if (!region.site || region.ends_data || region.host_fallback) continue;
      const Site& site = trace_.sites[region.site.value];
      if (!is_at(site, where)) continue;
      const std::pair key(region.site.value, region.device);
      const Nanoseconds time = trace_.regions.begin_of(i);
      const std::vector<std::uint32_t> there = alive(region.device, time);
      std::set<std::uint32_t> pieces;
      for (const std::uint32_t mapping : there) pieces.insert(mappings_.rows()[mapping].piece);
      const auto [row, is_new] = found.try_emplace(key);
      DataPresent& present = row->second;
      ++present.executions;
      if (!is_new) {
        if (first[key] != pieces) ++present.others;
        continue;
      }
      first[key] = std::move(pieces);
      present.place = source_place(site);
      present.directive = site.directive;
      present.device = region.device;
      present.time = time;
      for (const std::uint32_t mapping : there) present.data.push_back(data_of(mapping, i));
      std::ranges::stable_sort(present.data, std::greater{}, &PresentData::bytes);
    }
    std::vector<DataPresent> all;
    for (auto& [key, present] : found) all.push_back(std::move(present));
    return all;
  }

 private:
  /// Mappings on a device at an instant, but for kernels' own copies.
  [[nodiscard]] std::vector<std::uint32_t> alive(std::int32_t device, Nanoseconds time) const {
    std::vector<std::uint32_t> there;
    const std::vector<Mapping>& rows = mappings_.rows();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Mapping& row = rows[i];
      const bool is_there = row.begin <= time && time < row.end && !row.is_private;
      if (row.device == device && is_there) there.push_back(i);
    }
    return there;
  }

  [[nodiscard]] PresentData data_of(std::uint32_t number, std::uint32_t region) const {
    const Mapping& row = mappings_.rows()[number];
    const Nanoseconds time = trace_.regions.begin_of(region);
    PresentData data;
    data.name = expression_of(trace_, row);
    data.host = row.host;
    data.bytes = row.bytes;
    if (row.site) data.since = source_place(trace_.sites[row.site.value]);
    data.time = row.begin;
    for (const std::uint32_t op : mappings_.transfers(number)) {
      if (trace_.ops.begin_of(op) >= time) break;
      const Index<Site> site = trace_.ops.common(op).site;
      if (!site) continue;
      const bool is_back = trace_.ops.common(op).kind == OpKind::kDtoH;
      (is_back ? data.returned : data.sent) = source_place(trace_.sites[site.value]);
    }
    data.references = references(row, region);
    data.named = named(row, region);
    return data;
  }

  static bool covers(const Mapping& row, const MapItem& item) {
    return (item.type & (kMapLiteral | kMapPrivate)) == 0 && item.begin >= row.host &&
           item.begin < row.host + std::max<std::uint64_t>(row.bytes, 1) && item.begin != 0;
  }

  /// Each `target data` and `enter data` that names it holds one until its end, or an `exit data`.
  [[nodiscard]] std::optional<std::uint64_t> references(const Mapping& row,
                                                        std::uint32_t until) const {
    if (row.host == 0) return std::nullopt;
    std::uint64_t held = 0;
    for (std::uint32_t i = 0; i < until; ++i) {
      const Region& region = trace_.regions.common(i);
      if (region.device != row.device || !region.site || region.host_fallback) continue;
      if (trace_.regions.end_of(i) < row.begin) continue;
      const Directive directive = trace_.sites[region.site.value].directive;
      const bool is_data = directive == Directive::kTargetData;
      const bool begins =
          directive == Directive::kTargetEnterData || (is_data && !region.ends_data);
      const bool ends = directive == Directive::kTargetExitData || (is_data && region.ends_data);
      if (!begins && !ends) continue;
      if (region.map_list >= trace_.map_lists.size()) return std::nullopt;
      const auto names_it = [&](const MapItem& item) { return covers(row, item); };
      if (std::ranges::none_of(items_of(trace_, region), names_it)) continue;
      held = begins ? held + 1 : held - std::min<std::uint64_t>(held, 1);
    }
    return held;
  }

  [[nodiscard]] std::string named(const Mapping& row, std::uint32_t at) const {
    const Region& region = trace_.regions.common(at);
    const Directive directive = trace_.sites[region.site.value].directive;
    for (const MapItem& item : items_of(trace_, region)) {
      if (!covers(row, item)) continue;
      const std::string clause = clause_of(item, directive);
      if (clause.empty()) return "implicitly";
      const bool is_update = directive == Directive::kTargetUpdate;
      return is_update ? clause + '(' + item.name + ')' : "map(" + clause + ": " + item.name + ')';
    }
    return {};
  }

  const Trace& trace_;
  Mappings mappings_;
};

}  // namespace

std::vector<DataPresent> present_at(const Trace& trace, const std::string& where) {
  return Present(trace).at(where);
}

}  // namespace ompdm::analysis
